"""The host of the Python program of a pair: what host.go is to the Go program."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import gosched

PROGRAMS = Path(__file__).parent / "programs"

Say = Callable[[str], None]


async def align() -> None:
    """Returns at a tick that is 1 modulo 61; see host.go."""
    crowd = 130
    wg = gosched.WaitGroup()
    ran = [0]

    def one() -> None:
        ran[0] += 1
        wg.done()

    wg.add(crowd)
    for _ in range(crowd):
        gosched.go(one)
    while ran[0] == 0:
        await gosched.ayield_now()  # overtakes what is left of the crowd, at a tick divisible by 61; not before runnext, which is no tick
    left = (crowd - ran[0]) % 61
    await wg  # a tick for each of the crowd; this goroutine itself comes back through runnext, which is none
    wg.add(62 - left)
    for _ in range(62 - left):
        gosched.go(one)  # the last one is in runnext
    await wg


async def hosted(program: ModuleType, say: Say) -> None:
    """What goroutine 1 runs."""
    await align()
    await program.main(say)


def load(name: str) -> ModuleType:
    """The Python program of that name, as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"fidelity_{name}", PROGRAMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
