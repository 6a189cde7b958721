"""go(fn, thread=True): a goroutine with a thread of its own, which ends with it."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlockError, Event, Goroutine, WaitGroup, asleep, ayield_now, go, run, unlock_os_thread, yield_now
from tests.calm import run_calmly

from .waiting import newest_thread, until, until_slowly

ident = threading.get_ident


class Mark:
    """Lives as long as the thread that has it."""


def starts(kind: str, body: Callable[..., Any], *args: Any) -> Goroutine:
    """The same body as an async function, as a coroutine, or as a plain function."""

    async def awaited(*given: Any) -> None:
        body(*given)

    if kind == "async function":
        return go(awaited, *args, thread=True)
    if kind == "coroutine":
        return go(awaited(*args), thread=True)
    return go(body, *args, thread=True)


KINDS = pytest.mark.parametrize("kind", ["async function", "coroutine", "plain function"])


@KINDS
def test_the_thread_ends_with_the_goroutine(kind: str) -> None:
    local = threading.local()
    marks: list[weakref.ref[Mark]] = []

    def body(release: Event, begun: WaitGroup) -> None:
        local.mark = Mark()
        marks.append(weakref.ref(local.mark))
        begun.done()
        release.wait()

    async def main() -> tuple[int, int]:
        release, begun = Event(), WaitGroup()
        begun.add(5)
        for _ in range(5):
            starts(kind, body, release, begun)
        await begun
        during = gosched.stats().threads
        alive = sum(mark() is not None for mark in marks)
        release.set()
        await until_slowly(lambda: not any(mark() for mark in marks), "the five threads to end")
        await until_slowly(lambda: gosched.stats().threads <= during - 5 + 1, "the count of threads to go down")
        return during, alive

    during, alive = run(main, gomaxprocs=1)
    assert during >= 6
    assert alive == 5


@KINDS
def test_it_has_the_thread_for_itself(kind: str) -> None:
    """From its beginning to its end: before that the thread may have run others."""
    mine: set[int] = set()
    others: set[int] = set()

    def body(begun: Event, over: Event) -> None:
        mine.add(ident())
        begun.set()
        while not over.is_set():
            mine.add(ident())
            yield_now()

    async def main() -> None:
        begun, over, wg = Event(), Event(), WaitGroup()
        g = starts(kind, body, begun, over)
        await begun
        for _ in range(50):
            wg.go(lambda: others.add(ident()))
            others.add(ident())
            await ayield_now()
        await wg
        over.set()
        await until(g.is_dead, "its end")

    run(main, gomaxprocs=2)
    assert len(mine) == 1
    assert not mine & others


def test_async_ones_stay_on_their_threads() -> None:
    idents: list[set[int]] = [set() for _ in range(4)]

    async def body(i: int, ch: Chan[int], begun: WaitGroup, wg: WaitGroup) -> None:
        begun.done()
        await begun  # all four threads are there: none gets the number of one that has ended
        for _ in range(5):
            idents[i].add(ident())
            await asleep(0.0005)
            idents[i].add(ident())
            await ch.asend(i)
            idents[i].add(ident())
            await ayield_now()
        wg.done()

    async def main() -> None:
        ch: Chan[int] = Chan()
        begun, wg = WaitGroup(), WaitGroup()
        begun.add(4)
        wg.add(4)
        for i in range(4):
            go(body, i, ch, begun, wg, thread=True)
        for _ in range(20):
            await ch.arecv()
        await wg

    run(main, gomaxprocs=2)
    assert [len(seen) for seen in idents] == [1] * 4
    assert len(set.union(*idents)) == 4


@KINDS
def test_name_and_creator(kind: str) -> None:
    def plainly() -> None:
        pass

    async def main() -> list[Any]:
        g = starts(kind, plainly)
        name, origin = g.name, g.created_by
        await until(g.is_dead, "its end")
        return [name, origin, g.name, g.state]

    name, origin, later, state = run(main, gomaxprocs=1)
    assert name == ("test_name_and_creator.<locals>.plainly" if kind == "plain function" else "starts.<locals>.awaited")
    assert later == name
    assert origin.startswith("starts in goroutine 1 at ")
    assert "test_own_thread.py:" in origin
    assert state == "dead"


def test_a_name_is_kept() -> None:
    async def body(done: Event) -> None:
        done.set()

    async def main() -> list[str]:
        one, two, three = Event(), Event(), Event()
        found = [
            go(body, one, thread=True, name="async one").name,
            go(body(two), thread=True, name="coroutine").name,
            go(three.set, thread=True, name="plain").name,
        ]
        for event in (one, two, three):
            await event
        return found

    assert run(main, gomaxprocs=1) == ["async one", "coroutine", "plain"]


def test_a_plain_function_may_return_a_coroutine() -> None:
    idents: set[int] = set()

    async def inner(done: Event) -> None:
        idents.add(ident())
        await ayield_now()
        idents.add(ident())
        done.set()

    def outer(done: Event) -> Any:
        idents.add(ident())
        return inner(done)

    async def main() -> str:
        done = Event()
        go(outer, done, thread=True)
        await done
        return "awaited"

    assert run(main, gomaxprocs=2) == "awaited"
    assert len(idents) == 1


def test_partial_and_methods() -> None:
    class Box:
        seen: list[str] = []

        async def amethod(self, wg: WaitGroup, *, word: str = "async method") -> None:
            await ayield_now()
            self.seen.append(word)
            wg.done()

        def method(self, wg: WaitGroup) -> None:
            self.seen.append("method")
            wg.done()

    async def main() -> list[str]:
        wg, box = WaitGroup(), Box()
        wg.add(3)
        go(box.amethod, wg, thread=True)
        go(box.method, wg, thread=True)
        go(functools.partial(box.amethod, word="partial"), wg, thread=True)
        await wg
        return sorted(box.seen)

    assert run(main, gomaxprocs=1) == ["async method", "method", "partial"]


@KINDS
def test_an_exception_in_it_ends_the_program(kind: str) -> None:
    def body() -> None:
        raise LookupError("in a thread of its own")

    async def main() -> None:
        starts(kind, body)
        await Event()

    with pytest.raises(LookupError, match="in a thread of its own") as caught:
        run_calmly(main)
    (note,) = caught.value.__notes__
    assert note.startswith("in goroutine 2 (")
    assert "created by starts in goroutine 1 at " in note


@KINDS
def test_on_uncaught_is_called_instead(kind: str) -> None:
    seen: list[str] = []

    def body() -> None:
        raise LookupError("handled")

    async def main() -> str:
        g = starts(kind, body)
        await until(g.is_dead, "its end")
        return "went on"

    assert run(main, gomaxprocs=1, on_uncaught=lambda g, error: seen.append(str(error))) == "went on"
    assert seen == ["handled"]


@KINDS
def test_a_deadlock_is_reported(kind: str) -> None:
    def body() -> None:
        Chan[int]().recv()

    async def main() -> None:
        starts(kind, body)
        await Event()

    with pytest.raises(DeadlockError, match=r"(?s)goroutine 1 \[event wait\]:.*goroutine 2 \[chan receive, locked to thread\]:"):
        run_calmly(main)


def test_after_unlocking_the_thread_is_like_any_other() -> None:
    """thread=True is as if it began with lock_os_thread()."""

    def body() -> None:
        unlock_os_thread()

    async def main() -> int:
        for _ in range(20):
            g = go(body, thread=True)
            await until(g.is_dead, "its end")
        return newest_thread()

    assert run(main, gomaxprocs=1) < 20


def test_they_unwind_when_main_returns() -> None:
    log: list[str] = []

    async def body(begun: WaitGroup) -> None:
        try:
            begun.done()
            await Event()
        finally:
            log.append("unwound")

    async def main() -> None:
        begun = WaitGroup()
        begun.add(3)
        for _ in range(3):
            go(body, begun, thread=True)
        await begun

    run(main, gomaxprocs=1)
    assert log == ["unwound"] * 3


def test_one_that_never_started_never_runs() -> None:
    log: list[str] = []

    async def main() -> None:
        go(log.append, "ran", thread=True)

    run_calmly(main)
    assert log == []


def test_wrong_arguments_of_a_coroutine() -> None:
    async def body() -> None:
        pass

    async def main() -> None:
        coroutine = body()
        with pytest.raises(TypeError, match=r"^go\(\): a coroutine takes no arguments here, got 1; pass the async function itself$"):
            go(coroutine, 1, thread=True)
        coroutine.close()
        with pytest.raises(ValueError, match=r"^go\(\): the coroutine .*body has been started before; pass a new one$"):
            go(coroutine, thread=True)
        with pytest.raises(TypeError, match=r"^go\(\) needs a function, an async function or a coroutine, not NoneType: None$"):
            go(None, thread=True)  # type: ignore[arg-type]

    run(main, gomaxprocs=1)


def test_wrong_arguments_of_an_async_function() -> None:
    async def body(a: int, b: int) -> None:
        pass

    async def main() -> str:
        with pytest.raises(TypeError, match=r"body\(\) missing 1 required positional argument: 'b'$"):
            go(body, 1, thread=True)
        await ayield_now()
        return "went on"

    assert run(main, gomaxprocs=1) == "went on"
