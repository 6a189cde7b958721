"""Cancellation: what a context is to those that wait.

Two kinds of waits can be ended by one:

    a watch    an operation with `ctx=` puts its WakeTimer in before it parks, and takes it out afterwards
    a scope    a goroutine whose current context it is (g.scope) is in as long as that lasts, whatever it waits for: nothing is put in for one wait.
               Such a wait is ended by winning it (g.py) and setting g.struck. A coroutine is then resumed with the error thrown into it, as at the
               end of the program (execute.py); for a plain wait, park_here says Ended, and `ending` what to raise.

A scope is in its cancellation's queue while it is the goroutine's innermost: neither left nor covered, by one further in or by a shield. A striker
wins the wait under the lock of the same cancellation. So who has left a scope, or shields a wait from it, can no more be struck in a later wait.
The goroutine alone changes g.scope, and never while it waits. But a block may be left by another one, if it is in a generator that was dropped: then
that one brings the scope before into its queue, for a goroutine that waits, and g.scope follows when the goroutine next looks. Both count covers up
and down under the scope's lock, and so may come in any order.
A goroutine that parks and a cancellation may miss each other: the former opens its wait before it looks at `error` (over), the latter sets `error`
before it looks who waits.

`heirs` are told in turn: contexts that depend on this one, functions to be started. It is a dict, which is safe by itself, and known to the
collector: a tree of contexts that nobody has is garbage. An heir is put in before it looks at `error`, as above.

The lock is a leaf. Who was taken out is woken after it.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from gosched.errors import Goexit

from .chan import Channel
from .g import Goroutine
from .native import Waiter, WaitQueue
from .park import ready
from .signals import Interrupted
from .snapshot import current_goroutine
from .timers import Timer, WakeTimer

if TYPE_CHECKING:
    from .sched import Scheduler


class Heir:
    """Somebody to be told of a cancellation."""

    def told(self, error: BaseException, cause: BaseException | None) -> None:
        raise NotImplementedError


class Cancellation(WaitQueue):
    """The part of a context that operations see. `error`: what they raise, or None while it is not cancelled. `endless`: it never will be."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.cause: BaseException | None = None
        self.endless = False
        self.channel: Channel | None = None
        self.heirs: dict[Any, None] | None = None
        self.parent: Cancellation | None = None
        self.timer: DeadlineTimer | None = None

    # ---- the end ----

    def cancel_waits(self, error: BaseException, cause: BaseException | None = None) -> bool:
        """True for the first caller. All that depend on this one are over when it returns, and all that wait for one of them are runnable.

        The channels are closed before anybody is struck: a select that has one of the contexts as its case is to get that case."""
        if not self.settle(error, cause):
            return False
        self.leave_parent()
        over = [self]
        others = []
        i = 0
        while i < len(over):
            node: Cancellation = over[i]
            i += 1
            while node.heirs:
                heir = node.take_heir()
                if isinstance(heir, Cancellation):
                    child: Cancellation = heir
                    if child.settle(error, cause):
                        over.append(child)
                elif heir is not None:
                    others.append(heir)
        for node in over:
            node.strike_all()
        for heir in others:
            heir.told(error, cause)
        return True

    def settle(self, error: BaseException, cause: BaseException | None) -> bool:
        """True for the first caller, whose error it is."""
        self.acquire()
        first = self.error is None
        if first:
            self.cause = cause
            self.error = error
        self.release()
        if first:
            self.close_channel()
            if self.timer is not None:
                self.timer.clear_time()
                self.timer = None  # it knows us, too: nothing is left for the collector
        return first

    def strike_all(self) -> None:
        more = True
        while more:
            more = self.strike_next()

    def strike_next(self) -> bool:
        self.acquire()
        w: Waiter | None = self.take_waiter()
        scope: Scope | None = w if isinstance(w, Scope) else None
        won = scope is not None and scope.strike()
        self.release()
        if scope is None and w is not None:
            watch: WakeTimer = w  # type: ignore[assignment]
            watch.finish(Interrupted(self.error))  # type: ignore[arg-type]
        elif won:
            ready(scope.g)  # type: ignore[union-attr]
        return w is not None

    def over(self) -> bool:
        return self.error is not None

    # ---- who waits ----

    def watch(self, w: WakeTimer) -> None:
        self.acquire()
        error = self.error
        late = error is not None
        if not late:
            self.put_waiter(w)
        self.release()
        if late:  # race: it was cancelled before it could see us
            w.finish(Interrupted(error))  # type: ignore[arg-type]

    def unwatch(self, w: Waiter) -> None:
        self.acquire()
        self.drop_waiter(w)
        self.release()

    # ---- who depends on it ----

    def depend_on(self, parent: Cancellation) -> None:
        """From here on it is over when parent is."""
        self.parent = parent
        if not parent.endless:
            parent.add_heir(self)
            if parent.error is not None:  # race: it was cancelled before it could see us
                parent.drop_heir(self)
                self.cancel_waits(parent.error, parent.cause)

    def leave_parent(self) -> None:
        if self.parent is not None and not self.parent.endless:
            self.parent.drop_heir(self)

    def add_heir(self, heir: Any) -> None:
        if self.heirs is None:
            fresh: dict[Any, None] = {}
            self.acquire()
            if self.heirs is None:  # race: two become the first
                self.heirs = fresh
            self.release()
        self.heirs[heir] = None

    def drop_heir(self, heir: Any) -> bool:
        """False: it is not among them, or is told already."""
        if self.heirs is None:
            return False
        return self.heirs.pop(heir, self) is None

    def take_heir(self) -> Any:
        """None: another one has taken the last."""
        try:
            return self.heirs.popitem()[0]  # type: ignore[union-attr]
        except KeyError:
            return None

    # ---- as a channel ----

    def new_channel(self) -> Channel:
        return Channel()

    def done_channel(self) -> Channel:
        """The one that closes when it is over. It is made for the first who asks."""
        if self.channel is None:
            fresh: Channel = self.new_channel()
            self.acquire()
            if self.channel is None:  # race: two ask first
                self.channel = fresh
            self.release()
        if self.error is not None:  # race: it was cancelled when there was no channel to close
            self.close_channel()
        return self.channel

    def close_channel(self) -> None:
        if self.channel is not None:
            self.channel.close_now()

    def seen_error(self) -> BaseException | None:
        """`error`, for who may look at the channel next: it is closed by then."""
        if self.error is not None:
            self.close_channel()  # race: the one that cancels has not come to it yet
        return self.error


