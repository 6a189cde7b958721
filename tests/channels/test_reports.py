"""What deadlock reports and goroutines say about waits: Go's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlockError, Goexit, nil

from .worlds import REAL, VIRTUAL, World

# What one waits for. A slow machine takes a second to find a deadlock, and then the report also says for how long: that is not asked here.
WAITS_FOR = re.compile(r"^goroutine \d+ \[([^,\]]*)(?:, \d+ seconds?)?\]:$", re.MULTILINE)


def full() -> Chan[int]:
    ch = Chan[int](1)
    ch.send(1)
    return ch


REASONS: dict[str, tuple[Callable[[World], Any], str]] = {
    "recv": (lambda w: w.recv(Chan()), "chan receive"),
    "recv_ok": (lambda w: w.recv_ok(Chan()), "chan receive"),
    "iteration": (lambda w: w.values(Chan()).__anext__(), "chan receive"),
    "send": (lambda w: w.send(Chan(), 1), "chan send"),
    "send, full": (lambda w: w.send(full(), 1), "chan send"),
    "recv on nil": (lambda w: w.recv(nil), "chan receive (nil chan)"),
    "recv_ok on nil": (lambda w: w.recv_ok(nil), "chan receive (nil chan)"),
    "send on nil": (lambda w: w.send(nil, 1), "chan send (nil chan)"),
    "select": (lambda w: w.select(Chan[int]().recv, (full().send, 1)), "select"),
    "select, one case": (lambda w: w.select(Chan[int]().recv), "select"),
    "select without cases": (lambda w: w.select(), "select (no cases)"),
    "select, all nil": (lambda w: w.select(nil.recv, (nil.send, 1)), "select (no cases)"),
    "wait group": (lambda w: w.wait(waiting_group()), "sync.WaitGroup.Wait"),
}


def waiting_group() -> gosched.WaitGroup:
    wg = gosched.WaitGroup()
    wg.add(1)
    return wg


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.parametrize("w", [*REAL, *VIRTUAL], ids=repr)
def test_deadlock_names_what_each_waits_for(w: World, name: str) -> None:
    """TestSimpleDeadlock, for every kind of wait: main waits, and so does another one."""

    async def main(w: World) -> None:
        async def other() -> None:
            await REASONS[name][0](w)

        w.go(other)
        await REASONS[name][0](w)

    with pytest.raises(DeadlockError) as caught:
        w.run(main)
    assert str(caught.value).startswith("all goroutines are asleep - deadlock!\n\ngoroutine 1 [")
    assert WAITS_FOR.findall(str(caught.value)) == [REASONS[name][1]] * 2


def test_the_same_channel_is_no_deadlock_while_one_can_go_on(runtime_world: World) -> None:
    """A goroutine that waits for ever does not matter as long as main comes to its end."""

    async def main(w: World) -> str:
        async def stuck() -> None:
            await w.recv(nil)

        w.go(stuck)
        await w.yield_now()
        return "ended"

    assert runtime_world.run(main) == "ended"


def test_sleepers_are_no_deadlock(virtual: World) -> None:
    """A timer could still wake one: reported only when the last has fired."""

    async def main(w: World) -> None:
        async def sleeps() -> None:
            await w.sleep(10)
            log.append("slept")

        w.go(sleeps)
        await w.recv(Chan())

    log: list[str] = []
    with pytest.raises(DeadlockError, match=r"goroutine 1 \[chan receive, 10 seconds\]:") as caught:
        virtual.run(main)
    assert log == ["slept"]
    assert re.findall(r"^goroutine \d+ \[(.*)\]:$", str(caught.value), re.MULTILINE) == ["chan receive, 10 seconds"]


def test_no_deadlock_while_a_timeout_runs(virtual: World) -> None:
    async def main(w: World) -> list[Any]:
        async def stuck() -> None:
            await w.select()

        w.go(stuck)
        with pytest.raises(gosched.DeadlineExceeded):
            await w.recv(nil, timeout=1)
        return [await w.select(nil.recv, timeout=1), await w.select(timeout=1)]

    assert virtual.run(main) == [(None, None)] * 2


@pytest.mark.parametrize("name", REASONS)
def test_wait_reason(virtual: World, name: str) -> None:
    async def main(w: World) -> tuple[str, str | None]:
        async def other() -> None:
            await REASONS[name][0](w)

        g = w.go(other)
        await w.all_blocked()
        return g.state, g.wait_reason

    assert virtual.run(main) == ("waiting", REASONS[name][1])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("recv", "chan receive"),
        ("send", "chan send"),
        ("recv on nil", "chan receive (nil chan)"),
        ("select", "select"),
        ("select without cases", "select (no cases)"),
        ("sleep", "sleep"),
        ("a timer's channel", "chan receive"),
        ("select with a timer", "select"),
    ],
)
def test_wait_reason_with_a_timer(virtual: World, name: str, reason: str) -> None:
    """A timeout changes nothing about what it says."""

    async def main(w: World) -> tuple[str, str | None]:
        operations: dict[str, Callable[[], Any]] = {
            "recv": lambda: w.recv(Chan(), timeout=100),
            "send": lambda: w.send(Chan(), 1, timeout=100),
            "recv on nil": lambda: w.recv(nil, timeout=100),
            "select": lambda: w.select(Chan[int]().recv, timeout=100),
            "select without cases": lambda: w.select(timeout=100),
            "sleep": lambda: w.sleep(100),
            "a timer's channel": lambda: w.recv(gosched.after(100)),
            "select with a timer": lambda: w.select(gosched.after(100).recv, nil.recv),
        }

        async def other() -> None:
            await operations[name]()

        g = w.go(other)
        await w.sleep(1)
        return g.state, g.wait_reason

    assert virtual.run(main) == ("waiting", reason)


def test_main_left_by_goexit_and_the_others_are_stuck(runtime_world: World) -> None:
    """TestGoexitDeadlock, with one that is left: all that is left is asleep."""

    async def main(w: World) -> None:
        async def stuck() -> None:
            await w.send(Chan(), 1)

        w.go(stuck)
        raise Goexit

    with pytest.raises(DeadlockError, match=r"^all goroutines are asleep - deadlock!\n\ngoroutine \d+ \[chan send(?:, \d+ seconds?)?\]:"):
        runtime_world.run(main)


def test_a_deadlock_between_spellings() -> None:
    """A plain function and an async one, each waiting for the other."""

    async def main() -> None:
        a, b = Chan[int](), Chan[int]()

        def plain() -> None:
            a.recv()
            b.send(1)

        gosched.go(plain)
        await b.arecv()
        await a.asend(1)

    with pytest.raises(DeadlockError) as caught:
        gosched.run(main)
    assert WAITS_FOR.findall(str(caught.value)) == ["chan receive", "chan receive"]
