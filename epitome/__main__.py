"""`python -m epitome`: the same as the command `epitome`."""

import sys

from epitome.cli.main import main

sys.exit(main())
