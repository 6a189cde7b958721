"""The page in a real browser: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import gosched

from .conftest import QUIET, Serve

BROWSER = os.environ.get("GOSCHED_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

if BROWSER is None:
    pytest.skip("no chromium on this machine: apt-get install chromium, or GOSCHED_CHROMIUM=/path", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -r requirements/test.txt")

# Goroutines of every kind that the page shows. The program ends with its process.
BUSY = """
    import time, gosched

    def hog():
        while True:
            pass

    def sleeper():
        while True:
            gosched.blocking(time.sleep, 1000)

    async def waits(ch):
        await ch.arecv()

    async def transfer(a, b, both):
        async with a:
            both.done()
            await both
            async with b:
                pass

    def burn():
        for _ in range(20_000):
            pass

    async def bursts():
        while True:
            for _ in range(40):
                gosched.go(burn)
            await gosched.asleep(0.2)

    async def main():
        ch, a, b, both = gosched.Chan(), gosched.Mutex(), gosched.Mutex(), gosched.WaitGroup()
        for _ in range(40):
            gosched.go(waits, ch)
        both.add(2)
        gosched.go(transfer, a, b, both)
        gosched.go(transfer, b, a, both)
        gosched.go(hog)
        gosched.go(sleeper)
        gosched.go(bursts)
        await gosched.asleep(1000)

    gosched.run(main, gomaxprocs=2, view=True)
"""

pytestmark = [pytest.mark.slow, pytest.mark.browser]


# Who starts these does not let go of its P before the other one, which is idle, has had the time to steal; again and again, until it was seen.
STEALS = """
    import time, gosched

    async def nothing():
        pass

    async def main():
        while True:
            for _ in range(8):
                gosched.go(nothing)
            time.sleep(0.002)
            await gosched.asleep(0.02)

    gosched.run(main, gomaxprocs=2, view=True)
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=list(FLAGS), timeout=90_000)
        yield opened
        opened.close()


