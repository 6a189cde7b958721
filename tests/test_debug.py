"""Debug mode: an operation that was called and not awaited is reported, with its place; without debug mode there is silence."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# The expression, and the name that the report gives it.
DROPPED = {
    "ch.asend(1)": "Chan.asend",
    "ch.asend(1, timeout=5)": "Chan.asend",
    "ch.arecv()": "Chan.arecv",
    "ch.arecv_ok()": "Chan.arecv_ok",
    "ch.arecv(timeout=5)": "Chan.arecv",
    "mutex.alock()": "Mutex.alock",
    "rw.alock()": "RWMutex.alock",
    "rw.arlock()": "RWMutex.arlock",
    "sem.aacquire()": "Semaphore.aacquire",
    "wg.await_()": "WaitGroup.await_",
    "cond.await_()": "Cond.await_",
    "event.await_()": "Event.await_",
    "asleep(1)": "asleep",
    "aselect(ch.recv, (ch.send, 1))": "aselect",
    "ayield_now()": "ayield_now",
}

PROGRAM = """\
import gc
from gosched import Chan, Cond, Event, Mutex, RWMutex, Semaphore, WaitGroup, aselect, asleep, ayield_now, run

async def main():
    ch, mutex, rw, sem, wg, event = Chan(1), Mutex(), RWMutex(), Semaphore(1), WaitGroup(), Event()
    cond = Cond(mutex)
    {expression}
    gc.collect()

run(main)
print("done")
"""
LINE = 1 + PROGRAM.splitlines().index("    {expression}")


def outcome(tmp_path: Path, text: str, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "dropped.py"
    path.write_text(textwrap.dedent(text))
    inherited = {k: v for k, v in os.environ.items() if k not in ("GOSCHED_DEBUG", "PYTHONDEVMODE", "PYTHONWARNINGS")}
    return subprocess.run([sys.executable, *options, str(path)], env={**inherited, **env}, capture_output=True, text=True, timeout=60, check=False)


MODES = pytest.mark.parametrize(("options", "env"), [((), {"GOSCHED_DEBUG": "1"}), (("-X", "dev"), {})], ids=["GOSCHED_DEBUG=1", "-X dev"])


@pytest.mark.slow
@MODES
@pytest.mark.parametrize("expression", DROPPED)
def test_a_dropped_operation_is_reported(tmp_path: Path, expression: str, options: tuple[str, ...], env: dict[str, str]) -> None:
    done = outcome(tmp_path, PROGRAM.format(expression=expression), *options, **env)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    report = done.stderr
    assert report.count("was never awaited") == 1, report
    assert f"RuntimeWarning: coroutine '{DROPPED[expression]}' was never awaited" in report, report
    assert "Coroutine created at" in report, report
    assert f'dropped.py", line {LINE}, in main' in report, report
    assert expression in report, report


@pytest.mark.parametrize("expression", DROPPED)
def test_without_debug_mode_there_is_silence(tmp_path: Path, expression: str) -> None:
    done = outcome(tmp_path, PROGRAM.format(expression=expression), "-W", "always")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@MODES
def test_a_program_that_awaits_all_is_silent(tmp_path: Path, options: tuple[str, ...], env: dict[str, str]) -> None:
    """Every operation, with and without a wait and a timeout, awaited, and given to go: the wrappers change nothing."""
    done = outcome(
        tmp_path,
        """\
        import gosched
        from gosched import Chan, Cond, Event, Mutex, Once, RWMutex, Semaphore, Ticker, Timer, WaitGroup
        from gosched import aselect, asleep, ayield_now, default, go, run

        async def other(ch, back, mutex):
            async for value in ch:
                async with mutex:
                    await back.asend(value, timeout=60)
            back.close()

        async def main():
            ch, back, mutex, rw, sem, wg, event = Chan(1), Chan(), Mutex(), RWMutex(), Semaphore(1), WaitGroup(), Event()
            wg.go(other, ch, back, mutex)
            await ch.asend(1)
            print(await back.arecv())
            await ch.asend(2, timeout=60)
            print(await back.arecv_ok(timeout=60))
            go(ch.asend, 3)
            go(ch.asend(4))
            print(sorted([await back.arecv(), await back.arecv()]))
            ch.close()
            print(await back.arecv_ok())
            await wg.await_()
            await wg
            print(await aselect(back.recv_ok, timeout=1), await aselect(Chan().recv, default), await aselect(Chan().recv, timeout=0.001))
            async with rw, sem, Mutex():
                pass
            await rw.arlock(timeout=1)
            rw.runlock()
            await Once().ado(asleep, 0.001)
            after = gosched.after_func(0.001, event.set)
            await event
            await event.await_(timeout=1)
            await Timer(0.001).c.arecv()
            with Ticker(0.001) as ticker:
                async for _ in ticker.c:
                    break
            cond = Cond(mutex)
            async with mutex:
                try:
                    await cond.await_(timeout=0.001)
                except TimeoutError as error:
                    print(type(error).__name__)
            await asleep(0.001)
            await ayield_now()

        run(main)
        """,
        *options,
        **env,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "1",
        "(2, True)",
        "[3, 4]",
        "(None, False)",
        "(0, (None, False)) (1, None) (None, None)",
        "DeadlineExceeded",
    ]
