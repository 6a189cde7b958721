"""run, go, Runtime: results, exceptions, the end of main, bad arguments. Messages are tested word for word."""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import AsyncIterator
from typing import Any

import pytest

import gosched
from gosched import Goexit, Runtime, WaitGroup, ayield_now, go, run

from .calm import run_calmly


async def forever() -> None:
    wg = WaitGroup()
    wg.add(1)
    await wg


# ---- results and bodies ----


def test_result_of_async_plain_and_coroutine_mains() -> None:
    async def amain(x: int, y: int) -> int:
        return x + y

    def main(x: int) -> str:
        return "x" * x

    assert run(amain, 1, 2) == 3
    assert run(main, 3) == "xxx"
    assert run(amain(3, 4)) == 7
    assert run(functools.partial(amain, y=5), 1) == 6


def test_a_plain_function_may_return_a_coroutine() -> None:
    async def inner() -> str:
        await ayield_now()
        return "inner"

    assert run(lambda: inner()) == "inner"


def test_methods_and_callables_as_bodies() -> None:
    class Box:
        seen: list[str] = []

        async def amethod(self, wg: WaitGroup) -> None:
            self.seen.append("async method")
            wg.done()

        def __call__(self, wg: WaitGroup) -> None:
            self.seen.append("call")
            wg.done()

    async def main() -> list[str]:
        wg = WaitGroup()
        wg.add(2)
        go(Box().amethod, wg)
        go(Box(), wg)
        await wg
        return sorted(Box.seen)

    assert run(main) == ["async method", "call"]


def test_goroutine_names_states_and_origin() -> None:
    async def child(wg: WaitGroup) -> None:
        await wg

    async def main() -> list[Any]:
        wg = WaitGroup()
        wg.add(1)
        named = go(child, wg, name="worker")
        plain = go(child, wg)
        before = (named.state, named.wait_reason)
        for _ in range(3):
            await ayield_now()
        during = (named.state, named.wait_reason)
        wg.done()
        while not (named.is_dead() and plain.is_dead()):
            await ayield_now()
        return [named.name, plain.name, before, during, named.state, named.created_by, named.id, gosched.current().id, repr(named)]

    name, default, before, during, after, origin, number, main_id, text = run_calmly(main)
    assert name == "worker"
    assert default.endswith("child")
    assert before == ("runnable", None)
    assert during == ("waiting", "sync.WaitGroup.Wait")
    assert after == "dead"
    assert origin.startswith("test_goroutine_names_states_and_origin.<locals>.main in goroutine 1 at ")
    assert "test_run.py:" in origin
    assert main_id == 1
    assert text == f"<Goroutine {number} 'worker' [dead]>"


# ---- bad arguments ----


@pytest.mark.parametrize("body", [None, 3, "text"])
def test_go_nil(body: Any) -> None:
    """Go's TestGoNil, and what else is no function."""

    async def main() -> None:
        go(body)

    with pytest.raises(TypeError, match=r"^go\(\) needs a function, an async function or a coroutine, not (NoneType|int|str): "):
        run(main)


def test_bad_arguments_name_themselves() -> None:
    async def main() -> None:
        coroutine = forever()
        with pytest.raises(TypeError, match=r"^go\(\): a coroutine takes no arguments here, got 1; pass the async function itself$"):
            go(coroutine, 1)
        coroutine.close()
        with pytest.raises(ValueError, match=r"^go\(\): the coroutine forever has been started before; pass a new one$"):
            go(coroutine)
        with pytest.raises(TypeError, match=r"^go\(\): name must be a str or None, not int$"):
            go(forever, name=3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"forever\(\) takes 0 positional arguments but 1 was given$"):
            go(forever, 1)
        with pytest.raises(RuntimeError, match=r"^run\(\) inside a goroutine: use go\(fn\), or await the coroutine$"):
            run(forever)

    run(main)
    with pytest.raises(RuntimeError, match=r"^go\(\) outside of a goroutine: use it inside run\(main\), or rt.go\(fn\) from another thread$"):
        go(forever)
    with pytest.raises(RuntimeError, match=r"^current\(\) outside of a goroutine: use it inside run\(main\)$"):
        gosched.current()
    with pytest.raises(ValueError, match=r"^gomaxprocs must be between 1 and 1024, not 0; gomaxprocs\(\) without a number reads it$"):
        run(main, gomaxprocs=0)
    with pytest.raises(TypeError, match=r"^gomaxprocs must be an int, not str$"):
        run(main, gomaxprocs="2")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"^grace must be seconds, 0 or more, not -1$"):
        run(main, grace=-1)
    with pytest.raises(TypeError, match=r"^on_uncaught must be a function of \(goroutine, exception\), not int$"):
        run(main, on_uncaught=3)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"^stacks must be 'greenlet' or 'thread', or left out, not 'heap'$"):
        run(main, stacks="heap")
    with pytest.raises(ValueError, match=r"^max_threads must be a positive int, not 0$"):
        Runtime(max_threads=0)


