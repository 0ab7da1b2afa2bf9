"""An assistant's body as texts and calls, found in one pass over text that may come at any time."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

CALL: Final = "<tool_call>"
CALL_END: Final = "</tool_call>"
LIST: Final = "<|tool_call_start|>"
LIST_END: Final = "<|tool_call_end|>"
FUNCTION: Final = "<function="
"""What a call begins with whose first tag is missing, at the beginning of a line."""
_OPENER: Final = re.compile(f"{'|'.join(map(re.escape, (CALL, LIST)))}|^{FUNCTION}", re.M)
_TAG: Final = re.compile("</?tool_call>")
_LIST_TAG: Final = re.compile(re.escape(LIST_END))
_OUTSIDE: Final = re.compile(r"""["{}\[\]]|</?tool_call>""")
"""What matters of JSON outside of strings."""
_INSIDE: Final = re.compile(r"""["\\]""")


_XML: Final = re.compile(r"(?:<tool_call>\s*|^)<function=", re.M)


def markup_of(body: str) -> str:
    """How the calls in a body are written."""
    return "python" if LIST in body else "xml" if _XML.search(body) is not None else "json"


def first_call(body: str) -> int:
    """The offset of the first tag that a call begins with; -1 where there is none."""
    return Cutter().first_call(body)


class Segment(NamedTuple):
    """A piece of a body.

    Attributes:
        raw: as it stands there.
        opener: the tag that a call begins with; "" for text.
        inner: what stands between its tags.
        closed: whether its end tag stands there.
    """

    raw: str
    opener: str = ""
    inner: str = ""
    closed: bool = True


class Cutter:
    """Cuts a body into texts and calls.

    A tag inside a JSON string is none. Where a string turns out to have no end, the first end tag counts, there and in
    what follows.

    Attributes:
        in_call: whether a call is open.
    """

    def __init__(self) -> None:
        self._call: _OpenCall | None = None
        self._strict = True
        self._begins_line = True

    @property
    def in_call(self) -> bool:
        """Whether a call is open."""
        return self._call is not None

    @property
    def pending(self) -> int:
        """How many characters wait for the end of a call."""
        return 0 if self._call is None else self._call.size

    @property
    def inner(self) -> str:
        """What stands in the open call so far."""
        return "" if self._call is None else "".join(self._call.pieces)

    def feed(self, text: str) -> list[Segment]:
        """Take more text, which is never cut inside a tag; the segments that it completes. Text is told at once."""
        out: list[Segment] = []
        at = 0
        while at < len(text):
            if self._call is None:
                found = self._opener(text, at)
                if found is None:
                    out.append(Segment(text[at:]))
                    break
                if found.start() > at:
                    out.append(Segment(text[at : found.start()]))
                self._call, at = _OpenCall(found[0], strict=self._strict), found.end()
                continue
            tag = self._call.find_end(text, at)
            if tag is None:
                break
            self._call.pieces.append(text[at : tag.start()])
            out.append(self._call.segment(tag[0] if tag[0] != CALL else ""))
            self._call, at = None, tag.start() if tag[0] == CALL else tag.end()
        self._begins_line = text.endswith("\n") if text else self._begins_line
        return out

    def first_call(self, text: str) -> int:
        """The offset in the text that comes of the first tag that a call begins with; -1 where there is none."""
        found = self._opener(text, 0)
        return -1 if found is None else found.start()

    def _opener(self, text: str, at: int) -> re.Match[str] | None:
        """The tag that the next call begins with."""
        found = _OPENER.search(text, at)
        if found is not None and found[0] == FUNCTION and found.start() == 0 and not self._begins_line:
            return _OPENER.search(text, found.end())
        return found

    def finish(self) -> list[Segment]:
        """There is no more text: the call that is open, or what it is instead."""
        call, self._call = self._call, None
        if call is None:
            return []
        raw = "".join(call.pieces)
        if not self._strict or _TAG.search(raw) is None or call.opener == LIST:
            return [call.segment("")]
        self._strict = False
        return [*self.feed(call.opener + raw), *self.finish()]


class _OpenCall:
    """A call whose end has not been found yet.

    Args:
        opener: the tag that it begins with.
        strict: whether tags inside JSON strings are none.
    """

    def __init__(self, opener: str, *, strict: bool) -> None:
        self.opener = opener
        self.pieces: list[str] = []
        self.size = 0
        self._tag = _LIST_TAG if opener == LIST else _TAG
        self._strict = strict and opener == CALL
        self._begun = False
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
        if not self._begun:
            at = len(text) - len(text[at:].lstrip())
            if at == len(text):
                return None
            self._begun, self._strict = True, text[at] == "{"
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
