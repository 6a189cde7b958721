"""The laboratory as a site of files: recorded runs, and the scheduler itself, which runs in the page in Pyodide. It needs no server and no network.

    index.html   the page            assets/   its looks, and its script
    parts/       all else, in scripts that each have a piece of it, as gzip in letters: a page that was opened from a disk may load scripts only
What may be loaded from where is in the page itself (POLICY): the site's own scripts, and nothing over any network.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gosched
from gosched.errors import GoschedError
from gosched.lab.scenarios import SCENARIOS, Scenario

from . import pyodide
from .bundle import bundle
from .catalogue import catalogue
from .session import FRAMES, Sessions
from .snapshot import encode

FOLDER = Path(__file__).parent / "assets"
PACKAGE = Path(gosched.__file__).parent
LOOKS = ("base.css", "parts.css", "lab.css", "alone.css", "icon.svg")
SOURCES = "gosched.zip"
WORKER = "worker.js"
# Lists what an export has written: so much, and no more, may be replaced.
MARKER = "gosched-lab.json"
POLICY = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
# Letters of a piece. What has come is told by pieces.
PIECE = 300_000

Site = dict[str, bytes]
# Is told what goes on, and how far it is.
Say = Callable[[str, str], None]


def export(folder: Path, python: Path | None, recorded: bool, force: bool, say: Say) -> Site:
    """Writes the site. `python`: where Pyodide is, if npm is not to fetch it; `recorded`: without it."""
    old = replaced(folder, force)
    files = {} if recorded else python_files(python, say)
    site = composed(files, say)
    say("writing", "")
    write(folder, site, old)
    return site


def python_files(path: Path | None, say: Say) -> Site:
    say(f"fetching Pyodide {pyodide.VERSION} with npm" if path is None else f"reading Pyodide {pyodide.VERSION} from {path}", "")
    return {**(pyodide.fetched() if path is None else pyodide.given(path)), SOURCES: sources()}


# ---- what is in it ----


def composed(files: Site, say: Say) -> Site:
    """`files`: what the worker is given; none, if there is to be no worker."""
    runs = recordings()
    packed: Site = {}
    listed = []
    for i, (name, script) in enumerate(runs):
        say(f"recording {len(runs)} runs", f": {i + 1}, {script['scenario']}")
        packed[name] = encode(whole(script)).encode()
        listed.append([script, name])
    if files:
        say("packing Python", "")
        packed |= {**files, WORKER: bundle(FOLDER, "worker").encode()}
    pieces = {name: list(cut(data)) for name, data in packed.items()}
    about = {"lab": catalogue(), "recorded": listed, "parts": {name: len(found) for name, found in pieces.items()}, "python": list(files)}
    pieces["site"] = [letters(encode(about).encode())]
    return {**page(files), **{f"parts/{name}.{i}.js": script_of(name, i, piece) for name, found in pieces.items() for i, piece in enumerate(found)}}


def page(files: Site) -> Site:
    site = {f"assets/{name}": (FOLDER / name).read_bytes() for name in LOOKS}
    site["assets/page.js"] = bundle(FOLDER, "alone").encode()
    site["index.html"] = index((FOLDER / "lab.html").read_text()).encode()
    site["README.txt"] = (readme() + (f"\n{pyodide.NOTICE}\n" if files else "")).encode()
    return site


def index(text: str) -> str:
    """The server's page, with addresses that do not begin at a server's root, and its own policy."""
    for old, new in (
        ('<meta charset="utf-8">\n', f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'),
        ('<script type="module" src="/assets/lab.js"></script>', '<script defer src="assets/page.js"></script>'),
        (
            '<link rel="stylesheet" href="/assets/lab.css">\n',
            '<link rel="stylesheet" href="/assets/lab.css">\n<link rel="stylesheet" href="/assets/alone.css">\n',
        ),
        ('"/assets/', '"assets/'),
    ):
        if old not in text:
            raise ValueError(f"lab.html has no {old!r}")
        text = text.replace(old, new)
    return text


def readme() -> str:
    return (
        f"The laboratory of gosched {gosched.__version__}: Go's scheduler to play with. Open index.html, or put this folder on any web server.\n"
        "Nothing in it asks for anything over a network.\n"
    )


def recordings() -> list[tuple[str, dict[str, Any]]]:
    """What the essay plays: each scenario by its own rules, and by those that it proposes. By a part's name."""
    return [
        (f"{scenario.id}-{i}", {"scenario": scenario.id, "procs": scenario.procs, "seed": 1, "policy": policy})
        for scenario in SCENARIOS.values()
        for i, policy in enumerate(rules(scenario))
    ]


def rules(scenario: Scenario) -> list[dict[str, Any]]:
    """Go's own too: the page comes back to them from what was proposed."""
    found: list[dict[str, Any]] = []
    for policy in (scenario.policy.changes(), {}, *(bend.policy for bend in scenario.bends)):
        if policy not in found:
            found.append(policy)
    return found


def whole(script: dict[str, Any]) -> dict[str, Any]:
    """A run to its end, as the server would tell it."""
    return Sessions().frames("", script, 0, 2 * FRAMES)


def sources() -> bytes:
    """gosched as it is written, which is its pure build. The same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in sorted(PACKAGE.rglob("*.py")):
            archive.writestr(zipfile.ZipInfo(f"gosched/{path.relative_to(PACKAGE).as_posix()}"), path.read_bytes())
    return made.getvalue()


def letters(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def cut(data: bytes) -> Iterator[str]:
    text = letters(data)
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


def script_of(name: str, number: int, piece: str) -> bytes:
    return f'goschedAlone.take("{name}", {number}, "{piece}");\n'.encode()


# ---- where it is written ----


def replaced(folder: Path, force: bool) -> list[str]:
    """What is to go first: the files of a site that was exported before. Nothing else is ever touched."""
    if not folder.is_dir():
        if folder.exists() or folder.is_symlink():
            raise GoschedError(f"{folder} is not a directory")
        return []
    there = set(inside(folder))
    if not there:
        return []
    if MARKER not in there:
        raise GoschedError(f"{folder} is not empty, and no export has written it: give a directory that is not there, or an empty one")
    if not force:
        raise GoschedError(f"{folder} has a site already; --force replaces it")
    known = marked(folder / MARKER)
    foreign = sorted(name for name in there - {MARKER} if name not in known or (folder / name).is_symlink())
    if foreign:
        more = f" and {len(foreign) - 3:,} more" if len(foreign) > 3 else ""
        raise GoschedError(f"{folder} has files that no export has written: {', '.join(foreign[:3])}{more}")
    return sorted(there)


def inside(folder: Path) -> Iterator[str]:
    """All that is no directory. A link to one is not followed, for what is behind it is not inside."""
    for root, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(root) / name).is_symlink()]
        for name in (*names, *links):
            yield (Path(root) / name).relative_to(folder).as_posix()


def marked(path: Path) -> list[str]:
    try:
        found = json.loads(path.read_text())["files"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise GoschedError(f"{path} does not list what an export has written: remove the directory yourself")
    return found


def write(folder: Path, site: Site, old: list[str]) -> None:
    """The list before what it lists: who is interrupted can replace what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in old:
        if name not in site and name != MARKER:
            (folder / name).unlink()
    listed = json.dumps({"gosched": gosched.__version__, "files": sorted(site)}, indent=1)
    (folder / MARKER).write_text(listed + "\n")
    for name, data in site.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