class DeadlineTimer(Timer):
    """Cancels a context when its time is over."""

    def __init__(self, sched: Scheduler, ctx: Cancellation, error: BaseException) -> None:
        super().__init__(sched)
        self.ctx = ctx
        self.error = error

    def fire(self, when: int, seq: int) -> None:
        self.ctx.cancel_waits(self.error, self.error)


class Scope(Waiter):
    """A goroutine's current context, for as long as it is that. `outer`: the one before."""

    def __init__(self, g: Goroutine, ctx: Cancellation) -> None:
        self.g = g
        self.ctx = ctx
        self.outer: Scope | None = None
        self.left = False
        self.covers = 0

    def strike(self) -> bool:
        """Lock of ctx held. True: g's wait is won, and g is to be readied."""
        won = self.g.win()
        if won:
            self.g.struck = True
        return won

    def cover(self) -> bool:
        """By g, whose innermost it is. False: it was left, and who left it uncovers the one before."""
        self.ctx.acquire()
        here = not self.left  # race: another goroutine has left it meanwhile
        if here:
            self.covers += 1
            self.ctx.drop_waiter(self)  # race: it is cancelled in a wait that is shielded, while another one counts, or when g is another goroutine
        self.ctx.release()
        return here

    def lift(self) -> bool:
        """One cover less. True: it was left meanwhile, and the one before is to be uncovered."""
        won = False
        self.ctx.acquire()
        self.covers -= 1
        bare = self.covers == 0
        if bare and not self.left:  # race: the same
            if self.ctx.error is None:
                self.ctx.put_waiter(self)
            else:
                won = self.strike()  # race: it was cancelled while it was covered, and g waits already
        gone = bare and self.left
        self.ctx.release()
        if won:
            ready(self.g)
        return gone

    def leave(self) -> bool:
        """True: it was the innermost, and the one before is to be uncovered."""
        self.ctx.acquire()
        innermost = self.covers == 0 and not self.left
        self.left = True
        self.ctx.drop_waiter(self)  # race: it is cancelled in a later wait
        self.ctx.release()
        return innermost


