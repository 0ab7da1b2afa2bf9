"""The adapter of the canonical form as JSON, which is always lossless.

`units.py` reads and writes documents; `earlier.py` moves what earlier versions stored in other places.
`docs/formats/canonical.md` describes the form.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import FORMAT

ADAPTER = Adapter(
    id=FORMAT,
    title="Canonical form",
    kind=Kind.JSON,
    home=FORMAT,
    reads_units=Lazy(f"{__name__}.units:DocumentReader"),
    writes_units=Lazy(f"{__name__}.units:DocumentWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.units:split"),
)
