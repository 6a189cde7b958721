"""notify_context: a context that signals end; and the graceful shutdown of the docs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gosched import background, notify_context, run, with_cancel
from gosched.system.handlers import HANDLERS
from gosched.testing import virtual_run
from tests.conftest import Script

from .test_notify import says

PAGE = Path(__file__).resolve().parents[2] / "docs/signals.md"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGINT"])
@pytest.mark.parametrize("waits", ["await gosched.asleep(3600)", "gosched.sleep(3600)", "await gosched.Chan().arecv()", "gosched.Chan().recv()"])
def test_a_signal_ends_what_waits_in_the_block(script: Script, name: str, waits: str) -> None:
    says(
        script,
        f"""
        import os, signal, gosched
        async def main():
            try:
                with gosched.notify_context(None, signal.SIGUSR2, signal.{name}) as ctx:
                    gosched.go(os.kill, os.getpid(), signal.{name})
                    {waits}
            except gosched.Canceled as error:
                print(error, "|", repr(ctx.cause), "|", repr(ctx.err), "|", error.__cause__ is ctx.cause)
            print(signal.getsignal(signal.SIGUSR2) == signal.SIG_DFL, signal.getsignal(signal.{name}) == before)
        before = signal.getsignal(signal.{name})
        gosched.run(main)
        """,
        f"context canceled | Canceled('{name} received') | Canceled('context canceled') | True",
        "True True",
    )


def test_unpacked(script: Script) -> None:
    """Go's `ctx, stop := signal.NotifyContext(…)`: also the second signal is caught, until stop."""
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            ctx, stop = gosched.notify_context(gosched.background(), signal.SIGINT)
            seen = gosched.Chan(1)
            gosched.notify(seen, signal.SIGINT)
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                await seen.arecv()
            await gosched.aselect(ctx)
            print(ctx.cause)
            gosched.stop_notify(seen)
            stop()
            stop()
            os.kill(os.getpid(), signal.SIGINT)
            await gosched.asleep(3600)
        try:
            gosched.run(main)
        except KeyboardInterrupt:
            print("interrupted")
        """,
        "SIGINT received",
        "interrupted",
    )


def test_it_ends_with_its_parent_and_takes_no_signal_for_that(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            with gosched.with_cancel() as parent:
                with gosched.notify_context(None, signal.SIGTERM) as ctx:
                    print(ctx)
                    parent.cancel(KeyError("parent"))
                    print(repr(ctx.cause))
                    seen = gosched.Chan(1)
                    gosched.notify(seen, signal.SIGTERM)
                    os.kill(os.getpid(), signal.SIGTERM)
                    await seen.arecv(ctx=gosched.background())
            print(repr(ctx.cause), parent.cause is ctx.cause)
        gosched.run(main)
        """,
        "<Context background.with_cancel.notify_context(SIGTERM)>",
        "KeyError('parent')",
        "KeyError('parent') True",
    )


def test_beside_a_channel_and_another_context(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGTERM)
            one, stop_one = gosched.notify_context(None, signal.SIGTERM)
            two, stop_two = gosched.notify_context(None, signal.SIGTERM, signal.SIGUSR1)
            os.kill(os.getpid(), signal.SIGTERM)
            await gosched.aselect(one)
            await gosched.aselect(two)
            print(one.cause, two.cause, (await ch.arecv()).name)
            stop_one()
            stop_two()
            os.kill(os.getpid(), signal.SIGTERM)
            print((await ch.arecv()).name)
        gosched.run(main)
        """,
        "SIGTERM received SIGTERM received SIGTERM",
        "SIGTERM",
    )


def test_a_group_under_it(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def worker(n):
            try:
                await gosched.asleep(3600)
            finally:
                print("worker", n)
        async def main():
            try:
                with gosched.notify_context(None, signal.SIGTERM):
                    async with gosched.Group() as group:
                        group.go(worker, 1)
                        group.go(os.kill, os.getpid(), signal.SIGTERM)
            except gosched.Canceled:
                print("all gone")
        gosched.run(main)
        """,
        "worker 1",
        "all gone",
    )


async def watches(*args: Any) -> None:
    notify_context(*args)


@pytest.mark.parametrize(
    ("args", "kind", "text"),
    [
        ((None,), ValueError, "notify_context(): say which signals, such as signal.SIGINT, signal.SIGTERM"),
        ((None, signal.SIGKILL), ValueError, "notify_context(): SIGKILL cannot be caught by any program"),
        ((None, "TERM"), TypeError, "notify_context(): a signal is a number such as signal.SIGTERM, not str"),
        (
            (signal.SIGTERM, signal.SIGINT),
            TypeError,
            "notify_context(): ctx must be a Context, or None for the current one, not Signals",
        ),
    ],
)
def test_wrong_arguments(args: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        run(watches, *args)
    assert str(caught.value) == text
    assert not HANDLERS.watched()


def test_in_virtual_time() -> None:
    with pytest.raises(RuntimeError) as caught:
        virtual_run(watches, background(), signal.SIGUSR1)
    assert str(caught.value) == "notify_context() in virtual time: no signal arrives there; send to the channel, or cancel the context, yourself"


def test_in_the_main_thread_outside_of_run() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with with_cancel(background()) as parent, notify_context(parent, signal.SIGUSR1) as ctx:
        os.kill(os.getpid(), signal.SIGUSR1)
        assert ctx.done.recv_ok(timeout=30) == (None, False)
        assert str(ctx.cause) == "SIGUSR1 received"
        assert parent.err is None
    assert signal.getsignal(signal.SIGUSR1) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_graceful_shutdown_of_the_docs(tmp_path: Path, number: signal.Signals) -> None:
    found = re.search(r"```python\n(import signal\n.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    program = tmp_path / "server.py"
    program.write_text(found[1])
    server = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "serving\n"
    server.send_signal(number)
    out, errors = server.communicate(timeout=60)
    assert (out, errors, server.returncode) == (f"the server has stopped\n{number.name} received: saying goodbye\n", "", 0)
