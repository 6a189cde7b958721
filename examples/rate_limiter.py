"""A rate limiter: a bucket of tokens that a ticker fills. Three requests may go at once; after that, five in a second.

It runs in virtual time, so that the times are exact and nobody waits for them; with gosched.run instead of virtual_run it is the same in real time.

python examples/rate_limiter.py
"""

from __future__ import annotations

from types import TracebackType

from gosched import Chan, Group, Ticker, asleep, go, now, with_cancel
from gosched.testing import virtual_run


class Limiter:
    """`await limiter.take()` waits until a request may go. Who comes first goes first."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._period = 1 / per_second
        self._tokens = Chan[None](burst)
        self._ctx = with_cancel()
        for _ in range(burst):
            self._tokens.try_send(None)

    async def take(self) -> None:
        await self._tokens.arecv()

    async def _fill(self) -> None:
        with self._ctx, Ticker(self._period) as ticker:
            async for _ in ticker.c:
                self._tokens.try_send(None)  # a full bucket stays as it is

    def __enter__(self) -> Limiter:
        go(self._fill)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._ctx.cancel()  # ends the filling


async def main() -> None:
    start = now()

    async def request() -> float:
        await limiter.take()
        return now() - start

    with Limiter(per_second=5, burst=3) as limiter:
        for wave in ("at first:", "after a pause:"):
            async with Group() as group:
                tasks = [group.go(request) for _ in range(6)]
            print(wave, *[f"{when:.1f}" for when in sorted(task.result() for task in tasks)])
            await asleep(1.3)


if __name__ == "__main__":
    virtual_run(main)
