"""OpenAI's ChatML v0: raw text, and its list of tokens and strings."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Feature, Kind, holds

from .fit import fit_list, fit_text
from .reader import read_list, read_text, sniff_list, sniff_text
from .syntax import HOME
from .writer import write_list, write_text

_HELD = (
    Feature.SYSTEM,
    Feature.DEVELOPER,
    Feature.UNKNOWN_ROLES,
    Feature.NAMES,
    Feature.REPLIES,
    Feature.OPEN_TURN,
)

ADAPTER = Adapter(
    id="chatml",
    title="ChatML",
    kind=Kind.TEXT,
    home=HOME,
    read=read_text,
    fit=fit_text,
    write=write_text,
    sniff=sniff_text,
    capabilities=holds(*_HELD, partly=(Feature.TRUNCATION, Feature.CONTROL_TOKENS)),
    dialects=("openai",),
)

JSON = Adapter(
    id="chatml-json",
    title="ChatML as a list of tokens and strings",
    kind=Kind.JSON,
    home=HOME,
    read=read_list,
    fit=fit_list,
    write=write_list,
    sniff=sniff_list,
    capabilities=holds(*_HELD, Feature.CONTROL_TOKENS, partly=(Feature.TRUNCATION,)),
)
