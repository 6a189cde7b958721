"""The picture that the live page shows: who runs where, who is queued, what the others do."""

from __future__ import annotations

import gosched
from gosched.core.picture import name_of, take
from tests.calm import run_calmly


async def waits(ch: gosched.Chan[int]) -> None:
    await ch.arecv()


async def idles() -> None:
    pass


def test_queues_and_rows_of_one_p() -> None:
    async def main() -> None:
        ch = gosched.Chan[int]()
        gosched.go(waits, ch, name="reader")
        await gosched.ayield_now()
        for _ in range(3):
            gosched.go(idles)
        seen = take(gosched.Runtime.current().sched, 100, {})
        [p] = seen.ps
        assert (p[0], p[3], p[4], p[5], p[6]) == (0, 1, 2, [3, 4], 5)  # the id, who runs, how many queued, who, and who is next
        assert seen.groups == {}
        assert {row[0]: (row[1], row[2], row[4], row[5]) for row in seen.rows} == {
            1: ("R", 0, main.__qualname__, 0),
            2: ("w", 2, "reader", 1),
            **dict.fromkeys((3, 4, 5), ("r", 0, "idles", 1)),
        }
        assert [m[3] for m in seen.ms if m[3]] == [1]

    run_calmly(main)


def test_more_than_asked_for_are_counted() -> None:
    async def main() -> None:
        ch = gosched.Chan[int]()
        for i in range(20):
            gosched.go(waits, ch, name=f"reader {i}")
        await gosched.ayield_now()
        names: dict[int, str] = {}
        for _ in range(2):
            seen = take(gosched.Runtime.current().sched, 10, names)
            assert seen.rows == []
            assert seen.total == 21
            count, _, ids = seen.groups["w", 2, "waits"]
            assert (count, len(ids)) == (20, 8)
        assert len(names) == 21

    run_calmly(main)


def test_names_are_bounded_and_looked_for_inside() -> None:
    import functools

    assert name_of("x" * 500, None) == "x" * 120 + "…"
    assert name_of(None, functools.partial(functools.partial(idles))) == "idles"
    assert name_of(None, None) == ""
