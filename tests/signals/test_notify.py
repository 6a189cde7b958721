"""notify and stop_notify: signals as values, in programs of their own."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.conftest import Script

SPELLINGS = ["await ch.arecv()", "ch.recv()"]
NAMES = ["SIGTERM", "SIGUSR1", "SIGINT"]


def says(script: Script, text: str, *expected: str) -> None:
    done = script(text)
    assert (done.stdout.splitlines(), done.returncode) == (list(expected), 0), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("receive", SPELLINGS)
def test_a_signal_is_a_value(script: Script, name: str, receive: str) -> None:
    says(
        script,
        f"""
        import os, signal, gosched
        async def main():
            ch = gosched.Chan[signal.Signals](1)
            gosched.notify(ch, signal.{name})
            for _ in range(3):
                os.kill(os.getpid(), signal.{name})
                print(repr({receive}))
        before = signal.getsignal(signal.{name})
        gosched.run(main)
        print(signal.getsignal(signal.{name}) == before)
        """,
        *[repr(signal.Signals[name])] * 3,
        "True",
    )


@pytest.mark.parametrize("receive", ["(await ch.arecv())", "ch.recv()", "(await gosched.aselect(ch.recv))[1]", "gosched.select(ch.recv)[1]"])
def test_a_receiver_that_waits_needs_no_buffer(script: Script, receive: str) -> None:
    says(
        script,
        f"""
        import os, signal, gosched
        ch = gosched.Chan[signal.Signals]()
        async def receives(answer):
            answer.send({receive}.name)
        async def main():
            answer = gosched.Chan[str](1)
            gosched.notify(ch, signal.SIGUSR1)
            g = gosched.go(receives, answer)
            while g.wait_reason is None:
                await gosched.ayield_now()
            os.kill(os.getpid(), signal.SIGUSR1)
            print(await answer.arecv())
        gosched.run(main)
        """,
        "SIGUSR1",
    )


def test_every_channel_gets_it_and_each_only_what_it_watches(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            one, two, three = (gosched.Chan(4) for _ in range(3))
            gosched.notify(one, signal.SIGUSR1, signal.SIGUSR2)
            gosched.notify(two, signal.SIGUSR1)
            gosched.notify(three, signal.SIGUSR2)
            gosched.notify(three, signal.SIGUSR2)
            os.kill(os.getpid(), signal.SIGUSR1)
            print((await one.arecv()).name, (await two.arecv()).name)
            os.kill(os.getpid(), signal.SIGUSR2)
            print((await one.arecv()).name, (await three.arecv()).name)
            gosched.stop_notify(one)
            os.kill(os.getpid(), signal.SIGUSR2)
            os.kill(os.getpid(), signal.SIGUSR1)
            print((await three.arecv()).name, (await two.arecv()).name, len(one), len(two), len(three))
        gosched.run(main)
        """,
        "SIGUSR1 SIGUSR1",
        "SIGUSR2 SIGUSR2",
        "SIGUSR2 SIGUSR1 0 0 0",
    )


def test_a_full_channel_misses_signals_and_nobody_waits_for_it(script: Script) -> None:
    """The other channel, told after the full one, says when all have arrived."""
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            full, all_ = gosched.Chan(1), gosched.Chan(8)
            gosched.notify(full, signal.SIGUSR1, signal.SIGUSR2)
            gosched.notify(all_, signal.SIGUSR1, signal.SIGUSR2)
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
                os.kill(os.getpid(), number)
                await all_.arecv()
            print((await full.arecv()).name, len(full))
            os.kill(os.getpid(), signal.SIGUSR2)
            print((await full.arecv()).name)
        gosched.run(main)
        """,
        "SIGUSR1 0",
        "SIGUSR2",
    )


def test_a_channel_that_was_closed_is_passed_over(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            shut, ch = gosched.Chan(1), gosched.Chan(1)
            gosched.notify(shut, signal.SIGUSR1)
            gosched.notify(ch, signal.SIGUSR1)
            shut.close()
            os.kill(os.getpid(), signal.SIGUSR1)
            print((await ch.arecv()).name, shut.closed)
        gosched.run(main)
        """,
        "SIGUSR1 True",
    )


def test_the_handler_that_stood_before_is_back_when_nobody_watches(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        def theirs(number, frame):
            print("theirs")
        signal.signal(signal.SIGUSR1, theirs)
        async def main():
            one, two = gosched.Chan(1), gosched.Chan(1)
            gosched.notify(one, signal.SIGUSR1)
            gosched.notify(two, signal.SIGUSR1)
            gosched.stop_notify(one)
            os.kill(os.getpid(), signal.SIGUSR1)
            print((await two.arecv()).name, signal.getsignal(signal.SIGUSR1) is theirs)
            gosched.stop_notify(two)
            print(signal.getsignal(signal.SIGUSR1) is theirs)
            gosched.stop_notify(two)
            gosched.notify(one, signal.SIGUSR1)
        gosched.run(main)
        print(signal.getsignal(signal.SIGUSR1) is theirs)
        os.kill(os.getpid(), signal.SIGUSR1)
        """,
        "SIGUSR1 False",
        "True",
        "True",
        "theirs",
    )


def test_a_handler_that_somebody_sets_meanwhile_stays(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        ch = gosched.Chan(1)
        gosched.notify(ch, signal.SIGUSR1)
        def newer(number, frame):
            print("newer")
        signal.signal(signal.SIGUSR1, newer)
        gosched.stop_notify(ch)
        os.kill(os.getpid(), signal.SIGUSR1)
        print(signal.getsignal(signal.SIGUSR1) is newer)
        """,
        "newer",
        "True",
    )


