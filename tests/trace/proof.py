"""Is a sequence of steps legal? Said once more, in another way than the world does it: each goroutine, M and P has a word of letters, and the
words that can be are regular languages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from gosched.core.events import (
    E_GO_BLOCK,
    E_GO_CREATE,
    E_GO_END,
    E_GO_START,
    E_GO_STOP,
    E_GO_UNBLOCK,
    E_M_END,
    E_M_PARK,
    E_M_POLL,
    E_M_START,
    E_M_WAKE,
    E_PHASE,
    E_PROC_LOST,
    E_PROC_START,
    E_PROC_STEAL,
    E_PROC_STOP,
    E_SYSCALL_BEGIN,
    E_SYSCALL_END,
    FIRST_M,
    NO_P,
)
from gosched.core.states import EXITING
from gosched.trace.things import Step

LETTERS = {
    E_GO_CREATE: "C",
    E_GO_START: "S",
    E_GO_STOP: "T",
    E_GO_BLOCK: "B",
    E_GO_UNBLOCK: "U",
    E_GO_END: "E",
    E_SYSCALL_BEGIN: "c",
    E_SYSCALL_END: "r",
}
GOROUTINE = re.compile(r"C(S(cr)*(T|BU))*(S(cr)*[cBE]?)?")
# As above, with everything that an M does: it sleeps and wakes, ends and begins, between goroutines only.
M_LETTERS = {E_M_START: "(", E_M_END: ")", E_M_PARK: "z", E_M_POLL: "z", E_M_WAKE: "w", **LETTERS}
MACHINE = re.compile(r"(\(?(S(cr)*[TBE]|zw)*z?\))*(\(?(S(cr)*[TBE]|zw)*(z|S(cr)*c?)?)?")
PROC = re.compile(r"(a[xs])*a?")
HOLDS = re.compile(r"(a(s|xl))*(ax?)?")


def prove(steps: Iterable[Step]) -> None:
    """AssertionError, if they are not legal."""
    goroutines: dict[int, str] = defaultdict(str)
    machines: dict[int, str] = defaultdict(str)
    procs: dict[int, str] = defaultdict(str)
    holds: dict[int, str] = defaultdict(str)
    has: dict[int, int] = {}
    runs: dict[int, int] = {}
    exiting = False
    for step in steps:
        m = step.who - FIRST_M
        kind = step.kind
        if kind == E_PHASE:
            exiting = step.args[0] == EXITING
        if kind in LETTERS:
            goroutines[step.g] += LETTERS[kind]
            if kind == E_GO_START:
                assert m not in runs
                assert m in has or exiting
                runs[m] = step.g
            elif kind not in (E_GO_CREATE, E_GO_UNBLOCK):
                assert runs[m] == step.g
                assert kind != E_GO_STOP or step.args[0] != NO_P or m not in has
                if kind in (E_GO_BLOCK, E_GO_STOP, E_GO_END):
                    del runs[m]
        if kind in M_LETTERS and kind not in (E_GO_CREATE, E_GO_UNBLOCK):
            machines[m] += M_LETTERS[kind]
        if kind == E_PROC_START:
            assert m not in has
            assert step.p not in has.values()
            has[m] = step.p
            procs[step.p] += "a"
            holds[m] += "a"
        elif kind == E_PROC_STOP:
            assert m not in runs or goroutines[runs[m]].endswith("c") or exiting
            procs[has.pop(m)] += "s"
            holds[m] += "s"
        elif kind == E_PROC_STEAL:
            p, robbed = step.args
            assert has.pop(robbed) == p
            procs[p] += "x"
            holds[robbed] += "x"
        elif kind == E_PROC_LOST:
            holds[m] += "l"
        elif kind in (E_M_PARK, E_M_POLL):
            assert m not in has
    for words, language in ((goroutines, GOROUTINE), (machines, MACHINE), (procs, PROC), (holds, HOLDS)):
        for number, word in words.items():
            assert language.fullmatch(word), (number, word, language.pattern)
