"""What a report says, word for word; and the graph as data."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from gosched import Chan, Deadlock, Event, Goroutine, Mutex, aselect, asleep, find_deadlocks, go, nil
from gosched.deadlocks import Edge, Node, Wait, WaitGraph, wait_graph
from gosched.testing import virtual_run
from tests.builds import needs_frames
from tests.deadlocks.finding import judged
from tests.sync.spelled import Do, awaited, both, settled

HERE = re.escape(__file__)
LOCKS = [Mutex(), Mutex()]


def plainly(text: str) -> str:
    """Without addresses, lines and the folder: those differ."""
    return re.sub(r":\d+$", ":N", re.sub(HERE, "FILE", re.sub(r"0x[0-9a-f]+", "0x…", text)), flags=re.MULTILINE)


async def first_text() -> str:
    await settled()
    return plainly(str(find_deadlocks()[0]))


async def transfer(do: Do, source: int, target: int) -> None:
    await do(LOCKS[source], "lock")
    await asleep(1)
    if do is awaited:
        await LOCKS[target].alock()
    else:
        LOCKS[target].lock()


@needs_frames
@both
def test_a_cycle(do: Do) -> None:
    async def main() -> str:
        LOCKS[:] = [Mutex(), Mutex()]
        go(transfer, do, 0, 1)
        go(transfer, do, 1, 0)
        await asleep(2)
        return await first_text()

    assert virtual_run(main) == (
        "deadlock: 2 goroutines wait for each other\n"
        "  goroutine 2 (transfer) waits for <Mutex at 0x…> [sync.Mutex.Lock], held by goroutine 3\n"
        "      in transfer at FILE:N\n"
        "      created by test_a_cycle.<locals>.main in goroutine 1 at FILE:N\n"
        "  goroutine 3 (transfer) waits for <Mutex at 0x…> [sync.Mutex.Lock], held by goroutine 2\n"
        "      in transfer at FILE:N\n"
        "      created by test_a_cycle.<locals>.main in goroutine 1 at FILE:N"
    )


@needs_frames
def test_a_goroutine_that_waits_for_itself() -> None:
    async def main() -> str:
        LOCKS[:] = [Mutex(), Mutex()]
        go(transfer, awaited, 0, 0, name="twice")
        await asleep(2)
        return await first_text()

    assert virtual_run(main) == (
        "deadlock: a goroutine waits for itself\n"
        "  goroutine 2 (twice) waits for <Mutex at 0x…> [sync.Mutex.Lock], held by goroutine 2\n"
        "      in transfer at FILE:N\n"
        "      created by test_a_goroutine_that_waits_for_itself.<locals>.main in goroutine 1 at FILE:N"
    )


async def receive(ch: Chan[Any]) -> None:
    await ch.arecv()


async def choose(a: Chan[Any], b: Chan[Any]) -> None:
    await aselect(a.recv, (b.send, 1))


@judged
def test_one_that_nobody_can_wake() -> None:
    async def main() -> str:
        go(receive, Chan(2))
        return await first_text()

    assert virtual_run(main) == (
        "deadlock: a goroutine waits for what nobody else can reach\n"
        "  goroutine 2 (receive) waits for <Chan 0/2 at 0x…> [chan receive]\n"
        "      in receive at FILE:N\n"
        "      created by test_one_that_nobody_can_wake.<locals>.main in goroutine 1 at FILE:N"
    )


@judged
def test_several_that_nobody_can_wake() -> None:
    async def main() -> str:
        a, b = Chan[Any](), Chan[Any](0)
        go(receive, a, name="receiver")
        go(choose, a, b, name="chooser")
        del a, b
        return await first_text()

    assert virtual_run(main) == (
        "deadlock: 2 goroutines wait for what nobody else can reach\n"
        "  goroutine 2 (receiver) waits for <Chan 0/0 at 0x…> [chan receive]\n"
        "      in receive at FILE:N\n"
        "      created by test_several_that_nobody_can_wake.<locals>.main in goroutine 1 at FILE:N\n"
        "  goroutine 3 (chooser) waits for <Chan 0/0 at 0x…>, <Chan 0/0 at 0x…> [select]\n"
        "      in choose at FILE:N\n"
        "      created by test_several_that_nobody_can_wake.<locals>.main in goroutine 1 at FILE:N"
    )


@pytest.mark.parametrize(
    ("wait", "text"),
    [
        (nil.arecv, "on a nil channel\n  goroutine 2 (nil) waits for nil [chan receive (nil chan)]"),
        (lambda: nil.send(1), "on a nil channel\n  goroutine 2 (nil) waits for nil [chan send (nil chan)]"),
        (aselect, "in a select without cases\n  goroutine 2 (nil) waits for nothing [select (no cases)]"),
    ],
)
def test_on_nil(wait: Any, text: str) -> None:
    async def main() -> str:
        go(wait, name="nil")
        return await first_text()

    assert virtual_run(main).startswith(f"deadlock: a goroutine waits {text}\n")


class Loud(Mutex):
    """With a repr that must not be called."""

    def __repr__(self) -> str:
        raise AssertionError("a report runs no code of the user's")


def test_a_report_runs_no_code_of_the_users() -> None:
    async def main() -> str:
        LOCKS[:] = [Loud(), Loud()]
        go(transfer, awaited, 0, 0)
        await asleep(2)
        return await first_text()

    assert "waits for <Loud at 0x…>" in virtual_run(main)


def test_data() -> None:
    async def main() -> tuple[Deadlock, Goroutine]:
        g = go(nil.arecv, name="never")
        await settled()
        (deadlock,) = find_deadlocks()
        return deadlock, g

    deadlock, g = virtual_run(main)
    assert deadlock == Deadlock("nil", (g,), (Wait(g, "chan receive (nil chan)", "nil", None, None),))
    with pytest.raises(FrozenInstanceError):
        deadlock.kind = "cycle"


def test_the_graph() -> None:
    async def wants(mutex: Mutex) -> None:
        await mutex.alock()

    async def main() -> tuple[WaitGraph, str, str]:
        mutex, event = Mutex(), Event()
        async with mutex:
            go(wants, mutex, name="wants")
            go(event.await_, name="waits")
            go(asleep, 60, name="sleeps")
            await settled()
            graph = wait_graph()
        return graph, f"<Mutex at {id(mutex):#x}>", f"<Event at {id(event):#x}>"

    graph, mutex, event = virtual_run(main)
    text = {node.text: node for node in graph.nodes}
    assert list(text) == [
        mutex,
        "goroutine 2 (wants)",
        "goroutine 1 (test_the_graph.<locals>.main)",
        event,
        "goroutine 3 (waits)",
        "goroutine 4 (sleeps)",
    ]
    assert graph.edges == (
        Edge(text["goroutine 2 (wants)"], text[mutex], "sync.Mutex.Lock"),
        Edge(text[mutex], text["goroutine 1 (test_the_graph.<locals>.main)"], "held by"),
        Edge(text["goroutine 3 (waits)"], text[event], "event wait"),
    )
    assert len({node.key for node in graph.nodes}) == len(graph.nodes)
    assert isinstance(graph.nodes[0], Node)


def test_outside_of_any_runtime_there_is_nothing() -> None:
    assert find_deadlocks() == []
    assert wait_graph() == WaitGraph((), ())
