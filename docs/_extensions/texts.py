"""Markdown files of the repository: their links, their titles, and which page of the site has their text. Needs no Sphinx: the tests use it, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
EXAMPLES = ROOT / "examples"

BORROWED = re.compile(r"\[[^]]+\]\((\.\./[^)]+\.md)\)\s*")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
# An image has a mark in front. Where it leads, and the place there.
LINK = re.compile(r"(!?)\[([^]]+)\]\(([^)\s#]*)(#[^)\s]*)?\)")
CODE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def lender(page: Path) -> Path | None:
    """The file whose text the page has: one that is nothing but a link to a file outside of docs/ borrows that file's."""
    link = BORROWED.fullmatch(page.read_text())
    return None if link is None else (page.parent / link[1]).resolve()


# Where the text of a file stands that is not itself a page.
HOMES = {origin: page for page in DOCS.glob("*.md") if (origin := lender(page)) is not None}


def outside_code(text: str, change: Callable[[str], str]) -> str:
    pieces = CODE.split(text)
    pieces[::2] = map(change, pieces[::2])
    return "".join(pieces)


def links(text: str) -> list[tuple[str, str]]:
    """Where those lead that stand outside of code: the file and the place in it, either may be empty."""
    return [(target, place) for _, _, target, place in LINK.findall(CODE.sub("`…`", text)) if "://" not in target]


def title(page: Path) -> str:
    heading = TITLE.search((lender(page) or page).read_text())
    assert heading is not None, f"{page} has no heading"
    return heading[1]


def slug(heading: str) -> str:
    """What a link to a heading says, on GitHub and on the site."""
    return re.sub(r"[^\w\- ]", "", LINK.sub(r"\2", heading).lower()).replace(" ", "-")


def places(text: str) -> set[str]:
    """What links to this text may say."""
    seen: dict[str, int] = {}
    found = set()
    for heading in HEADING.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)):
        name = slug(heading)
        number = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{number}" if number else name)
    return found
