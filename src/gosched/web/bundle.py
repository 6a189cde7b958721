"""The page's modules as one script: a page that was opened from a disk may load scripts, but no modules.

Only what the page uses is understood: `import { a, b } from "./x.js";` and `export` before a function, a class or a constant.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\./(\w+)\.js";.*$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b(?!\().*", re.MULTILINE)


def bundle(folder: Path, entry: str) -> str:
    """The module `entry` and all that it imports, each once, in the order in which a browser would run them."""
    done: dict[str, str] = {}
    add(folder, entry, done, ())
    return '(() => {\n"use strict";\n' + "".join(done.values()) + "})();\n"


def add(folder: Path, name: str, done: dict[str, str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"{name}.js imports itself, by way of {' and '.join(above)}")
    if name in done:
        return
    text = (folder / f"{name}.js").read_text()
    for found in IMPORT.finditer(text):
        add(folder, found[2], done, (*above, name))
    done[name] = wrapped(name, text)


def wrapped(name: str, text: str) -> str:
    """As a function that is called at once, and returns what the module exports."""
    exported = [found[1] for found in EXPORT.finditer(text)]
    text = EXPORT.sub("", IMPORT.sub(r"const { \1 } = module_\2;", text))
    if left := LEFT.search(text):
        raise ValueError(f"{name}.js has what cannot be bundled: {left[0]}")
    return f"const module_{name} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();\n"
