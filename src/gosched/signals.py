"""Signals of the operating system as channel values, and as a context's end. How they get here: system/handlers.py."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from typing import Any

from gosched.channels import Chan, SendChan, nil
from gosched.context import Context
from gosched.core.native import current_m
from gosched.errors import Canceled, ClosedChannelError
from gosched.runtime import Runtime
from gosched.system.handlers import HANDLERS, Mark, Watch, in_main_thread, name_of, named

__all__ = ["notify", "notify_context", "stop_notify"]

UNCATCHABLE = {signal.SIGKILL, signal.SIGSTOP}


def notify(ch: SendChan[signal.Signals], /, *signals: int) -> None:
    """From now on these signals are values of the channel, and nothing else: Ctrl-C, too, if SIGINT is among them.

    A signal never waits: a channel that is full, or that nobody receives from, misses it, so give it a buffer. A channel may watch many signals, and
    many channels one. It lasts until `stop_notify`, and for what a goroutine has asked for, until its runtime closes; then the handlers that stood
    before are back. Which signals must be said: Go's "all of them" would take the means to end the program.

    In a goroutine of a program whose `run` is in the main thread, or in the main thread itself.

    >>> import gosched, os, signal
    >>> async def main():
    ...     ch = gosched.Chan[signal.Signals](1)
    ...     gosched.notify(ch, signal.SIGUSR1, signal.SIGTERM)
    ...     os.kill(os.getpid(), signal.SIGTERM)
    ...     return (await ch.arecv()).name
    >>> gosched.run(main)
    'SIGTERM'
    """
    numbers = checked("notify", signals)
    if not isinstance(ch, Chan):
        raise TypeError(f"notify(): ch must be a Chan, not {type(ch).__name__}")
    if ch is nil:
        raise ValueError("notify(): the nil channel receives nothing; give it a Chan(1)")

    def tell(number: int) -> None:
        with contextlib.suppress(ClosedChannelError):  # then nobody is there
            ch.try_send(named(number))

    watch("notify", ch, numbers, tell)


def stop_notify(ch: SendChan[signal.Signals], /) -> None:
    """No signal is sent to the channel any more. Those that nobody watches now do again what they did before.

    >>> import gosched, signal
    >>> ch = gosched.Chan[signal.Signals](1)
    >>> before = signal.getsignal(signal.SIGTERM)
    >>> gosched.notify(ch, signal.SIGTERM)
    >>> signal.getsignal(signal.SIGTERM) == before
    False
    >>> gosched.stop_notify(ch)
    >>> signal.getsignal(signal.SIGTERM) == before
    True
    """
    if not isinstance(ch, Chan):
        raise TypeError(f"stop_notify(): ch must be a Chan, not {type(ch).__name__}")
    unwatch(ch)


class SignalContext(Context):
    """One that signals end, until it is cancelled, or its block is over."""

    __slots__ = ()

    def cancel(self, cause: BaseException | None = None) -> None:
        """Ends it, as for any context; and signals are no longer its own."""
        super().cancel(cause)
        unwatch(self)

    def tell(self, number: int) -> None:
        super().cancel(Canceled(f"{name_of(number)} received"))


def notify_context(ctx: Context | None, /, *signals: int) -> Context:
    """A context that is over when one of the signals arrives; its cause says which. It also ends with `ctx`; None stands for the current context.

    Used with `with`, or unpacked, as any context: at the end of the block, or when `cancel` is called, the signals do again what they did before.
    Until then also further ones are caught. Where it may be called: as `notify`.

    >>> import gosched, os, signal
    >>> async def main():
    ...     try:
    ...         with gosched.notify_context(None, signal.SIGTERM) as ctx:
    ...             os.kill(os.getpid(), signal.SIGTERM)
    ...             await gosched.asleep(3600)
    ...     except gosched.Canceled:
    ...         return str(ctx.cause)
    >>> gosched.run(main)
    'SIGTERM received'
    """
    numbers = checked("notify_context", signals)
    if ctx is not None and not isinstance(ctx, Context):
        raise TypeError(f"notify_context(): ctx must be a Context, or None for the current one, not {type(ctx).__name__}")
    made = SignalContext(Context.current() if ctx is None else ctx, f"notify_context({', '.join(map(name_of, numbers))})")
    watch("notify_context", made, numbers, made.tell)
    return made


def checked(what: str, signals: tuple[int, ...]) -> list[int]:
    if not signals:
        raise ValueError(f"{what}(): say which signals, such as signal.SIGINT, signal.SIGTERM")
    known = signal.valid_signals()
    for number in signals:
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"{what}(): a signal is a number such as signal.SIGTERM, not {type(number).__name__}")
        if number not in known:
            raise ValueError(f"{what}(): there is no signal {number}; they are in the module signal, such as signal.SIGTERM")
        if number in UNCATCHABLE:
            raise ValueError(f"{what}(): {name_of(number)} cannot be caught by any program")
    return [int(number) for number in signals]


def watch(what: str, target: object, numbers: list[int], tell: Callable[[int], Any]) -> None:
    """The handlers stand when this returns."""
    m = current_m()
    owner = None if m is None else getattr(m.sched.host, "events", None)
    if m is not None and not isinstance(owner, Runtime):
        raise RuntimeError(f"{what}() in virtual time: no signal arrives there; send to the channel, or cancel the context, yourself")
    HANDLERS.add(Watch(target, owner, tell), numbers)
    try:
        if not in_main(HANDLERS.settle):
            raise nobody_serves(what, owner)
    except BaseException:
        HANDLERS.remove(lambda watch: watch.target is target and watch.owner is owner)
        raise


def unwatch(target: object) -> None:
    """What is on its way reaches it still. Where nobody can put the handlers back now, the next signal does, or who settles next."""
    if HANDLERS.watched(target):
        mark = Mark()
        if in_main(lambda: HANDLERS.send(mark)):
            mark.wait()
        HANDLERS.remove(lambda watch: watch.target is target)
        in_main(HANDLERS.settle)


def in_main(errand: Callable[[], object]) -> bool:
    """In the main thread, by this or by the one in run(). False: that cannot be done."""
    m = current_m()
    owner = None if m is None else getattr(m.sched.host, "events", None)
    if isinstance(owner, Runtime):
        return owner._errands.do(errand)
    if in_main_thread():
        errand()
        return True
    return False


def nobody_serves(what: str, rt: Runtime | None) -> RuntimeError:
    if rt is None:
        return RuntimeError(f"{what}() in a thread that is no goroutine and not the main one: call it there")
    if rt._errands.elsewhere:
        return RuntimeError(f"{what}(): signals arrive in the main thread, and run() was called in another: call it there")
    return RuntimeError(f"{what}(): only the main thread can set up signals, and it is not in run() now: call {what}() there, or inside rt.run(main)")
