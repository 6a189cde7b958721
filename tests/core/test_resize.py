"""gomaxprocs: the default, and changes while the program runs."""

from __future__ import annotations

import pytest

import gosched
from gosched import WaitGroup, ayield_now, run
from gosched.testing import virtual_run


def test_gomaxprocs_returns_the_setting_before() -> None:
    async def main() -> list[int]:
        return [gosched.gomaxprocs(), gosched.gomaxprocs(3), gosched.gomaxprocs(1), gosched.gomaxprocs()]

    assert run(main, gomaxprocs=2) == [2, 2, 3, 1]
    assert virtual_run(main, gomaxprocs=2) == [2, 2, 3, 1]


def test_gomaxprocs_outside() -> None:
    assert gosched.gomaxprocs() >= 1
    with pytest.raises(RuntimeError, match=r"^gomaxprocs\(n\) outside of a goroutine: use it inside run\(main\), or give run\(main, gomaxprocs=n\)$"):
        gosched.gomaxprocs(2)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_lost_when_ps_come_and_go(seed: int) -> None:
    async def main() -> int:
        wg, ran = WaitGroup(), list[int]()

        async def leaf(i: int) -> None:
            for _ in range(i % 3):
                await ayield_now()
            ran.append(i)

        async def resizes() -> None:
            for n in (1, 4, 2, 8, 1, 3):
                gosched.gomaxprocs(n)
                await ayield_now()

        for i in range(400):
            wg.go(leaf, i)
            if i % 100 == 50:
                wg.go(resizes)
        await wg
        assert sorted(ran) == list(range(400))
        return gosched.gomaxprocs()

    assert virtual_run(main, gomaxprocs=4, seed=seed) == 3


def test_stats_after_a_change() -> None:
    async def main() -> gosched.RuntimeStats:
        gosched.gomaxprocs(3)
        return gosched.stats()

    figures = run(main, gomaxprocs=1)
    assert figures.gomaxprocs == 3
    assert [p.id for p in figures.ps] == [0, 1, 2]
    assert figures.by_state == {"running": 1}
    assert figures.by_wait_reason == {}
    assert sum(m.goroutine == 1 for m in figures.ms) == 1
