"""What this interpreter and this build of gosched can do, for tests of what not all of them can."""

from __future__ import annotations

import sysconfig

import pytest

import gosched

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
COMPILED = gosched.__build__ == "compiled"
# The pure build without a GIL: docs/limits.md has what it cannot do.
BARE = FREE_THREADED and not COMPILED

NEVER_TOLD = pytest.mark.skipif(BARE, reason="a pure build on a free-threaded Python cannot tell a hog to end")
needs_frames = pytest.mark.skipif(BARE, reason="a pure build on a free-threaded Python cannot see the frames of others")
