"""gosched lab export: what is in the site, what is refused, and the Python that its worker runs. The page itself: test_exported.py."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

import gosched
from gosched.cli import main
from gosched.errors import GoschedError
from gosched.lab.scenarios import SCENARIOS
from gosched.web import inpage, pyodide
from gosched.web.bundle import bundle
from gosched.web.catalogue import catalogue
from gosched.web.export import MARKER, POLICY, SOURCES, WORKER, export, letters, sources

VERSION = pyodide.VERSION
ADVICE = f"--pyodide PATH names a directory of the npm package pyodide {VERSION}, or its .tgz; --recorded writes a site without it"


def stand_in(folder: Path, version: str = VERSION) -> Path:
    """Files that look like the npm package. One of them is so large, and so hard to pack, that it is cut into pieces."""
    folder.mkdir(exist_ok=True)
    noise = b"".join(hashlib.sha512(bytes([i, j])).digest() for i in range(60) for j in range(100))
    for name in pyodide.FILES:
        (folder / name).write_bytes(noise if name.endswith(".wasm") else f"the {name} of a stand-in".encode())
    (folder / "package.json").write_text(json.dumps({"name": "pyodide", "version": version}))
    (folder / "console.html").write_text("a page that nobody needs")
    return folder


def packed(folder: Path, archive: Path) -> str:
    """As npm packs it; and its hash, as npm writes it."""
    with tarfile.open(archive, "w:gz") as made:
        made.add(folder, "package")
    return "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()


def quiet(words: str, so_far: str) -> None:
    pass


class Exported:
    """A site, read back as its page reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = json.loads(self.unpacked("site", 1))

    def names(self) -> set[str]:
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}

    def unpacked(self, name: str, pieces: int = 0) -> bytes:
        text = ""
        for i in range(pieces or self.site["parts"][name]):
            found = re.fullmatch(
                r'goschedAlone\.take\("([^"]+)", (\d+), "([A-Za-z0-9+/=]+)"\);\n', (self.folder / f"parts/{name}.{i}.js").read_text()
            )
            assert found
            assert (found[1], int(found[2])) == (name, i)
            text += found[3]
        return gzip.decompress(base64.b64decode(text))

    def ours(self) -> dict[str, str]:
        """All that is read by a browser, but for Pyodide and the sources that it runs."""
        read = {name: (self.folder / name).read_text() for name in self.names() if not name.startswith("parts/")}
        return read | {name: self.unpacked(name).decode() for name in self.site["parts"] if name not in self.site["python"]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    folder = tmp_path_factory.mktemp("site")
    export(folder / "site", stand_in(folder / "pyodide"), recorded=False, force=False, say=quiet)
    return Exported(folder / "site")


# ---- what is in it ----


def test_the_site_has_what_it_lists_and_nothing_else(site: Exported) -> None:
    marked = json.loads((site.folder / MARKER).read_text())
    assert marked["gosched"] == gosched.__version__
    assert site.names() == {MARKER, *marked["files"]}
    parts = {f"parts/{name}.{i}.js" for name, count in {**site.site["parts"], "site": 1}.items() for i in range(count)}
    looks = {f"assets/{name}" for name in ("base.css", "parts.css", "lab.css", "alone.css", "icon.svg", "page.js")}
    assert site.names() == {MARKER, "index.html", "README.txt", *looks, *parts}


def test_pyodide_is_copied_as_it_is_and_only_what_a_browser_loads(site: Exported, tmp_path: Path) -> None:
    given = stand_in(tmp_path / "pyodide")
    assert site.site["python"] == [*pyodide.FILES, SOURCES]
    for name in pyodide.FILES:
        assert site.unpacked(name) == (given / name).read_bytes()
    assert site.site["parts"]["pyodide.asm.wasm"] == 2
    assert "Mozilla Public License" in (site.folder / "README.txt").read_text()


def test_the_sources_are_those_that_run_here(site: Exported) -> None:
    package = Path(gosched.__file__).parent
    with zipfile.ZipFile(io.BytesIO(site.unpacked(SOURCES))) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"gosched/{path.relative_to(package).as_posix()}": path.read_bytes() for path in package.rglob("*.py")}
    assert "gosched/core/findrun.py" in found
    assert sources() == sources()


def test_what_the_page_knows_is_what_the_server_tells(site: Exported) -> None:
    assert site.site["lab"] == json.loads(json.dumps(catalogue()))


