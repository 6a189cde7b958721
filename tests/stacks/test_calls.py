"""blocking() where others are bound to the caller's thread: a helper thread makes the call, and only the caller waits."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched import Chan, DeadlockError, Event, Goexit, Runtime, WaitGroup, blocking, go, sleep, yield_now
from gosched.system import helpers
from tests.stalls.waiting import PATIENCE

from .places import Place, beside, ended, parked, wait_for, wait_slowly

var: contextvars.ContextVar[str] = contextvars.ContextVar("var", default="none")


def at_home(place: Place, body: Callable[[], Any], **options: Any) -> Any:
    """Runs body on a thread to which another goroutine is bound, if goroutines share threads, and gives its result."""

    def main() -> Any:
        gate = Event()
        others = beside(place, gate)
        try:
            return body()
        finally:
            gate.set()
            ended(others)

    return place.run(main, **options)


def test_results_and_arguments(place: Place) -> None:
    def joins(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return (*args, *sorted(kwargs.items()))

    assert at_home(place, lambda: blocking(joins, 1, fn=2, args=3)) == (1, ("args", 3), ("fn", 2))


def test_exceptions(place: Place) -> None:
    def fails() -> None:
        raise KeyError("from the call")

    with pytest.raises(KeyError, match="from the call") as caught:
        at_home(place, lambda: blocking(fails))
    assert [entry.name for entry in caught.traceback][-1] == "fails"


def test_others_bound_there_go_on(place: Place) -> None:
    """The call lasts until they have had their turns."""
    gate, turns = threading.Event(), list[int]()

    def neighbour() -> None:
        for _ in range(20):
            turns.append(1)
            yield_now()
        sleep(0.001)
        gate.set()

    def main() -> bool:
        them = [go(neighbour)]
        yield_now()
        answer = blocking(gate.wait, PATIENCE)
        ended(them)
        return answer

    assert place.run(main)
    assert len(turns) == 20


def test_context_variables_are_seen(place: Place) -> None:
    def body() -> str:
        var.set("the caller's")
        return blocking(var.get)

    assert at_home(place, body) == "the caller's"


def test_context_variables_that_the_call_sets_stay(light: Place) -> None:
    def body() -> str:
        blocking(var.set, "set by the call")
        return var.get()

    assert at_home(light, body) == "set by the call"


def test_a_helper_is_no_goroutine(light: Place) -> None:
    """go() and current() say so."""

    def call() -> list[str]:
        said = []
        for attempt in (lambda: go(int), gosched.current):
            with pytest.raises(RuntimeError) as caught:
                attempt()
            said.append(str(caught.value))
        return said

    def body() -> bool:
        first, second = blocking(call)
        return first.startswith("go() outside of a goroutine") and second.startswith("current() outside of a goroutine")

    assert at_home(light, body)


def test_channel_operations_inside(place: Place) -> None:
    ch, back = Chan[int](), Chan[int]()

    def call() -> list[int]:
        got = []
        for i in range(3):
            back.send(i)
            got.append(ch.recv())
        return got

    def answers() -> None:
        for _ in range(3):
            ch.send(10 * back.recv())

    def body() -> list[int]:
        go(answers)
        return blocking(call)

    assert at_home(place, body) == [0, 10, 20]


def test_it_nests(place: Place) -> None:
    assert at_home(place, lambda: blocking(lambda: blocking(lambda: 2) + 1) + 1) == 4


def test_goexit_inside(place: Place) -> None:
    """It ends the goroutine."""
    log: list[str] = []

    def leaves() -> None:
        raise Goexit

    def caller() -> None:
        try:
            blocking(leaves)
            log.append("went on")
        finally:
            log.append("finally")

    def main() -> None:
        gate = Event()
        other = go(gate.wait)
        parked([other])
        ended([go(caller)])
        gate.set()

    place.run(main)
    assert log == ["finally"]


def test_no_false_deadlock(place: Place) -> None:
    """Everybody waits but for the calls."""
    assert at_home(place, lambda: blocking(time.sleep, 0.3)) is None


def test_a_deadlock_after_a_call_is_one(place: Place) -> None:
    def main() -> None:
        parked([go(Event().wait)])
        blocking(time.sleep, 0.001)
        Event().wait()

    with pytest.raises(DeadlockError):
        place.run(main)


def test_two_hundred_at_once(place: Place) -> None:
    n = 200
    barrier = threading.Barrier(n)

    def calls(i: int, results: Chan[int]) -> None:
        def call() -> int:
            barrier.wait(PATIENCE)
            return 2 * i

        results.send(blocking(call))

    def main() -> list[int]:
        results: Chan[int] = Chan(n)
        parked([go(Event().wait)])
        for i in range(n):
            go(calls, i, results)
        return sorted(results.recv() for _ in range(n))

    assert place.run(main) == [2 * i for i in range(n)]


@pytest.fixture
def new_helpers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[threading.Thread]]:
    """Asks for the living ones that the test has started. None of these leaves because it had nothing to do for a while."""
    monkeypatch.setattr(helpers, "IDLE_SECONDS", 10 * PATIENCE)

    def living() -> set[threading.Thread]:
        return {t for t in threading.enumerate() if t.name == "gosched helper"}

    before = living()
    return lambda: living() - before


def test_helpers_are_used_again(light: Place, new_helpers: Callable[[], set[threading.Thread]]) -> None:
    def body() -> int:
        for _ in range(100):
            blocking(int)
            wait_for(lambda: Runtime.current()._host.helpers.idle, "the helper to be idle")  # it answers first
        return len(new_helpers())

    assert at_home(light, body) == 1


def test_helpers_end_with_the_program(light: Place, new_helpers: Callable[[], set[threading.Thread]]) -> None:
    def body() -> set[threading.Thread]:
        blocking(int)
        return new_helpers()

    found = at_home(light, body)
    assert found
    for helper in found:
        helper.join(PATIENCE)
    assert not new_helpers()


def test_the_end_of_main_during_a_call(light: Place) -> None:
    """The caller unwinds at once; nobody waits for the call."""
    gate, log = threading.Event(), list[str]()

    def caller(begun: threading.Event) -> None:
        def call() -> None:
            begun.set()
            gate.wait(PATIENCE)

        beside(light, Event())
        try:
            blocking(call)
        finally:
            log.append("unwound")

    def main() -> None:
        begun = threading.Event()
        go(caller, begun)
        wait_slowly(begun.is_set, "the call")

    def alone() -> None:
        main()

    try:
        light.run(alone, grace=PATIENCE / 2)
    finally:
        gate.set()
    assert log == ["unwound"]


def test_calls_among_turns(place: Place) -> None:
    total: list[int] = []

    def works(wg: WaitGroup) -> None:
        for _ in range(20):
            blocking(total.append, 1)
            yield_now()
            blocking(time.sleep, 0)
        wg.done()

    def main() -> tuple[int, int]:
        wg = WaitGroup()
        wg.add(20)
        for _ in range(20):
            go(works, wg)
        wg.wait()
        wait_for(lambda: gosched.num_goroutine() == 1, "their ends")
        return gosched.stats().blocking_calls, gosched.stats().stacks_aside

    assert place.run(main) == (800, 0)
    assert len(total) == 400
