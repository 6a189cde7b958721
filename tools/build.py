"""Builds the extension modules in place, and puts src on the venv's path and `gosched` into its bin: what `make setup` calls.

Says one line when there is no C compiler, and the pure build is used then. The output of the compiler is shown only if it fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def link_source() -> None:
    """`import gosched` in this venv finds the checkout."""
    Path(sysconfig.get_paths()["purelib"], "gosched-checkout.pth").write_text(f"{ROOT / 'src'}\n")


def make_command() -> None:
    """`gosched`, as an installed package has it."""
    command = Path(sysconfig.get_path("scripts"), "gosched")
    command.write_text(f"#!{sys.executable}\nimport sys\n\nfrom gosched.cli import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n")
    command.chmod(0o755)


def has_compiler() -> bool:
    return shutil.which(os.environ.get("CC", "").split(" ")[0] or (sysconfig.get_config_var("CC") or "cc").split()[0]) is not None


def build() -> int:
    if os.environ.get("GOSCHED_PURE", "") not in ("", "0") or not has_compiler():
        print("gosched: no C compiler found (or GOSCHED_PURE is set): the pure build is used")
        return 0
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", f"-j{os.cpu_count() or 1}"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        print("gosched: the compiled core did not build; see above. GOSCHED_PURE=1 make … uses the pure build", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    link_source()
    make_command()
    sys.exit(build())
