"""Draws the pictures of docs/how-it-works.md: from the programs on that page, and by hand (figures.py).

    python tools/diagrams.py                  # all of them, into docs/diagrams
    python tools/diagrams.py record NAME      # runs the program of a picture that is of a real run, on this Python, and keeps its trace

A program runs in the laboratory, in virtual time: what is drawn is the same on every machine. What the laboratory does not have, stacks that are
set aside, was recorded once; that trace is in docs/diagrams as well.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import figures

from gosched import run
from gosched.lab.clockwork import Clockwork
from gosched.trace import files
from gosched.trace.files import Recording
from gosched.trace.record import FileRecorder, VirtualRecorder
from gosched.trace.svg import ARROWS, Note, draw
from gosched.trace.timeline import OF_GLOBAL, OF_M, OF_P, OF_SYSMON, RUNS, Timeline, timeline

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, DIAGRAMS = DOCS / "how-it-works.md", DOCS / "diagrams"
# A program, and the pictures below it.
SHOWN = re.compile(r"^```python\n(.*?)^```\n((?:\n!\[[^\]]*\]\(diagrams/\w+\.svg\)\n)+)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"\(diagrams/(\w+)\.svg\)")
# Marks at the end of what they are about.
ENDINGS = ("waits", "yields", "ends", "is stopped", "enters")
KINDS = {"sysmon": OF_SYSMON, "P": OF_P, "global": OF_GLOBAL, "M": OF_M}


@dataclass(frozen=True)
class Picture:
    """`notes`: what its numbers point at, each a lane and how what happens there is called (a mark, an arrow or a slice); #2: the second of those.
    `begin`, `end`: of the window, in µs. `rows`: of each queue. `recorded`: it is of a real run."""

    title: str
    notes: str
    begin: int = 21  # when main begins to run, in the laboratory
    end: int | None = None
    threads: bool = False
    rows: int = 0
    recorded: bool = False


PICTURES = {
    "start": Picture("One P: main starts three goroutines, and waits for them", "P0 starts G2; P0 starts G3; P0 waits; P0 G4; P0 G1 #2", rows=8),
    "queues": Picture("One P: a goroutine yields", "P0 yields; P0 G3; P0 G2 #2", rows=8),
    "tick": Picture("One P: the 61st slice", "P0 yields; P0 G1 #2", rows=2),
    "steal": Picture("Two Ps: one has no work, and steals", "P0 starts; P1 steals; P0 G7; P1 G1", rows=8),
    "spin": Picture("Four Ps: threads are woken one by one", "P0 starts; P1 steals; P2 steals; P2 ends #2"),
    "park": Picture("Two Ps: a lock", "P0 waits: sync.Mutex; P1 wakes; P0 G3 #2"),
    "chan": Picture("One P: values go from hand to hand", "P0 waits: chan send; P0 G2; P0 waits: chan receive; P0 wakes #2", end=62, rows=2),
    "call": Picture("One P: a call that is known to block", "P0 enters; M1 G2; M0 is back; M1 G5", threads=True),
    "syscall": Picture("One P: a call that turns out to block", "P0 enters; sysmon takes; M1 G2", threads=True),
    "hog": Picture("One P: a goroutine that computes for 25 ms", "sysmon asks; P0 is stopped; P0 G4 #2", rows=4),
    "net": Picture("One P: three goroutines wait for the network", "P0 waits: IO; M0 waits; P0 network; P0 network #2", threads=True),
    "timers": Picture("One P: timers", "P0 waits: sleep; P0 a timer; M0 waits; P0 a timer #2", threads=True),
    "plain": Picture("A real run on one P: two plain functions", "P0 waits; M0 G2; M0 G1 #2", 950, 1225, threads=True, recorded=True),
    "end": Picture("One P: main returns", "P0 waits: chan; P0 starts G4; P0 ends; P0 G2 #2", rows=4),
}


# ---- the page ----


def programs() -> Iterator[tuple[str, str]]:
    """A picture's name, and the program above it."""
    for program, below in SHOWN.findall(PAGE.read_text()):
        for name in PICTURE.findall(below):
            yield name, program


def loaded(program: str) -> tuple[Callable[..., Any], int]:
    """Its main, and how many Ps it asks for in its last line, gosched.run(main, gomaxprocs=n), which is not run."""
    *body, last = ast.parse(program).body
    match last:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("gosched"), "run"), [ast.Name("main")], [ast.keyword("gomaxprocs", ast.Constant(int(procs)))])):
            names: dict[str, Any] = {}
            exec(compile(ast.Module(body, []), "how-it-works.md", "exec"), names)
            return names["main"], procs
    raise ValueError(f"the last line must be gosched.run(main, gomaxprocs=n), not {ast.unparse(last)}")


# ---- traces ----


def played(program: str) -> Recording:
    """In virtual time."""
    main, procs = loaded(program)
    recorder = VirtualRecorder(queues=True)
    play = Clockwork(procs, seed=1, recorder=recorder)
    play.run(main)
    return files.parse(recorder.data, "the laboratory")


def record(name: str) -> None:
    """A real run. Of who it was, only the program is kept."""
    program = dict(programs())[name]
    main, procs = loaded(program)
    path = DIAGRAMS / f"{name}.trace"
    run(main, gomaxprocs=procs, trace=FileRecorder(path))
    data = path.read_bytes()
    header = files.parse(data, name).header
    rest = data[len(files.MAGIC) + len(files.encode_header(header)) :]
    path.write_bytes(files.MAGIC + files.encode_header(replace(header, pid=1, command=mark_of(program), wall=0.0)) + rest)


def mark_of(program: str) -> str:
    """By which a recorded trace tells which program it is of."""
    return f"how-it-works.md {hashlib.sha256(program.encode()).hexdigest()[:16]}"


# ---- drawing ----


def drawn(name: str, program: str) -> str:
    picture = PICTURES[name]
    recording = files.read(DIAGRAMS / f"{name}.trace") if picture.recorded else played(program)
    end = None if picture.end is None else picture.end * 1000
    found = timeline(recording, picture.begin * 1000, end, picture.threads, picture.rows)
    return draw(found, picture.title, [place(found, note) for note in picture.notes.split("; ") if note])


def place(found: Timeline, note: str) -> Note:
    where, _, what = note.partition(" ")
    words, _, nth = what.partition(" #")
    lane = next((kind, int(where.removeprefix(name) or 0)) for name, kind in KINDS.items() if where.startswith(name))
    marks = [mark.at for mark in found.marks if mark.lane == lane and mark.text.startswith(words)]
    arrows = [arrow.at for arrow in found.arrows if arrow.lane == lane and ARROWS[arrow.kind][3] == words]
    slices = [s.begin for s in found.spans if s.lane == lane and s.row == RUNS and words == (s.text.split(" ")[0] or f"G{s.g}")]
    return Note(lane, (marks + arrows + slices)[int(nth or 1) - 1], -1 if marks and words.startswith(ENDINGS) else 1)


def pictures() -> dict[str, str]:
    """All of them, by the names of their files."""
    traced = {name: drawn(name, program) for name, program in programs()}
    return {f"{name}.svg": text for name, text in (traced | figures.drawn()).items()}


def main(args: list[str]) -> None:
    if args[:1] == ["record"]:
        record(args[1])
        return
    for name, text in pictures().items():
        (DIAGRAMS / name).write_text(text)
        print(f"docs/diagrams/{name}: {len(text):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
