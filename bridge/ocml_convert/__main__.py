"""`python -m ocml_convert` is the command `ocml-convert`."""

import sys

from .command import main

sys.exit(main())
