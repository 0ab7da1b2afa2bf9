"""Split a body into segments as it arrives (§4, §6, §7, §8).

The scanner makes one pass over the tokens that have a meaning in a body of its role. A token that is not followed by
what it announces is text. A token on a line of its own is separated by one newline on each side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from ocml_bridge.json_values.jsontext import Span, Unplaced, members, parse, value_at
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import FileBreak, Flags, Infill, Text, Tool, Tools

from .json_extent import JsonExtent
from .segments import LINES, Block, Call, Note, Output, Segment, after_newline, before_newline, is_separator
from .syntax import ARGUMENTS, CALL, CLOSERS, FIM, FLAGS, LIST, OPENERS, OUTPUT, SEPARATOR, STRAY, TOKENS, live
from .tools import tools_from


class Scanner:
    """Split a body that arrives in pieces into segments. No piece may end inside a token.

    Args:
        role: the role of the message; "" for a completion.

    Attributes:
        segments: the complete segments.
        notes: the findings, each with the index of its segment.
        thought: the open thought block, or None.
        open_text: the pieces of the open text, of the block or after the segments, that no later text can change.
    """

    def __init__(self, role: str) -> None:
        self.segments: list[Segment] = []
        self.notes: list[tuple[int, Note]] = []
        self.thought: Block | None = None
        self.open_text: list[str] = []
        self._pattern = live(role)
        self._body: str = ""
        """The part of the body that is being scanned."""
        self._begin = 0
        """The index in it of the first character that belongs to no segment or open text yet."""
        self._at = 0
        """The index in it from which the next token is searched."""
        self._incoming: list[str] = []
        """The pieces that arrived since the last scan."""
        self._incoming_size = 0
        """Their length."""
        self._may_decide: Callable[[str], object] | None = None
        """Returns whether a new piece may change the result of a scan; None to scan after every piece."""
        self._is_complete = False
        """Whether the whole body has arrived."""
        self._end_token = ""
        """The token that ends the open thought block."""
        self._last_label = ""
        self._glued = False

    @property
    def pending(self) -> int:
        """The number of characters that wait until their meaning is known."""
        return len(self._body) - self._begin + self._incoming_size

    def feed(self, text: str) -> None:
        """Take more text."""
        self._incoming.append(text)
        self._incoming_size += len(text)
        if self._may_decide is None or self._may_decide(text):
            self._look()

    def finish(self, text: str, *, closed: bool) -> None:
        """Take the last text, and end the body.

        Args:
            text: the rest of the body.
            closed: whether a newline at its end belongs to the end token of the frame.
        """
        self._incoming.append(text)
        self._is_complete, self._may_decide = True, None
        self._look(closed=closed)
        self._gap(len(self._body), None)

    def _look(self, *, closed: bool = False) -> None:
        """Scan the text as far as its meaning is known."""
        body = "".join((self._body[self._begin :], *self._incoming))
        if closed:
            body = before_newline(body)
        self._body = Unplaced(body) if "<|" in body else body
        self._incoming.clear()
        self._at -= self._begin
        self._begin, self._incoming_size, self._may_decide = 0, 0, None
        while self.thought is None or self._close():
            match = self._pattern.search(self._body, self._at)
            if match is None:
                self._at = len(self._body)
                self._release(self._at)
                return
            after = _READ[match[0]](self, match)
            if after < 0:
                self._at = match.start()
                self._release(self._at)
                return
            self._at = after or match.end()

    def _release(self, end: int) -> None:
        """Add the text before `end` to the open text, except a newline at its end, which may belong to what follows."""
        if self._is_complete:
            return
        text, left = self._body[self._begin : end], self._last()
        if isinstance(left, Infill):
            self._may_decide = self._may_decide or self._pattern.search
            return
        if not self.open_text:
            text = _without_newlines_of(left, text)
            if not text or text.isspace():
                self._may_decide = self._may_decide or _is_visible
                return
        self._take(text, end)

    def _take(self, text: str, end: int) -> None:
        core = before_newline(text).removesuffix("\r")
        if core:
            self.open_text.append(TOKENS.restore(core))
        self._begin = end - len(text) + len(core)

    def _last(self) -> Segment | None:
        return self.segments[-1] if self.segments else None

    def put(self, segment: Segment, start: int, end: int) -> int:
        """Add the text before a segment, and the segment, which is between `start` and `end`; return `end`."""
        self._gap(start, segment)
        last = self._last()
        if isinstance(segment, Flags) and isinstance(last, Flags):
            last.flags += segment.flags
        else:
            self.segments.append(segment)
        self._begin = end
        return end

    def _gap(self, end: int, right: Segment | None) -> None:
        text, left = self._body[self._begin : end], self._last()
        self._glued = not (text or self.open_text)
        if not self.open_text:
            text = _without_newlines_of(left, text)
        if isinstance(right, LINES):
            text = before_newline(text)
        if isinstance(left, Infill):
            _fill(left, self._last_label, TOKENS.restore(text))
        elif self.open_text or (text and not (text.isspace() and is_separator(left, right))):
            self.segments.append(Text("".join((*self.open_text, TOKENS.restore(text)))))
            self.open_text = []

    def _close(self) -> bool:
        """Search the end of the open thought block, which may be that of the body; return whether it was found."""
        block = self.thought
        assert block is not None
        at = self._body.find(self._end_token, self._begin)
        if at < 0 and not self._is_complete:
            self._take(self._body[self._begin :], len(self._body))
            return False
        end = at if at >= 0 else len(self._body)
        block.text = "".join((*self.open_text, TOKENS.restore(self._body[self._begin : end])))
        block.closed = at >= 0
        self.segments.append(block)
        self.thought, self.open_text = None, []
        self._begin = self._at = end + len(self._end_token) if at >= 0 else end
        return True

    def _is_there(self, at: int) -> bool:
        """Return whether enough of the JSON object at `at` has arrived to decide whether it is one."""
        if self._is_complete:
            return True
        value = JsonExtent()
        if value.feed(self._body, at):
            return True
        self._may_decide = value.feed
        return False

    # --- handlers of tokens -------------------------------------------------------------------------------------------
    #
    # Each returns the index after what the token announces; 0 if the token is text; -1 if more text must arrive first.

    def flag(self, match: re.Match[str]) -> int:
        """Read a thought flag (decision 13)."""
        return self.put(Flags((FLAGS[match[0]],)), match.start(), match.end())

    def file_break(self, match: re.Match[str]) -> int:
        """Read a file separator (decision 24)."""
        return self.put(FileBreak(), match.start(), match.end())

    def open_block(self, match: re.Match[str]) -> int:
        """Open a thought block (decision 14)."""
        self.thought = Block(OPENERS[match[0]], "")
        before = self._last()
        self._gap(match.start(), self.thought)
        self.thought.glued = self._glued and isinstance(before, Block)
        self._end_token, self._begin = CLOSERS[match[0]], match.end()
        return match.end()

    def stray(self, match: re.Match[str]) -> int:
        """Read a token that ends a block outside of one, as text."""
        self._report_text(FindingCode.STRAY_TOKEN, f"{match[0]} closes no block; it is read as text")
        return 0

    def tool_list(self, match: re.Match[str]) -> int:
        """Read declared tools: several objects or one array, and a closing tag if there is one.

        They are read when the whole body has arrived.
        """
        if not self._is_complete:
            self._may_decide = _never
            return -1
        tools: list[Tool] = []
        end = match.end()
        while (value := value_at(self._body, end)) is not None and (more := tools_from(value[0])) is not None:
            if isinstance(value[0], list) and end != match.end():
                break
            tools += more
            end = value[1]
            if isinstance(value[0], list):
                break
        if end == match.end():
            return self._opaque(match)
        closer = _CLOSING_LIST.match(self._body, end)
        if closer is not None and not self._declares(closer.end()):
            end = closer.end()
        return self.put(Tools(tuple(tools)), match.start(), end)

    def _declares(self, at: int) -> bool:
        value = value_at(self._body, at)
        return value is not None and tools_from(value[0]) is not None

    def call(self, match: re.Match[str]) -> int:
        """Read a call: an object with a name and arguments (readings 11 and 27)."""
        if not self._is_there(match.end()):
            return -1
        spans = members(self._body, match.end())
        key_of_arguments = _first(spans[0], ARGUMENTS) if spans is not None else None
        if spans is None or not (key_of_arguments or "name" in spans[0]):
            return self._opaque(match)
        if not _is_text_span(spans[0].get("name")):
            self._report_text(FindingCode.CALL_SCHEMA, "a call names no function (§8.2); it is read as text")
            return 0
        name = spans[0]["name"].value
        arguments = spans[0][key_of_arguments] if key_of_arguments else Span({}, "{}")
        if isinstance(arguments.value, str):
            call = Call(name, arguments.value, parse(arguments.value) is not None)
        else:
            call = Call(name, TOKENS.restore(arguments.raw), is_json=True)
        end = self.put(call, match.start(), spans[1])
        self.notes += ((len(self.segments) - 1, note) for note in _odd_in_call(name, key_of_arguments, arguments))
        return end

    def output(self, match: re.Match[str]) -> int:
        """Read an output: an object with a name and content."""
        if not self._is_there(match.end()):
            return -1
        spans = members(self._body, match.end())
        if spans is None or "content" not in spans[0] or not _is_text_span(spans[0].get("name")):
            return self._opaque(match)
        content = spans[0]["content"]
        text = content.value if isinstance(content.value, str) else TOKENS.restore(content.raw)
        return self.put(Output(spans[0]["name"].value, text), match.start(), spans[1])

    def _opaque(self, match: re.Match[str]) -> int:
        if _JSON_BEGINS.match(self._body, match.end()):
            self._report_text(
                FindingCode.JSON_OPAQUE, f"{match[0]} is not followed by the JSON that it announces; it is read as text"
            )
        return 0

    def _report_text(self, code: FindingCode, detail: str) -> None:
        """Store a finding about the open text, which is the next segment, or the last section of an infill."""
        index = len(self.segments)
        self.notes.append((index - 1 if isinstance(self._last(), Infill) else index, (code, detail)))

    def infill(self, match: re.Match[str]) -> int:
        """Read an infill: three labelled sections in any order (decision 21); the last one ends at the next segment."""
        tokens, seen = [match], {match[0]}
        while len(tokens) < len(FIM):
            following = self._pattern.search(self._body, tokens[-1].end())
            if following is None and not self._is_complete:
                self._may_decide = self._pattern.search
                return -1
            if following is None or following[0] not in FIM or following[0] in seen:
                self._report_text(FindingCode.STRAY_TOKEN, f"{match[0]} lacks its two other tokens; it is read as text")
                return 0
            tokens.append(following)
            seen.add(following[0])
        infill = Infill("", None, "")
        for token, next_token in pairwise(tokens):
            _fill(infill, FIM[token[0]], TOKENS.restore(self._body[token.end() : next_token.start()]))
        self._last_label = FIM[tokens[-1][0]]
        return self.put(infill, match.start(), tokens[-1].end())


_CLOSING_LIST: Final = re.compile(r"\s*" + re.escape(LIST))
_JSON_BEGINS: Final = re.compile(r"\s*[{\[]")

_READ: Final[dict[str, Callable[[Scanner, re.Match[str]], int]]] = {
    **dict.fromkeys(FLAGS, Scanner.flag),
    **dict.fromkeys(OPENERS, Scanner.open_block),
    **dict.fromkeys(STRAY, Scanner.stray),
    **dict.fromkeys(FIM, Scanner.infill),
    SEPARATOR: Scanner.file_break,
    LIST: Scanner.tool_list,
    CALL: Scanner.call,
    OUTPUT: Scanner.output,
}


def _is_visible(text: str) -> bool:
    return not text.isspace()


def _never(_text: str) -> bool:
    return False


def _without_newlines_of(left: Segment | None, text: str) -> str:
    """Return text without the newlines that belong to the segment before it."""
    if isinstance(left, LINES):
        text = after_newline(text)
    return after_newline(text) if isinstance(left, Tools) else text  # a blank line ends the list (decision 5)


def _odd_in_call(name: str, key: str | None, arguments: Span) -> Iterator[Note]:
    """Yield the findings about a call.

    Args:
        name: the name of the function.
        key: the key of the arguments; None if there are none.
        arguments: the arguments that are read.
    """
    if not name:
        yield FindingCode.CALL_SCHEMA, "the name of a call is empty (§8.2)"
    if key != "arguments":
        meant = f"{key!r} is read instead" if key else "the call is read without arguments"
        call = f"the call of {name}" if name else "the call"
        yield FindingCode.SHAPE, f"{call} has no arguments (§8.2); {meant}"
    if not isinstance(arguments.value, (dict, str)):
        yield FindingCode.CONSTRAINT_VIOLATION, f"the arguments of {name or 'the call'} are not an object"


def _first(spans: Mapping[str, Span], keys: tuple[str, ...]) -> str | None:
    """Return the first of the keys that an object has, or None."""
    return next((key for key in keys if key in spans), None)


def _is_text_span(span: object) -> bool:
    value = getattr(span, "value", None)
    return isinstance(value, str)


def _fill(infill: Infill, label: str, text: str) -> None:
    """Set a section of an infill. An empty middle becomes None: it is the one that a model has to fill in."""
    setattr(infill, label, (text or None) if label == "middle" else text)
