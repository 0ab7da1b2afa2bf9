"""InternLM2-Chat: ChatML's frames with tool calls, a code interpreter and an environment."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds
from ocml_bridge.lazy import Lazy

from .syntax import HOME, SPELLINGS

ADAPTER = Adapter(
    id="internlm2",
    title="InternLM2-Chat",
    kind=Kind.TEXT,
    home=HOME,
    read=Lazy(f"{__name__}.reader:read"),
    fit=Lazy(f"{__name__}.fit:fit"),
    write=Lazy(f"{__name__}.writer:write"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    capabilities=holds(
        Feature.SYSTEM,
        Feature.DEVELOPER,
        Feature.UNKNOWN_ROLES,
        Feature.NAMES,
        Feature.CALLS,
        Feature.PARALLEL_CALLS,
        Feature.RAW_CALLS,
        Feature.REPLIES,
        Feature.TOOLS,
        Feature.TOOL_SCHEMAS,
        Feature.GROUPING,
        Feature.OPEN_TURN,
        partly=(Feature.CONTROL_TOKENS, Feature.INTENTS, Feature.CONSTRAINTS, Feature.TRUNCATION),
    ),
    dialects=tuple(SPELLINGS),
    decoders={"internlm2": Lazy(f"{__name__}.stream:decoder")},
    encoders={"internlm2": Lazy(f"{__name__}.encode:encoder")},
)
