"""InternLM2-Chat, as text and as token ids: ChatML's frames with tool calls, a code interpreter and an environment."""

from __future__ import annotations

from dataclasses import replace

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind
from ocml_bridge.formats.prompting import ChatTemplate

from .syntax import DIALECTS, FRAME_MARKS, HOME

_BY_THE_PAGE = ChatTemplate(
    Lazy(f"{__name__}.profile:internlm2"),
    families=("internlm2-chat", "internlm2_5-chat"),
)
_VLLM = replace(
    _BY_THE_PAGE,
    dialect="vllm",
    families=("internlm2-chat, internlm2_5-chat as vLLM prompts them",),
    sources={
        "tool_chat_template_internlm2_tool.jinja": "e00f16381b76d36b914c5da339c7835da4a7602271e269b0990dd9ccee442b0f"
    },
)
_LAGENT = replace(_BY_THE_PAGE, dialect="lagent", families=("internlm2-chat, internlm2_5-chat as lagent prompts them",))

ADAPTER = Adapter(
    id="internlm2",
    title="InternLM2-Chat",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.reader:FramesReader"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    dialects=tuple(DIALECTS),
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    decoders={"internlm2": Lazy(f"{__name__}.stream:decoder")},
    encoders={"internlm2": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    profiles={"internlm2": _BY_THE_PAGE, "internlm2-vllm": _VLLM, "internlm2-lagent": _LAGENT},
    frame_marks=FRAME_MARKS,
)

TOKENS = Adapter(
    id="internlm2-tokens",
    title="InternLM2-Chat, token ids",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.token_units:IdsReader"),
    writes_units=Lazy(f"{__name__}.token_units:IdFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_tokens"),
    split=Lazy(f"{__name__}.token_units:split"),
    frame_marks=FRAME_MARKS,
)
