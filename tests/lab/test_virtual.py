"""Virtual time: deterministic, and the same on every build."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextvars import Context, ContextVar
from pathlib import Path

import pytest

import gosched
from gosched import DeadlockError, Policy, WaitGroup, ayield_now, go
from gosched.lab import measure
from gosched.lab.virtual import VirtualRuntime
from gosched.testing import explore, virtual_run, wait_all_blocked
from tests.conftest import HOME

ROOT = Path(__file__).resolve().parents[2]


async def workload() -> int:
    """Spawns, yields, waits, overflow and a change of gomaxprocs."""
    wg, total = WaitGroup(), [0]

    async def leaf(n: int) -> None:
        for _ in range(n % 4):
            await ayield_now()
        total[0] += n

    async def branch(n: int) -> None:
        for i in range(10):
            wg.go(leaf, n + i)

    for i in range(60):
        wg.go(branch, i)
    gosched.gomaxprocs(3)
    await wg
    return total[0]


def traces() -> dict[str, str]:
    """A digest of the trace, for several seeds."""
    found = {}
    for seed in range(10):
        rt = VirtualRuntime(gomaxprocs=4, seed=seed, policy=Policy(ring=32))
        result = rt.run(workload)
        found[str(seed)] = f"{result} {len(rt.trace)} {hashlib.sha256(json.dumps(rt.trace).encode()).hexdigest()}"
    return found


def test_same_seed_same_trace() -> None:
    first = traces()
    assert all(traces() == first for _ in range(3))
    assert len(set(first.values())) == 10, "different seeds give different schedules"


def test_parity_pure_and_compiled() -> None:
    """The other build, in a process of its own, gives the same traces."""
    other = "0" if gosched.__build__.startswith("pure") else "1"
    done = subprocess.run(
        [sys.executable, "-c", "import json, gosched; from tests.lab.test_virtual import traces; print(json.dumps([gosched.__build__, traces()]))"],
        env={**os.environ, "GOSCHED_PURE": other, "PYTHONPATH": f"{ROOT}{os.pathsep}{HOME}"},
        capture_output=True,
        text=True,
        check=True,
    )
    build, found = json.loads(done.stdout)
    assert found == traces(), f"{build} differs from {gosched.__build__}"


def test_every_p_gets_work() -> None:
    rt = VirtualRuntime(gomaxprocs=4, seed=1)
    rt.run(workload)
    assert {p for _, _, p, g, _ in rt.trace if g} == {0, 1, 2}


def test_deadlock_in_virtual_time() -> None:
    async def main() -> None:
        wg = WaitGroup()
        wg.add(1)
        await wg

    with pytest.raises(DeadlockError, match=r"^all goroutines are asleep - deadlock!"):
        virtual_run(main, gomaxprocs=2)


def test_uncaught_in_virtual_time() -> None:
    async def bad() -> None:
        raise KeyError("virtual")

    async def main() -> None:
        go(bad)
        wg = WaitGroup()
        wg.add(1)
        await wg

    with pytest.raises(KeyError, match="virtual") as caught:
        virtual_run(main)
    assert "in goroutine" in caught.value.__notes__[0]


def test_wait_all_blocked() -> None:
    async def main() -> dict[str, int]:
        wg = WaitGroup()
        wg.add(1)

        async def waits(n: int) -> None:
            for _ in range(n):
                await ayield_now()
            await wg

        for i in range(5):
            go(waits, i)
        await wait_all_blocked()
        return gosched.stats().by_wait_reason

    for seed in range(20):
        assert virtual_run(main, gomaxprocs=3, seed=seed) == {"sync.WaitGroup.Wait": 5}


def test_wait_all_blocked_in_real_time_says_where_it_works() -> None:
    async def main() -> None:
        await wait_all_blocked()

    with pytest.raises(RuntimeError, match=r"^wait_all_blocked\(\) outside of a goroutine: use it inside virtual_run\(main\)$"):
        gosched.run(main)


def test_explore_finds_a_users_race_and_tells_the_seed() -> None:
    """A lost update: read, yield, write."""

    async def main() -> None:
        counter, wg = [0], WaitGroup()

        async def adds() -> None:
            seen = counter[0]
            await ayield_now()
            counter[0] = seen + 1

        wg.go(adds)
        wg.go(adds)
        await wg
        assert counter[0] == 2, "lost update"

    with pytest.raises(AssertionError, match="lost update") as caught:
        explore(main, seeds=range(500))
    (note,) = caught.value.__notes__
    assert note.startswith("found by explore at seed ")


def test_explore_counts_its_runs() -> None:
    async def main() -> None:
        await ayield_now()

    assert explore(main, seeds=range(25)) == 25


def test_go_from_inside_the_runtime() -> None:
    """A finaliser may run anywhere, also while an M looks for work: what it starts waits until that M is out again, and runs then."""
    log: list[str] = []

    class Interrupted(VirtualRuntime):
        calls = 0

        def deadline(self) -> int:
            """Asked by an M in the runtime, without a P, on its way to sleep."""
            Interrupted.calls += 1
            if Interrupted.calls <= 3:
                go(log.append, f"started inside {Interrupted.calls}")
                gate.done()
            return super().deadline()

    gate = WaitGroup()
    gate.add(3)

    async def main() -> list[str]:
        await gate
        while len(log) < 3:
            await ayield_now()
        return sorted(log)

    assert Interrupted(gomaxprocs=2).run(main) == ["started inside 1", "started inside 2", "started inside 3"]


@pytest.mark.parametrize("empty", [True, False])
def test_the_callers_context_is_its_own(empty: bool) -> None:
    """Such as an event loop's task, whose context may be entered and empty."""
    var: ContextVar[int] = ContextVar("var")

    async def child() -> int:
        var.set(2)
        return var.get()

    async def main() -> tuple[int, int]:
        wg = WaitGroup()
        wg.go(child)
        await wg
        return var.get(0), await child()

    def caller() -> tuple[tuple[int, int], int]:
        if not empty:
            var.set(1)
        return virtual_run(main), var.get(0)

    found = Context().run(caller)
    assert found == (((0, 2), 0) if empty else ((1, 2), 1))
    assert measure(main).value == (0, 2)
