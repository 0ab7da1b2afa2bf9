"""InternLM2-Chat: ChatML's frames with tool calls, a code interpreter and an environment."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .fit import fit
from .reader import read, sniff
from .syntax import HOME, SPELLINGS
from .writer import write

ADAPTER = Adapter(
    id="internlm2",
    title="InternLM2-Chat",
    kind=Kind.TEXT,
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
)
