"""A frame of any dialect → what it says: its messages, and the tools that it declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Message, Tool
from ocml_bridge.text.im import Frame, Heading, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.turns import full_name

from .declared import may_declare, read_declared
from .families import Declaration
from .markup.body import Note, read_body
from .markup.call_messages import NO_SCHEMAS, Schemas
from .responses import ROLES, begins, read_responses
from .syntax import CONTROL, MARKUP, control_of


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


def read_frame(
    frame: Frame, *, declares: bool = False, note: Note | None = None, schemas: Schemas = NO_SCHEMAS
) -> Contents:
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
        turn = read_body(frame.body, heading.name, closed=frame.end != "", note=note or _ignore, schemas=schemas)
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


def _ignore(code: FindingCode, index: int, detail: str) -> None:
    """Where a frame is read again only to see what it says."""


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


def remark_markup(frame: Frame, contents: Contents, path: str, log: Log) -> None:
    """Note tags of tools and replies that stand in a text and are not understood there."""
    if (
        "<" not in frame.body
        or contents.tools is not None
        or not contents.messages
        or contents.messages[0].role == "assistant"
    ):
        return
    made = contents.messages[0]
    tag = next((tag for tag in MARKUP.get(made.role, ()) if tag in str(made.content)), None)
    if tag is not None:
        detail = f"`{tag}`, as chat templates write it, is text here: what stands behind it is not understood"
        log.find(FindingCode.MARKUP, f"{path}/content", detail)
