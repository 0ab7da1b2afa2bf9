"""Define the segments of a body (§4, §6, §7, §8), and write them as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of
from ocml_bridge.json_values.jsontext import parse, spaced, value_at
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Content, FileBreak, Flags, Infill, Json, Message, Part, Text, Thought, Tools, replace

from .syntax import CALL, LIST, OUTPUT, SEPARATOR, TOKENS, Kind
from .tools import tool_json, tools_from


@dataclass(slots=True)
class Block:
    """A thought block (§4).

    Attributes:
        kind: the kind of thought.
        text: its text.
        closed: whether it has an end token.
        glued: whether it follows another block without a separator.
    """

    kind: Kind
    text: str
    closed: bool = True
    glued: bool = False


@dataclass(slots=True)
class Call:
    """A function call (§8.2): the name, the text of the arguments, and whether that is JSON."""

    name: str
    arguments: str
    is_json: bool


@dataclass(slots=True)
class Output:
    """A function's output (§8.3): the name, and the content, a string or the text of other JSON."""

    name: str
    content: str


Segment = Part | Block | Call | Output
Note = tuple[FindingCode, str]

LINES: Final = (FileBreak, Tools, Block, Call, Output)
"""The segments that are written on lines of their own."""
TAGS: Final = (Flags, Tools, Block, Call, Output)
"""The segments next to which white space is no text."""


def after_newline(text: str) -> str:
    """Return text without a newline at its beginning."""
    return text[2:] if text.startswith("\r\n") else text[1:] if text.startswith("\n") else text


def before_newline(text: str) -> str:
    """Return text without a newline at its end."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith("\n") else text


def is_separator(left: Segment | None, right: Segment | None) -> bool:
    """Return whether white space between two segments (None at the ends of the body) is a separator, not text."""
    ends = [end for end in (left, right) if end is not None]
    return bool(ends) and all(isinstance(end, TAGS) for end in ends)


def tidy(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of one message or completion as they are read back.

    Empty parts and separators are removed, adjacent flags are joined, and text after an infill is added to its last
    section.
    """
    merged = _merged(parts)
    remaining: list[Part] = []
    for index, part in enumerate(merged):
        ends = (merged[index - 1] if index else None, merged[index + 1] if index + 1 < len(merged) else None)
        if not (isinstance(part, Text) and part.text.isspace() and is_separator(*ends)):
            remaining.append(part)
    return merged if len(remaining) == len(merged) else _merged(tuple(remaining))


