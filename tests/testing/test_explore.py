"""explore: a user's races, found in few seeds and found again; and what virtual_run and explore refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gosched import Chan, DeadlockError, Event, Mutex, WaitGroup, aselect, asleep, ayield_now, default, go, now
from gosched.lab.virtual import VirtualRuntime
from gosched.testing import explore, virtual_run, wait_all_blocked

ROOT = Path(__file__).resolve().parents[2]


async def two_channels() -> None:
    """The balance is read on one channel and written on another."""
    reads, writes, wg = Chan[int](), Chan[int](), WaitGroup()

    async def account() -> None:
        balance = 0
        while True:
            match await aselect((reads.send, balance), writes.recv):
                case 1, int(written):
                    balance = written

    async def deposit() -> None:
        await writes.asend(await reads.arecv() + 1)

    go(account)
    wg.go(deposit)
    wg.go(deposit)
    await wg
    assert await reads.arecv() == 2


async def two_channels_plain() -> None:
    """The same by plain functions."""
    reads, writes, wg = Chan[int](1), Chan[int](2), WaitGroup()

    def deposit() -> None:
        balance = reads.recv()
        reads.send(balance)
        writes.send(balance + 1)

    await reads.asend(0)
    wg.go(deposit)
    wg.go(deposit)
    await wg
    assert {await writes.arecv(), await writes.arecv()} == {1, 2}


async def between_operations_that_do_not_wait() -> None:
    """Nobody ever parks: on real threads others come in between all the same."""
    total, log, wg = [0], Chan[int](4), WaitGroup()

    async def adds() -> None:
        seen = total[0]
        await log.asend(seen)
        total[0] = seen + 1

    wg.go(adds)
    wg.go(adds)
    await wg
    assert total[0] == 2


async def check_then_act() -> None:
    """A slot that is looked at first and taken then."""
    slots, wg = Chan[str](1), WaitGroup()
    await slots.asend("the only one")

    async def takes() -> None:
        if len(slots) > 0:
            await ayield_now()
            assert slots.try_recv()[1], "it was there a moment ago"

    wg.go(takes)
    wg.go(takes)
    await wg


async def order_of_starting() -> None:
    """Relies on the goroutine that was started last to run first, as `next` does."""
    first: list[int] = []
    wg = WaitGroup()
    for i in range(3):
        wg.go(first.append, i)
    await wg
    assert first[0] == 2


async def a_wakeup_is_missed() -> None:
    """Tells whoever waits, and nobody does yet."""
    news, wg = Chan[str](), WaitGroup()

    async def waits() -> None:
        await news.arecv()

    async def tells() -> None:
        await aselect((news.send, "it is there"), default)

    wg.go(tells)
    wg.go(waits)
    await wg


async def locks_in_two_orders() -> None:
    one, two, wg = Mutex(), Mutex(), WaitGroup()

    async def takes(a: Mutex, b: Mutex) -> None:
        async with a, b:
            pass

    wg.go(takes, one, two)
    wg.go(takes, two, one)
    await wg


RACES = [
    (two_channels, AssertionError),
    (two_channels_plain, AssertionError),
    (between_operations_that_do_not_wait, AssertionError),
    (check_then_act, AssertionError),
    (order_of_starting, AssertionError),
    (a_wakeup_is_missed, DeadlockError),
    (locks_in_two_orders, DeadlockError),
]


@pytest.mark.parametrize("procs", [1, 2, 4])
@pytest.mark.parametrize(("main", "kind"), RACES, ids=lambda value: getattr(value, "__name__", None))
def test_a_users_race_is_found_and_found_again(main: Callable[[], Any], kind: type[Exception], procs: int) -> None:
    if main is two_channels_plain or main is order_of_starting:
        pytest.importorskip("greenlet")
    with pytest.raises(kind) as caught:
        explore(main, gomaxprocs=procs)
    note = caught.value.__notes__[-1]
    found = re.fullmatch(
        rf"found by explore at seed (\d+); again: virtual_run\({main.__name__}, gomaxprocs={procs}, seed=\1, shuffle=True\)",
        note,
    )
    assert found is not None, note
    for _ in range(2):
        with pytest.raises(kind):
            virtual_run(main, gomaxprocs=procs, seed=int(found[1]), shuffle=True)


def test_one_p_without_shuffle_has_one_order() -> None:
    """What exploration is for: the scheduler's own order hides these, whatever the seed."""
    for main in (two_channels, between_operations_that_do_not_wait, order_of_starting, locks_in_two_orders):
        for seed in range(20):
            virtual_run(main, seed=seed)


