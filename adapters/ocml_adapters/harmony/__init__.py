"""Harmony (OpenChatML 2.2 §12, HIP-1), as text and as token ids."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.adapter import Adapter, Comparison, Feature, Kind, Options, Source, holds
from ocml_bridge.events import Decoder

from . import tokens
from .fit import fit
from .reader import read, sniff
from .syntax import DIALECTS, HOME
from .writer import write

_HELD = (
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
    Feature.OPEN_TURN,
)
_PARTLY = (
    Feature.TOOL_SCHEMAS,
    Feature.CONSTRAINTS,
    Feature.INTENTS,
    Feature.TRUNCATION,
    Feature.GROUPING,
)


def _compare(source: Source) -> Sequence[Comparison]:
    # Imported here: nothing else needs the official library to read.
    from .official import compare

    return compare(source)


def _decoder(options: Options) -> Decoder:
    from .stream import decoder

    return decoder(options)


def _token_decoder(options: Options) -> Decoder:
    from .stream import token_decoder

    return token_decoder(options)


ADAPTER = Adapter(
    id="harmony",
    title="Harmony",
    kind=Kind.TEXT,
    home=HOME,
    read=read,
    fit=fit,
    write=write,
    sniff=sniff,
    capabilities=holds(*_HELD, partly=(*_PARTLY, Feature.CONTROL_TOKENS)),
    dialects=DIALECTS,
    compare=_compare,
    decoders={"harmony": _decoder},
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
    capabilities=holds(*_HELD, Feature.CONTROL_TOKENS, partly=_PARTLY),
    dialects=DIALECTS,
    compare=_compare,
    decoders={"harmony-tokens": _token_decoder},
)