# ---- exceptions ----


def test_main_raises() -> None:
    async def main() -> None:
        raise KeyError("k")

    with pytest.raises(KeyError, match="k") as caught:
        run(main)
    assert [entry.name for entry in caught.traceback][-1] == "main"


def test_an_uncaught_exception_ends_the_program() -> None:
    ended, begun = [], WaitGroup()
    begun.add(1)

    async def bad() -> None:
        raise ZeroDivisionError("oh")

    async def bystander() -> None:
        try:
            begun.done()
            await forever()
        finally:
            ended.append("bystander")

    async def main() -> None:
        go(bystander)
        await begun
        go(bad, name="bad one")
        await forever()

    with pytest.raises(ZeroDivisionError, match="oh") as caught:
        run(main)
    assert ended == ["bystander"]
    (note,) = caught.value.__notes__
    assert note.startswith("in goroutine ")
    assert "(bad one), created by test_an_uncaught_exception_ends_the_program.<locals>.main in goroutine 1 at " in note


def test_on_uncaught_is_called_instead() -> None:
    seen = []

    async def bad(wg: WaitGroup) -> None:
        wg.done()
        raise ValueError("handled")

    async def main() -> str:
        wg = WaitGroup()
        wg.add(1)
        g = go(bad, wg)
        await wg
        while not g.is_dead():
            await ayield_now()
        return "went on"

    assert run(main, on_uncaught=lambda g, e: seen.append((g.name.split(".")[-1], str(e)))) == "went on"
    assert seen == [("bad", "handled")]


def test_on_uncaught_that_raises_ends_the_program() -> None:
    async def bad() -> None:
        raise ValueError("first")

    async def main() -> None:
        go(bad)
        await forever()

    def handler(g: gosched.Goroutine, error: BaseException) -> None:
        raise LookupError("second") from error

    with pytest.raises(LookupError, match="second") as caught:
        run(main, on_uncaught=handler)
    assert str(caught.value.__cause__) == "first"


def test_system_exit_in_any_goroutine_ends_the_program() -> None:
    async def leaver() -> None:
        raise SystemExit(3)

    async def main() -> None:
        go(leaver)
        await forever()

    with pytest.raises(SystemExit) as caught:
        run(main, on_uncaught=lambda g, e: None)
    assert caught.value.code == 3


def test_goexit_ends_one_goroutine_quietly() -> None:
    """Go's TestGoexitDefer: finally blocks run."""
    log = []

    async def leaver(wg: WaitGroup) -> None:
        try:
            raise Goexit
        finally:
            log.append("finally")
            wg.done()

    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        go(leaver, wg)
        await wg
        log.append("main")

    run(main)
    assert log == ["finally", "main"]


# ---- the end of main ----


def test_the_others_unwind_when_main_returns() -> None:
    log, begun = [], WaitGroup()
    begun.add(4)

    async def sleeper(i: int) -> None:
        try:
            begun.done()
            await forever()
        except Exception:
            log.append("swallowed")
        finally:
            log.append(i)
            with pytest.raises(Goexit):
                await forever()

    async def looper() -> None:
        try:
            begun.done()
            while True:
                await ayield_now()
        finally:
            log.append("looper")

    async def main() -> int:
        for i in range(3):
            go(sleeper, i)
        go(looper)
        await begun
        return 5

    assert run(main) == 5
    assert sorted(map(str, log)) == ["0", "1", "2", "looper"]


