"""Split an assistant's body into texts, calls and thoughts, incrementally and in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ocml_bridge.text.calls import after_space

from .named_functions import may_name_function, names_function

CALL: Final = "<tool_call>"
CALL_END: Final = "</tool_call>"
LIST: Final = "<|tool_call_start|>"
LIST_END: Final = "<|tool_call_end|>"
LINES: Final = "<function_calls>"
LINES_END: Final = "</function_calls>"
FUNCTION: Final = "<function="
"""The start of a call without its first tag; it must be at the beginning of a line."""
PARAMS: Final = "<function name="
PARAMS_END: Final = "</function>"
DATA: Final = "<![CDATA["
DATA_END: Final = "]]>"
"""The tags of a call with names in attributes, and those of its values that are taken exactly."""
THINK: Final = "<think>"
THOUGHT_END: Final = "</think>"
_QUOTE: Final = "`"
_OPENER: Final = re.compile(f"{re.escape(LIST)}|{LINES}|{CALL}|{THINK}|{PARAMS}|^{FUNCTION}", re.M)
_TAG: Final = re.compile("</?tool_call>")
_ENDS: Final = {
    LIST: re.compile(re.escape(LIST_END)),
    LINES: re.compile(LINES_END),
    THINK: re.compile(THOUGHT_END),
    PARAMS: re.compile(PARAMS_END),
}
"""Start tag → pattern of the end tag, if that is not `_TAG`."""
_DATA_OR_END: Final = re.compile(f"{re.escape(DATA)}|{PARAMS_END}")
_OUTSIDE_STRINGS: Final = re.compile(r"""["{}\[\]]|</?tool_call>""")
"""What has a meaning outside the strings of JSON."""
_IN_STRING: Final = re.compile(r"""["\\]""")
BEFORE_END: Final = re.compile(r"(?P<tag>(?:</function>|</parameter>|<function=[^<>\n]+>)\s*)\Z|\n[ \t]*\Z")
"""What stands before the end of a call as tags: the end of its arguments (`tag`), or the beginning of a line. Elsewhere
its end tag is text of an argument."""
LIKE_CALL: Final = re.compile(r"<function=|(?:```\w*\s*)?[{\[]")
"""What a call on a line of an argument begins with, after its start tag. Before anything else the tag is a word."""
_BEGUN: Final = 32
"""The number of characters after such a tag that are looked at."""
_BEGIN_CALLS: Final = "{[<`"
"""What a call begins with, after its start tag."""
WINDOW: Final = 512
"""The number of characters before an end tag that are looked at."""


class Segment(NamedTuple):
    """A part of a body.

    Attributes:
        raw: the raw text.
        opener: the start tag of a call or a thought; "" for text.
        inner: the text between its tags.
        closed: whether it has its end tag.
        last: whether the body ends within it.
        repeated: the length of what is before its last start tag: the same tag, and white space.
        nests: whether it is a call as tags with start tags, and maybe whole calls, on lines of its arguments.
    """

    raw: str
    opener: str = ""
    inner: str = ""
    closed: bool = True
    last: bool = False
    repeated: int = 0
    nests: bool = False


