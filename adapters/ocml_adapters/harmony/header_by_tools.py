"""Read headers with the names of the declared tools: find calls whose recipient is misplaced or misspelled.

Models write a tool's name as the role, as the channel or as the type, glue the type to it, or misspell its namespace.
Only the names of the declared tools show this, so `read_header` uses them for every header, regular or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import FUNCTIONS
from ocml_bridge.model import Part, Tools

from .frames import Frame
from .header import Fields, implied_intent, is_call_to_tool, regular
from .recover import recover
from .syntax import ASSISTANT, BUILT_IN, CHANNEL, CHANNELS, DEVELOPER, ENDS, ROLES, TOOL
from .tools import SECTION

LARGE: Final = 16_384
"""The names in sections of this many characters, or more, are not cached."""
Names = frozenset[str]
"""The recipients of declared tools."""
NOTHING: Final[Names] = frozenset()
_COMMENTARY: Final = "commentary"
KINDS: Final = ("json", "code")
"""Types of content that a header may name."""
_LINE: Final = re.compile(r"^(?:namespace ([^\n]+) \{$|type ([^\n]+?) = \()", re.MULTILINE)
_AROUND_NAMES: Final = "\"'`(),;:"
"""What models write around a name."""
_SPACED: Final = re.compile(r"[A-Za-z_]*[.:/]+(.+)", re.DOTALL)
"""A name after a misspelled namespace."""


def names_of(frame: Frame) -> Names:
    """Return the recipients of the tools that a frame declares."""
    return names_in(frame.header, frame.body or "")


def names_in(header: str, body: str) -> Names:
    """Return the recipients of the tools that a frame with this header and body declares."""
    at = body.rfind(SECTION) if header.startswith(DEVELOPER) else -1
    if at < 0:
        return NOTHING
    return _declared(body[at:]) if len(body) - at < LARGE else _declared.__wrapped__(body[at:])


@lru_cache(maxsize=512)
def _declared(section: str) -> Names:
    names: set[str] = set()
    space = FUNCTIONS
    for namespace, name in _LINE.findall(section):
        space = f"{namespace}." if namespace else space
        if name:
            names.add(space + name)
    return frozenset(names)


def names_of_parts(content: Sequence[Part]) -> Names:
    """Return the recipients of the tools that the parts of a message declare."""
    tools = [tool for part in content if isinstance(part, Tools) for tool in part.tools]
    return frozenset(f"{tool.namespace}.{tool.name}" if tool.namespace else FUNCTIONS + tool.name for tool in tools)


def evident_fields(fields: Fields, unplaced: str, names: Names) -> tuple[Fields, str]:
    """Return the fields that a header evidently means, given the declared tools.

    Args:
        fields: its fields, read without the tools.
        unplaced: the words of the header that belong to no field.
        names: the recipients of the declared tools.

    Returns:
        The fields, and the words that still belong to no field.
    """
    if not names:
        return fields, unplaced
    if fields.role == TOOL:
        return _as_speaker(fields, names), unplaced
    if fields.role != ASSISTANT:
        return fields, unplaced
    if is_call_to_tool(fields):
        return _addressed(fields, names), unplaced
    return _misplaced(fields, unplaced, names)


def _recipient(word: str | None, names: Names) -> str | None:
    """Return the declared recipient that a word names, with or without `functions.`; None if it names none."""
    if not word or word in CHANNELS or word in ROLES or word in KINDS:
        return None
    return next((name for name in (word, FUNCTIONS + word) if name in names), None)


def _called(fields: Fields, recipient: str) -> Fields:
    """Return the fields of a header as those of a call."""
    channel = fields.channel if fields.channel in CHANNELS else _COMMENTARY
    return fields._replace(role=ASSISTANT, name=None, channel=channel, recipient=recipient, intent=None)


def _as_speaker(fields: Fields, names: Names) -> Fields:
    """Read a tool without a recipient as a call of it, if its name has no namespace, or if the header names a type."""
    recipient = _recipient(fields.name, names) if fields.recipient is None else None
    if recipient is None or (fields.name == recipient and not (fields.constraint or fields.content_type)):
        return fields
    return _called(fields, recipient)


def _addressed(fields: Fields, names: Names) -> Fields:
    """Correct the recipient of a call that is not declared, but contains the name of a declared tool."""
    recipient = fields.recipient or ""
    if recipient in names or FUNCTIONS + recipient in names:
        return fields
    recipient = recipient.strip(_AROUND_NAMES)
    bare = _recipient(recipient, names)
    if bare is not None:
        return fields._replace(recipient=bare)
    for kind in KINDS:
        glued = _recipient(recipient.removesuffix(kind).rstrip("."), names) if recipient.endswith(kind) else None
        if glued is not None:
            constraint = fields.constraint or (None if fields.content_type else kind)
            return fields._replace(recipient=glued, constraint=constraint)
    spaced = _SPACED.fullmatch(recipient)
    if spaced is None or recipient.partition(".")[0] in BUILT_IN:
        return fields
    named = _recipient(spaced[1], names)
    return fields if named is None else fields._replace(recipient=named)


def _misplaced(fields: Fields, unplaced: str, names: Names) -> tuple[Fields, str]:
    """Read a header as a call if a tool's name is its channel or, on commentary, its type or an unplaced word."""
    words = unplaced.split()
    recipient = _recipient(fields.channel, names)
    if recipient is not None:
        left = [word for word in words if word not in CHANNELS]
        return _called(fields, recipient), " ".join(left)
    if fields.channel != _COMMENTARY:
        return fields, unplaced
    for field in ("content_type", "constraint"):
        recipient = _recipient(getattr(fields, field), names)
        if recipient is not None:
            return _called(fields._replace(**{field: None}), recipient), unplaced
    for at, word in enumerate(words):
        recipient = _recipient(word, names)
        if recipient is not None:
            return _called(fields, recipient), " ".join([*words[:at], *words[at + 1 :]])
    return fields, unplaced


