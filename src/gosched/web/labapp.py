"""The laboratory's pages. Everything is a GET, and nothing that is asked changes anything: a script goes in, its frames come out (session.py).

    /          the page         /assets/…                     its parts, all of them in memory
    /lab       what there is    /frames?script=…&first=…&n=…  frames of a script
A script is data: kinds of goroutines, numbers and switches from a list (lab/script.py). No code is taken from the page. What a run costs is bounded:
by the frames that one question may ask for, and by what a script may start.
"""

from __future__ import annotations

import atexit
import json
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from gosched.lab.script import ScriptError

from .app import Handler, answer, load
from .catalogue import catalogue
from .session import Sessions
from .snapshot import encode

# An address may be so long: a script is in it.
LONGEST = 14_000
# Frames of one answer.
MOST = 1_000


def build() -> Starlette:
    assets = load()
    sessions = Sessions()
    atexit.register(sessions.close)
    about = encode(catalogue())

    async def page(request: Request) -> Response:
        return assets["lab.html"]

    async def asset(request: Request) -> Response:
        return assets.get(request.path_params["name"]) or PlainTextResponse("there is no such part of the page\n", 404)

    async def lab(request: Request) -> Response:
        return answer(about)

    async def frames(request: Request) -> Response:
        try:
            text, data = script_of(request)
            first = number(request, "first", 0, 1_000_000)
            n = number(request, "n", 1, MOST)
            return answer(encode(sessions.frames(text, data, first, n)))
        except ScriptError as error:
            return PlainTextResponse(f"{error}\n", 400)

    routes: list[tuple[str, Handler]] = [("/", page), ("/assets/{name}", asset), ("/lab", lab), ("/frames", frames)]
    return Starlette(routes=[Route(path, handler, methods=["GET"]) for path, handler in routes])


def script_of(request: Request) -> tuple[str, Any]:
    text = request.query_params.get("script", "")
    try:
        return text, json.loads(text)
    except (ValueError, RecursionError):
        raise ScriptError("script must be JSON") from None


def number(request: Request, name: str, least: int, most: int) -> int:
    text = request.query_params.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        raise ScriptError(f"{name} must be a whole number from {least:,} to {most:,}, not {text[:20]!r}")
    return int(text)
