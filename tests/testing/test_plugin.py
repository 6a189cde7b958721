"""The pytest plugin, in runs of pytest of their own."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import HOME

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ("-p", "gosched.testing.plugin")
Run = Callable[..., "pytest.RunResult"]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a test file, with the plugin and no other but what pytest brings along."""

    def runs(text: str, *args: str, plugin: tuple[str, ...] = PLUGIN, **files: str) -> pytest.RunResult:
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*(str(pytester.path / name) for name in ("installed", "others")), str(HOME)]))
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "" if not plugin else "1")
        monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
        monkeypatch.setenv("COLUMNS", "80")  # what it prints is compared
        pytester.makepyfile(test_it=text)
        for name, content in files.items():
            pytester.makefile(".py" if name == "conftest" else ".ini", **{name: content})
        return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *args)

    return runs


def section(result: pytest.RunResult) -> list[str]:
    """The section `gosched` of the one failure."""
    text = result.outlines
    begin = next(i for i, line in enumerate(text) if re.fullmatch(r"-+ gosched -+", line))
    end = next(i for i, line in enumerate(text) if i > begin and line.startswith("==="))
    return text[begin + 1 : end]


def test_async_tests_are_goroutines_in_virtual_time(run: Run) -> None:
    result = run(
        """
        import time, gosched

        async def test_sleeps_for_an_hour(virtual_clock):
            begun = time.monotonic()
            assert virtual_clock.now() == 1.0
            await gosched.asleep(3600)
            assert virtual_clock.now() == 3601.0
            assert time.monotonic() - begun < 60
            assert gosched.current().id == 1

        def test_an_ordinary_one():
            assert gosched.__name__ == "gosched"

        class TestMethods:
            async def test_a_method(self):
                await gosched.ayield_now()
        """
    )
    result.assert_outcomes(passed=3)


def test_a_failure_tells_its_seed(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        @pytest.mark.gosched(gomaxprocs=3, seed=7)
        async def test_fails(gosched_seed):
            await gosched.ayield_now()
            assert gosched_seed == 8
        """
    )
    result.assert_outcomes(failed=1)
    assert section(result) == ["virtual time, gomaxprocs 3, seed 7", "again: pytest 'test_it.py::test_fails' --gosched-seed=7"]
    result.stdout.fnmatch_lines([">       assert gosched_seed == 8", "E       assert 7 == 8"])
    result.stdout.no_fnmatch_line("*virtual.py*")


def test_the_command_line_counts_more_than_a_mark(run: Run) -> None:
    result = run(
        """
        import pytest

        async def test_unmarked(gosched_seed):
            assert gosched_seed == 41

        @pytest.mark.gosched(seed=3)
        async def test_marked(gosched_seed):
            assert gosched_seed == 41
        """,
        "--gosched-seed=41",
    )
    result.assert_outcomes(passed=2)


def test_same_seed_same_run(run: Run) -> None:
    text = """
        import gosched, pytest

        @pytest.mark.gosched(gomaxprocs=4)
        async def test_order():
            log, wg = [], gosched.WaitGroup()
            async def worker(name):
                for _ in range(3):
                    log.append(name)
                    await gosched.ayield_now()
            for name in "abcdef":
                wg.go(worker, name)
            await wg
            print("".join(log))
        """
    orders = [re.findall("[a-f]{18}", run(text, "-s", f"--gosched-seed={seed}").stdout.str()) for seed in (1, 1, 2)]
    assert len(orders[0]) == 1
    assert orders[0] == orders[1] != orders[2]


def test_explore(run: Run) -> None:
    """The seed in the report finds the same failure at once."""
    text = """
        import gosched, pytest

        @pytest.mark.gosched(explore=200)
        async def test_adds():
            total, wg, ch = [0], gosched.WaitGroup(), gosched.Chan(9)
            async def adds():
                seen = total[0]
                await ch.asend(seen)
                total[0] = seen + 1
            wg.go(adds)
            wg.go(adds)
            await wg
            assert total[0] == 2
        """
    result = run(text)
    result.assert_outcomes(failed=1)
    how, again = section(result)
    found = re.fullmatch(r"virtual time, gomaxprocs 2, seed (\d+), shuffled: run (\d+) of 200", how)
    assert found is not None
    assert int(found[2]) == int(found[1]) + 1
    assert again == f"again: pytest 'test_it.py::test_adds' --gosched-seed={found[1]}"
    repeated = run(text, f"--gosched-seed={found[1]}")
    assert section(repeated)[0] == f"virtual time, gomaxprocs 2, seed {found[1]}, shuffled: run 1 of 200"


LEAKY = """
import gosched, pytest

async def waits(ch):
    await ch.arecv()

async def start(ch):
    gosched.go(waits, ch)

{mark}
async def test_leaks():
    await start(gosched.Chan())
"""


def test_a_leaked_goroutine_is_a_failure(run: Run, pytester: pytest.Pytester) -> None:
    result = run(LEAKY.format(mark=""))
    result.assert_outcomes(failed=1)
    path = pytester.path / "test_it.py"
    begin = next(i for i, line in enumerate(result.outlines) if " leaked: " in line)
    assert result.outlines[begin : begin + 8] == [
        "1 goroutine leaked: started in the block, and still there at its end",
        "",
        "goroutine 2 [chan receive]:",
        "test_it.waits(...)",
        f"\t{path}:4",
        "created by test_it.start in goroutine 1",
        f"\t{path}:7",
        "----------------------------------- gosched ------------------------------------",
    ]


@pytest.mark.parametrize("options", ["virtual=False", "virtual=False, gomaxprocs=2"])
def test_in_real_time_too(run: Run, options: str) -> None:
    result = run(LEAKY.format(mark=f"@pytest.mark.gosched({options})"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["1 goroutine leaked: *", "goroutine * [[]chan receive*[]]:", "test_it.waits(...)", "created by test_it.start in goroutine 1"]
    )
    result.stdout.fnmatch_lines(["real time, gomaxprocs *, seed 0"])


def test_leaks_may_be_allowed(run: Run) -> None:
    run(LEAKY.format(mark='@pytest.mark.gosched(leaks="allow")')).assert_outcomes(passed=1)


def test_plain_tests_when_marked(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        @pytest.mark.gosched
        def test_plain(virtual_clock):
            gosched.sleep(10)
            assert virtual_clock.now() == 11.0

        @pytest.mark.gosched
        def test_plain_leaks():
            gosched.go(gosched.Chan().recv)
        """
    )
    result.assert_outcomes(passed=1, failed=1)


