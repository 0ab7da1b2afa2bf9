"""Transcript → OpenChatML 2.2 text. It spells an image; what can be held is decided in `fit`."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Message, Transcript
from ocml_bridge.text import developer
from ocml_bridge.turns import is_thought

from .body import encode
from .document import render_header as render_document_header
from .header import render_header
from .spelling import header_of, is_bare, own
from .syntax import HOME, MESSAGE, START, TERMINATORS


def write(document: Document, options: Options, log: Log) -> Source:
    """The text of a transcript that the format can hold."""
    transcript = cast("Transcript", document)
    layout, extras = own(transcript.layout), own(transcript.extras)
    out = [front_of(transcript)]
    made = layout.get("tools_message")
    messages = developer.spell(transcript, cast("str | None", layout.get("tools")), {HOME: made} if made else None)
    for index, message in enumerate(messages):
        out += (gap_of(message) if index else "", frame_of(message))
    if transcript.open_turn is not None:
        out += (gap_of(transcript.open_turn) if messages else "", START, _header(transcript.open_turn))
    elif messages and messages[-1].end is not None:
        out.append(cast("str", extras.get("tail", layout.get("tail", "\n"))))
    return "".join(out)


def front_of(transcript: Transcript) -> str:
    """What stands before the first frame."""
    if is_bare(transcript):
        kept = own(transcript.extras).get("front", own(transcript.layout).get("front", ""))
        return cast("str", kept)
    said = header_of(transcript)
    return cast("str", own(said.header.layout).get("raw")) or render_document_header(said)


def gap_of(message: Message) -> str:
    """What stands between a frame and the one before it."""
    return cast("str", own(message.extras).get("before", own(message.layout).get("gap", "\n")))


def _header(message: Message) -> str:
    unknown = cast("dict[str, str] | None", own(message.extras).get("attributes"))
    return cast("str | None", own(message.layout).get("header")) or render_header(message, unknown)


def frame_of(message: Message) -> str:
    """The frame of a message that the format can hold."""
    layout = own(message.layout)
    body = layout.get("body")
    if body is None:
        body = encode(message.content, marked=is_thought(message))
    end = layout.get("end") or (TERMINATORS[message.end] if message.end is not None else "")
    return f"{START}{_header(message)}{MESSAGE}{body}{end}"
