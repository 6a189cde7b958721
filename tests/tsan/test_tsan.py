"""native.h, watch.h and trail.h under ThreadSanitizer: real threads at the words that the scheduler's threads share, without Python.

harness.c has the cases. Each must end well and without a report; and each bug that the harness can plant must be found, or the cases prove nothing.
STRESS_SECONDS buys more rounds.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
HARNESS = HERE / "harness.c"
CORE = HERE.parents[1] / "src" / "gosched" / "core"
SCALE = max(1.0, float(os.environ.get("STRESS_SECONDS", "20")) / 20)
OPTIONS = "halt_on_error=1 exitcode=66 atexit_sleep_ms=0 report_thread_leaks=0"
# A third of a second each, on two cores with nothing else to do.
ROUNDS = {
    "ring_steal": 40,
    "ring_empty": 40,
    "mutex": 40,
    "spin": 40,
    "note": 20,
    "fifo": 12,
    "park": 80,
    "userp": 60,
    "list": 80,
    "heap": 40,
    "watch": 60,
    "rouse": 40,
    "trail": 40,
}
# What is tried again where a condition variable takes the futex's place.
PORTABLE = ("mutex", "note", "rouse")

# The harness names its plants, in order, each with its case.
PLANTS = re.findall(r"^    ([A-Z_]+)(?: = 1)?, +/\* (\w+)", HARNESS.read_text(), re.MULTILINE)
# Who waits for a wake-up that was lost can only be seen to wait.
HANGS = {
    "UNLOCK_WITHOUT_WAKE",
    "WOKEN_FORGETS_OTHERS",
    "WAKE_WITHOUT_KERNEL",
    "CLEAR_TOO_LATE",
    "ASLEEP_BY_STORE",
    "SKIP_NOTIFIED",
    "PUBLISH_BEFORE_PARKING",
    "PARK_BY_STORE",
    "ROUSE_TOO_EARLY",
    "ROUSE_WITHOUT_NOTE",
    "SLEEP_READS_IDLE_ONCE",
    "SLEEP_CLEARS_NOTE",
    "END_WITHOUT_WAKE",
}
# The result is right on this processor; only ThreadSanitizer knows that nothing ordered it.
RACES = {
    "TAIL_RELAXED",
    "TAIL_PLAIN",
    "UNLOCK_RELAXED",
    "SPIN_UNLOCK_RELAXED",
    "WAKE_RELAXED",
    "CLAIM_RELAXED",
    "PUBLISH_RELAXED",
    "TICK_PLAIN",
}
# And what nobody may touch any more: memory that was given back.
ANY = "data race|heap-use-after-free|hang"
# The process may die of such memory before it is reported: a list goes on through what was in it.
DEADLY = {"LEAVE_KEEPS_LINK"}

PROBE = """
#include <pthread.h>
static int shared;
static void *body(void *arg) { shared++; return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 60 * SCALE)]


