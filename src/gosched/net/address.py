"""Addresses: "host:port", "[::1]:port", ":port", "unix:/path"; and what the kernel calls them."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

LONGEST_PATH = 107
WOULD_DO = '"host:port", "[ipv6]:port", ":port" or "unix:/path"'


class Address(NamedTuple):
    """Of a TCP socket: host and port; of a Unix socket: path. `str()` is what `listen` and `dial` take.

    >>> from gosched.net import Address
    >>> str(Address("::1", 7000))
    '[::1]:7000'
    """

    host: str
    port: int
    path: str = ""

    def __str__(self) -> str:
        if self.port < 0:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse(addr: str) -> Address:
    if not isinstance(addr, str):
        raise TypeError(f"addr must be a str, {WOULD_DO}, not {type(addr).__name__}")
    if addr.startswith("unix:"):
        path = addr[len("unix:") :]
        if not path or "\0" in path.lstrip("@"):
            raise ValueError(f"addr {addr!r}: a path must follow unix:, as in unix:/run/app.sock")
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise ValueError(f"addr {addr!r}: the path of a Unix socket is too long, it may have {LONGEST_PATH} bytes")
        return Address("", -1, path)
    host, colon, port = addr.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"addr {addr!r}: an IPv6 host must be in brackets, as in [::1]:8080")
    if not colon:
        raise ValueError(f"addr {addr!r} must be {WOULD_DO}")
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise ValueError(f"addr {addr!r}: the port must be a number from 0 to 65535")
    if "\0" in host:
        raise ValueError(f"addr {addr!r}: a host has no null characters")
    return Address(host, int(port))


def from_kernel(name: Any) -> Address:
    """What getsockname, getpeername and accept return."""
    if isinstance(name, tuple):
        return Address(name[0], name[1])
    path = name if isinstance(name, str) else os.fsdecode(bytes(name))
    return Address("", -1, path.replace("\0", "@", 1))
