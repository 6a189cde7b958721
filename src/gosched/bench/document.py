"""A report's parts, written as Markdown or as one HTML page that needs nothing else. Words may have **bold** and `code` in them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gosched.lab.report import STYLE


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Words:
    text: str


@dataclass(frozen=True)
class Points:
    items: list[str]


@dataclass(frozen=True)
class Grid:
    """A table. The first `left` columns are words, all others numbers."""

    heads: list[str]
    lines: list[list[str]]
    left: int


@dataclass(frozen=True)
class Picture:
    name: str
    """Of its file, without .svg."""
    alt: str
    svg: str
    """For the page: without a background, in the page's own colour of ink."""
    file: str
    """The same to be looked at alone."""


@dataclass(frozen=True)
class Pictures:
    """Side by side where there is room."""

    items: list[Picture]


# What is longer stands in a cell as a sentence.
SHORT = 30

Part = Heading | Words | Points | Grid | Pictures

MORE_STYLE = """
td,th,td:nth-child(3),th:nth-child(3){text-align:right}td:first-child,th:first-child,.left2 :is(td,th):nth-child(2){text-align:left}
td.words{white-space:normal;min-width:11em;max-width:16em}td strong{color:#b3261e}li{margin:.15em 0}code{font:.95em ui-monospace,monospace}
.side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:1em;align-items:start;max-width:1240px}
figure{margin:0}figure svg{display:block;width:100%;height:auto;max-width:620px}
@media(max-width:600px){body{margin-top:1em}th,td{padding:.25em .45em}}
@media(prefers-color-scheme:dark){td strong{color:#ff8a80}}
"""


def markdown(parts: Iterable[Part]) -> str:
    return "\n".join(line for part in parts for line in (*markdown_lines(part), ""))


def markdown_lines(part: Part) -> list[str]:
    match part:
        case Heading(level, text):
            return [f"{'#' * level} {text}"]
        case Words(text):
            return [text]
        case Points(items):
            return [f"- {item}" for item in items]
        case Grid(heads, lines, left):
            ruler = ["---"] * left + ["--:"] * (len(heads) - left)
            return [f"| {' | '.join(heads)} |", f"|{'|'.join(ruler)}|", *(f"| {' | '.join(line)} |" for line in lines)]
        case Pictures(items):
            return [f"![{picture.alt}]({picture.name}.svg)" for picture in items]


def page(title: str, parts: Iterable[Part]) -> str:
    """Well-formed as XML, too, so that it can be checked as such."""
    body = "\n".join(html_of(part) for part in parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{html.escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def html_of(part: Part) -> str:
    match part:
        case Heading(level, text):
            return f"<h{level}>{inline(text)}</h{level}>"
        case Words(text):
            return f"<p>{inline(text)}</p>"
        case Points(items):
            return f"<ul>{''.join(f'<li>{inline(item)}</li>' for item in items)}</ul>"
        case Grid(heads, lines, left):
            head = "".join(f'<th scope="col">{inline(text)}</th>' for text in heads)
            body = "".join(f"<tr>{''.join(map(html_cell, line))}</tr>\n" for line in lines)
            return f'<div class="wide left{left}"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'
        case Pictures(items):
            return f'<div class="side">{"".join(f"<figure>{picture.svg}</figure>" for picture in items)}</div>'


def html_cell(text: str) -> str:
    """A sentence in the place of a number may take several lines."""
    kind = ' class="words"' if len(text) > SHORT else ""
    return f"<td{kind}>{inline(text)}</td>"


def inline(text: str) -> str:
    escaped = html.escape(text, quote=False)
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", bold)
