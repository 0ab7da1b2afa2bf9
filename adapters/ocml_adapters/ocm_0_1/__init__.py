"""OpenChatML 0.1: conversations, thoughts, function calling, fill-in-the-middle and file sequences as text."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .edges import DIALECTS
from .fit import fit
from .reader import read
from .sniff import sniff
from .syntax import HOME
from .writer import write

ADAPTER = Adapter(
    id=HOME,
    title="OpenChatML 0.1",
    kind=Kind.TEXT,
    home=HOME,
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
    capabilities=holds(
        Feature.SYSTEM,
        Feature.UNKNOWN_ROLES,
        Feature.NAMES,
        Feature.THOUGHTS,
        Feature.THOUGHT_KINDS,
        Feature.CALLS,
        Feature.PARALLEL_CALLS,
        Feature.RAW_CALLS,
        Feature.REPLIES,
        Feature.TOOLS,
        Feature.TOOL_SCHEMAS,
        Feature.GROUPING,
        Feature.FLAGS,
        Feature.INFILL,
        Feature.FILES,
        Feature.OPEN_TURN,
        partly=(Feature.INTENTS, Feature.CONSTRAINTS, Feature.TRUNCATION, Feature.CONTROL_TOKENS),
    ),
    dialects=tuple(DIALECTS),
)
