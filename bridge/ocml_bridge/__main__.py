"""`python -m ocml_bridge` is `ocml-convert`."""

from __future__ import annotations

import sys

from .cli import main

sys.exit(main())
