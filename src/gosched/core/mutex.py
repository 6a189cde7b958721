"""Mutex: Go's, with its normal and its starvation mode.

The word: LOCKED, and CONTENDED while goroutines wait or one of them is on its way. A free and uncontended mutex is locked and unlocked with one
swap each; all else happens under the queue's lock.

    normal       unlock wakes the first waiter, which then competes with those that come along (they may win: they run already). One at a time is
                 on its way (`woken`). A waiter that loses stands at the head of the queue again.
    starvation   begins when a waiter that was woken has waited for more than 1 ms and loses. unlock hands the mutex over to the first in the queue;
                 who comes along stands at its tail. Ends when the one who gets it is the last, or has not waited for 1 ms.

Go's waiters also spin for a moment before they sleep. A goroutine of ours has nothing cheaper to do than to let another run: it does not.
Who has it is noted, for find_deadlocks alone: any goroutine may unlock it. The note is worth nothing while the word is not LOCKED.
A waiter that is ended, or whose time is over, leaves; if it was on its way, or had been handed the mutex (`heir`), it passes that on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gosched.errors import SyncError

from .g import Goroutine
from .native import LockQueue, ThreadWords, current_m, now
from .op import Op
from .park import begin_wait, ready
from .signals import Parked, Woken
from .states import ALIVE, CONTENDED, FREE, LOCKED, STARVING_NS, W_MUTEX
from .timers import clock
from .yielding import DONE, YIELD_BEHIND

if TYPE_CHECKING:
    from .m import M

# How many explorations run: then others may come first also where a mutex is free.
explored = 0


def explore_locks(by: int) -> None:
    global explored
    explored += by


class MutexCore(LockQueue):
    """The hot part of gosched.Mutex."""

    def __init__(self) -> None:
        self.starving = False
        self.woken: Goroutine | None = None
        self.heir: Goroutine | None = None

    def __aenter__(self) -> object:
        return DONE if explored == 0 and self.lock_free() else lock_op(self)

    def __aexit__(self, kind: object, error: object, traceback: object) -> object:
        if self.swap_lock_word(LOCKED, FREE):
            return DONE
        return YIELD_BEHIND if self.unlock_slow() else DONE

    def try_lock(self) -> bool:
        """Locks it if it is free and nobody starves."""
        return self.lock_free() or self.lock_if_free()

    def lock_at_once(self) -> bool:
        """The same, for who would wait for it."""
        return explored == 0 and self.try_lock()

    def unlock(self) -> None:
        """From any goroutine. Of an unlocked mutex: SyncError."""
        if not self.swap_lock_word(LOCKED, FREE):
            self.unlock_slow()

    def new_lock(self) -> LockOp:
        return lock_op(self)

    def lock_if_free(self) -> bool:
        self.acquire()
        free = not self.starving and self.take_word()
        self.release()
        return free

    def take_word(self) -> bool:
        """Queue locked. False: it is locked, and from now on nobody unlocks it without asking the queue."""
        while True:
            word = self.lock_word()
            if word & LOCKED == 0:
                if self.swap_lock_word(word, word | LOCKED):  # race: who comes along without contention does not ask the queue
                    self.note_holder()
                    return True
            elif self.swap_lock_word(word, word | CONTENDED):  # race: nor does who unlocks without contention
                return False

    def settle_word(self) -> None:
        """Queue locked, and the word is CONTENDED or the caller has the mutex: CONTENDED as it is now."""
        locked = self.lock_word() & LOCKED
        if self.waiting() != 0 or self.woken is not None or self.starving:
            self.set_lock_word(locked | CONTENDED)
        else:
            self.set_lock_word(locked)

    def lock_for(self, g: Goroutine, op: LockOp) -> object:
        """None: g has it. Parked."""
        if op.since < 0 and self.lock_free():
            return None
        at = time_here()
        self.acquire()
        if self.woken is g:
            self.woken = None
        if not self.starving and self.take_word():
            self.settle_word()
            self.release()
            return None
        begin_wait(g, W_MUTEX, self)
        if op.since < 0:
            op.since = at
            self.put_waiter(g)
        else:
            if at - op.since > STARVING_NS:
                self.starving = True
            self.put_waiter_front(g)
        self.set_lock_word(LOCKED | CONTENDED)
        self.release()
        return Parked

    def unlock_slow(self) -> bool:
        """True: handed over, to one that runs next on this P if we let it."""
        self.acquire()
        if self.lock_word() & LOCKED == 0:
            self.release()
            if is_ending():
                return False
            raise SyncError("sync: unlock of unlocked mutex")
        g = self.next_waiter() if self.starving or self.woken is None else None
        handed = self.starving and g is not None
        if handed:
            self.heir = g
            self.drop_holder()
        else:
            self.starving = False
            if g is not None:
                self.woken = g
                g.set_inbox(Woken)
            self.set_lock_word(CONTENDED if self.woken is not None or self.waiting() != 0 else FREE)
        self.release()
        if g is not None:
            ready(g)
        return handed

    def next_waiter(self) -> Goroutine | None:
        """Queue locked."""
        while True:
            g: Goroutine | None = self.take_waiter()
            if g is None or g.win():  # race: its time is over
                return g

    def take_over(self, since: int) -> None:
        """By the goroutine that was handed the mutex."""
        at = time_here()
        self.acquire()
        self.heir = None
        self.note_holder()
        if self.waiting() == 0 or at - since <= STARVING_NS:
            self.starving = False
        self.settle_word()
        self.release()

    def leave(self, g: Goroutine) -> None:
        """g waits no longer. What it was given on the way is passed on."""
        self.acquire()
        self.drop_waiter(g)
        handed = self.heir is g
        woken = self.woken is g
        if handed:
            self.heir = None
        elif woken:
            self.woken = None
        if self.waiting() == 0:
            self.starving = False
        if self.lock_word() & CONTENDED:
            self.settle_word()
        passes_on = handed or (woken and self.take_word())
        self.release()
        if passes_on:
            self.unlock_slow()


class LockOp(Op):
    """One lock. `since`: when it began to wait, or -1."""

    mutex: MutexCore
    since: int

    def what(self) -> str:
        return "mutex.alock()"

    def name(self) -> str:
        return "Mutex.lock"

    def begin(self, who: ThreadWords) -> object:
        return self.mutex.lock_for(who.held(), self)

    def leave(self, g: Goroutine) -> None:
        self.mutex.leave(g)

    def judge(self, answer: object) -> None:
        self.mutex.take_over(self.since)


def lock_op(mutex: MutexCore) -> LockOp:
    op = LockOp.__new__(LockOp)
    op.mutex = mutex
    op.since = -1
    op.waiting = False
    return op


def is_ending() -> bool:
    """A goroutine that was ended in Cond.wait may not have got its mutex back, and leaves its `with` all the same."""
    m: M | None = current_m()
    return m is not None and m.sched.phase() != ALIVE


def time_here() -> int:
    m: M | None = current_m()
    return now() if m is None else clock(m.sched)
