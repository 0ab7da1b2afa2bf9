"""Frames of any dialect both ways: frame ↔ contents, which are its messages and the tools that it declares.

`default_frame` writes a frame as its family does. If a frame that was read differs from that, its first message keeps
the difference (`with_notes`), and `recalled` writes it again as long as it means the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as with_fields
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import full_name, is_call, is_thought
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Message, Tool, replace
from ocml_bridge.text.edges import gap_behind, recall, remember
from ocml_bridge.text.im import Frame, Heading, read_header
from ocml_bridge.text.plain import header_for, message, name_from_header

from .families import Declaration, Family
from .markup.body import EMPTY_THOUGHT, OPENED, Note, ignore, read_body
from .markup.declared import may_declare, read_declared, write_declared
from .markup.parts import ARGUMENTS, NO_SCHEMAS, Schemas
from .markup.responses import ROLES, begins, read_responses, write_responses
from .markup.write_body import RAW, Guard, write_body
from .plain import default_frame as plain_frame
from .plain import header_reads_as
from .syntax import CONTROL, END, GRAMMAR, MARKUP, NOTES, START, TEXT, control_of

OPENING: Final = "opening"
"""Key in the layout of a message or an open turn: the empty thought that its body begins with."""
CLOSING: Final = "closing"
"""Key in the layout of a reply, while it is written: no message follows its frame."""
APART: Final = "apart"
"""Key in the layout of a reply: its frame could be one with the frame of replies before it, but is not."""
_NONE: Final[frozenset[str]] = frozenset()
_OPEN: Final = frozenset({""})
_CLOSED: Final = frozenset({END})


# --- reading ----------------------------------------------------------------------------------------------------------


class Contents(NamedTuple):
    """The contents of a frame.

    Attributes:
        messages: its messages; empty if it only declares tools.
        opening: the empty thought that an assistant's body begins with; "" if there is none.
        tools: the tools that it declares; None if it declares none.
        declaration: how it declares them.
    """

    messages: Sequence[Message]
    opening: str = ""
    tools: tuple[Tool, ...] | None = None
    declaration: Declaration | None = None


def read_frame(frame: Frame, *, declares: bool = False, note: Note = ignore, schemas: Schemas = NO_SCHEMAS) -> Contents:
    """Return the contents of a frame that is not the open turn.

    Args:
        frame: the frame.
        declares: whether tools in it are those of the document.
        note: takes the findings about its body.
        schemas: the parameters of the declared functions.
    """
    heading = read_header(frame.header)
    if declares and heading.role == "system" and may_declare(frame.body):
        declared = read_declared(frame.body)
        if declared is not None:
            texts = [] if declared.text is None else [_text(heading, declared.text, frame)]
            return Contents(texts, tools=declared.tools, declaration=declared.declaration)
    if heading.role == "assistant" and "<" in frame.body:
        body = read_body(frame.body, heading.name, closed=frame.end != "", note=note, schemas=schemas)
        return Contents(body.messages, body.opening)
    replies = read_responses(frame.body) if heading.role in ROLES and "<" in frame.body else None
    if replies is not None:
        messages = [_reply(reply, heading, index) for index, reply in enumerate(replies)]
        messages[-1].end = "end" if frame.end else None
        return Contents(messages)
    return Contents([_text(heading, frame.body, frame)])


def schemas_of(tools: Sequence[Tool] | None) -> Schemas:
    """Return the parameters of tools, by the name that calls use."""
    return {full_name(tool): tool.parameters for tool in tools or ()}


def _text(heading: Heading, body: str, frame: Frame) -> Message:
    name = name_from_header(heading.role, heading.name)
    return message(heading.role, control_of(heading.role).restore(body), name, "end" if frame.end else None)


def _reply(text: str, heading: Heading, index: int) -> Message:
    name = name_from_header("tool", heading.name) if heading.role != "user" else None
    reply = message("tool", CONTROL.restore(text), name)
    reply.continues = index > 0
    return reply


def holds_replies(frame: Frame) -> bool:
    """Return whether a frame holds replies of tools."""
    role = read_header(frame.header).role
    return role == "tool" or (role in ROLES and begins(frame.body) and read_responses(frame.body) is not None)


def check_markup(frame: Frame, contents: Contents, path: str, log: Log) -> None:
    """Report a tag of tools, calls or replies that is text in this frame."""
    if "<" not in frame.body or contents.tools is not None or not contents.messages:
        return
    first = contents.messages[0]
    tags = () if first.role == "assistant" else MARKUP.get(first.role, ())
    tag = next((tag for tag in tags if tag in str(first.content)), None)
    if tag is not None:
        detail = f"`{tag}` is read as text here, and so is the markup of chat templates that follows it"
        log.find(FindingCode.MARKUP, f"{path}/content", detail)


# --- writing ----------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """The place of a frame. Place and contents together decide how the frame is spelled by default.

    Attributes:
        family: the family that writes it; None for ChatML without markup.
        before: the frame before it; None if there is none.
        last: whether it is the last frame.
        is_open_turn: whether it is the open turn.
        schemas: the parameters of the declared functions.
        closing: whether no message follows; an open turn may.
    """

    family: Family | None
    before: Frame | None
    last: bool = False
    is_open_turn: bool = False
    schemas: Schemas = NO_SCHEMAS
    closing: bool = False


def default_frame(contents: Contents, place: Place, *, raw: bool = False) -> Frame:
    """Return the frame that is written for some contents.

    Args:
        contents: the contents; of an open turn a message without content.
        place: the place of the frame.
        raw: whether tokens in content are left unbroken.
    """
    family, before, last, is_open_turn, _, closing = place
    if family is None:
        return plain_frame(contents.messages[0], before, TEXT, last=last, is_open_turn=is_open_turn)
    first = contents.messages[0] if contents.messages else Message("system", "")
    header = family.responses.role if first.role == "tool" and not is_open_turn else header_for(first.role, first.name)
    body = contents.opening if is_open_turn else _body(contents, family, raw=raw, closing=closing)
    has_content = body != "" and OPENED.fullmatch(body) is None  # else it would be read as an open turn
    is_unfinished = is_open_turn or (
        last and first.role == "assistant" and contents.messages[-1].end is None and has_content
    )
    return Frame(gap_after(before, family), START, header, True, body, "" if is_unfinished else END, 0, last)


def read_again(frame: Frame, contents: Contents, place: Place) -> Contents:
    """Return the contents that a frame, written for `contents`, reads as."""
    return read_frame(frame, declares=contents.tools is not None, schemas=place.schemas)


def gap_after(before: Frame | None, family: Family | None) -> str:
    """Return the default gap after a frame."""
    if family is None or before is None or not before.end or not holds_replies(before):
        return gap_behind(before)
    return family.responses.gap


def _body(contents: Contents, family: Family, *, raw: bool, closing: bool) -> str:
    """Return the body that a family writes for some contents."""
    role = contents.messages[0].role if contents.messages else "system"
    guard = RAW if raw else Guard(control_of(role).neutralise, ARGUMENTS.neutralise)
    texts = [guard.text(str(message.content)) for message in contents.messages]
    if contents.tools is not None:
        return write_declared(texts[0] if texts else None, contents.tools, contents.declaration or family.declaration)
    if role == "assistant":
        return write_body(contents.messages, contents.opening, family, guard)
    return write_responses(texts, family.responses, closing=closing) if role == "tool" else texts[0]


def notes_about(frame: Frame, contents: Contents, place: Place) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the notes about a frame that differs from the default: for layout and for extras."""
    layout, extras = remember(frame, default_frame(contents, place))
    if contents.opening:
        layout[OPENING] = contents.opening
    return layout, extras


