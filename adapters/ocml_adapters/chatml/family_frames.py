"""How a frame of a family is spelled by default, and what is remembered of one that is spelled otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_fields
from typing import Final, NamedTuple

from ocml_bridge.model import Json, Message, Tool, replace
from ocml_bridge.text.edges import by_format, gap_behind, recall, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import header_for
from ocml_bridge.turns import is_call, is_thought

from .declared import write_declared
from .families import Family
from .frames import default_frame as plain_frame
from .frames import means
from .markup.body import NOTHING_THOUGHT, OPENED
from .markup.call_messages import ARGUMENTS, NO_SCHEMAS, Schemas
from .markup.write_body import RAW, Guard, write_body
from .messages import Contents, holds_replies, read_frame
from .responses import ROLES, write_responses
from .syntax import END, GRAMMAR, HOME, START, TEXT, control_of

OPENING: Final = "opening"
"""The key of the thought without a word that an assistant's frame, or an open turn, begins with."""
CLOSING: Final = "closing"
"""The key of a frame of replies which no message follows, while it is written."""
APART: Final = "apart"
"""The key of a frame of replies that could stand in the frame before it."""
_NOTHING: Final[frozenset[str]] = frozenset()
_OPEN: Final = frozenset({""})
_CLOSED: Final = frozenset({END})


class Place(NamedTuple):
    """What the default spelling of a frame depends on, beside what it says.

    Attributes:
        family: whose spelling it is; None for ChatML without any markup in its text.
        before: the frame before it.
        last: whether the text ends with it.
        opening: whether it is the open turn.
        schemas: of the functions that are declared.
        closing: whether no message follows.
    """

    family: Family | None
    before: Frame | None
    last: bool = False
    opening: bool = False
    schemas: Schemas = NO_SCHEMAS
    closing: bool = False


def default_frame(contents: Contents, place: Place, *, raw: bool = False) -> Frame:
    """The frame that is written for what one says.

    Args:
        contents: what it says; of an open turn a message without content.
        place: where it stands.
        raw: whether tokens in content are left as they are.
    """
    family, before, last, opening, _, closing = place
    if family is None:
        return plain_frame(contents.messages[0], before, TEXT, last=last, opening=opening)
    first = contents.messages[0] if contents.messages else Message("system", "")
    header = family.responses.role if first.role == "tool" and not opening else header_for(first.role, first.name)
    body = contents.opening if opening else _body(contents, family, raw=raw, closing=closing)
    cut = opening or (last and first.role == "assistant" and contents.messages[-1].end is None and body != "")
    return Frame(gap_after(before, family), START, header, True, body, "" if cut else END, 0, last)


def gap_after(before: Frame | None, family: Family | None) -> str:
    """What stands behind a frame by default."""
    if family is None or before is None or not before.end or not holds_replies(before):
        return gap_behind(before)
    return family.responses.gap


def _body(contents: Contents, family: Family, *, raw: bool, closing: bool) -> str:
    role = contents.messages[0].role if contents.messages else "system"
    guard = RAW if raw else Guard(control_of(role).neutralise, ARGUMENTS.neutralise)
    texts = [guard.text(str(message.content)) for message in contents.messages]
    if contents.tools is not None:
        return write_declared(texts[0] if texts else None, contents.tools, contents.declaration or family.declaration)
    if role == "assistant":
        return write_body(contents.messages, contents.opening, family, guard)
    return write_responses(texts, family.responses, closing=closing) if role == "tool" else texts[0]


def remembered(frame: Frame, contents: Contents, place: Place) -> tuple[dict[str, Json], dict[str, Json]]:
    """What layout and what extras must keep of a frame."""
    layout, extras = remember(frame, default_frame(contents, place))
    if contents.opening:
        layout[OPENING] = contents.opening
    return layout, extras


def remembering(frame: Frame, contents: Contents, place: Place) -> list[Message]:
    """The messages of a frame, the first with what it remembers of it."""
    layout, extras = remembered(frame, contents, place)
    first, *others = contents.messages
    if _could_join(first, place):
        layout[APART] = True
    return [replace(first, layout=by_format(HOME, layout), extras=by_format(HOME, extras)), *others]


def _could_join(first: Message, place: Place) -> bool:
    """Whether replies would be written into the frame before theirs."""
    grouped = place.family is not None and place.family.responses.between is not None
    return grouped and first.role == "tool" and place.before is not None and holds_replies(place.before)


def opening_of(kept: Mapping[str, Json], *, open_turn: bool = False) -> str:
    """The thought without a word that is remembered; "" for none."""
    found = kept.get(OPENING)
    pattern = OPENED if open_turn else NOTHING_THOUGHT
    return found if isinstance(found, str) and pattern.fullmatch(found) is not None else ""


def recalled(contents: Contents, kept: Mapping[str, Json], place: Place) -> Frame:
    """A frame, spelled as it is remembered where that still says the same."""
    default = default_frame(contents, place)
    if not kept:
        return default
    first = contents.messages[0] if contents.messages else Message("system", "")
    raw_header = kept.get("header")
    header = raw_header if isinstance(raw_header, str) and _means(raw_header, first, default, place) else default.header

    def says_the_same(body: str) -> bool:
        if place.opening:
            return False
        if place.family is None and "<" not in body:
            return control_of(first.role).restore(body) == first.content
        frame = with_fields(default, header=header, body=body)
        return _bare(read_frame(frame, declares=contents.tools is not None, schemas=place.schemas)) == _bare(contents)

    return recall(
        default,
        kept,
        grammar=GRAMMAR,
        before=place.before,
        starts=_NOTHING,
        ends=_ends(contents, default, place),
        header=lambda raw: _means(raw, first, default, place),
        body=says_the_same,
    )


def _means(header: str, first: Message, default: Frame, place: Place) -> bool:
    """Whether a header says who speaks."""
    if first.role != "tool" or place.opening:
        return means(header, first)
    role = read_header(header).role
    return role in ROLES if default.body != str(first.content) else role == "tool"


def _ends(contents: Contents, default: Frame, place: Place) -> frozenset[str]:
    """Which end tokens leave what a frame says as it is."""
    if place.opening or not contents.messages:
        return _NOTHING
    final = contents.messages[-1]
    if _has_end(final):
        return _OPEN | _CLOSED
    if final.end is None and not default.last:
        return _OPEN | _CLOSED
    return _CLOSED if default.end else _NOTHING


def _bare(contents: Contents) -> tuple[object, ...]:
    """What is compared of two frames that say the same."""
    return list(map(_fields, contents.messages)), contents.opening, contents.tools


def _fields(message: Message) -> tuple[object, ...]:
    name = None if message.role == "tool" else message.name
    breaks_off = message.end is None and _has_end(message)
    return (message.role, message.content, name, message.channel, message.recipient, message.constraint, breaks_off)


def _has_end(message: Message) -> bool:
    """Whether a message has an end of its own, whatever that of its frame."""
    return is_call(message) or is_thought(message)


def normal_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Tools without what other formats keep of them."""
    return tuple(
        replace(tool, layout=None, extras=by_format(HOME, (tool.extras or {}).get(HOME, {}))) for tool in tools
    )
