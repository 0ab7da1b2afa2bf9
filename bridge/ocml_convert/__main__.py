"""`python -m ocml_convert` is the command `ocml-convert`."""

import sys

from ocml_bridge.cli import main

sys.exit(main())
