"""Scenarios: each plays to its end, its text points at what happens, its answer is what a run shows, and its switches change what they promise."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from gosched.lab.scenarios import SCENARIOS, Story
from gosched.lab.script import Script
from gosched.policy import GO
from gosched.web.catalogue import SWITCHES

from .playing import play, story, variants

# What the essay says, by running. With a bend: what it says then.
ANSWERS = {
    ("imbalance", ""): "It runs 3 of 12; the rest was stolen, in 3 raids, and all is done after 6.1 ms.",
    ("imbalance", "Without stealing"): "It runs 12 of 12; nobody stole any, and all is done after 24.0 ms.",
    ("steal-half", ""): "Of 8 P1 takes 4. The oldest was G2, but it runs G5 first: the newest of its share.",
    ("steal-half", "Steal one at a time"): "Of 8 P1 takes 1. The oldest was G2, and it runs that one.",
    ("steal-half", "Steal all"): "Of 8 P1 takes 8. The oldest was G2, but it runs G9 first: the newest of its share.",
    ("overflow", ""): "At start number 258: 256 fill the ring, one is next, and one more is too many. In the end 129 are in the global queue.",
    (
        "overflow",
        "A ring of 16",
    ): "At start number 18: 16 fill the ring, one is next, and one more is too many. In the end 288 are in the global queue.",
    ("overflow", "A ring of 1,024"): None,
    ("tick-61", ""): "60, which takes 1.2 ms: at its tick 61 the P looks at the global queue first.",
    ("tick-61", "Never look there first"): "183, which takes 3.6 ms: then no other is left before it.",
    ("tick-61", "Every 5th tick"): "4, which takes 81 µs: at its tick 5 the P looks at the global queue first.",
    ("runnext", ""): "G2 (serves). The client has its answer after 522 µs: before any of the workers.",
    ("runnext", "Without `next`"): "G2 (serves). The client has its answer after 6.5 ms: after 3 of the workers.",
    ("inheritance", ""): "14.2 ms, which is 71 turns of the pair: "
    "the slice that they share, 10 ms by Go's rules, and the time until sysmon has noticed its end.",
    ("inheritance", "No inheritance"): "24.0 ms, which is 122 turns of the pair: nothing stopped them.",
    ("inheritance", "Slices of 2 ms"): "2.4 ms, which is 12 turns of the pair: "
    "the slice that they share, 10 ms by Go's rules, and the time until sysmon has noticed its end.",
    ("convoy", ""): "After 12.7 ms: the hog had to let them run. Everything is done after 62.5 ms: whoever goes first, it is the same work.",
    ("convoy", "Without preemption"): "After 62.5 ms: they had to wait for the hog. "
    "Everything is done after 62.5 ms: whoever goes first, it is the same work.",
    ("handoff", ""): "39 µs until sysmon has taken it; 0 µs if it is handed over before the call. 3 threads were needed in all.",
    ("return", ""): "It waits 10.0 ms. M0 made the call, M1 goes on.",
    ("netpoller", ""): "0. At one moment 6 goroutines wait; 2 threads and 2 Ps are enough.",
    ("spinning", ""): "Main wakes 1; 6 more are woken by those that found work. The most that spin at the same time: 1.",
    ("spinning", "Without stealing"): "Main wakes 1; nobody else is woken. The most that spin at the same time: 1.",
    ("deadlock", ""): "G3 and G2 wait for each other's lock, main for a channel that nobody sends on: "
    "known after 1.0 ms, at once when the last has parked.",
    ("deadlock", "With the global queue only"): "G2 and G3 wait for each other's lock, main for a channel that nobody sends on: "
    "known after 1.0 ms, at once when the last has parked.",
    ("skynet", ""): "131, in 16 raids. 4 Ps worked on it, and it is done after 729 µs. At most 177 were alive at the same time.",
    ("skynet", "Without stealing"): "0, in 0 raids. 1 P worked on it, and it is done after 2.7 ms. At most 180 were alive at the same time.",
    ("skynet", "One central queue"): "0, in 0 raids. 4 Ps worked on it, and it is done after 716 µs. At most 342 were alive at the same time.",
    ("skynet", "Newest first"): "133, in 58 raids. 4 Ps worked on it, and it is done after 741 µs. At most 34 were alive at the same time.",
}


def at(told: Story, event: str, of: str = "", nth: int = 1) -> int:
    """The number of that frame: which of two came first."""
    return int(told.all(event, of)[nth - 1]["event"][0])


def when(told: Story, event: str, of: str = "", nth: int = 1) -> float:
    return float(told.all(event, of)[nth - 1]["t"])


def texts(told: Story, event: str) -> list[str]:
    return [frame["event"][3] for frame in told.all(event)]


def test_the_essay_covers_the_scheduler() -> None:
    assert list(SCENARIOS) == [
        "imbalance",
        "steal-half",
        "overflow",
        "tick-61",
        "runnext",
        "inheritance",
        "convoy",
        "handoff",
        "return",
        "netpoller",
        "spinning",
        "timers",
        "deadlock",
        "skynet",
    ]
    assert len({scenario.title for scenario in SCENARIOS.values()}) == len(SCENARIOS)
    assert all(key in variants() for key in ANSWERS)


@pytest.mark.parametrize(("name", "label"), variants())
def test_each_plays_to_its_end(name: str, label: str) -> None:
    told = story(name, label)
    assert told.over == ("deadlock" if name == "deadlock" else "end")
    assert told.frames[-1]["total"] == (3 if name == "deadlock" else 0), "nobody is left but who waits for ever"


@pytest.mark.parametrize("name", SCENARIOS)
def test_marks_are_found_in_the_order_of_the_text(name: str) -> None:
    scenario, told = SCENARIOS[name], story(name)
    marks = [paragraph.until for paragraph in scenario.paragraphs if paragraph.until is not None]
    assert len(marks) == len(scenario.paragraphs), "every paragraph is played"
    found = [told.find(mark) for mark in marks]
    numbers = [frame["event"][0] for frame in found if frame is not None]
    assert len(numbers) == len(marks)
    assert numbers == sorted(set(numbers)), "each goes on where the one before stopped"
    assert scenario.shows is not None
    assert told.find(scenario.shows) is not None


@pytest.mark.parametrize(("name", "label"), ANSWERS)
def test_answers(name: str, label: str) -> None:
    assert SCENARIOS[name].answered(story(name, label)) == ANSWERS[name, label]


def test_every_variant_has_its_answer_checked() -> None:
    assert {*variants()} - {*ANSWERS} == {("timers", "")}, "that one is checked below"


def test_answers_by_whatever_rules() -> None:
    """Whatever the page is set to: a run ends, and its answer is text, or none."""
    chance = random.Random("rules")
    for _ in range(60):
        name = chance.choice([name for name in SCENARIOS if name not in ("skynet", "overflow")])
        changes: dict[str, Any] = {switch: chance.choice(SWITCHES[switch][1] or [True, False]) for switch in chance.sample(sorted(SWITCHES), 3)}
        script = Script(chance.choice([1, 2, 3, 8, 64]), chance.randrange(100), replace(GO, **changes), (), name)
        told = play(script)
        assert told.over == ("deadlock" if name == "deadlock" else "end"), script
        answer = SCENARIOS[name].answered(told)
        assert answer is None or "{" not in answer, script


@pytest.mark.parametrize(("name", "procs", "ring"), [("steal-half", 1, 256), ("overflow", 1, 512), ("return", 4, 256)])
def test_without_what_was_asked_about_there_is_no_answer(name: str, procs: int, ring: int) -> None:
    told = play(Script(procs, 1, replace(GO, ring=ring), (), name))
    assert told.over == "end"
    assert SCENARIOS[name].answered(told) is None


# ---- one after the other: what the run shows, asked in another way than by its facts ----


def test_imbalance() -> None:
    told, alone = story("imbalance"), story("imbalance", "Without stealing")
    started = [frame["p"] for frame in told.all("GO_START", "worker")]
    assert {p: started.count(p) for p in sorted({*started})} == {0: 3, 1: 3, 2: 3, 3: 3}
    assert {frame["p"] for frame in alone.all("GO_START", "worker")} == {0}
    assert alone.end() > 3.9 * told.end()


def test_steal_half() -> None:
    def raids(label: str) -> list[tuple[int, int]]:
        return [(frame["p"], frame["args"][1]) for frame in story("steal-half", label).all("STEAL")]

    assert raids("") == [(1, 4)]
    assert raids("Steal one at a time") == [(1, 1)] * 4, "it comes back again and again"
    everything = raids("Steal all")
    assert everything[0] == (1, 8)
    assert everything[1] == (0, 7), "P0 is a thief itself"


def test_overflow() -> None:
    told = story("overflow")
    assert [len(story("overflow", label).all("GO_CREATE", says="is full")) for label in ("", "A ring of 16", "A ring of 1,024")] == [1, 32, 0]
    full = told.all("GO_CREATE", "worker").index(told.all("GO_CREATE", "worker", "is full")[0]) + 1
    assert full == 256 + 1 + 1
    waits = told.first("GO_BLOCK", "main")
    assert waits is not None
    assert waits["queue"][0] == 128 + 1
    assert texts(told, "REFILL") == ["P0 has nothing in its own queue: it takes its share of the global one, 127 goroutines"]


def test_the_61st_tick() -> None:
    told, never, often = story("tick-61"), story("tick-61", "Never look there first"), story("tick-61", "Every 5th tick")
    assert told.all("GO_START", "polite")[1]["event"][3].startswith("P0 is at tick 61, one of every 61: it looks at the global queue first")
    assert at(never, "GO_START", "polite", 2) > at(never, "GO_END", "busy", 3), "it waits until everybody else has ended"
    assert when(often, "GO_START", "polite", 2) < when(told, "GO_START", "polite", 2) < when(never, "GO_START", "polite", 2)


def test_who_is_next() -> None:
    told, queued = story("runnext"), story("runnext", "Without `next`")
    assert "waits: chan receive" in told.all("GO_BLOCK", "serves")[0]["event"][3], "the server waits for a request"
    assert told.all("GO_START", "serves")[1]["event"][3] == "P0 runs G2 (serves), who was next: with the rest of the slice"
    assert at(told, "GO_END", "asks") < at(told, "GO_START", "worker")
    assert at(queued, "GO_END", "asks") > at(queued, "GO_END", "worker", 3), "the answer waits for the workers"


def test_inheritance() -> None:
    told, own, short = (story("inheritance", label) for label in ("", "No inheritance", "Slices of 2 ms"))
    assert 0.010 < when(told, "GO_START", "worker") < 0.020, "a slice, and at most another until sysmon looks"
    assert at(told, "EXPIRE") == at(told, "GO_START", "worker") - 1
    assert at(own, "GO_START", "worker") > at(own, "GO_END", "ping"), "until the pair is done"
    assert 0.002 < when(short, "GO_START", "worker") < 0.004
    assert len(short.all("EXPIRE")) > len(told.all("EXPIRE")), "more often interrupted"


def test_convoy() -> None:
    told, convoy = story("convoy"), story("convoy", "Without preemption")
    assert at(told, "ASK") < at(told, "GO_STOP", "hog") < at(told, "GO_END", "short", 5) < at(told, "GO_END", "hog")
    assert 0.010 < when(told, "GO_END", "short", 5) < 0.020
    assert not convoy.all("ASK")
    assert not convoy.all("GO_STOP")
    assert at(convoy, "GO_END", "hog") < at(convoy, "GO_START", "short")
    assert when(convoy, "GO_END", "short") > 0.060
    assert told.end() == pytest.approx(convoy.end(), abs=0.0001)


def test_handoff() -> None:
    told = story("handoff")
    begun, taken, seen = told.first("SYSCALL_BEGIN", "reads_file"), told.first("PROC_STEAL"), told.first("BLOCKED")
    assert begun is not None
    assert taken is not None
    assert seen is not None
    assert taken["event"][3] == "sysmon took P0 from M0, where G6 (reads_file) is in a call"
    assert seen["args"][2] == 20_000, "it was there at the look before"
    asks = told.first("SYSCALL_BEGIN", "asks_library")
    assert asks is not None
    following = told.frames[asks["event"][0]]
    assert (following["name"], following["m"], following["t"]) == ("PROC_STOP", asks["m"], asks["t"])
    assert when(told, "GO_END", "worker", 3) < when(told, "SYSCALL_END", "reads_file"), "the others did not wait for the calls"


def test_return() -> None:
    told = story("return")
    back = told.first("SYSCALL_END", "asks_library")
    assert back is not None
    stop, park = told.frames[back["event"][0] : back["event"][0] + 2]
    assert stop["event"][3] == "G5 (asks_library) has lost its P and queues for another: to the tail of the global queue"
    assert (park["name"], park["m"]) == ("M_PARK", back["m"])
    assert when(told, "GO_START", "asks_library", 2) > when(told, "GO_END", "worker", 3), "the global queue is looked at last"


def test_netpoller() -> None:
    told = story("netpoller")
    waits = told.first("M_POLL")
    assert waits is not None
    assert waits["net"] == 6
    assert not told.all("SYSCALL_BEGIN")
    assert not [m for frame in told.frames for m in frame["ms"] if m[1] == "blocked"]
    assert sum(frame["args"][0] for frame in told.all("NETPOLL")) == 6, "each is readied by a look at the network"


def test_spinning() -> None:
    told, sleeps = story("spinning"), story("spinning", "Without stealing")
    thieves = [frame["m"] for frame in told.all("STEAL")]
    begun = [frame["m"] for frame in told.all("M_START")[1:]]
    assert thieves == begun == [1, 2, 3, 4, 5, 6, 7]
    for nth in range(1, 7):  # only who has found something wakes the next one
        assert at(told, "STEAL", nth=nth) < at(told, "M_START", nth=nth + 2)
    assert not sleeps.all("STEAL")
    assert texts(sleeps, "M_PARK")[0] == "M1 found nothing to do and sleeps"
    assert {frame["p"] for frame in sleeps.all("GO_START")} == {0}


def test_timers() -> None:
    told = story("timers")
    woken = [frame["event"][4] for frame in told.all("GO_UNBLOCK", "sleeper")]
    assert woken == [3, 5, 2, 4], "100, 200, 300, 400 ms"
    answer = SCENARIOS["timers"].answered(told)
    assert answer is not None
    assert answer.startswith("G3, G5, G2, G4: by their times, whoever was started first; and ")
    assert answer.endswith(" A thread had to wait for the clock 4 times.")
    slept = {frame["event"][4]: frame["t"] for frame in told.all("GO_BLOCK", "sleeper")}
    for frame, seconds in zip(told.all("GO_UNBLOCK", "sleeper"), (0.1, 0.2, 0.3, 0.4), strict=True):
        late = frame["t"] - slept[frame["event"][4]] - seconds
        assert -1e-9 < late < 0.000_02, "not before its time, and no later than a thread takes to wake up"


@pytest.mark.parametrize("label", ["", "With the global queue only"])
def test_deadlock(label: str) -> None:
    told = story("deadlock", label)
    assert told.frames[-1]["event"][3] == "all goroutines are asleep - deadlock!"
    assert sorted(texts(told, "GO_BLOCK")) == [
        "G1 (main) waits: chan receive",
        "G2 (from A to B) waits: sync.Mutex.Lock",
        "G3 (from B to A) waits: sync.Mutex.Lock",
    ]


def test_a_deadlock_on_one_p_as_well() -> None:
    """It is the order of the locks, not who runs where."""
    told = play(Script(1, 1, GO, (), "deadlock"))
    assert len(told.all("GO_BLOCK", says="Mutex")) == 2


def test_skynet() -> None:
    told, alone, central, depth = (story("skynet", label) for label in ("", "Without stealing", "One central queue", "Newest first"))

    def peak(of: Story) -> int:
        """From who began and who ended."""
        alive = most = 0
        for frame in of.frames:
            alive += (frame["name"] == "GO_CREATE") - (frame["name"] == "GO_END")
            most = max(most, alive)
        return most

    assert {len(of.all("GO_END", "node")) for of in (told, alone, central, depth)} == {341}
    assert sum(frame["args"][1] for frame in told.all("STEAL")) == 131
    assert {frame["p"] for frame in alone.all("GO_START")} == {0}
    assert {frame["p"] for frame in central.all("GO_START")} == {0, 1, 2, 3}
    assert not central.all("STEAL")
    assert central.all("GO_CREATE")[5]["event"][3].endswith("to the tail of the global queue")
    assert [peak(of) for of in (told, alone, central, depth)] == [177, 180, 342, 34]
