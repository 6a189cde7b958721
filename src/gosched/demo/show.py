"""The show: the acts in their order, bars of what came out, the page, and where to go from here."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Protocol, TextIO

import gosched
from gosched.demo import crowd, echo, hog, hops, naps, stealing, stuck
from gosched.demo.outcome import Failed, Outcome
from gosched.demo.picture import Scene, page
from gosched.demo.sizes import FULL, Sizes, chosen
from gosched.demo.stage import Stage
from gosched.trace.units import count

PICTURE = "demo.html"
EXAMPLE = "examples/prime_sieve.py 10000"
# So many lines of a report are shown in the terminal; the page has all of them.
REPORT = 26


class Act(Protocol):
    """A module."""

    ABOUT: str

    def title(self, sizes: Sizes) -> str: ...

    def play(self, stage: Stage, sizes: Sizes) -> Outcome: ...


ACTS: tuple[Act, ...] = (crowd, hops, stealing, hog, naps, echo, stuck)


def show(out: TextIO, about: str, quick: bool = False, only: Collection[int] = ()) -> int:
    """The exit status: 1 if an act failed. `only`: the numbers of some acts."""
    begin = perf_counter()
    sizes = chosen(quick, pure=gosched.__build__ != "compiled")
    stage = Stage(out, folder())
    greet(stage, about, sizes, quick)
    scenes: list[Scene] = []
    for number, act in enumerate(ACTS, 1):
        if not only or number in only:
            try:
                scenes.append(play(stage, sizes, number, act))
            except Failed as error:
                stage.forget()
                print(f"gosched demo: act {number} failed: {error}", file=sys.stderr)
                return 1
            except BaseException:
                stage.forget()
                print(f"gosched demo: stopped in act {number}", file=sys.stderr)
                raise
    sum_up(stage, scenes, perf_counter() - begin)
    point_on(stage, keep(stage.folder, scenes, about), traced=any(scene.outcome.track() for scene in scenes))
    return 0


def folder() -> Path:
    """Where the page goes, and the trace: ./build, or a directory of its own if that cannot be written to."""
    build = Path("build")
    try:
        build.mkdir(exist_ok=True)
        writable = os.access(build, os.W_OK)
    except OSError:
        writable = False
    return build if writable else Path(tempfile.mkdtemp(prefix="gosched-demo-"))


def greet(stage: Stage, about: str, sizes: Sizes, quick: bool) -> None:
    stage.title(about)
    if sizes != FULL:
        why = "--quick makes the acts small" if quick else "The pure build is slower, so the acts are smaller"
        stage.say(
            f"{why}: {sizes.goroutines:,} goroutines instead of {FULL.goroutines:,}, {sizes.calls} blocking calls instead of {FULL.calls}, "
            f"{sizes.connections:,} connections instead of {FULL.connections:,}."
        )


def play(stage: Stage, sizes: Sizes, number: int, act: Act) -> Scene:
    title = act.title(sizes)
    stage.title(f"{number}. {title}")
    stage.say(act.ABOUT)
    outcome = act.play(stage, sizes)
    for sentence in outcome.words():
        stage.say(sentence, "- ")
    if outcome.texts():
        stage.quote("\n\n".join(outcome.texts()), REPORT)
    return Scene(number, title, act.ABOUT, outcome)


def sum_up(stage: Stage, scenes: Sequence[Scene], seconds: float) -> None:
    stage.title(f"{count(len(scenes), 'act')} in {seconds:.0f} s; what came out")
    for scene in scenes:
        for chart in scene.outcome.charts():
            stage.draw(chart)


def keep(place: Path, scenes: Sequence[Scene], about: str) -> Path:
    path = place / PICTURE
    path.write_text(page(scenes, about, datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")), encoding="utf-8")
    return path


def point_on(stage: Stage, picture: Path, traced: bool) -> None:
    stage.title("Where to go from here")
    stage.say(f"{picture} is a page with all of this: open it in a browser.")
    if not all(map(find_spec, ("starlette", "uvicorn"))):
        stage.say("What follows serves pages, and needs: pip install 'gosched[web]'")
    for what, command in commands(picture.parent, traced):
        stage.say(f"{what}:")
        stage.write(f"       {command}")


def commands(place: Path, traced: bool) -> Iterator[tuple[str, str]]:
    """As they can be typed here."""
    script = Path(sys.executable).with_name("gosched")
    name = nearer(script) if script.exists() else f"{nearer(Path(sys.executable))} -m gosched"
    if traced:
        yield "act 3, move by move, in the browser", f"{name} view {place / stealing.TRACE}"
    yield "a program's scheduler, live in the browser", f"{name} run --view {EXAMPLE if Path(EXAMPLE.split()[0]).exists() else 'PROGRAM.py'}"
    yield "the laboratory: the scheduler in virtual time, to step through, rewind and bend", f"{name} lab"


def nearer(path: Path) -> str:
    """As seen from here, if it is below."""
    seen = os.path.relpath(path)
    return str(path) if seen.startswith(os.pardir) else seen
