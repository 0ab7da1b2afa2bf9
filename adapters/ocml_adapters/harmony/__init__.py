"""Harmony (OpenChatML 2.2 §12, HIP-1), as text and as token ids."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from . import tokens
from .fit import fit
from .reader import read, sniff
from .syntax import DIALECTS, HOME
from .writer import write

_HOLDS = holds(
    Feature.SYSTEM,
    Feature.DEVELOPER,
    Feature.THOUGHTS,
    Feature.CHANNELS,
    Feature.CALLS,
    Feature.PARALLEL_CALLS,
    Feature.RAW_CALLS,
    Feature.REPLIES,
    Feature.TOOLS,
    Feature.ENDINGS,
    Feature.TRUNCATION,
    Feature.OPEN_TURN,
    Feature.CONTROL_TOKENS,
    partly=(Feature.TOOL_SCHEMAS, Feature.CONSTRAINTS, Feature.INTENTS),
)

ADAPTER = Adapter(
    id="harmony",
    title="Harmony",
    kind=Kind.TEXT,
    home=HOME,
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
    capabilities=_HOLDS,
    dialects=DIALECTS,
)

TOKENS = Adapter(
    id="harmony-tokens",
    title="Harmony, token ids",
    kind=Kind.JSON,
    home=HOME,
    read=tokens.read,
    fit=tokens.fit,
    write=tokens.write,
    sniff=tokens.sniff,
    capabilities=_HOLDS,
    dialects=DIALECTS,
)
