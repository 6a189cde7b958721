"""The laboratory in a real browser: a newcomer's path, every scenario to its end, keys, a phone, the dark."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from gosched.lab.scenarios import SCENARIOS

from .conftest import Page
from .test_browser import Tab, browser
from .test_lab import laboratory

__all__ = ["browser"]

pytestmark = [pytest.mark.slow, pytest.mark.browser]
OVER = "goschedLab.reel.over"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def served() -> Iterator[Page]:
    """One for all: it remembers nothing of who has asked."""
    with laboratory() as page:
        yield page


class LabTab(Tab):
    READY = f"window.goschedLab && {OVER}"

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    @property
    def at(self) -> int:
        return int(self.page.evaluate("goschedLab.at"))

    def count(self, state: str) -> int:
        return int(self.page.locator("#counts button", has=self.page.locator(f'[data-state="{state}"]')).locator("span").nth(1).inner_text())

    def figure(self, name: str) -> str:
        return str(self.page.locator("#figures div", has=self.page.locator(f"dt:text-is('{name}')")).locator("dd").inner_text())

    def played(self) -> None:
        """Until the run that was asked for has come."""
        self.until(OVER)

    def goes_to(self, event: str, nth: int = 1) -> None:
        self.page.evaluate(f"goschedLab.seek(goschedLab.reel.find({{event: '{event}', nth: {nth}, of: '', says: ''}}))")

    def log(self) -> str:
        """All of it, as at the end of the run."""
        return str(self.page.evaluate("goschedLab.reel.events.map(e => e.join(' ')).join('\\n')"))

    def fits(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.fixture
def tab(served: Page, browser: Any) -> Iterator[LabTab]:
    opened = LabTab(browser, served.url)
    yield opened
    opened.close()


def test_a_newcomer(tab: LabTab) -> None:
    """Opens it, chooses GOMAXPROCS, spawns 20, starts, sees a steal, slows down, steps back, switches stealing off, compares."""
    page = tab.page
    assert "token" not in page.url
    page.click("#tab-play")
    tab.played()
    page.locator("#procs-range").fill("3")
    tab.until("document.querySelectorAll('.proc:not([hidden])').length === 3")
    page.fill("#spawn-n", "20")
    page.click("#spawn")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    tab.sees(".actions li", "20 × CPU work")
    page.locator("#speed").fill("10")
    tab.sees("#transport output", "500 events/s")
    page.click("#start")
    tab.sees(".entry[data-kind=steal]", "so it stole half of P0's")
    page.locator("#speed").fill("0")
    tab.sees("#transport output", "1 events/s")
    page.click("#back")
    assert not page.evaluate("goschedLab.playing")
    tab.goes_to("STEAL")
    tab.sees("#said", "stole half of P0's: 10 goroutines")
    assert tab.count("R") + tab.count("r") + tab.count("w") == int(tab.figure("total")) == 21
    tab.sees(".proc .mark.on", "stole 10")
    at, said = tab.at, tab.text("#said")
    page.click("#back")
    assert tab.at == at - 1
    assert page.locator(".proc .mark.on").count() == 0  # it has not happened yet
    page.click("#on")
    assert tab.text("#said") == said
    page.click("#tab-rules")
    page.uncheck("#rule-steal")
    tab.until(f"{OVER} && goschedLab.script.policy.steal === false")
    assert "stole" not in tab.log()
    page.click("#tab-compare")
    runs = page.locator("#compare .run")
    assert runs.count() == 2
    assert "Go's rules" in runs.nth(0).inner_text()
    assert "no stealing" in runs.nth(1).inner_text()
    assert "60 ms" in runs.nth(1).inner_text()  # one P does all of it, 20 times 3 ms
    runs.nth(0).locator("button").click()
    tab.until(f"{OVER} && goschedLab.script.policy.steal !== false")
    assert runs.nth(0).get_attribute("aria-current") == "true"


@pytest.mark.slow
def test_steps_ticks_and_back(tab: LabTab) -> None:
    page = tab.page
    assert tab.at == 0
    assert page.locator(".entry:visible").count() == 1
    seen = [tab.text("#said")]
    for i in range(1, 30):
        page.click("#on")
        assert tab.at == i
        seen.append(tab.text("#said"))
    for i in range(28, -1, -1):
        page.click("#back")
        assert tab.text("#said") == seen[i]
    ticks = 0
    for _ in range(5):
        page.click("#tick")
        now = page.evaluate("goschedLab.shown.ps.reduce((sum, p) => sum + p[8], 0)")
        assert now == ticks + 1
        assert page.evaluate("goschedLab.shown.name") == "GO_START"
        ticks = now
    page.click("#last")
    tab.sees("#status", "the program has ended")
    tab.sees("#start", "Again")
    assert (tab.count("R"), tab.count("w"), tab.figure("total")) == (0, 0, "0")
    page.click("#first")
    assert (tab.at, tab.text("#said")) == (0, seen[0])
    page.locator(".timeline .track input").evaluate("input => { input.value = 40; input.dispatchEvent(new Event('input')); }")
    assert tab.at == 40
    page.locator(".entry:visible").nth(12).click()
    assert tab.at == 28
    assert tab.text("#said") == seen[28]


def test_the_legend_and_the_how_to(tab: LabTab) -> None:
    legend = tab.text("#legend")
    for word in ("running", "queued", "preempted", "in a call", "waiting", "GOMAXPROCS", "netpoller", "sysmon", "spinning"):
        assert word in legend
    tab.page.click("#help")
    tab.sees("#keys", "How to use it")
    tab.sees("#keys", "an event on or back")
    tab.page.keyboard.press("Escape")
    assert tab.page.locator("#keys").is_hidden()
    tab.page.locator("#counts button").first.click()
    assert tab.page.locator("#goroutines").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(served: Page, browser: Any, scheme: str) -> None:
    tab = LabTab(browser, served.url, viewport=PHONE, color_scheme=scheme)
    assert tab.fits()
    background = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) < 200) == (scheme == "dark")
    for name in ("play", "rules", "goroutines", "compare", "log", "essay"):
        tab.page.click(f"#tab-{name}")
        tab.played()
        assert tab.fits(), name
        assert tab.page.locator(f"#{name}").is_visible()
    for button in ("first", "back", "toggle", "on", "tick", "last", "start", "reset"):
        box = tab.page.locator(f"#{button}").bounding_box()
        assert box["x"] >= 0, button
        assert box["x"] + box["width"] <= 390, button
    tab.close()


@pytest.mark.slow
def test_the_header_has_room(tab: LabTab) -> None:
    """With the longest that it says."""
    tab.page.select_option("#essay select", "skynet")
    tab.until(f"{OVER} && goschedLab.script.scenario === 'skynet'")
    tab.page.click("#last")
    tab.sees("#status", "the program has ended")
    for width in (1080, 1280, 1419, 1420, 1460, 1461, 1920):
        tab.page.set_viewport_size({"width": width, "height": 800})
        assert tab.fits(), width
        assert tab.page.evaluate("document.querySelector('.top').scrollWidth <= document.querySelector('.top').clientWidth"), width
        boxes = [tab.page.locator(part).bounding_box() for part in (".brand", "#counts", "#figures", ".acts")]
        for left, right in itertools.pairwise(boxes):
            assert left["x"] + left["width"] <= right["x"], width
        assert tab.page.locator("#counts .quiet").first.is_visible() == (width >= 1420)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_to_its_end(tab: LabTab, scenario: str) -> None:
    page = tab.page
    page.select_option("#essay select", scenario)
    tab.until(f"{OVER} && goschedLab.script.scenario === '{scenario}'")
    page.locator("#speed").fill("10")
    paragraphs = page.locator(".paragraph")
    assert paragraphs.count() == len(SCENARIOS[scenario].paragraphs)
    for i, paragraph in enumerate(SCENARIOS[scenario].paragraphs):
        if paragraph.until is None:
            continue
        paragraphs.nth(i).locator("button").click()
        tab.until("!goschedLab.playing")
        assert page.evaluate("goschedLab.shown.name") == paragraph.until.event
        assert paragraphs.nth(i).get_attribute("aria-current") == "true"
        assert page.locator(".paragraph[aria-current]").count() == 1
    assert page.locator(".answer").is_hidden()
    page.click(".question button")
    tab.until("document.querySelector('.answer').textContent.length > 5")
    assert page.locator(".answer").is_visible()
    page.locator("#speed").fill("10")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")
    tab.sees("#status", "deadlock" if scenario == "deadlock" else "the program has ended")
    for bend in page.locator(".bend button").all():
        bend.click()
        tab.until(f"{OVER} && Object.keys(goschedLab.script.policy).length > 0 && goschedLab.at > 0")
        assert bend.get_attribute("aria-pressed") == "true"
        tab.until("document.querySelector('.answer').textContent.length > 5")
        bend.click()
        tab.until(f"{OVER} && Object.keys(goschedLab.script.policy).length === 0")


@pytest.mark.slow
def test_the_same_seed_is_the_same_run(served: Page, browser: Any) -> None:
    logs = []
    for seed in ("1", "1", "4"):
        tab = LabTab(browser, served.url)
        tab.page.keyboard.press("2")
        tab.played()
        tab.page.fill("#seed", seed)
        tab.page.keyboard.press("Tab")
        tab.until(f"goschedLab.script.seed === {seed} && {OVER}")
        tab.page.click("#spawn")
        tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
        logs.append(tab.log())
        tab.close()
    assert logs[0] == logs[1]
    assert logs[0] != logs[2]


@pytest.mark.slow
def test_without_a_mouse(tab: LabTab) -> None:
    keys = tab.page.keyboard
    keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    tab.page.evaluate("document.activeElement.blur()")
    keys.press("2")
    tab.played()
    keys.press("s")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    for _ in range(12):
        keys.press("+")
    tab.sees("#transport output", "500 events/s")
    keys.press(" ")
    tab.sees("#status", "nothing left to do")
    keys.press("Home")
    assert tab.at == 0
    keys.press("ArrowRight")
    keys.press("Shift+ArrowRight")
    keys.press("ArrowLeft")
    assert tab.at == 10
    keys.press("t")
    assert tab.page.evaluate("goschedLab.shown.name") == "GO_START"
    for _ in range(12):
        keys.press("-")
    tab.sees("#transport output", "1 events/s")
    keys.press("3")
    tab.page.focus("#tab-rules")
    for _ in range(3):
        keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.id") == "rule-steal"
    keys.press(" ")
    tab.until(f"{OVER} && goschedLab.script.policy.steal === false")
    keys.press("Escape")
    keys.press("6")
    assert tab.page.locator("#compare .run").count() == 2
    tab.page.focus("#compare .run button")
    keys.press("Enter")
    tab.until(f"{OVER} && goschedLab.script.policy.steal !== false")
    tab.page.focus("#tab-compare")
    keys.press("ArrowLeft")
    assert tab.page.locator("#goroutines").is_visible()
    keys.press("/")
    assert tab.page.evaluate("document.activeElement.id") == "search"
    keys.press("Escape")
    keys.press("?")
    assert tab.page.locator("#keys").is_visible()
    keys.press("Escape")
    keys.press("r")
    tab.until("goschedLab.script.actions.length === 0")


@pytest.mark.slow
def test_reset(tab: LabTab) -> None:
    """Of a scenario, and of free play; while it plays, too."""
    page = tab.page
    page.click("#start")
    tab.until("goschedLab.at > 3")
    page.click("#reset")
    tab.until(f"{OVER} && goschedLab.at === 0 && !goschedLab.playing")
    tab.sees("#start", "Start")
    page.click("#tab-play")
    tab.played()
    page.click("#spawn")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    page.click("#start")
    page.click("#reset")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 0 && !goschedLab.playing")
    tab.sees("#play", "Nothing yet.")
    assert page.locator("#compare .run").count() == 1  # of nothing: no run of what is gone


@pytest.mark.slow
def test_who_plays_goes_on_by_other_rules(tab: LabTab) -> None:
    page = tab.page
    page.locator("#speed").fill("7")
    page.click("#start")
    page.click("#tab-rules")
    page.uncheck("#rule-steal")
    tab.until("goschedLab.script.policy.steal === false && goschedLab.at > 5")
    tab.sees("#status", "the program has ended")


@pytest.mark.slow
def test_what_cannot_be_played_is_said_and_what_was_played_stays(tab: LabTab) -> None:
    page = tab.page
    page.click("#tab-play")
    tab.played()
    page.fill("#spawn-n", "1500")
    page.click("#spawn")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    for n, ms, words in (("0", "1", "How many? 1 to 2,000."), ("5", "", "How many milliseconds each?"), ("5", "99999", "0 to 10,000")):
        page.fill("#spawn-n", n)
        page.fill("#spawn-ms", ms)
        page.click("#spawn")
        tab.sees("#play .trouble", words)
    page.fill("#spawn-n", "600")
    page.fill("#spawn-ms", "1")
    page.click("#spawn")
    tab.sees("#play .trouble", "actions start 2,100 goroutines; a page shows at most 2,000")
    tab.sees("#status", "actions start 2,100")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    page.click("#on")
    tab.sees("#status", "paused")
    assert [text for text in tab.complaints if "status of 400" not in text] == []
    tab.complaints.clear()  # the browser's own word about the answer


@pytest.mark.slow
def test_one_goroutine_and_many_processors(tab: LabTab) -> None:
    page = tab.page
    page.click("#tab-play")
    tab.played()
    page.locator("#procs-range").fill("64")
    tab.until(f"{OVER} && goschedLab.script.procs === 64")
    page.click("[data-kind=spawner]")
    page.click("#spawn")
    tab.until(f"{OVER} && goschedLab.script.actions.length === 1")
    tab.goes_to("GO_START", 30)
    assert page.locator(".proc:visible").count() == 64
    number = page.evaluate("goschedLab.shown.event[4]")
    page.locator(".entry:visible .g:visible").first.click()
    tab.sees("#panel h2", f"Goroutine {number}")
    tab.sees("#panel", "What it was seen to do")
    tab.sees("#panel", "running")
    page.click("#first")
    tab.sees("#panel", "It has not begun.")
    page.click("#last")
    tab.sees("#panel", "It has ended.")
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
