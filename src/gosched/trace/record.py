"""Recording: what the Ms write down (core/trail.py) is read here, and goes to a file, or is kept for some seconds.

One thread per recorder reads. It sleeps until a piece of some trail is full, so a program that sleeps is left alone. Who dumps or closes reads as
well: the recorder's lock makes them one reader at a time, which is what trails ask for. So does a live page, which only looks (`since`).

    FileRecorder      full pieces go to the file as they come, the rest when the runtime closes or the process is ended by SIGQUIT. If the process is
                      killed otherwise, what was not yet a full piece (64 KiB per thread) is lost
    FlightRecorder    the last seconds are kept in memory, and are written when something goes wrong, or when somebody asks. What is older is
                      dropped, and what would need more memory than allowed is, too, the oldest first
    LiveRecorder      next to nothing is kept: a live page reads along
Strings are written before the pieces that name them: whoever tells of one has put it into the table before, so the table is read after the pieces.
"""

from __future__ import annotations

import _thread
import contextlib
import gc
import os
import platform
import sys
import time
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gosched.core.events import E_GC_BEGIN, E_GC_END, E_LOST, OUTSIDE
from gosched.core.native import current_m, now
from gosched.core.snapshot import creator_of
from gosched.core.telling import tell_user
from gosched.core.trail import Trail, Trails
from gosched.errors import no_runtime
from gosched.system.cpus import gil_enabled
from gosched.system.threads import OURS, in_forked_child

from . import files

if TYPE_CHECKING:
    from gosched.core.sched import Scheduler

# So much may wait to be written before events are lost.
LIMIT = 512 << 20
OPEN: weakref.WeakSet[Recorder] = weakref.WeakSet()
_wish: str | None = None
_turns: dict[str, int] = {}


class Recorder:
    """The reader of one scheduler's trails. `open` is called before the first goroutine, `close` after the last thread."""

    limit = LIMIT
    virtual = False

    def __init__(self, stacks: bool = False) -> None:
        self.stacks = stacks
        self.trails: Trails | None = None
        self.sched: Scheduler | None = None
        self.pid = os.getpid()
        self.begun = 0
        self.wall = 0.0
        self._reading = _thread.allocate_lock()
        self._ends = False
        self._gone = _thread.allocate_lock()

    def open(self, sched: Scheduler) -> None:
        if self.sched is not None:
            raise RuntimeError(f"{type(self).__name__}: it has recorded another runtime; make a new one")
        self.sched = sched
        self.trails = Trails(self.limit, self.stacks)
        self.begun, self.wall = now(), time.time()
        sched.write_down(self.trails)
        self._gone.acquire()
        try:
            _thread.start_new_thread(self._main, ())
        except RuntimeError:
            self._gone.release()
            raise
        OPEN.add(self)
        watch_collector()

    def _main(self) -> None:
        assert self.trails is not None
        ident = _thread.get_ident()
        OURS.add(ident)
        try:
            while not self._ends:
                self.trails.sleep(-1)
                with self._reading:
                    self.read()
        finally:
            OURS.discard(ident)
            self._gone.release()

    def close(self, why: str) -> None:
        """The runtime is over: whatever there still is to write is written."""
        if self.trails is None or self._ends or in_forked_child(self.pid):
            return
        self._ends = True
        OPEN.discard(self)
        watch_collector()
        self.trails.wake()
        with self._gone, self._reading:
            self.finish(why)

    def read(self) -> None:
        """Reading, whenever a piece may be full."""
        raise NotImplementedError

    def finish(self, why: str) -> None:
        """Reading, for the last time."""
        raise NotImplementedError

    def stalled(self, seconds: float) -> None:
        """A goroutine has kept the others from going on for so long."""

    def alarm(self, why: str) -> None:
        """The process is about to be ended, or is in trouble: what matters now is written."""
        raise NotImplementedError

    def since(self, places: dict[int, tuple[int, int]]) -> list[tuple[int, list[Any]]]:
        """For a second reader, which may come too late: what was told after these places (serial, offset), by trail, as far as it is still there."""
        if self.trails is None:
            return []
        with self._reading:
            return [(trail.id, trail.pieces(*places.get(trail.id, (0, 0)))) for trail in list(self.trails.all)]

    # ---- what is in a file ----

    def clock(self) -> int:
        assert self.sched is not None
        return int(self.sched.host.now())

    def header(self) -> bytes:
        assert self.sched is not None
        return files.MAGIC + files.encode_header(
            files.Header(
                gosched=version(),
                python=platform.python_version(),
                build=build(),
                free_threaded=not gil_enabled(),
                pid=self.pid,
                command=" ".join(sys.orig_argv),
                gomaxprocs=self.sched.nproc,
                virtual=self.virtual,
                begun=self.begun,
                wall=self.wall,
                stacks=self.stacks,
            )
        )

    def gap(self, trail: Trail) -> bytes:
        """What a trail could not say of itself: it ends with events that were lost."""
        return files.encode_piece(trail.id, self.clock(), OUTSIDE, files.encode_event(E_LOST, 0, (trail.untold(),)))

    def tail(self, why: str, complete: bool, cut: list[int] | None = None, read_from: int | None = None) -> bytes:
        """`read_from`: the program goes on, and has since then, while the trails were read."""
        assert self.sched is not None
        living = [files.Alive(g.id, g.name, g.state, g.wait_reason or "", creator_of(g)) for g in self.sched.goroutines()]
        lost = sum(trail.untold() for trail in list(self.trails.all)) if self.trails else 0
        end = files.End(ended=self.clock(), lost=lost, why=why, complete=complete, cut=cut, read_from=read_from)
        return files.encode_goroutines(living) + files.encode_end(end)


