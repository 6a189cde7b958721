"""system.holding: which places of a program hold something, for every construct of the language."""

from __future__ import annotations

import _thread
import dis
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from types import CoroutineType
from typing import Any

import pytest

from gosched.system.holding import guarded, holds_nothing, table_of
from tests.stalls.waiting import PATIENCE

Asks = list[bool]
lock = threading.Lock()


class Managed:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...


managed = Managed()


def free() -> bool:
    """Whether the caller, and who called it, holds nothing."""
    return holds_nothing(sys._getframe(1))


def alone(fn: Callable[[], Any]) -> Any:
    """On a stack with no frame but fn's: those of pytest and of `threading` hold something."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    _thread.start_new_thread(lambda: answers.put(fn()), ())
    return answers.get(timeout=PATIENCE)


def drive(coroutine: CoroutineType[Any, Any, Any]) -> Any:
    """Runs a coroutine that never waits; here without a try."""
    steps = coroutine.__await__()
    found: list[Any] = []

    def collects() -> Iterator[Any]:
        found.append((yield from steps))

    for _ in collects():
        pass
    return found[0]


# ---- places that hold nothing ----


def nothing() -> bool:
    return free()


def in_a_loop() -> bool:
    for _ in range(1):
        while True:
            return free()
    return False


def after_a_with() -> bool:
    with managed:
        pass
    return free()


def before_a_with() -> bool:
    found = free()
    found = bool([found, found, found].count(found)) and found  # some way before: what is next to a block counts to it
    with managed:
        pass
    return found


def after_a_finally() -> bool:
    try:
        pass
    finally:
        pass
    return free()


def in_try_except() -> bool:
    try:
        return free()
    except ValueError:
        return False


def in_a_bare_except() -> bool:
    try:
        return free()
    except:  # noqa: E722
        return False


def in_two_try_excepts() -> bool:
    try:
        try:
            return free()
        except KeyError:
            return False
    except (ValueError, TypeError) as error:
        return bool(error)


def in_a_handler() -> bool:
    try:
        raise ValueError
    except ValueError:
        return free()


def in_a_named_handler() -> bool:
    try:
        raise ValueError
    except ValueError as error:
        return free() and bool(error)


def in_a_bare_handler() -> bool:
    try:
        raise ValueError
    except:  # noqa: E722
        return free()


def in_a_handler_of_a_handler() -> bool:
    try:
        raise ValueError
    except ValueError:
        try:
            raise KeyError
        except KeyError:
            return free()


def in_try_else() -> bool:
    try:
        found = False
    except ValueError:
        pass
    else:
        found = free()
    return found


def in_try_star() -> bool:
    found = False
    try:
        found = free()
    except* ValueError:
        pass
    return found


def in_a_comprehension() -> bool:
    return [free() for _ in range(1)][0]  # noqa: RUF015


def in_a_set_comprehension() -> bool:
    return {free() for _ in range(1)} == {True}


def in_a_generator_expression() -> bool:
    return next(iter([*(free() for _ in range(1))]))


def in_a_generator() -> bool:
    def steps() -> Iterator[bool]:
        yield free()
        yield free()

    return list(steps()) == [True, True]


def in_a_coroutine() -> bool:
    async def body() -> bool:
        return free()

    async def outer() -> bool:
        return await body()

    return bool(drive(outer()))  # type: ignore[arg-type]


def in_match() -> bool:
    match (1, [2]):
        case (1, [x]) if x == 2:
            return free()
    return False


def in_nested_functions() -> bool:
    def inner() -> bool:
        return (lambda: free())()

    return inner()


def in_a_class_body() -> bool:
    class Body:
        found = free()

    return Body.found


def in_a_decorated_function() -> bool:
    def wraps(fn: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: fn()

    @wraps
    def decorated() -> bool:
        return free()

    return decorated()


def in_exec() -> bool:
    space: dict[str, Any] = {"free": free}
    exec("found = free()", space)
    return bool(space["found"])


def in_a_sort_key() -> bool:
    found: list[bool] = []
    sorted([1], key=lambda x: found.append(free()) or x)  # type: ignore[func-returns-value]
    return found == [True]


def in_an_assert() -> bool:
    found = free()
    assert found
    return found


def while_a_with_is_in_another_function() -> bool:
    def holds() -> None:
        with managed:
            pass

    holds()
    return free()


# ---- places that hold something ----


def in_a_with() -> bool:
    with managed:
        return free()


def in_a_with_of_a_lock() -> bool:
    with lock:
        found = free()
    return found  # noqa: RET504


def in_two_withs() -> bool:
    with managed, managed:
        return free()


def in_a_with_as() -> bool:
    with managed as _:
        for _ in range(1):
            return free()
    return True


def in_an_async_with() -> bool:
    async def body() -> bool:
        async with managed:
            return free()

    return bool(drive(body()))  # type: ignore[arg-type]


def in_try_finally() -> bool:
    found = True
    try:
        found = free()
    finally:
        str(found)
    return found


def in_try_finally_with_return() -> bool:
    try:
        return free()
    finally:
        lock.locked()


def in_try_except_finally() -> bool:
    try:
        return free()
    except ValueError:
        return True
    finally:
        lock.locked()


def in_a_handler_with_a_finally() -> bool:
    try:
        raise ValueError
    except ValueError:
        return free()
    finally:
        lock.locked()


def in_an_else_with_a_finally() -> bool:
    try:
        found = True
    except ValueError:
        pass
    else:
        found = free()
    finally:
        lock.locked()
    return found


def in_try_except_in_a_with() -> bool:
    with managed:
        try:
            return free()
        except ValueError:
            return True


def in_a_handler_in_a_with() -> bool:
    with managed:
        try:
            raise ValueError
        except ValueError:
            return free()


def in_a_named_handler_in_a_with() -> bool:
    with managed:
        try:
            raise ValueError
        except ValueError as error:
            return free() and bool(error)


def in_a_bare_except_in_a_with() -> bool:
    with managed:
        try:
            return free()
        except:  # noqa: E722
            return True


def in_a_with_in_try_except() -> bool:
    try:
        with managed:
            return free()
    except ValueError:
        return True


def in_a_with_in_a_handler() -> bool:
    try:
        raise ValueError
    except ValueError:
        with managed:
            return free()


def in_a_finally_inside_a_handler() -> bool:
    try:
        raise ValueError
    except ValueError:
        try:
            return free()
        finally:
            lock.locked()


def in_a_bare_handler_in_a_finally() -> bool:
    try:
        try:
            raise ValueError
        except:  # noqa: E722
            return free()
    finally:
        lock.locked()


def in_a_comprehension_in_a_with() -> bool:
    with managed:
        return [free() for _ in range(1)][0]  # noqa: RUF015


def in_a_function_called_in_a_with() -> bool:
    def inner() -> bool:
        return free()

    with managed:
        return inner()


def in_a_generator_that_holds() -> bool:
    def steps() -> Iterator[bool]:
        with managed:
            yield free()

    (found,) = steps()
    return found


def in_a_class_body_in_a_with() -> bool:
    with managed:

        class Body:
            found = free()

    return Body.found


def in_try_star_in_a_finally() -> bool:
    found = True
    try:
        try:
            found = free()
        except* ValueError:
            pass
    finally:
        lock.locked()
    return found


def in_a_match_in_a_with() -> bool:
    with managed:
        match 1:
            case 1:
                return free()
    return True


HOLD_NOTHING = [
    nothing, in_a_loop, after_a_with, before_a_with, after_a_finally, in_try_except, in_a_bare_except, in_two_try_excepts, in_a_handler,
    in_a_named_handler, in_a_bare_handler, in_a_handler_of_a_handler, in_try_else, in_try_star, in_a_comprehension, in_a_set_comprehension,
    in_a_generator_expression, in_a_generator, in_a_coroutine, in_match, in_nested_functions, in_a_class_body, in_a_decorated_function, in_exec,
    in_a_sort_key, in_an_assert, while_a_with_is_in_another_function,
]  # fmt: skip
HOLD = [
    in_a_with, in_a_with_of_a_lock, in_two_withs, in_a_with_as, in_an_async_with, in_try_finally, in_try_finally_with_return, in_try_except_finally,
    in_a_handler_with_a_finally, in_an_else_with_a_finally, in_try_except_in_a_with, in_a_handler_in_a_with, in_a_named_handler_in_a_with,
    in_a_bare_except_in_a_with, in_a_with_in_try_except, in_a_with_in_a_handler, in_a_finally_inside_a_handler, in_a_bare_handler_in_a_finally,
    in_a_comprehension_in_a_with, in_a_function_called_in_a_with, in_a_generator_that_holds, in_a_class_body_in_a_with, in_try_star_in_a_finally,
    in_a_match_in_a_with,
]  # fmt: skip


@pytest.mark.parametrize("place", HOLD_NOTHING)
def test_places_that_hold_nothing(place: Callable[[], bool]) -> None:
    assert alone(place) is True


@pytest.mark.parametrize("place", HOLD)
def test_places_that_hold_something(place: Callable[[], bool]) -> None:
    assert alone(place) is False


def test_a_finally_body_itself() -> None:
    """What it gives back is held until then. It runs in two copies, without and with an exception; as does __exit__."""

    def without() -> list[bool]:
        found: list[bool] = []
        try:
            len(found)
        finally:
            found.append(free())
        return found

    def with_error() -> list[bool]:
        found: list[bool] = []
        try:
            try:
                raise KeyError
            finally:
                found.append(free())
        except KeyError:
            pass
        return found

    assert alone(without) == alone(with_error) == [False]


def test_inside_enter_and_exit() -> None:
    """They are called just outside of the block; but a lock may be held there already, or still."""
    found: dict[str, bool] = {}

    class Looks:
        def __enter__(self) -> None:
            found["enter"] = free()

        def __exit__(self, *_: object) -> None:
            found["exit"] = free()

    def uses() -> None:
        with Looks():
            pass

    alone(uses)
    assert found == {"enter": False, "exit": False}


def test_the_first_instruction_of_a_block() -> None:
    """Between __enter__ and the first instruction there is no gap in which the lock is held and no block is seen."""

    def holds() -> None:
        with lock:
            lock.locked()

    code = holds.__code__
    found = [op.offset for op in dis.get_instructions(code) if op.argval == "locked"]
    assert [guarded(code, offset) for offset in found] == [True]


def test_numbers_of_the_table() -> None:
    assert list(table_of(b"")) == []
    assert list(table_of(bytes([5, 64 | 1, 2, 63]))) == [5, 66, 63]


def test_the_library() -> None:
    """Code of others: condition.wait() holds, a plain loop does not."""
    assert holds_nothing(None)

    def loops() -> bool:
        return max(map(lambda _: free(), range(3)))  # noqa: C417

    assert alone(loops) is True
