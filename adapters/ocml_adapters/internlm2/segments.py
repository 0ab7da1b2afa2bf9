"""Where the calls stand in an assistant's body."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .syntax import IM, KINDS, UNUSED

_STARTS: Final = frozenset({IM.action_start, UNUSED.action_start})
_ENDS: Final = frozenset({IM.action_end, UNUSED.action_end})
_TOKEN: Final = re.compile("(" + "|".join(map(re.escape, (*_STARTS, *_ENDS, *KINDS))) + ")")


class Segment(NamedTuple):
    """A part of a body: text, some of it, or a call.

    Attributes:
        raw: as it stands there.
        kind: what is called, as a word; None for text.
        inner: what the call holds.
        closed: whether the call was ended.
    """

    raw: str
    kind: str | None = None
    inner: str = ""
    closed: bool = True


class Cutter:
    """Cuts a body at its calls, in one pass over text that may come at any time but is never cut inside a token.

    A call is opened by two tokens with nothing but white space between them, and goes on to its end token or to where
    the next one is opened; an end token elsewhere is text.

    Attributes:
        pending: how many characters wait for what they are to be known.
    """

    def __init__(self) -> None:
        self.pending = 0
        self._doubt: list[str] = []
        """A token that may open a call, and white space behind it."""
        self._opening: list[str] = []
        self._kind: str | None = None
        self._inner: list[str] = []
        self._done: list[Segment] = []

    @property
    def in_text(self) -> bool:
        """Whether what comes is text unless it is a token."""
        return self._kind is None and not self._doubt

    @property
    def in_call(self) -> bool:
        """Whether a call is open."""
        return self._kind is not None

    def feed(self, text: str) -> list[Segment]:
        """Take more text: what it completes."""
        pieces = _TOKEN.split(text)
        self._text(pieces[0])
        for at in range(1, len(pieces), 2):
            self._token(pieces[at])
            self._text(pieces[at + 1])
        return self._take()

    def finish(self) -> list[Segment]:
        """There is no more text: the rest."""
        self._settle()
        if self._kind is not None:
            self._call("", closed=False)
        return self._take()

    def _take(self) -> list[Segment]:
        done, self._done = self._done, []
        return done

    def _text(self, text: str) -> None:
        if not text:
            return
        if self._doubt and text.isspace():
            self._doubt.append(text)
            self.pending += len(text)
            return
        self._settle()
        self._put(text)

    def _token(self, token: str) -> None:
        kind = KINDS.get(token)
        if kind is not None and self._doubt:
            if self._kind is not None:
                self._call("", closed=False)
            self._opening, self._kind, self._doubt = [*self._doubt, token], kind, []
            return
        self._settle()
        if token in _STARTS:
            self._doubt.append(token)
            self.pending += len(token)
        elif token in _ENDS and self._kind is not None:
            self._call(token, closed=True)
        else:
            self._put(token)

    def _settle(self) -> None:
        """What was doubtful opens no call."""
        doubt, self._doubt = self._doubt, []
        for text in doubt:
            self.pending -= len(text)
            self._put(text)

    def _put(self, text: str) -> None:
        if self._kind is None:
            self._done.append(Segment(text))
        else:
            self._inner.append(text)
            self.pending += len(text)

    def _call(self, end: str, *, closed: bool) -> None:
        inner = "".join(self._inner)
        raw = "".join((*self._opening, inner, end))
        self._done.append(Segment(raw, self._kind, inner.lstrip(" \t").removeprefix("\n"), closed))
        self._kind, self._inner = None, []
        self.pending = sum(map(len, self._doubt))