@pytest.mark.parametrize("way", ["deadlock", "exception", "interrupt"])
def test_handlers_are_back_however_the_program_ends(script: Script, way: str) -> None:
    """A deadlock, too, once the channel is not watched any more."""
    says(
        script,
        f"""
        import os, signal, gosched
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGUSR1, signal.SIGTERM)
            if "{way}" == "exception":
                raise KeyError
            if "{way}" == "interrupt":
                os.kill(os.getpid(), signal.SIGINT)
            if "{way}" == "deadlock":
                gosched.stop_notify(ch)
            await ch.arecv()
        try:
            gosched.run(main)
        except (KeyboardInterrupt, KeyError, gosched.DeadlockError) as error:
            print(type(error).__name__)
        print(signal.getsignal(signal.SIGUSR1) == signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
        """,
        {"deadlock": "DeadlockError", "exception": "KeyError", "interrupt": "KeyboardInterrupt"}[way],
        "True",
    )


def test_the_second_ctrl_c_does_not_wait_for_a_program_that_caught_the_first(script: Script) -> None:
    """main is over: Ctrl-C is Ctrl-C again."""
    says(
        script,
        """
        import os, signal, threading, gosched
        class Impatient(gosched.Runtime):
            def _wait_until(self, reached):
                os.kill(os.getpid(), signal.SIGINT)
                super()._wait_until(reached)
        async def stubborn(begun):
            begun.set()
            threading.Event().wait()
        async def main():
            ch, begun = gosched.Chan(1), gosched.Event()
            gosched.notify(ch, signal.SIGINT)
            gosched.go(stubborn, begun)
            await begun
            os.kill(os.getpid(), signal.SIGINT)
            print((await ch.arecv()).name, flush=True)
        try:
            with Impatient(grace=60) as rt:
                rt.run(main)
        except KeyboardInterrupt:
            print("at once", flush=True)
        os._exit(0)
        """,
        "SIGINT",
        "at once",
    )


