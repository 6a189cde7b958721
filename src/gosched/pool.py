"""Pool: objects that are costly to make, kept for reuse.

One list per P, so that goroutines on different threads do not meet. What is in the pool when the collector makes a full run is kept for one more
and gone after the second, as Go's: a pool empties itself when nobody needs it.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from gosched.core.native import current_m

T = TypeVar("T")

_pools: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()


class Shelf(Generic[T]):
    """What is kept for one P: one object to be had first, as in Go, and a stack."""

    def __init__(self) -> None:
        self.private: list[T] = []
        self.shared: list[T] = []


class Pool(Generic[T]):
    """Go's sync.Pool. `get` gives an object that somebody put there, or a new one; there is no promise which.

    >>> import gosched
    >>> pool = gosched.Pool(list)
    >>> mine = pool.get()
    >>> pool.put(mine)
    >>> pool.get() is mine
    True
    """

    def __init__(self, new: Callable[[], T]) -> None:
        if not callable(new):
            raise TypeError(f"Pool() needs a function that makes an object, not {type(new).__name__}")
        self._new = new
        self._local: dict[int, Shelf[T]] = {}
        self._victims: dict[int, Shelf[T]] = {}
        _pools.add(self)

    def get(self) -> T:
        """One from this P's list, else from another's, else a new one."""
        mine = _here()
        for store in (self._local, self._victims):
            for shelf in (store.get(mine), *store.values()):
                for items in () if shelf is None else (shelf.private, shelf.shared):
                    if items:
                        try:
                            return items.pop()
                        except IndexError:  # another thread took the last
                            continue
        return self._new()

    def put(self, item: T) -> None:
        """For somebody else. The caller uses it no more."""
        shelf = self._local.setdefault(_here(), Shelf())
        (shelf.shared if shelf.private else shelf.private).append(item)

    def _age(self) -> None:
        self._victims, self._local = self._local, {}


def _here() -> int:
    m = current_m()
    p = None if m is None else m.p
    return -1 if p is None else p.id


def _after_collection(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        for pool in list(_pools):
            pool._age()


gc.callbacks.append(_after_collection)
