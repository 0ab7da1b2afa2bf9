"""The adapter of the JSON interchange of OpenChatML 2.2 (§10): a list of message objects.

`reader.py` and `objects.py` read and write one object, `nearest.py` fits messages to it, and `units.py` reads and
writes documents. `docs/formats/ocm-2.2-json.md` describes the mapping.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import HOME

ADAPTER = Adapter(
    id="ocm-2.2-json",
    title="OpenChatML 2.2, JSON interchange",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:ObjectReader"),
    writes_units=Lazy(f"{__name__}.units:ObjectWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
)
