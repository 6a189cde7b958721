"""Programs to look at, started as a user would."""

from __future__ import annotations

from tests.dumps.conftest import ended as ended
from tests.dumps.conftest import start as start