@lru_cache(maxsize=2048)
def says_otherwise(header: str, names: Names) -> bool:
    """Return whether a header is regular, but the declared tools show that it means something else."""
    fields = regular(header)
    return fields is not None and evident_fields(fields, "", names) != (fields, "")


# --- the header of a frame --------------------------------------------------------------------------------------------


class Header(NamedTuple):
    """A header, read.

    Attributes:
        fields: its fields.
        raw: the raw header, without `outside`.
        outside: the text before it that does not belong to it.
        unplaced: the words that belong to no field.
        is_regular: whether it is regular, and the declared tools do not change its meaning.
    """

    fields: Fields
    raw: str
    outside: str = ""
    unplaced: str = ""
    is_regular: bool = True


def read_header(raw: str, frame: Frame, *, prompted: bool = False) -> Header:
    """Read any header, also one that the official parser refuses.

    Args:
        raw: the header of the frame, or what is left of it without the body that begins in it.
        frame: the frame.
        prompted: whether the frame is the first, and follows a generation prompt.
    """
    fields = regular(raw, prompted) if frame.opened or prompted else None
    if fields is not None:
        known = _continued(evident_fields(fields, "", frame.names)[0], frame)
        return Header(known, raw, is_regular=known is fields)
    outside = "" if frame.opened else raw.partition("<|")[0]
    if outside and _belongs(outside, raw):
        outside = ""
    raw = raw[len(outside) :]
    fields, unplaced = evident_fields(*recover(raw, opened=frame.opened), frame.names)
    return Header(_continued(fields, frame), raw, outside, unplaced, is_regular=False)


def _belongs(outside: str, raw: str) -> bool:
    """Return whether the text before the first token of a header belongs to it; `raw`: the whole header."""
    read = recover(outside, opened=False)
    return not read.unplaced or (CHANNEL not in raw and read.fields.channel is not None)


def _continued(fields: Fields, frame: Frame) -> Fields:
    """Return the fields of a text without a channel, with the channel of the header that it goes on with."""
    if frame.channel is None or fields.role != ASSISTANT or fields.channel is not None or is_call_to_tool(fields):
        return fields
    intent = implied_intent(ASSISTANT, None, frame.channel, fields.recipient)
    return fields._replace(channel=frame.channel, intent=intent)


def begun_channel(before: Frame | None, frame: Frame) -> str | None:
    """Return the channel of the header before a frame, if it has no body and the frame goes on with it, else None.

    The frame goes on with it after a stop token without `<|start|>`, or after `<|start|>` without a stop token. A call
    whose header is cut off is private, and so is what follows another speaker's header without any words.

    Args:
        before: the frame before it; None if there is none.
        frame: the frame.
    """
    if before is None or before.body is not None or (frame.opened and before.stop):
        return None
    fields = uncalled(recover(before.header, opened=before.opened).fields)
    if fields.role == ASSISTANT:
        return fields.channel
    return None if frame.header.strip() else "analysis"


def fields_in(frame: Frame, *, prompted: bool) -> Fields:
    """Return the fields of a frame whose header is complete.

    Args:
        frame: the frame.
        prompted: whether it is the first, and follows a generation prompt.
    """
    fields = read_header(frame.header, frame, prompted=prompted).fields
    return uncalled(fields) if frame.unmarked else fields


def ends_with(fields: Fields) -> str:
    """Return the end token of an assistant's message with these fields."""
    return ENDS["call" if is_call_to_tool(fields) else "return" if fields.channel == "final" else "end"]


def uncalled(fields: Fields) -> Fields:
    """Make a call whose header has no end a thought: no tool is called, and the possible arguments stay hidden."""
    if not is_call_to_tool(fields):
        return fields
    return Fields(fields.role, fields.name, "analysis")
