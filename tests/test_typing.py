"""What mypy --strict makes of programs: types of values, and errors where a user needs them."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")

HEADER = "import gosched\nfrom collections.abc import Awaitable, Callable\nfrom typing import Any, assert_type\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """gosched itself is checked once."""
    return tmp_path_factory.mktemp("mypy")


def findings(tmp_path: Path, cache: Path, text: str) -> dict[str, str]:
    """By the text of the line: what mypy says about it, errors and revealed types. Lines of the program have no indentation of their own here."""
    program = tmp_path / "program.py"
    program.write_text(HEADER + text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--show-error-codes", f"--cache-dir={cache}", str(program)]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    lines = program.read_text().splitlines()
    found: dict[str, str] = {}
    for said in done.stdout.splitlines():
        if match := re.match(r".*program\.py:(\d+): (?:error|note): (.*)", said):
            line = lines[int(match[1]) - 1].strip()
            found[line] = f"{found.get(line, '')}{match[2]}\n"
        else:
            assert said.startswith(("Success", "Found")), said
    return found


def test_select_narrows(tmp_path: Path, cache: Path) -> None:
    """match knows the type of the value by the index; a timeout adds (None, None)."""
    assert not findings(
        tmp_path,
        cache,
        """
async def main(a: gosched.Chan[int], b: gosched.Chan[str], c: gosched.Chan[int]) -> None:
    match await gosched.aselect(a.recv, b.recv_ok, (c.send, 1), gosched.default):
        case 0, number:
            assert_type(number, int)
        case 1, (text, ok):
            assert_type(text, str | None)
            assert_type(ok, bool)
        case 2, sent:
            assert_type(sent, None)
        case 3, nothing:
            assert_type(nothing, None)

async def with_timeout(a: gosched.Chan[int], b: gosched.Chan[str]) -> None:
    match await gosched.aselect(a.recv, b.recv, timeout=1):
        case 0, number:
            assert_type(number, int)
        case 1, text:
            assert_type(text, str)
        case None, nothing:
            assert_type(nothing, None)

def plain(a: gosched.Chan[int]) -> None:
    index, value = gosched.select(a.recv)
    assert_type(value, int)

def directions(a: gosched.Chan[int], b: gosched.RecvChan[str], c: gosched.SendChan[bytes]) -> None:
    match gosched.select(a.recv, b.recv, (c.send, b"x"), timeout=0.5):
        case 0, number:
            assert_type(number, int)
        case 1, text:
            assert_type(text, str)
        case 2, sent:
            assert_type(sent, None)
        case None, nothing:
            assert_type(nothing, None)

def timer(a: gosched.Chan[int]) -> None:
    match gosched.select(a.recv, gosched.after(1).recv):
        case 0, number:
            assert_type(number, int)
        case 1, at:
            assert_type(at, float)

def seven(a: gosched.Chan[int]) -> None:
    index, value = gosched.select(a.recv, a.recv, a.recv, a.recv, a.recv, a.recv, a.recv)
    assert_type(index, int | None)
""",
    )


def test_select_reveals_a_union_of_its_cases(tmp_path: Path, cache: Path) -> None:
    (said,) = findings(
        tmp_path,
        cache,
        "async def main(a: gosched.Chan[int], b: gosched.Chan[str]) -> None:\n    reveal_type(await gosched.aselect(a.recv, b.recv, timeout=1))\n",
    ).values()
    said = said.replace("builtins.", "").replace("Literal[0]?", "Literal[0]").replace("Literal[1]?", "Literal[1]")
    assert said == 'Revealed type is "tuple[Literal[0], int] | tuple[Literal[1], str] | tuple[None, None]"\n'


def test_channels(tmp_path: Path, cache: Path) -> None:
    assert not findings(
        tmp_path,
        cache,
        """
async def main() -> None:
    ch = gosched.Chan[int](8)
    assert_type(await ch.arecv(), int)
    assert_type(await ch.arecv(timeout=1), int)
    assert_type(await ch.arecv_ok(), tuple[int | None, bool])
    assert_type(ch.recv(), int)
    assert_type(ch.recv_ok(), tuple[int | None, bool])
    assert_type(ch.try_send(1), bool)
    assert_type(ch.try_recv(), tuple[int | None, bool])
    await ch.asend(1)
    await ch.asend(1, timeout=0.5)
    for v in ch:
        assert_type(v, int)
    async for w in ch:
        assert_type(w, int)
    inferred: gosched.Chan[str] = gosched.Chan()
    assert_type([text async for text in inferred], list[str])
    assert_type(len(ch) + ch.capacity, int)
    assert_type(ch.closed, bool)
    assert_type(await gosched.after(1).arecv(), float)
    gosched.go(ch.asend, 1)
    gosched.go(ch.asend(1))
""",
    )


def test_directions_and_variance(tmp_path: Path, cache: Path) -> None:
    """A channel of int can be received from as a channel of float, and a channel of float sent to as a channel of int; not the other way round."""
    found = findings(
        tmp_path,
        cache,
        """
