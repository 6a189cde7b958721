"""What arecv() and asend() return: objects that are made and dropped at every operation, and end with a value without a raise.

In virtual time: who has just lost its P, on a real thread, yields before the operation begins.
"""

import gc
import weakref

import pytest

import gosched
from gosched import Chan
from gosched.testing import virtual_run


class Thing:
    pass


def test_a_received_value_lives_no_longer_than_its_receiver() -> None:
    async def main() -> None:
        ch: Chan[Thing] = Chan(1)
        thing = Thing()
        ref = weakref.ref(thing)
        await ch.asend(thing)
        del thing
        got = await ch.arecv()
        assert ref() is got
        del got
        assert ref() is None

    virtual_run(main)


def test_a_dropped_operation_keeps_nothing() -> None:
    async def main() -> None:
        ch: Chan[Thing] = Chan(1)
        thing = Thing()
        ref, channel = weakref.ref(thing), weakref.ref(ch)
        op = ch.asend(thing)
        del thing
        assert ref() is not None
        op.close()
        del op, ch
        gc.collect()
        assert ref() is None
        assert channel() is None

    virtual_run(main)


def test_driven_by_hand() -> None:
    async def main() -> None:
        ch: Chan[object] = Chan(3)
        for value in (None, (1, 2), StopIteration("x")):
            ch.try_send(value)
        for expected in (None, (1, 2)):
            with pytest.raises(StopIteration) as stop:
                next(ch.arecv().__await__())
            assert stop.value.value == expected
        with pytest.raises(StopIteration) as stop:
            next(ch.arecv().__await__())
        assert isinstance(stop.value.value, StopIteration)

    virtual_run(main)


def test_one_that_was_raised_in_earnest_is_not_used_again() -> None:
    """The exception that carries a value is reused; not while somebody has it, and not with a past."""

    async def main() -> None:
        ch: Chan[str] = Chan(2)
        ch.try_send("first")
        try:
            next(ch.arecv().__await__())
        except StopIteration as error:
            kept = error
        ch.try_send("second")
        assert await ch.arecv() == "second"
        assert kept.value == "first"
        assert kept.__traceback__ is not None

    virtual_run(main)


@pytest.mark.parametrize("value", [None, (), (1,), StopIteration(1), ValueError(), Thing()])
def test_any_value_passes(value: object) -> None:
    async def main() -> None:
        ready: Chan[object] = Chan(1)
        await ready.asend(value)
        assert await ready.arecv() is value
        await ready.asend(value)
        ready.close()
        assert [v async for v in ready] == [value]
        waits: Chan[object] = Chan()
        gosched.go(waits.asend(value))
        assert await waits.arecv() is value

    virtual_run(main)


def test_more_at_once_than_are_kept_for_reuse() -> None:
    async def main() -> None:
        ch: Chan[int] = Chan(100)
        sends = [ch.asend(i) for i in range(100)]
        for op in sends:
            await op
        receives = [ch.arecv() for _ in range(100)]
        assert [await op for op in receives] == list(range(100))

    virtual_run(main)
