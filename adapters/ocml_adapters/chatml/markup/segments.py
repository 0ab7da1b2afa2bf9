"""An assistant's body as texts, calls and thoughts, found in one pass over text that may come at any time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

CALL: Final = "<tool_call>"
LIST: Final = "<|tool_call_start|>"
LIST_END: Final = "<|tool_call_end|>"
FUNCTION: Final = "<function="
"""What a call begins with whose first tag is missing, at the beginning of a line."""
THINK: Final = "<think>"
THOUGHT_END: Final = "</think>"
_QUOTE: Final = "`"
_OPENER: Final = re.compile(f"{re.escape(LIST)}|{CALL}|{THINK}|^{FUNCTION}", re.M)
_TAG: Final = re.compile("</?tool_call>")
_ENDS: Final = {LIST: re.compile(re.escape(LIST_END)), THINK: re.compile(THOUGHT_END)}
"""By the tag that something begins with, that which it ends with, where that is not one of `_TAG`."""
_OUTSIDE: Final = re.compile(r"""["{}\[\]]|</?tool_call>""")
"""What matters of JSON outside of strings."""
_INSIDE: Final = re.compile(r"""["\\]""")


_XML: Final = re.compile(r"(?:<tool_call>\s*|^)<function=", re.M)


def markup_of(body: str) -> str:
    """How the calls in a body are written."""
    return "python" if LIST in body else "xml" if _XML.search(body) is not None else "json"


class Segment(NamedTuple):
    """A piece of a body.

    Attributes:
        raw: as it stands there.
        opener: the tag that a call or a thought begins with; "" for text.
        inner: what stands between its tags.
        closed: whether its end tag stands there.
        last: whether the body ends within it.
    """

    raw: str
    opener: str = ""
    inner: str = ""
    closed: bool = True
    last: bool = False


class Cutter:
    """Cuts a body into texts, calls and thoughts.

    A tag inside a JSON string is none. Where a string turns out to have no end, the first end tag counts, there and in
    what follows.
    """

    def __init__(self) -> None:
        self._call: _OpenCall | None = None
        self._strict = True
        self._before = "\n"
        """The last characters in front of what comes next."""

    @property
    def opener(self) -> str:
        """The tag that the open call or thought begins with; "" where none is open."""
        return "" if self._call is None else self._call.opener

    @property
    def pending(self) -> int:
        """How many characters wait for the end of a call or a thought."""
        return 0 if self._call is None else self._call.size

    def feed(self, text: str) -> Iterator[Segment]:
        """Take more text, which is never cut inside a tag; the segments that it completes. Text is told at once."""
        at = 0
        while at < len(text):
            if self._call is None:
                found = self._opener(text, at)
                if found is None:
                    yield Segment(text[at:])
                    break
                if found.start() > at:
                    yield Segment(text[at : found.start()])
                self._call, at = _OpenCall(found[0], strict=self._strict), found.end()
                continue
            tag = self._call.find_end(text, at)
            if tag is None:
                break
            self._call.pieces.append(text[at : tag.start()])
            call, self._call, at = self._call, None, tag.start() if tag[0] == CALL else tag.end()
            yield call.segment(tag[0] if tag[0] != CALL else "")
        self.passed(text)

    def passed(self, text: str) -> None:
        """Take text in which nothing begins or ends."""
        self._before = (self._before + text[-2:])[-2:]

    def reopen(self, thought: str) -> None:
        """Go on with a thought that began in the segment which was told last."""
        self._call = _OpenCall(THINK, strict=False)
        self._call.find_end(thought, 0)

    def find_opener(self, text: str) -> int:
        """The offset in the text that comes of the first tag that a call or a thought begins with; -1 for none."""
        found = self._opener(text, 0)
        return -1 if found is None else found.start()

    def _opener(self, text: str, at: int) -> re.Match[str] | None:
        """The tag that the next call or thought begins with."""
        for found in _OPENER.finditer(text, at):
            start = found.start()
            if found[0] == FUNCTION and start == 0 and not self._before.endswith("\n"):
                continue
            if found[0] == THINK and is_quoted(self._before if start < 2 else "", text, start):
                continue
            return found
        return None

    def finish(self) -> Iterator[Segment]:
        """There is no more text: the call that is open, or what it is instead."""
        while self._call is not None:
            call, self._call = self._call, None
            raw = "".join(call.pieces)
            if not self._strict or _TAG.search(raw) is None or call.opener in _ENDS:
                yield call.segment("")._replace(last=True)
            else:
                self._strict = False
                yield from self.feed(call.opener + raw)


def is_quoted(before: str, text: str, at: int) -> bool:
    """Whether what stands at an offset is quoted as code: behind one backtick, and not behind the three of a block."""
    front = (before + text[max(0, at - 2) : at])[-2:]
    return front.endswith(_QUOTE) and front != 2 * _QUOTE


class _OpenCall:
    """A call, or a thought, whose end has not been found yet.

    Args:
        opener: the tag that it begins with.
        strict: whether tags inside JSON strings are none.
    """

    def __init__(self, opener: str, *, strict: bool) -> None:
        self.opener = opener
        self.pieces: list[str] = []
        self.size = 0
        self._tag = _ENDS.get(opener, _TAG)
        self._strict = strict and opener == CALL
        self._started = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def segment(self, closer: str) -> Segment:
        """The call, which ends with a tag, or "" for none."""
        inner = "".join(self.pieces)
        return Segment(f"{self.opener}{inner}{closer}", self.opener, inner, closed=closer != "")

    def find_end(self, text: str, at: int) -> re.Match[str] | None:
        """The tag that ends the call; None where that comes later, and the text is taken."""
        behind = self._behind_json(text, at) if self._strict else at
        tag = None if behind is None else self._tag.search(text, behind)
        if tag is None:
            self.pieces.append(text[at:])
            self.size += len(text) - at
        return tag

    def _behind_json(self, text: str, at: int) -> int | None:
        """From where on a tag is one: behind the JSON, or where one stands outside of its strings; None for nowhere."""
        if not self._started:
            at = len(text) - len(text[at:].lstrip())
            if at == len(text):
                return None
            self._started, self._strict = True, text[at] == "{"
        while self._strict:
            if self._escaped:
                if at == len(text):
                    return None
                at, self._escaped = at + 1, False
            found = (_INSIDE if self._in_string else _OUTSIDE).search(text, at)
            if found is None:
                return None
            at = found.end()
            match found[0]:
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
                    self._strict, at = False, found.start()
        return at
