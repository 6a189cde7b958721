"""What a goroutine has on its stack when it waits by the plain spelling is its own: frames, exceptions, generators, depth."""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gosched import Chan, Event, go, select, yield_now

from .places import Place, ended, parked, wait_for

# ---- exceptions ----


def names_of(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_a_traceback_shows_the_goroutines_own_frames(place: Place) -> None:
    def outer(i: int, gate: Event) -> None:
        inner(i, gate)

    def inner(i: int, gate: Event) -> None:
        gate.wait()
        raise KeyError(i)

    def catches(i: int, gate: Event, errors: dict[int, KeyError]) -> None:
        try:
            outer(i, gate)
        except KeyError as error:
            errors[i] = error

    def main() -> dict[int, KeyError]:
        gate, errors = Event(), dict[int, KeyError]()
        them = [go(catches, i, gate, errors) for i in range(5)]
        parked(them)
        gate.set()
        ended(them)
        return errors

    errors = place.run(main)
    for i in range(5):
        assert errors[i].args == (i,)
        assert names_of(errors[i]) == ["catches", "outer", "inner"]
        assert errors[i].__context__ is None


def test_an_uncaught_one_too(place: Place) -> None:
    def waits(gate: Event) -> None:
        gate.wait()

    def fails(gate: Event) -> None:
        waits(gate)
        raise LookupError("after the wait")

    def main() -> None:
        gate = Event()
        others = [go(Event().wait) for _ in range(5)]
        g = go(fails, gate, name="bad one")
        parked([g, *others])
        gate.set()
        Event().wait()

    with pytest.raises(LookupError, match="after the wait") as caught:
        place.run(main)
    own = [name for name in names_of(caught.value) if name in ("waits", "fails", "main", "parked")]
    assert own == ["fails"]
    assert "(bad one)" in caught.value.__notes__[0]


def test_the_stack_of_calls_is_its_own(place: Place) -> None:
    """What sys._getframe shows ends at the goroutine's body, after a park as before."""

    def named() -> list[str]:
        frame, found = sys._getframe(1), list[str]()
        while frame is not None:
            if "tests/stacks" in frame.f_code.co_filename:
                found.append(frame.f_code.co_name)
            frame = frame.f_back  # type: ignore[assignment]
        return found

    def second(gate: Event) -> list[str]:
        before = named()
        gate.wait()
        assert named() == before
        return before

    def first(gate: Event, log: list[list[str]]) -> None:
        log.append(second(gate))

    def main() -> list[list[str]]:
        gate, log = Event(), list[list[str]]()
        them = [go(first, gate, log) for _ in range(4)]
        parked(them)
        gate.set()
        ended(them)
        return log

    assert place.run(main) == [["second", "first"]] * 4


def test_an_exception_in_flight_stays_with_its_goroutine(place: Place) -> None:
    def handles(i: int, gate: Event, other: Event, log: list[Any]) -> None:
        assert sys.exc_info() == (None, None, None)
        try:
            raise KeyError(i)
        except KeyError as error:
            gate.wait()
            log.append(sys.exc_info()[1] is error)
            try:
                raise ValueError(i)
            except ValueError as second:
                other.wait()
                log.append((sys.exc_info()[1] is second, second.__context__ is error))
            log.append(sys.exc_info()[1] is error)
            try:
                yield_now()
                raise
            except KeyError as again:
                log.append((again is error, again.args == (i,)))
        assert sys.exc_info() == (None, None, None)

    def main() -> list[Any]:
        gate, other, log = Event(), Event(), list[Any]()
        them = [go(handles, i, gate, other, log) for i in range(5)]
        parked(them)
        assert sys.exc_info() == (None, None, None)
        gate.set()
        parked(them)
        other.set()
        ended(them)
        return log

    log = place.run(main)
    assert len(log) == 20
    assert [entry for entry in log if entry not in (True, (True, True))] == []


def test_a_stack_that_was_used_before_has_no_exception(place: Place) -> None:
    """One ends in an except block, with Goexit or with an error: the next on that stack knows nothing of it."""

    def fails(gate: Event) -> None:
        try:
            raise KeyError("first")
        except KeyError:
            gate.wait()
            raise ValueError("second") from None

    def looks(log: list[Any]) -> None:
        log.append(sys.exc_info()[1])
        yield_now()
        log.append(sys.exc_info()[1])
        try:
            raise IndexError
        except IndexError as error:
            log.append(error.__context__)

    def main() -> list[Any]:
        log: list[Any] = []
        for _ in range(5):
            gate = Event()
            them = [go(fails, gate) for _ in range(3)]
            parked(them)
            gate.set()
            ended(them)
            ended([go(looks, log) for _ in range(3)])
        return log

    assert place.run(main, on_uncaught=lambda g, error: None) == [None] * 45


def test_a_bare_raise_without_an_exception_of_its_own(place: Place) -> None:
    """Others are in except blocks on the same thread."""

    def holds(gate: Event) -> None:
        try:
            raise KeyError
        except KeyError:
            gate.wait()

    def raises(log: list[str]) -> None:
        try:
            raise
        except RuntimeError as error:
            log.append(str(error))

    def main() -> list[str]:
        gate, log = Event(), list[str]()
        them = [go(holds, gate) for _ in range(3)]
        parked(them)
        ended([go(raises, log) for _ in range(3)])
        gate.set()
        ended(them)
        return log

    assert place.run(main) == ["No active exception to reraise"] * 3


# ---- where it may wait ----


def numbers(ch: Chan[int], n: int) -> Iterator[int]:
    for _ in range(n):
        yield ch.recv()


def nested(ch: Chan[int], n: int) -> Iterator[int]:
    yield from numbers(ch, n)
    yield from (x + 100 for x in numbers(ch, n))


@contextlib.contextmanager
def waits_around(ch: Chan[int], log: list[int]) -> Iterator[None]:
    log.append(ch.recv())
    try:
        yield
    finally:
        log.append(ch.recv())


def in_generators(ch: Chan[int]) -> list[int]:
    return list(nested(ch, 3))


def in_comprehensions(ch: Chan[int]) -> list[int]:
    return [x for row in [[ch.recv() for _ in range(2)] for _ in range(3)] for x in row]


def in_dict_and_set(ch: Chan[int]) -> list[int]:
    return sorted({ch.recv(): ch.recv() for _ in range(2)}) + sorted({ch.recv() for _ in range(2)})


def in_with(ch: Chan[int]) -> list[int]:
    log: list[int] = []
    with waits_around(ch, log), waits_around(ch, log):
        log.append(ch.recv())
    return log[:3]


def in_sort_key(ch: Chan[int]) -> list[int]:
    return sorted([0] * 6, key=lambda _: ch.recv()) + [ch.recv() * 0]  # noqa: RUF005


def in_special_methods(ch: Chan[int]) -> list[int]:
    class Odd:
        def __getitem__(self, i: int) -> int:
            return ch.recv() + i

        def __iter__(self) -> Iterator[int]:
            return self

        def __next__(self) -> int:
            return ch.recv()

        def __hash__(self) -> int:
            return ch.recv()

        def __eq__(self, other: object) -> bool:
            return ch.recv() >= 0

        def __getattr__(self, name: str) -> int:
            return ch.recv()

        def __len__(self) -> int:
            return ch.recv() + 1

    odd = Odd()
    return [odd[0] * 0, next(odd) * 0, hash(odd) * 0, int(odd == 1), odd.anything * 0, len(odd) * 0]


def in_a_finaliser(ch: Chan[int]) -> list[int]:
    log: list[int] = []

    class Last:
        def __del__(self) -> None:
            log.append(ch.recv())

    for _ in range(6):
        Last()
    return log


def through_c(ch: Chan[int]) -> list[int]:
    """map, filter, max, exec, a property: C frames in between."""

    class Box:
        @property
        def value(self) -> int:
            return ch.recv()

    space: dict[str, Any] = {"ch": ch}
    exec("got = ch.recv()", space)
    return [*map(lambda _: ch.recv(), range(2)), max([1, 2], key=lambda _: ch.recv()) * 0, Box().value, space["got"]]  # noqa: C417


EXPECTED: dict[Any, list[int]] = {
    in_generators: [0, 1, 2, 103, 104, 105],
    in_comprehensions: [0, 1, 2, 3, 4, 5],
    in_dict_and_set: [0, 2, 4, 5],
    in_with: [0, 1, 2],
    in_sort_key: [0] * 7,
    in_special_methods: [0, 0, 0, 1, 0, 0],
    in_a_finaliser: [0, 1, 2, 3, 4, 5],
    through_c: [1, 2, 0, 5, 0],
}


@pytest.mark.parametrize("body", list(EXPECTED))
def test_waiting_inside(place: Place, body: Callable[[Chan[int]], list[int]]) -> None:
    """Six at once, each with a channel of its own, fed in turn: every one is set aside in the middle, again and again."""
    n = 6

    def collects(ch: Chan[int], results: Chan[tuple[int, list[int]]], i: int) -> None:
        results.send((i, body(ch)))

    def feeds(ch: Chan[int], over: Event) -> None:
        i = 0
        while not over.is_set():
            index, _ = select((ch.send, i), timeout=0.001)
            i += index is not None
            yield_now()

    def main() -> list[tuple[int, list[int]]]:
        over = Event()
        results: Chan[tuple[int, list[int]]] = Chan()
        for i in range(n):
            ch: Chan[int] = Chan()
            go(collects, ch, results, i)
            go(feeds, ch, over)
        got = sorted(results.recv() for _ in range(n))
        over.set()
        return got

    assert place.run(main) == [(i, EXPECTED[body]) for i in range(n)]


def test_a_generator_goes_from_one_goroutine_to_another(place: Place) -> None:
    """Begun by one, which ends; its next value waits on another's stack."""

    def main() -> list[int]:
        ch: Chan[int] = Chan(10)
        for i in range(10):
            ch.send(i)
        steps, got = numbers(ch, 10), list[int]()

        def takes() -> None:
            got.append(next(steps))
            yield_now()
            got.append(next(steps))

        for _ in range(5):
            ended([go(takes)])
        return got

    assert place.run(main) == list(range(10))


def test_a_generator_that_waits_says_so_to_a_second_one(place: Place) -> None:
    """Two goroutines in one generator at once: Python's own error, and the first goes on."""
    log: list[str] = []

    def main() -> int:
        ch: Chan[int] = Chan()
        steps = numbers(ch, 1)
        got: Chan[int] = Chan(1)
        first = go(lambda: got.send(next(steps)))
        parked([first])
        try:
            next(steps)
        except ValueError as error:
            log.append(str(error))
        ch.send(7)
        return got.recv()

    assert place.run(main) == 7
    assert log == ["generator already executing"]


# ---- trace functions ----


@pytest.mark.parametrize("setter", [sys.settrace, sys.setprofile])
def test_a_trace_function_goes_on_after_a_park(place: Place, setter: Callable[[Any], None]) -> None:
    """It is the thread's, as everywhere in Python: after a park it still sees the goroutine that has set it. With light stacks it sees the others on
    that thread as well, until it is taken away."""
    seen: list[str] = []

    def sees(frame: Any, event: str, arg: Any) -> Any:
        if event == "call":
            seen.append(frame.f_code.co_name)
        return sees

    def early() -> None:
        pass

    def late() -> None:
        pass

    def never() -> None:
        pass

    def traced(gate: Event) -> None:
        setter(sees)
        try:
            early()
            gate.wait()
            late()
        finally:
            setter(None)
        never()

    def main() -> None:
        gate = Event()
        g = go(traced, gate)
        parked([g])
        gate.set()
        ended([g])

    place.run(main)
    own = [name for name in seen if name in ("early", "late", "never")]
    assert own == ["early", "late"]


# ---- depth ----


def down(n: int, bottom: Callable[[], Any]) -> Any:
    return bottom() if n == 0 else down(n - 1, bottom)


def room() -> int:
    """How many more calls there is room for."""
    try:
        return 1 + room()
    except RecursionError:
        return 0


def test_each_has_a_depth_of_its_own(place: Place) -> None:
    def main() -> list[str]:
        gate, log = Event(), list[str]()

        def deep() -> None:
            down(900, gate.wait)
            log.append("up again")

        them = [go(deep) for _ in range(10)]
        parked(them)
        gate.set()
        ended(them)
        return log

    assert place.run(main) == ["up again"] * 10


def test_too_deep_in_one_does_not_hurt_another(place: Place) -> None:
    def endless(n: int) -> int:
        if n % 100 == 0:
            yield_now()
        return endless(n + 1) + 1

    def main() -> list[str]:
        gate, log = Event(), list[str]()

        def too_deep() -> None:
            try:
                endless(1)
            except RecursionError:
                log.append("too deep")
            yield_now()
            log.append("went on")

        def deep() -> None:
            down(500, gate.wait)
            log.append("fine")

        them = [go(deep) for _ in range(3)]
        parked(them)
        ended([go(too_deep) for _ in range(3)])
        gate.set()
        ended(them)
        return sorted(log)

    assert place.run(main) == ["fine"] * 3 + ["too deep"] * 3 + ["went on"] * 3


def test_the_room_stays_the_same(place: Place) -> None:
    """After many parks, in one goroutine and in new ones on stacks that were used before."""

    def main() -> list[int]:
        found: Chan[int] = Chan(100)

        def measures(parks: int) -> None:
            for _ in range(parks):
                yield_now()
            found.send(room())

        rooms: list[int] = []
        for parks in (0, 1, 2000, 0, 1):
            them = [go(measures, parks) for _ in range(4)]
            ended(them)
            rooms += [found.recv() for _ in range(4)]
        return rooms

    rooms = place.run(main)
    assert min(rooms) > sys.getrecursionlimit() * 0.9
    assert max(rooms) - min(rooms) <= 10


def test_a_deep_park_in_every_shape(place: Place) -> None:
    """Through generators and C calls that nest."""

    def main() -> list[int]:
        ch: Chan[int] = Chan()

        def level(n: int) -> Iterator[int]:
            if n == 0:
                yield ch.recv()
            else:
                yield from level(n - 1)

        def mapped(n: int) -> int:
            return ch.recv() if n == 0 else max(map(mapped, [n - 1]))

        results: Chan[int] = Chan(20)
        them = [go(lambda: results.send(next(level(200)))) for _ in range(5)] + [go(lambda: results.send(mapped(40))) for _ in range(5)]
        parked(them)
        for i in range(10):
            ch.send(i)
        ended(them)
        return sorted(results.recv() for _ in range(10))

    assert place.run(main) == list(range(10))


def test_a_crowd_that_wakes_in_any_order(place: Place) -> None:
    """Set aside in one order, gone on in another."""

    def main() -> list[int]:
        gates = [Chan[int]() for _ in range(60)]
        log: list[int] = []
        lock = threading.Lock()

        def waits(i: int) -> None:
            got = down(i, gates[i].recv)
            with lock:
                log.append(got)

        them = [go(waits, i) for i in range(60)]
        parked(them)
        for i in [*range(0, 60, 3), *range(59, -1, -3), *range(1, 60, 3)]:
            gates[i].send(i)
        wait_for(lambda: len(log) == 60, "all")
        ended(them)
        return sorted(log)

    assert place.run(main) == list(range(60))
