"""A scheduler whose threads are an explorer's: the real loop, the real search for work, on a copy of core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gosched.errors import Goexit
from gosched.stacks.light import LightStacks

from .explorer import Hub, Stuck


class ExploredHost:
    """The Host of a schedule. A deadlock that the scheduler reports is a failure unless `expect_deadlock`."""

    def __init__(self, hub: Hub, core: Any, nproc: int, ring: int = 4, seed: int = 1, expect_deadlock: bool = False, light: bool = False) -> None:
        self.hub = hub
        self.core = core
        self.expect_deadlock = expect_deadlock
        self.deadlocked = False
        self.finished = False
        self.result: Any = None
        self.clock = 1
        self.horizon = 1 << 62
        """No time after this one is ever reached."""
        self.outsiders = False
        """Threads of the program that are no Ms may still wake a goroutine."""
        self.poked = False
        self.stacks: Any = LightStacks(core.mloop.loop_here) if light else None
        self.arrivals: list[tuple[Any, int]] = []
        self.sched = core.sched.Scheduler(self, nproc, seed, ring)

    def check(self) -> None:
        """What holds when all threads have left."""
        s = self.sched
        assert s.spinning() == 0, f"spinning is {s.spinning()} at the end"
        assert s.idle_ps() == s.nproc, f"{s.idle_ps()} of {s.nproc} Ps are idle at the end"
        assert s.live_count() == 0, f"{s.live_count()} goroutines left"

    def start(self, main: Callable[..., Any], *args: Any) -> None:
        """Starts main; when it returns, the others are ended and the threads leave."""
        host = self

        class Main(self.core.g.Watcher):  # type: ignore[misc, name-defined]
            def goroutine_done(self, g: Any, outcome: int, value: Any) -> None:
                if isinstance(value, BaseException):
                    host.failed(g, value)
                host.finished = True
                host.result = value
                host.core.ending.begin_ending(host.sched)

        self.core.spawn.spawn_outside(self.sched, main, args, None, Main(), False)

    def start_m(self, number: int, p: Any, spinning: bool) -> None:
        self.hub.spawn(f"M{number}", lambda: self.core.mloop.run_m(self.sched, number, p, spinning))

    def courtesy(self) -> None:
        self.hub.point()

    def now(self) -> int:
        return self.clock

    def roused(self, m: Any) -> None:
        """Threads that sleep see for themselves."""

    def sleep_m(self, m: Any) -> None:
        m.sleep_note(-1)

    def poll(self, until: int) -> None:
        """Until woken, or until the hub finds that nobody else can go on: then it is `until`."""
        if not self.hub.wait(lambda: self.poked or bool(self.arrivals), 0 <= until <= self.horizon):
            self.clock = max(self.clock, until)
        self.poked = False
        self.core.entry.end_rest()
        self.look()

    def look(self) -> None:
        while self.arrivals:
            desc, modes = self.arrivals.pop(0)
            desc.arrive(modes)

    def poll_wake(self) -> None:
        self.poked = True

    def deadline(self) -> int:
        return -1 if self.sched.net_waiters() != 0 else -2

    def call_elsewhere(self, fn: Any, args: Any, kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    def enter(self, m: Any) -> None:
        if self.stacks is None:
            self.core.mloop.loop(m)
        else:
            self.stacks.enter(m)

    def new_stack(self, m: Any) -> Any:
        return self.stacks.new(m)

    def end_stack(self, m: Any, stack: Any) -> None:
        self.stacks.end(m, stack)

    def ready(self, m: Any) -> None:
        """Everybody can be asked."""

    def ask(self, m: Any) -> bool:
        """Its user code comes by `suspend` at points of its own."""
        return True

    def cheap_to_ask(self) -> bool:
        return True

    def stalled(self, m: Any, ns: int, blocked: bool) -> None:
        """Nobody reports here."""

    def stuck(self, ns: int) -> None:
        """Nor here."""

    def may_set_aside(self) -> bool:
        return self.hub.random.random() < 0.5

    def will_lock(self) -> None:
        """Threads are all alike."""

    def failed(self, g: Any, error: BaseException) -> None:
        if self.hub.error is None and not isinstance(error, Goexit):
            self.hub.error = error

    def all_asleep(self) -> None:
        self.deadlocked = True
        if self.outsiders:
            return
        if self.expect_deadlock:
            self.core.ending.begin_ending(self.sched)
        else:
            self.hub.error = Stuck(f"all goroutines are asleep: {self.hub.describe()}")

    def all_gone(self) -> None:
        self.core.ending.begin_exit(self.sched)
