"""internlm2: a request as these models are prompted with it, which is as it is, behind the token that begins a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.formats.prompting import HostedTool, Profiled
from ocml_bridge.model import ByFormat, Json, Message, Transcript, replace

from .syntax import HOME

BOS: Final = "<s>"


def internlm2(transcript: Transcript, _date: str | None, _hosted: Sequence[HostedTool]) -> Profiled:
    """The messages as they are; whatever frame is the first one has `<s>` before it."""
    origins = tuple(f"/messages/{index}" for index in range(len(transcript.messages)))
    return Profiled(_behind_bos(transcript), (), origins)


def _behind_bos(transcript: Transcript) -> Transcript:
    messages = transcript.messages
    if transcript.tools and not (messages and messages[0].role == "system"):
        return replace(transcript, layout=_with(transcript.layout, {"tools": {"gap": BOS}}))
    if messages:
        return replace(transcript, messages=(_without_opening(messages[0]), *messages[1:]))
    turn = transcript.open_turn
    return transcript if turn is None else replace(transcript, open_turn=_without_opening(turn))


def _without_opening(message: Message) -> Message:
    return replace(message, layout=_with(message.layout, {"gap": BOS}))


def _with(layout: ByFormat | None, edges: dict[str, Json]) -> ByFormat:
    return {**(layout or {}), HOME: edges}