def test_every_rule_that_the_essay_proposes_is_recorded(site: Exported) -> None:
    recorded = [script for script, _ in site.site["recorded"]]
    for scenario in site.site["lab"]["scenarios"]:
        for policy in ({}, scenario["policy"], *(policy for _, policy, *_ in scenario["bends"])):
            assert {"scenario": scenario["id"], "procs": scenario["procs"], "seed": 1, "policy": policy} in recorded
    assert len(recorded) == len({json.dumps(script) for script in recorded}) == len({name for _, name in site.site["recorded"]})


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_recorded_run_is_what_a_page_would_be_told(site: Exported, name: str) -> None:
    [(script, part), *_] = [(script, part) for script, part in site.site["recorded"] if script["scenario"] == name]
    run = json.loads(site.unpacked(part))
    assert run == played(script)
    assert run["over"] in ("end", "deadlock")
    assert run["answer"]


def played(script: dict[str, Any]) -> dict[str, Any]:
    """As assets/source.js asks for it, piece by piece."""
    frames: list[Any] = []
    while True:
        piece: dict[str, Any] = json.loads(inpage.frames(json.dumps(script), len(frames), 400 if frames else 100))
        frames += piece["frames"]
        if piece["over"]:
            return {**piece, "frames": frames}


def test_nothing_of_ours_names_another_host(site: Exported) -> None:
    for name, text in site.ours().items():
        assert set(re.findall(r"(?:https?|wss?|ftp)://[^\s\"'<>`]*", text)) <= {"http://www.w3.org/2000/svg"}, name
    page = (site.folder / "index.html").read_text()
    addresses = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert "assets/page.js" in addresses
    for address in addresses:
        assert (site.folder / address).is_file(), address


def test_the_page_may_load_its_own_scripts_and_nothing_over_a_network(site: Exported) -> None:
    page = (site.folder / "index.html").read_text()
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in page
    rules = dict(rule.split(" ", 1) for rule in POLICY.split("; "))
    assert rules["default-src"] == "'none'"  # which is also that of connect-src
    assert "connect-src" not in rules
    assert rules["script-src"].split() == ["'self'", "blob:", "'wasm-unsafe-eval'"]
    assert re.findall(r"<script([^>]*)>([^<]*)</script>", page) == [(' defer src="assets/page.js"', "")]
    assert not re.search(r"<style|\bon\w+=|\bstyle=", page)


def test_without_python_there_are_the_recorded_runs(tmp_path: Path, site: Exported) -> None:
    export(tmp_path / "site", None, recorded=True, force=False, say=quiet)
    bare = Exported(tmp_path / "site")
    assert bare.site["python"] == []
    assert bare.site["recorded"] == site.site["recorded"]
    gone = {f"parts/{name}.{i}.js" for name in (*pyodide.FILES, SOURCES, WORKER) for i in range(site.site["parts"][name])}
    assert bare.names() == site.names() - gone
    assert "Mozilla" not in (bare.folder / "README.txt").read_text()
    for name in bare.names() - {MARKER, "README.txt", "parts/site.0.js"}:
        assert (bare.folder / name).read_bytes() == (site.folder / name).read_bytes()  # the same each time


