"""Ms that take their time: the laboratory's scheduler, in virtual time.

Where virtual.py lets the clock stand still while anybody can go on, here every M has a time at which it goes on, and the clock goes from one to the
next. Work, calls and waits of goroutines (spending.py in core, work.py here) take the time that they say; what the scheduler itself does takes what
Costs says. What each M does at its time is the scheduler's own code: find a goroutine, run it, steal, park, poll. So is sysmon, which looks at
virtual times as it does at real ones.

An M, its player here, is in one of these:

    STARTS    it is a new thread that begins then
    STEPS     its next step is due
    STAYS     it runs a goroutine that is busy, or in a call, until then
    STOPS     the same; sysmon has asked it to let others run, and it does then
    WAKES     it was roused, and wakes up then
    POLLS     it waits for the network and timers, until then
    SLEEPS    until it is roused

Goroutines are coroutines here, and await what they wait for: an M that has set a goroutine's stack aside would need a stack of its own.
Of those that are due at one time, who was planned first goes first: a run depends on its program, its policy, its costs and its seed alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from typing import Any

from gosched.core.ending import begin_ending, begin_exit
from gosched.core.entry import submit_late_global
from gosched.core.execute import step
from gosched.core.findrun import after_poll, begin_search
from gosched.core.m import M
from gosched.core.mloop import forget_m, new_m, woken
from gosched.core.native import set_current_m
from gosched.core.netpoll import PollDesc
from gosched.core.p import P
from gosched.core.spawn import spawn_outside
from gosched.core.spending import go_on_here, stop_here
from gosched.core.states import EXIT, NEVER, NOBODY, POLL, READ, STAY
from gosched.core.sysmon import any_busy, glance
from gosched.policy import GO, Policy
from gosched.program import Main, OnUncaught
from gosched.trace.record import VirtualRecorder

from .costs import USUAL, Costs
from .virtual import VirtualRuntime

STARTS, STEPS, STAYS, STOPS, WAKES, POLLS, SLEEPS, LOOKS = range(8)


class Player:
    """One M, and what is planned for it. A plan that has another number than `plan` was changed. `born`: what to begin it with."""

    __slots__ = ("born", "doing", "m", "plan", "roused", "spell")

    def __init__(self, m: M | None) -> None:
        self.m: Any = m
        self.doing = STEPS
        self.plan = 0
        self.roused = False
        self.spell: Spell | None = None
        self.born: tuple[int, P, bool] | None = None


class Spell:
    """Time that a goroutine has to spend. `asks`: it can be asked to let others run meanwhile."""

    __slots__ = ("asks", "begun", "left")

    def __init__(self, ns: int, asks: bool) -> None:
        self.left = ns
        self.begun = 0
        self.asks = asks


class Clockwork(VirtualRuntime):
    """A program on such Ms."""

    def __init__(
        self,
        gomaxprocs: int = 1,
        seed: int = 0,
        policy: Policy = GO,
        costs: Costs = USUAL,
        recorder: VirtualRecorder | None = None,
        on_uncaught: OnUncaught | None = None,
    ) -> None:
        self.costs = costs
        self.players: dict[int, Player] = {}
        self.due: list[tuple[int, int, Player, int]] = []
        self.planned = 0
        self.arrivals: list[tuple[int, int, PollDesc]] = []
        self.poller: Player | None = None
        self.polled = 0  # when somebody last came back from there
        self.sysmon = Player(None)
        self.sysmon.doing = SLEEPS
        self.steps = 0
        self.left = False
        self.listens = False
        """Somebody waits for the network for ever: the program has no end of its own."""
        super().__init__(gomaxprocs, seed, on_uncaught, recorder=recorder, policy=policy)

    # ---- the Host, where it differs ----

    def start_m(self, number: int, p: P, spinning: bool) -> None:
        player = self.players[number] = Player(None)
        player.born = (number, p, spinning)
        self.at(self.clock + self.costs.start, player, STARTS)
        self.rouse_sysmon()

    def roused(self, m: M) -> None:
        player = self.players[m.id]
        player.roused = True
        if player.doing == SLEEPS:
            self.at(self.clock + self.costs.wake, player, WAKES)
        self.rouse_sysmon()

    def poll_wake(self) -> None:
        self.poked = True
        if self.poller is not None and self.poller.doing == POLLS:
            self.at(self.clock + self.costs.wake, self.poller, POLLS)

    def look(self) -> None:
        """What has arrived by now can be read."""
        while self.arrivals and self.arrivals[0][0] <= self.clock:
            heapq.heappop(self.arrivals)[2].arrive(READ)

    def deadline(self) -> int:
        return NEVER if self.arrivals or self.listens else NOBODY

    def ask(self, m: M) -> bool:
        player = self.players[m.id]
        if player.doing == STAYS and player.spell is not None and player.spell.asks:
            self.at(self.clock + self.costs.stop, player, STOPS)
        return True

    def sleep_m(self, m: M) -> None:
        raise RuntimeError("the laboratory has no stacks to set aside: await the twin of this operation")

    def cheap_to_ask(self) -> bool:
        return False

    def stalled(self, m: M, ns: int, blocked: bool) -> None:
        """It is meant to."""

    def stuck(self, ns: int) -> None:  # type: ignore[override]
        """So is this."""

    # ---- for what goroutines do ----

    def stay(self, m: M, spell: Spell) -> None:
        """The goroutine that runs on m has that to spend."""
        spell.begun = self.clock
        self.players[m.id].spell = spell

    def arrives(self, desc: PollDesc, ns: int) -> None:
        """So much later there is something to read."""
        self.planned += 1
        at = self.clock + ns
        heapq.heappush(self.arrivals, (at, self.planned, desc))
        if self.poller is not None and self.poller.doing == POLLS and self.arrivals[0][0] == at:
            self.at(self.poll_time(self.poller.m), self.poller, POLLS)

    # ---- plans ----

    def at(self, time: int, player: Player, doing: int) -> None:
        self.planned += 1
        player.plan = self.planned
        player.doing = doing
        heapq.heappush(self.due, (time, self.planned, player, self.planned))

    def rouse_sysmon(self) -> None:
        if self.sysmon.doing == SLEEPS:
            self.at(self.clock + 1, self.sysmon, LOOKS)

    def poll_time(self, m: M) -> int:
        """When who polls goes on by itself; -1: never."""
        until = m.poll_until
        if self.arrivals and (until < 0 or self.arrivals[0][0] < until):
            until = self.arrivals[0][0]
        return max(until, self.clock) if until >= 0 else NEVER

    # ---- the loop ----

    def _run(self, main: Any, args: tuple[Any, ...]) -> Any:
        watcher = Main(self, ends=True)
        for _ in self.played(watcher, main, args):
            pass
        return self._outcome(watcher)

    def played(self, watcher: Main, main: Any, args: tuple[Any, ...]) -> Generator[None, None, None]:
        """Turn after turn, to the program's end; or, if it `listens`, until only something from outside could go on."""
        try:
            spawn_outside(self.sched, main, args, "main", watcher, False)
            while not watcher.done and self.error is None:
                if self._turn():
                    yield
                elif self.listens:
                    return
                else:
                    self._all_blocked()
            yield from self._ending()
        finally:
            for _ in self._ending():
                pass

    def _ending(self) -> Iterator[None]:
        """The others are ended, and the threads leave. Also by who looks no further: the runtime itself holds on to goroutines that live."""
        begin_ending(self.sched)
        for player in list(self.players.values()):  # who is busy has no more time to spend
            if player.doing in (STAYS, STOPS):
                self.at(self.clock, player, STAYS)
        while not self.gone and self._turn():
            yield
        if not self.left:
            self.left = True
            begin_exit(self.sched)
        while self._turn():
            yield

    def _turn(self) -> bool:
        """What is due next. False: nothing ever will be."""
        while self.due:
            time, _, player, plan = heapq.heappop(self.due)
            if plan == player.plan:
                if time > self.clock:
                    self._move_to(time)
                self.steps += 1
                self._act(player)
                if self.sysmon.doing == SLEEPS and any_busy(self.sched):
                    self.rouse_sysmon()  # who polled, or came back from a call, may have taken an idle P by itself
                return True
        return False

    def _move_to(self, time: int) -> None:
        self.clock = time
        self.sched.stamp(time)
        if self.recorder is not None:
            self.recorder.jump(time)

    def _act(self, player: Player) -> None:
        doing, m = player.doing, player.m
        if doing == LOOKS:
            self._glance()
        elif doing == STARTS:
            assert player.born is not None
            player.m = new_m(self.sched, *player.born)
            self._begin(player)
        elif doing == WAKES:
            player.roused = False
            woken(m)
            self._begin(player)
        elif doing == STOPS:
            self._stop(player)
        elif doing == POLLS:
            self._polled(player)
        else:
            set_current_m(m)
            try:
                verdict = step(m) if doing == STEPS else self._go_on(player)
            finally:
                set_current_m(None)
            self._settle(player, verdict)

    def _begin(self, player: Player) -> None:
        """It has just been woken, perhaps to look for work."""
        self.at(self.clock + (self.costs.search if player.m.spinning else 0), player, STEPS)

    def _go_on(self, player: Player) -> int:
        if player.spell is not None:
            player.spell.left = 0
            player.spell = None
        return go_on_here(player.m)

    def _settle(self, player: Player, verdict: int) -> None:
        """After a step: when is the next?"""
        m = player.m
        submit_late_global(m)
        if verdict == 0:
            self._next(player)
        elif verdict == STAY:
            assert player.spell is not None
            self.at(self.clock + player.spell.left, player, STAYS)
        elif verdict == POLL:
            self.poller = player
            time = self.poll_time(m)
            if time == self.clock == self.polled and self.due:  # it has just looked, in vain: who is on the way, and counts as looking, goes first
                time = max(time, self.due[0][0])
            if time >= 0 or self.poked:
                self.at(self.clock if self.poked else time, player, POLLS)
            else:
                self.rest(player, POLLS)
        elif verdict == EXIT:
            self.rest(player, SLEEPS)
            del self.players[m.id]
            forget_m(m)
        elif player.roused:
            self.at(self.clock + self.costs.wake, player, WAKES)
        else:
            self.rest(player, SLEEPS)

    def _next(self, player: Player) -> None:
        """A turn is over. Who has nothing to run then looks for it, and that takes its time."""
        searches = self.costs.search if self.costs.search and begin_search(player.m) else 0
        self.at(self.clock + self.costs.turn + searches, player, STEPS)

    def rest(self, player: Player, doing: int) -> None:
        """Nothing is planned for it."""
        player.doing = doing
        player.plan = 0

    def _stop(self, player: Player) -> None:
        m, spell = player.m, player.spell
        assert spell is not None
        player.spell = None
        spell.left -= self.clock - spell.begun
        set_current_m(m)
        stop_here(m)
        set_current_m(None)
        self._next(player)

    def _polled(self, player: Player) -> None:
        m = player.m
        self.poked = False
        self.poller = None
        self.polled = self.clock
        set_current_m(m)
        self.look()
        after_poll(m, max(1, self.clock))
        set_current_m(None)
        self.at(self.clock, player, STEPS)

    def _glance(self) -> None:
        pause = glance(self.sched, self.clock)
        if pause:
            self.at(self.clock + pause, self.sysmon, LOOKS)
        else:
            self.rest(self.sysmon, SLEEPS)
