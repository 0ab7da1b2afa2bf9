"""A frame of any dialect ↔ what it says: its messages, and the tools that it declares.

How a frame is spelled by default is a family's; of one that is spelled otherwise, that is remembered.
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
from .markup.body import NOTHING_THOUGHT, OPENED, Note, ignore, read_body
from .markup.declared import may_declare, read_declared, write_declared
from .markup.parts import ARGUMENTS, NO_SCHEMAS, Schemas
from .markup.responses import ROLES, begins, read_responses, write_responses
from .markup.write_body import RAW, Guard, write_body
from .plain import default_frame as plain_frame
from .plain import header_reads_as
from .syntax import CONTROL, END, GRAMMAR, MARKUP, NOTES, START, TEXT, control_of

OPENING: Final = "opening"
"""The key of the thought without a word that an assistant's frame, or an open turn, begins with."""
CLOSING: Final = "closing"
"""The key of a frame of replies which no message follows, while it is written."""
APART: Final = "apart"
"""The key of a frame of replies that could stand in the frame before it."""
_NOTHING: Final[frozenset[str]] = frozenset()
_OPEN: Final = frozenset({""})
_CLOSED: Final = frozenset({END})


# --- reading ----------------------------------------------------------------------------------------------------------


class Contents(NamedTuple):
    """What a frame says.

    Attributes:
        messages: its messages; a frame that only declares tools has none.
        opening: the thought without a word that an assistant's begins with.
        tools: the tools that it declares; None where it declares none.
        declaration: how it declares them.
    """

    messages: Sequence[Message]
    opening: str = ""
    tools: tuple[Tool, ...] | None = None
    declaration: Declaration | None = None


def read_frame(frame: Frame, *, declares: bool = False, note: Note = ignore, schemas: Schemas = NO_SCHEMAS) -> Contents:
    """What a frame that is no open turn says.

    Args:
        frame: the frame.
        declares: whether the tools in it are the transcript's.
        note: takes what had to be mended in its body.
        schemas: of the functions that are declared.
    """
    heading = read_header(frame.header)
    if declares and heading.role == "system" and may_declare(frame.body):
        found = read_declared(frame.body)
        if found is not None:
            texts = [] if found.text is None else [_text(heading, found.text, frame)]
            return Contents(texts, tools=found.tools, declaration=found.declaration)
    if heading.role == "assistant" and "<" in frame.body:
        turn = read_body(frame.body, heading.name, closed=frame.end != "", note=note, schemas=schemas)
        return Contents(turn.messages, turn.opening)
    replies = read_responses(frame.body) if heading.role in ROLES and "<" in frame.body else None
    if replies is not None:
        messages = [_reply(reply, heading, index) for index, reply in enumerate(replies)]
        messages[-1].end = "end" if frame.end else None
        return Contents(messages)
    return Contents([_text(heading, frame.body, frame)])


def schemas_of(tools: Sequence[Tool] | None) -> Schemas:
    """The parameters of each tool, by the name that calls it."""
    return {full_name(tool): tool.parameters for tool in tools or ()}


def _text(heading: Heading, body: str, frame: Frame) -> Message:
    name = name_from_header(heading.role, heading.name)
    return message(heading.role, control_of(heading.role).restore(body), name, "end" if frame.end else None)


def _reply(text: str, heading: Heading, index: int) -> Message:
    name = name_from_header("tool", heading.name) if heading.role != "user" else None
    made = message("tool", CONTROL.restore(text), name)
    made.continues = index > 0
    return made


def holds_replies(frame: Frame) -> bool:
    """Whether a frame holds the replies of tools."""
    role = read_header(frame.header).role
    return role == "tool" or (role in ROLES and begins(frame.body) and read_responses(frame.body) is not None)


def check_markup(frame: Frame, contents: Contents, path: str, log: Log) -> None:
    """Note tags of tools and replies that stand in a text and are not understood there."""
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
    is_open_turn: bool = False
    schemas: Schemas = NO_SCHEMAS
    closing: bool = False


