"""`python -m gosched.bench.probe PACKAGE…`: what an interpreter is, has, and how fast it counts, as JSON."""

from __future__ import annotations

import json
import platform
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

from gosched.bench.work import burn, now


def main(packages: list[str]) -> None:
    found = {}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            pass
    print(
        json.dumps(
            {
                "version": platform.python_version(),
                "parallel": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                "gosched": gosched_build(),
                "packages": found,
                "count_of_5_ms": count_of_5_ms(),
            }
        )
    )


def gosched_build() -> str:
    try:
        import gosched
    except Exception as error:
        return f"not importable: {error!r}"
    return f"{gosched.__version__} {gosched.__build__}" + (", built from older sources" if stale() else "")


def stale() -> bool:
    """Whether a loaded extension module is older than its source beside it."""
    for name, module in list(sys.modules.items()):
        built = Path(getattr(module, "__file__", None) or "")
        if name.startswith("gosched.core.") and built.suffix == ".so":
            stem = built.parent / name.rpartition(".")[2]
            sources = [stem.with_suffix(suffix) for suffix in (".py", ".pyx", ".pxd")]
            if any(source.exists() and source.stat().st_mtime > built.stat().st_mtime for source in sources):
                return True
    return False


def count_of_5_ms() -> int:
    """What this interpreter counts to in 5 ms."""
    sample = 1_000_000
    best = sys.maxsize
    for _ in range(5):
        begin = now()
        burn(sample)
        best = min(best, now() - begin)
    return 5_000_000 * sample // best


if __name__ == "__main__":
    main(sys.argv[1:])