class Tab:
    """A page that is open. What it complains about fails the test. `READY`: when it shows something."""

    READY = "goschedView.updates > 1"

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.context = browser.new_context(viewport=options.pop("viewport", {"width": 1280, "height": 800}), **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        self.page.goto(url)
        self.until(self.READY)

    def until(self, script: str) -> Any:
        return self.page.wait_for_function(f"() => {script}").json_value()

    def sees(self, selector: str, text: str) -> None:
        self.page.locator(selector, has_text=text).first.wait_for()

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []


SUSPENDED = "goschedView.store.last.preemptions > 0"
# What becomes of a hog in a pure build on 3.11, which cannot suspend it: its P is taken by force.
ROBBED = "goschedView.store.last.ps.some(p => p[14] > 0)"


def test_a_running_program(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(BUSY).url)
    assert "token" not in tab.page.url
    tab.sees("#status", "live")
    assert tab.page.locator(".proc").count() == 2
    tab.sees('.m[data-state="blocked"]', "in call")
    tab.until(SUSPENDED if gosched.__build__ == "compiled" else f"{SUSPENDED} || {ROBBED}")
    tab.sees("#lints", "2 goroutines wait for each other")
    tab.page.keyboard.press("4")
    tab.sees('.entry[data-kind="preempt"]', "to let others run")
    tab.close()


def test_a_steal(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(STEALS).url)
    tab.until("goschedView.store.last.ps.some(p => p[9] > 0)")
    tab.sees(".proc footer", " in ")  # so many stolen in so many raids
    tab.page.keyboard.press("4")
    tab.sees('.entry[data-kind="steal"]', "stole")
    tab.page.locator(".filters button", has_text="steal").click()
    tab.until("document.querySelectorAll('.entry[data-kind=steal]:not([hidden])').length === 0")
    tab.close()


def test_one_goroutine_by_mouse_and_search(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(BUSY).url)
    tab.page.fill("#search", "transfer")
    tab.until("document.querySelectorAll('.tr:not([hidden])').length === 2")
    tab.sees("#shown", "2 of")
    tab.page.locator(".tr:not([hidden])").first.click()
    tab.sees("#panel", "transfer")
    tab.sees("#panel pre", "async with b:")
    tab.sees("#panel", "held by")
    tab.page.locator("#panel .g").first.click()
    tab.until("goschedView.panel.id > 0")
    tab.page.keyboard.press("Escape")
    assert tab.page.locator("#panel").is_hidden()
    tab.page.fill("#search", "")
    tab.page.locator("#counts button", has_text="W").click()
    tab.until("[...document.querySelectorAll('.tr:not([hidden]) .badge')].every(b => b.dataset.state === 'w')")
    tab.close()


def test_the_graph_marks_the_cycle(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(BUSY).url)
    tab.page.click("#tab-graph")
    tab.until("document.querySelectorAll('#graph .node.cycle').length === 4")
    assert tab.page.locator("#graph .edge.cycle").count() == 4
    tab.page.locator("#graph .node.cycle", has_text="transfer").first.click()
    tab.sees("#panel", "sync.Mutex.Lock")
    tab.page.click("#tab-things")
    tab.sees("#things", "Chan 0/0")
    assert tab.page.locator("#things tr.cycle").count() == 2
    tab.close()


def test_pause_and_scrub_and_keys(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(BUSY).url)
    tab.until("goschedView.store.frames > 5")
    tab.page.keyboard.press("Space")
    tab.sees("#status", "paused")
    shown = tab.page.locator(".timeline .now").text_content().split("−")[0].strip()
    frames = tab.page.evaluate("goschedView.store.frames")
    tab.until(f"goschedView.store.frames > {frames + 3}")  # the program goes on, the page does not
    assert tab.page.locator(".timeline .now").text_content().split("−")[0].strip() == shown
    at = tab.page.evaluate("goschedView.shown.t")
    tab.page.keyboard.press("ArrowLeft")
    assert tab.page.evaluate("goschedView.shown.t") < at
    tab.page.locator(".timeline input").evaluate("input => { input.value = 0; input.dispatchEvent(new Event('input')); }")
    assert tab.page.evaluate("goschedView.frozen") == 0
    assert tab.page.evaluate("goschedView.shown.rows.size") > 0
    tab.page.locator("body").click(position={"x": 5, "y": 300})
    tab.page.keyboard.press("End")
    tab.sees("#status", "live")
    tab.page.keyboard.press("?")
    assert tab.page.locator("#keys").is_visible()
    tab.page.keyboard.press("Escape")
    assert tab.page.locator("#keys").is_hidden()
    tab.page.keyboard.press("/")
    assert tab.page.evaluate("document.activeElement.id") == "search"
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("ArrowDown")
    tab.until("goschedView.panel.id === 2")
    tab.page.keyboard.press("2")
    assert tab.page.locator("#tab-graph").get_attribute("aria-selected") == "true"
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(serve: Serve, browser: Any, scheme: str) -> None:
    tab = Tab(browser, serve(BUSY).url, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    background = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) < 200) == (scheme == "dark")
    tab.page.fill("#search", "transfer")
    tab.until("document.querySelectorAll('.tr:not([hidden])').length === 2")
    tab.page.locator(".tr:not([hidden])").first.click()
    tab.sees("#panel", "transfer")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()


def test_ten_thousand(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(QUIET, "10000").url)
    tab.until("goschedView.store.last.total === 10001")
    tab.sees("#shown", "10,001 goroutines in 2 groups")
    updates = tab.page.evaluate("goschedView.updates")
    tab.until(f"goschedView.updates > {updates + 5}")
    assert tab.page.evaluate("document.querySelectorAll('*').length") < 3_000
    assert tab.page.evaluate("goschedView.times.length") > 0
    tab.close()


def test_two_thousand_rows_are_virtual(serve: Serve, browser: Any) -> None:
    tab = Tab(browser, serve(QUIET, "1900").url)
    tab.until("goschedView.store.last.total === 1901")
    tab.sees("#shown", "1,901 goroutines")
    assert tab.page.locator(".tr").count() < 100
    last = tab.page.evaluate("Math.max(...goschedView.store.rows.keys())")  # not always 1901: each P takes its ids in batches
    tab.page.locator(".tbody").evaluate("body => body.scrollTop = 1e6")
    tab.sees(".tr:not([hidden])", f"G{last}")
    assert tab.page.locator(".tr").count() < 200
    tab.close()


def test_the_program_ends_and_the_page_keeps_what_it_saw(serve: Serve, browser: Any) -> None:
    served = serve()
    tab = Tab(browser, served.url)
    served.say("end")
    tab.sees("#status", "program has ended")
    tab.page.keyboard.press("ArrowLeft")
    tab.sees("#status", "paused")
    assert tab.page.evaluate("goschedView.shown.rows.size") > 0
    tab.close()
