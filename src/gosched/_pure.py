"""Which build of the core runs: compiled, or the same sources as they are.

With GOSCHED_PURE set, a finder ahead of all others loads gosched.core from its .py files even where extension modules lie beside them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType


class SourceOnly:
    """Finds gosched.core.* in its sources."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None or not name.startswith("gosched.core."):
            return None
        for entry in path:
            spec = FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)
            if spec is not None:
                return spec
        return None


def choose() -> str:
    """Installs the finder if asked to, loads the first core module and says which build that is."""
    asked = os.environ.get("GOSCHED_PURE", "") not in ("", "0")
    if asked:
        sys.meta_path.insert(0, SourceOnly())
    import gosched.core.native as native

    if not (native.__file__ or "").endswith(".py"):
        return "compiled"
    return "pure: GOSCHED_PURE is set" if asked else "pure: the extension modules are not built for this interpreter"
