"""`gosched dump PID`, `gosched top PID`: how one process gets an answer of another.

    the command      listens on a socket of its own, in a directory that is its user's alone, and sends the program SIGURG
    the program      at SIGURG, while it is in run(), looks for sockets with its number, and sends its answer there

What is asked is said by the name of the socket: KIND-PROGRAM-COMMAND, as in stats-4711-5022. So nothing listens in the program, nothing that it is
sent is read, and it leaves nothing on the disk. SIGURG is a signal that does nothing to who does not expect it: Go uses it for that reason. Both
sides ask the kernel whom they are connected to: it must be the same user.

Several commands may ask at once. One signal may stand for two that came together, so the program answers all it finds; who has its answer already
does not listen any more. The last command takes the directory away, perhaps between another's mkdir and bind: that one begins again.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

CALL = signal.SIGURG
SECONDS = 10.0
# Fixed, not TMPDIR: the two processes may have been started with different environments.
PLACE = "/tmp"
KINDS = ("dump", "stats")
# How often the directory may vanish before something is wrong.
TRIES = 100


class NoAnswer(Exception):
    """Why there is none."""


class Gone(NoAnswer):
    """There is none, and there will be none: the process has ended, or has left run()."""


class Question(NamedTuple):
    """What one command wants of one program."""

    kind: str
    pid: int
    command: int

    @property
    def path(self) -> str:
        return os.path.join(folder(), f"{self.kind}-{self.pid}-{self.command}")


def folder() -> str:
    return os.path.join(PLACE, f"gosched-{os.geteuid()}")


def questions() -> list[Question]:
    """All that is asked now, of any program of this user."""
    if not is_private(folder()):
        return []
    found = []
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(folder()):
            kind, *numbers = name.split("-")
            if kind in KINDS and len(numbers) == 2 and all(number.isdecimal() for number in numbers):
                found.append(Question(kind, int(numbers[0]), int(numbers[1])))
    return sorted(found)


def is_private(path: str) -> bool:
    """A directory, not a link to one, that this user alone can look into."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end, as the kernel knows it."""
    if sys.platform == "linux":
        return int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
    # LOCAL_PEERCRED of macOS and the BSDs: a struct xucred, version and uid first.
    return int(struct.unpack("2I", connection.getsockopt(0, 1, 76)[:8])[1])


# ---- the program ----


def called() -> list[Question]:
    """What is asked of this process."""
    return [question for question in questions() if question.pid == os.getpid()]


def reach(question: Question) -> socket.socket | None:
    """Who asks that, if anybody still does."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(SECONDS)
        connection.connect(question.path)
        if peer_uid(connection) == os.geteuid():
            return connection
    except OSError:  # nobody does
        pass
    connection.close()
    return None


# ---- the command ----


def fetch(pid: int, kind: str = "dump", seconds: float = SECONDS) -> str:
    """The answer of that process."""
    check(pid)
    with listening(Question(kind, pid, os.getpid())) as listener, lifeline(pid) as life:
        call(pid)
        return receive(listener, life, pid, time.monotonic() + seconds)


def check(pid: int) -> None:
    """What can be said without asking it."""
    call(pid, 0)
    with contextlib.suppress(FileNotFoundError, PermissionError, ProcessLookupError):  # it may end at any moment
        if os.stat(f"/proc/{pid}").st_uid != os.geteuid():
            raise NoAnswer(f"process {pid} belongs to another user: ask as that user")
        with open(f"/proc/{pid}/status") as lines:
            found = dict(line.split(":", 1) for line in lines if line.startswith(("State:", "SigCgt:")))
        if found.get("State", "").strip()[:1] in ("Z", "X"):  # it has ended, and its parent has not asked how
            raise Gone(f"there is no process {pid}")
        if not int(found.get("SigCgt", "-1"), 16) >> CALL - 1 & 1:
            raise Gone(f"process {pid} is not in gosched.run(): only a program that is, in its main thread, can be asked")


def call(pid: int, number: int = CALL) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        raise Gone(f"there is no process {pid}") from None
    except PermissionError:
        raise NoAnswer(f"process {pid} belongs to another user: ask as that user") from None


@contextlib.contextmanager
def listening(question: Question) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        take_place(listener, question)
        try:
            listener.listen(1)
            yield listener
        finally:
            withdraw(question.pid, question.kind)


def withdraw(pid: int, kind: str) -> None:
    """This command asks that no more."""
    with contextlib.suppress(OSError):  # others ask, too, and the last one removes the directory
        os.unlink(Question(kind, pid, os.getpid()).path)
        os.rmdir(folder())


def take_place(listener: socket.socket, question: Question) -> None:
    for _ in range(TRIES):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder(), 0o700)
        if is_private(folder()):
            sweep(question.command)
            with contextlib.suppress(FileNotFoundError):
                listener.bind(question.path)
                return
        elif os.path.lexists(folder()):
            break
    raise NoAnswer(f"{folder()} must be a directory that nobody else can look into: remove it")


def sweep(mine: int) -> None:
    """Removes what commands that were killed have left, and one that had our number."""
    for question in questions():
        if question.command == mine or not is_alive(question.command):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(question.path)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@contextlib.contextmanager
def lifeline(pid: int) -> Iterator[int]:
    """A descriptor that can be read when the process has ended, or -1 where there is no such thing."""
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield -1
        return
    try:
        yield fd
    finally:
        os.close(fd)


def receive(listener: socket.socket, life: int, pid: int, deadline: float) -> str:
    parts: list[bytes] = []
    try:
        await_caller(listener, life, pid, deadline)
        connection, _ = listener.accept()
        with connection:
            if peer_uid(connection) != os.geteuid():
                raise NoAnswer(f"another user answered for process {pid}")
            while not parts or parts[-1]:
                connection.settimeout(max(0.01, deadline - time.monotonic()))
                parts.append(connection.recv(1 << 20))
    except TimeoutError:
        raise NoAnswer(f"process {pid} did not answer: it may be in a C call that lets nothing else run, or is not in gosched.run()") from None
    except ConnectionError:
        parts.append(b"")
    answer = b"".join(parts)
    if not answer.endswith(b"\n"):
        raise NoAnswer(f"process {pid} did not finish its answer: it may have ended meanwhile")
    return answer.decode()


def await_caller(listener: socket.socket, life: int, pid: int, deadline: float) -> None:
    """Until the program has connected."""
    watched: list[socket.socket | int] = [listener] if life < 0 else [listener, life]
    ready, _, _ = select.select(watched, [], [], max(0.01, deadline - time.monotonic()))
    if listener in ready:
        return
    if ready:
        raise Gone(f"process {pid} has ended")
    raise TimeoutError