def test_a_deadlock_that_was_found_shows_who_waits() -> None:
    with pytest.raises(DeadlockError) as caught:
        explore(locks_in_two_orders)
    text = str(caught.value)
    assert text.startswith("all goroutines are asleep - deadlock!\n\ngoroutine 1 [sync.WaitGroup.Wait]:\n")
    assert text.count(" [sync.Mutex.Lock]:\n") == 2


def test_what_is_right_stays_right() -> None:
    """Shuffled or not: order where Go promises one, timers in time, all done at the end."""

    async def main() -> None:
        ch, done, begun = Chan[int](2), Event(), now()

        async def sends() -> None:
            for i in range(20):
                await ch.asend(i)
            ch.close()

        async def sleeps() -> None:
            await asleep(5)
            done.set()

        go(sends)
        go(sleeps)
        assert [v async for v in ch] == list(range(20))
        await done
        assert now() - begun == 5
        go(ayield_now)
        await wait_all_blocked()

    assert explore(main, seeds=range(300), gomaxprocs=3) == 300


def traces(seeds: range) -> list[Any]:
    found = []
    for seed in seeds:
        rt = VirtualRuntime(3, seed, shuffle=True)
        rt.run(lambda: [go(ayield_now) for _ in range(50)] and asleep(1))
        found.append(rt.trace)
    return found


def test_same_seed_same_shuffle() -> None:
    first = traces(range(5))
    assert traces(range(5)) == first
    assert len({str(trace) for trace in first}) == 5


def test_arguments_are_passed_on_and_said() -> None:
    async def main(a: int, b: int) -> None:
        assert a == b

    assert explore(main, 1, 1, seeds=[3]) == 1
    with pytest.raises(AssertionError) as caught:
        explore(main, 1, 2, seeds=iter([5]), gomaxprocs=1)
    assert caught.value.__notes__ == ["found by explore at seed 5; again: virtual_run(main, *args, gomaxprocs=1, seed=5, shuffle=True)"]


async def nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: virtual_run(nothing, seed="1"), TypeError, "virtual_run(): seed must be an int, not str"),  # type: ignore[call-overload]
        (lambda: virtual_run(nothing, seed=True), TypeError, "virtual_run(): seed must be an int, not bool"),
        (lambda: virtual_run(nothing, seed=-1), ValueError, "virtual_run(): seed must be from 0 to 2**63 - 1, not -1"),
        (
            lambda: virtual_run(nothing, gomaxprocs=0),
            ValueError,
            "gomaxprocs must be between 1 and 1024, not 0; gomaxprocs() without a number reads it",
        ),
        (
            lambda: virtual_run(nothing, plain_in_async="warn"),  # type: ignore[call-overload]
            ValueError,
            "virtual_run(): plain_in_async must be 'allow' or 'error', not 'warn'",
        ),
        (lambda: virtual_run(3), TypeError, "go() needs a function, an async function or a coroutine, not int: 3"),  # type: ignore[call-overload]
        (lambda: explore(nothing, seeds=5), TypeError, "explore(): seeds must be several ints, such as range(200), not int"),  # type: ignore[arg-type]
        (lambda: explore(nothing, seeds=["5"]), TypeError, "explore(): each of seeds must be an int, not str"),  # type: ignore[list-item]
        (lambda: explore(nothing, seeds=[]), ValueError, "explore(): seeds must not be empty"),
        (lambda: explore(3), TypeError, "explore(): main must be a function, which is run many times, not int"),  # type: ignore[arg-type]
        (lambda: virtual_run(virtual_run, nothing), RuntimeError, "virtual_run() inside a goroutine: use go(fn), or await the coroutine"),
    ],
)
def test_refused(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


def test_the_example_of_the_docs() -> None:
    """What docs/testing.md shows is what the example prints."""
    done = subprocess.run([sys.executable, str(ROOT / "examples/lost_update.py")], capture_output=True, text=True, check=True)
    page = (ROOT / "docs/testing.md").read_text()
    assert f"```\n{done.stdout}```" in page
    assert done.stdout.startswith("one run: fine\n30 were paid in, and 20 are there\nfound by explore at seed ")
