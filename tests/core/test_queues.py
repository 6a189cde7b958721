"""The queues from outside, compiled or pure: order, overflow, shares, stealing."""

from __future__ import annotations

from typing import Any

import pytest

from gosched.core.findrun import find_runnable, from_queues
from gosched.core.mloop import new_m
from gosched.core.runq import put_global, put_next, put_tail, take_global, take_one_global
from gosched.core.sched import Scheduler
from gosched.core.snapshot import p_figures, queue_ids, sched_figures
from gosched.core.spawn import spawn_outside
from gosched.core.steal import steal_work


class Quiet:
    """A host that starts nobody."""

    def __init__(self) -> None:
        self.started: list[tuple[int, Any, bool]] = []
        self.naps = 0

    def start_m(self, number: int, p: Any, spinning: bool) -> None:
        self.started.append((number, p, spinning))

    def courtesy(self) -> None:
        self.naps += 1

    def deadline(self) -> int:
        return -2

    def all_asleep(self) -> None:
        pass


class Table:
    """A scheduler without threads, with an M for each P; goroutines that are only moved about."""

    def __init__(self, nproc: int = 1, ring: int = 256) -> None:
        self.host = Quiet()
        self.sched = Scheduler(self.host, nproc, 1, ring)
        spawn_outside(self.sched, print, (), None, None, False)
        ((number, p, spinning),) = self.host.started
        self.m = new_m(self.sched, number, p, spinning)
        assert find_runnable(self.m) is not None

    def other(self) -> Any:
        """An M with the second P."""
        return new_m(self.sched, 1, self.sched.allp[1 - self.m.p.id], False)

    def goroutines(self, n: int) -> list[Any]:
        """Made by way of the global queue, taken out again."""
        made = [spawn_outside(self.sched, print, (i,), None, None, False) for i in range(n)]
        for g in made:
            assert take_one_global(self.m) is g
        return made

    def drain(self) -> list[Any]:
        return list(iter(lambda: from_queues(self.m), None))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 128, 254, 255])
def test_sched_local_queue(n: int) -> None:
    """TestSchedLocalQueue: FIFO, and empty at the end."""
    table = Table()
    made = table.goroutines(n)
    for g in made:
        put_tail(table.m, g)
    assert queue_ids(table.m.p) == [g.id for g in made]
    assert table.drain() == made


def test_next_comes_first_and_is_kicked_to_the_tail() -> None:
    table = Table()
    a, b, c = table.goroutines(3)
    put_tail(table.m, a)
    put_next(table.m, b)
    put_next(table.m, c)
    assert p_figures(table.m.p)[2:4] == (2, True)
    assert table.drain() == [c, a, b]


def test_overflow_moves_half_and_the_new_one() -> None:
    """128 + 1 to the global queue, in order."""
    table = Table()
    made = table.goroutines(257)
    for g in made:
        put_tail(table.m, g)
    assert queue_ids(table.m.p) == [g.id for g in made[128:256]]
    assert sched_figures(table.sched)[0] == 129
    taken = [take_one_global(table.m) for _ in range(129)]
    assert taken == [*made[:128], made[256]]


@pytest.mark.parametrize(("size", "nproc", "share"), [(1, 1, 1), (10, 4, 3), (100, 1, 100), (1000, 1, 128), (1000, 4, 128), (40, 4, 11)])
def test_global_share(size: int, nproc: int, share: int) -> None:
    """min(128, size, size / gomaxprocs + 1)."""
    table = Table(nproc)
    made = table.goroutines(size)
    for g in made:
        put_global(table.sched, g)
    assert take_global(table.m) is made[0]
    assert sched_figures(table.sched)[0] == size - share
    assert queue_ids(table.m.p) == [g.id for g in made[1:share]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 100, 255, 256])
def test_sched_local_queue_steal(size: int) -> None:
    """TestSchedLocalQueueSteal: half, rounded up, from the head; the thief runs the newest of its batch."""
    table = Table(2)
    other = table.other()
    made = table.goroutines(size)
    for g in made:
        put_tail(table.m, g)
    got = steal_work(other)
    half = size - size // 2
    assert got is made[half - 1]
    assert queue_ids(other.p) == [g.id for g in made[: half - 1]]
    assert queue_ids(table.m.p) == [g.id for g in made[half:]]
    assert p_figures(other.p)[6:8] == (1, half)


def test_next_is_stolen_last_and_after_a_courtesy() -> None:
    table = Table(2)
    other = table.other()
    a, b = table.goroutines(2)
    put_next(table.m, a)
    put_tail(table.m, b)
    assert steal_work(other) is b
    assert table.host.naps == 0
    assert steal_work(other) is a
    assert table.host.naps == 1
    assert steal_work(other) is None


def test_a_ring_must_be_a_power_of_two() -> None:
    with pytest.raises(ValueError, match=r"^ring capacity must be a power of two, 2 or more, not 12$"):
        Scheduler(Quiet(), 1, 1, 12)
