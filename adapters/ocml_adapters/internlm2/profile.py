"""Define the prompts of InternLM2: the messages unchanged, after the token that begins a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.formats.prompting import HostedTool, Profiled
from ocml_bridge.model import ByFormat, Json, Message, Transcript, replace

from .syntax import HOME

BOS: Final = "<s>"


def internlm2(transcript: Transcript, _date: str | None, _hosted: Sequence[HostedTool]) -> Profiled:
    """Return the messages unchanged, with `<s>` before the first frame."""
    origins = tuple(f"/messages/{index}" for index in range(len(transcript.messages)))
    return Profiled(_with_bos(transcript), (), origins)


def _with_bos(transcript: Transcript) -> Transcript:
    messages = transcript.messages
    if transcript.tools and not (messages and messages[0].role == "system"):
        return replace(transcript, layout=_with(transcript.layout, {"tools": {"gap": BOS}}))
    if messages:
        return replace(transcript, messages=(_after_bos(messages[0]), *messages[1:]))
    turn = transcript.open_turn
    return transcript if turn is None else replace(transcript, open_turn=_after_bos(turn))


def _after_bos(message: Message) -> Message:
    return replace(message, layout=_with(message.layout, {"gap": BOS}))


def _with(layout: ByFormat | None, edges: dict[str, Json]) -> ByFormat:
    return {**(layout or {}), HOME: edges}
