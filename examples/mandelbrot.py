"""The Mandelbrot set, a goroutine for each line. They are plain functions, and spread over all cores by work stealing on a free-threaded Python; with
a GIL they take turns.

python examples/mandelbrot.py 72
"""

from __future__ import annotations

import sys

from gosched import Chan, go, run
from progress import follow

SHADES = " .:-=+*#%@"
LIMIT = 200


def steps(a: float, b: float) -> int:
    """How long z² + a + bi stays near, LIMIT if it seems to do so forever."""
    x = y = 0.0
    for n in range(LIMIT):
        if x * x + y * y > 4:
            return n
        x, y = x * x - y * y + a, 2 * x * y + b
    return LIMIT


def shade(n: int) -> str:
    return SHADES[-1] if n == LIMIT else SHADES[min(n // 2, len(SHADES) - 2)]


def draw(lines: list[str], y: int, width: int, done: Chan[int]) -> None:
    b = 1.2 - 2.4 * y / (len(lines) - 1)
    lines[y] = "".join(shade(steps(-2.1 + 2.8 * x / (width - 1), b)) for x in range(width)).rstrip()
    done.send(1)


def main(width: int) -> None:
    height = max(width // 3, 2)
    lines, done = [""] * height, Chan[int](height)
    for y in range(height):
        go(draw, lines, y, width, done)
    follow("drawing", done, height)
    print(*lines, sep="\n")


if __name__ == "__main__":
    run(main, max(int(sys.argv[1]), 2) if len(sys.argv) > 1 else 72)
