"""The canonical form itself, as JSON: always lossless."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Kind
from ocml_bridge.lazy import Lazy

ADAPTER = Adapter(
    id="canonical",
    title="Canonical form",
    kind=Kind.JSON,
    home="canonical",
    read=Lazy(f"{__name__}.reader:read"),
    write=Lazy(f"{__name__}.writer:write"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
)
