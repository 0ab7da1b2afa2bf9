"""What a body is made of, and its text: texts, and what the tokens between them mean (§4, §6, §7, §8)."""

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
    """A thought block (§4); `closed` where its end token is there, `glued` to the block before it."""

    kind: Kind
    text: str
    closed: bool = True
    glued: bool = False


@dataclass(slots=True)
class Call:
    """A function call (§8.2): the arguments as they are written, and whether that is JSON."""

    name: str
    arguments: str
    is_json: bool


@dataclass(slots=True)
class Output:
    """A function's response (§8.3): a string's text, or the JSON as it is written."""

    name: str
    content: str


Segment = Part | Block | Call | Output
Note = tuple[FindingCode, str]

LINES: Final = (FileBreak, Tools, Block, Call, Output)
"""What stands on a line of its own."""
TAGS: Final = (Flags, Tools, Block, Call, Output)
"""What white space may stand beside without being text."""


def after_newline(text: str) -> str:
    """Text without the newline that it begins with."""
    return text[2:] if text.startswith("\r\n") else text[1:] if text.startswith("\n") else text


def before_newline(text: str) -> str:
    """Text without the newline that it ends with."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith("\n") else text


def is_separator(left: Segment | None, right: Segment | None) -> bool:
    """Whether white space between two segments (None for an edge of the body) separates them and says nothing."""
    ends = [end for end in (left, right) if end is not None]
    return bool(ends) and all(isinstance(end, TAGS) for end in ends)


def tidy(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Parts of one message or completion as `scan` gives them back.

    Empty ones go, flags side by side are one run, text behind an infill belongs to its last section, and white space
    that would only separate is no text.
    """
    merged = _merged(parts)
    left: list[Part] = []
    for index, part in enumerate(merged):
        ends = (merged[index - 1] if index else None, merged[index + 1] if index + 1 < len(merged) else None)
        if not (isinstance(part, Text) and part.text.isspace() and is_separator(*ends)):
            left.append(part)
    return merged if len(left) == len(merged) else _merged(tuple(left))


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
# In the spelling of the specification's examples.


Guard = Callable[[str], str]
"""What is done to text, so that its control tokens are none."""

_JSON_SPACE: Final = " \t\r\n"


def newline_behind(text: str) -> str:
    """The newline to write behind a text: one that takes no CR of the text's own with it when it is read."""
    return "\r\n" if text.endswith("\r") else "\n"


def body_of(messages: Iterable[Message], guard: Guard) -> str:
    """The body for the messages of one frame, without the newline before the end token."""
    out = ""
    pieces: list[str] = []
    for message in messages:
        if pieces:
            pieces.append(newline_behind(out))
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
    """The JSON value that a text is, where it can stand in other JSON and be read back as it is; else None.

    A string is none: as JSON it would be read as its own content. `null` is JSON too and is asked for separately.
    """
    if not text or text[0] in _JSON_SPACE or text[-1] in _JSON_SPACE:
        return None
    span = parse(text)
    return None if span is None or isinstance(span.value, str) else span.value


def is_embedded_call(arguments: str) -> bool:
    """Whether arguments stand in a call as they are."""
    return isinstance(embeds(arguments), dict)


def is_embedded_output(content: str) -> bool:
    """Whether what a tool replies stands in its output as it is."""
    return content == "null" or embeds(content) is not None


def _call(name: str, arguments: str, guard: Guard) -> str:
    raw = guard(arguments) if is_embedded_call(arguments) else literal(arguments)
    return f'{CALL}\n{{"arguments": {raw}, "name": {literal(name)}}}'


def _output(name: str, content: str, guard: Guard) -> str:
    raw = guard(content) if is_embedded_output(content) else literal(content)
    return f'{OUTPUT}\n{{"name": {literal(name)}, "content": {raw}}}'


def literal(value: Json) -> str:
    """JSON that holds no control token: in JSON a token's first character can be written as an escape."""
    return TOKENS.plain.sub(lambda found: f"\\u{ord(found[0][0]):04x}{found[0][1:]}", spaced(value))


def _blocks(content: Sequence[Part], guard: Guard, *, closed: bool) -> str:
    """Thought blocks of one message: each marker with the text behind it, glued (decision 14)."""
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
    """Texts, flags, tools, infills and file breaks in order, with the newlines between them that `scan` takes away."""
    pieces: list[str] = []
    last: Part | None = None
    written = ""
    for index, part in enumerate(parts):
        if last is not None and (isinstance(part, LINES) or isinstance(last, LINES)):
            pieces.append(newline_behind(written))
            if isinstance(last, Tools) and isinstance(part, Text):
                pieces.append("\n")  # a blank line ends the list (decision 5)
        behind = parts[index + 1] if index + 1 < len(parts) else None
        written = _part(part, behind, guard)
        pieces.append(written)
        last = part
    return "".join(pieces)


def _part(part: Part, behind: Part | None, guard: Guard) -> str:
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
    return _tools(part, behind)


def _tools(tools: Tools, behind: Part | None) -> str:
    """One tool a line; as an array where there is none, or where the text behind them would be taken for another."""
    lines = [literal(tool_json(tool)) for tool in tools.tools]
    if not lines or (isinstance(behind, Text) and _is_tool(behind.text)):
        return f"{LIST}\n[{', '.join(lines)}]"
    return "\n".join((LIST, *lines))


def _is_tool(text: str) -> bool:
    value = value_at(text)
    return value is not None and tools_from(value[0]) is not None
