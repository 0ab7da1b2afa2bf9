"""One frame ↔ the canonical messages that it stands for.

A frame nests what the canonical form keeps flat: an assistant's thoughts, text and calls, a tool's several outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ocml_bridge.jsontext import parse
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Content, Message, Part, Text, Thought
from ocml_bridge.text.attributes import is_safe
from ocml_bridge.text.im import Heading, read_header, write_header
from ocml_bridge.turns import content_of, is_call, is_thought, name_of, recipient_of

from .segments import Block, Call, Note, Output, Segment, before_newline, scan
from .syntax import ALIASES, ROLES, TOOL_ROLES

# --- header -----------------------------------------------------------------------------------------------------------


def role_of(heading: Heading) -> str:
    """The role that a header means (decision 20)."""
    return "tool" if heading.role in TOOL_ROLES else heading.role


def name_in(heading: Heading) -> str | None:
    """The name that a header gives; a tool's with its namespace."""
    return recipient_of(heading.name) if role_of(heading) == "tool" and heading.name is not None else heading.name


@lru_cache(maxsize=1024)
def header_notes(heading: Heading) -> tuple[Note, ...]:
    """What is odd about a header."""
    notes: list[Note] = []
    if heading.role not in ROLES:
        means = ALIASES.get(heading.role)
        detail = f"it is written as {means!r}" if means else "it is kept"
        notes.append((FindingCode.UNKNOWN_ROLE, f"{heading.role!r} is not a role of OpenChatML 0.1; {detail}"))
    if heading.name is not None and not is_safe(heading.name):
        notes.append((FindingCode.HEADER_VALUE, f"the name {heading.name!r} cannot be written as it is"))
    if heading.rest:
        notes.append((FindingCode.HEADER_VALUE, f"{' '.join(heading.rest)!r} in the header is kept as it is"))
    return tuple(notes)


def header_of(messages: Sequence[Message]) -> str:
    """The header for the messages of one frame; a tool's name stands in its outputs (decision 9)."""
    first = messages[0]
    return write_header(first.role, None if first.role == "tool" else first.name)


# --- body -------------------------------------------------------------------------------------------------------------


def read_body(heading: Heading, body: str, *, cut: bool) -> tuple[list[Message], list[Note]]:
    """The messages of a frame.

    Args:
        heading: its header.
        body: as it stands; the newline before the end token is the format's (decision 1).
        cut: whether the text ends with it, so that nothing of it is the format's.
    """
    role, name = role_of(heading), name_in(heading)
    segments, notes = scan(body if cut else before_newline(body), role)
    if role == "assistant":
        messages = _assistant(segments, name)
        if not cut and any(isinstance(segment, Block) and not segment.closed for segment in segments):
            notes.append(
                (FindingCode.END_MISSING, "a thought block is not closed; it is taken to end with the message")
            )
    elif role == "tool":
        messages = _tool(segments, name, notes)
    else:
        messages = [Message(role, content_of(_parts(segments)), name)]
    for message in messages[1:]:
        message.continues = True
    if cut:
        messages[-1].end = None
    return messages, notes


def _parts(segments: Sequence[Segment]) -> list[Part]:
    return [segment for segment in segments if not isinstance(segment, (Block, Call, Output))]


def _assistant(segments: Sequence[Segment], name: str | None) -> list[Message]:
    messages: list[Message] = []
    texts: list[Part] = []

    def flush() -> None:
        if texts:
            messages.append(Message("assistant", content_of(texts), name, "final"))
            texts.clear()

    for segment in segments:
        if isinstance(segment, Block):
            flush()
            thought = _thought(segment)
            if segment.glued:
                messages[-1] = replace(messages[-1], content=(*_tuple(messages[-1].content), *thought))
            else:
                messages.append(Message("assistant", thought, name, "analysis"))
        elif isinstance(segment, Call):
            flush()
            messages.append(_call(segment, name))
        elif not isinstance(segment, Output):
            texts.append(segment)
    flush()
    if not messages:
        return [Message("assistant", "", name, "final")]
    with_channels(messages)
    return messages


def _thought(block: Block) -> tuple[Part, ...]:
    return (Thought(block.kind), Text(block.text)) if block.text else (Thought(block.kind),)


def _tuple(content: Content) -> tuple[Part, ...]:
    assert not isinstance(content, str)  # a thought's content is parts
    return content


def _call(call: Call, name: str | None) -> Message:
    return Message(
        "assistant",
        call.arguments,
        name,
        "commentary",
        recipient_of(call.name),
        constraint="json" if call.is_json else None,
        end="call",
    )


def _tool(segments: Sequence[Segment], name: str | None, notes: list[Note]) -> list[Message]:
    messages: list[Message] = []
    for segment in segments:
        if isinstance(segment, Output):
            tool = recipient_of(segment.name)
            if name is not None and name != tool:
                detail = f"the header names {name}, the output {tool}; the output is right"
                notes.append((FindingCode.HEADER_VALUE, detail))
            messages.append(_reply(segment.content, tool))
        elif isinstance(segment, Text):
            messages.append(_reply(segment.text, name))
    return messages or [_reply("", name)]


def _reply(content: Content, name: str | None) -> Message:
    return Message("tool", content, name, "commentary", "assistant")


# --- what follows from the messages of a frame ------------------------------------------------------------------------


def is_text(message: Message) -> bool:
    """Whether a message stands in its frame as text, so that another one beside it would be one text with it."""
    if message.role == "tool":
        return message.name is None
    return not is_call(message) and not is_thought(message)


def with_channels(messages: Sequence[Message]) -> None:
    """Set what an assistant's texts are: a preamble where a call follows in the frame, else the final answer."""
    calls = False
    for message in reversed(messages):
        if is_call(message):
            calls = True
        elif is_text(message):
            message.channel, message.intent = _BEFORE_CALL if calls else _FINAL


_FINAL: Final = ("final", None)
_BEFORE_CALL: Final = ("commentary", "preamble")


def canonical_name(name: str) -> str:
    """A tool's name or a recipient as it is read back."""
    return recipient_of(name_of(name))


def constraint_of(arguments: str) -> str | None:
    """The constraint that arguments imply: they are JSON or they are not."""
    return "json" if parse(arguments) is not None else None


def says_same(messages: Sequence[Message], header: str, body: str) -> bool:
    """Whether a header and a body, as they were spelled, still stand for these messages."""
    found, _ = read_body(read_header(header), body, cut=messages[-1].end is None)
    if len(found) != len(messages):
        return False
    return all(one == replace(other, layout=None, extras=None) for one, other in zip(found, messages, strict=True))
