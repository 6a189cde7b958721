"""`python -m gosched`: the command line."""

import sys

from gosched.cli import main

sys.exit(main())
