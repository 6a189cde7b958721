"""Where the page is, and by which names it may be called.

Loopback and a free port, unless GOSCHED_VIEW says host:port. A browser resolves a foreign name to 127.0.0.1 if that name's owner wishes (DNS
rebinding), so the Host of every request is compared with what the page can really be called: numbers, which nobody can redirect, `localhost`, and the
host that was asked for.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass

from gosched.errors import GoschedError

VARIABLE = "GOSCHED_VIEW"
EXAMPLE = f"{VARIABLE} must be host:port, such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080"


@dataclass(frozen=True)
class Address:
    """`port` 0: any that is free."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """As a browser writes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def called(self, header: str) -> bool:
        """Whether a request with this Host header is meant for us."""
        name, port = split(header)
        if port != str(self.port) and not (port == "" and self.port == 80):
            return False
        if name in (self.host.lower(), "localhost"):
            return True
        number = as_number(name)
        return number is not None and (number.is_loopback or not is_loopback(self.host))


def asked_for() -> Address:
    text = os.environ.get(VARIABLE, "")
    return parse(text) if text else Address("127.0.0.1", 0)


def parse(text: str) -> Address:
    host, port = split(text)
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65_535:
        raise GoschedError(f"{EXAMPLE}; not {text!r}")
    return Address(host, int(port))


def split(text: str) -> tuple[str, str]:
    """Host and port, without the brackets of an IPv6 address; empty, what is not there."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host.lower(), rest.removeprefix(":")
    host, _, port = text.partition(":")
    return host.lower(), port


def as_number(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    number = as_number(host)
    return host == "localhost" if number is None else number.is_loopback


def listen(address: Address) -> tuple[socket.socket, Address]:
    """A socket that listens there, and where it is."""
    try:
        family, _, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(where)
            sock.listen(64)
        except BaseException:
            sock.close()
            raise
    except OSError as error:
        raise GoschedError(f"the live page cannot listen at {address.text} ({error}); {VARIABLE}=host:port names another place") from error
    return sock, Address(address.host, sock.getsockname()[1])
