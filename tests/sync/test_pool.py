"""Pool: Go's sync/pool_test.go by name, as far as it makes sense here: order per P, the collector, exactly once under threads."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from gosched import Pool, WaitGroup, ayield_now, run
from gosched.testing import virtual_run

from .spelled import in_threads, schedules


class Item:
    def __init__(self, name: object = None) -> None:
        self.name = name


@pytest.fixture
def no_collections() -> Iterator[None]:
    """Go's SetGCPercent(-1): only those that the test asks for."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize("inside", [True, False], ids=["goroutine", "thread"])
def test_pool(inside: bool) -> None:
    """TestPool: order per P; survives one collection, gone after two."""

    def body() -> None:
        pool = Pool[str | None](lambda: None)
        assert pool.get() is None, "expected empty"
        pool.put("a")
        pool.put("b")
        assert pool.get() == "a"
        assert pool.get() == "b"
        assert pool.get() is None
        for _ in range(100):
            pool.put("c")
        gc.collect()
        assert pool.get() == "c", "after one collection the victims are kept"
        gc.collect()
        assert pool.get() is None, "after the second they are gone"

    if inside:
        run(body, gomaxprocs=1)
    else:
        body()


@pytest.mark.usefixtures("no_collections")
def test_pool_survives_one_collection_and_not_two() -> None:
    """What TestPool says of the collector, whatever the order."""
    pool = Pool[str | None](lambda: None)
    for _ in range(100):
        pool.put("c")
    gc.collect()
    assert pool.get() == "c"
    gc.collect()
    assert pool.get() is None


def test_young_collections_do_not_age_it() -> None:
    pool = Pool[str | None](lambda: None)
    pool.put("kept")
    for _ in range(5):
        gc.collect(0)
    assert pool.get() == "kept"


def test_pool_new() -> None:
    """TestPoolNew: what was put comes first, then new ones."""
    numbers = iter(range(1, 10))
    pool = Pool[int](lambda: next(numbers))
    assert (pool.get(), pool.get()) == (1, 2)
    pool.put(42)
    assert (pool.get(), pool.get()) == (42, 3)


@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize("drain", [False, True], ids=["TestPoolGC", "TestPoolRelease"])
def test_pool_gc(drain: bool) -> None:
    """Items in a pool are freed after two collections; with drain, also those that were taken out and put back in between."""
    freed: list[int] = []
    pool = Pool[Item](Item)
    for i in range(100):
        item = Item()
        weakref.finalize(item, freed.append, i)
        pool.put(item)
    del item
    if drain:
        for item in [pool.get() for _ in range(100)]:
            pool.put(item)
        del item
    gc.collect()
    assert not freed
    gc.collect()
    gc.collect()
    assert len(freed) == 100


def test_a_dropped_pool_is_freed() -> None:
    """With what is in it."""
    pool, item = Pool[Item](Item), Item()
    pool.put(item)
    refs = weakref.ref(pool), weakref.ref(item)
    del pool, item
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


async def stress() -> int:
    """Ten goroutines use one item each at a time; how many were made."""
    made: list[Item] = []

    def make() -> Item:
        item = Item()
        made.append(item)
        return item

    pool, wg = Pool[Item](make), WaitGroup()

    async def uses() -> None:
        for i in range(100):
            item = pool.get()
            assert item.name is None, "two have the same item"
            item.name = i
            if i % 10 == 0:
                await ayield_now()
            item.name = None
            pool.put(item)

    for _ in range(10):
        wg.go(uses)
    await wg
    return len(made)


@pytest.mark.parametrize("procs", [1, 4])
def test_pool_stress(procs: int) -> None:
    """TestPoolStress: what comes out was put in. No bound here: between threads, an item may move to where a get has looked already."""
    assert run(stress, gomaxprocs=procs) >= 1


@pytest.mark.usefixtures("no_collections")
def test_pool_makes_no_more_than_are_in_use() -> None:
    """One thread plays all: nothing moves while a get looks."""
    assert all(1 <= made <= 10 for made in schedules(stress))


def test_pool_exactly_once_between_threads() -> None:
    """TestPoolDequeue, TestPoolChain: nothing comes out twice, nothing gets lost, while others put."""
    pool, got = Pool[int](lambda: -1), list[int]()

    def puts(base: int) -> None:
        for i in range(300):
            pool.put(base + i)

    def takes() -> None:
        for _ in range(300):
            item = pool.get()
            if item >= 0:
                got.append(item)

    gc.collect()
    gc.disable()
    try:
        in_threads(lambda: puts(0), takes, lambda: puts(1000), takes, takes)
        rest = iter(pool.get, -1)
        got.extend(rest)
    finally:
        gc.enable()
    assert sorted(got) == sorted([*range(300), *range(1000, 1300)])


@pytest.mark.usefixtures("no_collections")
def test_items_cross_ps() -> None:
    """What one P put another can get, before anything new is made."""

    async def main() -> int:
        pool, wg, made = Pool[Item](lambda: made.append(1) or Item()), WaitGroup(), list[int]()
        for _ in range(20):
            pool.put(Item())

        async def takes() -> None:
            pool.get()

        for _ in range(20):
            wg.go(takes)
        await wg
        return len(made)

    for seed in range(10):
        assert virtual_run(main, gomaxprocs=4, seed=seed) == 0


def test_a_factory_that_raises() -> None:
    pool = Pool[int](lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        pool.get()
    pool.put(3)
    assert pool.get() == 3


@pytest.mark.parametrize("new", [None, 5, "new"])
def test_pool_needs_a_function(new: object) -> None:
    """TestNilPool, as near as Python comes to it."""
    with pytest.raises(TypeError, match=r"^Pool\(\) needs a function that makes an object, not "):
        Pool(new)  # type: ignore[arg-type]