# ---- where it is written ----


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site with one scenario: it is written at once."""
    monkeypatch.setattr("gosched.web.export.SCENARIOS", {"runnext": SCENARIOS["runnext"]})


def refused(folder: Path, python: Path | None = None, force: bool = False) -> str:
    """Why; and whatever was there is there still."""
    before = listed(folder)
    with pytest.raises(GoschedError) as caught:
        export(folder, python, recorded=python is None, force=force, say=quiet)
    assert listed(folder) == before
    return str(caught.value)


def listed(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def small(folder: Path) -> Path:
    """What an export may have left: a list, and what it lists."""
    (folder / "parts").mkdir(parents=True)
    (folder / "parts/old.0.js").write_text("old")
    (folder / "index.html").write_text("old")
    (folder / MARKER).write_text(json.dumps({"files": ["parts/old.0.js", "index.html", "never-written"]}))
    return folder


def test_a_directory_with_foreign_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("mine")
    assert refused(tmp_path) == f"{tmp_path} is not empty, and no export has written it: give a directory that is not there, or an empty one"
    assert refused(tmp_path, force=True) == refused(tmp_path)
    assert refused(tmp_path / "letters") == f"{tmp_path / 'letters'} is not a directory"
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    assert refused(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'} is not a directory"


@pytest.mark.usefixtures("short")
def test_a_site_is_replaced_only_if_asked(tmp_path: Path) -> None:
    folder = small(tmp_path / "site")
    assert refused(folder) == f"{folder} has a site already; --force replaces it"
    export(folder, None, recorded=True, force=True, say=quiet)
    assert Exported(folder).names() == {MARKER, *json.loads((folder / MARKER).read_text())["files"]}
    assert not (folder / "parts/old.0.js").exists()


def test_files_that_were_put_into_a_site_are_kept(tmp_path: Path) -> None:
    folder = small(tmp_path / "site")
    for name in ("a", "parts/b", "c", "d"):
        (folder / name).write_text("mine")
    assert refused(folder, force=True) == f"{folder} has files that no export has written: a, c, d and 1 more"


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    folder = small(tmp_path / "site")
    (tmp_path / "mine").write_text("mine")
    (folder / "never-written").symlink_to(tmp_path / "mine")
    assert refused(folder, force=True) == f"{folder} has files that no export has written: never-written"
    (folder / "never-written").unlink()
    (folder / "assets").symlink_to(tmp_path, target_is_directory=True)
    assert refused(folder, force=True) == f"{folder} has files that no export has written: assets"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": "index.html"}', '{"files": [1]}'])
def test_a_list_that_cannot_be_read_protects_everything(tmp_path: Path, text: str) -> None:
    folder = small(tmp_path / "site")
    (folder / MARKER).write_text(text)
    assert refused(folder, force=True) == f"{folder / MARKER} does not list what an export has written: remove the directory yourself"


def test_what_is_in_the_way_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("mine")
    assert "is not empty" in refused(tmp_path, tmp_path / "no-pyodide-here")


# ---- where Pyodide comes from ----


def test_pyodide_that_was_given_and_is_not(tmp_path: Path) -> None:
    folder, site = tmp_path / "pyodide", tmp_path / "site"
    assert refused(site, folder) == f"there is no {folder}; {ADVICE}"
    folder.mkdir()
    assert refused(site, folder) == f"{folder} has no {', '.join(pyodide.FILES)}, package.json; {ADVICE}"
    stand_in(folder, "0.1.2")
    assert refused(site, folder) == f"{folder} has version 0.1.2 of Pyodide; {ADVICE}"
    (folder / "package.json").write_text("[]")
    assert refused(site, folder) == f"{folder / 'package.json'} does not say which version it is; {ADVICE}"
    (stand_in(folder) / "pyodide.asm.wasm").unlink()
    assert refused(site, folder) == f"{folder} has no pyodide.asm.wasm; {ADVICE}"


def test_an_archive_is_compared_with_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "pyodide.tgz"
    found = packed(stand_in(tmp_path / "pyodide"), archive)
    assert refused(tmp_path / "site", archive) == (
        f"{archive} is not the npm package pyodide {VERSION}: its hash is {found}, and not {pyodide.INTEGRITY}"
    )
    monkeypatch.setattr(pyodide, "INTEGRITY", found)
    assert pyodide.given(archive) == {name: (tmp_path / "pyodide" / name).read_bytes() for name in pyodide.FILES}


def npm(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """An npm that does this, and no other."""
    folder.mkdir()
    (folder / "npm").write_text(f"#!{sys.executable}\nimport shutil, sys\n{script}\n")
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_npm_fetches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "held.tgz"
    found = packed(stand_in(tmp_path / "pyodide"), archive)
    npm(
        tmp_path / "bin",
        monkeypatch,
        f"assert sys.argv[1:3] == ['pack', 'pyodide@{VERSION}']; shutil.copy({str(archive)!r}, 'pyodide-{VERSION}.tgz')",
    )
    with pytest.raises(GoschedError, match="is not the npm package"):
        pyodide.fetched()
    monkeypatch.setattr(pyodide, "INTEGRITY", found)
    assert pyodide.fetched() == pyodide.given(archive)


def test_no_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GoschedError) as caught:
        pyodide.fetched()
    assert str(caught.value) == f"the site needs Pyodide, and there is no npm to fetch it; {ADVICE}"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (
            "sys.exit('npm error code ENOTFOUND\\nnpm error network request to the registry failed\\nnpm error a log')",
            "network request to the registry failed",
        ),
        ("sys.exit(1)", "it does not say why"),
        ("", "it does not say why"),  # it says that all is well, and nothing is there
    ],
)
def test_npm_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str) -> None:
    npm(tmp_path / "bin", monkeypatch, script)
    with pytest.raises(GoschedError) as caught:
        pyodide.fetched()
    assert str(caught.value) == f"npm could not fetch Pyodide ({why}); {ADVICE}"


# ---- the command ----


@pytest.mark.usefixtures("short")
def test_the_command_says_what_it_does_and_how_to_look_at_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "my site"
    assert main(["lab", "export", str(folder), "--recorded"]) == 0
    out, err = capsys.readouterr()
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != MARKER]
    size = sum(path.stat().st_size for path in files) / 1e6
    assert out.splitlines() == [
        f"{folder}: {len(files)} files, {size:.1f} MB",
        f"open {folder}/index.html in a browser, or serve it: python -m http.server -d '{folder}'",
    ]
    assert re.fullmatch(r"gosched lab: recording \d+ runs\ngosched lab: writing\n", err)
    assert main(["lab", "export", str(folder), "--recorded"]) == 1
    assert capsys.readouterr().err == f"gosched lab: {folder} has a site already; --force replaces it\n"


def test_an_export_that_is_interrupted_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(script: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr("gosched.web.export.whole", interrupted)
    assert main(["lab", "export", str(tmp_path / "site"), "--recorded"]) == 130
    assert capsys.readouterr().err.endswith("gosched lab: interrupted\n")
    assert not (tmp_path / "site").exists()


# ---- the Python in the worker ----


ALONE = """
    import sys
    for missing in ("greenlet", "starlette", "uvicorn"):  # Pyodide has none of them
        sys.modules[missing] = None
    from gosched.web import inpage
    import gosched
    print(gosched.__build__)
    for script in sys.argv[1:]:
        print(inpage.frames(script, 0, 5))
        print(inpage.frames(script, 5, 10_000))
