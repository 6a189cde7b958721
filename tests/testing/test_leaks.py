"""check_leaks: who is left, where it waits, where it was started."""

from __future__ import annotations

from typing import Any

import pytest

import gosched
from gosched import Chan, Group, Mutex, WaitGroup, asleep, ayield_now, go, run, sleep, with_cancel, yield_now
from gosched.testing import LeakError, check_leaks, explore, virtual_run

HERE = __file__


async def receives(ch: Chan[int]) -> None:
    await ch.arecv(timeout=1000)  # waits to receive


async def outer(ch: Chan[int]) -> None:
    await receives(ch)  # goes on inside


def plain(ch: Chan[int]) -> None:
    ch.send(1)  # waits to send


async def agen(ch: Chan[int]) -> Any:
    yield await ch.arecv()  # in a generator


async def iterates(ch: Chan[int]) -> None:
    async for _ in agen(ch):  # iterates here
        pass


def line(text: str) -> int:
    with open(HERE) as file:
        return next(n for n, found in enumerate(file, 1) if text in found and "line(" not in found)


def test_the_report() -> None:
    """Word for word."""
    pytest.importorskip("greenlet")

    async def main() -> None:
        go(asleep, 5, name="outside of the block")
        async with check_leaks():
            ch: Chan[int] = Chan()
            go(outer, Chan())  # the first
            go(plain, ch, name="the plain one")  # the second
            go(iterates, Chan())  # the third

    with pytest.raises(LeakError) as caught:
        virtual_run(main)
    own = __name__
    by = f"created by {own}.test_the_report.<locals>.main in goroutine 1"
    assert str(caught.value) == "\n".join(
        [
            "3 goroutines leaked: started in the block, and still there at its end",
            "",
            "goroutine 3 [chan receive]:",
            f"{own}.receives(...)",
            f"\t{HERE}:{line('# waits to receive')}",
            f"{own}.outer(...)",
            f"\t{HERE}:{line('# goes on inside')}",
            by,
            f"\t{HERE}:{line('# the first')}",
            "",
            'goroutine 4 [chan send] {name: "the plain one"}:',
            f"{own}.plain(...)",
            f"\t{HERE}:{line('# waits to send')}",
            by,
            f"\t{HERE}:{line('# the second')}",
            "",
            "goroutine 5 [chan receive]:",
            f"{own}.agen(...)",
            f"\t{HERE}:{line('# in a generator')}",
            f"{own}.iterates(...)",
            f"\t{HERE}:{line('# iterates here')}",
            by,
            f"\t{HERE}:{line('# the third')}",
        ]
    )
    assert [g.name for g in caught.value.goroutines] == ["outer", "the plain one", "iterates"]
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("how", [run, virtual_run], ids=["real", "virtual"])
def test_both_spellings(how: Any) -> None:
    if how is virtual_run:
        pytest.importorskip("greenlet")
    never: Chan[int] = Chan()

    async def awaited() -> None:
        async with check_leaks(grace=0.01):
            g = go(receives, never)
            while g.wait_reason is None:
                await ayield_now()

    def spelled_plain() -> None:
        with check_leaks(grace=0.01):
            g = go(receives, never)
            while g.wait_reason is None:
                yield_now()

    for main in (awaited, spelled_plain):
        with pytest.raises(
            LeakError, match=r"^1 goroutine leaked: started in the block, and still there at its end\n\ngoroutine \d+ \[chan receive\]:"
        ):
            how(main)


def test_those_that_can_end_do_so_first() -> None:
    async def takes_turns() -> None:
        for _ in range(10):
            await ayield_now()

    async def main() -> None:
        async with check_leaks(grace=60):
            wg = WaitGroup()
            for _ in range(5):
                wg.go(takes_turns)
                go(wg.await_)

    assert explore(main, seeds=range(50)) == 50
    run(main)


def test_time_is_not_waited_for_when_it_is_virtual() -> None:
    async def main() -> None:
        begun = gosched.now()
        try:
            async with check_leaks():
                go(asleep, 0.001)
        finally:
            assert gosched.now() == begun

    with pytest.raises(LeakError, match=r"\[sleep\]"):
        virtual_run(main)


def test_and_a_little_when_it_is_real() -> None:
    async def main() -> None:
        async with check_leaks(grace=60):
            go(asleep, 0.01)
            go(sleep, 0.01)

    run(main)


def test_a_failure_of_the_block_comes_first() -> None:
    async def main() -> None:
        async with check_leaks():
            go(receives, Chan())
            raise KeyError("first")

    def spelled_plain() -> None:
        with check_leaks():
            go(receives, Chan())
            raise KeyError("first")

    for body in (main, spelled_plain):
        with pytest.raises(KeyError, match="first"):
            virtual_run(body)


def test_also_when_the_context_is_over() -> None:
    async def main() -> None:
        with with_cancel() as ctx:
            async with check_leaks(grace=60):
                async with Group() as group:
                    group.go(ayield_now)
                ctx.cancel()

    virtual_run(main)
    run(main)


def test_blocks_nest() -> None:
    async def main() -> str:
        async with check_leaks():
            lock = Mutex()
            await lock.alock()
            g = go(lock.alock)
            async with check_leaks():
                pass
            with pytest.raises(LeakError):
                async with check_leaks():
                    go(receives, ch := Chan[int](1))
            await ch.asend(1)
            lock.unlock()
            while not g.is_dead():
                await ayield_now()
        return "fine"

    assert virtual_run(main) == "fine"


def test_misuse() -> None:
    with pytest.raises(RuntimeError) as caught, check_leaks():
        pass
    assert str(caught.value) == "check_leaks() outside of a goroutine: use it inside virtual_run(main) or run(main)"
    for grace in (-1, "1", True, float("nan")):
        with pytest.raises(ValueError, match=rf"^check_leaks\(\): grace must be seconds, 0 or more, not {grace!r}$"):
            check_leaks(grace)  # type: ignore[arg-type]
