"""What is kept of how a 2.2 text was spelled: only what still says the same, and differs from how we would spell it."""

from __future__ import annotations

from typing import cast

from ocml_bridge.errors import BridgeError
from ocml_bridge.model import ByFormat, Json, Message, Tools, Transcript, replace
from ocml_bridge.text import attributes, developer
from ocml_bridge.text.typescript import parse_tools, render_tools
from ocml_bridge.turns import is_call, is_reply, is_thought, lower_tools

from .body import decode, encode
from .document import GENERATION, PLAIN, DocumentHeader
from .document import parse_header as parse_document_header
from .document import render_header as render_document_header
from .frames import Frame, begins, frames
from .header import parse_header, render_header
from .syntax import ATTRIBUTES, CHANNEL, CONSTRAIN, HOME, MAX_FRAME_HEADER, START, TERMINATORS, TOKEN, ending


def own(by_format: ByFormat | None) -> dict[str, Json]:
    """What a document or message keeps under this format's id."""
    return (by_format or {}).get(HOME) or {}


def _kept(values: dict[str, Json]) -> ByFormat | None:
    return {HOME: values} if values else None


def message_extras(extras: ByFormat | None, *, first: bool) -> ByFormat | None:
    """Attributes that §6 does not know, and text that stands before the message."""
    kept: dict[str, Json] = {}
    unknown, before = own(extras).get("attributes"), own(extras).get("before")
    if isinstance(unknown, dict) and _are_attributes(cast("dict[str, Json]", unknown)):
        kept["attributes"] = unknown
    if isinstance(before, str) and before.strip() and not first and _is_outside(before) and begins(before) < 0:
        kept["before"] = before
    return _kept(kept)


def _are_attributes(unknown: dict[str, Json]) -> bool:
    return bool(unknown) and all(
        attributes.is_safe(key) and "=" not in key and key not in ATTRIBUTES and isinstance(value, str) and _fits(value)
        for key, value in unknown.items()
    )


def _fits(value: str) -> bool:
    return value == "" or attributes.is_safe(value)


def _is_outside(text: str) -> bool:
    return TOKEN.search(text) is None and not text.endswith("<")


def message_layout(layout: ByFormat | None, message: Message, *, first: bool) -> ByFormat | None:
    """The raw spelling of header, body, terminator and gap, for a message as the format holds it."""
    mine = own(layout)
    kept: dict[str, Json] = {}
    raw = mine.get("header")
    if isinstance(raw, str) and _is_header(raw, message):
        kept["header"] = raw
    raw = mine.get("body")
    if isinstance(raw, str) and _is_body(raw, message):
        kept["body"] = raw
    raw = mine.get("end")
    if isinstance(raw, str) and _is_end(raw, message):
        kept["end"] = raw
    raw = mine.get("gap")
    if isinstance(raw, str) and not raw.strip() and raw != "\n" and not first and "before" not in own(message.extras):
        kept["gap"] = raw
    if message.call_id is None and (is_call(message) or is_reply(message)):
        kept["call_id"] = "absent"
    return _kept(kept)


def _is_header(raw: str, message: Message) -> bool:
    unknown = cast("dict[str, str]", own(message.extras).get("attributes") or {})
    if raw == render_header(message, unknown) or len(raw) > MAX_FRAME_HEADER:
        return False
    if any(token not in (CHANNEL, CONSTRAIN) for token in TOKEN.findall(raw)):
        return False
    try:
        fields = parse_header(raw, 0)
    except BridgeError:
        return False
    said = {name: getattr(message, name) for name in (*ATTRIBUTES.values(), "role", "channel", "constraint")}
    return fields.values == {k: v for k, v in said.items() if v is not None} and fields.unknown == unknown


def _is_body(raw: str, message: Message) -> bool:
    marked = is_thought(message)
    if raw == encode(message.content, marked=marked) or decode(raw, marked=marked) != message.content:
        return False
    # It must stay one body: read as a frame it is all there, up to the terminator that follows it.
    terminator = TERMINATORS["end"] if message.end is not None else ""
    try:
        found = list(frames(f"{START}user<|message|>{raw}{terminator}", 0))
    except BridgeError:
        return False
    return len(found) == 2 and isinstance(found[0], Frame) and found[0].body == raw and found[1] == ""


