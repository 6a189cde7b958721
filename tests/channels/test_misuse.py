"""Misuse and what it says; nil; the protocols for one direction; what a channel says of itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, ClosedChannelError, EndOfChannel, GoschedError, RecvChan, SendChan, aselect, default, nil, select

from .worlds import World


def closed(*values: Any) -> Chan[Any]:
    ch = Chan[Any](len(values))
    for value in values:
        ch.send(value)
    ch.close()
    return ch


def test_send_on_closed(world: World) -> None:
    async def main(w: World) -> None:
        ch = closed(1)
        for send in (lambda: w.send(ch, 2), lambda: w.send(ch, 2, timeout=1), lambda: w.select((ch.send, 2))):
            with pytest.raises(ClosedChannelError, match=r"^send on closed channel$") as caught:
                await send()
            assert caught.value.channel is ch
            assert not isinstance(caught.value, EndOfChannel)
        with pytest.raises(ClosedChannelError, match=r"^send on closed channel$") as caught:
            ch.try_send(2)
        assert caught.value.channel is ch
        assert ch.try_recv() == (1, True)

    world.run(main)


def test_receive_on_closed(world: World) -> None:
    async def main(w: World) -> None:
        ch = closed()
        for receive in (lambda: w.recv(ch), lambda: w.recv(ch, timeout=1)):
            with pytest.raises(EndOfChannel, match=r"^receive on closed channel$") as caught:
                await receive()
            assert (caught.value.channel is ch, caught.value.index) == (True, None)
        with pytest.raises(EndOfChannel, match=r"^receive on closed channel$") as caught:
            ch.try_recv()
        assert (caught.value.channel is ch, caught.value.index) == (True, None)
        assert await w.recv_ok(ch, timeout=1) == (None, False)
        assert [v async for v in w.values(ch)] == []

    world.run(main)


def test_the_errors_are_a_tree() -> None:
    assert issubclass(EndOfChannel, ClosedChannelError)
    assert issubclass(ClosedChannelError, GoschedError)
    assert issubclass(gosched.DeadlineExceeded, TimeoutError)


def test_close_twice() -> None:
    ch = closed()
    with pytest.raises(ClosedChannelError, match=r"^close of closed channel$") as caught:
        ch.close()
    assert caught.value.channel is ch


def test_close_of_nil() -> None:
    with pytest.raises(ClosedChannelError, match=r"^close of nil channel$") as caught:
        nil.close()
    assert caught.value.channel is nil
    assert not nil.closed


@pytest.mark.parametrize("capacity", [1.0, "1", None, True, [1]], ids=repr)
def test_capacity_of_a_bad_type(capacity: Any) -> None:
    with pytest.raises(TypeError, match=rf"^Chan\(\): capacity must be an int, not {type(capacity).__name__}$"):
        Chan(capacity)


@pytest.mark.parametrize("capacity", [-1, -(2**40), -(2**70)], ids=repr)
def test_negative_capacity(capacity: int) -> None:
    with pytest.raises(ValueError, match=rf"^Chan\(\): capacity must be 0 or more, not {capacity}$"):
        Chan(capacity)


@pytest.mark.parametrize("capacity", [2**63, 2**70], ids=repr)
def test_capacity_beyond_all_memory(capacity: int) -> None:
    """Go: makechan: size out of range."""
    with pytest.raises(ValueError, match="capacity"):
        Chan(capacity)


# ---- select ----

BAD_CASES: dict[str, Callable[[Chan[int]], Any]] = {
    "the channel": lambda ch: ch,
    "its value": lambda ch: 1,
    "None": lambda ch: None,
    "send without a value": lambda ch: ch.send,
    "receive with a value": lambda ch: (ch.recv, 1),
    "send with two values": lambda ch: (ch.send, 1, 2),
    "a list": lambda ch: [ch.send, 1],
    "the twin of recv": lambda ch: ch.arecv,
    "the twin of send": lambda ch: (ch.asend, 1),
    "the result of len": lambda ch: len(ch),
    "try_recv": lambda ch: ch.try_recv,
    "an unbound method": lambda ch: Chan.recv,
    "a method of something else": lambda ch: [].append,
    "a function": lambda ch: print,
    "default in a tuple": lambda ch: (default, 1),
    "an empty tuple": lambda ch: (),
}


def test_bad_case(world: World) -> None:
    async def main(w: World) -> None:
        for name, bad in BAD_CASES.items():
            ch = Chan[int](1)
            case = bad(ch)
            with pytest.raises(TypeError) as caught:
                await w.select(Chan[int](1).recv, case)
            assert str(caught.value) == f"select: case 1 must be ch.recv, ch.recv_ok, (ch.send, value), a Context or default, not {case!r}", name
            assert (len(ch), ch.try_recv()) == (0, (None, False))

    world.run(main)


def test_two_defaults(world: World) -> None:
    async def main(w: World) -> None:
        ch = closed(1)
        with pytest.raises(ValueError, match=r"^select: case 2: a second default; one is enough$"):
            await w.select(default, ch.recv, default)
        assert len(ch) == 1

    world.run(main)


@pytest.mark.parametrize("timeout", [0, 1, 2.5])
def test_default_with_a_timeout(world: World, timeout: float) -> None:
    async def main(w: World) -> None:
        ch = closed(1)
        with pytest.raises(ValueError, match=r"^select: default with a timeout: default never waits, so leave one of them out$"):
            await w.select(ch.recv, default, timeout=timeout)
        assert len(ch) == 1

    world.run(main)


def test_default_is_no_function() -> None:
    with pytest.raises(TypeError, match=r"default is a case for select\(\)"):
        default()
    assert repr(default) == "default"


def test_too_many_cases() -> None:
    """Go's limit."""
    ch = Chan[int](1)
    ch.send(1)
    with pytest.raises(ValueError, match=r"^select takes up to 65536 cases, not 65537$"):
        select(*[ch.recv] * 65537)
    assert select(*[ch.recv] * 65536)[1] == 1


