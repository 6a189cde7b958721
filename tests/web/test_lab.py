"""The laboratory's server: what it is asked, what it refuses, and what it promises of its answers. On loopback, in a process of its own."""

from __future__ import annotations

import contextlib
import hashlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from gosched.lab.scenarios import SCENARIOS
from gosched.lab.script import ACTIONS, GOROUTINES
from gosched.policy import Policy
from gosched.web.labapp import LONGEST, MOST
from gosched.web.session import FRAMES, SESSIONS

from .conftest import Page
from .test_guard import read_all


@contextlib.contextmanager
def laboratory() -> Iterator[Page]:
    process = subprocess.Popen([sys.executable, "-m", "gosched", "lab"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield Page(process)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """One for all: what is refused leaves no trace in it."""
    with laboratory() as served:
        yield served


CROWD = {"procs": 4, "seed": 1, "policy": {}, "actions": [{"at": 0, "start": "cpu", "n": 20, "seconds": 0.003}]}
ASKED = f"/frames?script={quote(json.dumps(CROWD))}&first=0&n=10"


def address(script: Any, first: object = 0, n: object = MOST) -> str:
    text = script if isinstance(script, str) else json.dumps(script)
    return f"/frames?script={quote(text, safe='[]')}&first={first}&n={n}"


def ask(page: Page, script: Any, first: int = 0, n: int = MOST) -> dict[str, Any]:
    status, _, text = page.ask(address(script, first, n))
    assert status == 200, text
    found: dict[str, Any] = json.loads(text)
    return found


def whole(page: Page, script: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All frames, and the last answer."""
    frames: list[dict[str, Any]] = []
    while True:
        piece = ask(page, script, len(frames))
        frames += piece["frames"]
        if piece["over"]:
            return frames, piece


def refuses(page: Page, path: str, *words: str) -> None:
    status, headers, text = page.ask(path)
    assert (status, headers["content-type"]) == (400, "text/plain; charset=utf-8"), text
    assert text.endswith("\n")
    assert text.count("\n") == 1
    assert len(text) < 300
    for word in words:
        assert word in text
    assert page.ask(ASKED)[0] == 200  # it lives on


# ---- who may ask ----


@pytest.mark.parametrize("path", ["/", "/lab", "/assets/lab.js", "/nowhere", ASKED])
def test_without_the_token_nothing_is_told(page: Page, path: str) -> None:
    joined = "&" if "?" in path else "?"
    for asked, cookie in ((path, ""), (path, f"gosched_view_{page.port}=wrong"), (f"{path}{joined}token=wrong", "")):
        status, headers, text = page.ask(asked, Cookie=cookie)
        assert (status, "needs the token" in text, "set-cookie" in headers) == (403, True, False)


def test_the_token_opens_the_page(page: Page) -> None:
    status, headers, text = page.ask(f"/?token={page.token}", Cookie="")
    assert status == 200
    assert "<title>gosched lab</title>" in text
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "<script>" not in text  # nor could it run
    assert "style=" not in text


def test_a_foreign_name_is_refused(page: Page) -> None:
    for host in ("evil.example", f"evil.example:{page.port}", f"8.8.8.8:{page.port}", "127.0.0.1:1"):
        status, _, text = page.ask(ASKED, Host=host)
        assert (status, "no other name" in text) == (421, True)


def test_another_site_is_refused(page: Page) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
        status, _, text = page.ask(ASKED, **headers)
        assert (status, "another site" in text) == (403, True)
    assert page.ask(ASKED, Origin=f"http://{page.name}", Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_get(page: Page, method: str) -> None:
    status, headers, text = page.ask("/frames", method, json.dumps(CROWD).encode())
    assert (status, headers["allow"], method in text) == (405, "GET, HEAD", True)


@pytest.mark.parametrize("method", [b"POST", b"GET"])
def test_a_huge_body_is_not_waited_for(page: Page, method: bytes) -> None:
    """It says that a gigabyte follows, and is answered before that comes."""
    head = b"%s %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Length: 1000000000\r\n\r\n{"
    with socket.create_connection((page.host, page.port), 30) as sock:
        sock.sendall(head % (method, ASKED.encode(), page.name.encode(), page.cookie["Cookie"].encode()))
        assert sock.recv(12) == (b"HTTP/1.1 405" if method == b"POST" else b"HTTP/1.1 200")
    assert page.ask(ASKED)[0] == 200


def test_an_address_that_is_too_long(page: Page) -> None:
    status, _, text = page.ask(address("x" * LONGEST))
    assert (status, f"{LONGEST:,} bytes" in text) == (414, True)
    with socket.create_connection((page.host, page.port), 30) as sock:
        sock.sendall(b"GET /frames?script=" + b"x" * 20_000)
        sock.shutdown(socket.SHUT_WR)
        assert read_all(sock).split(b" ")[1] in (b"400", b"431")
    assert page.ask(ASKED)[0] == 200


@pytest.mark.parametrize(
    "path", ["/nowhere", "/assets/", "/assets/none.js", "/assets/..%2flabapp.py", "/assets/%2e%2e/labapp.py", "/frames/1", "/stream"]
)
def test_what_is_not_there_is_not_found(page: Page, path: str) -> None:
    assert page.ask(path)[0] == 404


# ---- what may be asked ----


@pytest.mark.parametrize(
    "text",
    ["", "{", "{'procs': 4}", '{"procs": 4,}', "\x00", '{"procs": 4} {}', "[" * 5_000, '{"procs": ' + "9" * 5_000 + "}", "import os"],
    ids=["nothing", "cut", "quotes", "comma", "null", "two", "deep", "digits", "python"],
)
def test_what_is_no_json(page: Page, text: str) -> None:
    refuses(page, address(text, n=1), "script must be JSON")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([], "a script must be an object, not []"),
        (None, "a script must be an object, not None"),
        ("4", "a script must be an object, not 4"),
        ("NaN", "a script must be an object, not nan"),
        ({"proc": 4}, "a script has no 'proc': it has actions, policy, procs, scenario, seed"),
        ({"procs": 0}, "procs must be a whole number from 1 to 64, not 0"),
        ({"procs": 65}, "procs must be a whole number from 1 to 64, not 65"),
        ({"procs": -1}, "procs must be a whole number from 1 to 64, not -1"),
        ({"procs": 4.0}, "procs must be a whole number"),
        ({"procs": True}, "procs must be a whole number"),
        ({"procs": "4"}, "procs must be a whole number from 1 to 64, not '4'"),
        ({"procs": None}, "procs must be a whole number"),
        ({"procs": 10**400}, "procs must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 2**31 + 1}, "seed must be a whole number"),
        ({"seed": [1]}, "seed must be a whole number"),
        ({"scenario": "no-such"}, "scenario must be one of imbalance, steal-half"),
        ({"scenario": 7}, "scenario must be a name, not 7"),
        ({"scenario": "x" * 5_000}, "scenario must be a name, not 'xxx"),
        ({"scenario": "skynet", "actions": [{"start": "cpu"}]}, "scenario 'skynet' starts its own goroutines"),
        ({"actions": {}}, "actions must be a list of at most 80, not {}"),
        ({"actions": [{"start": "cpu"}] * (ACTIONS + 1)}, "actions must be a list of at most 80"),
        ({"actions": ["cpu"]}, "an action must be an object, not 'cpu'"),
        ({"actions": [{}]}, "start must be one of cpu, hog, ping"),
        ({"actions": [{"start": "fork"}]}, "start must be one of cpu, hog, ping, net, call, syscall, spawner, mutex, sleep, not 'fork'"),
        ({"actions": [{"start": ["cpu"]}]}, "start must be one of"),
        ({"actions": [{"start": "cpu", "code": "1"}]}, "an action has no 'code'"),
        ({"actions": [{"start": "cpu", "n": 0}]}, "n must be a whole number from 1 to 2,000, not 0"),
        ({"actions": [{"start": "cpu", "n": GOROUTINES + 1}]}, "n must be a whole number from 1 to 2,000, not 2001"),
        ({"actions": [{"start": "cpu", "n": 1_001}, {"start": "ping", "n": 500}]}, "actions start 2,001 goroutines; a page shows at most 2,000"),
        ({"actions": [{"start": "spawner", "n": 223}]}, "actions start 2,007 goroutines"),
        ({"actions": [{"start": "cpu", "seconds": -1}]}, "seconds must be a number of seconds from 0 to 10, not -1"),
        ({"actions": [{"start": "cpu", "seconds": 11}]}, "seconds must be a number of seconds from 0 to 10, not 11"),
        ({"actions": [{"start": "cpu", "seconds": "1"}]}, "seconds must be a number of seconds"),
        ({"actions": [{"start": "cpu", "seconds": True}]}, "seconds must be a number of seconds"),
        ({"actions": [{"start": "cpu", "seconds": float("nan")}]}, "seconds must be a number of seconds from 0 to 10, not nan"),
        ({"actions": [{"start": "cpu", "seconds": float("inf")}]}, "seconds must be a number of seconds"),
        ({"actions": [{"start": "cpu", "seconds": 10**400}]}, "seconds must be a number of seconds"),
        ({"actions": [{"start": "cpu", "at": -0.1}]}, "at must be a number of seconds from 0 to 3600"),
        ({"actions": [{"start": "cpu", "at": 3601}]}, "at must be a number of seconds from 0 to 3600"),
        ({"actions": [{"procs": 65}]}, "procs must be a whole number from 1 to 64"),
        ({"actions": [{"procs": 2, "start": "cpu"}]}, "an action with procs has no 'start'"),
        ({"policy": []}, "a policy must be an object"),
        ({"policy": {"steals": False}}, "a policy has no 'steals'"),
        ({"policy": {"place": "lambda g, p, queued: 0"}}, "a policy has no 'place'"),
        ({"policy": {"__class__": {}}}, "a policy has no '__class__'"),
        ({"policy": {"steal": 0}}, "steal must be True or False, not 0"),
        ({"policy": {"steal": "no"}}, "steal must be a number or a switch, not 'no'"),
        ({"policy": {"steal": None}}, "steal must be a number or a switch, not None"),
        ({"policy": {"ring": 3}}, "ring must be a power of two"),
        ({"policy": {"ring": 1 << 20}}, "ring must be from 2 to 65,536"),
        ({"policy": {"ring": 256.0}}, "ring must be an int"),
        ({"policy": {"slice": 0}}, "slice must be seconds, more than 0"),
        ({"policy": {"slice": float("nan")}}, "slice must be seconds, more than 0"),
        ({"policy": {"share": 2}}, "share must be more than 0, up to 1"),
        ({"policy": {"fairness": -1}}, "fairness must be from 0"),
        ({"policy": {"passes": 65}}, "passes must be from 1 to 64"),
    ],
)  # fmt: skip
def test_what_is_no_script(page: Page, script: Any, words: str) -> None:
    refuses(page, address(script, n=1), words)


@pytest.mark.parametrize("depth", range(800, 1_000, 25))
def test_what_is_nested_too_deep_for_repr(page: Page, depth: int) -> None:
    """json reads what repr() cannot write."""
    nested = "[" * depth + "]" * depth
    refuses(page, address(nested, n=1))
    refuses(page, address(f'{{"policy": {{"steal": {nested}}}}}', n=1))
    refuses(page, address(f'{{"actions": [{{"start": {nested}}}]}}', n=1))


@pytest.mark.parametrize("first", ["", "-1", "1.5", "x", "1000001", "9" * 30, "٣", "0x1", "1e3"])
def test_what_is_no_place_to_begin(page: Page, first: str) -> None:
    refuses(page, address(CROWD, quote(first), 1), "first must be a whole number from 0 to 1,000,000")


@pytest.mark.parametrize("n", ["", "0", "-1", str(MOST + 1), "x", "1_0"])
def test_what_is_no_number_of_frames(page: Page, n: str) -> None:
    refuses(page, address(CROWD, 0, n), "n must be a whole number from 1 to 1,000")


def test_nothing_that_is_sent_is_run(page: Page, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    code = f"__import__('pathlib').Path({str(trap)!r}).touch()"
    for script in (
        code,
        {"scenario": code[:40]},
        {"scenario": "__builtins__"},
        {"procs": code},
        {"policy": code},
        {"policy": {"runnext": code}},
        {"policy": {code: True}},
        {"actions": [code]},
        {"actions": [{"start": code}]},
        {"actions": [{"start": "KINDS.__class__"}]},
        {"actions": [{"start": "cpu", "seconds": code}]},
        {"actions": [{"start": "cpu", code: 1}]},
    ):
        refuses(page, address(script, n=1))
    assert not trap.exists()


# ---- what is answered ----


def test_what_there_is_is_told(page: Page) -> None:
    status, headers, text = page.ask("/lab")
    about = json.loads(text)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert [scenario["id"] for scenario in about["scenarios"]] == list(SCENARIOS)
    assert [switch[0] for switch in about["switches"]] == [f.name for f in fields(Policy)]
    assert about["limits"] == {"procs": 64, "actions": ACTIONS, "goroutines": GOROUTINES, "seconds": 10.0}
    for name, _, choices, value in about["switches"]:
        assert isinstance(value, bool) if not choices else value in choices, name


def test_a_run_in_pieces_is_the_run(page: Page) -> None:
    frames, last = whole(page, CROWD)
    assert last["over"] == "idle"
    assert [frame["event"][0] for frame in frames] == list(range(1, len(frames) + 1))
    pieces: list[Any] = []
    while not (piece := ask(page, CROWD, len(pieces), 7))["over"]:
        pieces += piece["frames"]
    assert pieces + piece["frames"] == frames
    assert piece["summary"] == last["summary"]
    assert ask(page, CROWD, 30, 1)["frames"] == [frames[30]]  # back
    assert ask(page, CROWD, 90, 1)["frames"] == [frames[90]]  # and on
    beyond = ask(page, CROWD, 1_000_000, 1)
    assert (beyond["frames"], beyond["over"]) == ([], "idle")


def test_ten_runs_one_hash(page: Page) -> None:
    """In two servers, whatever was played between them."""
    with laboratory() as other:
        hashes = set()
        for i in range(5):
            for served in (page, other):
                hashes.add(hashlib.sha256(served.ask(address({"scenario": "imbalance"}))[2].encode()).hexdigest())
                ask(served, {**CROWD, "seed": i})
        assert len(hashes) == 1
        assert ask(page, {"scenario": "imbalance", "seed": 1})["frames"] != ask(page, {"scenario": "imbalance", "seed": 4})["frames"]


def test_many_sessions_at_once(page: Page) -> None:
    """More than are kept, in turns: each goes on where it stood."""
    scripts = [{**CROWD, "seed": seed} for seed in range(3 * SESSIONS)]
    halves = [ask(page, script, 0, 40)["frames"] for script in scripts]
    for script, half in zip(scripts, halves, strict=True):
        rest = ask(page, script, 40)
        assert rest["over"] == "idle"
        assert half + rest["frames"] == whole(page, script)[0]


def test_an_action_later_on_leaves_what_was_before(page: Page) -> None:
    frames, _ = whole(page, CROWD)
    at = frames[70]["t"]
    longer = {**CROWD, "actions": [*CROWD["actions"], {"at": at, "start": "mutex", "n": 2}, {"at": at + 1, "procs": 2}]}  # type: ignore[misc]
    more, last = whole(page, longer)
    before = [frame["event"] for frame in frames if frame["t"] < at]
    assert len(before) > 40
    assert [frame["event"] for frame in more[: len(before)]] == before
    assert last["over"] == "idle"
    assert sum(frame["name"] == "GO_CREATE" for frame in more) == 1 + 20 + 8
    assert "gomaxprocs is 2" in [frame["event"][3] for frame in more]


@pytest.mark.slow
def test_what_goes_on_too_long_is_cut_off(page: Page) -> None:
    script = {"procs": 64, "actions": [{"start": "hog", "n": GOROUTINES, "seconds": 10}]}
    piece = ask(page, script, FRAMES - 10)
    assert piece["over"] == "cut"
    assert len(piece["frames"]) < 200
    assert page.ask(ASKED)[0] == 200


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_ends_and_answers(page: Page, scenario: str) -> None:
    asked = SCENARIOS[scenario]
    script = {"scenario": scenario, "procs": asked.procs, "policy": asked.policy.changes()}
    frames, last = whole(page, script)
    assert last["over"] == ("deadlock" if scenario == "deadlock" else "end")
    assert last["answer"]
    assert "{" not in last["answer"]
    for mark in [p.until for p in asked.paragraphs if p.until] + ([asked.shows] if asked.shows else []):
        assert mark.event in {frame["name"] for frame in frames}


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"procs": 64}, {"procs": 1, "policy": {"central": True}}, {"policy": {"steal": False}}])
def test_a_question_by_other_rules(page: Page, change: dict[str, Any]) -> None:
    """The answer is what happened, or that what was asked about did not."""
    for scenario, asked in SCENARIOS.items():
        _, last = whole(page, {"scenario": scenario, "procs": asked.procs, **change})
        assert last["over"] in ("end", "deadlock")
        assert last["answer"] is None or (last["answer"] and "{" not in last["answer"])


def test_the_end(page: Page) -> None:
    """Ctrl-C, with runs that have not ended. Until then nothing was amiss: goroutines left the server's own contexts alone."""
    with laboratory() as served:
        ask(served, CROWD, 0, 40)
        ask(served, CROWD, 40, 10)
        served.process.send_signal(signal.SIGINT)
        assert (served.end(), served.process.returncode) == ("", 0)
