"""Builds the extension modules: every module of gosched.core that has a .pxd beside it. The rest of the metadata is in pyproject.toml.

GOSCHED_PURE=1 builds none of them, and so does a machine without a C compiler, which is then said in one line.
"""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = Path("src/gosched/core")
BUILD = Path("build/cython")
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "auto_pickle": False,
    "freethreading_compatible": True,
    "embedsignature": False,
}
LINK = re.compile(r"!?\[([^]]*)\]\(([^)#]+)[^)]*\)")


class OptionalBuild(build_ext):
    """Translates and compiles, on all cores; where there is no compiler, nothing. A compiler that is there and fails is an error."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        if self.extensions and not has_compiler():
            print("gosched: no C compiler; the pure build is used")
            self.extensions = []
        if self.extensions:
            translate(self.extensions)
        super().run()


def has_compiler() -> bool:
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return shutil.which(command.split()[0]) is not None


def extensions() -> list[Extension]:
    if os.environ.get("GOSCHED_PURE", "") not in ("", "0"):
        return []
    stems = sorted(pxd.stem for pxd in CORE.glob("*.pxd") if pxd.with_suffix(".py").exists())  # words.pxd only declares
    return [extension(stem) for stem in stems]


def extension(stem: str) -> Extension:
    return Extension(
        f"gosched.core.{stem}",
        [source_of(stem).as_posix()],
        include_dirs=[CORE.as_posix()],
        depends=[path.as_posix() for path in sorted(CORE.glob("*.h"))],
        extra_compile_args=["-O3", "-g0", "-fno-plt", "-Wno-unused-function"],
    )


def source_of(stem: str) -> Path:
    pyx = CORE / f"{stem}.pyx"
    return pyx if pyx.exists() else CORE / f"{stem}.py"


def translate(modules: list[Extension]) -> None:
    """Into C, which becomes their source. Only when something is compiled: who asks for the metadata does not wait for it."""
    from Cython.Build import cythonize

    stamp = BUILD / "translated"  # Cython would do it all again for another Python: its own files are younger in a new venv
    if not stamp.exists() or stamp.read_text() != sources_now():
        cythonize(modules, compiler_directives=DIRECTIVES, build_dir=BUILD.as_posix(), quiet=True, nthreads=os.cpu_count() or 1)
        stamp.write_text(sources_now())
    for module in modules:
        module.sources = [(BUILD / source).with_suffix(".c").as_posix() for source in module.sources]


def sources_now() -> str:
    """What C is made of, and by what: the same text, the same C."""
    from Cython import __version__

    files = sorted(path for path in (Path("setup.py"), *CORE.glob("*.p*"), *CORE.glob("*.h")) if path.is_file())
    return "\n".join([__version__, *(f"{path} {path.stat().st_mtime_ns}" for path in files)])


def description() -> str:
    """The README for a package index, where what points into the checkout leads nowhere: of such links and pictures the words are left."""
    return LINK.sub(lambda link: link[1] if Path(link[2]).exists() else link[0], Path("README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":  # Cython's helper processes import this file, too
    setup(
        ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild}, long_description=description(), long_description_content_type="text/markdown"
    )
