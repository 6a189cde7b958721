"""The file format: what is written is read back, and what is damaged is said, not believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gosched.core.events import ARGS, E_BY, E_GO_BLOCK, E_GO_START, E_GO_UNBLOCK, E_LOG, E_M_START, FIRST_M, NAMES, OUTSIDE
from gosched.core.trail import skim
from gosched.trace import files
from gosched.trace.files import MAGIC, Alive, End, Piece, TraceFileError
from gosched.trace.replay import IllegalTrace, Replay
from tests.trace.making import BEGUN, Simulation, Story, begin, header

HEAD = MAGIC + files.encode_header(header())


def parse(data: bytes) -> files.Recording:
    return files.parse(data, "some.trace")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    story = begin()
    story.alive = [Alive(1, "main", "waiting", "chan receive", 0)]
    path = tmp_path / "a.trace"
    path.write_bytes(story.data())
    recording = files.read(path)
    assert recording.header == header()
    assert recording.strings == story.strings
    assert recording.goroutines == story.alive
    assert recording.end == End(story.now + 10, 0, "end", True)
    assert recording.notes == []
    events = [event for piece in recording.pieces for event in files.decode(piece.data)]
    assert sorted(events) == sorted((time, who, kind, args) for time, _, who, kind, args in story.told)


def events_of(kinds: st.SearchStrategy[int], numbers: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, int, tuple[int, ...]]]:
    return kinds.flatmap(lambda kind: st.tuples(st.just(kind), numbers, st.tuples(*[numbers] * len(ARGS[kind]))))


kinds = st.integers(0, len(NAMES) - 1)
events = events_of(kinds.filter(lambda kind: kind != E_BY), st.integers(0, 2**64 - 1))


@given(st.integers(0, 2**64 - 1), st.lists(events))
def test_events_of_any_size(begun: int, told: list[tuple[int, int, tuple[int, ...]]]) -> None:
    body = b"".join(files.encode_event(*event) for event in told)
    piece = parse(HEAD + files.encode_piece(7, begun, OUTSIDE, body)).pieces[0]
    assert piece.trail == 7
    expected, time = [], begun
    for kind, after, args in told:
        time += after
        expected.append((time, OUTSIDE, kind, args))
    assert list(files.decode(piece.data)) == expected


def test_by_says_who_speaks_from_there_on() -> None:
    body = files.encode_event(E_M_START, 0) + files.encode_event(E_BY, 5, [FIRST_M + 300]) + files.encode_event(E_M_START, 1)
    piece = files.PIECE_HEAD.pack(100, FIRST_M) + body
    assert list(files.decode(piece)) == [(100, FIRST_M, E_M_START, ()), (106, FIRST_M + 300, E_M_START, ())]


def test_a_file_that_was_cut_off_is_read_up_to_its_last_whole_record() -> None:
    data = begin().data()
    whole = parse(data)
    for length in range(len(data)):
        if length < len(HEAD):
            with pytest.raises(TraceFileError, match=r"empty|it ends before its header does"):
                parse(data[:length])
            continue
        cut = parse(data[:length])
        assert cut.pieces == whole.pieces[: len(cut.pieces)]
        assert cut.notes[-1] == "not closed: the program was killed, or still runs"
        Replay.of(cut).play()
    assert parse(data[:-1]).notes[0].startswith("cut off in the middle of a record: the last ")


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "some.trace, byte 0: empty"),
        (b"\x89PNG\r\n", "some.trace, byte 0: not a gosched trace: it would begin with b'gosched trace 1\\n'"),
        (b"gosched trace 2\n", "some.trace, byte 14: written in format 2; this gosched reads format 1: use the one that wrote it"),
        (MAGIC[:-1], "some.trace, byte 15: it ends before its header does"),
        (b"gosched trace 01\n", "some.trace, byte 0: not a gosched trace: it would begin with b'gosched trace 1\\n'"),
        (MAGIC, "some.trace, byte 16: it ends before its header does"),
        (MAGIC + files.encode_strings(0, []), "some.trace, byte 16: the header must be the first record"),
        (HEAD + files.encode_header(header()), f"some.trace, byte {len(HEAD)}: a second header"),
        (HEAD + files.encode_record(b"Z", b""), f"some.trace, byte {len(HEAD)}: a record of kind b'Z'; there are H, S, C, G and E"),
        (HEAD + files.encode_strings(3, ["a"]), f"some.trace, byte {len(HEAD) + 9}: strings from number 3 on; the next is 0"),
        (HEAD + files.encode_record(b"S", b"7"), f"some.trace, byte {len(HEAD) + 9}: strings are 7; they must be [number, [strings]]"),
        (HEAD + files.encode_record(b"C", b"abc"), f"some.trace, byte {len(HEAD) + 9}: a piece of 3 bytes; its head alone has 12"),
        (HEAD + files.encode_record(b"G", b"{}"), f"some.trace, byte {len(HEAD) + 9}: the goroutines are {{}}; they must be a list"),
        (HEAD + files.encode_record(b"G", b"[7]"), f"some.trace, byte {len(HEAD) + 9}: Alive is 7; it must be an object"),
        (HEAD + files.encode_end(End(1, 0, "bored", True)), "End.why is 'bored'; it must be one of end, asked, sigquit, deadlock, stall"),
        (HEAD + files.encode_end(End(True, 0, "end", True)), "End.ended is True; it must be int"),
        (HEAD + files.encode_end(End(1, 0, "end", True, ["x"])), "End.cut is ['x']; it must be a list of numbers"),  # type: ignore[list-item]
        (HEAD + files.encode_end(End(1, 0, "end", True, None, 1.5)), "End.read_from is 1.5; it must be int | None"),  # type: ignore[arg-type]
        (HEAD + files.encode_end(End(1, 0, "end", True)) + files.encode_strings(0, []), "a record after the last one (E)"),
        (MAGIC + files.encode_record(b"H", b"{}"), "some.trace, byte 25: Header has no 'gosched'"),
        (MAGIC + files.encode_record(b"H", b"{"), "some.trace, byte 25: no JSON: "),
        (MAGIC + files.encode_record(b"H", b"[" * 100_000), "some.trace, byte 25: no JSON: "),
        (MAGIC + files.encode_record(b"H", b"\xff"), "some.trace, byte 25: no JSON: "),
        (MAGIC + files.encode_header(header(begun=-1)), "some.trace, byte 25: Header.begun is -1; it cannot be negative"),
        (MAGIC + files.encode_header(header(pid="1")), "some.trace, byte 25: Header.pid is '1'; it must be int"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, wrong: str) -> None:
    with pytest.raises(TraceFileError) as caught:
        parse(data)
    assert wrong in str(caught.value)
    assert caught.value.name == "some.trace"


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"\xfa", "byte 12: an event of kind 250; the last that is known is 40, SPIN"),
        (bytes([E_GO_START]), "byte 12: GO_START is cut off by the end of its piece"),
        (bytes([E_GO_START, 0]), "byte 12: GO_START is cut off by the end of its piece"),
        (bytes([E_GO_START, 0, 0x80]), "byte 12: GO_START is cut off by the end of its piece"),
        (bytes([E_M_START, 0, E_GO_UNBLOCK, 0, 1]), "byte 14: GO_UNBLOCK is cut off by the end of its piece"),
        (bytes([E_LOG, 0, 1, 2]), "byte 12: LOG is cut off by the end of its piece"),
        (bytes([E_GO_BLOCK, 0, *[0xFF] * 9, 2]), "byte 12: GO_BLOCK has a number of more than 64 bits"),
        (bytes([E_GO_BLOCK, *[0xFF] * 30]), "byte 12: GO_BLOCK has a number of more than 64 bits"),
    ],
)
def test_what_is_wrong_with_an_event_is_said(body: bytes, wrong: str) -> None:
    with pytest.raises(TraceFileError) as caught:
        list(files.decode(files.PIECE_HEAD.pack(0, 0) + body))
    assert str(caught.value) == f"a piece, {wrong}"


def test_the_place_of_a_bad_event_is_that_in_the_file() -> None:
    data = HEAD + files.encode_piece(0, BEGUN, OUTSIDE, b"\xfa")
    with pytest.raises(TraceFileError, match=f"^some.trace, byte {len(data) - 1:,}: an event of kind 250"):
        Replay.of(parse(data)).play()
    with pytest.raises(TraceFileError, match="a piece of 2 bytes"):
        list(files.decode(b"ab"))


def test_what_a_later_gosched_adds_is_left_out() -> None:
    told = {**json.loads(files.encode_header(header())[9:]), "mood": "good"}
    assert parse(MAGIC + files.encode_record(b"H", json.dumps(told).encode())).header == header()


def test_names_that_no_terminal_takes() -> None:
    recording = parse(HEAD + files.encode_strings(0, ["a\udc80"]) + files.encode_goroutines([Alive(1, "\udfff", "", "", 0)]))
    assert recording.strings == ["a\\udc80"]
    assert recording.goroutines[0].name == "\\udfff"


LEGAL = Simulation(3).run(200).data(piece=20)
FLIGHT = Simulation(3).run(200).data(piece=20, complete=False)


def survives(data: bytes) -> None:
    """It is read and played, or is an error of the two kinds."""
    try:
        for _ in Replay.of(parse(data)).run():
            pass
    except (TraceFileError, IllegalTrace):
        pass


@pytest.mark.slow
@settings(max_examples=300)
@given(st.sampled_from([LEGAL, FLIGHT]), st.lists(st.tuples(st.integers(0, len(LEGAL) - 1), st.integers(0, 7)), min_size=1, max_size=3))
def test_bits_that_flip(data: bytes, flips: list[tuple[int, int]]) -> None:
    damaged = bytearray(data)
    for at, bit in flips:
        damaged[at] ^= 1 << bit
    survives(bytes(damaged))


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_garbage(garbage: bytes) -> None:
    survives(garbage)
    survives(HEAD + garbage)
    survives(HEAD + files.encode_piece(0, BEGUN, FIRST_M, garbage))


@settings(max_examples=50)
@given(st.lists(events, max_size=30), st.booleans())
def test_any_events_are_legal_or_not(told: list[tuple[int, int, tuple[int, ...]]], complete: bool) -> None:
    body = b"".join(files.encode_event(*event) for event in told)
    survives(HEAD + files.encode_piece(0, BEGUN, FIRST_M, body) + files.encode_end(End(1, 0, "end", complete)))


def test_a_piece_without_events() -> None:
    story = Story()
    assert list(Replay.of(story.recording()).run()) == []
    replay = Replay()
    replay.feed(Piece(0, files.PIECE_HEAD.pack(0, 0)))
    assert list(replay.run()) == []


@given(st.integers(0, 2**40), st.integers(0, 9), st.lists(events_of(kinds, st.integers(0, 2**20))), st.integers(0, 400))
def test_what_is_skimmed_is_what_would_be_read(begun: int, who: int, told: list[tuple[int, int, tuple[int, ...]]], least: int) -> None:
    data = b"".join(files.encode_event(*event) for event in told)
    least = min(least, len(data))
    at, time, writer, n = skim(data, begun, who, least)
    assert at >= least
    read = list(files.decode(files.head(begun, who) + data))
    rest = list(files.decode(files.head(time, writer) + data[at:]))
    assert read[n:] == rest
    assert skim(data, begun, who, len(data))[3] == len(read)