def default_frame(contents: Contents, place: Place, *, raw: bool = False) -> Frame:
    """The frame that is written for what one says.

    Args:
        contents: what it says; of an open turn a message without content.
        place: where it stands.
        raw: whether tokens in content are left as they are.
    """
    family, before, last, is_open_turn, _, closing = place
    if family is None:
        return plain_frame(contents.messages[0], before, TEXT, last=last, is_open_turn=is_open_turn)
    first = contents.messages[0] if contents.messages else Message("system", "")
    header = family.responses.role if first.role == "tool" and not is_open_turn else header_for(first.role, first.name)
    body = contents.opening if is_open_turn else _body(contents, family, raw=raw, closing=closing)
    says = body != "" and OPENED.fullmatch(body) is None  # else it would be read as an open turn
    is_unfinished = is_open_turn or (last and first.role == "assistant" and contents.messages[-1].end is None and says)
    return Frame(gap_after(before, family), START, header, True, body, "" if is_unfinished else END, 0, last)


def read_again(frame: Frame, contents: Contents, place: Place) -> Contents:
    """What a frame says that is written for something."""
    return read_frame(frame, declares=contents.tools is not None, schemas=place.schemas)


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
    return [replace(first, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras)), *others]


def _could_join(first: Message, place: Place) -> bool:
    """Whether replies would be written into the frame before theirs."""
    grouped = place.family is not None and place.family.responses.between is not None
    return grouped and first.role == "tool" and place.before is not None and holds_replies(place.before)


def opening_of(notes: Mapping[str, Json], *, open_turn: bool = False) -> str:
    """The thought without a word that is remembered; "" for none."""
    found = notes.get(OPENING)
    pattern = OPENED if open_turn else NOTHING_THOUGHT
    return found if isinstance(found, str) and pattern.fullmatch(found) is not None else ""


def recalled(contents: Contents, notes: Mapping[str, Json], place: Place) -> Frame:
    """A frame, spelled as it is remembered where that still says the same."""
    default = default_frame(contents, place)
    if not notes:
        return default
    first = contents.messages[0] if contents.messages else Message("system", "")
    raw_header = notes.get("header")
    header = raw_header if isinstance(raw_header, str) and _means(raw_header, first, default, place) else default.header

    def says_the_same(body: str) -> bool:
        if place.is_open_turn:
            return False
        read = _bare(read_again(with_fields(default, header=header, body=body), contents, place))
        return read == _bare(contents) or read == _bare(read_again(default, contents, place))

    return recall(
        default,
        notes,
        grammar=GRAMMAR,
        before=place.before,
        starts=_NOTHING,
        ends=_ends(contents, default, place),
        header=lambda raw: _means(raw, first, default, place),
        body=says_the_same,
    )


def _means(header: str, first: Message, default: Frame, place: Place) -> bool:
    """Whether a header says who speaks."""
    if first.role != "tool" or place.is_open_turn:
        return header_reads_as(header, first)
    role = read_header(header).role
    return role in ROLES if default.body != str(first.content) else role == "tool"


def _ends(contents: Contents, default: Frame, place: Place) -> frozenset[str]:
    """Which end tokens leave what a frame says as it is."""
    if place.is_open_turn:
        return _NOTHING
    if not contents.messages:
        return _NOTHING if default.last else _OPEN | _CLOSED
    final = contents.messages[-1]
    if _has_end(final) or (final.end is None and not default.last):
        return _OPEN | _CLOSED
    return _CLOSED if default.end else _NOTHING


def _bare(contents: Contents) -> tuple[object, ...]:
    """What is compared of two frames that say the same."""
    return list(map(_fields, contents.messages)), contents.opening, contents.tools


def _fields(message: Message) -> tuple[object, ...]:
    name = None if message.role == "tool" else message.name
    breaks_off = message.end is None and _has_end(message)
    return (message.role, message.content, name, message.channel, message.recipient, breaks_off)


def _has_end(message: Message) -> bool:
    """Whether a message has an end of its own, whatever that of its frame."""
    return is_call(message) or is_thought(message)


def normal_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Tools without what other formats keep of them."""
    return tuple(replace(tool, layout=None, extras=NOTES.by_format(NOTES.of(tool.extras))) for tool in tools)
