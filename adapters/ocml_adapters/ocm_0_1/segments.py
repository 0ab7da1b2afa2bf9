"""A body as segments: texts, and what the tokens between them mean (§4, §6, §7, §8).

One pass over the tokens that are live in a body. A token that is not followed by what it announces is text.
White space beside a token that stands on a line of its own is its separator: one newline on each side.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from ocml_bridge.jsontext import Unplaced, members, parse, value_at
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import FileBreak, Flags, Infill, Part, Text, Tool, Tools

from .syntax import CALL, CLOSERS, FIM, FLAGS, LIST, OPENERS, OUTPUT, SEPARATOR, STRAY, TOKENS, Kind, live
from .tools import tools_from


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


def scan(body: str, role: str) -> tuple[list[Segment], list[Note]]:
    """Take a body apart.

    Args:
        body: without the newline before its end token.
        role: whose body it is; "" for a completion.

    Returns:
        The segments, and what was found to be odd.
    """
    if "<|" not in body:
        return ([Text(TOKENS.restore(body))] if body else []), []
    return _Scanner(Unplaced(body), live(role)).run()


@dataclass(slots=True)
class _Scanner:
    body: str
    pattern: re.Pattern[str]
    segments: list[Segment] = field(default_factory=list[Segment])
    notes: list[Note] = field(default_factory=list[Note])
    begin: int = 0
    last_label: str = ""
    glued: bool = False

    def run(self) -> tuple[list[Segment], list[Note]]:
        at = 0
        while (found := self.pattern.search(self.body, at)) is not None:
            at = _READ[found[0]](self, found) or found.end()
        self._gap(len(self.body), None)
        return self.segments, self.notes

    def put(self, segment: Segment, start: int, end: int) -> int:
        """Take a segment that stands from `start` to `end`, and the text before it."""
        self._gap(start, segment)
        last = self.segments[-1] if self.segments else None
        if isinstance(segment, Flags) and isinstance(last, Flags):
            self.segments[-1] = Flags(last.flags + segment.flags)
        else:
            self.segments.append(segment)
        self.begin = end
        return end

    def _gap(self, end: int, right: Segment | None) -> None:
        text = self.body[self.begin : end]
        left = self.segments[-1] if self.segments else None
        self.glued = text == ""
        if isinstance(left, LINES):
            text = after_newline(text)
        if isinstance(left, Tools):
            text = after_newline(text)  # a blank line ends the list (decision 5)
        if isinstance(right, LINES):
            text = before_newline(text)
        if isinstance(left, Infill):
            _fill(left, self.last_label, TOKENS.restore(text))
        elif text and not (text.isspace() and _is_separator(left, right)):
            self.segments.append(Text(TOKENS.restore(text)))

    # --- what each token announces; 0 where it is a mere mention -----------------------------------------------------

    def flag(self, found: re.Match[str]) -> int:
        return self.put(Flags((FLAGS[found[0]],)), found.start(), found.end())

    def file_break(self, found: re.Match[str]) -> int:
        return self.put(FileBreak(), found.start(), found.end())

    def block(self, found: re.Match[str]) -> int:
        """A thought block; one that is not closed ends with the body (decision 14)."""
        closer = CLOSERS[found[0]]
        at = self.body.find(closer, found.end())
        text = TOKENS.restore(self.body[found.end() : at if at >= 0 else len(self.body)])
        block = Block(OPENERS[found[0]], text, closed=at >= 0)
        before = self.segments[-1] if self.segments else None
        end = self.put(block, found.start(), at + len(closer) if at >= 0 else len(self.body))
        block.glued = self.glued and isinstance(before, Block)
        return end

    def stray(self, found: re.Match[str]) -> int:
        self.notes.append((FindingCode.STRAY_TOKEN, f"{found[0]} closes no block; it is text"))
        return 0

    def tool_list(self, found: re.Match[str]) -> int:
        """Tools: objects one after another or one array, and a second tag behind them where there is one."""
        tools: list[Tool] = []
        end = found.end()
        while (value := value_at(self.body, end)) is not None and (more := tools_from(value[0])) is not None:
            if isinstance(value[0], list) and end != found.end():
                break
            tools += more
            end = value[1]
            if isinstance(value[0], list):
                break
        if end == found.end():
            return self._opaque(found)
        closer = _CLOSING_LIST.match(self.body, end)
        if closer is not None and not self._declares(closer.end()):
            end = closer.end()
        return self.put(Tools(tuple(tools)), found.start(), end)

    def _declares(self, at: int) -> bool:
        value = value_at(self.body, at)
        return value is not None and tools_from(value[0]) is not None

    def call(self, found: re.Match[str]) -> int:
        spans = members(self.body, found.end())
        if spans is None or "arguments" not in spans[0] or not _named(spans[0].get("name")):
            return self._opaque(found)
        arguments = spans[0]["arguments"]
        name = spans[0]["name"].value
        if isinstance(arguments.value, str):
            call = Call(name, arguments.value, parse(arguments.value) is not None)
        else:
            call = Call(name, TOKENS.restore(arguments.raw), is_json=True)
        if not isinstance(arguments.value, (dict, str)):
            self.notes.append((FindingCode.CONSTRAINT_VIOLATION, f"the arguments of {name} are not an object"))
        return self.put(call, found.start(), spans[1])

    def output(self, found: re.Match[str]) -> int:
        spans = members(self.body, found.end())
        if spans is None or "content" not in spans[0] or not _named(spans[0].get("name")):
            return self._opaque(found)
        content = spans[0]["content"]
        text = content.value if isinstance(content.value, str) else TOKENS.restore(content.raw)
        return self.put(Output(spans[0]["name"].value, text), found.start(), spans[1])

    def _opaque(self, found: re.Match[str]) -> int:
        if _JSON_BEGINS.match(self.body, found.end()):
            self.notes.append((FindingCode.JSON_OPAQUE, f"what follows {found[0]} is not what it announces: text"))
        return 0

    def infill(self, found: re.Match[str]) -> int:
        """Three sections by their labels, in any order (decision 21); the last runs to the next segment."""
        tokens, seen = [found], {found[0]}
        while len(tokens) < len(FIM):
            more = self.pattern.search(self.body, tokens[-1].end())
            if more is None or more[0] not in FIM or more[0] in seen:
                self.notes.append((FindingCode.STRAY_TOKEN, f"{found[0]} without the two that belong to it is text"))
                return 0
            tokens.append(more)
            seen.add(more[0])
        infill = Infill("", None, "")
        for token, behind in pairwise(tokens):
            _fill(infill, FIM[token[0]], TOKENS.restore(self.body[token.end() : behind.start()]))
        self.last_label = FIM[tokens[-1][0]]
        return self.put(infill, found.start(), tokens[-1].end())


_CLOSING_LIST: Final = re.compile(r"\s*" + re.escape(LIST))
_JSON_BEGINS: Final = re.compile(r"\s*[{\[]")

_READ: Final[dict[str, Callable[[_Scanner, re.Match[str]], int]]] = {
    **dict.fromkeys(FLAGS, _Scanner.flag),
    **dict.fromkeys(OPENERS, _Scanner.block),
    **dict.fromkeys(STRAY, _Scanner.stray),
    **dict.fromkeys(FIM, _Scanner.infill),
    SEPARATOR: _Scanner.file_break,
    LIST: _Scanner.tool_list,
    CALL: _Scanner.call,
    OUTPUT: _Scanner.output,
}


def _named(span: object) -> bool:
    value = getattr(span, "value", None)
    return isinstance(value, str) and value != ""


def _is_separator(left: Segment | None, right: Segment | None) -> bool:
    """Whether white space between two segments (None for an edge of the body) separates them and says nothing."""
    ends = [end for end in (left, right) if end is not None]
    return bool(ends) and all(isinstance(end, TAGS) for end in ends)


def _fill(infill: Infill, label: str, text: str) -> None:
    """Set a section of an infill that is being read. A middle without text is one that is still to be filled in."""
    setattr(infill, label, (text or None) if label == "middle" else text)


def tidy(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Parts of one message or completion as `scan` gives them back.

    Empty ones go, flags side by side are one run, text behind an infill belongs to its last section, and white space
    that would only separate is no text.
    """
    merged = _merged(parts)
    kept: list[Part] = []
    for index, part in enumerate(merged):
        ends = (merged[index - 1] if index else None, merged[index + 1] if index + 1 < len(merged) else None)
        if not (isinstance(part, Text) and part.text.isspace() and _is_separator(*ends)):
            kept.append(part)
    return merged if len(kept) == len(merged) else _merged(tuple(kept))


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
