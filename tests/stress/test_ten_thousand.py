"""Ten thousand connections at once, a goroutine for each, on two Ps: every message is answered. The clients are a process of their own, so that
both stay within the limit of descriptors."""

from __future__ import annotations

import resource
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import gosched
from gosched import asleep, blocking, go, net, run
from gosched.runtime import light_stacks

pytestmark = [pytest.mark.stress, pytest.mark.timeout(600)]
CLIENT = Path(__file__).with_name("crowd_client.py")
CONNECTIONS, ROUNDS, SPARE = 10_000, 3, 200
LIMIT = 240.0


def connections() -> int:
    """As many as the limit of open files allows: it is raised as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = CONNECTIONS + SPARE
    if soft < need:
        soft = need if hard == resource.RLIM_INFINITY else min(need, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    n = min(CONNECTIONS, soft - SPARE)
    if n < CONNECTIONS:
        warnings.warn(f"only {n} connections: a process may open {soft} files here (ulimit -n)", stacklevel=2)
    return n


@pytest.mark.filterwarnings("default:only .* connections:UserWarning")
@pytest.mark.parametrize("spelling", ["awaited", "plain"])
def test_ten_thousand_connections(spelling: str) -> None:
    if spelling == "plain" and not light_stacks(None):
        pytest.skip("stacks that are threads: ten thousand threads are no aim of this test")
    n = connections()
    most = 0

    def echoes(conn: net.Conn) -> None:
        with conn:
            while line := conn.read_line():
                conn.write(line)

    async def aechoes(conn: net.Conn) -> None:
        with conn:
            while line := await conn.aread_line():
                await conn.awrite(line)

    async def accepts(listener: net.Listener) -> None:
        nonlocal most
        async for conn in listener:
            go(echoes if spelling == "plain" else aechoes, conn)
            most = max(most, gosched.num_goroutine())

    async def main() -> str:
        with net.listen("127.0.0.1:0") as listener:
            go(accepts, listener)
            clients = [sys.executable, str(CLIENT), str(listener.address), str(n), str(ROUNDS)]
            done = blocking(subprocess.run, clients, capture_output=True, text=True, timeout=LIMIT, check=False)
            while gosched.num_goroutine() > 2:  # they read the end
                await asleep(0.001)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    assert run(main, gomaxprocs=2) == f"{n}\n"
    assert most >= n, "they were not all there at the same time"
