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

    found = []
    for pxd in sorted(CORE.glob("*.pxd")):
        source = pxd.with_suffix(".pyx") if pxd.with_suffix(".pyx").exists() else pxd.with_suffix(".py")
        found.append(
            Extension(
                f"gosched.core.{pxd.stem}",
                [source.as_posix()],
                include_dirs=[CORE.as_posix()],
                depends=[(CORE / name).as_posix() for name in ("native.h", "pynative.h", "watch.h", "attached.h")],
                extra_compile_args=["-O3", "-fno-plt", "-Wno-unused-function"],
            )
        )
    modules: list[Extension] = cythonize(found, compiler_directives=DIRECTIVES, build_dir="build/cython", quiet=True)
    return modules


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
