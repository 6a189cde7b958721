"""Who may ask. Everything that comes from outside passes here before anything looks at it.

The page shows a program's insides to whoever can reach the port: every user of the machine, and every web site that the user's browser visits. So

    the token      random, in the printed address; every request must bring it, once in the query and from then on as a cookie that no script
                   can read and that the browser sends from no other site
    Host           must be a name that is really ours (address.py)
    Origin         if there is one, ours; and Sec-Fetch-Site, where a browser sends it, must not say that another site asks. Only the first page
                   may be opened from anywhere, by who has the token
    the method     GET, and HEAD for who is curious: nothing here changes anything
    the size       a request is a line and some headers. A body is not read
The answer carries a policy by which the page can load nothing but itself, and runs no script that is written into it.
"""

from __future__ import annotations

import http.cookies
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from .address import Address

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

# Longest path and query that are looked at; the server itself bounds the head as a whole.
LONGEST = 1_024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
NO_TOKEN = "This page needs the token. Open the address that the program has printed, with ?token=… at its end."


class Refused(Exception):
    """With a status and a line that says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Guard:
    """An ASGI application around another one."""

    def __init__(self, inner: Application, address: Address, token: str, longest: int = LONGEST) -> None:
        self.inner = inner
        self.address = address
        self.token = token
        self.longest = longest
        self.cookie = f"gosched_view_{address.port}"  # cookies are of a host, whatever the port

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            greets = self.admit(scope)
        except Refused as refused:
            await self.refuse(send, refused)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS, *(self.greeting() if greets else [])]
            await send(message)

        await self.inner(scope, receive, guarded)

    def admit(self, scope: Message) -> bool:
        """Whether the token came in the query: then the cookie is due."""
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, f"{scope['method'][:20]} is not a method of this page: only GET")
        if len(scope["raw_path"] or b"") + len(scope["query_string"]) > self.longest:
            raise Refused(414, f"the address is longer than {self.longest:,} bytes")
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self.address.called(text(hosts[0])):
            raise Refused(421, f"this page is at {self.address.text}, and goes by no other name")
        by_query = self.matches(parse_qs(text(scope["query_string"])).get("token", []))
        if not by_query and not self.matches(self.cookies(headers.get(b"cookie", []))):
            raise Refused(403, NO_TOKEN)
        if any(text(origin) != f"http://{text(hosts[0])}" for origin in headers.get(b"origin", [])):
            raise Refused(403, "asked by a page of another site")
        opens = by_query and scope["path"] == "/"
        if not opens and any(site not in (b"same-origin", b"none") for site in headers.get(b"sec-fetch-site", [])):
            raise Refused(403, "asked by a page of another site")
        return by_query

    def matches(self, given: list[str]) -> bool:
        return len(given) == 1 and secrets.compare_digest(given[0].encode(), self.token.encode())

    def cookies(self, headers: list[bytes]) -> list[str]:
        jar: http.cookies.SimpleCookie = http.cookies.SimpleCookie()
        try:
            jar.load("; ".join(text(header) for header in headers))
        except http.cookies.CookieError:
            return []
        return [jar[self.cookie].value] if self.cookie in jar else []

    def greeting(self) -> list[tuple[bytes, bytes]]:
        return [(b"set-cookie", f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict".encode())]

    async def refuse(self, send: Send, refused: Refused) -> None:
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
        if refused.status == 405:
            headers.append((b"allow", b"GET, HEAD"))
        await send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{refused.why}\n".encode()})


def text(raw: bytes) -> str:
    """Headers are bytes; every byte is a letter of latin-1."""
    return raw.decode("latin-1")
