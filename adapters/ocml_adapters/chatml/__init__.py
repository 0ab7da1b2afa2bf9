"""OpenAI's ChatML v0: raw text, and its list of tokens and strings."""

from __future__ import annotations

from ocml_bridge.adapter import Adapter, Kind
from ocml_bridge.lazy import Lazy

from .syntax import HOME, OPENAI

ADAPTER = Adapter(
    id="chatml",
    title="ChatML",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.text_reader:TextReader"),
    writes_units=Lazy(f"{__name__}.units:frames_writer"),
    sniff=Lazy(f"{__name__}.sniff:sniff_text"),
    split=Lazy(f"{__name__}.reader:split_text"),
    dialects=(OPENAI, "hermes", "nous", "qwen-xml", "lfm2"),
    dialect_of=Lazy(f"{__name__}.around:dialect_of"),
    decoders={"chatml": Lazy(f"{__name__}.stream:decoder")},
    encoders={"chatml": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
)

JSON = Adapter(
    id="chatml-json",
    title="ChatML as a list of tokens and strings",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:ListReader"),
    writes_units=Lazy(f"{__name__}.units:ListFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_list"),
    split=Lazy(f"{__name__}.reader:split_list"),
)
