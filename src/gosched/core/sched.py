"""What all Ms of one runtime share.

An object that is passed in, never a module global: tests build many, each with its own host (threads, clock, poller) and seed.

Lock: the scheduler's own (acquire, release) guards the global queue, the idle lists, `threads`, `idle_threads`, `idle_locked`, `nproc` and
P.status. It is a leaf: under it no reference is dropped for the last time, no Python runs and no other lock is taken. spinning, idle_ps,
need_spinning and phase are atomic words and are also read without it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

from .events import E_PROCS, OUTSIDE
from .native import GoroutineList, SchedulerWords, current_m
from .p import P
from .states import (
    FAIRNESS,
    GLOBAL_BATCH,
    HALF,
    ID_BATCH,
    LOOK_NS,
    MAX_THREADS,
    P_DEAD,
    P_IDLE,
    P_RUNNING,
    RING,
    SLICE_NS,
    SPIN_FACTOR,
    STEAL_PASSES,
)
from .trail import Trail, Trails

if TYPE_CHECKING:
    from .g import Goroutine
    from .m import M


# Ids of goroutines count from 1 in every runtime; with their scheduler's realm added they are one process's.
REALM = 1 << 40
REALMS = count(1)


class Host(Protocol):
    """The edge of a scheduler: what it asks of the world. One for real threads, one for virtual time, one for the explorer."""

    def start_m(self, number: int, p: P, spinning: bool) -> None:
        """Starts a thread that calls mloop.run_m."""

    def courtesy(self) -> None:
        """Waits the 3 µs in which a running P may take its own `next`."""

    def poll(self, until: int) -> None:
        """Waits for the outside world until `until` (-1: for ever) or until poll_wake. Then entry.end_rest, before it readies anybody."""

    def poll_wake(self) -> None: ...

    def look(self) -> None:
        """Readies whom the outside world lets go on, without waiting. Called only if somebody waits for it (net_waiters)."""

    def deadline(self) -> int:
        """When the poller must be asked at the latest: -1 never, it may still be woken; -2 when nothing waits there."""

    def now(self) -> int:
        """The clock, in ns. Asked only if the scheduler's time is `virtual`; else the system's monotonic clock is read without asking."""

    def roused(self, m: M) -> None:
        """m, which sleeps, was woken. Told only if the scheduler's time is `virtual`."""

    def sleep_m(self, m: M) -> None:
        """Waits, on m's thread and stack, until m's note is woken."""

    def call_elsewhere(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls fn on a thread of its own, while the goroutine that calls waits."""

    def enter(self, m: M) -> None:
        """On m's own thread: calls mloop.loop, on a stack that can be set aside, or on the thread's own."""

    def new_stack(self, m: M) -> Any:
        """Another stack for m's loop: its `switch` goes on there. It is true once it was begun, which m.root does with m.fresh."""

    def end_stack(self, m: M, stack: Any) -> None:
        """A spare stack of m's is not needed any more."""

    def ready(self, m: M) -> None:
        """On m's own thread, before it runs goroutines: it can be asked from now on."""

    def ask(self, m: M) -> bool:
        """Makes m's thread come to preempt.suspend at its next bytecode of user code. False: that cannot be done."""

    def cheap_to_ask(self) -> bool:
        """So cheap that a blocked one is asked as well."""

    def stalled(self, m: M, ns: int, blocked: bool) -> None:
        """A goroutine has kept its P for a slice without entering the runtime."""

    def stuck(self, ns: int) -> None:
        """A goroutine that is in no blocking call has kept its P so long, until sysmon could do something about it."""

    def tick(self) -> None:
        """The time between ticks, if set_watch was given one, is over."""

    def shakes(self) -> bool:
        """Whether an M that comes back from user code has lost its P there. Asked only if the scheduler is `shaky`."""

    def may_set_aside(self) -> bool:
        """On the thread of a goroutine that is stopped in the middle of its code: it holds nothing that other code on this thread could take."""

    def will_lock(self) -> None:
        """On a thread that is about to be one goroutine's alone."""

    def failed(self, g: Goroutine, error: BaseException) -> None:
        """An exception left a goroutine that nobody watches."""

    def fatal(self, error: BaseException) -> None:
        """A policy's function raised this, or gave an answer that is none: the program ends with it."""

    def all_asleep(self) -> None:
        """No M runs and nothing can wake one."""

    def all_gone(self) -> None:
        """The last goroutine has ended while the program ends."""


class Scheduler(SchedulerWords):
    def __init__(self, host: Any, nproc: int, seed: int = 1, ring: int = RING, max_threads: int = MAX_THREADS) -> None:
        super().__init__()
        self.host = host
        self.realm = next(REALMS) * REALM
        self.seed = seed
        self.virtual = True
        self.ring = ring
        self.hands_over = True
        self.shaky = False
        self.lingers = False
        self.batch = GLOBAL_BATCH
        self.fairness = FAIRNESS
        self.passes = STEAL_PASSES
        self.spin_factor = SPIN_FACTOR
        self.runnext = True
        self.inherits = True
        self.steals = True
        self.central = False
        self.lifo = False
        self.share = HALF
        self.journal = False
        self.place: Any = None
        self.first: Any = None
        self.order: Any = None
        self.bent = False
        self.max_threads = max_threads
        self.nproc = 0
        self.allp: list[P] = []
        self.allm: list[M] = []
        self.idle_p: P | None = None
        self.idle_m: M | None = None
        self.threads = 0
        self.idle_threads = 0
        self.idle_locked = 0
        self.next_m = 0
        self.past_parks = 0
        self.past_preemptions = 0
        self.past_calls = 0
        self.next_goid = 0
        self.trails: Trails | None = None
        self.trail: Trail | None = None
        self.outside = GoroutineList()
        self.outside.owner = self
        self.swap_last_poll(1)
        self.set_watch(SLICE_NS, SLICE_NS, LOOK_NS, 0)
        self.grow(nproc)

    def grow(self, n: int) -> None:
        """Brings Ps 0 … n-1 into being, the new ones idle with the lowest on top. One caller at a time (resize.py). Ps are never unmade."""
        while len(self.allp) < n:
            p = P(len(self.allp), self.ring, self.seed)
            p.live.owner = self
            self.watch_p(p)
            self.allp.append(p)
        self.acquire()
        old = self.nproc
        self.nproc = n
        self.watch_procs(n)
        for i in range(n - 1, old - 1, -1):
            p = self.allp[i]
            if p.status == P_DEAD:  # race: gomaxprocs went down and up again before its M noticed; it still has this P
                self.put_idle_p(p)
        self.release()

    def put_idle_p(self, p: P) -> None:
        """Lock held; the caller owned p, whose queue is empty. If gomaxprocs went below it meanwhile, it is dead."""
        p.m = None
        if p.id >= self.nproc:
            p.status = P_DEAD
            return
        p.status = P_IDLE
        p.link = self.idle_p
        self.idle_p = p
        self.add_idle_ps(1)

    def take_idle_p(self) -> P | None:
        """Lock held. The P put there last; it is the caller's."""
        p = self.idle_p
        if p is not None:
            self.idle_p = p.link
            p.link = None
            p.status = P_RUNNING
            p.renew()  # it stood idle: no slice is over
            self.add_idle_ps(-1)
        return p

    def take_this_p(self, p: P) -> bool:
        """Lock held. Takes p if it is idle."""
        if p.status != P_IDLE:
            return False
        before: P | None = None
        at = self.idle_p
        while at is not None and at is not p:
            before = at
            at = at.link
        if at is None:
            return False
        if before is None:
            self.idle_p = p.link
        else:
            before.link = p.link
        p.link = None
        p.status = P_RUNNING
        p.renew()
        self.add_idle_ps(-1)
        return True

    def put_idle_m(self, m: M) -> None:
        """Lock held."""
        m.link = self.idle_m
        self.idle_m = m
        self.idle_threads += 1

    def take_idle_m(self) -> M | None:
        """Lock held. The M that went idle last."""
        m = self.idle_m
        if m is not None:
            self.idle_m = m.link
            m.link = None
            self.idle_threads -= 1
        return m

    def drop_idle_m(self, m: M) -> bool:
        """Lock held. Takes m from the idle list, if it is there."""
        before: M | None = None
        at = self.idle_m
        while at is not None and at is not m:
            before = at
            at = at.link
        if at is None:
            return False
        if before is None:
            self.idle_m = m.link
        else:
            before.link = m.link
        m.link = None
        self.idle_threads -= 1
        return True

    def write_down(self, trails: Trails) -> None:
        """What happens from now on. Before the first M."""
        self.trails = trails
        self.trail = trails.all[0]
        self.journal = trails.queues
        self.bend()
        self.trail.tell1(OUTSIDE, E_PROCS, self.nproc)

    def bend(self) -> None:
        """After a change of the rules by which goroutines are queued (bend.py). Before the first M."""
        self.bent = self.journal or self.central or not self.runnext or self.place is not None

    def take_ids(self) -> int:
        """The last number before a batch of ID_BATCH fresh goroutine ids."""
        self.acquire()
        first = self.next_goid
        self.next_goid = first + ID_BATCH
        self.release()
        return first

    def live_count(self) -> int:
        """How many goroutines there are."""
        n = self.outside.count()
        for p in self.allp:
            n += p.live.count()
        return n

    def blocked_goroutines(self) -> set[int]:
        """The ids of those whose thread sysmon has found in a call that blocks, and that are not back in the runtime yet. Who asks is not in one."""
        mine = current_m()
        return {m.blocked_in for m in list(self.allm) if m.blocked_in == m.goid and m is not mine}

    def goroutines(self) -> list[Goroutine]:
        """All of them, oldest id first."""
        found: list[Goroutine] = self.outside.snapshot()
        for p in self.allp:
            found += p.live.snapshot()
        found.sort(key=goroutine_id)
        return found


def goroutine_id(g: Goroutine) -> int:
    return g.id
