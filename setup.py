"""Builds the extension modules: every module of gosched.core that has a .pxd beside it. The rest of the metadata is in pyproject.toml.

GOSCHED_PURE=1 builds none of them, and so does a machine without a C compiler, which is then said in one line.
"""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, ExecError, PlatformError

CORE = Path("src/gosched/core")
BUILD = Path("build/cython")
HEADERS = ("native.h", "pynative.h", "bodies.h", "interp.h", "parked.h", "frames.h", "reach.h", "kernel.h", "watch.h", "attached.h", "trail.h")
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


class OptionalBuild(build_ext):
    """Falls back to the pure build where nothing compiles. A compiler that is there and fails is an error."""

    def run(self) -> None:
        try:
            super().run()
        except (CompileError, ExecError, PlatformError) as error:
            if self.has_compiler():
                raise
            print(f"gosched: no C compiler ({error}); the pure build is used")
            self.extensions = []

    def has_compiler(self) -> bool:
        import shutil

        command = (getattr(self.compiler, "compiler", None) or ["cc"])[0]
        return shutil.which(command) is not None


def extensions() -> list[Extension]:
    if os.environ.get("GOSCHED_PURE", "") not in ("", "0"):
        return []
    from Cython.Build import cythonize

    stems = sorted(pxd.stem for pxd in CORE.glob("*.pxd") if pxd.with_suffix(".py").exists())  # words.pxd only declares
    stamp = BUILD / "translated"  # Cython would do it all again for another Python: its own files are younger in a new venv
    if stamp.exists() and stamp.read_text() == sources_now():
        return [extension(stem, BUILD / CORE / f"{stem}.c") for stem in stems]
    found = [extension(stem, source_of(stem)) for stem in stems]
    modules: list[Extension] = cythonize(found, compiler_directives=DIRECTIVES, build_dir=BUILD.as_posix(), quiet=True, nthreads=os.cpu_count() or 1)
    stamp.write_text(sources_now())
    return modules


def source_of(stem: str) -> Path:
    pyx = CORE / f"{stem}.pyx"
    return pyx if pyx.exists() else CORE / f"{stem}.py"


def extension(stem: str, source: Path) -> Extension:
    return Extension(
        f"gosched.core.{stem}",
        [source.as_posix()],
        include_dirs=[CORE.as_posix()],
        depends=[(CORE / name).as_posix() for name in HEADERS],
        extra_compile_args=["-O3", "-g0", "-fno-plt", "-Wno-unused-function"],
    )


def sources_now() -> str:
    """What C is made of, and by what: the same text, the same C."""
    from Cython import __version__

    files = sorted(path for path in (Path("setup.py"), *CORE.glob("*.p*"), *CORE.glob("*.h")) if path.is_file())
    return "\n".join([__version__, *(f"{path} {path.stat().st_mtime_ns}" for path in files)])


if __name__ == "__main__":  # Cython's helper processes import this file, too
    setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
