"""The ring of the pure native: as native.h has it, line for line where there is a race."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .purepoints import point
from .purewatch import Eye
from .states import WHOLE

if TYPE_CHECKING:
    from .native import SchedulerWords

MASK = 0xFFFFFFFF


class RunQueue(Eye):
    """A P's queue: tail and slots belong to the owner, head moves by compare-and-swap, next is swapped."""

    def __init__(self) -> None:
        super().__init__()
        self._atom = threading.Lock()
        self._head = self._tail = self._capacity = 0
        self._slots: list[Any] = []
        self._next: Any = None
        self.last_stolen = 0

    def open_ring(self, capacity: int) -> None:
        if capacity < 2 or capacity & (capacity - 1):
            raise ValueError(f"ring capacity must be a power of two, 2 or more, not {capacity}")
        self._capacity = capacity
        self._slots = [None] * capacity

    def push(self, g: Any) -> bool:
        point()
        tail = self._tail
        if (tail - self._head) & MASK >= self._capacity:
            return False
        self._slots[tail & (self._capacity - 1)] = g
        point()
        self._tail = (tail + 1) & MASK
        return True

    def _advance(self, head: int, n: int) -> bool:
        point()
        with self._atom:
            if self._head != head:
                return False
            self._head = (head + n) & MASK
            return True

    def pop(self) -> Any:
        while True:
            point()
            head = self._head
            if head == self._tail:
                return None
            g = self._slots[head & (self._capacity - 1)]
            if self._advance(head, 1):  # race: a thief took this slot between the read of head and now
                return g

    def swap_next(self, g: Any) -> Any:
        point()
        with self._atom:
            old, self._next = self._next, g
            return old

    def take_next(self) -> Any:
        point()
        g = self._next
        if g is None:
            return None
        point()
        with self._atom:
            if self._next is not g:  # race: the owner and a thief both saw this goroutine in next
                return None
            self._next = None
            return g

    def has_next(self) -> bool:
        point()
        return self._next is not None

    def ring_at(self, i: int) -> Any:
        """A hint, as for the next one: others may go on meanwhile. None: there are not so many."""
        head = self._head
        return self._slots[(head + i) & (self._capacity - 1)] if i < (self._tail - head) & MASK else None

    def next_now(self) -> Any:
        return self._next

    def ring_size(self) -> int:
        while True:
            point()
            head = self._head
            point()
            size = (self._tail - head) & MASK
            if size <= self._capacity:
                return size

    def queue_empty(self) -> bool:
        while True:
            point()
            head = self._head
            point()
            tail = self._tail
            point()
            following = self._next
            point()
            if tail == self._tail:  # race: a kick-out moved a goroutine from next to the tail between our two reads
                return head == tail and following is None

    def steal_from(self, victim: RunQueue, share: int) -> Any:
        self.last_stolen = 0
        while True:
            point()
            head = victim._head
            point()
            n = (victim._tail - head) & MASK
            if n == 0:
                return None
            if n > victim._capacity:
                continue
            n = (n * share + WHOLE - 1) // WHOLE
            tail = self._tail
            mask = self._capacity - 1
            for i in range(n):
                self._slots[(tail + i) & mask] = victim._slots[(head + i) & (victim._capacity - 1)]
            if not victim._advance(head, n):  # race: the owner or another thief has some of these by now
                continue
            self.last_stolen = n
            g = self._slots[(tail + n - 1) & mask]
            point()
            self._tail = (tail + n - 1) & MASK
            return g

    def spill_half(self, s: SchedulerWords, g: Any) -> bool:
        point()
        head = self._head
        if (self._tail - head) & MASK < self._capacity:
            return False
        half = self._capacity // 2
        batch = [self._slots[(head + i) & (self._capacity - 1)] for i in range(half)]
        if not self._advance(head, half):  # race: a thief took from the full ring, so it has room again
            return False
        s.acquire()
        s._global.extend(batch)
        s._global.append(g)
        s.release()
        return True

    def drain_to_front(self, s: SchedulerWords) -> None:
        waiting = [self.take_next()]
        while (g := self.pop()) is not None:
            waiting.append(g)
        for g in reversed(waiting):
            if g is not None:
                s.global_put_front(g)

    spares = 0

    def spare_take(self) -> Any:
        return None

    def spare_put(self, g: Any) -> bool:
        return False
