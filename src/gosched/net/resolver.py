"""Names to addresses. The system's resolver blocks: it is asked on a thread that is free to (runtime.blocking), and nobody else waits for it."""

from __future__ import annotations

import errno
import socket
from typing import Any

from gosched.channels import Chan
from gosched.core.spawn import go
from gosched.runtime import blocking
from gosched.spelling import Guard

from .address import Address
from .steps import Step, Steps

Name = tuple[int, Any]
"""A family, and what bind and connect take."""


def resolve_steps(address: Address, guard: Guard) -> Steps[list[Name]]:
    """To connect to. Not longer than the guard says: a resolver that does not answer is left to itself."""
    known = literal(address)
    if known is not None:
        return [known]
    answers: Chan[Any] = Chan(1)

    def ask() -> None:
        try:
            answers.send(resolve(address, passive=False))
        except OSError as error:
            answers.send(error)

    go(ask)
    answer = yield Step(f"dial {address}", answers.recv_as, answers.withdraw, guard)
    if isinstance(answer, OSError):
        raise answer
    return answer  # type: ignore[no-any-return]


def resolve(address: Address, passive: bool) -> list[Name]:
    """Family and name for bind or connect, IPv6 and IPv4 in turn. No host: of all interfaces if passive, else this machine."""
    known = literal(address)
    if known is not None:
        return [known]
    if passive and not address.host:  # as in Go: one socket for both families, where there are both
        return [(int(socket.AF_INET6), ("::", address.port, 0, 0)), (int(socket.AF_INET), ("0.0.0.0", address.port))]
    try:
        found = blocking(socket.getaddrinfo, address.host or "localhost", address.port, 0, socket.SOCK_STREAM, 0, socket.AI_PASSIVE if passive else 0)
    except (socket.gaierror, UnicodeError) as error:
        raise OSError(errno.EHOSTUNREACH, f"lookup {address.host}: {error.args[-1] if error.args else error}") from None
    names = list(dict.fromkeys((int(family), name) for family, _, _, _, name in found))
    return in_turn(names)


def literal(address: Address) -> Name | None:
    """A host that is an address already needs no resolver."""
    for family, rest in ((socket.AF_INET, ()), (socket.AF_INET6, (0, 0))):
        try:
            socket.inet_pton(family, address.host)
        except OSError:
            continue
        return int(family), (address.host, address.port, *rest)
    return None


def in_turn(names: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """The resolver's order, but that the families take turns."""
    first = [name for name in names if name[0] == names[0][0]]
    others = [name for name in names if name[0] != names[0][0]]
    mixed: list[tuple[int, Any]] = []
    for i in range(max(len(first), len(others))):
        mixed += first[i : i + 1] + others[i : i + 1]
    return mixed
