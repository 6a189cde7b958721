"""Pyodide, Python for browsers: where an export takes it from. Nothing of it belongs to gosched; it is copied into the site.

A directory or an archive of the npm package that was given, or what npm fetches. An archive is compared with its hash; and the version is that one,
for the worker knows what it loads.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from gosched.errors import GoschedError

VERSION = "314.0.7"
INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
# What a browser loads; there is more in the package.
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
DESCRIPTION = "package.json"
NOTICE = f"Pyodide {VERSION} (npm package pyodide, source at github.com/pyodide/pyodide) is under the Mozilla Public License 2.0."

ADVICE = f"--pyodide PATH names a directory of the npm package pyodide {VERSION}, or its .tgz; --recorded writes a site without it"
# In s. npm itself tries twice.
LONGEST = 300


def given(path: Path) -> dict[str, bytes]:
    """Its files, by name."""
    if path.is_dir():
        return checked(path, {name: (path / name).read_bytes() for name in (*FILES, DESCRIPTION) if (path / name).is_file()})
    if path.is_file():
        return unpacked(path)
    raise GoschedError(f"there is no {path}; {ADVICE}")


def fetched() -> dict[str, bytes]:
    """By npm, which asks its cache first."""
    npm = shutil.which("npm")
    if npm is None:
        raise GoschedError(f"the site needs Pyodide, and there is no npm to fetch it; {ADVICE}")
    with tempfile.TemporaryDirectory(prefix="gosched-") as folder:
        command = [npm, "pack", f"pyodide@{VERSION}", "--prefer-offline", "--ignore-scripts", "--fetch-retries=1", "--loglevel=error"]
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            raise GoschedError(f"npm did not fetch Pyodide within {LONGEST} s; {ADVICE}") from None
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise GoschedError(f"npm could not fetch Pyodide ({said(done.stderr)}); {ADVICE}")
        return unpacked(archives[0])


def said(text: str) -> str:
    """npm's first line that says something."""
    lines = [line.removeprefix("npm error ").strip() for line in text.splitlines()]
    return next((line for line in lines if line and not line.startswith("code ")), "it does not say why")


def unpacked(path: Path) -> dict[str, bytes]:
    data = path.read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    if found != INTEGRITY:
        raise GoschedError(f"{path} is not the npm package pyodide {VERSION}: its hash is {found}, and not {INTEGRITY}")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = {name: archive.extractfile(f"package/{name}") for name in (*FILES, DESCRIPTION)}
        return checked(path, {name: member.read() for name, member in members.items() if member is not None})


def checked(path: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """All of them are there, and of the version that is known."""
    missing = [name for name in (*FILES, DESCRIPTION) if name not in files]
    if missing:
        raise GoschedError(f"{path} has no {', '.join(missing)}; {ADVICE}")
    try:
        version = json.loads(files.pop(DESCRIPTION))["version"]
    except (ValueError, KeyError, TypeError):
        raise GoschedError(f"{path / DESCRIPTION} does not say which version it is; {ADVICE}") from None
    if version != VERSION:
        raise GoschedError(f"{path} has version {version} of Pyodide; {ADVICE}")
    return files