class Sanitizer:
    """A C compiler with ThreadSanitizer's runtime, and the way to run what it builds."""

    def __init__(self, compiler: list[str], folder: Path) -> None:
        self.compiler = compiler
        self.folder = folder
        self.launcher: list[str] = []
        self.built: dict[str, Path] = {}

    def build(self, name: str, source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
        self.built[name] = self.folder / name
        command = [*self.compiler, "-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-pthread", f"-I{CORE}", *flags]
        return subprocess.run([*command, str(source), "-o", str(self.built[name])], capture_output=True, text=True, timeout=60, check=False)

    def run(self, name: str, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        result = self.launch(name, *args, **env)
        if "unexpected memory mapping" in result.stderr and not self.launcher:
            # Old runtimes know few places where the kernel may put things: ask it not to choose at random.
            self.launcher = ["setarch", platform.machine(), "-R"]
            result = self.launch(name, *args, **env)
        return result

    def launch(self, name: str, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        if self.launcher and shutil.which(self.launcher[0]) is None:
            pytest.skip("ThreadSanitizer cannot run where the kernel randomises addresses this much, and there is no setarch to stop it")
        return subprocess.run(
            [*self.launcher, str(self.built[name]), *args],
            env={**os.environ, "TSAN_OPTIONS": OPTIONS, **env},
            capture_output=True,
            text=True,
            timeout=50 + 50 * SCALE,
            check=False,
        )


@pytest.fixture(scope="module")
def sanitizer(tmp_path_factory: pytest.TempPathFactory) -> Sanitizer:
    """Skips where there is none; what cannot be built with one that works is an error."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    folder = tmp_path_factory.mktemp("tsan")
    found = Sanitizer(compiler, folder)
    if not compiler or shutil.which(compiler[0]) is None:
        pytest.skip(f"no C compiler: {' '.join(compiler) or 'CC is empty'}")
    probe = folder / "probe.c"
    probe.write_text(PROBE)
    built = found.build("probe", probe)
    if built.returncode != 0:
        pytest.skip(f"the C compiler has no ThreadSanitizer: {built.stderr.strip()[-300:]}")
    seen = found.run("probe")
    if "WARNING: ThreadSanitizer: data race" not in seen.stderr:
        pytest.skip(f"ThreadSanitizer does not run here: {seen.stderr.strip()[-300:] or 'it missed a plain race'}")
    for name, flags in {"clean": [], "planted": ["-DPLANT=chosen"], "portable": ["-U__linux__"]}.items():
        built = found.build(name, HARNESS, "-Wall", "-Wextra", *flags)
        assert built.returncode == 0, built.stderr
    return found


def expect_clean(sanitizer: Sanitizer, build: str, case: str, rounds: float, **env: str) -> None:
    """On a busy machine it is as many rounds as there is time for."""
    result = sanitizer.run(build, case, str(int(rounds)), LIMIT_MS=str(int(3000 * SCALE)), **env)
    report = f"exit {result.returncode}\n{result.stdout}{result.stderr}"
    assert result.returncode == 0, report
    assert "ThreadSanitizer" not in result.stderr, report


@pytest.mark.parametrize("case", ROUNDS)
def test_case_is_clean(sanitizer: Sanitizer, case: str) -> None:
    expect_clean(sanitizer, "clean", case, ROUNDS[case] * SCALE)


@pytest.mark.parametrize("case", PORTABLE)
def test_case_is_clean_without_futex(sanitizer: Sanitizer, case: str) -> None:
    expect_clean(sanitizer, "portable", case, ROUNDS[case] * SCALE)


@pytest.mark.parametrize("case", ROUNDS)
def test_nothing_planted_is_clean(sanitizer: Sanitizer, case: str) -> None:
    """What finds the plants does not find anything when there are none."""
    expect_clean(sanitizer, "planted", case, 2, PLANT="0")


@pytest.mark.parametrize(("number", "name", "case"), [(i, *plant) for i, plant in enumerate(PLANTS, 1)], ids=[name for name, _ in PLANTS])
def test_planted_bug_is_found(sanitizer: Sanitizer, number: int, name: str, case: str) -> None:
    quick = f"{OPTIONS} symbolize=0"  # a report takes a quarter of a second with the names of functions
    result = sanitizer.run("planted", case, "2000", PLANT=str(number), WATCHDOG_MS="700", TSAN_OPTIONS=quick)
    report = f"exit {result.returncode}\n{result.stdout}{result.stderr}"
    assert result.returncode in (1, 3, 66), report
    symptom = "FAILED: hang" if name in HANGS else "WARNING: ThreadSanitizer: data race" if name in RACES else f"FAILED {case}|{ANY}"
    if name in DEADLY:
        symptom += "|ThreadSanitizer: SEGV"
    assert re.search(symptom, result.stderr), report


def test_every_case_has_a_plant() -> None:
    assert {case for _, case in PLANTS} == set(ROUNDS)
    assert {name for name, _ in PLANTS} >= HANGS | RACES
