"""A program as a process: Ctrl-C, fork, interpreter exit, the GIL. Each runs in an interpreter of its own."""

from __future__ import annotations

import re
import sys

import pytest

from .builds import FREE_THREADED
from .conftest import Script


def test_ctrl_c_while_every_goroutine_sleeps(script: Script) -> None:
    done = script(
        """
        import os, signal, threading, gosched
        asleep = threading.Event()
        class Told(gosched.Runtime):
            def all_asleep(self):
                super().all_asleep()
                asleep.set()
        def interrupt():
            asleep.wait(30)
            os.kill(os.getpid(), signal.SIGINT)
        async def sleeper(wg):
            try:
                await wg
            finally:
                print("sleeper unwound", flush=True)
        async def main():
            wg = gosched.WaitGroup()
            wg.add(1)
            gosched.go(sleeper, wg)
            await wg
        threading.Thread(target=interrupt).start()
        try:
            with Told() as rt:
                rt.run(main)
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
        """
    )
    assert done.stdout == "sleeper unwound\nKeyboardInterrupt\n", done.stderr


def test_a_second_ctrl_c_does_not_wait(script: Script) -> None:
    done = script(
        """
        import os, signal, time, warnings, gosched
        warnings.simplefilter("ignore")
        def stubborn():
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                try:
                    time.sleep(0.01)
                    os.kill(os.getpid(), signal.SIGINT)
                except BaseException:
                    pass
        async def main():
            gosched.go(stubborn)
            wg = gosched.WaitGroup()
            wg.add(1)
            await wg
        start = time.monotonic()
        try:
            gosched.run(main, gomaxprocs=2, grace=1000)
        except KeyboardInterrupt:
            print("out", time.monotonic() - start < 30, flush=True)
            os._exit(0)
        """
    )
    assert done.stdout == "out True\n", done.stderr


def test_a_signal_handler_is_not_starved(script: Script) -> None:
    done = script(
        """
        import os, signal, gosched
        hits = []
        signal.signal(signal.SIGUSR1, lambda *a: hits.append(1))
        async def main():
            os.kill(os.getpid(), signal.SIGUSR1)
            while not hits:
                await gosched.ayield_now()
            print("handled while goroutines ran")
        gosched.run(main)
        """
    )
    assert done.stdout == "handled while goroutines ran\n", done.stderr


def test_abandoned_threads_are_reported(script: Script) -> None:
    done = script(
        """
        import os, sys, threading, warnings, gosched
        warnings.simplefilter("error", ResourceWarning)
        stuck = threading.Lock()
        stuck.acquire()
        def blocked(started):
            try:
                started.done()
                stuck.acquire()
            except BaseException:  # told before it was in its call
                stuck.acquire()
        async def main():
            started = gosched.WaitGroup()
            started.add(1)
            gosched.go(blocked, started)
            await started
            return 1
        try:
            gosched.run(main, gomaxprocs=2, grace=0.3)
        except gosched.AbandonedThreadWarning as w:
            print(w)
        sys.stdout.flush()
        """
    )
    assert done.stdout == "gosched: after 0.3 s in which nothing ended, abandoned 1 thread in foreign calls or endless code, with 1 goroutine\n", (
        done.stderr
    )
    assert done.returncode == 0


def test_after_fork_the_parents_runtime_is_not_ours(script: Script) -> None:
    done = script(
        """
        import os, sys, gosched
        async def child_main():
            return "a new run works"
        async def main():
            rt = gosched.Runtime.current()
            pid = os.fork()
            if pid == 0:
                for operation in (lambda: rt.go(print), lambda: gosched.go(print), lambda: rt.run(child_main)):
                    try:
                        operation()
                    except RuntimeError as error:
                        print(error)
                print(gosched.run(child_main), flush=True)
                os._exit(0)
            os.waitpid(pid, 0)
            return "parent"
        print(gosched.run(main), flush=True)
        """
    )
    assert done.stdout.splitlines() == [
        "go: this runtime belongs to the parent process; start a new one with run()",
        "go() outside of a goroutine: use it inside run(main), or rt.go(fn) from another thread",
        "run: this runtime belongs to the parent process; start a new one with run()",
        "a new run works",
        "parent",
    ], done.stderr


