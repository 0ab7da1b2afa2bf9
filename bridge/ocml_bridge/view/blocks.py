"""Make blocks of a message's content: text, JSON, code, and cards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from ..chat.turns import full_name, is_call, is_reply, parts_of
from ..chat.visibility import Visibility
from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.data_urls import data_url, split_data_url
from ..model import (
    FileBreak,
    Flags,
    Foreign,
    Infill,
    Json,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Text,
    Thought,
    Tool,
    Tools,
)
from .characters import visible


class Look(StrEnum):
    """The way in which a block is drawn."""

    PROSE = "prose"
    """Markdown, unless it is too long."""
    PLAIN = "plain"
    JSON = "json"
    CODE = "code"
    CARD = "card"
    """A title, some facts, and perhaps code."""
    MARK = "mark"
    """A word between blocks."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a message.

    Attributes:
        look: the way in which it is drawn.
        text: its text.
        title: its title; "" for none.
        facts: the names and values on a card.
        code: the code below the facts of a card.
        image: the data URL of a picture; "" for none.
        withheld: whether it is in place of hidden content.
    """

    look: Look
    text: str = ""
    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    code: str = ""
    image: str = ""
    withheld: bool = False


_PROSE_ROLES: Final = frozenset({"user", "assistant"})
_BIGGEST_JSON: Final = 1_000_000
"""The maximal number of characters of JSON that is formatted; longer JSON is shown unchanged."""
_LONGEST_REFERENCE: Final = 160


def blocks_of(message: Message, visibility: Visibility) -> tuple[Block, ...]:
    """Return the blocks of a visible message, with a mark for each hidden part."""
    return tuple(_blocks(message, visibility))


def _blocks(message: Message, visibility: Visibility) -> Iterator[Block]:
    for part in parts_of(message.content):
        hidden = visibility.hides_part(part)
        if hidden is not None:
            yield Block(Look.MARK, f"hidden: {hidden}", withheld=True)
            if isinstance(part, Thought):
                return
        elif isinstance(part, Text):
            if part.text:
                yield _text(message, part.text)
        else:
            yield from _drawn(part)


def _text(message: Message, text: str) -> Block:
    traffic = is_call(message) or is_reply(message)
    if traffic or "json" in {message.constraint, message.content_type}:
        laid_out = _json(text)
        if laid_out is not None:
            return Block(Look.JSON, visible(laid_out))
    if is_call(message) or message.content_type == "code":
        return Block(Look.CODE, visible(text))
    prose = message.role in _PROSE_ROLES and message.channel != "analysis"
    return Block(Look.PROSE if prose else Look.PLAIN, visible(text))


def _json(text: str) -> str | None:
    """Return a JSON object or list on several lines; None for any other text."""
    if len(text) > _BIGGEST_JSON or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return pretty(jsontext.loads(text))
    except BridgeError:
        return None


def pretty(value: Json) -> str:
    """Return a JSON value on several lines."""
    return jsontext.dumps(value, pretty=True).decode("utf-8", "replace")


def _drawn(part: Part) -> Iterator[Block]:
    if isinstance(part, Media):
        yield _media(part)
    elif isinstance(part, Refusal):
        yield Block(Look.PLAIN, visible(part.text), title="refusal")
    elif isinstance(part, Passages):
        yield _passages(part)
    elif isinstance(part, Infill):
        yield Block(Look.CODE, visible(part.prefix), title="before the gap")
        yield Block(
            Look.CODE, visible(part.middle or ""), title="to be filled in" if part.middle is None else "the gap"
        )
        yield Block(Look.CODE, visible(part.suffix), title="behind the gap")
    elif isinstance(part, FileBreak):
        yield Block(Look.MARK, "next file")
    elif isinstance(part, Flags):
        yield Block(Look.MARK, f"asks for thoughts: {', '.join(part.flags)}")
    elif isinstance(part, Thought):
        yield Block(Look.MARK, part.kind)
    elif isinstance(part, Tools):
        yield from map(block_of_tool, part.tools)
    elif isinstance(part, Foreign):
        yield _foreign(part)


def _foreign(part: Foreign) -> Block:
    """Return the card of a part that only one format has, with its type as the title."""
    value: Any = part.value
    kind: Any = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else None
    title = f"{kind if isinstance(kind, str) else 'content'}, as {part.format} has it"
    return Block(Look.CARD, title=visible(title), code=visible(pretty(value)))


def _passages(part: Passages) -> Block:
    """Return the card of a passage to cite, with its source and its text."""
    facts = {"title": part.title, "from": part.source, "context": part.context}
    title = "document" if part.source is None else "search result"
    named = tuple((name, visible(value)) for name, value in facts.items() if value is not None)
    return Block(Look.CARD, title=title, facts=named, code=visible("\n\n".join(part.texts)))


def _media(part: Media) -> Block:
    """Return the card of a medium, which is never loaded; a picture with data is shown."""
    data, media_type = (part.data, part.format) if part.url is None else split_data_url(part.url) or (None, None)
    image = _picture(data, media_type) if part.media == "image" and data is not None else ""
    facts = {
        "file": part.filename,
        "id": part.file_id,
        "uploaded to": part.vendor,
        "context": part.context,
        "address": None if part.url is None or data is not None else _reference(part.url),
        "format": part.format or media_type,
        "data": None if data is None else f"{len(data) * 3 // 4:,} bytes{'' if image else ', not shown'}",
        "detail": part.detail,
    }
    rows = tuple((name, visible(value)) for name, value in facts.items() if value)
    return Block(Look.CARD, title=part.media, facts=rows, image=image)


_PICTURES: Final = frozenset({"png", "jpeg", "jpg", "gif", "webp"})
"""The media types of pictures that a page shows: those that can hold nothing but a picture."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_BIGGEST_PICTURE: Final = 3_000_000
"""The maximal number of characters of base64 of a picture that is shown."""


def _picture(data: str, media_type: str | None) -> str:
    kind = (media_type or "").casefold().removeprefix("image/")
    if kind not in _PICTURES or len(data) > _BIGGEST_PICTURE or _BASE64.fullmatch(data) is None:
        return ""
    return data_url(data, f"image/{kind}")


def _reference(url: str) -> str:
    return url if len(url) <= _LONGEST_REFERENCE else f"{url[:_LONGEST_REFERENCE]}… ({len(url):,} characters)"


def block_of_tool(tool: Tool) -> Block:
    """Return the card of a declared tool."""
    code = "" if tool.parameters is None else visible(pretty(tool.parameters))
    return Block(Look.CARD, visible(tool.description or ""), title=f"tool {visible(full_name(tool))}", code=code)
