"""Pages that read well on their own, as files, become a site:

borrowed pages   one that is nothing but a link to a Markdown file elsewhere in the repository has that file's text
links            to a file that stands elsewhere lead to the page that has its text; to an example, to its listing. One that is called by the name
                 of its file is called by its title
navigation       the lists of links under the headings of index.md
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from texts import DOCS, EXAMPLES, HOMES, LINK, lender, outside_code, slug, title

README = DOCS.parent / "README.md"
FILE_NAME = re.compile(r"[\w./-]+\.md")
PART = re.compile(r"^## (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^- \[([^]]+)\]\(([^)#]+)\.md\)", re.MULTILINE)


def seen_from(page: Path, origin: Path, text: str) -> str:
    """The text of a file, for a page. A link to what has no page becomes its words."""

    def link(match: re.Match[str]) -> str:
        image, words, target, place = match.groups(default="")
        file = (origin.parent / target).resolve()
        if image or not target or not file.exists():
            return match[0]
        if file.parent == EXAMPLES and file.suffix == ".py":
            file, place = HOMES[EXAMPLES / "README.md"], "#" + slug(file.name)
        file = DOCS / "index.md" if file == README and not place else HOMES.get(file, file)
        if DOCS not in file.parents:
            return words
        if FILE_NAME.fullmatch(words):
            words = title(file)
        where = "" if file == page and place else os.path.relpath(file, page.parent)
        return f"[{words}]({where}{place})"

    return outside_code(text, lambda piece: LINK.sub(link, piece))


def listings() -> Iterator[str]:
    for file in sorted(EXAMPLES.glob("*.py")):
        yield f"\n## {file.name}\n\n```{{literalinclude}} ../examples/{file.name}\n:language: python\n```\n"


def navigation(index: str) -> Iterator[str]:
    """A part for each heading with a list of pages."""
    _, *parts = PART.split(index)
    for caption, text in zip(parts[::2], parts[1::2], strict=True):
        pages = "\n".join(f"{words} <{page}>" for words, page in ENTRY.findall(text))
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n"


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    page = DOCS / f"{docname}.md"
    origin = lender(page)
    text = seen_from(page, origin or page, source[0] if origin is None else origin.read_text())
    if origin == EXAMPLES / "README.md":
        text += "".join(listings())
    if docname == "index":
        text += "".join(navigation(text))
    source[0] = text


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