def test_the_plain_spelling_as_an_error(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        @pytest.mark.parametrize("virtual", [pytest.param(v, marks=pytest.mark.gosched(virtual=v)) for v in (True, False)])
        @pytest.mark.gosched(plain_in_async="error")
        async def test_it(virtual):
            with pytest.raises(RuntimeError, match="await asleep"):
                gosched.sleep(0.001)
        """
    )
    result.assert_outcomes(passed=2)


def test_async_fixtures_live_in_the_tests_runtime(run: Run) -> None:
    result = run(
        """
        import gosched, pytest
        log = []

        @pytest.fixture
        async def base():
            await gosched.asleep(1)
            log.append("base")
            return 40

        @pytest.fixture(autouse=True)
        async def around():
            log.append("begin")
            yield
            await gosched.asleep(1)
            log.append("end")

        @pytest.fixture(params=[1, 2])
        async def server(base, request, virtual_clock):
            ch = gosched.Chan()
            g = gosched.go(ch.asend, base + request.param)
            yield ch
            log.append(f"closed at {gosched.now()}")

        class TestServer:
            @pytest.fixture
            async def mine(self):
                self.seen = True
                return self

            async def test_it(self, server, mine):
                assert await server.arecv() in (41, 42)
                assert mine is self and self.seen

        @pytest.mark.gosched
        def test_plain(base):
            assert base == 40

        async def test_log():
            assert log == ["begin", "base", "closed at 2.0", "end"] * 2 + ["begin", "base", "end", "begin"]
        """
    )
    result.assert_outcomes(passed=4)


def test_what_async_fixtures_cannot_do(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        @pytest.fixture(scope="module")
        async def wide():
            return 1

        @pytest.fixture
        async def narrow():
            return 1

        @pytest.fixture
        def plain(narrow):
            return narrow

        @pytest.fixture
        async def twice():
            yield 1
            yield 2

        async def test_wide(wide): pass
        async def test_plain(plain): pass
        async def test_twice(twice): pass
        """
    )
    result.assert_outcomes(errors=2, failed=1)
    result.stdout.fnmatch_lines(["the async fixture wide has the scope module: one that lives in a test's runtime can have none but function"])
    result.stdout.fnmatch_lines(["the fixture plain needs the async fixture narrow, so it must be async itself"])
    result.stdout.fnmatch_lines(["E*RuntimeError: the async fixture twice has more than one yield"])


