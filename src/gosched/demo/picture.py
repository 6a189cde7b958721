"""The page: what came out, act by act, in one file that needs nothing else. Colours and type are those of the live page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from gosched.demo.outcome import Chart, Figure, Outcome
from gosched.demo.track import Stretch, Track
from gosched.trace.units import span

STYLE = """
:root { color-scheme: light dark;
  --ink: #1b2430; --soft: #5a6675; --line: #dfe4ea; --paper: #f4f6f8; --card: #fff; --sunk: #e9edf1;
  --ours: #0072b2; --theirs: #98a3b0; --moved: #d98300; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ef; --soft: #a0acba; --line: #2a323d; --paper: #10141a; --card: #181e26; --sunk: #10151c;
    --ours: #4fa9e0; --theirs: #66717f; --moved: #f0b336; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 18px 40px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 24px; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 17px; margin: 0 0 2px; }
h3 { font-size: 12px; margin: 16px 0 4px; color: var(--soft); font-weight: 600; }
p { margin: 0; color: var(--soft); }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 14px; margin-top: 20px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.wide { grid-column: 1 / -1; }
.figures { display: flex; flex-wrap: wrap; gap: 10px 26px; margin: 12px 0 0; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; max-width: 170px; }
.figures dd { margin: 0; font-size: 23px; font-weight: 650; line-height: 1.2; letter-spacing: -.01em; }
.figures dt { color: var(--soft); font-size: 12.5px; line-height: 1.35; }
.row { display: grid; grid-template-columns: 5.2em 1fr 6em; gap: 8px; align-items: center; font-size: 13px; margin: 3px 0; }
.row b { font-weight: 400; text-align: right; }
.rail { background: var(--sunk); border-radius: 3px; height: 14px; }
.fill { display: block; height: 14px; min-width: 2px; border-radius: 3px; background: var(--theirs); }
.ours { background: var(--ours); }
.lane { display: grid; grid-template-columns: 2.2em 1fr; gap: 8px; align-items: center; font-size: 13px; margin: 4px 0; }
.lane svg { display: block; width: 100%; height: 26px; background: var(--sunk); border-radius: 3px; }
rect { fill: var(--ours); stroke: var(--card); stroke-width: 1px; vector-effect: non-scaling-stroke; }
rect.moved { fill: var(--moved); }
.axis { display: flex; justify-content: space-between; margin-left: calc(2.2em + 8px); font-size: 12px; color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 8px; font-size: 12.5px; color: var(--soft); }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 6px; background: var(--ours); }
.legend i.moved { background: var(--moved); }
.texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 12px; margin-top: 14px; }
pre { margin: 0; padding: 12px 14px; background: var(--sunk); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4;
  font: 12px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
"""


@dataclass(frozen=True)
class Scene:
    """An act that has been played."""

    number: int
    title: str
    about: str
    outcome: Outcome


def page(scenes: Sequence[Scene], about: str, when: str) -> str:
    """It is XML, too, so that a parser can tell whether it is whole."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>gosched demo</title><style>{STYLE}</style></head><body>"
        f"<header><h1>gosched demo</h1><p>{escape(about)} · {escape(when)} · every figure was measured in this run</p></header>\n"
        f"<main>{''.join(map(section, scenes))}</main></body></html>\n"
    )


def section(scene: Scene) -> str:
    outcome = scene.outcome
    told, texts, charts = outcome.track(), outcome.texts(), outcome.charts()
    parts = [
        f"<h2>{scene.number}. {escape(scene.title)}</h2><p>{escape(scene.about)}</p>",
        figures(outcome.figures()),
        *map(chart, charts),
        "" if told is None else lanes(told),
        f'<div class="texts">{"".join(f"<pre>{escape(text)}</pre>" for text in texts)}</div>' if texts else "",
    ]
    wide = "" if charts and told is None else ' class="wide"'
    return f"<section{wide}>{''.join(parts)}</section>\n"


def figures(shown: Iterable[Figure]) -> str:
    tiles = "".join(f"<div><dt>{escape(figure.label)}</dt><dd>{escape(figure.value)}</dd></div>" for figure in shown)
    return f'<dl class="figures">{tiles}</dl>'


def chart(shown: Chart) -> str:
    most = max(0.0, *(bar.value for bar in shown.bars)) or 1
    rows = "".join(
        f'<div class="row"><span>{escape(bar.name)}</span><span class="rail"><span class="fill{" ours" * bar.ours}" '
        f'style="width:{max(0, 100 * bar.value / most):.2f}%"></span></span><b>{escape(bar.words)}</b></div>'
        for bar in shown.bars
    )
    return f"<h3>{escape(shown.title)}</h3>{rows}"


def lanes(told: Track) -> str:
    """A lane for each P, from left to right in time."""
    rows = "".join(lane(told, p) for p in range(told.procs))
    return (
        f"<h3>who ran when, from a trace of this run</h3>{rows}"
        f'<div class="axis"><span>0</span><span>{span(told.length)}</span></div>'
        '<div class="legend"><span><i></i>on the P where it was started</span><span><i class="moved"></i>on another P</span></div>'
    )


def lane(told: Track, p: int) -> str:
    mine = [stretch for stretch in told.stretches if stretch.p == p]
    blocks = "".join(block(stretch, told.length) for stretch in mine)
    said = f"P{p} ran goroutines for {span(sum(stretch.end - stretch.begin for stretch in mine))}"
    drawing = f'<svg viewBox="0 0 1000 26" preserveAspectRatio="none" role="img" aria-label="{said}">{blocks}</svg>'
    return f'<div class="lane"><span>P{p}</span>{drawing}</div>'


def block(stretch: Stretch, length: int) -> str:
    x, width = 1000 * stretch.begin / length, 1000 * (stretch.end - stretch.begin) / length
    moved = ' class="moved"' if stretch.moved else ""
    return (
        f'<rect{moved} x="{x:.2f}" y="0" width="{max(width, 0.5):.2f}" height="26">'
        f"<title>goroutine {stretch.g}, {span(stretch.end - stretch.begin)}</title></rect>"
    )
