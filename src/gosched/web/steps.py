"""A step of a replay as the page tells it: which steps are in its log, under which filter, in which words."""

from __future__ import annotations

from gosched.core.events import E_GO_START, E_GO_STOP, NAMES, PREEMPTED
from gosched.trace.replay import Replay
from gosched.trace.sentences import sentence
from gosched.trace.things import CALL, RUNNABLE, RUNNING, Step

from .snapshot import Event

# So many of one interval are told; where there are more, rare ones before these.
TOLD = 40
COMMON = ("park", "wake", "go", "end")
# The page's letter for a goroutine's state; for all others "w".
LETTERS = {RUNNABLE: "r", RUNNING: "R", CALL: "s"}
KINDS = {
    "GO_CREATE": "go",
    "GO_END": "end",
    "STEAL": "steal",
    "PROC_STEAL": "retake",
    "GO_STOP": "preempt",
    "ASK": "preempt",
    "BLOCKED": "block",
    "SYSCALL_BEGIN": "block",
    "GO_BLOCK": "park",
    "GO_UNBLOCK": "wake",
    "M_START": "thread",
    "M_END": "thread",
    "PROCS": "procs",
    "PHASE": "procs",
    "GC_BEGIN": "gc",
    "GC_END": "gc",
    "LOG": "user",
    "REGION_BEGIN": "user",
    "TASK_BEGIN": "user",
    "LOST": "lost",
}


def told(replay: Replay, step: Step, t: float) -> tuple[str, Event | None]:
    """Of the step that `replay` has just made: its sentence, and what the log has of it. Who lets others run of its own will is not in it."""
    text = sentence(replay, step)
    kind = KINDS.get(NAMES[step.kind])
    if kind is None or (step.kind == E_GO_STOP and step.args[0] != PREEMPTED):
        return text, None
    return text, Event(t, kind, text)


def queued_for(replay: Replay, step: Step) -> int | None:
    """How long who begins to run has waited for its turn, in ns."""
    g = replay.world.goroutines.get(step.g) if step.kind == E_GO_START else None
    return None if g is None or g.was != RUNNABLE or g.was_since < 0 else g.since - g.was_since


def fitting(events: list[Event], until: float) -> list[Event]:
    if len(events) <= TOLD:
        return events
    shown = [event for event in events if event.kind not in COMMON][:TOLD] or events[:TOLD]
    return [*shown, Event(shown[-1].t, "more", f"… and {len(events) - len(shown):,} more until {until:.4f} s")]
