"""Parts of the scheduler against each other, two or three functions at a time, without its loop: each race alone, in a tenth of a millisecond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.lab.explorer import Hub

Check = Callable[[], None]


def expect(got: object, wanted: object) -> None:
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def steal_against_pop(hub: Hub, core: Any) -> Check:
    """The queue alone: its owner pushes and pops while two thieves take halves."""
    owner, first, second = (core.p.P(i, 4, 1) for i in range(3))
    taken: list[Any] = []
    items = [core.native.StateWord() for _ in range(7)]

    def own() -> None:
        for g in items:
            kicked = owner.swap_next(g)
            while kicked is not None and not owner.push(kicked):
                taken.append(owner.pop())
        for _ in range(8):
            taken.append(owner.take_next() or owner.pop())

    def thieve(p: Any) -> Callable[[], None]:
        def run() -> None:
            for _ in range(3):
                taken.append(p.steal_from(owner, core.states.HALF))
                taken.append(owner.take_next())
            while (g := p.pop()) is not None:
                taken.append(g)

        return run

    hub.spawn("owner", own)
    hub.spawn("thief 1", thieve(first))
    hub.spawn("thief 2", thieve(second))

    def check() -> None:
        got = [g for g in taken if g is not None]
        got += [g for p in (owner, first, second) for g in iter(lambda p=p: p.take_next() or p.pop(), None)]
        assert len(got) == len(set(map(id, got))), "a goroutine was taken twice"
        expect(sorted(map(id, got)), sorted(map(id, items)))

    return check


def never_seen_empty(hub: Hub, core: Any) -> Check:
    """Go's TestSchedLocalQueueEmpty: a queue that always holds one goroutine is never seen as empty while a kick-out moves it."""
    p = core.p.P(0, 4, 1)
    a, b = core.native.StateWord(), core.native.StateWord()
    seen: list[bool] = []

    def owner() -> None:
        p.push(a) if hub.random.random() < 0.5 else p.swap_next(a)
        hub.spawn("looker", lambda: seen.append(p.queue_empty()))
        kicked = p.swap_next(b)
        if kicked is not None:
            p.push(kicked)
        if p.take_next() is None:
            p.pop()

    hub.spawn("owner", owner)
    return lambda: expect(seen, [False])


class Bench:
    """A scheduler without threads: Ms that the program itself moves, to race two functions against each other."""

    def __init__(self, core: Any, nproc: int) -> None:
        self.core = core
        self.started: list[Any] = []
        self.sched = core.sched.Scheduler(self, nproc)
        self.ms = []
        for _ in range(nproc):
            self.sched.threads += 1
            self.ms.append(core.mloop.new_m(self.sched, len(self.ms), self.sched.take_idle_p(), False))

    def start_m(self, number: int, p: Any, spinning: bool) -> None:
        self.started.append(p)

    def goroutine(self) -> Any:
        return self.core.spawn.fresh_outside(self.sched)

    def somebody_looks(self) -> bool:
        """Is there an M, on its way or spinning, that will find what is queued?"""
        return bool(self.started) or self.sched.spinning() > 0 or any(m.p is not None and m.spinning for m in self.ms)


def give_up_against_submit(hub: Hub, core: Any) -> Check:
    """An M that does not spin gives up its P while another one submits."""
    bench = Bench(core, 2)
    first, second = bench.ms
    g = bench.goroutine()

    def submit() -> None:
        core.runq.put_next(first, g)
        core.wake.wake_p(bench.sched)

    hub.spawn("submitter", submit)
    hub.spawn("idler", lambda: core.findrun.last_look(second))
    return lambda: expect(bench.somebody_looks(), True)


def hand_off_against_submit(hub: Hub, core: Any) -> Check:
    """A P is taken from a thread in a foreign call while another M submits, and the only spinner finds something else."""
    bench = Bench(core, 3)
    first, blocked, spinner = bench.ms
    g = bench.goroutine()
    core.wake.start_spinning(spinner)
    p = blocked.p
    blocked.p = None

    def submit() -> None:
        core.runq.put_next(first, g)
        core.wake.wake_p(bench.sched)

    def found_work() -> None:
        core.wake.stop_spinning(spinner)

    hub.spawn("submitter", submit)
    hub.spawn("sysmon", lambda: core.wake.hand_off_p(bench.sched, p))
    hub.spawn("spinner", found_work)
    return lambda: expect(bench.somebody_looks(), True)