def test_ctrl_c_without_notify_is_as_ever(script: Script) -> None:
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            await ch.arecv()
        try:
            gosched.run(main)
        except KeyboardInterrupt:
            print("interrupted")
        """,
        "interrupted",
    )


def test_a_signal_channel_is_hope(script: Script) -> None:
    """All are asleep, and no thread is left: no deadlock, as long as a signal may come. It comes when the runtime was told that all sleep."""
    says(
        script,
        """
        import os, signal, gosched
        asked = []
        class Watching(gosched.Runtime):
            def _beyond_help(self):
                asked.append(super()._beyond_help())
                if len(asked) == 3:
                    os.kill(os.getpid(), signal.SIGTERM)
                return asked[-1]
        async def main():
            ch = gosched.Chan()
            gosched.notify(ch, signal.SIGTERM)
            return (await ch.arecv()).name
        with Watching() as rt:
            print(rt.run(main), asked[:3])
        """,
        "SIGTERM [False, False, False]",
    )


def test_in_the_main_thread_before_run(script: Script) -> None:
    """It is nobody's but the caller's: the end of a runtime does not undo it."""
    says(
        script,
        """
        import os, signal, gosched
        ch = gosched.Chan(1)
        gosched.notify(ch, signal.SIGTERM)
        async def main():
            os.kill(os.getpid(), signal.SIGTERM)
            return await ch.arecv()
        print(gosched.run(main).name, gosched.run(main).name)
        os.kill(os.getpid(), signal.SIGTERM)
        print(ch.recv().name)
        gosched.stop_notify(ch)
        print(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
        """,
        "SIGTERM SIGTERM",
        "SIGTERM",
        "True",
    )


def test_the_main_thread_waits_in_a_channel_itself(script: Script) -> None:
    """The handler interrupts the very wait that its signal ends."""
    says(
        script,
        """
        import os, signal, threading, gosched
        ch, back = gosched.Chan(1), gosched.Chan()
        gosched.notify(ch, signal.SIGUSR1)
        def kills():
            for _ in range(20):
                os.kill(os.getpid(), signal.SIGUSR1)
                back.recv()
        thread = threading.Thread(target=kills)
        thread.start()
        for _ in range(20):
            assert ch.recv() == signal.SIGUSR1
            back.send(None)
        thread.join()
        print("done")
        """,
        "done",
    )


def test_stopped_while_the_main_thread_is_elsewhere(script: Script) -> None:
    """Then the handler stays until the next signal, which goes the way it went before, or until the next run."""
    says(
        script,
        """
        import os, signal, threading, gosched
        def theirs(number, frame):
            print("theirs")
        signal.signal(signal.SIGUSR1, theirs)
        signal.signal(signal.SIGUSR2, theirs)
        ch, stopped = gosched.Chan(1), threading.Event()
        async def begins():
            gosched.notify(ch, signal.SIGUSR1, signal.SIGUSR2)
        async def stops():
            gosched.stop_notify(ch)
            stopped.set()
        async def nothing():
            pass
        with gosched.Runtime() as rt:
            rt.run(begins)
            rt.go(stops)
            stopped.wait()
            os.kill(os.getpid(), signal.SIGUSR1)
            print(signal.getsignal(signal.SIGUSR1) is theirs, signal.getsignal(signal.SIGUSR2) is theirs, len(ch))
            rt.run(nothing)
            print(signal.getsignal(signal.SIGUSR2) is theirs)
        """,
        "theirs",
        "True False 0",
        "True",
    )


@pytest.mark.parametrize("ends", ["gosched.stop_notify(ch)", "pass"])
def test_what_is_on_its_way_at_the_end_is_handed_on(script: Script, ends: str) -> None:
    """The thread that hands signals on is kept busy until somebody waits for it. Left to the handler of before, the signal would kill the program."""
    says(
        script,
        f"""
        import os, signal, threading, time, gosched
        from gosched.system.handlers import HANDLERS, Watch
        busy, gate = threading.Event(), threading.Event()
        def waits(number):
            busy.set()
            gate.wait()
        def opens():
            while HANDLERS.arrivals.qsize() < 2:
                time.sleep(0.001)
            gate.set()
        HANDLERS.add(Watch("slow", None, waits), [signal.SIGUSR1])
        HANDLERS.settle()
        thread = threading.Thread(target=opens)
        thread.start()
        ch = gosched.Chan(1)
        async def main():
            gosched.notify(ch, signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGUSR1)
            busy.wait()
            os.kill(os.getpid(), signal.SIGTERM)
            while HANDLERS.arrivals.qsize() == 0:
                time.sleep(0.001)
            {ends}
        gosched.run(main)
        thread.join()
        print(ch.try_recv())
        """,
        "(<Signals.SIGTERM: 15>, True)",
    )


def test_closed_by_another_thread(script: Script) -> None:
    says(
        script,
        """
        import os, signal, threading, gosched
        async def main():
            gosched.notify(gosched.Chan(1), signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, lambda number, frame: print("as before"))
        rt = gosched.Runtime()
        rt.run(main)
        thread = threading.Thread(target=rt.close)
        thread.start()
        thread.join()
        os.kill(os.getpid(), signal.SIGUSR1)
        """,
        "as before",
    )


def test_a_storm_of_signals_and_of_changes(script: Script) -> None:
    """Signals all the time, from a thread of C's own making: nothing hangs, and none is lost on the way to a handler that stands at the end."""
    says(
        script,
        """
        import os, signal, gosched
        seen = []
        signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
        async def flips(wg):
            ch = gosched.Chan(1)
            for _ in range(40):
                gosched.notify(ch, signal.SIGALRM)
                await ch.arecv()
                gosched.stop_notify(ch)
                while ch.try_recv()[1]:
                    pass
                assert len(ch) == 0
            wg.done()
        async def main():
            wg = gosched.WaitGroup()
            wg.add(3)
            for _ in range(3):
                gosched.go(flips, wg)
            await wg
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        gosched.run(main, gomaxprocs=2)
        seen.clear()
        while not seen:
            signal.pause()
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("done")
        """,
        "done",
    )


def test_in_a_forked_child_nobody_watches(script: Script) -> None:
    says(
        script,
        """
        import os, signal, sys, warnings, gosched
        warnings.simplefilter("ignore")
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGTERM)
            pid = os.fork()
            if pid == 0:
                os.kill(os.getpid(), signal.SIGTERM)
                os._exit(1)
            _, status = gosched.blocking(os.waitpid, pid, 0)
            print(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM, len(ch))
            os.kill(os.getpid(), signal.SIGTERM)
            print((await ch.arecv()).name)
        gosched.run(main)
        """,
        "True 0",
        "SIGTERM",
    )


def test_no_thread_is_left(script: Script) -> None:
    says(
        script,
        """
        import os, signal, time, gosched
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGTERM)
        gosched.run(main)
        while len(os.listdir("/proc/self/task")) > 1:
            time.sleep(0.001)
        print("alone")
        """
        if sys.platform == "linux"
        else 'print("alone")',
        "alone",
    )


def test_signals_without_a_name_are_numbers(script: Script) -> None:
    if not hasattr(signal, "SIGRTMIN"):
        pytest.skip("no real-time signals here")
    says(
        script,
        """
        import os, signal, gosched
        async def main():
            ch = gosched.Chan(1)
            gosched.notify(ch, signal.SIGRTMIN + 1)
            os.kill(os.getpid(), signal.SIGRTMIN + 1)
            return await ch.arecv() - signal.SIGRTMIN
        print(gosched.run(main))
        """,
        "1",
    )