class FileRecorder(Recorder):
    def __init__(self, path: str | os.PathLike[str], stacks: bool = False) -> None:
        super().__init__(stacks)
        self.path = os.fspath(path)
        self._file: IO[bytes] | None = None
        self._named = 0
        self._next: dict[int, int] = {}

    def open(self, sched: Scheduler) -> None:
        self._file = open(self.path, "wb")  # noqa: SIM115 - closed by finish
        try:
            super().open(sched)
            self._write(self.header())
        except BaseException:
            self._file.close()
            raise

    def read(self) -> None:
        self._save(rest=False)

    def _save(self, rest: bool) -> None:
        """The full pieces, or all there is."""
        assert self.trails is not None
        found = []
        for trail in list(self.trails.all):
            for serial, begun, who, _, data, more in trail.pieces(self._next.get(trail.id, 0), 0):
                if not more or rest:
                    found.append(files.encode_piece(trail.id, begun, who, data))
                    self._next[trail.id] = serial + 1
            if rest and trail.untold():
                found.append(self.gap(trail))
            trail.drop(self._next.get(trail.id, 0))
        named = len(self.trails.strings)
        if named > self._named:
            self._write(files.encode_strings(self._named, self.trails.strings[self._named : named]))
            self._named = named
        self._write(b"".join(found))

    def _write(self, data: bytes) -> None:
        """Once it has failed, what comes is dropped: the program goes on."""
        if self._file is None:
            return
        try:
            self._file.write(data)
            self._file.flush()  # what cannot be written is to be known here, not when the file is closed
        except OSError as error:
            say(f"trace: {self.path}: {error.strerror or error}: the trace ends here")
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def finish(self, why: str) -> None:
        began = None if why == "end" else self.clock()
        self._save(rest=True)
        self._write(self.tail(why, complete=True, read_from=began))
        if self._file is not None:
            with contextlib.suppress(OSError):  # said already, or nothing that could still be done
                self._file.close()
            self._file = None

    def alarm(self, why: str) -> None:
        if why == "sigquit":
            with self._reading:
                self.finish(why)


