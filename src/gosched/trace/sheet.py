"""A sheet to draw on, as SVG: boxes, lines, words, and the looks that they can have.

Colours are those of Paul Tol's "light" scheme, which colour-blind people can tell apart, and which carry dark words; they are the same on light and
on dark paper. All else follows what the reader prefers, by a media query, and the sheet has its own paper, so it is readable wherever it is put.
Nothing here depends on fonts: how wide words are is estimated, on the safe side. The same drawing is the same text, on every Python.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

# Of goroutines, in turn; the first is main's.
COLOURS = ("#dddddd", "#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33")
# As parts of its size, a letter of a sans-serif font is about so wide, a bold one, and one of a fixed pitch font exactly.
WIDE, BOLD, FIXED = 0.56, 0.64, 0.602
# name: on light paper, on dark paper.
LOOKS = {
    "paper": ("fill:#ffffff", "fill:#0d1117"),
    "band": ("fill:#f3f5f8", "fill:#161c24"),
    "rule": ("stroke:#d5dae1", "stroke:#2c343f"),
    "ink": ("fill:#1f2328", "fill:#e6edf3"),
    "soft": ("fill:#59636e", "fill:#9aa4b0"),
    "halo": ("paint-order:stroke;stroke:#f3f5f8;stroke-width:3px", "paint-order:stroke;stroke:#161c24;stroke-width:3px"),
    "held": ("fill:#dfe4ea", "fill:#2f3844"),
    "quiet": ("fill:none;stroke:#aab2bd", "fill:none;stroke:#586272"),
    "pen": ("fill:none;stroke:#1f2328", "fill:none;stroke:#e6edf3"),
    "wake": ("fill:none;stroke:#0060a8", "fill:none;stroke:#6cb6ff"),
    "wakehead": ("fill:#0060a8", "fill:#6cb6ff"),
    "rob": ("fill:none;stroke:#b8420f", "fill:none;stroke:#ffa066"),
    "robhead": ("fill:#b8420f", "fill:#ffa066"),
    "act": ("fill:none;stroke:#6e4b9e", "fill:none;stroke:#c9a8ff"),
    "acthead": ("fill:#6e4b9e", "fill:#c9a8ff"),
}
SAME = {
    "on": "fill:#14181d",
    "edge": "stroke:#14181d;stroke-opacity:.45;stroke-width:.8",
    "bare": "fill-opacity:.5;stroke:#14181d;stroke-opacity:.7;stroke-width:1;stroke-dasharray:3 2",
    "hatch": "fill:url(#hatch)",
    "seek": "fill:url(#seek)",
    **{f"c{i}": f"fill:{colour}" for i, colour in enumerate(COLOURS)},
}
SANS, MONO = "system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif", "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
HEADS = ("wake", "rob", "act")


def style() -> str:
    light = "".join(f".{name}{{{look}}}" for name, (look, _) in LOOKS.items())
    dark = "".join(f".{name}{{{look}}}" for name, (_, look) in LOOKS.items())
    same = "".join(f".{name}{{{look}}}" for name, look in SAME.items())
    return f"text{{font-family:{SANS}}}.code{{font-family:{MONO}}}{same}{light}@media(prefers-color-scheme:dark){{{dark}}}"


def defs() -> str:
    hatch = '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    hatch += '<path d="M0 3H6" stroke="#14181d" stroke-opacity=".33" stroke-width="2.2"/></pattern>'
    hatch += hatch.replace('"hatch"', '"seek"').replace("#14181d", "#808890").replace(".33", ".9")
    head = '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
    head += '<path class="{0}head" d="M0 0.6L8 4L0 7.4z"/></marker>'
    pen = head.format("pen").replace("penhead", "ink")
    return f"<defs>{hatch}{''.join(head.format(name) for name in HEADS)}{pen}</defs>"


def width_of(words: str, size: float, code: bool = False, bold: bool = False) -> float:
    return len(words) * size * (FIXED if code else BOLD if bold else WIDE)


def clipped(words: str, size: float, room: float) -> str:
    """Of bold words, what there is room for."""
    most = int(room / (size * BOLD))
    return words if len(words) <= most else f"{words[: most - 1]}…"


def plain(words: str) -> str:
    """As XML can have it: names come from traces, and a trace may come from anybody."""
    return escape("".join(letter if letter.isprintable() else "?" for letter in words))


def fit(number: float) -> str:
    """A coordinate: to a tenth, and no longer than it has to be."""
    text = f"{number:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


class Sheet:
    """So wide; how high it is is said at the end."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.parts: list[str] = []

    def text(self, x: float, y: float, words: str, look: str = "ink", size: float = 12, anchor: str = "start", bold: bool = False) -> None:
        """`y`: of the line that letters stand on. `look`: classes; with `code`, of fixed pitch."""
        more = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more += ' font-weight="600"' if bold else ""
        self.parts.append(f'<text x="{fit(x)}" y="{fit(y)}" class="{look}" font-size="{fit(size)}"{more}>{plain(words)}</text>')

    def box(self, x: float, y: float, width: float, height: float, look: str, corner: float = 0, says: str = "") -> None:
        """`says`: to who points at it."""
        corners = f' rx="{fit(corner)}"' if corner else ""
        ends = f"><title>{plain(says)}</title></rect>" if says else "/>"
        self.parts.append(f'<rect x="{fit(x)}" y="{fit(y)}" width="{fit(width)}" height="{fit(height)}"{corners} class="{look}"{ends}')

    def path(self, d: str, look: str, width: float = 1, dash: str = "", head: str = "") -> None:
        """`head`: of an arrow."""
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' marker-end="url(#{head})"' if head else ""
        self.parts.append(f'<path d="{d}" class="{look}" stroke-width="{fit(width)}"{more}/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, look: str, width: float = 1, dash: str = "", head: str = "") -> None:
        self.path(f"M{fit(x)} {fit(y)}L{fit(to_x)} {fit(to_y)}", look, width, dash, head)

    def circle(self, x: float, y: float, radius: float, look: str, width: float = 1) -> None:
        self.parts.append(f'<circle cx="{fit(x)}" cy="{fit(y)}" r="{fit(radius)}" class="{look}" stroke-width="{fit(width)}"/>')

    def note(self, x: float, y: float, number: int) -> None:
        """A number in a disc: the text beside the drawing says more."""
        self.circle(x, y, 8, "ink")
        self.text(x, y + 3.8, str(number), "paper", 10.5, "middle", bold=True)

    def svg(self, height: float, title: str) -> str:
        """The whole, with its paper."""
        title = plain(title)
        size = f'width="{fit(self.width)}" height="{fit(height)}" viewBox="0 0 {fit(self.width)} {fit(height)}"'
        begin = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title">'
        paper = f'<rect width="{fit(self.width)}" height="{fit(height)}" rx="8" class="paper"/>'
        return "\n".join([begin, f'<title id="title">{title}</title>', f"<style>{style()}</style>", defs(), paper, *self.parts, "</svg>", ""])