class Cutter:
    """Splits a body into texts, calls and thoughts.

    A tag inside a JSON string, or inside a line of an argument as tags, is text. If the string or argument proves to
    have no end, the first end tag counts, here and in the rest of the body. A call that begins on a line of an argument
    is text as well if the argument ends after it. If not, another call begins there, here and in the rest of the body.

    Args:
        in_thought: whether the body is a thought. Tags in it are often only words, so a call must begin like one, and
            a start tag of a thought is text.
    """

    def __init__(self, *, in_thought: bool = False) -> None:
        self._in_thought = in_thought
        self._open: _OpenSegment | None = None
        self._strict = True
        self._nests = True
        self._before = "\n"
        """The last two characters before the position."""

    @property
    def opener(self) -> str:
        """The start tag of the open call or thought; "" if none is open."""
        return "" if self._open is None else self._open.opener

    @property
    def before(self) -> str:
        """The last two characters of the text."""
        return self._before

    @property
    def pending(self) -> int:
        """The number of characters of the open call or thought."""
        return 0 if self._open is None else self._open.size

    def feed(self, text: str) -> Iterator[Segment]:
        """Take more text, not cut inside a tag; yield the segments that it completes. Text is yielded at once."""
        at = 0
        while at < len(text):
            if self._open is None:
                opener = self._opener(text, at)
                if opener is None:
                    yield Segment(text[at:])
                    break
                if opener.start() > at:
                    yield Segment(text[at : opener.start()])
                self._open, at = self._opened(opener[0]), opener.end()
                continue
            if (words := self._open.words(text, at, in_thought=self._in_thought)) is not None:
                self._open, at = None, words.at
                yield Segment(words.raw)
                continue
            tag = self._open.find_end(text, at)
            if tag is None:
                break
            self._open.pieces.append(text[at : tag.start()])
            segment, self._open, at = self._open, None, tag.start() if tag[0] == CALL else tag.end()
            if tag[0] == CALL and segment.is_blank:
                self._open, at = segment.begun_again(self._opened(segment.opener)), tag.end()
                continue
            yield segment.closed(tag[0] if tag[0] != CALL else "")
        self.passed(text)

    def passed(self, text: str) -> None:
        """Take text that has no tag."""
        self._before = (self._before + text[-2:])[-2:]

    def reopen(self, thought: str) -> None:
        """Open a thought that began in the last segment."""
        self._open = _OpenSegment(THINK, strict=False, nests=False)
        self._open.find_end(thought, 0)

    def _opened(self, opener: str) -> _OpenSegment:
        return _OpenSegment(opener, strict=self._strict, nests=self._nests)

    def without_nesting(self, segment: Segment) -> Iterator[Segment]:
        """Split a segment once more, in which calls on lines of arguments are calls."""
        self._nests = False
        yield from self.feed(segment.raw)

    def find_opener(self, text: str) -> int:
        """Return the offset of the first start tag in the next text, or -1."""
        opener = self._opener(text, 0)
        return -1 if opener is None else opener.start()

    def _opener(self, text: str, at: int) -> re.Match[str] | None:
        """Return the start tag of the next call or thought, or None."""
        for tag in _OPENER.finditer(text, at):
            start = tag.start()
            if tag[0] == FUNCTION and start == 0 and not self._before.endswith("\n"):
                continue
            if tag[0] == THINK and self._in_thought:
                continue
            if tag[0] in (THINK, PARAMS) and is_quoted(self._before if start < 2 else "", text, start):
                continue
            return tag
        return None

    def finish(self, *, cut_off: bool = False) -> Iterator[Segment]:
        """End the body: yield the open call or thought, or what it is if its JSON has no end.

        Args:
            cut_off: whether the body was cut off, so that the argument that has no end may have gone on.
        """
        while self._open is not None:
            segment, self._open = self._open, None
            last = segment.closed("")._replace(last=True)
            if last.nests and not cut_off:
                yield from self.without_nesting(last)
            elif last.nests or not self._strict or _TAG.search(last.inner) is None or segment.opener in _ENDS:
                yield last
            else:
                self._strict = False
                yield from self.feed(last.raw)


def is_quoted(before: str, text: str, at: int) -> bool:
    """Return whether a tag at an offset is quoted as code: after one backtick, but not after the three of a block."""
    front = (before + text[max(0, at - 2) : at])[-2:]
    return front.endswith(_QUOTE) and front != 2 * _QUOTE


class _Words(NamedTuple):
    """A start tag that begins no call.

    Attributes:
        raw: the tag, with the white space after it.
        at: the offset after it.
    """

    raw: str
    at: int