def uncover(scope: Scope | None) -> None:
    """scope is the innermost again, or the first before it that is not left."""
    while scope is not None and scope.lift():
        scope = scope.outer


# ---- by the goroutine itself ----


def cover_innermost(g: Goroutine) -> Scope | None:
    """The one that was covered. None: its context is the background."""
    scope: Scope | None = g.scope  # type: ignore[assignment]
    while scope is not None and not scope.cover():
        scope = scope.outer
    return scope


def enter_scope(g: Goroutine, ctx: Cancellation) -> Scope:
    """ctx is g's current context from here on."""
    scope = Scope(g, ctx)
    scope.outer = cover_innermost(g)
    scope.covers = 1
    g.scope = scope
    scope.lift()
    return scope


def leave_scope(scope: Scope) -> None:
    """The one before is g's current context again, or will be when those further in are left. By g, or by another goroutine."""
    if scope.leave():
        uncover(scope.outer)
    if current_goroutine() is scope.g:
        drop_left(scope.g)


def drop_left(g: Goroutine) -> None:
    """g's scope is the innermost that is not left."""
    scope: Scope | None = g.scope  # type: ignore[assignment]
    if scope is not None and scope.left:
        while scope is not None and scope.left:
            scope = scope.outer
        g.scope = scope


def shield(g: Goroutine) -> Scope | None:
    """g heeds no context until `unshield`."""
    scope = cover_innermost(g)
    g.scope = None
    return scope


def unshield(g: Goroutine, scope: Scope) -> None:
    g.scope = scope
    uncover(scope)


class Shielded:
    """`with`: the goroutine that runs here heeds no context."""

    def __init__(self) -> None:
        self.g: Goroutine | None = None
        self.scope: Scope | None = None

    def __enter__(self) -> None:
        self.g = current_goroutine()
        if self.g is not None:
            self.scope = shield(self.g)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if self.scope is not None:
            unshield(self.g, self.scope)  # type: ignore[arg-type]


def end_scope(g: Goroutine) -> None:
    """g has ended."""
    cover_innermost(g)
    g.scope = None


def current_scope(g: Goroutine) -> Cancellation | None:
    """None: its context is the background."""
    drop_left(g)
    scope: Scope | None = g.scope  # type: ignore[assignment]
    return None if scope is None else scope.ctx


def has_deadline(g: Goroutine) -> bool:
    """Its context will be over at some time by itself."""
    scope: Scope | None = g.scope  # type: ignore[assignment]
    ctx = None if scope is None else scope.ctx
    while ctx is not None:
        if ctx.timer is not None:
            return True
        ctx = ctx.parent
    return False


def is_over(g: Goroutine) -> bool:
    """g, which has a scope, is about to park, with its wait open. True: its context is over, and the wait is won."""
    drop_left(g)
    scope: Scope | None = g.scope  # type: ignore[assignment]
    return scope is not None and scope.ctx.error is not None and g.win()


def ending(g: Goroutine) -> BaseException:
    """What to raise where g waited, if something else than what it waited for has ended the wait."""
    if g.struck:
        g.struck = False
        return copy_of(error_of(g))
    return Goexit()


def error_of(g: Goroutine) -> BaseException:
    """What has struck g: its context; or, if that was left at the same moment, that one."""
    scope: Scope | None = g.scope  # type: ignore[assignment]
    error: BaseException | None = None
    while scope is not None and scope.left:
        if error is None:
            error = scope.ctx.error
        scope = scope.outer
    if scope is not None and scope.ctx.error is not None:
        error = scope.ctx.error
    return error  # type: ignore[return-value]


def copy_of(error: BaseException) -> BaseException:
    """For one goroutine to raise: many may wait for one context, and each raise adds to the traceback. `origin` is the one that they share."""
    try:
        mine = copy.copy(error)
    except Exception:  # one that cannot be made again from its args
        return error.with_traceback(None)
    if error.__cause__ is not None:
        mine.__cause__ = error.__cause__
    mine.origin = error  # type: ignore[attr-defined]
    return mine
