"""Contexts and groups leave nothing behind."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest

from gosched import Canceled, Context, Group, asleep, ayield_now, go, nil, run, with_cancel, with_timeout, with_value
from gosched.testing import virtual_run
from tests.sync.spelled import settled

from .operations import Way, ways


class Thing:
    """What a weak reference can be had of."""


def gone(refs: list[weakref.ref[Any]]) -> int:
    """How many are, after a collection."""
    gc.collect()
    return sum(ref() is None for ref in refs)


def blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()


def test_blocks_under_a_long_lived_context() -> None:
    """The parent knows none of them: what it holds does not grow."""

    async def main() -> None:
        refs: list[weakref.ref[Any]] = []
        with with_cancel() as parent:
            for i in range(1000):
                with with_cancel() as a, with_value("i", i), with_timeout(60):
                    refs.append(weakref.ref(a))
            del a
            await asleep(61)
            assert gone(refs) == 1000
            assert parent.err is None

    virtual_run(main)


def test_no_collector_is_needed() -> None:
    """A block that is left frees its context at once."""

    async def main() -> None:
        gc.disable()
        try:
            with with_cancel():
                for make in (with_cancel, lambda: with_value("k", 1)):
                    with make() as ctx:
                        ref = weakref.ref(ctx)
                    del ctx
                    await ayield_now()
                    assert ref() is None
        finally:
            gc.enable()

    virtual_run(main)


@pytest.mark.parametrize("how", ["with", "cancel", "timeout", "deadline", "after_func", "group"])
def test_memory_does_not_grow(how: str) -> None:
    async def once(parent: Context) -> None:
        if how == "with":
            with with_cancel(parent), with_timeout(60):
                await ayield_now()
        elif how == "cancel":
            ctx, cancel = with_cancel(parent)
            go(cancel)
            await ctx.done.arecv_ok()
        elif how == "timeout":
            with pytest.raises(TimeoutError):
                await nil.arecv(timeout=1e-6, ctx=parent)
        elif how == "deadline":
            with pytest.raises(TimeoutError), with_timeout(1e-6, parent):
                await nil.arecv()
        elif how == "after_func":
            assert parent.after_func(print)()
        else:
            async with Group(limit=2, ctx=parent) as group:
                tasks = [group.go(ayield_now) for _ in range(3)]
            assert all(task.done for task in tasks)

    async def main() -> list[int]:
        counts = []
        with with_cancel() as parent:
            for _ in range(4):
                for _ in range(300):
                    await once(parent)
                counts.append(blocks())
        return counts

    counts = run(main, gomaxprocs=1)
    assert counts[-1] - counts[1] < 300, f"{counts}: 600 rounds leave something behind"


@ways
def test_values_are_let_go(way: Way) -> None:
    """With the goroutine that had them: whether it left its blocks, was cancelled in them, or ended while a generator kept one open."""

    async def main() -> None:
        refs: list[weakref.ref[Any]] = []

        async def leaves(kind: int) -> None:
            thing = Thing()
            refs.append(weakref.ref(thing))
            if kind == 2:
                with_value("thing", thing).__enter__()  # never left
                return
            with with_value("thing", thing), with_cancel() as ctx:
                if kind:
                    go(ctx.cancel)
                    await way.do(nil, "recv")

        for kind in (0, 1, 2) * 10:
            way.go(leaves, kind)
        await settled()
        await settled()
        assert gone(refs) == len(refs) == 30

    virtual_run(main)


def test_results_and_failures_are_let_go() -> None:
    """With the tasks."""

    class Failure(Exception):
        """What a weak reference can be had of."""

    async def main() -> None:
        refs: list[weakref.ref[Any]] = []

        async def returns() -> Thing:
            thing = Thing()
            refs.append(weakref.ref(thing))
            return thing

        async def fails() -> None:
            error = Failure()
            refs.append(weakref.ref(error))
            try:
                raise error
            finally:
                del error

        async def all_of_it() -> None:
            try:
                async with Group() as group:
                    group.go(returns)
                    group.go(fails)
                    await nil.arecv()
            except* Failure:
                pass

        for _ in range(10):
            await all_of_it()
        await settled()
        assert gone(refs) == len(refs) == 20

    virtual_run(main)


def test_a_tree_nobody_has_is_garbage() -> None:
    """Also without being cancelled: it is only known to itself."""

    async def main() -> None:
        root = with_cancel()
        tree = [root]
        for i in range(100):
            tree.append(with_value(i, Thing(), tree[i // 2]))
        refs: list[weakref.ref[Any]] = [weakref.ref(ctx) for ctx in tree]
        del root, tree
        await ayield_now()
        assert gone(refs) == 101

    virtual_run(main)


def test_a_deep_tree() -> None:
    """Neither its end nor its memory needs a deep stack."""

    async def main() -> None:
        root = ctx = with_cancel()
        for _ in range(20_000):
            ctx = with_cancel(ctx)
        ref = weakref.ref(ctx)
        root.cancel()
        assert isinstance(ctx.err, Canceled)
        del ctx, root
        assert gone([ref]) == 1

    run(main)