def check(ints: gosched.Chan[int], floats: gosched.Chan[float]) -> None:
    r1: gosched.RecvChan[int] = ints
    s1: gosched.SendChan[int] = ints
    r2: gosched.RecvChan[float] = ints
    s2: gosched.SendChan[int] = floats
    r3: gosched.RecvChan[int] = floats
    s3: gosched.SendChan[float] = ints
    c1: gosched.Chan[float] = ints
    n1: gosched.RecvChan[int] = gosched.nil
    n2: gosched.SendChan[int] = gosched.nil
    r1.send(1)
    r1.close()
    s1.recv()
    ints.send("text")
    s2.send(1)
    assert_type(r1.recv(), int)
    for v in r1:
        assert_type(v, int)
""",
    )
    expected = {
        "r3: gosched.RecvChan[int] = floats": "assignment",
        "s3: gosched.SendChan[float] = ints": "assignment",
        "c1: gosched.Chan[float] = ints": "assignment",
        "r1.send(1)": "attr-defined",
        "r1.close()": "attr-defined",
        "s1.recv()": "attr-defined",
        'ints.send("text")': "arg-type",
    }
    assert found.keys() == expected.keys(), found
    assert all(f"[{expected[line]}]" in said for line, said in found.items()), found


@pytest.mark.parametrize(
    "line",
    [
        "ch.asend(1)",
        "ch.arecv()",
        "ch.arecv_ok()",
        "mutex.alock()",
        "gosched.RWMutex().arlock()",
        "gosched.Semaphore(1).aacquire()",
        "wg.await_()",
        "event.await_()",
        "gosched.asleep(1)",
        "gosched.ayield_now()",
        "gosched.aselect(ch.recv)",
        "gosched.Once().ado(print)",
    ],
)
@pytest.mark.slow
def test_a_forgotten_await_is_an_error(tmp_path: Path, cache: Path, line: str) -> None:
    text = f"async def main(ch: gosched.Chan[int], mutex: gosched.Mutex, wg: gosched.WaitGroup, event: gosched.Event) -> None:\n    {line}\n"
    found = findings(tmp_path, cache, text)
    assert found.keys() == {line}, found
    assert "[unused-coroutine]" in found[line] or "[unused-awaitable]" in found[line]
    assert not findings(tmp_path, cache, text.replace(f"    {line}", f"    await {line}"))


def test_sync(tmp_path: Path, cache: Path) -> None:
    assert not findings(
        tmp_path,
        cache,
        """
@gosched.once_value
async def later() -> int:
    return 1

@gosched.once_value
def now() -> str:
    return "x"

async def work(n: int) -> None: ...

async def main() -> None:
    mutex, rw, sem, wg, event = gosched.Mutex(), gosched.RWMutex(), gosched.Semaphore(2), gosched.WaitGroup(), gosched.Event()
    async with mutex:
        pass
    with mutex:
        pass
    async with rw, rw.reader(), sem:
        pass
    with rw, rw.reader(), sem:
        pass
    assert_type(mutex.try_lock(), bool)
    assert_type(await mutex.alock(), None)
    assert_type(await later(), int)
    assert_type(now(), str)
    wg.go(work, 1)
    await wg
    await wg.await_(timeout=1)
    await event
    cond = gosched.Cond(mutex)
    await cond
    cond2 = gosched.Cond(rw.reader())
    await cond2.await_for(lambda: True, timeout=1)
    assert_type(gosched.now(), float)
    with gosched.Ticker(1) as ticker:
        assert_type(await ticker.c.arecv(), float)
    assert_type(gosched.Timer(1).stop(), bool)
    assert_type(gosched.after_func(1, print, "x").stop(), bool)
    pool = gosched.Pool(list[int])
    assert_type(pool.get(), list[int])

assert_type(gosched.run(work, 3), None)
""",
    )


def test_wrong_use_is_an_error(tmp_path: Path, cache: Path) -> None:
    found = findings(
        tmp_path,
        cache,
        """
async def main(ch: gosched.Chan[int]) -> None:
    await ch.asend("text")
    await gosched.aselect(ch)
    gosched.select((ch.send, 1), timeout="soon")
    gosched.Cond(3)
    gosched.Chan[int]("eight")
""",
    )
    assert found.keys() >= {'await ch.asend("text")', "await gosched.aselect(ch)", "gosched.Cond(3)", 'gosched.Chan[int]("eight")'}, found


def test_signals_and_testing(tmp_path: Path, cache: Path) -> None:
    assert not findings(
        tmp_path,
        cache,
        """
import signal
from gosched.testing import check_leaks, explore, forbid_plain_in_async, virtual_run, wait_all_blocked

async def main(n: int) -> str:
    ch = gosched.Chan[signal.Signals](1)
    gosched.notify(ch, signal.SIGTERM, 10)
    gosched.stop_notify(ch)
    with gosched.notify_context(None, signal.SIGTERM) as ctx:
        assert_type(ctx, gosched.Context)
    async with check_leaks():
        await wait_all_blocked()
    return "done"

def plain() -> int:
    with check_leaks(grace=2):
        return 3

with forbid_plain_in_async():
    assert_type(virtual_run(main, 3, seed=4, shuffle=True), str)
assert_type(virtual_run(plain, gomaxprocs=2, plain_in_async="error"), int)
assert_type(explore(main, 3, seeds=range(3)), int)
""",
    )