# ---- timeout= and ctx= ----

OPERATIONS: dict[str, Callable[..., Any]] = {
    "send": lambda w, ch, **limits: w.send(ch, 1, **limits),
    "recv": lambda w, ch, **limits: w.recv(ch, **limits),
    "recv_ok": lambda w, ch, **limits: w.recv_ok(ch, **limits),
    "select": lambda w, ch, **limits: w.select(ch.recv, **limits),
    "send on nil": lambda w, ch, **limits: w.send(nil, 1, **limits),
    "recv on nil": lambda w, ch, **limits: w.recv(nil, **limits),
    "recv_ok on nil": lambda w, ch, **limits: w.recv_ok(nil, **limits),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_bad_limit(world: World, name: str) -> None:
    """Found also when the operation would go through at once, and then nothing has happened."""

    async def main(w: World) -> None:
        ready = Chan[int](2)
        ready.send(1)
        for ch in (Chan[int](), ready):
            for timeout in ("1", b"1", [1], True, 1j):
                with pytest.raises(TypeError, match=rf"^timeout must be seconds, an int or a float, not {type(timeout).__name__}$"):
                    await OPERATIONS[name](w, ch, timeout=timeout)
            with pytest.raises(ValueError, match=r"^timeout must be seconds, not nan$"):
                await OPERATIONS[name](w, ch, timeout=float("nan"))
            for ctx in ("ctx", 1, object) if name != "select" else ():
                with pytest.raises(TypeError, match=rf"^ctx must be a Context, not {type(ctx).__name__}$"):
                    await OPERATIONS[name](w, ch, ctx=ctx)
        assert len(ready) == 1

    world.run(main)


# ---- twins outside of a goroutine ----


@pytest.mark.parametrize(
    "twin",
    [
        lambda ch: ch.arecv(),
        lambda ch: ch.arecv_ok(),
        lambda ch: ch.asend(1),
        lambda ch: ch.arecv(timeout=1),
        lambda ch: ch.asend(1, timeout=1),
        lambda ch: aselect(ch.recv),
        lambda ch: aselect(ch.recv, timeout=1),
        lambda ch: ch.__anext__(),
    ],
    ids=["arecv", "arecv_ok", "asend", "arecv timeout", "asend timeout", "aselect", "aselect timeout", "anext"],
)
def test_a_twin_outside_of_a_goroutine(twin: Callable[[Chan[int]], Any]) -> None:
    ch = Chan[int](2)
    ch.send(1)
    operation = twin(ch)
    with pytest.raises(RuntimeError, match=r"outside of a goroutine: use it inside a goroutine: run\(main\), go\(fn\)$"):
        operation.send(None)
    operation.close()
    assert len(ch) == 1


# ---- nil ----


def test_nil() -> None:
    assert not nil
    assert (len(nil), nil.capacity, nil.closed, repr(nil)) == (0, 0, False, "nil")
    assert not nil.try_send(1)
    assert nil.try_recv() == (None, False)


def test_nil_iterates_for_ever(virtual: World) -> None:
    async def main(w: World) -> str:
        async def iterates() -> None:
            async for _ in w.values(nil):
                raise AssertionError("a value from nil")
            raise AssertionError("the end of nil")

        g = w.go(iterates)
        await w.all_blocked()
        return str(g.wait_reason)

    assert virtual.run(main) == "chan receive (nil chan)"


# ---- what it says of itself ----


def test_repr() -> None:
    ch = Chan[int](3)
    ch.send(1)
    assert repr(ch) == f"<Chan 1/3 at {id(ch):#x}>"
    ch.close()
    assert repr(ch) == f"<Chan 1/3 closed at {id(ch):#x}>"


def test_a_channel_is_true_and_itself() -> None:
    a, b = Chan[int](), Chan[int]()
    assert a
    assert bool(closed())
    assert a == a
    assert a != b
    assert len({a, b, a}) == 2


def test_capacity_is_read_only() -> None:
    ch = Chan[int](capacity=4)
    assert ch.capacity == 4
    with pytest.raises(AttributeError):
        ch.capacity = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        ch.closed = True  # type: ignore[misc]


def test_one_direction() -> None:
    """SendChan and RecvChan: a function that takes one can use nothing else, and any channel is both."""

    async def produce(out: SendChan[int], n: int) -> None:
        for i in range(n):
            await out.asend(i)
        assert out.try_send(n) is (out.capacity > 0)
        out.close()
        assert out.closed

    async def consume(source: RecvChan[int]) -> list[int]:
        got = [await source.arecv(), source.recv()]
        got += [v for v, ok in [await source.arecv_ok(), source.recv_ok()] if ok and v is not None]
        async for v in source:
            got.append(v)
        got += list(source)
        return got

    async def main() -> list[int]:
        ch = Chan[int](2)
        gosched.go(produce, ch, 6)
        return await consume(ch)

    got = gosched.testing.virtual_run(main)  # on real threads the consumer may be late, and then there is no room for the last
    assert got[:6] == list(range(6))
    names = {n for protocol in (SendChan, RecvChan) for n in vars(protocol) if not n.startswith("_") or n in ("__len__", "__iter__", "__aiter__")}
    for ch in (Chan[int](), nil):
        assert all(hasattr(ch, n) for n in names)


def test_a_timers_channel_is_a_recv_chan() -> None:
    async def main() -> bool:
        c: RecvChan[float] = gosched.after(0)
        return await c.arecv() <= gosched.now() and (len(c), c.capacity, c.closed) == (0, 0, False)

    assert gosched.testing.virtual_run(main)
