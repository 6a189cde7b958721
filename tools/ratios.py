"""`python tools/ratios.py` writes the table of ratios into README.md, from the two runs that are kept in docs/benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from gosched.bench.record import CaseRecord, Run, read
from gosched.bench.report import lost, times
from gosched.bench.table import Role

ROOT = Path(__file__).resolve().parent.parent
RUNS = ("3.13", "3.14t")
PEERS = ("asyncio", "uvloop", "trio", "gevent", "tonio", "go")
CASES = {
    "spawn": "start and end a goroutine",
    "yield": "yield",
    "pingpong": "hop over an unbuffered channel",
    "pipeline": "pipeline of four stages, buffers of 100",
    "select": "`select` of four, one ready",
    "skynet": "skynet, a million leaves",
    "memory": "memory of one that waits",
    "plainhop": "the hop, plain functions",
    "plainspawn": "start and end a plain function",
    "echo": "TCP echo of 1 KiB, 100 connections",
    "connections": "memory of an idle connection",
}
HEAD, FOOT = "<!-- ratios: tools/ratios.py writes them -->", "<!-- ratios end -->"


def table() -> str:
    runs = [read(ROOT / "docs/benchmarks" / label / "figures.json") for label in RUNS]
    lines = [["3.13 / 3.14t", *({"tonio": "TonIO", "go": "Go"}.get(peer, peer) for peer in PEERS)], ["---", *["--:"] * len(PEERS)]]
    for name, title in CASES.items():
        lines.append([title, *(" / ".join(cell(run, name, peer) for run in runs) for peer in PEERS)])
    shortened = (["–" if text == "– / –" else text for text in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in shortened)


def cell(run: Run, name: str, peer: str) -> str:
    """How many times as long, or as much, the peer takes, at one P; a dash where it cannot be said."""
    for case in run.cases:
        if case.name == name:
            ratio = next(advantages(run, case, peer), None)
            if ratio is not None:
                return f"**{times(ratio)}**" if lost(ratio) else times(ratio)
    return "–"


def advantages(run: Run, case: CaseRecord, peer: str) -> Iterator[float]:
    for row in run.rows(case, next(run.interpreters())):
        if (row.runtime, row.procs, row.role) == (peer, 1, Role.MAIN.value):
            ratio = case.advantage(row, case.gosched(next(run.interpreters()), row))
            if ratio is not None:
                yield ratio


def with_table(text: str) -> str:
    begin, end = text.index(HEAD) + len(HEAD), text.index(FOOT)
    return f"{text[:begin]}\n\n{table()}\n\n{text[end:]}"


def main() -> int:
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
