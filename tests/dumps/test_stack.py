"""stack(): the text, word for word, in virtual time; and what it sees of goroutines that run."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

import gosched
from gosched import Chan, Event, Goroutine, Runtime, asleep, ayield_now, current, go, num_goroutine, run, stack, stats
from gosched.system.cpus import gil_enabled
from gosched.testing import virtual_run
from tests.builds import needs_frames


def line(fn: Any, offset: int) -> str:
    code = fn.__code__
    return f"\t{code.co_filename}:{code.co_firstlineno + offset}"


async def receives(ch: Chan[int]) -> int:
    return await ch.arecv()


async def numbers(ch: Chan[int]) -> AsyncIterator[int]:
    yield await receives(ch)


async def reads(ch: Chan[int]) -> None:
    async for _ in numbers(ch):
        pass


def plain(ch: Chan[int]) -> None:
    deeper(ch)


def deeper(ch: Chan[int]) -> None:
    ch.recv()


async def starts(ch: Chan[int], ages: float) -> str:
    go(reads, ch)
    go(plain, ch, name='a "plain" one')
    await asleep(ages)
    go(plain, ch)
    return stack()


CREATED = [f"created by {__name__}.starts in goroutine 1", line(starts, 1)]


def entry(text: str, head: str) -> list[str]:
    return next(part for part in text.split("\n\n") if part.startswith(head)).split("\n")


def functions(lines: list[str]) -> list[str]:
    return [name for text in lines for name in re.findall(r"(\w+)\(\.\.\.\)$", text)]


@pytest.mark.parametrize(("seconds", "age"), [(0.9, ""), (1.1, ", 1 second"), (59.5, ", 59 seconds"), (60.1, ", 1 minute"), (185, ", 3 minutes")])
def test_the_whole_text(seconds: float, age: str) -> None:
    def main() -> Any:
        return starts(Chan(), seconds)

    assert virtual_run(main) == "\n".join(
        [
            "goroutine 1 [running]:",
            f"{__name__}.starts(...)",
            line(starts, 5),
            f"created by {__name__}.test_the_whole_text",
            line(test_the_whole_text, 5),
            "",
            f"goroutine 2 [chan receive{age}]:",
            f"{__name__}.receives(...)",
            line(receives, 1),
            f"{__name__}.numbers(...)",
            line(numbers, 1),
            f"{__name__}.reads(...)",
            line(reads, 1),
            *CREATED,
            "",
            f'goroutine 3 [chan receive{age}] {{name: "a \\"plain\\" one"}}:',
            f"{__name__}.deeper(...)",
            line(deeper, 1),
            f"{__name__}.plain(...)",
            line(plain, 1),
            CREATED[0],
            line(starts, 2),
            "",
            "goroutine 4 [runnable]:",
            f"{__name__}.plain(...)",
            line(plain, 0),
            CREATED[0],
            line(starts, 4),
        ]
    )


def test_of_the_caller_alone() -> None:
    async def main() -> tuple[int, str, str]:
        other = go(reads, Chan())
        return other.id, stack(all=False), stack()

    other, mine, everybody = run(main, gomaxprocs=1)
    assert mine.startswith("goroutine 1 [running]:\n")
    assert len(re.findall(r"^goroutine ", mine, re.MULTILINE)) == 1
    assert re.findall(r"^goroutine (\d+)", everybody, re.MULTILINE) == ["1", str(other)]


def test_the_caller_comes_first() -> None:
    async def main() -> None:
        ch = Chan[str]()
        me = current()

        async def asks() -> None:
            while me.state != "waiting":
                await ayield_now()
            await ch.asend(stack())

        asker = go(asks)
        heads = re.findall(r"^goroutine (\d+) \[(.*)\]:$", await ch.arecv(), re.MULTILINE)
        assert heads == [(str(asker.id), "running"), ("1", "chan receive")]

    run(main, gomaxprocs=1)


def test_outside_of_any_runtime() -> None:
    with pytest.raises(RuntimeError, match=r"^stack\(\) outside of a goroutine: use it inside run\(main\), or from a thread while one is open$"):
        stack()
    with pytest.raises(RuntimeError, match=r"^stack\(all=False\) outside of a goroutine: use it inside run\(main\)$"):
        stack(all=False)


def test_from_a_thread_outside() -> None:
    asleep_now = threading.Event()

    class Told(Runtime):
        def all_asleep(self) -> None:
            super().all_asleep()
            asleep_now.set()

    async def waits(ch: Chan[int]) -> None:
        await ch.arecv()

    with Told(deadlock=False) as rt:
        rt.go(waits, Chan[int]())
        assert asleep_now.wait(30)
        assert stack().startswith("goroutine 1 [chan receive]:\n")
        with Runtime():
            assert re.findall(r"^runtime \d of 2:$", stack(), re.MULTILINE) == ["runtime 1 of 2:", "runtime 2 of 2:"]


def test_TestNumGoroutine() -> None:
    """The count agrees with the dump."""

    async def main() -> tuple[int, int]:
        gate = Event()
        for _ in range(15):
            go(gate.await_)
        await ayield_now()
        return num_goroutine(), len(re.findall(r"^goroutine \d+ \[", stack(), re.MULTILINE))

    assert run(main) == (16, 16)


def test_TestNoHelperGoroutines() -> None:
    """What the runtime starts for itself is not shown: here, to finish a generator that was dropped."""
    gate = Event()

    async def slow_to_close() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await gate

    async def main() -> tuple[int, list[str]]:
        async for _ in slow_to_close():
            break
        while num_goroutine() < 2:
            await ayield_now()
        found = num_goroutine(), re.findall(r"^goroutine .*", stack(), re.MULTILINE)
        gate.set()
        return found

    assert run(main, gomaxprocs=1) == (2, ["goroutine 1 [running]:"])


def alike(n: int) -> str:
    async def main() -> str:
        ch = Chan[int]()
        for _ in range(n):
            go(receives, ch)
        await asleep(250)
        return stack()

    text: str = virtual_run(main)
    return text


def test_few_that_are_alike_are_printed_one_by_one() -> None:
    assert len(re.findall(r"^goroutine \d+ \[chan receive, 4 minutes\]:$", alike(20), re.MULTILINE)) == 20


def test_many_that_are_alike_are_one_entry() -> None:
    group = entry(alike(1204), "1,204 ")
    assert group[:2] == ["1,204 goroutines [chan receive, 4 minutes]:", "ids 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1,194 more"]
    assert group[2:4] == [f"{__name__}.receives(...)", line(receives, 1)]
    assert group[4] == f"created by {__name__}.alike.<locals>.main in goroutine 1"


def test_a_group_of_all_ages() -> None:
    """They differ in nothing but when they began to wait."""

    async def main() -> str:
        ch = Chan[int]()
        for _ in range(30):
            go(receives, ch)
            await asleep(10)
        return stack()

    assert entry(virtual_run(main), "30 ")[0] == "30 goroutines [chan receive, up to 5 minutes]:"


def test_a_long_stack_is_elided() -> None:
    def sinks(n: int) -> str:
        return sinks(n - 1) if n else stack(all=False)

    async def main() -> list[str]:
        return sinks(148).split("\n")

    lines = run(main)
    elided = [i for i, text in enumerate(lines) if text.startswith("...")]
    assert [lines[i] for i in elided] == ["...50 frames elided..."]
    assert elided == [1 + 2 * 50]
    assert len(lines) == 1 + 2 * 100 + 1 + 2


def test_what_has_not_begun_shows_its_function() -> None:
    async def main() -> str:
        go(functools.partial(plain, Chan()))
        go(print, "never")
        go(reads(Chan()))
        return stack()

    text: str = virtual_run(main)
    assert entry(text, "goroutine 2 ")[1:3] == [f"{__name__}.plain(...)", line(plain, 0)]
    assert entry(text, "goroutine 3 ")[1] == "print(...)"
    assert entry(text, "goroutine 4 ")[1:3] == [f"{__name__}.reads(...)", line(reads, 0)]


class Wrapped:
    """An awaitable whose iterator is a wrapper of the interpreter's own."""

    def __init__(self, ch: Chan[int]) -> None:
        self.ch = ch

    def __await__(self) -> Any:
        return receives(self.ch).__await__()


