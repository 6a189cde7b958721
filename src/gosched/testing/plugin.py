"""The pytest plugin: `async def` tests run as goroutines, in virtual time; a goroutine that is left behind is a failure. docs/testing.md.

An installed gosched is found by pytest itself (the entry point pytest11); elsewhere: `-p gosched.testing.plugin`. Nothing else imports this.

An async fixture is not run when pytest sets it up: there is no runtime yet. It becomes a `Later`, and the goroutine of the test runs them, in order,
before the test, and ends them after it.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass, fields
from typing import Any

import pytest

import gosched
from gosched.runtime import Runtime

from . import LeakError, check_leaks, forbid_plain_in_async, virtual_run, wait_all_blocked

# Plugins for other async libraries, by the names that pytest knows them by; and their marks.
OTHERS = ("asyncio", "anyio", "trio", "twisted", "tornasync", "aiohttp")
REPORT = pytest.StashKey[str]()


@dataclass(frozen=True)
class Options:
    """What `@pytest.mark.gosched(…)` says about a test."""

    gomaxprocs: int | None = None
    seed: int = 0
    virtual: bool = True
    leaks: str = "error"
    explore: int = 0
    plain_in_async: str = "allow"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gosched")
    group.addoption("--gosched-seed", type=int, default=None, metavar="N", help="the seed of tests that run as goroutines, whatever their marks say")
    parser.addini("gosched_async", "which async tests run as goroutines: auto (all), or marked (@pytest.mark.gosched); default: auto, if no "
                  "plugin for another async library is there", default="")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    names = ", ".join(field.name for field in fields(Options))
    config.addinivalue_line("markers", f"gosched({names}): run the test as a goroutine")
    mode = config.getini("gosched_async")
    if mode not in ("", "auto", "marked"):
        raise pytest.UsageError(f"gosched_async must be auto or marked, not {mode!r}")


def takes_all(config: pytest.Config) -> bool:
    mode = config.getini("gosched_async")
    return mode == "auto" or (mode == "" and not any(may_take_all(config, name) for name in OTHERS))


def may_take_all(config: pytest.Config, name: str) -> bool:
    """Whether that plugin is there. anyio's comes with half of the web, and leaves unmarked tests alone unless it is told to take them."""
    if not config.pluginmanager.hasplugin(name):
        return False
    if name != "anyio":
        return True
    try:
        return "auto" in (config.getoption("anyio_mode", None), config.getini("anyio_mode"))
    except ValueError:  # an older one, which takes marked tests only
        return False


def is_ours(item: Any) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    if item.get_closest_marker("gosched") is not None:
        return True
    return inspect.iscoroutinefunction(item.obj) and takes_all(item.config) and not any(item.get_closest_marker(name) for name in OTHERS)


def options_of(item: pytest.Item) -> Options:
    """The nearest mark counts; the command line counts more."""
    said: dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers("gosched"))):
        if mark.args:
            refuse(f"@pytest.mark.gosched takes keywords only, not {mark.args[0]!r}")
        said.update(mark.kwargs)
    known = [field.name for field in fields(Options)]
    for name in said:
        if name not in known:
            refuse(f"@pytest.mark.gosched: unknown {name}; known are {', '.join(known)}")
    if item.config.getoption("gosched_seed") is not None:
        said["seed"] = item.config.getoption("gosched_seed")
    options = Options(**said)
    for name in ("leaks", "plain_in_async"):
        if getattr(options, name) not in ("allow", "error"):
            refuse(f"@pytest.mark.gosched: {name} must be 'allow' or 'error', not {getattr(options, name)!r}")
    if options.explore and not options.virtual:
        refuse("@pytest.mark.gosched: explore is for virtual time, not with virtual=False")
    return options


def refuse(text: str) -> None:
    pytest.fail(text, pytrace=False)


# ---- running ----


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not is_ours(pyfuncitem):
        return None
    options = options_of(pyfuncitem)
    test = Test(pyfuncitem, options.leaks == "error")
    leak = None
    try:
        if options.virtual:
            run_virtual(test, options)
        else:
            run_real(test, options)
    except LeakError as error:
        leak = str(error)
    if leak is not None:  # its traceback says nothing
        refuse(leak)
    return True


def run_virtual(test: Test, options: Options) -> None:
    runs = max(1, options.explore)
    procs = options.gomaxprocs or (2 if options.explore else 1)
    for seed in range(options.seed, options.seed + runs):
        said = f"virtual time, gomaxprocs {procs}, seed {seed}"
        test.tell(said + f", shuffled: run {seed - options.seed + 1} of {runs}" * bool(options.explore), seed)
        virtual_run(
            test.main(),
            gomaxprocs=procs,
            seed=seed,
            shuffle=bool(options.explore),
            plain_in_async="error" if options.plain_in_async == "error" else "allow",
        )


def run_real(test: Test, options: Options) -> None:
    with Runtime(gomaxprocs=options.gomaxprocs, seed=options.seed) as rt:
        test.tell(f"real time, gomaxprocs {rt.stats().gomaxprocs}, seed {options.seed}", options.seed)
        if options.plain_in_async == "error":
            with forbid_plain_in_async():
                rt._run(test.main(), (), ends=True)
        else:
            rt._run(test.main(), (), ends=True)


