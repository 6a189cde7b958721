"""How programs die: Go's tests of the same names. Each program is a process of its own, and all that it says is compared.

TestSimpleDeadlock is in tests/test_deadlock.py, TestLockedDeadlock and 2 in tests/stalls/test_lock_os_thread.py, TestGoNil and TestGoexitDefer in
tests/test_run.py, TestMainGoroutineID in tests/core/test_proc.py, TestNumGoroutine and TestNoHelperGoroutines in tests/dumps/test_stack.py,
TestThreadExhaustion in tests/test_process.py. There is no TestInitDeadlock: Python has no init functions that run as goroutines.
"""

from __future__ import annotations

import re

import pytest

from ..conftest import Script

NOBODY_LEFT = "gosched.errors.DeadlockError: no goroutines (main called Goexit) - deadlock!\n"


def told(stderr: str) -> str:
    """Without the marks below a line, which differ between versions, and with the script's name shortened."""
    text = re.sub(r"^ *[~^]+\n", "", stderr, flags=re.MULTILINE)
    return re.sub(r'(?<=["\s])/\S*/program\.py', "program.py", text)


def test_TestGoexitDeadlock(script: Script) -> None:
    done = script(
        """
        import gosched
        def f():
            for i in range(10):
                pass
        async def main():
            gosched.go(f)
            gosched.go(f)
            raise gosched.Goexit
        gosched.run(main)
        """
    )
    assert done.returncode == 1
    assert told(done.stderr) == f'Traceback (most recent call last):\n  File "program.py", line 10, in <module>\n    gosched.run(main)\n{NOBODY_LEFT}'


def test_TestGoexitCrash(script: Script) -> None:
    """Main has left, and the last of the others ends well: that is a crash, too."""
    done = script(
        """
        import gosched
        async def last():
            await gosched.asleep(0.01)
            print("the last one ends", flush=True)
        async def main():
            gosched.go(last)
            raise gosched.Goexit
        gosched.run(main)
        """
    )
    assert done.stdout == "the last one ends\n"
    assert done.stderr.endswith(NOBODY_LEFT)


def test_TestGoexitInPanic(script: Script) -> None:
    """Goexit while an exception unwinds takes its place: the goroutine ends quietly."""
    done = script(
        """
        import gosched
        def f():
            try:
                raise ValueError("hello")
            finally:
                raise gosched.Goexit
        async def main():
            gosched.go(f)
            raise gosched.Goexit
        gosched.run(main)
        """
    )
    assert done.stderr.endswith(NOBODY_LEFT)
    assert "hello" not in done.stderr


@pytest.mark.parametrize("spelling", ["def", "async def"])
def test_TestPanicAfterGoexit(script: Script, spelling: str) -> None:
    """An exception in a finally block that Goexit runs ends the program."""
    done = script(
        f"""
        import gosched
        {spelling} main():
            try:
                raise gosched.Goexit
            finally:
                raise ValueError("hello")
        gosched.run(main)
        """
    )
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: hello\n")


def test_TestRecoveredPanicAfterGoexit(script: Script) -> None:
    """One that is caught there is forgotten, and Goexit goes on."""
    done = script(
        """
        import gosched
        async def main():
            try:
                raise gosched.Goexit
            finally:
                try:
                    raise ValueError("hello")
                except ValueError:
                    pass
        gosched.run(main)
        """
    )
    assert done.stderr.endswith(NOBODY_LEFT)
    assert "hello" not in done.stderr


@pytest.mark.parametrize("inner", [False, True], ids=["TestRecoverBeforePanicAfterGoexit", "TestRecoverBeforePanicAfterGoexit2"])
def test_recover_before_panic_after_goexit(script: Script, inner: bool) -> None:
    """An `except` further out, that came before Goexit, gets the exception that took Goexit's place; what it handles does not end the program."""
    done = script(
        f"""
        import gosched
        def leaves():
            try:
                raise gosched.Goexit
            finally:
                raise ValueError("hello")
        async def main():
            try:
                try:
                    leaves()
                finally:
                    print("outer", {inner})
            except ValueError as error:
                assert isinstance(error.__context__, gosched.Goexit)
                print("recovered")
            if {inner}:
                raise gosched.Goexit
        gosched.run(main)
        """
    )
    assert done.stdout == f"outer {inner}\nrecovered\n"
    assert done.stderr.endswith(NOBODY_LEFT) if inner else done.stderr == ""


@pytest.mark.parametrize("blocks", ["gosched.yield_now()", "time.sleep(0.001)"], ids=["TestPanicDeadlockGosched", "TestPanicDeadlockSyscall"])
def test_panic_deadlock(script: Script, blocks: str) -> None:
    """To yield, or to block in a call, while an exception unwinds and while it is printed does not hang."""
    done = script(
        f"""
        import time, gosched
        class Slow(Exception):
            def __str__(self):
                {blocks}
                return "printed slowly"
        async def bad():
            try:
                raise Slow
            finally:
                for _ in range(10):
                    {blocks}
        async def main():
            gosched.go(bad)
            await gosched.Chan().arecv()
        gosched.run(main)
        """
    )
    assert done.returncode == 1
    assert re.search(r"\nSlow: printed slowly\nin goroutine 2 \(bad\), created by main in goroutine 1 at .*/program\.py:14\n$", done.stderr)


