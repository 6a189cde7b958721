"""Where every goroutine that can run is queued, by a trace that tells it (core/events.py: QUEUE, SPILL, REFILL, DRAIN; virtual time).

No rule of the scheduler is known here, only what each event says: so it holds for every policy. `came` is where the goroutine stood that has just
begun to run, `from_next` who was stolen out of `next`, if the last steal was such.
"""

from __future__ import annotations

from collections import deque

from gosched.core.events import AT_NEXT, AT_TAIL, E_DRAIN, E_GO_START, E_QUEUE, E_REFILL, E_SPILL, E_STEAL

from .things import NONE, Step

# Where a goroutine may stand: with its P, or NONE.
NOWHERE, IN_NEXT, IN_RING, IN_GLOBAL, IN_HAND = range(5)
Place = tuple[int, int]


class Queues:
    """`touched`: the Ps whose queues have changed since somebody cleared it; `common`: the global queue's ids."""

    def __init__(self) -> None:
        self.common: deque[int] = deque()
        self.rings: dict[int, deque[int]] = {}
        self.next: dict[int, int] = {}
        self.places: dict[int, Place] = {}
        self.touched: set[int] = set()
        self.came: Place = (NOWHERE, NONE)
        self.from_next = 0

    def ring(self, p: int) -> deque[int]:
        found = self.rings.get(p)
        if found is None:
            found = self.rings[p] = deque()
        return found

    def follow(self, step: Step) -> None:
        """After the step."""
        kind, args = step.kind, step.args
        if kind == E_GO_START:
            self.came = self.places.get(step.g, (NOWHERE, NONE))
            self.take(step.g)
        elif kind == E_QUEUE:
            self.put(*args)
        elif kind == E_STEAL:
            self.steal(step.p, *args)
        elif kind == E_SPILL:
            self.move(args[0], args[1])
        elif kind == E_REFILL:
            self.refill(*args)
        elif kind == E_DRAIN:
            self.drain(args[0])

    def put(self, g: int, where: int, p: int) -> None:
        self.take(g)
        if where == AT_NEXT:
            kicked = self.next.get(p, 0)
            if kicked:
                self.places[kicked] = (IN_HAND, p)  # it is told next where it goes
            self.next[p] = g
            self.places[g] = (IN_NEXT, p)
        elif where == AT_TAIL:
            self.ring(p).append(g)
            self.places[g] = (IN_RING, p)
        else:
            self.common.append(g)
            self.places[g] = (IN_GLOBAL, NONE)
            return
        self.touched.add(p)

    def take(self, g: int) -> None:
        where, p = self.places.pop(g, (NOWHERE, NONE))
        if where == IN_NEXT:
            self.next[p] = 0
        elif where == IN_RING:
            remove(self.ring(p), g)
        elif where == IN_GLOBAL:
            remove(self.common, g)
        if p != NONE:
            self.touched.add(p)

    def steal(self, thief: int, victim: int, n: int) -> None:
        """The oldest of a ring, or who is next if that is empty."""
        self.touched |= {thief, victim}
        self.from_next = 0
        ring = self.ring(victim)
        if not ring:
            self.from_next, self.next[victim] = self.next.get(victim, 0), 0
            self.places[self.from_next] = (IN_HAND, thief)
            return
        mine = self.ring(thief)
        for _ in range(n):
            g = ring.popleft()
            mine.append(g)
            self.places[g] = (IN_RING, thief)
        self.places[mine.pop()] = (IN_HAND, thief)

    def move(self, p: int, n: int) -> None:
        ring = self.ring(p)
        for _ in range(n):
            g = ring.popleft()
            self.common.append(g)
            self.places[g] = (IN_GLOBAL, NONE)
        self.touched.add(p)

    def refill(self, p: int, n: int) -> None:
        self.places[self.common.popleft()] = (IN_HAND, p)
        ring = self.ring(p)
        for _ in range(n):
            g = self.common.popleft()
            ring.append(g)
            self.places[g] = (IN_RING, p)
        self.touched.add(p)

    def drain(self, p: int) -> None:
        following, self.next[p] = self.next.get(p, 0), 0
        waiting = ([following] if following else []) + list(self.ring(p))
        self.ring(p).clear()
        self.common.extendleft(reversed(waiting))
        for g in waiting:
            self.places[g] = (IN_GLOBAL, NONE)
        self.touched.add(p)


def remove(queue: deque[int], g: int) -> None:
    """Mostly it is the first."""
    if queue[0] == g:
        queue.popleft()
    else:
        queue.remove(g)
