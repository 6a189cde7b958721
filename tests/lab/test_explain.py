"""Every event explains itself, word for word: what happened, where the goroutine stood, where it goes."""

from __future__ import annotations

from typing import Any

import pytest

from gosched.lab.scenarios import Story
from gosched.lab.script import Script

from .playing import play, story


def started(procs: int, *actions: tuple[float, str, int], **policy: Any) -> Story:
    """What a page shows of goroutines that are started at these times."""
    listed = [{"at": at, "procs": n} if kind == "procs" else {"at": at, "start": kind, "n": n} for at, kind, n in actions]
    return play(Script.of({"procs": procs, "policy": policy, "actions": listed}))


def first(told: Story, event: str, of: str = "", says: str = "") -> str:
    found = told.first(event, of, says)
    assert found is not None, f"no {event} of {of or 'anybody'} that says {says!r}"
    return str(found["event"][3])


def after(told: Story, event: str, says: str = "") -> str:
    """What is said right behind it."""
    found = told.first(event, says=says)
    assert found is not None
    return str(told.frames[found["event"][0]]["event"][3])


# ---- stealing ----


def test_steal() -> None:
    told = story("steal-half")
    assert first(told, "STEAL") == "P1 found its queue empty, so it stole half of P0's: 4 goroutines"
    assert after(told, "STEAL") == "P1 runs G5 (worker), the newest of what it stole, after 21.0 µs"


def test_steal_of_one() -> None:
    assert first(story("deadlock"), "STEAL") == "P1 found its queue empty, so it stole half of P0's: 1 goroutine"


@pytest.mark.parametrize(("share", "words"), [(1.0, "all of P0's: 13 goroutines"), (0.25, "a share of P0's: 4 goroutines")])
def test_steal_by_other_shares(share: float, words: str) -> None:
    assert first(started(2, (0, "cpu", 14), share=share), "STEAL") == f"P1 found its queue empty, so it stole {words}"


def test_steal_of_who_is_next() -> None:
    told = started(8, (0, "ping", 2), (0, "hog", 2), (0.001, "spawner", 2))
    assert first(told, "STEAL", says="who was next") == "P4 found nothing in any queue, so it took G3 (ping), who was next on P0"


# ---- the global queue ----


def test_spill() -> None:
    assert first(story("overflow"), "GO_CREATE", says="is full") == (
        "G1 (main) started G259 (worker): next on P0; P0's queue is full, so its 128 oldest go to the global queue, "
        "and G258 (worker), who was next, behind them"
    )


def test_spill_without_next() -> None:
    told = started(2, (0, "cpu", 14), runnext=False, ring=4)
    assert first(told, "GO_CREATE", says="is full") == (
        "G1 (main) started G6 (work): P0's queue is full, so its 2 oldest go to the global queue, and it behind them"
    )


def test_refill() -> None:
    told = story("overflow")
    assert first(told, "REFILL") == "P0 has nothing in its own queue: it takes its share of the global one, 127 goroutines"
    assert after(told, "REFILL") == "P0 runs G4 (worker), the first of them, after 1.76 ms", "two were taken before, at tick 61 and 122"


def test_61st_tick() -> None:
    assert first(story("tick-61"), "GO_START", says="tick") == (
        "P0 is at tick 61, one of every 61: it looks at the global queue first, and runs G5 (polite), after 1.21 ms"
    )


def test_nothing_of_its_own() -> None:
    assert first(story("return"), "GO_START", "asks_library", "global") == (
        "P0 has nothing in its own queue and takes G5 (asks_library) from the global queue, after 10.0 ms"
    )


def test_one_central_queue() -> None:
    told = story("skynet", "One central queue")
    assert first(told, "GO_CREATE", "node") == "G1 (main) started G2 (node): to the tail of the global queue"
    assert first(told, "GO_START", "node") == "P0 takes G2 (node) from the global queue, after 200 ns"


def test_a_p_that_is_no_more() -> None:
    told = started(4, (0, "cpu", 20), (0.004, "procs", 2))
    assert first(told, "DRAIN") == "P2 is no more: what it had goes to the head of the global queue"
    assert first(told, "PROCS", says="2") == "gomaxprocs is 2"


# ---- who is next ----


