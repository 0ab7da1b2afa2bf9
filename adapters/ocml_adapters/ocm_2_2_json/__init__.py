"""OpenChatML 2.2, JSON interchange (§10)."""

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
