"""A workload in virtual time, measured: one run, and what came out of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from gosched.core.tally import Tally
from gosched.policy import Policy, checked_policy
from gosched.program import Main
from gosched.runtime import checked_procs
from gosched.trace.record import VirtualRecorder

from .clockwork import Clockwork
from .costs import USUAL, Costs
from .striking import heeding_ctrl_c
from .virtual import apart

Workload = Callable[..., Coroutine[Any, Any, Any]]

# So many turns, and what was told is read.
READ_EVERY = 4_096


@dataclass(frozen=True)
class Result:
    """Times in seconds. `utilisation`: of the Ps, until main was over. `p50`, `p99`, `longest`: how long goroutines waited for a turn. `fairness`:
    Jain's index of the shares of the time in which each could have run. `value`: what the workload returned.

    >>> from gosched.lab import cpu, measure
    >>> result = measure(cpu, 0.001, procs=2)
    >>> result.goroutines, result.steals, result.value
    (1, 0, None)
    """

    makespan: float
    utilisation: float
    p50: float
    p99: float
    longest: float
    fairness: float
    goroutines: int
    turns: int
    steals: int
    stolen: int
    preemptions: int
    threads: int
    value: Any = None


def measure(workload: Workload, *args: Any, procs: int = 1, policy: Policy | None = None, seed: int = 1, costs: Costs = USUAL) -> Result:
    """Plays a workload to its end. What it raises is raised here.

    procs     the number of Ps, up to 1,024
    policy    other rules than Go's
    seed      who is robbed first, what a select chooses: the same seed is the same run
    costs     what the scheduler itself takes, in ns

    >>> import gosched
    >>> from gosched.lab import cpu, measure
    >>> async def worker():
    ...     await cpu(0.001)
    >>> async def fan_out():
    ...     wg = gosched.WaitGroup()
    ...     for _ in range(100):
    ...         wg.go(worker)
    ...     await wg
    >>> one, four = measure(fan_out, procs=1), measure(fan_out, procs=4)
    >>> round(one.makespan / four.makespan, 1)
    4.0
    """
    recorder = VirtualRecorder()
    run = Clockwork(checked_procs(procs), seed, checked_policy(policy), costs, recorder)
    watcher = Main(run, ends=True)
    reader = Reader(recorder)
    with heeding_ctrl_c(run):
        apart().run(play, run.played(watcher, workload, args), reader)
    error = run.error or watcher.error
    if error is not None:
        raise error
    tally = reader.tally
    span = max(1, tally.makespan())
    return Result(
        makespan=span / 1e9,
        utilisation=tally.busy / (procs * span),
        p50=tally.percentile(0.5) / 1e9,
        p99=tally.percentile(0.99) / 1e9,
        longest=tally.longest / 1e9,
        fairness=tally.fairness(),
        goroutines=tally.goroutines,
        turns=tally.turns,
        steals=tally.steals,
        stolen=tally.stolen,
        preemptions=tally.preemptions,
        threads=tally.threads,
        value=watcher.value,
    )


def play(turns: Iterator[None], reader: Reader) -> None:
    for n, _ in enumerate(turns, 1):
        if n % READ_EVERY == 0:
            reader.read()
    reader.read()


class Reader:
    """Reads a trail into a Tally, and drops what was read."""

    def __init__(self, recorder: VirtualRecorder) -> None:
        assert recorder.trails is not None
        self.trail = recorder.trails.all[0]
        self.tally = Tally(recorder.begun)
        self.place = (-1, 0)
        self.before = (recorder.begun, 0)

    def read(self) -> None:
        serial, offset = self.place
        for number, begun, who, begin, data, _ in self.trail.pieces(max(0, serial), offset):
            if number != serial:
                self.before = (begun, who)
            serial = number
            self.before = self.tally.read(data, *self.before)
            offset = begin + len(data)
        self.place = (serial, offset)
        self.trail.drop(serial)
