"""The live page beside many goroutines: script time per update in the browser, and what a look costs the program. `python -m gosched.bench.view [N]`.

The bar is 8 ms of script (median) at ten updates a second with 10,000 goroutines. Needs chromium and requirements/test.txt.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys

from playwright.sync_api import sync_playwright

BAR = 8.0
UPDATES = 100
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PROGRAM = """
import sys, gosched

async def waits(ch):
    await ch.arecv()

async def works():
    while True:
        for _ in range(20):
            await gosched.ayield_now()
        await gosched.asleep(0.01)

async def main():
    ch = gosched.Chan()
    for _ in range(int(sys.argv[1])):
        gosched.go(waits, ch)
    for _ in range(50):
        gosched.go(works)
    gosched.blocking(sys.stdin.readline)

gosched.run(main, gomaxprocs=2, view=True)
"""


def main() -> int:
    """Status 1: the bar was missed."""
    n = sys.argv[1] if len(sys.argv) > 1 else "10000"
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, n], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stderr is not None
    found = re.search(r"http\S+", program.stderr.readline())
    assert found is not None
    try:
        times, costs, seconds = measure(found[0])
    finally:
        program.communicate("\n")
    median, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{n} goroutines, {len(times)} updates in {seconds:.1f} s ({len(times) / seconds:.1f} a second)")
    print(f"  script per update  median {median:.2f} ms, p95 {p95:.2f} ms (bar {BAR:g} ms)")
    print(f"  look, in the program  median {statistics.median(costs):.2f} ms")
    return 0 if median <= BAR else 1


def measure(url: str) -> tuple[list[float], list[float], float]:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        page.wait_for_function("() => goschedView.updates > 20", timeout=120_000)
        page.evaluate("goschedView.times.length = 0")
        start = page.evaluate("performance.now()")
        page.wait_for_function(f"() => goschedView.times.length >= {UPDATES}", timeout=120_000)
        seconds = (page.evaluate("performance.now()") - start) / 1e3
        times = page.evaluate("goschedView.times")
        costs = page.evaluate("goschedView.store.segments.flatMap(s => s.frames.map(f => f.cost))")
        browser.close()
    return times, costs, seconds


if __name__ == "__main__":
    sys.exit(main())