@needs_frames
def test_through_the_interpreters_own_awaitables() -> None:
    async def by_wrapper(ch: Chan[int]) -> None:
        await Wrapped(ch)

    async def by_anext(ch: Chan[int]) -> None:
        await anext(numbers(ch), None)

    async def by_athrow(ch: Chan[int]) -> None:
        async def gen() -> AsyncIterator[int]:
            try:
                yield 1
            finally:
                await receives(ch)

        it = gen()
        await anext(it)
        await it.aclose()

    async def main() -> list[list[str]]:
        them = [go(fn, Chan()) for fn in (by_wrapper, by_anext, by_athrow)]
        while any(g.state != "waiting" for g in them):
            await ayield_now()
        text = stack()
        return [functions(entry(text, f"goroutine {g.id} ")) for g in them]

    assert run(main, gomaxprocs=1) == [["receives", "by_wrapper"], ["receives", "numbers", "by_anext"], ["receives", "gen", "by_athrow"]]


@needs_frames
@pytest.mark.parametrize("stacks", ["greenlet", "thread"])
def test_those_that_run_or_keep_a_stack(stacks: str) -> None:
    """A hog on a thread of its own, an async goroutine that waits by the plain spelling, one that is locked to its thread."""
    begun: list[bool] = []
    over: list[bool] = []

    def hog() -> None:
        begun.append(True)
        while not over:
            pass

    async def mixed(ch: Chan[int]) -> None:
        deeper(ch)

    async def main() -> tuple[list[int], str, int]:
        runs = go(hog, thread=True)
        waiters = [go(mixed, Chan()), go(mixed, Chan(), thread=True)]
        while not begun or any(g.state != "waiting" for g in waiters):
            await ayield_now()
        text = stack()
        over.append(True)
        return [g.id for g in (runs, *waiters)], text, sum(p.blocks for p in stats().ps)

    (runs, waits, locked), text, taken = run(main, gomaxprocs=2, stacks=stacks)
    states = {int(number): state for number, state in re.findall(r"^goroutine (\d+) \[(.*)\]:$", text, re.MULTILINE)}
    words = {"running", "preempted"} | ({"syscall"} if gil_enabled() and taken else set())  # sysmon took a wait for the GIL for it: docs/stalls.md
    assert states[runs] in {f"{word}, locked to thread" for word in words}
    assert functions(entry(text, f"goroutine {runs} ")) == ["hog"]
    assert states[locked] == "chan receive, locked to thread"
    for number in (waits, locked):
        assert functions(entry(text, f"goroutine {number} ")) == ["deeper", "mixed"]


