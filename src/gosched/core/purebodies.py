"""The part of the pure native that runs user code: one step of a coroutine or a call, inside its context, and what came of it."""

from __future__ import annotations

import contextvars
import inspect
import types
from typing import TYPE_CHECKING, Any

from .states import RAISED, RETURNED, YIELDED

if TYPE_CHECKING:
    from .native import ThreadWords


def _judge(m: ThreadWords, context: contextvars.Context, step: Any, *args: Any) -> Any:
    """Runs one step of a goroutine inside its context. Every way in which it can end is the scheduler's to judge."""
    try:
        result = context.run(step, *args)
    except StopIteration as stop:
        m.outcome = RETURNED
        return stop.value
    except BaseException as error:
        m.outcome = RAISED
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error
    m.outcome = YIELDED
    return result


def resume(body: Any, value: Any, context: contextvars.Context, m: ThreadWords) -> Any:
    """Resumes a coroutine inside its context; m.outcome tells whether the result was yielded, returned or raised."""
    return _judge(m, context, body.send, value)


def throw(body: Any, error: BaseException, context: contextvars.Context, m: ThreadWords) -> Any:
    """Resumes a coroutine with an exception."""
    return _judge(m, context, body.throw, error)


def call(fn: Any, args: tuple[Any, ...], context: contextvars.Context, m: ThreadWords) -> Any:
    """Calls a plain function inside its context."""
    try:
        result = context.run(fn, *args)
        m.outcome = RETURNED
    except BaseException as error:
        m.outcome = RAISED
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error
    return result


def copy_context() -> contextvars.Context | None:
    """A copy of the current context, or None if it is empty: a goroutine gets a new one then, when it first runs."""
    return contextvars.copy_context() or None


def new_context() -> contextvars.Context:
    return contextvars.Context()


def is_coroutine(x: Any) -> bool:
    return type(x) is types.CoroutineType or (type(x) is types.GeneratorType and bool(x.gi_code.co_flags & inspect.CO_ITERABLE_COROUTINE))


def is_coroutine_function(x: Any) -> bool:
    if type(x) is types.MethodType:
        x = x.__func__
    return type(x) is types.FunctionType and bool(x.__code__.co_flags & inspect.CO_COROUTINE)