"""


def test_the_worker_runs_the_sources_of_the_site_and_nothing_else(site: Exported, tmp_path: Path) -> None:
    """In a process that has only what the worker is given."""
    with zipfile.ZipFile(io.BytesIO(site.unpacked(SOURCES))) as archive:
        archive.extractall(tmp_path)
    spawns = {"procs": 4, "seed": 1, "policy": {}, "actions": [{"at": 0, "start": "cpu", "n": 20, "seconds": 0.003}]}
    scripts = [json.dumps(script) for script in (spawns, {"scenario": "imbalance", "procs": 4, "seed": 1, "policy": {"steal": False}})]
    wrong = '{"procs": 0}'
    code = "\n".join(line[4:] for line in ALONE.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", code, *scripts, wrong],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "GOSCHED_PURE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    build, *answers = done.stdout.splitlines()
    assert build == "pure: the extension modules are not built for this interpreter"
    assert answers == [inpage.frames(script, *which) for script in (*scripts, wrong) for which in ((0, 5), (5, 10_000))]
    assert json.loads(answers[-1]) == {"wrong": "procs must be a whole number from 1 to 64, not 0"}
    assert {row[4] for frame in json.loads(answers[1])["frames"] for row in frame["rows"]} == {"main", "work"}


# ---- modules as one script ----


def written(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_modules_become_one_script_in_the_order_in_which_they_run(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        top='import { b, $ } from "./left.js"; // first\nimport { a } from "./base.js";\nb(a, $);\n',
        left='import { a } from "./base.js";\nexport const $ = 1;\nexport async function b() {}\n',
        base="export class a {}\nconst hidden = 1;\n",
    )
    assert bundle(folder, "top") == (
        '(() => {\n"use strict";\n'
        "const module_base = (() => {\nclass a {}\nconst hidden = 1;\nreturn { a };\n})();\n"
        "const module_left = (() => {\nconst { a } = module_base;\nconst $ = 1;\nasync function b() {}\nreturn { $, b };\n})();\n"
        "const module_top = (() => {\nconst { b, $ } = module_left;\nconst { a } = module_base;\nb(a, $);\nreturn {  };\n})();\n"
        "})();\n"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('import { top } from "./top.js";\n', "top.js imports itself, by way of top"),
        ('import * as all from "./x.js";\n', 'top.js has what cannot be bundled: import * as all from "./x.js";'),
        ("export default 1;\n", "top.js has what cannot be bundled: export default 1;"),
        ("export let x = 1;\n", "top.js has what cannot be bundled: export let x = 1;"),
    ],
)
def test_what_cannot_be_bundled(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        bundle(written(tmp_path, top=text), "top")


def test_letters_are_the_same_each_time() -> None:
    assert letters(b"x" * 1000) == letters(b"x" * 1000)
    assert gzip.decompress(base64.b64decode(letters(b"x" * 1000))) == b"x" * 1000