class _OpenSegment:
    """A call or a thought whose end has not been found.

    Args:
        opener: its start tag.
        strict: whether tags inside JSON strings and arguments are text.
        nests: whether calls on lines of arguments are text.
    """

    def __init__(self, opener: str, *, strict: bool, nests: bool) -> None:
        self.opener = opener
        self.pieces: list[str] = []
        self.size = 0
        self._before: list[str] = []
        """The pieces of what is before the start tag: the same tag, and white space."""
        self._tag = _ENDS.get(opener, _TAG)
        self._in_tags = strict and opener in (CALL, FUNCTION)
        """Whether the call may be one as tags, in whose arguments end tags are text."""
        self._head = opener if opener == FUNCTION else ""
        self._recent = self._head
        """The first characters of the call, without white space before them, and the last ones."""
        self._nests = nests
        self._nested = False
        """Whether a start tag has been on a line of an argument."""
        self._begun: str | None = None
        """What follows the last start tag on a line of an argument, without white space before it; None if it is known
        whether a call begins there."""
        self._inner = 0
        """The number of such calls that have no end yet."""
        self._in_data: str | None = None
        """The last characters of the open CDATA section; None if none is open."""
        self._strict = strict and opener == CALL
        self._started = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def begun_again(self, again: _OpenSegment) -> _OpenSegment:
        """Return the same segment after its start tag has come once more; `again`: a new one with this tag."""
        again.size = self.size
        again._before = self._before
        again._before += (self.opener, *self.pieces)
        return again

    def closed(self, closer: str) -> Segment:
        """Return the segment with its end tag, or "" if it has none."""
        before, inner = "".join(self._before), "".join(self.pieces)
        raw = f"{before}{self.opener}{inner}{closer}"
        return Segment(raw, self.opener, inner, closed=closer != "", repeated=len(before), nests=self._nested)

    def words(self, text: str, at: int, *, in_thought: bool) -> _Words | None:
        """Return the start tag if what follows it cannot be a call, else None.

        Args:
            text: the next text.
            at: its offset.
            in_thought: whether the tag stands in a thought.
        """
        if self.opener == PARAMS and not self._started:
            head = "".join((*self.pieces, text[at : at + WINDOW]))
            self._started = names_function(head)
            may_be_call = self._started or (len(head) < WINDOW and may_name_function(head))
            return None if may_be_call else _Words(self.closed("").raw, at)
        if not in_thought:
            return None
        place = after_space(text, at)
        if self.opener != CALL or place == len(text) or not self.is_blank or text[place] in _BEGIN_CALLS:
            return None
        return _Words(self.closed(text[at:place]).raw, place)

    @property
    def is_blank(self) -> bool:
        """Whether it is a call of which nothing but white space has come."""
        return self.opener == CALL and not any(piece.strip() for piece in self.pieces)

    def find_end(self, text: str, at: int) -> re.Match[str] | None:
        """Return the end tag; None if it is not in this text, which is added to the segment."""
        if self.opener == PARAMS:
            return self._find_end_after_data(text, at)
        start = self._after_json(text, at) if self._strict else at
        tag = None if start is None else self._tag.search(text, start)
        seen = at
        while tag is not None and self._in_tags:
            self._look(text, seen, tag.start())
            seen = tag.start()
            if self._head != FUNCTION or self._ends_at(tag[0]):
                break
            self._look(text, seen, tag.end())
            seen = tag.end()
            self._begun = "" if self._begun == CALL else self._begun
            tag = self._tag.search(text, seen)
        if tag is None:
            self.pieces.append(text[at:])
            self.size += len(text) - at
            if self._in_tags:
                self._look(text, seen, len(text))
        return tag

    def _find_end_after_data(self, text: str, at: int) -> re.Match[str] | None:
        """Return the end tag outside CDATA sections; None if it is not in this text, which is added to the segment."""
        place = at
        while place >= 0:
            if self._in_data is not None:
                place = self._after_data(text, place)
                continue
            tag = _DATA_OR_END.search(text, place)
            if tag is None:
                break
            if tag[0] == PARAMS_END:
                return tag
            place, self._in_data = tag.end(), ""
        self.pieces.append(text[at:])
        self.size += len(text) - at
        return None

    def _after_data(self, text: str, at: int) -> int:
        """Return the offset after the end of the open CDATA section, which may have begun before; -1 if it goes on."""
        before, most = self._in_data or "", len(DATA_END) - 1
        cut = (before + text[at : at + most]).find(DATA_END) if before else -1
        end = text.find(DATA_END, at) if cut < 0 else at + cut - len(before)
        if cut < 0 and end < 0:
            self._in_data = (before + text[max(at, len(text) - most) :])[-most:]
            return -1
        self._in_data = None
        return end + len(DATA_END)

    def _ends_at(self, tag: str) -> bool:
        """Return whether a call as tags ends at a tag, which the last characters are before."""
        self._look_at_begun()
        before = BEFORE_END.search(self._recent)
        if before is None or not self._nests:
            return before is not None
        in_line = before["tag"] is None
        if tag == CALL and in_line:
            self._nested, self._begun = True, ""
        elif self._inner:
            self._inner -= tag != CALL
        else:
            return not (self._nested and in_line)
        return False

    def _look_at_begun(self) -> None:
        """Count the call that has begun at the last start tag on a line of an argument, if one has."""
        self._inner += self._begun is not None and LIKE_CALL.match(self._begun) is not None
        self._begun = None

    def _look(self, text: str, start: int, end: int) -> None:
        """Take the next characters of what may be a call as tags: remember its first and its last characters."""
        if self._head != FUNCTION:
            first = start if self._head else min(after_space(text, start), end)
            self._head += text[first : min(end, first + len(FUNCTION) - len(self._head))]
            self._in_tags = FUNCTION.startswith(self._head)
        if self._begun is not None and len(self._begun) < _BEGUN:
            first = start if self._begun else min(after_space(text, start), end)
            self._begun += text[first : min(end, first + _BEGUN - len(self._begun))]
        self._recent = (self._recent + text[max(start, end - WINDOW) : end])[-WINDOW:]

    def _after_json(self, text: str, at: int) -> int | None:
        """Return the offset from which a tag is an end tag: after the JSON, or at a tag outside its strings."""
        if not self._started:
            at = len(text) - len(text[at:].lstrip())
            if at == len(text):
                return None
            self._started, self._strict = True, text[at] in "{["
        while self._strict:
            if self._escaped:
                if at == len(text):
                    return None
                at, self._escaped = at + 1, False
            mark = (_IN_STRING if self._in_string else _OUTSIDE_STRINGS).search(text, at)
            if mark is None:
                return None
            at = mark.end()
            match mark[0]:
                case '"':
                    self._in_string = not self._in_string
                case "\\":
                    self._escaped = True
                case "{" | "[":
                    self._depth += 1
                case "}" | "]":
                    self._depth -= 1
                    self._strict = self._depth > 0
                case _:
                    self._strict, at = False, mark.start()
        return at