def with_notes(frame: Frame, contents: Contents, place: Place) -> list[Message]:
    """Return the messages of a frame; the first one has the notes about it."""
    layout, extras = notes_about(frame, contents, place)
    first, *others = contents.messages
    if _could_join(first, place):
        layout[APART] = True
    return [replace(first, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras)), *others]


def _could_join(first: Message, place: Place) -> bool:
    """Return whether replies would be written into the frame before theirs."""
    grouped = place.family is not None and place.family.responses.between is not None
    return grouped and first.role == "tool" and place.before is not None and holds_replies(place.before)


def opening_of(notes: Mapping[str, Json], *, open_turn: bool = False) -> str:
    """Return the empty thought in the notes of a message, if it is a valid one; else "".

    Args:
        notes: the notes about its frame.
        open_turn: whether the message is the open turn, which may have white space around the tags.
    """
    opening = notes.get(OPENING)
    pattern = OPENED if open_turn else EMPTY_THOUGHT
    return opening if isinstance(opening, str) and pattern.fullmatch(opening) is not None else ""


def recalled(contents: Contents, notes: Mapping[str, Json], place: Place) -> Frame:
    """Return a frame, spelled as its notes remember if that still means the same."""
    default = default_frame(contents, place)
    if not notes:
        return default
    first = contents.messages[0] if contents.messages else Message("system", "")
    raw_header = notes.get("header")
    header = (
        raw_header
        if isinstance(raw_header, str) and _header_reads_as(raw_header, first, default, place)
        else default.header
    )

    def reads_the_same(body: str) -> bool:
        if place.is_open_turn:
            return False
        read = _comparable(read_again(with_fields(default, header=header, body=body), contents, place))
        return read == _comparable(contents) or read == _comparable(read_again(default, contents, place))

    return recall(
        default,
        notes,
        grammar=GRAMMAR,
        before=place.before,
        starts=_NONE,
        ends=_ends(contents, default, place),
        header=lambda raw: _header_reads_as(raw, first, default, place),
        body=reads_the_same,
    )


def _header_reads_as(header: str, first: Message, default: Frame, place: Place) -> bool:
    """Return whether a header reads as the speaker of the first message."""
    if first.role != "tool" or place.is_open_turn:
        return header_reads_as(header, first)
    role = read_header(header).role
    return role in ROLES if default.body != str(first.content) else role == "tool"


def _ends(contents: Contents, default: Frame, place: Place) -> frozenset[str]:
    """Return the end tokens with which a frame reads as the same contents."""
    if place.is_open_turn:
        return _NONE
    if not contents.messages:
        return _NONE if default.last else _OPEN | _CLOSED
    final = contents.messages[-1]
    if _has_end(final) or (final.end is None and not default.last):
        return _OPEN | _CLOSED
    return _CLOSED if default.end else _NONE


def _comparable(contents: Contents) -> tuple[object, ...]:
    """Return what is compared between two frames that should read the same."""
    return list(map(_comparable_fields, contents.messages)), contents.opening, contents.tools


def _comparable_fields(message: Message) -> tuple[object, ...]:
    name = None if message.role == "tool" else message.name
    is_cut_off = message.end is None and _has_end(message)
    return (message.role, message.content, name, message.channel, message.recipient, is_cut_off)


def _has_end(message: Message) -> bool:
    """Return whether a message has an end of its own, independent of the end of its frame: a call or a thought."""
    return is_call(message) or is_thought(message)


def normal_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Return tools without the layout and the extras of other formats."""
    return tuple(replace(tool, layout=None, extras=NOTES.by_format(NOTES.of(tool.extras))) for tool in tools)