def test_a_forked_goroutine_that_ends_in_the_child_says_so(script: Script) -> None:
    done = script(
        """
        import os, sys, gosched
        async def main():
            pid = os.fork()
            if pid == 0:
                return None
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(gosched.run(main), flush=True)
        """
    )
    assert done.stdout == "70\n"
    assert "in a forked child, the goroutine that forked has ended" in done.stderr


def test_a_lock_that_another_thread_held_at_the_fork(script: Script) -> None:
    """Nobody gives it back in the child. The pure build, whose locks can be had from here."""
    done = script(
        """
        import os, threading, gosched
        def hold(sched, held, over):
            sched.acquire()
            held.set()
            over.wait()
            sched.release()
        async def main():
            held, over = threading.Event(), threading.Event()
            threading.Thread(target=hold, args=(gosched.Runtime.current().sched, held, over)).start()
            held.wait()
            pid = os.fork()
            if pid == 0:
                return None
            over.set()
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(gosched.run(main), flush=True)
        """,
        GOSCHED_PURE="1",
    )
    assert done.stdout == "70\n", done.stderr


def test_interpreter_exit_with_living_threads(script: Script) -> None:
    done = script(
        """
        import gosched
        async def forever(begun):
            wg = gosched.WaitGroup()
            wg.add(1)
            try:
                begun.set()
                await wg
            finally:
                print("unwound at exit")
        async def first():
            begun = gosched.Event()
            gosched.go(forever, begun)
            await begun
        rt = gosched.Runtime(gomaxprocs=2)
        rt.run(first)
        print("end of the script")
        """
    )
    assert done.stdout == "end of the script\nunwound at exit\n", done.stderr
    assert done.returncode == 0


def test_an_uncaught_exception_prints_and_ends_the_program(script: Script) -> None:
    done = script(
        """
        import gosched
        async def bad():
            raise ValueError("boom")
        async def main():
            gosched.go(bad)
            wg = gosched.WaitGroup()
            wg.add(1)
            await wg
        gosched.run(main)
        """
    )
    assert done.returncode == 1
    tail = done.stderr.strip().splitlines()[-2:]
    assert tail[0] == "ValueError: boom"
    assert re.match(r"in goroutine \d+ \(bad\), created by main in goroutine 1 at ", tail[1])


@pytest.mark.skipif(not FREE_THREADED, reason="this interpreter has a GIL anyway")
def test_importing_gosched_leaves_the_gil_off(script: Script) -> None:
    done = script("import sys, gosched, gosched.testing; print(sys._is_gil_enabled())")
    assert done.stdout == "False\n", done.stderr


def test_pure_mode_by_environment(script: Script) -> None:
    done = script("import gosched; print(gosched.__build__)", GOSCHED_PURE="1")
    assert done.stdout == "pure: GOSCHED_PURE is set\n", done.stderr


def test_thread_exhaustion(script: Script) -> None:
    """Go's TestThreadExhaustion: the message says what to do."""
    done = script(
        """
        import threading, gosched
        from gosched.core.entry import retake
        gate = threading.Lock()
        gate.acquire()
        def blocks(rt, started):
            started.done()
            m_p = rt.sched.allp[0]
            retake(rt.sched, m_p)          # what sysmon will do: the thread is in a foreign call
            gate.acquire(timeout=60)
        async def main():
            rt = gosched.Runtime.current()
            started = gosched.WaitGroup()
            for _ in range(6):
                started.add(1)
                gosched.go(blocks, rt, started)
            await started
        try:
            with gosched.Runtime(gomaxprocs=1, max_threads=3, grace=0) as rt:
                rt.run(main)
        except gosched.ThreadLimitError as error:
            print(error, flush=True)
        import os; os._exit(0)
        """,
        PYTHONWARNINGS="ignore",
    )
    assert done.stdout == (
        "program exceeds 3-thread limit: each goroutine that blocks its thread needs one; let fewer block at once, or raise Runtime(max_threads=…)\n"
    ), done.stderr


def test_version_is_supported() -> None:
    assert sys.version_info >= (3, 11)
