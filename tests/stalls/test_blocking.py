"""blocking(fn, ...): a call that is marked. Results, exceptions, both kinds of goroutines, and what others see meanwhile."""

from __future__ import annotations

import contextvars
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, Goexit, Mutex, Runtime, ThreadLimitError, WaitGroup, ayield_now, blocking, go, run, yield_now

from .waiting import PATIENCE, until, until_slowly

KINDS = pytest.mark.parametrize("plain", [False, True], ids=["async", "plain"])


def inside(body: Callable[[], Any], plain: bool) -> Any:
    """Runs body as main, as it is or as the body of an async function."""

    async def main() -> Any:
        return body()

    return run(body if plain else main, gomaxprocs=1)


def joined(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return (*args, *sorted(kwargs.items()))


@KINDS
def test_the_result_is_fns(plain: bool) -> None:
    assert inside(lambda: blocking(joined, 1, "two", three=3, fn=4), plain) == (1, "two", ("fn", 4), ("three", 3))


@KINDS
def test_an_exception_is_fns(plain: bool) -> None:
    def fails(x: int) -> None:
        raise KeyError(x)

    def body() -> str:
        with pytest.raises(KeyError) as caught:
            blocking(fails, 3)
        assert [entry.name for entry in caught.traceback][-1] == "fails"
        yield_now()  # the goroutine is in order afterwards
        return "went on"

    assert inside(body, plain) == "went on"


@KINDS
def test_it_nests(plain: bool) -> None:
    """The call inside is just called: it is marked already."""

    def inner() -> int:
        return blocking(lambda: 2) + 1

    def outer() -> tuple[int, int, str]:
        return blocking(inner) + 1, gosched.stats().blocking_calls, gosched.current().state

    assert inside(outer, plain) == (4, 1, "running")


def test_outside_of_a_goroutine_it_is_just_called() -> None:
    assert blocking(joined, 1, two=2) == (1, ("two", 2))
    with pytest.raises(ZeroDivisionError):
        blocking(lambda: 1 // 0)


@pytest.mark.parametrize("thing", [None, 3, "sleep"])
@pytest.mark.parametrize("in_goroutine", [False, True])
def test_what_is_no_function(thing: Any, in_goroutine: bool) -> None:
    name = type(thing).__name__
    with pytest.raises(TypeError, match=rf"^blocking\(\): fn must be callable, not {name}; pass the function, not what it returns$"):
        if in_goroutine:
            inside(lambda: blocking(thing), True)
        else:
            blocking(thing)


def test_a_call_with_wrong_arguments() -> None:
    def nothing() -> None:
        pass

    def body() -> None:
        with pytest.raises(TypeError, match="positional argument"):
            blocking(nothing, 1)  # type: ignore[call-arg]
        blocking()  # type: ignore[call-arg]

    with pytest.raises(TypeError, match=r"blocking\(\) missing 1 required positional argument: 'fn'"):
        inside(body, True)


@KINDS
def test_others_go_on_meanwhile(plain: bool) -> None:
    """On one P: what waits for a turn gets it before the call begins."""
    gate = threading.Event()

    def body() -> bool:
        go(gate.set)
        return blocking(gate.wait, PATIENCE)

    assert inside(body, plain)


@KINDS
def test_what_comes_later_goes_on_as_well(plain: bool) -> None:
    """Nobody waits when the call begins; a timer fires during it."""
    gate = threading.Event()

    def body() -> bool:
        gosched.after_func(0.005, gate.set)
        return blocking(gate.wait, PATIENCE)

    assert inside(body, plain)


def test_many_at_once() -> None:
    """Each waits for all the others inside its call: that takes as many threads."""
    n = 50
    barrier = threading.Barrier(n)

    async def meets() -> None:
        blocking(barrier.wait, PATIENCE)

    async def main() -> int:
        wg = WaitGroup()
        for i in range(n):
            wg.go(meets if i % 2 else lambda: blocking(barrier.wait, PATIENCE))
        await wg
        return gosched.stats().blocking_calls

    assert run(main, gomaxprocs=1) == n


def test_the_state_is_seen_by_others() -> None:
    async def main() -> list[Any]:
        gate, wg = threading.Event(), WaitGroup()
        calls = [wg.go(blocking, gate.wait, PATIENCE), wg.go(lambda: blocking(gate.wait, PATIENCE))]
        await until(lambda: all(g.state == "syscall" for g in calls), "both to be in their calls")
        during = [gosched.stats().by_state, calls[0].wait_reason, repr(calls[1]), gosched.stats().blocking_calls]
        gate.set()
        await wg
        await until(calls[0].is_dead, "its end")
        return [*during, calls[0].state]

    by_state, reason, text, calls, after = run(main, gomaxprocs=1)
    assert by_state == {"running": 1, "syscall": 2}
    assert reason is None
    assert text.endswith("[syscall]>")
    assert (calls, after) == (2, "dead")


def test_the_call_is_in_no_ones_way_on_several_ps() -> None:
    """Calls that come and go while others work: nothing is lost."""
    total = [0]
    lock = threading.Lock()

    def adds(n: int) -> None:
        with lock:
            total[0] += n

    async def works() -> None:
        for _ in range(20):
            blocking(adds, 1)
            await ayield_now()
            blocking(time.sleep, 0)

    async def main() -> int:
        wg = WaitGroup()
        for _ in range(20):
            wg.go(works)
        await wg
        return gosched.stats().blocking_calls

    assert run(main, gomaxprocs=4) == 800
    assert total == [400]


# ---- what fn may do ----


@KINDS
def test_channel_operations_inside(plain: bool) -> None:
    ch: Chan[int] = Chan()
    back: Chan[int] = Chan()

    def fn() -> list[int]:
        got = []
        for i in range(3):
            back.send(i)
            got.append(ch.recv())
            go(int)
            yield_now()
        return got

    async def other() -> None:
        for _ in range(3):
            await ch.asend(10 * await back.arecv())

    def body() -> tuple[list[int], str]:
        go(other)
        return blocking(fn), gosched.current().state

    assert inside(body, plain) == ([0, 10, 20], "running")


@KINDS
def test_an_operation_is_a_function_too(plain: bool) -> None:
    ch: Chan[str] = Chan()

    def body() -> str:
        go(ch.asend, "value")
        return blocking(ch.recv)

    assert inside(body, plain) == "value"


def test_a_mutex_held_over_a_call() -> None:
    log: list[int] = []

    async def holds(mutex: Mutex, i: int) -> None:
        async with mutex:
            log.append(i)
            blocking(time.sleep, 0.001)
            log.append(i)

    async def main() -> None:
        wg, mutex = WaitGroup(), Mutex()
        for i in range(10):
            wg.go(holds, mutex, i)
        await wg

    run(main, gomaxprocs=2)
    assert log[::2] == log[1::2]
    assert sorted(log[::2]) == list(range(10))


@KINDS
def test_context_variables(plain: bool) -> None:
    """fn runs in the goroutine's own context: it sees what was set, and what it sets stays."""
    var: contextvars.ContextVar[str] = contextvars.ContextVar("var", default="none")

    def fn() -> str:
        before = var.get()
        var.set("set by fn")
        return before

    def body() -> tuple[str, str]:
        var.set("set before")
        go(int)
        return blocking(fn), var.get()

    assert inside(body, plain) == ("set before", "set by fn")
    assert var.get() == "none"


@KINDS
def test_it_stays_on_the_thread(plain: bool) -> None:
    def body() -> bool:
        go(int)
        return blocking(threading.get_ident) == threading.get_ident()

    assert inside(body, plain)


def test_goexit_inside() -> None:
    """It ends the goroutine, from inside its call."""
    log: list[str] = []

    def leaves() -> None:
        raise Goexit

    async def body(wg: WaitGroup) -> None:
        try:
            blocking(leaves)
        finally:
            log.append("finally")
            wg.done()

    async def main() -> str:
        wg = WaitGroup()
        wg.add(1)
        g = go(body, wg)
        await wg
        await until(g.is_dead, "its end")
        return "main went on"

    assert run(main, gomaxprocs=1) == "main went on"
    assert log == ["finally"]


def test_a_call_that_burns_cpu() -> None:
    """Marked or not, it has no P: others go on."""

    async def main() -> str:
        flag: list[int] = []
        wg = WaitGroup()

        def burns() -> None:
            while not flag:
                pass

        wg.go(blocking, burns)
        await until_slowly(lambda: gosched.stats().blocking_calls == 1, "the call to begin")
        flag.append(1)
        await wg
        return "done"

    assert run(main, gomaxprocs=1) == "done"


# ---- limits ----


@pytest.mark.filterwarnings("ignore::gosched.AbandonedThreadWarning")
@pytest.mark.parametrize("marked", [False, True])
def test_thread_exhaustion(marked: bool) -> None:
    """Go's TestThreadExhaustion: more blocked at once than threads allowed. The error says what to do. Who was suspended on the last thread stays so:
    nobody is left to give it a P."""
    over: list[int] = []

    class Told(Runtime):
        def fatal(self, error: BaseException) -> None:
            over.append(1)
            super().fatal(error)

    def naps() -> None:
        while not over:
            time.sleep(0.005)

    async def main() -> None:
        wg = WaitGroup()
        for _ in range(10):
            if marked:
                wg.go(blocking, naps)
            else:
                wg.go(naps)
        await wg

    words = (
        "program exceeds 4-thread limit: each goroutine that blocks its thread needs one; let fewer block at once, or raise Runtime(max_threads=…)"
    )
    with pytest.raises(ThreadLimitError, match=f"^{re.escape(words)}$"), Told(gomaxprocs=1, max_threads=4, grace=0.2) as rt:
        rt.run(main)


def test_within_the_limit_threads_are_used_again() -> None:
    """One after the other, a hundred calls need few: as many as two at once do, and some for those that the machine keeps waiting."""

    async def main() -> int:
        for _ in range(100):
            go(int)
            blocking(time.sleep, 0)
            await ayield_now()
        return gosched.stats().threads

    with Runtime(gomaxprocs=1, max_threads=20) as rt:
        assert rt.run(main) <= 20