def test_next() -> None:
    told = story("runnext")
    assert first(told, "GO_CREATE", "asks") == "G1 (main) started G6 (asks): next on P0; G5 (worker), who was next, goes to the tail"
    assert first(told, "GO_UNBLOCK", "serves") == "G6 (asks) woke G2 (serves) after 400 ns (chan receive): next on P0"
    assert first(told, "GO_START", "serves", "rest") == "P0 runs G2 (serves), who was next: with the rest of the slice"
    assert first(told, "GO_START", "worker") == "P0 runs G3 (worker), the first of its queue, after 501 µs"


def test_next_without_inheritance() -> None:
    assert first(story("inheritance", "No inheritance"), "GO_START", "ping") == "P0 runs G4 (ping), who was next"


def test_without_next() -> None:
    assert first(story("runnext", "Without `next`"), "GO_CREATE", "asks") == "G1 (main) started G6 (asks): to the tail of P0's queue"


def test_newest_first() -> None:
    told = started(1, (0, "cpu", 3), lifo=True)
    assert first(told, "GO_START", "work") == "P0 runs G4 (work), the newest of its queue, after 200 ns"


# ---- slices ----


def test_preempt() -> None:
    told = story("convoy")
    assert first(told, "ASK") == "sysmon asks G7 (hog) on M0 to let others run: it has kept its P for 10.2 ms"
    assert after(told, "ASK") == "G7 (hog) was stopped to let others run: to the tail of the global queue"


def test_expire() -> None:
    told = story("inheritance")
    assert first(told, "EXPIRE") == ("P0's slice is over: G2 (pong), who was next and would have inherited it, goes to the tail of the global queue")
    assert after(told, "EXPIRE") == "P0 runs G3 (worker), the first of its queue, after 14.2 ms"


def test_yields() -> None:
    told = story("tick-61")
    assert first(told, "GO_STOP", "polite") == "G5 (polite) let others run: to the tail of the global queue"
    assert first(told, "GO_STOP", "busy") == "G2 (busy) let others run: to the tail of P0's queue"


# ---- threads ----


def test_hand_off() -> None:
    told = story("handoff")
    assert first(told, "SYSCALL_BEGIN", "reads_file") == "G6 (reads_file) enters a blocking call"
    assert first(told, "PROC_STEAL") == "sysmon took P0 from M0, where G6 (reads_file) is in a call"
    assert first(told, "BLOCKED") == "sysmon sees G6 (reads_file) on M0 for 20.0 µs in a call"
    assert after(told, "SYSCALL_BEGIN", "asks_library") == "M1 gives up P0"
    assert after(told, "SYSCALL_END", "reads_file") == "M0 notices that its P is gone"


def test_back_from_a_call() -> None:
    told = story("return")
    assert first(told, "SYSCALL_END") == "G5 (asks_library) is back from its call"
    assert after(told, "SYSCALL_END") == "G5 (asks_library) has lost its P and queues for another: to the tail of the global queue"


def test_spin() -> None:
    told = story("spinning")
    assert first(told, "SPIN", says="M1") == "M1 looks for work in the queues of others"
    assert after(story("spinning", "Without stealing"), "SPIN", "M1") == "M1 gives up P1"


# ---- who wakes whom ----


def test_netpoll() -> None:
    told = story("netpoller")
    assert first(told, "NETPOLL") == "P1 finds descriptors ready: 1 goroutine can go on"
    assert first(told, "GO_UNBLOCK", "client") == "G2 (client) was woken after 2.00 ms (IO wait) by the network"
    assert first(told, "GO_UNBLOCK", "client", "queue") == "G3 (client) was woken after 2.01 ms (IO wait) by the network: to the tail of P0's queue"
    assert first(told, "QUEUE") == "G2 (client) goes to the tail of P1's queue"
    assert first(told, "M_POLL") == "M0 found nothing to do and waits for descriptors and timers"


def test_timers() -> None:
    told = story("timers")
    assert first(told, "TIMERS") == "P1 runs timers of P0 that are due"
    assert first(told, "GO_UNBLOCK", "sleeper") == "G3 (sleeper) was woken after 100 ms (sleep) by its timer: next on P1"


def test_the_end() -> None:
    told = story("deadlock")
    assert first(told, "GO_UNBLOCK", "main").endswith(" (chan receive) by the end of the program: to the tail of the global queue")
    assert first(told, "PHASE") == "main is over, and the others are being ended"
    assert told.frames[-1]["event"][3] == "all goroutines are asleep - deadlock!"
