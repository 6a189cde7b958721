"""run(stacks=...): what may be given, and what happens without greenlet."""

from __future__ import annotations

from typing import Any

import pytest

from gosched import Chan, Goroutine, Runtime, current, go, run, stats, yield_now
from gosched.stacks.light import advisable
from tests.conftest import Script

from .places import wait_for


@pytest.mark.parametrize("stacks", ["x", "", "Greenlet", 1, True, b"thread"])
def test_bad_input(stacks: Any) -> None:
    words = rf"^stacks must be 'greenlet' or 'thread', or left out, not {stacks!r}$"
    with pytest.raises(ValueError, match=words):
        run(int, stacks=stacks)
    with pytest.raises(ValueError, match=words):
        Runtime(stacks=stacks)


@pytest.mark.parametrize("stacks", [None, "greenlet", "thread"])
def test_what_is_taken(stacks: str | None) -> None:
    """A waiting goroutine keeps its stack or its thread."""
    if stacks == "greenlet":
        pytest.importorskip("greenlet")

    def asks(main: Goroutine, ch: Chan[tuple[int, int]]) -> None:
        wait_for(lambda: main.state == "waiting" and (stats().stacks_aside or stats().locked_ms), "main to wait")  # it may lose its P before
        ch.send((stats().stacks_aside, stats().threads))

    def main() -> tuple[int, int]:
        ch: Chan[tuple[int, int]] = Chan()
        go(asks, current(), ch)
        return ch.recv()

    aside, threads = run(main, stacks=stacks, gomaxprocs=1)
    if stacks == "thread":
        assert aside == 0
        assert threads >= 2
    elif stacks == "greenlet":
        assert aside == 1


def test_a_runtime_of_each_kind_at_once() -> None:
    """They share a channel."""
    pytest.importorskip("greenlet")
    ch, back = Chan[int](), Chan[int]()

    def relays() -> None:
        for value in ch:
            back.send(value + 1)
        back.close()

    with Runtime(stacks="greenlet", gomaxprocs=1) as light, Runtime(stacks="thread", gomaxprocs=1) as heavy:
        light.go(relays)

        def asks() -> list[int]:
            got = []
            for i in range(50):
                ch.send(i)
                yield_now()
                got.append(back.recv())
            ch.close()
            return got

        assert heavy.run(asks) == list(range(1, 51))


WITHOUT = """
    import sys
    sys.modules["greenlet"] = None  # as if it were not installed
    import gosched
    from gosched import Chan, go, run, Runtime

    def asks(ch):
        ch.send((gosched.stats().stacks_aside, gosched.stats().threads >= 2))

    def main():
        ch = Chan()
        go(asks, ch)
        return ch.recv()

    print(run(main, gomaxprocs=1))
    print(run(main, gomaxprocs=1, stacks="thread"))
    for make in (lambda: run(main, stacks="greenlet"), lambda: Runtime(stacks="greenlet")):
        try:
            make()
        except RuntimeError as error:
            print(error)
"""


def test_without_greenlet(script: Script) -> None:
    done = script(WITHOUT, GOSCHED_STACKS="")
    words = "stacks='greenlet' needs greenlet: pip install greenlet, or leave it out"
    assert done.stdout.splitlines() == ["(0, True)", "(0, True)", words, words], done.stderr


def test_the_environment(script: Script) -> None:
    """GOSCHED_STACKS counts where no argument is given."""
    program = """
        from gosched import Chan, current, go, run, stats, yield_now

        def asks(main, ch):
            while main.state != "waiting" or not (stats().stacks_aside or stats().locked_ms):  # it may lose its P before
                yield_now()
            ch.send(stats().stacks_aside)

        def main():
            ch = Chan()
            go(asks, current(), ch)
            return ch.recv()

        print(run(main, gomaxprocs=1), run(main, gomaxprocs=1, stacks="greenlet"), run(main, gomaxprocs=1, stacks="thread"))
    """
    assert script(program, GOSCHED_STACKS="thread").stdout == "0 1 0\n"
    assert script(program, GOSCHED_STACKS="greenlet").stdout == "1 1 0\n"
    assert script(program, GOSCHED_STACKS="").stdout == ("1 1 0\n" if advisable() else "0 1 0\n"), "threads by default in a pure build"
    assert "ValueError: GOSCHED_STACKS must be 'greenlet' or 'thread', or left out, not 'light'" in script(program, GOSCHED_STACKS="light").stderr