def test_a_deadlock_as_a_user_sees_it(script: Script) -> None:
    done = script(
        """
        import gosched
        async def worker(jobs):
            async for job in jobs:
                print(job)
        async def main():
            jobs = gosched.Chan()
            for _ in range(30):
                gosched.go(worker, jobs)
            await jobs.asend(1)
            wg = gosched.WaitGroup()
            wg.add(1)
            await wg
        gosched.run(main, gomaxprocs=1)
        """
    )
    assert done.returncode == 1
    text = told(done.stderr)
    assert text.startswith(
        'Traceback (most recent call last):\n  File "program.py", line 14, in <module>\n    gosched.run(main, gomaxprocs=1)\n'
        "gosched.errors.DeadlockError: all goroutines are asleep - deadlock!\n\n"
        "goroutine 1 [sync.WaitGroup.Wait]:\n__main__.main(...)\n\tprogram.py:13\ncreated by __main__.<module>\n\tprogram.py:14\n\n"
    )
    ids = re.search(r"\n30 goroutines \[chan receive\]:\nids (\d+(?:, \d+){9}) and 20 more\n", text)
    assert ids
    numbers = list(map(int, ids[1].split(", ")))
    assert numbers == sorted(set(numbers))
    assert text[ids.end() :] == "__main__.worker(...)\n\tprogram.py:4\ncreated by __main__.main in goroutine 1\n\tprogram.py:9\n"


@pytest.mark.parametrize("spelling", ["def", "async def"])
@pytest.mark.parametrize("name", ["", ', name="the bad one"'], ids=["", "named"])
def test_an_uncaught_exception_as_a_user_sees_it(script: Script, spelling: str, name: str) -> None:
    done = script(
        f"""
        import gosched
        {spelling} bad():
            fails()
        def fails():
            raise ValueError("boom")
        async def main():
            gosched.go(bad{name})
            await gosched.Chan().arecv()
        gosched.run(main)
        """
    )
    assert done.returncode == 1
    assert told(done.stderr) == (
        'Traceback (most recent call last):\n  File "program.py", line 10, in <module>\n    gosched.run(main)\n'
        '  File "program.py", line 4, in bad\n    fails()\n  File "program.py", line 6, in fails\n    raise ValueError("boom")\n'
        f"ValueError: boom\nin goroutine 2 ({'the bad one' if name else 'bad'}), created by main in goroutine 1 at program.py:8\n"
    )


def test_an_uncaught_exception_of_main_as_a_user_sees_it(script: Script) -> None:
    done = script(
        """
        import gosched
        async def main():
            raise ValueError("boom")
        with gosched.Runtime() as rt:
            rt.run(main)
        """
    )
    assert told(done.stderr) == (
        'Traceback (most recent call last):\n  File "program.py", line 6, in <module>\n    rt.run(main)\n'
        '  File "program.py", line 4, in main\n    raise ValueError("boom")\nValueError: boom\n'
    )


def test_system_exit_ends_the_program_with_its_code(script: Script) -> None:
    done = script(
        """
        import sys, gosched
        async def leaves():
            sys.exit(7)
        async def main():
            gosched.go(leaves)
            await gosched.Chan().arecv()
        gosched.run(main, on_uncaught=lambda g, error: print("not asked"))
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_what_on_uncaught_raises_has_the_first_one_as_its_context(script: Script) -> None:
    done = script(
        """
        import gosched
        async def bad():
            raise ValueError("first")
        async def main():
            gosched.go(bad)
            await gosched.Chan().arecv()
        def handler(g, error):
            try:
                {}["second"]
            except KeyError:
                raise LookupError("third")
        try:
            gosched.run(main, on_uncaught=handler)
        except LookupError as error:
            print(repr(error), repr(error.__context__), repr(error.__context__.__context__), error.__notes__[0].partition(",")[0])
        """
    )
    assert done.stdout == "LookupError('third') KeyError('second') ValueError('first') in goroutine 2 (bad)\n", done.stderr


def test_on_uncaught_may_raise_the_same_one_again(script: Script) -> None:
    done = script(
        """
        import gosched
        async def bad():
            raise ValueError("first")
        async def main():
            gosched.go(bad)
            await gosched.Chan().arecv()
        def handler(g, error):
            raise error
        try:
            gosched.run(main, on_uncaught=handler)
        except ValueError as error:
            print(repr(error), error.__context__)
        """
    )
    assert done.stdout == "ValueError('first') None\n", done.stderr
