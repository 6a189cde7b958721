"""The concurrency chapter of A Tour of Go, page by page: https://go.dev/tour/concurrency

It runs in virtual time: the programs sleep as those of the tour do, and nobody waits for them.

python examples/tour.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from gosched import Chan, Mutex, SendChan, Ticker, WaitGroup, after, aselect, asleep, default, go
from gosched.testing import virtual_run

# ---- goroutines ----


async def say(word: str) -> None:
    for _ in range(3):
        await asleep(0.1)
        print(word)


async def goroutines() -> None:
    go(say, "world")
    await asleep(0.05)
    await say("hello")


# ---- channels ----


async def add(numbers: Sequence[int], ch: SendChan[int]) -> None:
    await ch.asend(sum(numbers))


async def channels() -> None:
    numbers = [7, 2, 8, -9, 4, 0]
    ch = Chan[int]()
    go(add, numbers[:3], ch)
    go(add, numbers[3:], ch)
    x, y = await ch.arecv(), await ch.arecv()
    print(min(x, y), max(x, y), x + y)


async def buffered_channels() -> None:
    ch = Chan[int](2)
    await ch.asend(1)
    await ch.asend(2)  # nobody receives yet, and it does not wait
    print(await ch.arecv(), await ch.arecv())


# ---- range and close ----


async def fibonacci(n: int, ch: Chan[int]) -> None:
    x, y = 0, 1
    for _ in range(n):
        await ch.asend(x)
        x, y = y, x + y
    ch.close()


async def range_and_close() -> None:
    ch = Chan[int](10)
    go(fibonacci, ch.capacity, ch)
    print(*[n async for n in ch])


# ---- select ----


async def endless_fibonacci(ch: Chan[int], stop: Chan[None]) -> None:
    x, y = 0, 1
    while True:
        match await aselect((ch.send, x), stop.recv):
            case 0, _:
                x, y = y, x + y
            case _:
                print("quit")
                return


async def select() -> None:
    ch, stop = Chan[int](), Chan[None]()

    async def receive() -> None:
        print(*[await ch.arecv() for _ in range(10)])
        await stop.asend(None)

    go(receive)
    await endless_fibonacci(ch, stop)


async def default_selection() -> None:
    boom = after(0.45)
    with Ticker(0.1) as tick:
        while True:
            match await aselect(tick.c.recv, boom.recv, default):
                case 0, _:
                    print("tick")
                case 1, _:
                    print("BOOM!")
                    return
                case _:
                    await asleep(0.05)


# ---- exercise: equivalent binary trees ----


@dataclass
class Tree:
    value: int
    left: Tree | None = None
    right: Tree | None = None


def new_tree(k: int, seed: int) -> Tree:
    """k, 2k, …, 10k, in a shape that the seed decides."""
    first, *values = Random(seed).sample(range(k, 11 * k, k), 10)
    tree = Tree(first)
    for value in values:
        insert(tree, value)
    return tree


def insert(tree: Tree | None, value: int) -> Tree:
    if tree is None:
        return Tree(value)
    if value < tree.value:
        tree.left = insert(tree.left, value)
    else:
        tree.right = insert(tree.right, value)
    return tree


async def walk(tree: Tree | None, ch: SendChan[int]) -> None:
    if tree is not None:
        await walk(tree.left, ch)
        await ch.asend(tree.value)
        await walk(tree.right, ch)


def walked(tree: Tree) -> Chan[int]:
    """The values, from left to right."""
    ch = Chan[int]()

    async def walker() -> None:
        await walk(tree, ch)
        ch.close()

    go(walker)
    return ch


async def same(a: Tree, b: Tree) -> bool:
    first, second = walked(a), walked(b)
    while True:
        x, y = await first.arecv_ok(), await second.arecv_ok()
        if x != y or not x[1]:
            return x == y


async def equivalent_binary_trees() -> None:
    print(*[n async for n in walked(new_tree(1, seed=0))])
    print(await same(new_tree(1, seed=1), new_tree(1, seed=2)), await same(new_tree(1, seed=1), new_tree(2, seed=1)))


# ---- sync.Mutex ----


class SafeCounter:
    def __init__(self) -> None:
        self._mutex = Mutex()
        self._counts: dict[str, int] = {}

    async def increase(self, key: str) -> None:
        async with self._mutex:
            self._counts[key] = self._counts.get(key, 0) + 1

    async def value(self, key: str) -> int:
        async with self._mutex:
            return self._counts[key]


async def mutex() -> None:
    counter, wg = SafeCounter(), WaitGroup()
    for _ in range(1000):
        wg.go(counter.increase, "somekey")
    await wg
    print(await counter.value("somekey"))


# ---- exercise: web crawler ----

WEB = {
    "https://golang.org/": ("The Go Programming Language", ["https://golang.org/pkg/", "https://golang.org/cmd/"]),
    "https://golang.org/pkg/": (
        "Packages",
        ["https://golang.org/", "https://golang.org/cmd/", "https://golang.org/pkg/fmt/", "https://golang.org/pkg/os/"],
    ),
    "https://golang.org/pkg/fmt/": ("Package fmt", ["https://golang.org/", "https://golang.org/pkg/"]),
    "https://golang.org/pkg/os/": ("Package os", ["https://golang.org/", "https://golang.org/pkg/"]),
}


class Crawler:
    """In parallel, and no page twice."""

    def __init__(self) -> None:
        self._mutex = Mutex()
        self._seen: set[str] = set()
        self.found: list[str] = []

    async def crawl(self, url: str, depth: int) -> None:
        async with self._mutex:
            if depth == 0 or url in self._seen:
                return
            self._seen.add(url)
        await asleep(0.1)  # fetches
        if url not in WEB:
            self.found.append(f"not found: {url}")
            return
        title, links = WEB[url]
        self.found.append(f"found: {url} {title!r}")
        wg = WaitGroup()
        for link in links:
            wg.go(self.crawl, link, depth - 1)
        await wg


async def web_crawler() -> None:
    crawler = Crawler()
    await crawler.crawl("https://golang.org/", 4)
    print(*sorted(crawler.found), sep="\n")


PAGES = [goroutines, channels, buffered_channels, range_and_close, select, default_selection, equivalent_binary_trees, mutex, web_crawler]


async def main() -> None:
    for page in PAGES:
        print(f"--- {page.__name__.replace('_', ' ')}")
        await page()


if __name__ == "__main__":
    virtual_run(main)
