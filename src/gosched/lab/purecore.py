"""A second copy of gosched.core, always from source, under a name of its own.

The explorer needs the pure `native`, whatever build the process runs on, and the proof of the race lines needs copies with one line changed. Core
imports nothing of its own but by relative imports, so its sources load under any package name.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import gosched.core

CORE = Path(gosched.core.__path__[0])
Transform = Callable[[str, str], str]
_numbers = itertools.count(1)


class CopyLoader(importlib.abc.SourceLoader):
    """Loads one module of the copy, its text changed by `transform(module, text)`."""

    def __init__(self, stem: str, transform: Transform) -> None:
        self.stem = stem
        self.transform = transform

    def get_filename(self, fullname: str) -> str:
        return str(CORE / f"{self.stem}.py")

    def get_data(self, path: str | bytes) -> bytes:
        text = Path(str(path)).read_text()
        return self.transform(self.stem, text).encode()

    def path_stats(self, path: str) -> Any:
        raise OSError("a copy is never cached")


class CopyFinder(importlib.abc.MetaPathFinder):
    def __init__(self, package: str, transform: Transform) -> None:
        self.package = package
        self.transform = transform

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        package, _, stem = fullname.rpartition(".")
        if package != self.package:
            return None
        return importlib.util.spec_from_loader(fullname, CopyLoader(stem, self.transform))


@contextmanager
def core_copy(transform: Transform = lambda module, text: text) -> Iterator[SimpleNamespace]:
    """The copy's modules as attributes, loaded on first use; forgotten at the end of the block."""
    package = f"gosched_core_copy_{next(_numbers)}"
    finder = CopyFinder(package, transform)
    root = ModuleType(package)
    root.__path__ = []
    sys.modules[package] = root
    sys.meta_path.insert(0, finder)
    names = [path.stem for path in sorted(CORE.glob("*.py")) if path.stem != "__init__"]
    try:
        yield SimpleNamespace(**{name: import_module(f"{package}.{name}") for name in names})
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
