"""The network, as Go has it: one goroutine per connection, straight-line code.

>>> import gosched
>>> from gosched import net
>>> def serve(listener):
...     for conn in listener:
...         gosched.go(echo, conn)
>>> def echo(conn):
...     with conn:
...         while data := conn.read():
...             conn.write(data)
>>> def main():
...     with net.listen("127.0.0.1:0") as listener:
...         gosched.go(serve, listener)
...         with net.dial(str(listener.address)) as conn:
...             conn.write(b"hello\\n")
...             return conn.read_line()
>>> gosched.run(main)
b'hello\\n'
"""

from __future__ import annotations

import ssl as openssl
from collections.abc import Coroutine
from typing import Any

from gosched.core.interrupt import Cancellation
from gosched.errors import ClosedError as ClosedError

from .address import Address as Address
from .address import parse
from .conn import Conn as Conn
from .dialing import dial_steps
from .listener import Listener as Listener
from .listener import new_listener
from .resolver import resolve
from .sockets import scheduler_for
from .steps import Steps, awaited, plainly
from .tls import check_context
from .waiting import await_readable as await_readable
from .waiting import await_writable as await_writable
from .waiting import wait_readable as wait_readable
from .waiting import wait_writable as wait_writable


def listen(addr: str, ssl: openssl.SSLContext | None = None) -> Listener:
    """A listener at addr: "host:port", port 0 for any; ":port" for all interfaces; "unix:/path". With ssl, a server's context, it speaks TLS.

    >>> import gosched
    >>> from gosched import net
    >>> def main():
    ...     with net.listen("127.0.0.1:0") as listener:
    ...         return listener.address.host
    >>> gosched.run(main)
    '127.0.0.1'
    """
    address = parse(addr)
    return new_listener(scheduler_for("listen()"), address, [] if address.port < 0 else resolve(address, passive=True), ssl)


def dial(
    addr: str,
    ssl: openssl.SSLContext | None = None,
    server_hostname: str | None = None,
    timeout: float | None = None,
    ctx: Cancellation | None = None,
) -> Conn:
    """A connection to addr. With ssl, a client's context, the TLS handshake is done; the certificate must be for server_hostname, or for the host.

    >>> import gosched
    >>> from gosched import net
    >>> def main():
    ...     with net.listen("127.0.0.1:0") as listener, net.dial(str(listener.address)) as conn:
    ...         return conn.remote == listener.address
    >>> gosched.run(main)
    True
    """
    return plainly(new_dial("dial()", addr, ssl, server_hostname, timeout, ctx))


def adial(
    addr: str,
    ssl: openssl.SSLContext | None = None,
    server_hostname: str | None = None,
    timeout: float | None = None,
    ctx: Cancellation | None = None,
) -> Coroutine[Any, Any, Conn]:
    """`dial`, awaited.

    >>> import gosched
    >>> from gosched import net
    >>> async def main():
    ...     with net.listen("127.0.0.1:0") as listener:
    ...         async with await net.adial(str(listener.address)) as conn:
    ...             return conn.remote == listener.address
    >>> gosched.run(main)
    True
    """
    return awaited(new_dial("adial()", addr, ssl, server_hostname, timeout, ctx))


def new_dial(
    what: str, addr: str, context: openssl.SSLContext | None, hostname: str | None, timeout: float | None, ctx: Cancellation | None
) -> Steps[Conn]:
    check_context(context)
    return dial_steps(scheduler_for(what), parse(addr), context, hostname, timeout, ctx)
