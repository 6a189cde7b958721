"""GOSCHED_DEBUG: what its words mean, and what is said about those that mean nothing."""

from __future__ import annotations

import pytest

from gosched.debug import Wishes, parse
from tests.conftest import Script

OFF = Wishes(False, False, 0, False, ())
NOT_MS = "schedtrace must be milliseconds, from 1 to 86400000 (a day), as in schedtrace=1000, not "
NOT_A_BIT = "scheddetail must be 0 or 1, as in schedtrace=1000,scheddetail=1, not "
ALONE = "scheddetail=1 does nothing without schedtrace: schedtrace=1000,scheddetail=1"
KNOWN = "known are 1, blocking, scheddetail=1, schedtrace=1000"


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("", OFF),
        ("0", OFF),
        (" , ,", OFF),
        ("1", OFF._replace(debug=True)),
        ("blocking", OFF._replace(watchdog=True)),
        ("schedtrace=1000", OFF._replace(schedtrace=1000)),
        ("schedtrace=1", OFF._replace(schedtrace=1)),
        ("schedtrace=86400000", OFF._replace(schedtrace=86_400_000)),
        ("schedtrace=1000,scheddetail=1", OFF._replace(schedtrace=1000, scheddetail=True)),
        ("scheddetail=1,schedtrace=1000", OFF._replace(schedtrace=1000, scheddetail=True)),
        ("schedtrace=1000,scheddetail=0", OFF._replace(schedtrace=1000)),
        ("scheddetail=0", OFF),
        (" blocking , schedtrace=5, 1 ", Wishes(True, True, 5, False, ())),
    ],
)
def test_words(text: str, wishes: Wishes) -> None:
    assert parse(text) == wishes


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("schedtrace=abc", [f"{NOT_MS}'abc'"]),
        ("schedtrace=0", [f"{NOT_MS}'0'"]),
        ("schedtrace=-5", [f"{NOT_MS}'-5'"]),
        ("schedtrace=1.5", [f"{NOT_MS}'1.5'"]),
        ("schedtrace=86400001", [f"{NOT_MS}'86400001'"]),
        ("schedtrace", [f"{NOT_MS}''"]),
        ("schedtrace=x,scheddetail=1", [f"{NOT_MS}'x'"]),
        ("scheddetail=1", [ALONE]),
        ("scheddetail", [f"{NOT_A_BIT}''"]),
        ("scheddetail=2,schedtrace=10", [f"{NOT_A_BIT}'2'"]),
        ("b,a=1", [f"unknown a=1, b; {KNOWN}"]),
    ],
)
def test_what_cannot_be_understood_is_said_and_left_out(text: str, complaints: list[str]) -> None:
    wishes = parse(text)
    assert list(wishes.complaints) == complaints
    assert (wishes.debug, wishes.watchdog, wishes.scheddetail) == (False, False, False)


@pytest.mark.parametrize(("words", "line"), [("schedtrace=abc", f"{NOT_MS}'abc'"), ("scheddetail=1", ALONE)])
def test_one_line_on_stderr_and_the_program_goes_on(words: str, line: str, script: Script) -> None:
    done = script("import gosched; gosched.run(lambda: print('goes on'))", GOSCHED_DEBUG=words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", f"gosched: GOSCHED_DEBUG: {line}\n")
