"""Five philosophers at a round table, a fork between any two of them; who eats needs both.

python examples/dining_philosophers.py              takes the forks in the same order everywhere, and all get their dinner
python examples/dining_philosophers.py --naive      takes the left one first: all wait for their neighbour, and the deadlock is reported
"""

from __future__ import annotations

import sys

from gosched import DeadlockError, Mutex, WaitGroup, ayield_now, run

NAMES = ["Aristotle", "Kant", "Spinoza", "Marx", "Russell"]
MEALS = 3


async def dine(name: str, first: Mutex, second: Mutex, eaten: dict[str, int]) -> None:
    for _ in range(MEALS):
        async with first, second:
            eaten[name] += 1
        await ayield_now()  # thinks


async def dine_naively(left: Mutex, right: Mutex, seated: WaitGroup) -> None:
    async with left:
        seated.done()
        await seated  # the moment that comes once in a million dinners: everybody has a left fork
        async with right:
            print("nobody gets here")


async def main(naive: bool) -> None:
    forks = [Mutex() for _ in NAMES]
    eaten = dict.fromkeys(NAMES, 0)
    dinner, seated = WaitGroup(), WaitGroup()
    seated.add(len(NAMES))
    for i, name in enumerate(NAMES):
        left, right = i, (i + 1) % len(NAMES)
        if naive:
            dinner.go(dine_naively, forks[left], forks[right], seated)
        else:
            dinner.go(dine, name, forks[min(left, right)], forks[max(left, right)], eaten)
    await dinner
    for name, meals in eaten.items():
        print(f"{name} has eaten {meals} times")


if __name__ == "__main__":
    try:
        run(main, "--naive" in sys.argv)
    except DeadlockError as error:
        print(str(error).splitlines()[0])
