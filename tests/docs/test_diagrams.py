"""The pictures of docs/how-it-works.md are of the programs on that page, as they run now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import gosched
from gosched.trace import files
from gosched.trace.replay import Replay
from tests.trace.test_timeline import check_picture

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import diagrams  # noqa: E402

TEXT = diagrams.PAGE.read_text()
PICTURES = diagrams.pictures()
SHOWN = re.findall(r"^!\[([^\]]+)\]\(diagrams/(\w+\.svg)\)$", TEXT, re.MULTILINE)
RECORDED = [name for name, picture in diagrams.PICTURES.items() if picture.recorded]


@pytest.mark.parametrize("name", PICTURES)
def test_it_is_what_the_tool_draws(name: str) -> None:
    assert (diagrams.DIAGRAMS / name).read_text() == PICTURES[name], "run tools/diagrams.py, and look at what has changed"


@pytest.mark.parametrize("name", PICTURES)
def test_it_can_be_read(name: str) -> None:
    check_picture(PICTURES[name])


def test_every_picture_is_shown_once_and_described() -> None:
    assert sorted(name for _, name in SHOWN) == sorted(PICTURES) == sorted(p.name for p in diagrams.DIAGRAMS.glob("*.svg"))
    assert len({words for words, _ in SHOWN}) == len(SHOWN)


def test_every_program_is_drawn() -> None:
    drawn = dict(diagrams.programs())
    assert set(drawn) == set(diagrams.PICTURES)
    assert sorted(set(drawn.values())) == sorted(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", diagrams.PICTURES)
def test_every_number_is_explained(name: str) -> None:
    """In a list below the picture, in the order of the numbers."""
    _, _, below = TEXT.partition(f"(diagrams/{name}.svg)\n")
    below = re.split(r"^(?:## |```|!\[)", below, maxsplit=1, flags=re.MULTILINE)[0]
    listed = re.findall(r"^(\d+)\. ", below, re.MULTILINE)
    discs = re.findall(r'class="paper"[^>]*>(\d+)</text>', PICTURES[f"{name}.svg"])
    assert listed == discs == [str(n) for n in range(1, len(listed) + 1)]


@pytest.mark.parametrize("name", diagrams.PICTURES)
def test_a_program_runs_outside_of_the_laboratory_too(name: str) -> None:
    main, procs = diagrams.loaded(dict(diagrams.programs())[name])
    assert gosched.run(main, gomaxprocs=procs) is None


@pytest.mark.parametrize("name", RECORDED)
def test_a_real_run_is_of_the_program_that_is_shown(name: str) -> None:
    recording = files.read(diagrams.DIAGRAMS / f"{name}.trace")
    assert recording.header.command == diagrams.mark_of(dict(diagrams.programs())[name])
    assert not recording.header.virtual
    assert Replay.of(recording).play().steps > 0


def test_a_program_must_say_its_ps() -> None:
    with pytest.raises(ValueError, match=r"^the last line must be gosched.run\(main, gomaxprocs=n\), not gosched.run\(main\)$"):
        diagrams.loaded("import gosched\n\n\ndef main(): ...\n\n\ngosched.run(main)\n")
