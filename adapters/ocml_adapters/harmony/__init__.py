"""Harmony (OpenChatML 2.2 §12, HIP-1), as text and as token ids."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Kind
from ocml_bridge.lazy import Lazy

from .syntax import DIALECTS, HOME

_PROFILES = {"gpt-oss": Lazy(f"{__name__}.profile:gpt_oss")}

ADAPTER = Adapter(
    id="harmony",
    title="Harmony",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:FramesReader"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    dialects=DIALECTS,
    compare=Lazy(f"{__name__}.official:compare"),
    decoders={"harmony": Lazy(f"{__name__}.stream:decoder")},
    encoders={"harmony": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    profiles=_PROFILES,
)

TOKENS = Adapter(
    id="harmony-tokens",
    title="Harmony, token ids",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.token_units:TokenFramesReader"),
    writes_units=Lazy(f"{__name__}.token_units:TokenFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_tokens"),
    split=Lazy(f"{__name__}.token_units:split"),
    dialects=DIALECTS,
    compare=Lazy(f"{__name__}.official:compare"),
    decoders={"harmony-tokens": Lazy(f"{__name__}.stream:token_decoder")},
    profiles=_PROFILES,
)
