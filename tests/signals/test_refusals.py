"""What notify cannot do, said in words."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

from gosched import Chan, Runtime, nil, notify, run, stop_notify
from gosched.system.handlers import HANDLERS
from gosched.testing import virtual_run


async def watches(ch: Any, *signals: Any) -> None:
    notify(ch, *signals)


@pytest.mark.parametrize(
    ("args", "kind", "text"),
    [
        ((Chan(1),), ValueError, "notify(): say which signals, such as signal.SIGINT, signal.SIGTERM"),
        ((Chan(1), signal.SIGKILL), ValueError, "notify(): SIGKILL cannot be caught by any program"),
        ((Chan(1), signal.SIGUSR1, signal.SIGSTOP), ValueError, "notify(): SIGSTOP cannot be caught by any program"),
        ((Chan(1), "SIGTERM"), TypeError, "notify(): a signal is a number such as signal.SIGTERM, not str"),
        ((Chan(1), True), TypeError, "notify(): a signal is a number such as signal.SIGTERM, not bool"),
        ((Chan(1), 0), ValueError, "notify(): there is no signal 0; they are in the module signal, such as signal.SIGTERM"),
        ((Chan(1), 1000), ValueError, "notify(): there is no signal 1000; they are in the module signal, such as signal.SIGTERM"),
        ((signal.SIGTERM, signal.SIGINT), TypeError, "notify(): ch must be a Chan, not Signals"),
        ((nil, signal.SIGTERM), ValueError, "notify(): the nil channel receives nothing; give it a Chan(1)"),
    ],
)
def test_wrong_arguments(args: Any, kind: type[Exception], text: str) -> None:
    for call in (lambda: notify(*args), lambda: run(watches, *args)):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text
    assert not HANDLERS.watched()


def test_stop_notify_of_what_is_no_channel() -> None:
    with pytest.raises(TypeError) as caught:
        stop_notify(signal.SIGTERM)  # type: ignore[arg-type]
    assert str(caught.value) == "stop_notify(): ch must be a Chan, not Signals"


def in_a_thread(fn: Any, *args: Any) -> str:
    found: list[str] = []

    def body() -> None:
        try:
            fn(*args)
        except RuntimeError as error:
            found.append(str(error))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    return found[0]


def test_run_in_another_thread() -> None:
    assert in_a_thread(run, watches, Chan(1), signal.SIGUSR1) == (
        "notify(): signals arrive in the main thread, and run() was called in another: call it there"
    )
    assert not HANDLERS.watched()


def test_a_thread_that_is_no_goroutine() -> None:
    assert in_a_thread(notify, Chan(1), signal.SIGUSR1) == "notify() in a thread that is no goroutine and not the main one: call it there"
    assert not HANDLERS.watched()


def test_while_the_main_thread_is_not_in_run() -> None:
    with Runtime() as rt:
        error = rt.submit(watches, Chan(1), signal.SIGUSR1).exception(30)
    assert str(error) == "notify(): only the main thread can set up signals, and it is not in run() now: call notify() there, or inside rt.run(main)"
    assert not HANDLERS.watched()


def test_in_virtual_time() -> None:
    with pytest.raises(RuntimeError) as caught:
        virtual_run(watches, Chan(1), signal.SIGUSR1)
    assert str(caught.value) == "notify() in virtual time: no signal arrives there; send to the channel, or cancel the context, yourself"


def test_a_handler_that_python_did_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gosched.system.handlers.signal.getsignal", lambda number: None)
    with pytest.raises(RuntimeError) as caught:
        run(watches, Chan(1), signal.SIGUSR1)
    assert str(caught.value) == "notify(): SIGUSR1 has a handler that Python did not set, and could not put back"
    assert not HANDLERS.watched()
