"""The laboratory in a page that stands alone: what its worker (assets/worker.js) asks, answered as the server answers it (labapp.py)."""

from __future__ import annotations

import json

from gosched.lab.script import ScriptError

from .session import Sessions
from .snapshot import encode

_sessions = Sessions()


def frames(text: str, first: int, n: int) -> str:
    """n frames of a script, from the one with that number on, as JSON; or what is wrong with the script."""
    try:
        return encode(_sessions.frames(text, json.loads(text), first, n))
    except ScriptError as error:
        return encode({"wrong": str(error)})
