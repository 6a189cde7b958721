"""The first poller: a note with a deadline. And the scheduler's way into it, in virtual time."""

from __future__ import annotations

import threading

from gosched import asleep
from gosched.core.native import now
from gosched.lab.virtual import VirtualRuntime
from gosched.system.poller import NOBODY, NotePoller


def test_a_wake_before_the_wait_is_kept() -> None:
    poller = NotePoller()
    poller.wake()
    poller.wait(-1)
    assert poller.deadline() == NOBODY


def test_wait_ends_at_its_deadline() -> None:
    poller = NotePoller()
    until = now() + 1_000_000
    poller.wait(until)
    assert now() >= until


def test_wake_from_another_thread() -> None:
    poller = NotePoller()
    thread = threading.Thread(target=poller.wake)
    thread.start()
    poller.wait(-1)
    thread.join()


def test_a_new_deadline_wakes_who_waits() -> None:
    poller = NotePoller()
    thread = threading.Thread(target=lambda: poller.set_deadline(5))
    thread.start()
    poller.wait(-1)
    thread.join()
    assert poller.deadline() == 5


def test_the_last_idle_m_polls_until_the_deadline() -> None:
    """In virtual time the clock jumps to it."""
    rt = VirtualRuntime(gomaxprocs=2)
    woken: list[int] = []

    async def main() -> str:
        begin = rt.clock
        await asleep(5e-6)
        woken.append(rt.clock - begin)
        return "polled"

    assert rt.run(main) == "polled"
    assert woken == [5_000]
    assert any(verdict == 2 for *_, verdict in rt.trace), "nobody polled"
