"""The fresh process: `python -m gosched.bench.cell CASE RUNTIME N WORK PROCS GC` runs one case once and prints its reading as JSON."""

from __future__ import annotations

import gc
import importlib
import json
import sys

from gosched.bench.net.driving import NETWORK, prepare
from gosched.bench.work import Size


def main(case: str, runtime: str, n: str, work: str, procs: str, collector: str) -> None:
    size = Size(int(n), int(work), int(procs))
    module = importlib.import_module(f"gosched.bench.runtimes.{runtime}")
    if collector == "off":
        gc.collect()
        gc.disable()
    if case in NETWORK:
        prepare(size)
    reading = module.run(getattr(module, f"case_{case}"), size)
    print(json.dumps(reading._asdict() | {"gil": gil_enabled()}))


def gil_enabled() -> bool:
    """An extension module may have switched it on."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


if __name__ == "__main__":
    main(*sys.argv[1:])
