"""Read a frame as messages.

One frame may contain several messages: thoughts, a text and calls of the assistant, or several outputs of a tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ocml_bridge.chat.turns import content_of, is_call, is_thought, recipient_of
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Content, Message, Part, Text, Thought, replace
from ocml_bridge.text.attributes import is_safe
from ocml_bridge.text.im import Heading, read_header, write_header

from .scanner import Scanner
from .segments import Block, Call, Note, Output, Segment, before_newline
from .syntax import ALIASES, ROLES, TOKENS, TOOL_ROLES

# --- header -----------------------------------------------------------------------------------------------------------


def role_of(heading: Heading) -> str:
    """Return the role that a header means (decision 20)."""
    return "tool" if heading.role in TOOL_ROLES else heading.role


def name_in(heading: Heading) -> str | None:
    """Return the name in a header; that of a tool gets its namespace."""
    return recipient_of(heading.name) if role_of(heading) == "tool" and heading.name is not None else heading.name


@lru_cache(maxsize=1024)
def header_notes(heading: Heading) -> tuple[Note, ...]:
    """Return the findings about a header."""
    notes: list[Note] = []
    if heading.role not in ROLES:
        means = ALIASES.get(heading.role)
        detail = f"the role is read as {means!r}" if means else "the role is kept as it is"
        notes.append((FindingCode.UNKNOWN_ROLE, f"{heading.role!r} is not a role of OpenChatML 0.1; {detail}"))
    if heading.name is not None and not is_safe(heading.name):
        notes.append((FindingCode.HEADER_VALUE, f"the name {heading.name!r} cannot be written as it is"))
    if heading.rest:
        notes.append(
            (
                FindingCode.HEADER_VALUE,
                f"{' '.join(heading.rest)!r} in the header is not understood; it is kept as it is",
            )
        )
    return tuple(notes)


def header_of(messages: Sequence[Message]) -> str:
    """Return the header of a frame with these messages; the name of a tool is in its outputs instead (decision 9)."""
    first = messages[0]
    return write_header(first.role, None if first.role == "tool" else first.name)


# --- body -------------------------------------------------------------------------------------------------------------


def read_body(heading: Heading, body: str, *, cut: bool) -> tuple[list[Message], list[tuple[int, Note]]]:
    """Return the messages of a frame, and the findings, each with the index of its message.

    Args:
        heading: the header of the frame.
        body: its body; a newline before the end token belongs to the token (decision 1).
        cut: whether the frame has no end token, so that such a newline is text.
    """
    if "<|" not in body:
        text = TOKENS.restore(body if cut else before_newline(body))
        message = _text(role_of(heading), name_in(heading), text)
        message.end = None if cut else message.end
        return [message], []
    reader = BodyReader(heading)
    return reader.messages, reader.finish(body, cut=cut)


class BodyReader:
    """Read the messages of a frame as its body arrives.

    Args:
        heading: the header of the frame.

    Attributes:
        messages: the messages that have begun; the last one may continue.
    """

    def __init__(self, heading: Heading) -> None:
        self.messages: list[Message] = []
        self._role, self._name = role_of(heading), name_in(heading)
        self._scanner = Scanner(self._role)
        self._parts: list[Part] = []
        """The complete parts of the last message."""
        self._count = 0
        """The number of segments that were taken."""
        self._started = False
        """Whether the open segment has a message already."""
        self._message_of: list[int] = []
        """The index of the message of each segment."""
        self._notes: list[tuple[int, Note]] = []

    @property
    def open_text(self) -> list[str]:
        """The pieces of the open text that no later text can change."""
        return self._scanner.open_text

    @property
    def pending(self) -> int:
        """The number of characters that wait until their meaning is known."""
        return self._scanner.pending

    def feed(self, text: str) -> None:
        """Take more of the body, which does not end inside a token."""
        scanner = self._scanner
        scanner.feed(text)
        self._take()
        if not self._started and (scanner.thought is not None or scanner.open_text):
            self._place(scanner.thought or Text(""))
            self._started = True

    def finish(self, text: str, *, cut: bool) -> list[tuple[int, Note]]:
        """Take the rest of the body; return the findings, each with the index of its message.

        Args:
            text: the rest of the body.
            cut: whether the frame has no end token, as for `read_body`.
        """
        scanner = self._scanner
        scanner.finish(text, closed=not cut)
        self._take()
        if not self.messages:
            self.begin(_text(self._role, self._name))
        self._settle()
        if self._role == "assistant":
            with_channels(self.messages)
            if not cut and any(isinstance(segment, Block) and not segment.closed for segment in scanner.segments):
                detail = "a thought block is not closed; it is read to the end of the message"
                self._notes.append((len(self.messages) - 1, (FindingCode.END_MISSING, detail)))
        if cut:
            self.messages[-1].end = None
        return [*((self._message_of[segment], note) for segment, note in scanner.notes), *self._notes]

    def begin(self, message: Message) -> None:
        """Begin a message; the previous one is complete."""
        self._settle()
        message.continues = bool(self.messages)
        self.messages.append(message)

    def add(self, segment: Segment) -> None:
        """Add a complete segment to the last message."""
        if isinstance(segment, Block):
            self._parts += (Thought(segment.kind), Text(segment.text)) if segment.text else (Thought(segment.kind),)
        elif not isinstance(segment, (Call, Output)):
            self._parts.append(segment)

    def _settle(self) -> None:
        if self._parts:
            thought = isinstance(self._parts[0], Thought)
            self.messages[-1].content = tuple(self._parts) if thought else content_of(self._parts)
            self._parts = []

    def _take(self) -> None:
        segments = self._scanner.segments
        for segment in segments[self._count :]:
            if not self._started:
                self._place(segment)
            self._started = False
            self._message_of.append(len(self.messages) - 1)
            self.add(segment)
        self._count = len(segments)

    def _place(self, segment: Segment) -> None:
        """Begin a message for a segment, unless it belongs to the last one."""
        if self._role == "tool" or not self._goes_on(segment):
            self.begin(self._message(segment))

    def _goes_on(self, segment: Segment) -> bool:
        last = self.messages[-1] if self.messages else None
        if last is None or isinstance(segment, Call):
            return False
        if isinstance(segment, Block):
            return segment.glued
        return is_text(last)

    def _message(self, segment: Segment) -> Message:
        name = self._name
        if isinstance(segment, Block):
            return Message(self._role, (Thought(segment.kind),), name, "analysis")
        if isinstance(segment, Call):
            return _call(segment, name)
        if not isinstance(segment, Output):
            return _text(self._role, name)
        tool = recipient_of(segment.name)
        if name is not None and name != tool:
            detail = f"the header names {name} and the output {tool}; the output's name is read"
            self._notes.append((len(self.messages), (FindingCode.HEADER_VALUE, detail)))
        return _reply(segment.content, tool)


def _text(role: str, name: str | None, text: str = "") -> Message:
    if role == "assistant":
        return Message(role, text, name, "final")
    return _reply(text, name) if role == "tool" else Message(role, text, name)


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


def _reply(content: Content, name: str | None) -> Message:
    return Message("tool", content, name, "commentary", "assistant")


# --- what follows from the messages of a frame ------------------------------------------------------------------------


def is_text(message: Message) -> bool:
    """Return whether a message is written as text, so that it would be read as one with an adjacent text."""
    if message.role == "tool":
        return message.name is None
    return not is_call(message) and not is_thought(message)


def with_channels(messages: Sequence[Message]) -> None:
    """Set the channels of an assistant's texts: a preamble if a call follows in the frame, else the final answer."""
    calls = False
    for message in reversed(messages):
        if is_call(message):
            calls = True
        elif is_text(message):
            message.channel, message.intent = _BEFORE_CALL if calls else _FINAL


_FINAL: Final = ("final", None)
_BEFORE_CALL: Final = ("commentary", "preamble")


def says_same(messages: Sequence[Message], header: str, body: str) -> bool:
    """Return whether a stored header and body are still read as these messages."""
    image, _ = read_body(read_header(header), body, cut=messages[-1].end is None)
    if len(image) != len(messages):
        return False
    return all(read == replace(each, layout=None, extras=None) for read, each in zip(image, messages, strict=True))
