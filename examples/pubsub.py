"""Publish and subscribe: who subscribes to a topic gets a channel, and reads it at leisure. A subscriber with a full buffer slows the publisher down,
and loses nothing.

python examples/pubsub.py
"""

from __future__ import annotations

from collections import defaultdict

from gosched import Chan, Group, RecvChan, RWMutex, run


class Broker:
    def __init__(self) -> None:
        self._lock = RWMutex()
        self._topics: defaultdict[str, list[Chan[str]]] = defaultdict(list)

    async def subscribe(self, *topics: str, room: int = 1) -> RecvChan[str]:
        """One channel for all of these topics. It closes when the broker does."""
        ch = Chan[str](room)
        async with self._lock:
            for topic in topics:
                self._topics[topic].append(ch)
        return ch

    async def publish(self, topic: str, text: str) -> None:
        async with self._lock.reader():
            for ch in self._topics.get(topic, ()):
                await ch.asend(f"{topic}: {text}")

    async def close(self) -> None:
        async with self._lock:
            for ch in {ch for channels in self._topics.values() for ch in channels}:
                ch.close()


async def listen(messages: RecvChan[str]) -> list[str]:
    return [message async for message in messages]


async def main() -> None:
    broker = Broker()
    interests = {"Ann": ["news", "sport"], "Bob": ["sport"], "Eve": ["weather"]}
    async with Group() as group:
        heard = {name: group.go(listen, await broker.subscribe(*topics)) for name, topics in interests.items()}
        await broker.publish("news", "goroutines are cheap")
        await broker.publish("sport", "five philosophers, one dinner")
        await broker.publish("music", "nobody listens")
        await broker.publish("weather", "channels stay dry")
        await broker.publish("sport", "two to nil")
        await broker.close()
    for name, messages in heard.items():
        print(f"{name} heard", *messages.result(), sep="\n    ")


if __name__ == "__main__":
    run(main)
