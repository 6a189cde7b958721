"""What belongs to a goroutine across its waits: context variables, and its thread as long as it is plain."""

from __future__ import annotations

import contextvars
import decimal
import threading
from typing import Any

from gosched import Chan, Event, WaitGroup, asleep, ayield_now, go, sleep, yield_now

from .places import Place, ended, parked

var: contextvars.ContextVar[Any] = contextvars.ContextVar("var", default="none")
ident = threading.get_ident


def test_each_keeps_its_own(place: Place) -> None:
    """Set before, between and after waits, in both spellings."""
    wrong: list[Any] = []

    def plain(i: int) -> None:
        for turn in range(20):
            var.set((i, turn))
            yield_now()
            if var.get() != (i, turn):
                wrong.append((i, turn, var.get()))
            if turn % 7 == 0:
                sleep(0.0002)

    async def mixed(i: int) -> None:
        for turn in range(20):
            var.set((i, turn))
            if turn % 2:
                await ayield_now()
            else:
                yield_now()
            if var.get() != (i, turn):
                wrong.append((i, turn, var.get()))
            if turn % 7 == 0:
                await asleep(0.0002)

    def main() -> Any:
        var.set("main")
        wg = WaitGroup()
        for i in range(10):
            wg.go(plain, i)
            wg.go(mixed, 100 + i)
        wg.wait()
        return var.get()

    assert place.run(main) == "main"
    assert wrong == []
    assert var.get() == "none"


def test_one_begins_with_its_creators_values(place: Place) -> None:
    def child(log: list[Any]) -> None:
        log.append(var.get())
        yield_now()
        log.append(var.get())

    def parent(i: int, gate: Event, log: list[Any]) -> None:
        var.set(i)
        gate.wait()
        ended([go(child, log)])
        log.append(var.get())

    def main() -> list[Any]:
        gate, log = Event(), list[Any]()
        them = [go(parent, i, gate, log) for i in range(5)]
        parked(them)
        var.set("main")
        gate.set()
        ended(them)
        return sorted(log)

    assert place.run(main) == sorted([*range(5)] * 3)


def test_a_token_is_good_after_a_wait(place: Place) -> None:
    def sets(i: int, log: list[Any]) -> None:
        token = var.set(i)
        yield_now()
        inner = var.set(-i)
        sleep(0.0002)
        var.reset(inner)
        log.append(var.get() == i)
        yield_now()
        var.reset(token)
        log.append(var.get() == "main")

    async def sets_async(i: int, log: list[Any]) -> None:
        token = var.set(i)
        yield_now()
        await ayield_now()
        yield_now()
        var.reset(token)
        log.append(var.get() == "main")

    def main() -> list[Any]:
        var.set("main")
        log: list[Any] = []
        ended([go(sets, i, log) for i in range(5)] + [go(sets_async, i, log) for i in range(5)])
        return log

    assert place.run(main) == [True] * 15


def test_a_context_that_was_entered_by_hand(place: Place) -> None:
    """context.run around a wait: it is entered when the goroutine goes on, and left at the end; another goroutine may enter its own meanwhile."""

    def waits(i: int, gate: Event) -> Any:
        var.set(i)
        gate.wait()
        return var.get()

    def enters(i: int, gate: Event, log: list[Any]) -> None:
        var.set("outside")
        context = contextvars.copy_context()
        log.append((context.run(waits, i, gate), var.get(), context[var]))

    def main() -> list[Any]:
        gate, log = Event(), list[Any]()
        them = [go(enters, i, gate, log) for i in range(5)]
        parked(them)
        gate.set()
        ended(them)
        return sorted(log)

    assert place.run(main) == [(i, "outside", i) for i in range(5)]


def test_decimal_contexts(place: Place) -> None:
    """They are context variables."""

    def divides(precision: int, log: list[Any]) -> None:
        with decimal.localcontext() as context:
            context.prec = precision
            yield_now()
            log.append((precision, str(decimal.Decimal(1) / 3)))

    def main() -> list[Any]:
        log: list[Any] = []
        ended([go(divides, n, log) for n in range(1, 8)])
        return sorted(log)

    assert place.run(main) == [(n, "0." + "3" * n) for n in range(1, 8)]


def test_a_plain_goroutine_stays_on_one_thread(place: Place) -> None:
    """ident, current_thread and a threading.local, over waits of every kind, woken by others and by time."""
    local = threading.local()
    wrong: list[Any] = []

    def stays(i: int, ch: Chan[int], wg: WaitGroup) -> None:
        mine, thread, marks = ident(), threading.current_thread(), object()
        setattr(local, f"mark{i}", marks)
        for turn in range(10):
            if turn % 3 == 0:
                ch.recv()
            elif turn % 3 == 1:
                yield_now()
            else:
                sleep(0.0003)
            if ident() != mine or threading.current_thread() is not thread or getattr(local, f"mark{i}", None) is not marks:
                wrong.append((i, turn))
        wg.done()

    async def feeds(ch: Chan[int]) -> None:
        n = 0
        while True:
            n += 1
            await ch.asend(n)

    async def main() -> None:
        wg = WaitGroup()
        ch: Chan[int] = Chan()
        wg.add(10)
        for i in range(10):
            go(stays, i, ch, wg)
        for _ in range(3):
            go(feeds, ch)
        await wg

    place.run(main)
    assert wrong == []


def test_an_async_one_stays_during_a_plain_operation(place: Place) -> None:
    """Between the two sides of one operation it is on one thread. After its next await it may be on another."""
    wrong: list[Any] = []

    async def mixed(i: int, wg: WaitGroup) -> None:
        for turn in range(20):
            mine = ident()
            if turn % 2:
                yield_now()
            else:
                sleep(0.0002)
            if ident() != mine:
                wrong.append((i, turn))
            await ayield_now()
        wg.done()

    async def main() -> None:
        wg = WaitGroup()
        wg.add(12)
        for i in range(12):
            go(mixed, i, wg)
        await wg

    place.run(main)
    assert wrong == []
