"""OpenChatML 0.1: conversations, thoughts, function calling, fill-in-the-middle and file sequences as text."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds
from ocml_bridge.lazy import Lazy

from .syntax import DIALECTS, HOME

ADAPTER = Adapter(
    id=HOME,
    title="OpenChatML 0.1",
    kind=Kind.TEXT,
    home=HOME,
    read=Lazy(f"{__name__}.reader:read"),
    fit=Lazy(f"{__name__}.fit:fit"),
    write=Lazy(f"{__name__}.writer:write"),
    reads_units=Lazy(f"{__name__}.parts:FrameParts"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
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
    dialects=DIALECTS,
    decoders={HOME: Lazy(f"{__name__}.stream:decoder")},
    encoders={HOME: Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
)