class FlightRecorder(Recorder):
    """Keeps what has happened in the last seconds, and writes it to a file when the program is in trouble, or when it is asked to.

    seconds      how much is kept, at least, as long as it fits into `megabytes`
    path         where it is written: by default gosched-PID-WHY.trace in the current directory
    stall        a goroutine that has kept everything from going on for so long is such a trouble; None: it is not

    >>> import gosched
    >>> from gosched import trace
    >>> async def main(path):
    ...     return trace.flight_recorder().dump(path)
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "flight.trace")
    >>> gosched.run(main, path, trace=trace.FlightRecorder(seconds=5)) == path
    True
    """

    def __init__(
        self,
        seconds: float = 10.0,
        path: str | os.PathLike[str] | None = None,
        *,
        stall: float | None = 1.0,
        megabytes: int = 64,
        stacks: bool = False,
    ) -> None:
        super().__init__(stacks)
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds > 0:
            raise ValueError(f"FlightRecorder: seconds must be a positive number, not {seconds!r}")
        if stall is not None and (not isinstance(stall, int | float) or not stall > 0):
            raise ValueError(f"FlightRecorder: stall must be seconds, more than 0, or None, not {stall!r}")
        if not isinstance(megabytes, int) or megabytes < 1:
            raise ValueError(f"FlightRecorder: megabytes must be 1 or more, not {megabytes!r}")
        self.seconds = float(seconds)
        self.path = None if path is None else os.fspath(path)
        self.stall = stall
        self.megabytes = megabytes
        self.limit = 2 * (megabytes << 20)  # the reader may be late
        self._written: set[str] = set()

    def read(self) -> None:
        """Drops what is too old, and then what is too much."""
        assert self.trails is not None
        trails = list(self.trails.all)
        old = now() - round(self.seconds * 1e9)
        kept = [(begun, trail, serial) for trail in trails for serial, begun in trail.marks()[1:]]  # with it, the piece before it goes
        kept.sort(key=lambda piece: piece[0])
        for begun, trail, serial in kept:
            if begun < old or self.trails.held() > self.megabytes << 20:
                trail.drop(serial)

    def dump(self, path: str | os.PathLike[str] | None = None, why: str = "asked") -> str:
        """Writes what there is to a file, which it names. The recorder goes on."""
        if self.trails is None or self.sched is None:
            raise RuntimeError("FlightRecorder.dump: it records nothing yet: give it to run(main, trace=recorder)")
        if why not in files.WHYS:
            raise ValueError(f"FlightRecorder.dump: why must be one of {', '.join(files.WHYS)}, not {why!r}")
        target = os.fspath(path) if path is not None else self.path or f"gosched-{self.pid}-{why}.trace"
        with self._reading:
            began = self.clock()
            pieces, cut = [], []
            for trail in list(self.trails.all):
                told = trail.pieces(0, 0)
                if told and told[0][0] > 0:
                    cut.append(trail.id)
                pieces += [files.encode_piece(trail.id, begun, who, data) for _, begun, who, _, data, _ in told]
                if trail.untold():
                    pieces.append(self.gap(trail))
            parts = [self.header(), files.encode_strings(0, list(self.trails.strings)), *pieces, self.tail(why, not cut, cut, began)]
        Path(target).write_bytes(b"".join(parts))
        return target

    def finish(self, why: str) -> None:
        """Nothing: it was all for the case of trouble."""

    def stalled(self, seconds: float) -> None:
        if self.stall is not None and seconds >= self.stall:
            self.alarm("stall")

    def alarm(self, why: str) -> None:
        """Once for each kind of trouble: a program that stalls all the time is not to fill the disk."""
        if why in self._written:
            return
        self._written.add(why)
        try:
            say(f"flight recorder: wrote {self.dump(why=why)} ({why})")
        except OSError as error:
            say(f"flight recorder: {error}")


class LiveRecorder(Recorder):
    """For a page that reads along (web/following.py). The last pieces of each trail are kept: there is always something to begin with."""

    limit = 64 << 20

    def read(self) -> None:
        assert self.trails is not None
        for trail in list(self.trails.all):
            marks = trail.marks()
            if len(marks) > 2:
                trail.drop(marks[-2][0])

    def finish(self, why: str) -> None:
        """Nothing is kept."""

    def alarm(self, why: str) -> None:
        """Nor is it now."""