@pytest.mark.skipif(gosched.__build__ == "compiled", reason="the compiled build does not look its functions up")
def test_without_frames_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a pure build on a free-threaded Python: the caller's own frames, and of the others what is safe."""
    monkeypatch.setattr("gosched.core.frames.sees_others", False)

    async def main() -> tuple[int, str]:
        other = go(reads, Chan())
        while other.state != "waiting":
            await ayield_now()
        return other.id, stack()

    other, text = run(main, gomaxprocs=1)
    assert entry(text, "goroutine 1 ")[1].endswith(".main(...)")
    assert entry(text, f"goroutine {other} ")[1:3] == [
        "reads(...)",
        f"created by {__name__}.{test_without_frames_it_says_why.__name__}.<locals>.main in goroutine 1",
    ]
    assert text.endswith("\n\n(frames of others are left out: this build cannot look at them on a free-threaded Python while they may run)")


@pytest.mark.slow
def test_the_clock_of_waits_goes_on_when_sysmon_has_slept() -> None:
    """All are idle for more than a second, and sysmon sleeps. Who then begins to wait, before sysmon has looked again, has not waited long."""

    def shown(text: str, g: Goroutine) -> int:
        found = re.search(rf"^goroutine {g.id} \[chan receive(?:, (\d+) seconds?)?\]:$", text, re.MULTILINE)
        assert found, text
        return int(found[1] or 0)

    async def begins() -> tuple[Goroutine, float, float]:
        """One that waits, and between which times it has begun to."""
        before = gosched.now()
        g = go(receives, Chan())
        while g.state != "waiting":
            await ayield_now()
        return g, before, gosched.now()

    async def main() -> None:
        early = await begins()
        await asleep(1.5)
        late = await begins()
        asked = gosched.now()
        text = stack()
        answered = gosched.now()
        for g, before, after in (early, late):
            assert asked - after - 1 < shown(text, g) <= answered - before + 0.25  # the clock is coarse, and sysmon moves it on when it can

    run(main, gomaxprocs=1)


def test_what_has_no_frames_shows_what_it_runs() -> None:
    async def main() -> list[str]:
        waits = go(Event().await_())
        while waits.state != "waiting":
            await ayield_now()
        return entry(stack(), f"goroutine {waits.id} [event wait]:")

    assert len(run(main, gomaxprocs=1)) == 4


@pytest.mark.stress
def test_dumps_of_a_program_in_motion(stress_seconds: float) -> None:
    """On several Ps, by every spelling, with goroutines that come and go."""
    over = threading.Event()

    async def ping(a: Chan[int], b: Chan[int]) -> None:
        while not over.is_set():
            await a.asend(1)
            await b.arecv()

    def pong(a: Chan[int], b: Chan[int]) -> None:
        while not over.is_set():
            a.recv()
            b.send(1)

    async def short(n: int) -> None:
        if n:
            go(short, n - 1)
        await ayield_now()

    async def spawns() -> None:
        while not over.is_set():
            go(short, 5)
            for _ in range(20):
                await ayield_now()

    async def main() -> int:
        dumps, end = 0, gosched.now() + stress_seconds
        for _ in range(4):
            a, b = Chan[int](), Chan[int]()
            go(ping, a, b)
            go(pong, a, b)
            numbered = Chan[int]()
            go(reads, numbered)
            go(spawns)
        while gosched.now() < end:
            text = stack()
            assert text.startswith(f"goroutine {current().id} [running]:\n")
            dumps += 1
            await ayield_now()
        over.set()
        return dumps

    assert run(main, gomaxprocs=4) > 0
