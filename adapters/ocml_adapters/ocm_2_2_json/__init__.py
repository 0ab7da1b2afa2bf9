"""OpenChatML 2.2, JSON interchange (§10)."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .fit import fit
from .reader import read, sniff
from .syntax import HOME
from .writer import write

ADAPTER = Adapter(
    id="ocm-2.2-json",
    title="OpenChatML 2.2, JSON interchange",
    kind=Kind.JSON,
    home=HOME,
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
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
