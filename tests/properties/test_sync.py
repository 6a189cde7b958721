"""Random programs over sync objects with timeouts, in virtual time: exclusion holds, waits end when they should, and nothing is lost."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gosched
from gosched import Cond, DeadlineExceeded, Event, Mutex, RWMutex, Semaphore, SyncError, WaitGroup, asleep, ayield_now
from gosched.testing import virtual_run
from tests.properties.test_channels import quiet

pytestmark = pytest.mark.slow

PERMITS = 3


@dataclass(frozen=True)
class Turn:
    """How one goroutine takes the thing, what it does while it has it, and how long it waits before. Milliseconds; 0 while it holds: a yield."""

    how: str
    timeout: int | None
    hold: int
    before: int
    plain: bool = False
    permits: int = 1


@dataclass
class Wait:
    """One lock or acquire: when it was asked for, when the wait was over, whether it was had, and until when."""

    permits: int
    begin: float
    end: float = -1.0
    had: bool = False
    until: float = -1.0


@dataclass
class Log:
    """Who is inside, and what became of the waits."""

    readers: int = 0
    writers: int = 0
    permits: int = 0
    entered: int = 0
    gave_up: int = 0
    waits: list[Wait] = field(default_factory=list)

    def enter(self, turn: Turn) -> None:
        self.entered += 1
        if turn.how in ("rlock", "try_rlock"):
            self.readers += 1
        elif turn.how in ("acquire", "try_acquire"):
            self.permits += turn.permits
        else:
            self.writers += 1
        assert self.writers <= 1
        assert self.writers == 0 or self.readers == 0
        assert self.permits <= PERMITS

    def leave(self, turn: Turn) -> None:
        if turn.how in ("rlock", "try_rlock"):
            self.readers -= 1
        elif turn.how in ("acquire", "try_acquire"):
            self.permits -= turn.permits
        else:
            self.writers -= 1


def programs(*how: str, permits: tuple[int, ...] = (1,)) -> st.SearchStrategy[Any]:
    """Goroutines, each with its turns; the number of Ps; a seed."""
    turns = [Turn(*rest) for rest in product(how, (None, None, 0, 1, 2, 5), range(4), range(4), (False, False, True), permits)]
    goroutine = st.lists(st.sampled_from(turns), min_size=1, max_size=4)
    return st.tuples(st.lists(goroutine, min_size=2, max_size=6), st.integers(1, 3), st.integers(0, 2**16))


async def pause(milliseconds: int) -> None:
    if milliseconds:
        await asleep(milliseconds / 1000)
    else:
        await ayield_now()


@contextlib.contextmanager
def on_time(timeout: int | None, wait: Wait) -> Iterator[None]:
    """A wait ends in time, or by DeadlineExceeded exactly when its time is over."""
    try:
        yield
        wait.had = True
    finally:
        wait.end = gosched.now()
        took = round((wait.end - wait.begin) * 1e6)
        if wait.had:
            assert timeout is None or took <= timeout * 1000
        else:
            assert timeout is not None
            assert took == timeout * 1000


@contextlib.asynccontextmanager
async def taken(thing: Any, turn: Turn, log: Log) -> AsyncIterator[bool]:
    """Takes it the way the turn says, and gives it back. Yields whether it was had."""
    arguments = (turn.permits,) if "acquire" in turn.how else ()
    wait = Wait(turn.permits, gosched.now())
    release = {"lock": "unlock", "rlock": "runlock", "acquire": "release"}[turn.how.removeprefix("try_")]
    if turn.how.startswith("try_"):
        had = getattr(thing, turn.how)(*arguments)
        wait.end = wait.begin
        wait.had = had
        if had:
            log.waits.append(wait)
    else:
        timeout = None if turn.timeout is None else turn.timeout / 1000
        log.waits.append(wait)
        try:
            with on_time(turn.timeout, wait):
                if turn.plain:
                    getattr(thing, turn.how)(*arguments, timeout=timeout)
                else:
                    await getattr(thing, f"a{turn.how}")(*arguments, timeout=timeout)
            had = True
        except DeadlineExceeded:
            had = False
            log.gave_up += 1
    if had:
        log.enter(turn)
    yield had
    if had:
        log.leave(turn)
        wait.until = gosched.now()
        getattr(thing, release)(*arguments)


def play(thing: Any, program: Any) -> Log:
    goroutines, procs, seed = program
    log = Log()

    async def goroutine(turns: list[Turn]) -> None:
        for turn in turns:
            await pause(turn.before)
            async with taken(thing, turn, log) as had:
                if had:
                    await pause(turn.hold)

    async def main() -> None:
        wg = WaitGroup()
        for turns in goroutines:
            wg.go(goroutine, turns)
        await wg

    virtual_run(main, gomaxprocs=procs, seed=seed)
    assert (log.readers, log.writers, log.permits) == (0, 0, 0)
    return log


def nobody_waits(queue: Any) -> None:
    """The pure build shows its queues."""
    if gosched.__build__ != "compiled":
        assert queue.waiting() == 0
        assert not queue._won


@quiet
@given(programs("lock", "lock", "lock", "try_lock"))
def test_mutex(program: Any) -> None:
    mutex = Mutex()
    play(mutex, program)
    assert mutex.try_lock(), "it was left locked, or somebody starves for ever"
    nobody_waits(mutex)
    mutex.unlock()
    with pytest.raises(SyncError, match=r"^sync: unlock of unlocked mutex$"):
        mutex.unlock()


@quiet
@given(programs("lock", "lock", "rlock", "rlock", "try_lock", "try_rlock"))
def test_rwmutex(program: Any) -> None:
    rw = RWMutex()
    play(rw, program)
    assert rw.try_rlock(), "a writer was left in it"
    assert rw.try_rlock()
    assert not rw.try_lock()
    rw.runlock()
    rw.runlock()
    assert rw.try_lock(), "a reader was left in it"
    nobody_waits(rw)
    nobody_waits(rw._writers)
    rw.unlock()
    with pytest.raises(SyncError, match=r"^sync: Unlock of unlocked RWMutex$"):
        rw.unlock()
    with pytest.raises(SyncError, match=r"^sync: RUnlock of unlocked RWMutex$"):
        rw.runlock()


@quiet
@given(programs("acquire", "acquire", "acquire", "try_acquire", permits=tuple(range(1, PERMITS + 1))))
def test_semaphore(program: Any) -> None:
    sem = Semaphore(PERMITS)
    log = play(sem, program)
    assert sem.try_acquire(PERMITS), "a permit was lost"
    nobody_waits(sem._core)
    sem.release(PERMITS)
    with pytest.raises(SyncError):
        sem.release()
    served = [wait.end for wait in log.waits if wait.had and wait.end > wait.begin]
    assert served == sorted(served), "who came later was served earlier"
    times = sorted({time for wait in log.waits for time in (wait.begin, wait.end, wait.until) if time >= 0})
    for before, after in pairwise(times):
        between = (before + after) / 2
        free = PERMITS - sum(wait.permits for wait in log.waits if wait.had and wait.end < between < wait.until)
        waiting = [wait for wait in log.waits if wait.begin < between < wait.end]
        assert not waiting or waiting[0].permits > free, "the first in line waits for what is there"


@quiet
@given(
    st.lists(st.sampled_from([*product((True, False), range(4), range(5), (1, 2))]), min_size=2, max_size=12),
    st.integers(1, 3),
    st.integers(0, 2**16),
)
def test_cond(actors: list[tuple[bool, int, int, int]], procs: int, seed: int) -> None:
    """Producers of tokens notify as many as they bring, consumers wait with a timeout. Nobody goes away while a token lies there."""
    mutex = Mutex()
    cond = Cond(mutex)
    made: list[float] = []
    used: list[float] = []

    async def producer(before: int, tokens: int) -> None:
        await pause(before)
        async with mutex:
            made.extend([gosched.now()] * tokens)
        cond.notify(tokens)

    async def consumer(before: int, timeout: int) -> None:
        await pause(before)
        begin = gosched.now()
        async with mutex:
            try:
                assert await cond.await_for(lambda: len(made) > len(used), timeout=timeout / 1000)
            except DeadlineExceeded:
                assert round((gosched.now() - begin) * 1e6) == timeout * 1000
                assert len(made) == len(used) or made[-1] == gosched.now()
            else:
                assert round((gosched.now() - begin) * 1e6) <= timeout * 1000
                used.append(gosched.now())
            assert not mutex.try_lock(), "a wait ends with the mutex locked, however it ends"

    async def main() -> None:
        wg = WaitGroup()
        for produces, before, timeout, tokens in actors:
            if produces:
                wg.go(producer, before, tokens)
            else:
                wg.go(consumer, before, timeout)
        await wg

    virtual_run(main, gomaxprocs=procs, seed=seed)
    assert len(used) <= len(made)
    assert mutex.try_lock()
    nobody_waits(cond)
    nobody_waits(mutex)


@quiet
@given(
    st.lists(st.sampled_from([*product((True, False), range(4), range(6), (False, True))]), min_size=1, max_size=6),
    st.integers(0, 4),
    st.integers(1, 3),
    st.integers(0, 2**16),
)
def test_event_and_waitgroup(waiters: list[tuple[bool, int, int, bool]], when: int, procs: int, seed: int) -> None:
    """Who waits long enough goes on when it happens; who does not has given up before."""
    event, group = Event(), WaitGroup()
    group.add(1)
    happens: list[float] = []

    async def waiter(on_event: bool, before: int, timeout: int, plain: bool) -> None:
        await pause(before)
        thing: Event | WaitGroup = event if on_event else group
        begin = gosched.now()
        due = round(begin * 1e6) + timeout * 1000
        try:
            if plain:
                thing.wait(timeout=timeout / 1000)
            else:
                await thing.await_(timeout=timeout / 1000)
        except DeadlineExceeded:
            assert round(gosched.now() * 1e6) == due
            assert not happens or happens[0] == gosched.now(), "gave up although it had happened"
            assert begin == gosched.now() or not happens or begin < happens[0]
        else:
            assert happens
            assert gosched.now() == max(begin, happens[0])

    async def main() -> None:
        done = WaitGroup()
        for actor in waiters:
            done.go(waiter, *actor)
        await pause(when)
        happens.append(gosched.now())
        event.set()
        group.done()
        await done

    virtual_run(main, gomaxprocs=procs, seed=seed)
    assert event.is_set()
    nobody_waits(event)
    assert repr(group) == "<WaitGroup counter=0 waiters=0>"
