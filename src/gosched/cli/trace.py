"""gosched trace: what is in a recorded trace, as a summary, for Perfetto, as a picture, as a log; and whether it is legal.

What cannot be read, or is illegal, is said on stderr, with exit code 1. A file that takes long is counted up on a terminal's stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from gosched.core.events import ARGS, NAMES
from gosched.trace import files, perfetto, svg
from gosched.trace.files import Recording, TraceFileError
from gosched.trace.replay import IllegalTrace, Replay
from gosched.trace.report import report
from gosched.trace.sentences import sentence
from gosched.trace.summary import summarize
from gosched.trace.timeline import TooMuch, timeline
from gosched.trace.units import count, moment, span

if TYPE_CHECKING:
    from gosched.trace.things import Step

# After so many seconds it is said how far it is, and so often; the clock is looked at after so many events.
LONG = 2.0
OFTEN = 0.5
BATCH = 20_000
KINDS = tuple(name.lower() for name in NAMES if name not in ("NOTHING", "BY"))


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    actions = commands.add_parser("trace", help="what a recorded trace tells").add_subparsers(dest="action", required=True, metavar="ACTION")
    summary = actions.add_parser("summary", help="where the time went, who waited and for what")
    export = actions.add_parser("export", help="for a viewer")
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument("--perfetto", action="store_true", help="for ui.perfetto.dev")
    form.add_argument("--svg", action="store_true", help="as a picture, for a browser or a document")
    export.add_argument("-o", dest="out", metavar="OUT", help="the file to write, - for stdout (default: FILE.json or FILE.svg)")
    export.add_argument(
        "--goroutines",
        type=natural,
        default=perfetto.TRACKS,
        metavar="N",
        help="so many have a track, the busiest (default %(default)s)",
    )
    export.add_argument("--from", dest="begin", type=milliseconds, default=0, metavar="MS", help="a picture from then on, since the trace began")
    export.add_argument("--to", dest="end", type=milliseconds, metavar="MS", help="... and up to then")
    check = actions.add_parser("check", help="whether it is a trace that can be")
    events = actions.add_parser("events", help="what happened, a sentence a line")
    events.add_argument("--goroutine", type=natural, metavar="N", help="only what that one does, and what is done to it")
    events.add_argument("--kind", type=str.lower, choices=KINDS, metavar="K", help=f"only events of that kind: {', '.join(KINDS)}")
    events.add_argument("--limit", type=natural, metavar="N", help="no more than so many")
    for parser in (summary, export, check, events):
        parser.add_argument("file", metavar="FILE", help="the trace")


def natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}")
    return int(text)


def milliseconds(text: str) -> int:
    """In ns."""
    try:
        ms = float(text)
    except ValueError:
        ms = -1.0
    if not 0 <= ms < 1e12:
        raise argparse.ArgumentTypeError(f"must be a number of milliseconds, not {text!r}")
    return round(ms * 1e6)


def run(options: argparse.Namespace) -> int:
    try:
        recording = files.read(options.file)
        return {"summary": show_summary, "export": write_export, "check": say_whether, "events": show_events}[options.action](recording, options)
    except (TraceFileError, IllegalTrace, TooMuch) as error:
        return complain(f"{'' if isinstance(error, TraceFileError) else f'{options.file}: '}{error}")
    except BrokenPipeError:
        raise  # not the file's fault
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}")


def complain(what: str) -> int:
    print(f"gosched trace: {what}", file=sys.stderr)
    return 1


class Progress:
    """Says how far a replay is, if it takes long and somebody looks."""

    def __init__(self) -> None:
        self.began = self.said = time.monotonic()
        self.steps = 0

    def meet(self, replay: Replay) -> None:
        if sys.stderr.isatty():
            replay.watch(lambda step: self.see(replay))

    def see(self, replay: Replay) -> None:
        self.steps += 1
        if self.steps % BATCH == 0:
            now = time.monotonic()
            if now - self.began > LONG and now - self.said > OFTEN:
                self.said = now
                print(f"\r{replay.steps:,} events, {100 * replay.progress():.0f} %", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.said != self.began:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def show_summary(recording: Recording, options: argparse.Namespace) -> int:
    progress = Progress()
    try:
        summary = summarize(recording, progress.meet)
    finally:
        progress.end()
    header = recording.header
    lock = "free-threaded" if header.free_threaded else "with the GIL"
    print(f"{header.command} (pid {header.pid}), gosched {header.gosched} ({header.build}), Python {header.python} {lock}")
    sys.stdout.write(report(summary))
    return 0


def write_export(recording: Recording, options: argparse.Namespace) -> int:
    if options.svg:
        return write_picture(recording, options)
    out = options.out or f"{options.file}.json"
    progress = Progress()
    try:
        if out == "-":
            perfetto.export(recording, sys.stdout.write, options.goroutines, progress.meet)
            return 0
        with replacing(out) as file:
            n = perfetto.export(recording, file.write, options.goroutines, progress.meet)
    finally:
        progress.end()
    print(f"{out}: {n:,} events; open it in https://ui.perfetto.dev")
    return 0


def write_picture(recording: Recording, options: argparse.Namespace) -> int:
    if options.end is not None and options.end <= options.begin:
        return complain("--to must be later than --from")
    found = timeline(recording, options.begin, options.end)
    picture = svg.draw(found, f"{os.path.basename(options.file)}: {span(found.end - found.begin)}")
    if options.out == "-":
        sys.stdout.write(picture)
        return 0
    out = options.out or f"{options.file}.svg"
    with replacing(out) as file:
        file.write(picture)
    print(f"{out}: {count(len(found.spans), 'slice')}")
    return 0


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[str]]:
    """A file that is there when it is whole."""
    unfinished = f"{path}.part"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise


def say_whether(recording: Recording, options: argparse.Namespace) -> int:
    replay = Replay.of(recording)
    progress = Progress()
    progress.meet(replay)
    try:
        replay.play()
    finally:
        progress.end()
    world = replay.world
    lasted = span(world.now - world.begun)
    things = f"{count(len(world.goroutines), 'goroutine')}, {count(len(world.ms), 'M')} and {count(len(world.ps), 'P')}"
    print(f"legal: {count(replay.steps, 'event')} of {things} in {lasted}")
    for note in recording.notes + replay.notes():
        print(f"note: {note}")
    return 0


def show_events(recording: Recording, options: argparse.Namespace) -> int:
    replay = Replay.of(recording)
    left = options.limit
    for step in replay.run():
        if left == 0:
            break
        if wanted(step, options):
            print(f"{moment(step.time - replay.world.begun):>16}  {sentence(replay, step)}")
            left = None if left is None else left - 1
    return 0


def wanted(step: Step, options: argparse.Namespace) -> bool:
    if options.kind is not None and NAMES[step.kind].lower() != options.kind:
        return False
    named = (value for name, value in zip(ARGS[step.kind], step.args, strict=True) if name in ("g", "by"))
    return options.goroutine is None or options.goroutine == step.g or options.goroutine in named