def test_a_crowd_is_unwound_to_the_last_one_however_short_the_grace() -> None:
    """The grace is for those that do not end, not for many that do."""
    n, unwound = 20_000 if gosched.__build__ == "compiled" else 2_000, []

    async def sleeper(started: WaitGroup, gate: WaitGroup) -> None:
        try:
            started.done()
            await gate
        finally:
            unwound.append(1)

    async def main() -> None:
        started, gate = WaitGroup(), WaitGroup()
        started.add(n)
        gate.add(1)
        for _ in range(n):
            go(sleeper, started, gate)
        await started

    run(main, grace=0.5, gomaxprocs=1)
    assert len(unwound) == n


def test_a_goroutine_that_never_started_never_runs() -> None:
    log = []

    async def late() -> None:
        log.append("async")

    async def main() -> None:
        go(late)
        go(log.append, "plain")

    run_calmly(main)
    assert log == []


def test_goroutines_started_while_ending_do_not_run() -> None:
    log = []

    async def sleeper() -> None:
        try:
            await forever()
        finally:
            go(log.append, "too late")

    async def main() -> None:
        go(sleeper)
        await ayield_now()

    run(main)
    assert log == []


# ---- contextvars ----


def test_each_goroutine_has_its_own_copy_of_the_context() -> None:
    var: contextvars.ContextVar[str] = contextvars.ContextVar("var", default="none")
    seen: dict[str, list[str]] = {}

    async def child(name: str, wg: WaitGroup) -> None:
        seen[name] = [var.get()]
        var.set(name)
        for _ in range(3):
            await ayield_now()
            seen[name].append(var.get())
        wg.done()

    async def main() -> None:
        var.set("parent")
        wg = WaitGroup()
        wg.add(2)
        go(child, "a", wg)
        go(child, "b", wg)
        await wg
        seen["main"] = [var.get()]

    run(main, gomaxprocs=2)
    assert seen == {"a": ["parent"] + ["a"] * 3, "b": ["parent"] + ["b"] * 3, "main": ["parent"]}
    assert var.get() == "none"


# ---- what is not ours ----


def test_awaiting_an_asyncio_object_says_what_to_do() -> None:
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()

    async def main() -> None:
        await future

    with pytest.raises(TypeError, match=r"^a goroutine cannot await a _asyncio\.Future: run it with asyncio\.run\(\) in a thread of its own"):
        run(main)


def test_awaiting_a_bare_yield_says_what_to_do() -> None:
    async def main() -> str:
        try:
            await asyncio.sleep(0)
        except TypeError as error:
            await ayield_now()
            return str(error)
        return "nothing"

    assert "(asyncio.sleep(0)?): use gosched.ayield_now()" in run(main)


# ---- async generators ----


def test_a_dropped_async_generator_runs_its_finally_block() -> None:
    log = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            await ayield_now()
            log.append("closed")

    async def main() -> None:
        async for n in numbers():
            log.append(str(n))
            break
        while "closed" not in log:
            await ayield_now()

    run(main)
    assert log == ["1", "closed"]


# ---- finalisers ----


def test_a_finaliser_may_call_go() -> None:
    """Whatever drops the last reference, and whenever: what __del__ starts runs."""
    log = []

    class Drops:
        def __init__(self, wg: WaitGroup) -> None:
            self.wg = wg

        def __del__(self) -> None:
            go(log.append, "started by __del__")
            self.wg.done()

    async def holder(thing: Drops) -> Drops:
        await ayield_now()
        return thing

    async def main() -> None:
        wg = WaitGroup()
        wg.add(40)
        for _ in range(20):
            go(holder, Drops(wg))
            context = contextvars.copy_context()
            var: contextvars.ContextVar[Drops] = contextvars.ContextVar("var")
            context.run(var.set, Drops(wg))
            context.run(go, forever_short)
            del context, var
        await wg
        while len(log) < 40:
            await ayield_now()

    async def forever_short() -> None:
        await ayield_now()

    run(main, gomaxprocs=2)
    assert log == ["started by __del__"] * 40
