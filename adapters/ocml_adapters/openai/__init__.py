"""OpenAI messages: the JSON of Chat Completions, as a bare list, a request, a response, or fine-tuning data."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .fit import fit
from .reader import read
from .shapes import sniff
from .syntax import HOME
from .writer import write

ADAPTER = Adapter(
    id="openai",
    title="OpenAI messages",
    kind=Kind.JSON,
    home=HOME,
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
    capabilities=holds(
        *(Feature.SYSTEM, Feature.DEVELOPER, Feature.UNKNOWN_ROLES, Feature.NAMES, Feature.THOUGHTS),
        *(Feature.CALLS, Feature.PARALLEL_CALLS, Feature.RAW_CALLS, Feature.CALL_IDS, Feature.REPLIES),
        *(Feature.TOOLS, Feature.TOOL_SCHEMAS, Feature.GROUPING, Feature.MEDIA, Feature.REFUSALS),
        Feature.CONTROL_TOKENS,
        partly=(Feature.INTENTS, Feature.CONSTRAINTS),
    ),
)
