"""`python -m gosched.bench`."""

import sys

from gosched.bench.run import main

sys.exit(main())
