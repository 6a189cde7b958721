"""Ctrl-C in virtual time. The signal is raised on the spot, in code of the runtime or of the program: no luck, no waiting."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

import gosched
from gosched.lab import cpu, measure
from gosched.lab.clockwork import Clockwork
from gosched.lab.striking import is_ours
from gosched.lab.virtual import VirtualRuntime
from gosched.testing import virtual_run

RUNS: list[tuple[type[VirtualRuntime], Callable[..., Any]]] = [(VirtualRuntime, virtual_run), (Clockwork, measure)]


def in_the_runtime(name: str, strikes: int = 1) -> Callable[..., bool]:
    """A function of a module of that name, which gets a Ctrl-C while it runs."""
    space: dict[str, Any] = {"__name__": name, "signal": signal}
    exec(f"def strike(*_):\n    for _ in range({strikes}):\n        signal.raise_signal(signal.SIGINT)\n    return True", space)
    return space["strike"]  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def _as_at_a_terminal() -> Any:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "the handler stayed behind"
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("runtime", "run"), RUNS)
def test_in_the_runtime_the_program_ends_as_it_should(runtime: Any, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    async def worker(i: int) -> None:
        try:
            await gosched.Chan[int]().arecv()
        finally:
            ended.append(i)

    async def main() -> None:
        for i in range(2):
            gosched.go(worker, i)
        await gosched.ayield_now()
        turn = runtime._turn
        strike = in_the_runtime("gosched.core.anything")

        def struck_turn(self: Any) -> bool:
            monkeypatch.setattr(runtime, "_turn", turn)
            strike()
            return bool(turn(self))

        monkeypatch.setattr(runtime, "_turn", struck_turn)
        while True:
            await (cpu(1) if run is measure else gosched.ayield_now())

    with pytest.raises(KeyboardInterrupt):
        run(main)
    assert sorted(ended) == [0, 1]


@pytest.mark.parametrize(("runtime", "run"), RUNS)
def test_in_the_programs_own_code_it_is_raised_there(runtime: Any, run: Any) -> None:
    seen = []

    async def main() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            seen.append("here")
            raise

    with pytest.raises(KeyboardInterrupt):
        run(main)
    assert seen == ["here"]


def test_the_second_one_does_not_wait() -> None:
    async def main() -> None:
        in_the_runtime("gosched.core.anything", strikes=2)()
        pytest.fail("it went on")

    with pytest.raises(KeyboardInterrupt):
        virtual_run(main)


def test_one_that_comes_when_all_is_over_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = VirtualRuntime._outcome

    def late(self: Any, watcher: Any) -> Any:
        result = outcome(self, watcher)
        in_the_runtime("gosched.lab.virtual")()
        return result

    monkeypatch.setattr(VirtualRuntime, "_outcome", late)

    async def main() -> None:
        pass

    with pytest.raises(KeyboardInterrupt):
        virtual_run(main)


def test_a_handler_of_the_programs_own_stays() -> None:
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(1))

    async def main() -> None:
        signal.raise_signal(signal.SIGINT)

    virtual_run(main)
    assert heard == [1]
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_another_thread_sets_no_handler() -> None:
    seen: list[object] = []

    async def main() -> None:
        seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=virtual_run, args=(main,))
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_whose_code_it_is() -> None:
    def ask(name: str) -> bool:
        space: dict[str, Any] = {"__name__": name, "is_ours": is_ours}
        exec("import sys\ndef ask(): return is_ours(sys._getframe())", space)
        return bool(space["ask"]())

    assert [ask(name) for name in ("gosched", "gosched.core.chan", "gosched_workloads", "__main__", "queue")] == [True, True, False, False, False]
    assert not ask("threading"), "called by this test, which is no part of it"
    assert is_ours(None)