def test_the_clock_of_a_test(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        async def test_advance(virtual_clock):
            log = []
            async def ticks():
                for i in range(5):
                    await gosched.asleep(1)
                    log.append(i)
            gosched.go(ticks)
            await virtual_clock.advance(3)
            assert (log, virtual_clock.now()) == ([0, 1, 2], 4.0)
            g = gosched.go(gosched.asleep, 1)
            await virtual_clock.wait_all_blocked()
            assert (g.wait_reason, virtual_clock.now()) == ("sleep", 4.0)
            await virtual_clock.advance(2)

        @pytest.mark.gosched(virtual=False)
        async def test_real(virtual_clock): pass
        """
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["virtual_clock is for tests that run as goroutines in virtual time: an async def, or @pytest.mark.gosched without virtual=False"]
    )


def test_skips_failures_and_deadlocks(run: Run) -> None:
    result = run(
        """
        import gosched, pytest

        async def test_skip():
            pytest.skip("not today")

        @pytest.mark.xfail
        async def test_xfail():
            assert False

        async def test_deadlock():
            await gosched.Chan().arecv()

        async def test_in_another_goroutine():
            gosched.go(pytest.fail, "there")
            await gosched.asleep(1)
        """
    )
    result.assert_outcomes(skipped=1, xfailed=1, failed=2)
    result.stdout.fnmatch_lines(["E*DeadlockError: all goroutines are asleep - deadlock!"])
    result.stdout.fnmatch_lines(["E*Failed: there"])


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("3", "@pytest.mark.gosched takes keywords only, not 3"),
        ("seeds=3", "@pytest.mark.gosched: unknown seeds; known are gomaxprocs, seed, virtual, leaks, explore, plain_in_async"),
        ("leaks=True", "@pytest.mark.gosched: leaks must be 'allow' or 'error', not True"),
        ("explore=3, virtual=False", "@pytest.mark.gosched: explore is for virtual time, not with virtual=False"),
    ],
)
def test_wrong_marks(run: Run, mark: str, text: str) -> None:
    result = run(f"import pytest\n@pytest.mark.gosched({mark})\nasync def test_it(): pass\n")
    result.assert_outcomes(failed=1)
    assert text in result.outlines


# ---- beside others ----

OTHER = """
import inspect, pytest

def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        print("by the other")
        return True

def pytest_configure(config):
    config.addinivalue_line("markers", "asyncio: of the other")
"""

TESTS = """
import gosched, pytest

async def test_unmarked():
    assert gosched.current().id == 1

@pytest.mark.gosched
async def test_marked():
    assert gosched.current().id == 1

@pytest.mark.asyncio
async def test_of_the_other():
    gosched.current()
"""


@pytest.mark.parametrize("order", ["other first", "gosched first"])
@pytest.mark.parametrize(("mode", "theirs"), [("", 2), ("marked", 2), ("auto", 1)])
def test_beside_a_plugin_for_another_library(run: Run, pytester: pytest.Pytester, order: str, mode: str, theirs: int) -> None:
    """One that takes every async test it is asked about: ours are asked for first only if they are ours."""
    (pytester.path / "others").mkdir()
    (pytester.path / "others" / "asyncio_plugin.py").write_text(OTHER)
    (pytester.path / "others" / "load.py").write_text(
        "import asyncio_plugin\ndef pytest_configure(config):\n    config.pluginmanager.register(asyncio_plugin, 'asyncio')\n"
    )
    plugins = ("-p", "load", *PLUGIN) if order == "other first" else (*PLUGIN, "-p", "load")
    result = run(TESTS, "-s", "-o", f"gosched_async={mode}", plugin=plugins)
    result.assert_outcomes(passed=3)
    assert result.stdout.str().count("by the other") == theirs


def test_marked_without_another_plugin(run: Run) -> None:
    result = run(TESTS.replace("@pytest.mark.asyncio", ""), "-o", "gosched_async=marked")
    assert result.parseoutcomes().get("passed") == 1


def test_a_mode_that_is_none(run: Run) -> None:
    result = run(TESTS, "-o", "gosched_async=some")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: gosched_async must be auto or marked, not 'some'"])


# ---- how it is found ----


def entry_points() -> dict[str, str]:
    table: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    return table


@pytest.mark.slow
def test_an_installed_gosched_is_found(run: Run, pytester: pytest.Pytester) -> None:
    """What an installation leaves for pytest to find, beside the sources."""
    info = pytester.path / "installed" / "gosched-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gosched\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[pytest11]\n" + "".join(f"{name} = {value}\n" for name, value in entry_points().items()))
    text = "async def test_it(virtual_clock): assert virtual_clock.now() == 1.0"
    run(text, plugin=()).assert_outcomes(passed=1)
    if importlib.util.find_spec("anyio") is not None:  # its plugin was found as well, and takes what it is told to take
        run(text, "-o", "anyio_mode=auto", plugin=()).assert_outcomes(errors=1)


def test_gosched_itself_does_not_need_pytest() -> None:
    code = "import sys, gosched.testing, gosched; gosched.net; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(HOME)}, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
