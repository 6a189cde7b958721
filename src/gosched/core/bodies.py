"""How user code is entered and left, in Python: the twin of bodies.pyx."""

from __future__ import annotations

import contextvars
import inspect
import types
from typing import TYPE_CHECKING, Any

from .callers import outside_frame
from .states import RAISED, RETURNED, YIELDED

if TYPE_CHECKING:
    from .native import ThreadWords


def _inside(m: ThreadWords, context: contextvars.Context | None, step: Any, *args: Any) -> Any:
    """Runs one step of a goroutine inside its context. One that has none gets one, which m adopts for it if a variable was set."""
    if context is not None:
        return context.run(step, *args)
    context = contextvars.Context()
    try:
        return context.run(step, *args)
    finally:
        m.adopted = context or None


def _raised(m: ThreadWords, error: BaseException) -> BaseException:
    """Every way in which a goroutine can end is the scheduler's to judge. The traceback begins in user code."""
    m.outcome = RAISED
    while error.__traceback__ is not None and error.__traceback__.tb_frame.f_code.co_filename == __file__:
        error.__traceback__ = error.__traceback__.tb_next
    return error


def _judge(m: ThreadWords, context: contextvars.Context | None, step: Any, *args: Any) -> Any:
    try:
        result = _inside(m, context, step, *args)
    except StopIteration as stop:
        m.outcome = RETURNED
        return stop.value
    except BaseException as error:
        return _raised(m, error)
    m.outcome = YIELDED
    return result


def resume(body: Any, value: Any, context: contextvars.Context | None, m: ThreadWords) -> Any:
    """Resumes a coroutine inside its context; m.outcome tells whether the result was yielded, returned or raised."""
    return _judge(m, context, body.send, value)


def throw(body: Any, error: BaseException, context: contextvars.Context | None, m: ThreadWords) -> Any:
    """Resumes a coroutine with an exception."""
    return _judge(m, context, body.throw, error)


def call(fn: Any, args: tuple[Any, ...], context: contextvars.Context | None, m: ThreadWords) -> Any:
    """Calls a plain function inside its context."""
    try:
        result = _inside(m, context, fn, *args)
        m.outcome = RETURNED
    except BaseException as error:
        return _raised(m, error)
    return result


def copy_context() -> contextvars.Context | None:
    """A copy of the current context, or None if it is empty."""
    return contextvars.copy_context() or None


def may_wait(fn: Any, args: tuple[Any, ...], alone: bool) -> bool:
    """Whether the coroutine of this async function can be made when the goroutine first runs: its arguments fit, so nothing is left to fail."""
    if type(fn) is not types.FunctionType:
        return False
    code = fn.__code__
    flexible = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return not flexible and code.co_kwonlyargcount == 0 and code.co_argcount == len(args)


def is_coroutine(x: Any) -> bool:
    return type(x) is types.CoroutineType or (type(x) is types.GeneratorType and bool(x.gi_code.co_flags & inspect.CO_ITERABLE_COROUTINE))


def is_coroutine_function(x: Any) -> bool:
    if type(x) is types.MethodType:
        x = x.__func__
    return type(x) is types.FunctionType and bool(x.__code__.co_flags & inspect.CO_COROUTINE)


def look_outside(m: ThreadWords) -> None:
    """Remembers in m the nearest Python frame outside the package, until a goroutine takes it over."""
    frame = outside_frame()
    m.code = None if frame is None else frame.f_code
    m.lasti = -1 if frame is None else frame.f_lasti


# From Python the caller's frame is no nearer than that.
look_at_caller = look_outside
