"""What others do with a connection: threads that outlive the program, forked children, the collector, callers who ask for too much."""

from __future__ import annotations

import gc
import os
import selectors
import ssl
import sys
import threading
import warnings
from typing import Any

import pytest

import gosched
from gosched import net

from .nets import AWAITED, PATIENCE, NetWorld, descriptors, has_ipv6, nobody_waits
from .peers import Certificate, Do, Told, both, play

pytestmark = pytest.mark.usefixtures("poller")


def test_a_thread_that_waits_is_told_of_the_end() -> None:
    """The program is over, and nobody polls for it any more."""
    told: list[BaseException] = []
    conns: list[Any] = []

    def waits() -> None:
        try:
            conns[0].read()
        except BaseException as error:
            told.append(error)

    thread = threading.Thread(target=waits)

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            conns.append(await net.adial(str(listener.address)))
            conns.append(await listener.aaccept())
            thread.start()
            await w.until(lambda: not nobody_waits(), "the thread to wait")

    AWAITED.run(main)
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for ever"
    for conn in conns:
        conn.close()
    assert len(told) == 1
    assert "the run() that it belongs to is over" in str(told[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("address", ["127.0.0.1:0", "unix"])
def test_a_child_that_closes_its_copies_takes_nothing_from_its_parent(either: NetWorld, address: str, tmp_path: Any) -> None:
    async def main(w: NetWorld) -> bytes:
        with (
            net.listen(f"unix:{tmp_path}/s" if address == "unix" else address) as listener,
            await w.dial(listener.address) as here,
            await w.do(listener, "accept") as there,
        ):
            pid = os.fork()
            if pid == 0:
                for each in (here, there, listener):
                    each.close()
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
            reads = w.start(w.do, there, "read")
            accepts = w.start(w.do, listener, "accept")
            await w.until_waiting(2)
            await w.do(here, "write", b"still here")
            with await w.dial(listener.address), await w.result(accepts):
                got: bytes = await w.result(reads)
                return got

    assert either.run(main) == b"still here"


@pytest.mark.parametrize("n", [1 << 30, 1 << 50, sys.maxsize, 1 << 70])
def test_who_asks_for_too_much_gets_what_there_is(either: NetWorld, n: int) -> None:
    async def main(w: NetWorld) -> list[bytes]:
        async with w.pair() as (here, there):
            await w.do(here, "write", b"all of it\n" * 2)
            got = [await w.do(there, "read", n)]
            await w.do(here, "write", b"a line\n")
            got.append(await w.do(there, "read_line", n))
            here.close()
            got.append(await w.do(there, "read", n))
            return got

    assert either.run(main) == [b"all of it\n" * 2, b"a line\n", b""]


def test_the_collector_closes_one_in_the_middle_of_the_poller(monkeypatch: pytest.MonkeyPatch, poller: str) -> None:
    """Connections in cycles, dropped, and a collector that comes by whenever the poller calls Python."""
    gc.collect()
    before = descriptors()

    async def main(w: NetWorld) -> None:
        with net.listen("127.0.0.1:0") as listener:
            for _ in range(20):
                here, there = await net.adial(str(listener.address)), await listener.aaccept()
                reads = w.start(w.do, there, "read")
                await w.until_waiting()
                here.close()
                assert await w.result(reads) == b""
                cycle: list[Any] = [there]
                cycle.append(cycle)
                del there, reads, cycle

    if poller == "selectors":
        original = selectors.DefaultSelector.unregister

        def unregister(self: Any, fd: Any) -> Any:
            gc.collect()
            return original(self, fd)

        monkeypatch.setattr(selectors.DefaultSelector, "unregister", unregister)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        AWAITED.run(main)
        gc.collect()
    assert descriptors() == before


def test_all_interfaces_are_both_families(either: NetWorld) -> None:
    async def main(w: NetWorld) -> set[bytes]:
        with net.listen(":0") as listener:
            hosts = ["127.0.0.1"] + (["[::1]"] if has_ipv6() else [])
            got = set()
            for host in hosts:
                with await w.dial(f"{host}:{listener.address.port}") as here, await w.do(listener, "accept") as there:
                    await w.do(here, "write", host.encode())
                    got.add(await w.do(there, "read"))
            return got ^ {host.encode() for host in hosts}

    assert either.run(main) == set()


# ---- TLS ----


@both
def test_who_does_not_trust_says_why(do: Do, certificate: Certificate) -> None:
    """The alert reaches the other side."""

    async def main() -> str:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:

            async def accepts() -> Any:
                with await do(listener, "accept") as conn:
                    await do(conn, "handshake")

            server = Told(accepts)
            with pytest.raises(ssl.SSLCertVerificationError):
                await do(net, "dial", str(listener.address), ssl=ssl.create_default_context())
            return str(await server.failure())

    assert "alert" in play(main).lower()


@both
def test_a_name_to_check_is_needed_before_anything_is_opened(do: Do, certificate: Certificate, tmp_path: Any) -> None:
    async def main() -> None:
        with net.listen(f"unix:{tmp_path}/s") as listener:
            with pytest.raises(ValueError, match=r"^dial unix:.*: with ssl, server_hostname must be given"):
                await do(net, "dial", str(listener.address), ssl=certificate.client())
            with pytest.raises(gosched.DeadlineExceeded):
                await do(listener, "accept", timeout=0)

    play(main)


@both
def test_no_host_is_this_machine_for_tls_too(do: Do, certificate: Certificate) -> None:
    async def main() -> bytes:
        with net.listen("127.0.0.1:0", ssl=certificate.server()) as listener:

            async def accepts() -> None:
                with await do(listener, "accept") as conn:
                    await do(conn, "write", b"hello")

            server = Told(accepts)
            with await do(net, "dial", f":{listener.address.port}", ssl=certificate.client()) as conn:
                got: bytes = await do(conn, "read")
            await server.wait()
            return got

    assert play(main) == b"hello"