def retire_against_submit(hub: Hub, core: Any) -> Check:
    """A spinning M gives up a P that gomaxprocs took away, while one M submits and relies on the spinner, and another goes idle."""
    bench = Bench(core, 3)
    first, idler, retiring = bench.ms
    core.wake.start_spinning(retiring)
    bench.sched.nproc = 2
    g = bench.goroutine()

    def submit() -> None:
        core.runq.put_next(first, g)
        core.wake.wake_p(bench.sched)

    def retire() -> None:
        if core.findrun.retire_p(retiring):
            bench.started.append(retiring.p)

    hub.spawn("submitter", submit)
    hub.spawn("retiring", retire)
    hub.spawn("idler", lambda: core.findrun.last_look(idler))
    return lambda: expect(bench.somebody_looks(), True)


def look_again_without_a_p(hub: Hub, core: Any, queue: str) -> Check:
    """Work was submitted while a spinner was there. The spinner gives up its P; one that returns from a foreign call takes it, and does not look;
    a third M gives up its own without looking."""
    bench = Bench(core, 3)
    busy, idler, spinner = bench.ms
    bench.sched.threads += 1
    returner = core.m.M(bench.sched, 3)
    core.wake.start_spinning(spinner)
    if queue == "global":
        core.runq.put_global(bench.sched, bench.goroutine())
    else:
        core.runq.put_next(busy, bench.goroutine())
    took: list[Any] = []

    def look_again() -> None:
        bench.sched.acquire()
        mine = spinner.p
        bench.sched.put_idle_p(mine)
        spinner.p = None
        bench.sched.release()
        spinner.spinning = False
        bench.sched.add_spinning(-1)
        took.append(core.findrun.look_again(spinner, mine))

    hub.spawn("spinner", look_again)
    hub.spawn("returner", lambda: core.entry.exit_syscall(returner))
    hub.spawn("idler", lambda: took.append(core.findrun.last_look(idler)))
    return lambda: expect(bench.somebody_looks() or any(took), True)


def look_again_globally(hub: Hub, core: Any) -> Check:
    """…with work in the global queue."""
    return look_again_without_a_p(hub, core, "global")


def look_again_locally(hub: Hub, core: Any) -> Check:
    """…with work in a P's queue."""
    return look_again_without_a_p(hub, core, "local")


def retire_against_grow(hub: Hub, core: Any) -> Check:
    """gomaxprocs goes up again while an M is about to give up a P that had gone: the P is there at the end."""
    bench = Bench(core, 3)
    retiring = bench.ms[2]
    bench.sched.nproc = 2

    def retire() -> None:
        if retiring.p.id >= bench.sched.nproc:
            core.findrun.retire_p(retiring)

    hub.spawn("retiring", retire)
    hub.spawn("grower", lambda: core.resize.resize(bench.sched, 3))
    return lambda: expect([p.status for p in bench.sched.allp].count(core.states.P_DEAD), 0)


def two_resize(hub: Hub, core: Any) -> Check:
    """Two threads set gomaxprocs on the same scheduler: every P is there once."""
    bench = Bench(core, 1)
    make = core.sched.P

    def make_slowly(*args: Any) -> Any:
        hub.point()
        return make(*args)

    core.sched.P = make_slowly
    for name in ("one", "two"):
        hub.spawn(name, lambda: core.resize.resize(bench.sched, 4))

    def check() -> None:
        core.sched.P = make
        expect([p.id for p in bench.sched.allp], [0, 1, 2, 3])

    return check


DUELS = [
    steal_against_pop,
    never_seen_empty,
    two_resize,
    give_up_against_submit,
    hand_off_against_submit,
    retire_against_submit,
    retire_against_grow,
    look_again_globally,
    look_again_locally,
]