class VirtualRecorder(Recorder):
    """Of a program in virtual time, where one thread does everything, and writes one trail: `data` is the whole file, at the end. `queues`: with
    where each goroutine that can run is queued (queues.py)."""

    virtual = True

    def __init__(self, stacks: bool = False, queues: bool = False) -> None:
        super().__init__(stacks)
        self.queues = queues
        self.data = b""

    def open(self, sched: Scheduler, at: int = 0) -> None:
        self.sched = sched
        self.trails = Trails(self.limit, self.stacks, True, self.queues)
        self.begun, self.wall = at, 0.0
        self.trails.set_clock(at)
        sched.write_down(self.trails)

    def jump(self, at: int) -> None:
        """It is `at` now."""
        assert self.trails is not None
        self.trails.set_clock(at)

    def close(self, why: str) -> None:
        assert self.trails is not None
        pieces = [files.encode_piece(0, begun, who, data) for _, begun, who, _, data, _ in self.trails.all[0].pieces(0, 0)]
        self.data = b"".join((self.header(), files.encode_strings(0, list(self.trails.strings)), *pieces, self.tail(why, complete=True)))


def say(text: str) -> None:
    """Below `sys.stderr`: the process may be about to be ended, and another thread may hold its lock."""
    os.write(2, f"gosched: {text}\n".encode())


def recorder_for(trace: Any) -> Recorder | None:
    """What run(trace=) and GOSCHED_TRACE ask for."""
    if trace is None:
        wished = _wish or os.environ.get("GOSCHED_TRACE") or None
        return None if wished is None else wished_for(wished)
    if isinstance(trace, Recorder):
        return trace
    if isinstance(trace, str | os.PathLike) and os.fspath(trace):
        return FileRecorder(trace)
    raise TypeError(f"trace must be the name of a file, a gosched.trace.FlightRecorder, or None, not {trace!r}")


def wish(text: str) -> None:
    """From now on in this process, as if GOSCHED_TRACE said so: for `gosched run`."""
    global _wish
    _wish = text


def wished_for(text: str) -> Recorder:
    """What nobody asked for in the program itself is not to fail in its second run(): each has a file of its own."""
    kind, _, rest = text.partition(":")
    if kind == "flight":
        return flight_from(rest)
    path = text.replace("%p", str(os.getpid()))
    turn = _turns[path] = _turns.get(path, 0) + 1
    return FileRecorder(path if turn == 1 else f"{path}.{turn}")


def flight_from(text: str) -> FlightRecorder:
    """GOSCHED_TRACE=flight, flight:SECONDS or flight:SECONDS:PATH."""
    seconds, _, path = text.partition(":")
    try:
        return FlightRecorder(float(seconds) if seconds else 10.0, path or None)
    except ValueError:
        raise ValueError(f"GOSCHED_TRACE=flight:{text}: it must be a file, flight, flight:SECONDS or flight:SECONDS:PATH") from None


def flight_recorder() -> FlightRecorder:
    """The flight recorder of the calling goroutine's runtime: as it was given to run(trace=), or by GOSCHED_TRACE=flight.

    >>> import gosched
    >>> from gosched import trace
    >>> recorder = trace.FlightRecorder(seconds=5)
    >>> gosched.run(trace.flight_recorder, trace=recorder) is recorder
    True
    """
    m = current_m()
    if m is None:
        raise no_runtime("trace.flight_recorder()", "run(main, trace=trace.FlightRecorder())")
    for recorder in list(OPEN):
        if recorder.sched is m.sched and isinstance(recorder, FlightRecorder):
            return recorder
    raise RuntimeError("trace.flight_recorder(): there is none: run(main, trace=trace.FlightRecorder()), or set GOSCHED_TRACE=flight")


def alarm_all(why: str) -> None:
    """The process is about to be ended."""
    for recorder in list(OPEN):
        if not in_forked_child(recorder.pid):
            recorder.alarm(why)


# ---- the collector ----


def watch_collector() -> None:
    """While anything is recorded, runs of the collector are."""
    if OPEN and on_collection not in gc.callbacks:
        gc.callbacks.append(on_collection)
    elif not OPEN and on_collection in gc.callbacks:
        gc.callbacks.remove(on_collection)


def on_collection(phase: str, info: dict[str, int]) -> None:
    kind, figure = (E_GC_BEGIN, info["generation"]) if phase == "start" else (E_GC_END, info["collected"])
    if not tell_user(kind, (figure,)):
        for recorder in list(OPEN):
            assert recorder.trails is not None
            recorder.trails.tell_outside(kind, figure)


def build() -> str:
    import gosched

    return gosched.__build__


def version() -> str:
    import gosched

    return gosched.__version__
