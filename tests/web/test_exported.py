"""The page that `gosched lab export` writes, in a real browser: from a static server, and from the disk. Pyodide is npm's."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gosched.errors import GoschedError
from gosched.web import pyodide
from gosched.web.export import export

from .test_browser import Tab, browser
from .test_export import Exported, played, quiet

__all__ = ["browser"]  # a fixture

pytestmark = [pytest.mark.slow, pytest.mark.browser]

# Where a copy of npm's archive may lie, for a machine without a network.
KEPT = Path.home() / f".cache/gosched/pyodide-{pyodide.VERSION}.tgz"
PYTHON = re.compile(r"/parts/pyodide\.asm\.wasm\.0\.js$")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """With the real Pyodide."""
    folder = tmp_path_factory.mktemp("whole") / "site"
    try:
        export(folder, KEPT if KEPT.exists() else None, recorded=False, force=False, say=quiet)
    except GoschedError as error:
        if pyodide.ADVICE not in str(error):
            raise
        pytest.skip(f"Pyodide cannot be had here, and there is no copy of it at {KEPT}: {error}")
    return Exported(folder)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """Recorded runs only."""
    folder = tmp_path_factory.mktemp("bare") / "site"
    export(folder, None, recorded=True, force=False, say=quiet)
    return Exported(folder)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(params=["http", "file"])
def address(request: pytest.FixtureRequest, whole: Exported) -> Iterator[str]:
    """Of the site, without its last slash: from a server that knows files only, and from the disk."""
    if request.param == "file":
        yield whole.folder.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(whole.folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Held:
    """A browser whose pages wait for a part of Python until `let_go`, or for ever. What they ask for is noted."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.asked: list[str] = []
        self.routes: list[Any] = []

    def new_context(self, **options: Any) -> Any:
        context = self.browser.new_context(**options)
        context.on("request", lambda request: self.asked.append(request.url))
        context.route(PYTHON, lambda route: self.routes.append(route))
        return context

    def let_go(self) -> None:
        [route] = self.routes
        route.continue_()

    def lose(self) -> None:
        [route] = self.routes
        route.abort()


class Alone(Tab):
    READY = "window.goschedLab?.at > 2"  # it plays by itself, and what it plays is recorded

    def lab(self, what: str) -> Any:
        return self.page.evaluate(f"() => goschedLab.{what}")

    def frames(self) -> list[Any]:
        self.until("goschedLab.reel.over")
        found: list[Any] = json.loads(self.page.evaluate("() => JSON.stringify(goschedLab.reel.frames)"))
        return found


def same(shown: list[Any], told: list[Any]) -> bool:
    """Of a frame the page may know more than it was told."""
    return len(shown) == len(told) and all({name: mine[name] for name in frame} == frame for mine, frame in zip(shown, told, strict=True))


class Still(Alone):
    READY = "window.goschedLab?.at === 0"


def test_recorded_runs_play_at_once_and_then_the_scheduler_itself(whole: Exported, address: str, browser: Any) -> None:
    held = Held(browser)
    tab = Alone(held, f"{address}/index.html")
    tab.until("goschedLab.reel.over")
    tab.page.wait_for_function("() => /^the scheduler is loading… [1-9]?[0-9] %$/.test(document.getElementById('engine').textContent)")
    tab.page.select_option("#essay select", "steal-half")
    tab.page.click("text=Run it and see")
    tab.sees("#essay .answer", " ")
    tab.page.click("#tab-play")
    tab.sees("#play [data-note]", "The scheduler is loading")
    assert tab.page.evaluate("() => document.getElementById('spawn').closest('[inert]') !== null")

    held.let_go()
    tab.sees("#engine", "running in this page")
    assert tab.page.locator("[data-note]").count() == 0
    tab.page.click("#spawn")
    tab.until("goschedLab.script.actions?.length === 1")
    script = tab.lab("script")
    assert script["actions"] == [{"at": 0, "start": "cpu", "n": 20, "seconds": 0.003}]
    frames = tab.frames()
    assert same(frames, played(script)["frames"])  # the same run as here, event by event
    assert any(frame["name"] == "STEAL" for frame in frames)

    tab.page.keyboard.press("Escape")  # off the button
    for key, at in (("End", len(frames) - 1), ("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        tab.page.keyboard.press(key)
        assert tab.lab("at") == at
    tab.sees("#said", frames[1]["event"][3])

    tab.page.click("#tab-rules")
    tab.page.uncheck("#rule-steal")
    bent = tab.frames()
    assert tab.lab("script.policy") == {"steal": False}
    assert same(bent, played({**script, "policy": {"steal": False}})["frames"])
    assert not any(frame["name"] == "STEAL" for frame in bent)

    recorded, part = whole.site["recorded"][0]
    answer = tab.page.evaluate("(script) => goschedLab.engine.ask(script, 0, 20_000).then(JSON.stringify)", recorded)
    assert json.loads(answer) == json.loads(whole.unpacked(part))
    wrong = tab.page.evaluate("() => goschedLab.engine.ask({ procs: 0 }, 0, 1).catch((error) => error.message)")
    assert wrong == "procs must be a whole number from 1 to 64, not 0"
    assert {url for url in held.asked if not url.startswith((f"{address}/", "blob:"))} == set()
    tab.close()


def test_a_site_that_is_not_whole_says_so_and_plays_what_it_has(address: str, browser: Any) -> None:
    held = Held(browser)
    tab = Alone(held, f"{address}/index.html")
    tab.page.wait_for_function("() => /loading/.test(document.getElementById('engine').textContent)")
    tab.until("goschedLab.reel.over")
    held.lose()
    tab.sees("#engine", "the scheduler did not start: parts/pyodide.asm.wasm.0.js is missing: the site is not whole")
    tab.page.select_option("#essay select", "runnext")
    tab.until("goschedLab.script.scenario === 'runnext' && goschedLab.reel.over === 'end'")
    assert all("ERR_FAILED" in words for words in tab.complaints)
    tab.complaints.clear()
    tab.close()


def test_without_python_the_essay_plays_with_all_its_rules(bare: Exported, browser: Any) -> None:
    tab = Alone(browser, (bare.folder / "index.html").as_uri())
    tab.sees("#engine", "recorded runs only")
    for script, part in bare.site["recorded"][:3]:
        tab.page.select_option("#essay select", script["scenario"])
        tab.page.evaluate("(policy) => goschedLab.bend(policy)", script["policy"])
        assert same(tab.frames(), json.loads(bare.unpacked(part))["frames"])
    tab.page.click("#tab-play")
    tab.sees("#play [data-note]", "Recorded runs only")
    tab.sees("#status", "This page has recorded runs only")
    tab.close()


def test_who_wants_no_motion_is_not_played_to(bare: Exported, browser: Any) -> None:
    tab = Still(browser, (bare.folder / "index.html").as_uri(), reduced_motion="reduce")
    tab.sees("#engine", "recorded runs only")
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert (tab.lab("playing"), tab.lab("at")) == (False, 0)
    tab.page.click("#start")
    tab.until("goschedLab.at > 2")
    tab.close()