def _merged(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    out: list[Part] = []
    for part in parts:
        last = out[-1] if out else None
        if part in _EMPTY:
            continue
        if isinstance(part, Text) and isinstance(last, Infill):
            out[-1] = replace(last, suffix=last.suffix + part.text)
        elif isinstance(part, Text) and isinstance(last, Text):
            out[-1] = Text(last.text + part.text)
        elif isinstance(part, Flags) and isinstance(last, Flags):
            out[-1] = Flags(last.flags + part.flags)
        elif isinstance(part, Infill):
            out.append(Infill(part.prefix, part.middle or None, part.suffix))
        else:
            out.append(part)
    return tuple(out)


_EMPTY: Final = (Text(""), Flags(()))


# --- segments as text -------------------------------------------------------------------------------------------------
#
# They are spelled like the examples of the specification.


Guard = Callable[[str], str]
"""Returns text with its control tokens broken."""

_JSON_SPACE: Final = " \t\r\n"


def newline_after(text: str) -> str:
    """Return the newline to write after a text, such that reading it does not take a CR of the text with it."""
    return "\r\n" if text.endswith("\r") else "\n"


def body_of(messages: Iterable[Message], guard: Guard) -> str:
    """Return the body of a frame with these messages, without the newline before the end token."""
    out = ""
    pieces: list[str] = []
    for message in messages:
        if pieces:
            pieces.append(newline_after(out))
        out = _message(message, guard)
        pieces.append(out)
    return "".join(pieces)


def _message(message: Message, guard: Guard) -> str:
    content = message.content
    if message.role == "tool" and message.name is not None:
        return _output(name_of(message.name), _text(content), guard)
    if is_call(message):
        assert message.recipient is not None
        return _call(name_of(message.recipient), _text(content), guard)
    if isinstance(content, str):
        return guard(content)
    if content and isinstance(content[0], Thought):
        return _blocks(content, guard, closed=message.end is not None)
    return spell(content, guard)


def _text(content: Content) -> str:
    assert isinstance(content, str)  # the image of a call or a reply has no parts
    return content


def embeds(text: str) -> Json:
    """Return the JSON value of a text that can be embedded in other JSON and read back unchanged; else None.

    A JSON string cannot, because it would be read as its content. `null` can, but must be checked separately.
    """
    if not text or text[0] in _JSON_SPACE or text[-1] in _JSON_SPACE:
        return None
    span = parse(text)
    return None if span is None or isinstance(span.value, str) else span.value


def is_embedded_call(arguments: str) -> bool:
    """Return whether arguments are embedded in a call as JSON, not as a string."""
    return isinstance(embeds(arguments), dict)


def is_embedded_output(content: str) -> bool:
    """Return whether the content of a reply is embedded in an output as JSON, not as a string."""
    return content == "null" or embeds(content) is not None


def _call(name: str, arguments: str, guard: Guard) -> str:
    raw = guard(arguments) if is_embedded_call(arguments) else literal(arguments)
    return f'{CALL}\n{{"arguments": {raw}, "name": {literal(name)}}}'


def _output(name: str, content: str, guard: Guard) -> str:
    raw = guard(content) if is_embedded_output(content) else literal(content)
    return f'{OUTPUT}\n{{"name": {literal(name)}, "content": {raw}}}'


def literal(value: Json) -> str:
    """Return JSON without control tokens: the first character of a token is written as an escape."""
    return TOKENS.plain.sub(lambda match: f"\\u{ord(match[0][0]):04x}{match[0][1:]}", spaced(value))


def _blocks(content: Sequence[Part], guard: Guard, *, closed: bool) -> str:
    """Return the thought blocks of one message, without separators (decision 14)."""
    pieces: list[str] = []
    closer = ""
    for part in content:
        if isinstance(part, Thought):
            pieces += (closer, f"<|start_{part.kind}|>")
            closer = f"<|end_{part.kind}|>"
        elif isinstance(part, Text):
            pieces.append(guard(part.text))
    return "".join((*pieces, closer if closed else ""))


# --- parts ------------------------------------------------------------------------------------------------------------


def spell(parts: Sequence[Part], guard: Guard) -> str:
    """Return texts, flags, tools, infills and file breaks in order, with the newlines between them."""
    pieces: list[str] = []
    last: Part | None = None
    written = ""
    for index, part in enumerate(parts):
        if last is not None and (isinstance(part, LINES) or isinstance(last, LINES)):
            pieces.append(newline_after(written))
            if isinstance(last, Tools) and isinstance(part, Text):
                pieces.append("\n")  # a blank line ends the list (decision 5)
        following = parts[index + 1] if index + 1 < len(parts) else None
        written = _part(part, following, guard)
        pieces.append(written)
        last = part
    return "".join(pieces)


def _part(part: Part, following: Part | None, guard: Guard) -> str:
    if isinstance(part, Text):
        return guard(part.text)
    if isinstance(part, Flags):
        return "".join(f"<|{kind}|>" for kind in part.flags)
    if isinstance(part, FileBreak):
        return SEPARATOR
    if isinstance(part, Infill):
        middle = guard(part.middle or "")
        return f"<|fim_prefix|>{guard(part.prefix)}<|fim_middle|>{middle}<|fim_suffix|>{guard(part.suffix)}"
    assert isinstance(part, Tools)  # the image holds no other part
    return _tools(part, following)


def _tools(tools: Tools, following: Part | None) -> str:
    """Return tools, one per line; as an array if there are none, or if the text after them would be read as a tool."""
    lines = [literal(tool_json(tool)) for tool in tools.tools]
    if not lines or (isinstance(following, Text) and _is_tool(following.text)):
        return f"{LIST}\n[{', '.join(lines)}]"
    return "\n".join((LIST, *lines))


def _is_tool(text: str) -> bool:
    value = value_at(text)
    return value is not None and tools_from(value[0]) is not None
