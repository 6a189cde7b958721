"""blocking(): a call that is known to block, as Go's entersyscallblock and exitsyscall.

If somebody waits for a turn, the P is handed on before the call. Else it stays published, marked, and sysmon takes it at its first look if it is
needed: a call that turns out to be short costs no thread switch. After the call the goroutine needs a P again: its own if it still has it, its old
one, an idle one, or it queues for one.

A thread that is home to other goroutines (locked.py) must not block: there the call is made by a helper thread, and only the caller waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .entry import enter_runtime, leave_runtime
from .events import E_SYSCALL_BEGIN, E_SYSCALL_END
from .locked import give_up_p
from .native import current_m
from .plain import with_p
from .states import EXITING, SYSCALL

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


def call_blocking(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    m: M | None = current_m()
    if m is None or m.in_runtime or not m.busy() or m.marked():
        return fn(*args, **kwargs)
    m.blocking_calls += 1
    if m.aside != 0:
        return m.sched.host.call_elsewhere(fn, args, kwargs)
    enter_call(m, True)
    try:
        return fn(*args, **kwargs)
    finally:
        leave_call(m)
        if m.sched.phase() != EXITING:
            with_p(m, m.held())


def enter_call(m: M, hands_over: bool) -> None:
    g: Goroutine = m.held()
    g.phase = SYSCALL
    m.mark(True)
    if m.trail is not None:
        m.trail.tell(m.who, E_SYSCALL_BEGIN)
    if hands_over and not m.lost_p() and (not m.p.queue_empty() or m.sched.global_size() != 0):
        enter_runtime(m)
        m.oldp = m.p
        give_up_p(m)
        leave_runtime(m)


def leave_call(m: M) -> None:
    g: Goroutine = m.held()
    g.phase = 0
    m.mark(False)
    if m.trail is not None:
        m.trail.tell(m.who, E_SYSCALL_END)
