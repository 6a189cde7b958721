"""Operations that take several waits, written once for both spellings.

Such an operation is a generator of steps: what it waits for next, as `block` and `wait` of spelling.py take it. The plain twin blocks for each, the
other awaits it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar

from gosched.core.g import Goroutine
from gosched.core.netpoll import PollDesc
from gosched.core.op import Op
from gosched.core.park import words_of
from gosched.core.signals import Nothing, Parked
from gosched.core.states import NET_OK, NET_WAITS
from gosched.errors import DeadlineExceeded
from gosched.spelling import Guard, block, twin, wait
from gosched.timing import begin_sleep, end_sleep

T = TypeVar("T")


class Step(NamedTuple):
    what: str
    start: Callable[[Goroutine], Any]
    withdraw: Callable[[Goroutine], object]
    guard: Guard


Steps = Generator[Step, Any, T]


def plainly(steps: Steps[T]) -> T:
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            answer, error = block(*step), None
        except BaseException as failure:
            error = failure


@twin
def awaited(steps: Steps[T]) -> Generator[Any, Any, T]:
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            answer, error = (yield from wait(*step)), None  # type: ignore[misc]
        except BaseException as failure:
            error = failure


def sleep_step(what: str, seconds: float, guard: Guard) -> Step:
    """Not longer than the operation may take, of which it is a part."""
    left = guard.left()
    if left is not None and left <= 0:
        raise DeadlineExceeded(f"{what}: nothing came of it within {guard.timeout} s")
    return Step(what, begin_sleep, end_sleep, Guard(seconds if left is None else min(seconds, left), guard.ctx, quiet=True))


def op_step(op: Op, guard: Guard) -> Step:
    """One of sync's operations. What it answers is for `op.finish`."""
    return Step(op.name(), op.start, op.withdraw, guard)


def try_step(what: str, desc: PollDesc, mode: int, attempt: Callable[[], Any], fault: Callable[[str, int], BaseException], guard: Guard) -> Step:
    """`attempt` is called, when it is this goroutine's turn with that direction of desc, until it returns something else than Nothing."""

    def start(g: Goroutine) -> Any:
        who = words_of(g)
        while True:
            code = desc.begin_by(who, mode)
            if code == NET_WAITS:
                return Parked
            if code != NET_OK:
                raise fault(what, code)
            answer = attempt()
            if answer is not Nothing:
                desc.finish(g, mode)
                return answer
            if desc.wait_by(who, mode) == NET_WAITS:
                return Parked

    return Step(what, start, lambda g: desc.withdraw(g, mode), guard)
