"""The cases on plain threads: a thread for each goroutine, a pool where that is what one would use. Queues are SimpleQueue, the leanest there are."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from gosched.bench.net.driving import Load, Served, drive
from gosched.bench.work import Reading, Size, Ticks, burn, now, plain_bodies, resident


def run(case: Callable[[Size], Reading], size: Size) -> Reading:
    return case(size)


def started(*bodies: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


def ended(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join()


def case_spawn(size: Size) -> Reading:
    bodies, ran = plain_bodies(size)
    begin = now()
    ended(started(*bodies))
    return Reading(len(ran), now() - begin)


def crowd(n: int, look: Callable[[], int]) -> tuple[int, int]:
    """Starts n that wait, looks while all do, lets them go and waits for their end: how many there were, and what was seen."""
    arrived: SimpleQueue[None] = SimpleQueue()
    gate = threading.Event()
    woken: list[int] = []

    def wait() -> None:
        arrived.put(None)
        gate.wait()
        woken.append(1)

    threads = started(*[wait] * n)
    for _ in range(n):
        arrived.get()
    seen = look()
    gate.set()
    ended(threads)
    return len(woken), seen


def case_memory(size: Size) -> Reading:
    before = resident()
    woken, after = crowd(size.n, resident)
    return Reading(woken, after - before)


def case_life(size: Size) -> Reading:
    woken = 0
    begin = now()
    for _ in range(size.work):
        woken += crowd(size.n, int)[0]
    return Reading(woken, now() - begin)


def case_fanout(size: Size) -> Reading:
    """A pool of as many threads as others have Ps."""
    with ThreadPoolExecutor(size.procs) as pool:
        begin = now()
        counted = sum(pool.map(burn, [size.work] * size.n))
        return Reading(counted, now() - begin)


def case_pingpong(size: Size) -> Reading:
    there: SimpleQueue[int] = SimpleQueue()
    back: SimpleQueue[int] = SimpleQueue()
    counted: list[int] = []

    def ping() -> None:
        v = 0
        for _ in range(size.n):
            there.put(v)
            v = back.get()
        counted.append(v)

    def pong() -> None:
        for _ in range(size.n):
            back.put(there.get() + 1)

    begin = now()
    ended(started(ping, pong))
    return Reading(sum(counted), now() - begin)


def case_mutex(size: Size) -> Reading:
    lock = threading.Lock()
    last = 0
    begin = now()
    for i in range(1, size.n + 1):
        with lock:
            last = i
    return Reading(last, now() - begin)


def case_hogs(size: Size) -> Reading:
    ticks = Ticks(size.work)
    pieces = [0] * size.n

    def hog(i: int) -> None:
        while not ticks.over:
            pieces[i] += 1

    threads = started(*(partial(hog, i) for i in range(size.n)))
    while ticks.note():
        time.sleep(ticks.seconds_left())
    ended(threads)
    return ticks.reading(sum(n > 0 for n in pieces))


def case_blocking(size: Size) -> Reading:
    zeros = 0
    with ThreadPoolExecutor(1) as pool:
        begin = now()
        for _ in range(size.n):
            zeros += pool.submit(int).result() == 0
        return Reading(zeros, now() - begin)


def with_server(size: Size, idle: bool = False) -> tuple[Served, Load]:
    """A thread for each connection."""
    served = Served(size)
    lock = threading.Lock()

    def echo(conn: socket.socket) -> None:
        with suppress(ConnectionError), conn:  # the load does not wait for the last answers
            while data := conn.recv(65_536):
                with lock:
                    served.request()
                conn.sendall(data)

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):  # it was closed: the load is done
            while True:
                conn, _ = listener.accept()
                threading.Thread(target=echo, args=(conn,)).start()

    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        return served, drive(listener.getsockname()[1], size, idle)


def case_echo(size: Size) -> Reading:
    served, load = with_server(size)
    return served.speed(load)


def case_connections(size: Size) -> Reading:
    served, load = with_server(size, idle=True)
    return served.memory(load)