class Test:
    """A test as a main goroutine."""

    __test__ = False

    def __init__(self, item: pytest.Function, checks: bool) -> None:
        self.item = item
        self.checks = checks
        self.arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}

    def tell(self, said: str, seed: int) -> None:
        """What the report of a failure says."""
        self.item.stash[REPORT] = f"{said}\nagain: pytest '{self.item.nodeid}' --gosched-seed={seed}"

    def main(self) -> Callable[[], Any]:
        """Plain tests run as plain functions, unless they have async fixtures."""
        later = any(isinstance(value, Later) for value in self.item.funcargs.values())
        return self.awaited if later or inspect.iscoroutinefunction(self.item.obj) else self.plain

    def plain(self) -> None:
        if self.checks:
            with check_leaks():
                self.item.obj(**self.arguments)
        else:
            self.item.obj(**self.arguments)

    async def awaited(self) -> None:
        if self.checks:
            async with check_leaks():
                await self.with_fixtures()
        else:
            await self.with_fixtures()

    async def with_fixtures(self) -> None:
        fixtures = Fixtures()
        try:
            for value in self.item.funcargs.values():
                await fixtures.value_of(value)
            result = self.item.obj(**{name: await fixtures.value_of(value) for name, value in self.arguments.items()})
            if inspect.iscoroutine(result):
                await result
        finally:
            await fixtures.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed and REPORT in item.stash:
        report.sections.append(("gosched", item.stash[REPORT]))
    return report


# ---- fixtures ----


@dataclass(frozen=True, eq=False)
class Later:
    """What an async fixture is until the test's goroutine runs it."""

    name: str
    fn: Callable[..., Any]
    arguments: dict[str, Any]


class Fixtures:
    """The async fixtures of one run of a test."""

    def __init__(self) -> None:
        self.values: dict[Later, Any] = {}
        self.open: list[tuple[str, AsyncGenerator[Any, Any]]] = []

    async def value_of(self, value: Any) -> Any:
        if not isinstance(value, Later):
            return value
        if value not in self.values:
            made = value.fn(**{name: await self.value_of(given) for name, given in value.arguments.items()})
            if inspect.isasyncgen(made):
                self.values[value] = await anext(made)
                self.open.append((value.name, made))
            else:
                self.values[value] = await made
        return self.values[value]

    async def end(self) -> None:
        """The last that began ends first, and all do, whatever happens; the first error is raised."""
        failed: BaseException | None = None
        while self.open:
            name, fixture = self.open.pop()
            try:
                await anext(fixture)
                raise RuntimeError(f"the async fixture {name} has more than one yield")
            except StopAsyncIteration:
                pass
            except BaseException as error:
                failed = failed or error
        if failed is not None:
            raise failed


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
    fn = fixturedef.func
    if not is_ours(request._pyfuncitem):
        return (yield)
    if not (inspect.isasyncgenfunction(fn) or inspect.iscoroutinefunction(fn)):
        for name in fixturedef.argnames:
            if name != "request" and isinstance(request.getfixturevalue(name), Later):
                refuse(f"the fixture {fixturedef.argname} needs the async fixture {name}, so it must be async itself")
        return (yield)
    if fixturedef.scope != "function":
        refuse(
            f"the async fixture {fixturedef.argname} has the scope {fixturedef.scope}: one that lives in a test's runtime can have none but function"
        )
    bound = fn.__func__.__get__(request.instance) if inspect.ismethod(fn) and isinstance(request.instance, type(fn.__self__)) else fn
    fixturedef.func = lambda **arguments: Later(fixturedef.argname, bound, arguments)  # type: ignore[misc]
    try:
        return (yield)
    finally:
        fixturedef.func = fn  # type: ignore[misc]


class VirtualClock:
    """The clock of a test in virtual time. It jumps by itself, to the next timer, when nobody can go on."""

    def now(self) -> float:
        """In seconds; it begins at 1.0."""
        return gosched.now()

    async def advance(self, seconds: float) -> None:
        """Sleeps so long, and then until all that was due by then has been done."""
        await gosched.asleep(seconds)
        await wait_all_blocked()

    async def wait_all_blocked(self) -> None:
        """Until every other goroutine is blocked. The clock does not move."""
        await wait_all_blocked()


@pytest.fixture
def virtual_clock(request: pytest.FixtureRequest) -> VirtualClock:
    """The test's virtual clock: now(), await advance(seconds), await wait_all_blocked()."""
    if not is_ours(request.node) or not options_of(request.node).virtual:
        refuse("virtual_clock is for tests that run as goroutines in virtual time: an async def, or @pytest.mark.gosched without virtual=False")
    return VirtualClock()


@pytest.fixture
def gosched_seed(request: pytest.FixtureRequest) -> int:
    """The seed that the test runs with; of explore=…, the first."""
    return options_of(request.node).seed