def _is_end(raw: str, message: Message) -> bool:
    if message.end is None or ending(raw) != message.end or "".join(TOKEN.findall(raw)) != raw:
        return False
    doubled = raw in (TERMINATORS["call"] + TERMINATORS["end"], TERMINATORS["return"] + TERMINATORS["end"])
    return doubled or (raw == TERMINATORS["end"] and message.channel == "final" and message.role == "assistant")


def header_of(transcript: Transcript) -> DocumentHeader:
    """The document header that a transcript gets; what counts the tokens of an answer has no place in one."""
    settings, others = transcript.settings, own(transcript.extras).get(GENERATION)
    held = None if settings is None or settings.usage is None else replace(settings, usage=None)
    return DocumentHeader(
        transcript.header or PLAIN.header,
        settings if held is None else held,
        cast("dict[str, Json]", others) if isinstance(others, dict) else None,
    )


def header_layout(layout: ByFormat | None, said: DocumentHeader, *, alone: bool) -> ByFormat | None:
    """The header's raw text, with its comments."""
    raw = own(layout).get("raw")
    if not isinstance(raw, str) or START in raw.split("\n")[0] or f"\n{START}" in raw:
        return None
    if not alone and not raw.endswith("\n"):
        return None
    try:
        found = parse_document_header(raw)
    except BridgeError:
        return None
    return _kept({"raw": raw}) if found == said and render_document_header(said) != raw else None


def is_bare(transcript: Transcript) -> bool:
    """Whether a transcript was read from text without a header, and is written without."""
    return own(transcript.layout).get("header") == "absent" and header_of(transcript) == PLAIN


def document_extras(document: Transcript, image: Transcript) -> ByFormat | None:
    """Text before the first message that is no header, and text behind the last one."""
    mine = own(document.extras)
    kept: dict[str, Json] = {}
    front, tail = mine.get("front"), mine.get("tail")
    some = bool(image.messages) or image.open_turn is not None
    if isinstance(front, str) and front.strip() and some and is_bare(document) and _is_front(front):
        kept["front"] = front
    if isinstance(tail, str) and tail.strip() and image.messages and image.open_turn is None and _is_outside(tail):
        kept["tail"] = tail
    return _kept({**own(image.extras), **kept})


def _is_front(front: str) -> bool:
    try:
        return front.endswith("\n") and _is_outside(front) and parse_document_header(front) is None
    except BridgeError:
        return False


def document_layout(layout: ByFormat | None, image: Transcript) -> ByFormat | None:
    """Whether there is a header, the white space around the messages, and how the tools were spelled."""
    mine = own(layout)
    kept: dict[str, Json] = {}
    some = bool(image.messages) or image.open_turn is not None
    if mine.get("header") == "absent" and header_of(image) == PLAIN:
        kept["header"] = "absent"
        front = mine.get("front")
        if isinstance(front, str) and front and not front.strip() and "front" not in own(image.extras):
            kept["front"] = front
    tail = mine.get("tail")
    closed = bool(image.messages) and image.open_turn is None and image.messages[-1].end is not None
    if isinstance(tail, str) and not tail.strip() and tail != "\n" and closed and "tail" not in own(image.extras):
        kept["tail"] = tail
    raw = mine.get("tools")
    if isinstance(raw, str) and some | bool(image.tools) and _is_tools(raw, image):
        kept["tools"] = raw
    made = mine.get("tools_message")
    if isinstance(made, dict):
        spelled = _tools_message(cast("dict[str, Json]", made), image, cast("str | None", kept.get("tools")))
        if spelled is not None:
            kept["tools_message"] = spelled[HOME]
    return _kept(kept)


def _tools_message(layout: dict[str, Json], image: Transcript, raw: str | None) -> ByFormat | None:
    """The spelling of the developer message that holds nothing but the tools, where there is one."""
    if image.tools is None:
        return None
    bare, text = Message("developer", (Tools(image.tools),)), developer.join((Tools(image.tools),), raw)
    at = next((at for at, message in enumerate(lower_tools(image)) if message == bare), None)
    return None if at is None else message_layout({HOME: layout}, Message("developer", text), first=at == 0)


def _is_tools(raw: str, image: Transcript) -> bool:
    if not image.tools or raw == render_tools(image.tools) or not raw.startswith(developer.SECTION):
        return False
    parsed = parse_tools(raw, lenient=True)
    return parsed is not None and parsed.tools == image.tools and not parsed.descriptions
