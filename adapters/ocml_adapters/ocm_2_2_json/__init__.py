"""OpenChatML 2.2, JSON interchange (§10)."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds
from ocml_bridge.lazy import Lazy

from .syntax import HOME

ADAPTER = Adapter(
    id="ocm-2.2-json",
    title="OpenChatML 2.2, JSON interchange",
    kind=Kind.JSON,
    home=HOME,
    read=Lazy(f"{__name__}.reader:read"),
    fit=Lazy(f"{__name__}.fit:fit"),
    write=Lazy(f"{__name__}.writer:write"),
    reads_units=Lazy(f"{__name__}.units:ObjectReader"),
    writes_units=Lazy(f"{__name__}.units:ObjectWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    capabilities=holds(
        Feature.SYSTEM,
        Feature.DEVELOPER,
        Feature.UNKNOWN_ROLES,
        Feature.NAMES,
        Feature.THOUGHTS,
        Feature.THOUGHT_KINDS,
        Feature.CHANNELS,
        Feature.CALLS,
        Feature.PARALLEL_CALLS,
        Feature.RAW_CALLS,
        Feature.CALL_IDS,
        Feature.REPLIES,
        Feature.TOOLS,
        Feature.INTENTS,
        Feature.CONTROL_TOKENS,
        partly=(Feature.TOOL_SCHEMAS, Feature.CONSTRAINTS, Feature.GROUPING),
    ),
)
