"""Frames: where messages begin and end, the same for text and for token ids.

Both come as pieces: text, token, text, token, …, text. In text every spelling of a token is one; among ids only the
token's own id is. Pieces may come at any time: a whole text is a scanner fed once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge.formats.boundary import EDGES

from .header import regular
from .recover import STRIPPED, recover, says_text, split_body
from .syntax import ASSISTANT, CHANNEL, CONSTRAIN, MAX_HEADER, MESSAGE, RETURN, START, STOPS, SYSTEM, TOKEN


@dataclass(slots=True)
class Frame:
    """One frame as it stands in the source.

    Attributes:
        before: text between the frame before and this one.
        opened: whether it begins with `<|start|>`.
        header: raw, tokens included.
        at: the piece of the token that opens it (-1: none).
        body: None where the source ends inside the header, or where a stop or start token stands instead of a body.
        stop: the token that ended it, "" where there is none.
        mentions: tokens that stand in the body.
        follows: whether something comes behind it, so that a missing stop token is not a truncation.
        unmarked: whether there was so much header without a `<|message|>` that the body begins in it.
        middle: the piece of its `<|message|>`.
        last: the piece behind its body.
        names: the recipients of the tools that are declared before it.
    """

    before: str
    opened: bool
    header: str
    at: int
    body: str | None = None
    stop: str = ""
    mentions: tuple[str, ...] = ()
    follows: bool = True
    unmarked: bool = False
    middle: int = -1
    last: int = -1
    names: frozenset[str] = frozenset()


@dataclass(slots=True)
class Scan:
    """What a source ends with, behind its frames.

    Attributes:
        tail: text behind the last one.
        strays: how many stop tokens end nothing.
    """

    tail: str
    strays: int


def begins(before: Frame | None, frame: Frame) -> int:
    """Where in the text before a frame another conversation begins; -1 where it goes on.

    It begins with a token that begins or ends a text, or with a system message behind `<|return|>`, which ends the last
    answer of a training line: nothing of that line follows it.
    """
    if before is None or not frame.opened:
        return -1
    at = EDGES.find(frame.before)
    if at >= 0 or before.stop != RETURN:
        return at
    fields = regular(frame.header)
    return len(frame.before) if fields is not None and fields.role == SYSTEM else -1


def pieces_of(text: str) -> list[str]:
    """Text as pieces: text and tokens in turn, text first and last."""
    return TOKEN.split(text)


class Scanner:
    """Finds frames in one pass over pieces.

    It is between frames, in a header, in a body, or in doubt: behind a `<|start|>` in a body, or a `<|channel|>` in
    what the assistant says, which begins another message (so that the end token is missing) if a header follows, and
    else is mentioned there. `MOVES` is the table of what each token does.

    Attributes:
        frame: the one that is open; its header is set once its body begins.
        body: the pieces of the open body.
    """

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.body: list[str] = []
        self._text: list[str] = []
        """Where text goes: what stands between frames, a header, the body, or what is doubtful."""
        self._size = 0
        """Of that, where it is not the body."""
        self._from = 0
        """How much of a header stands before its first token."""
        self._mentions: dict[str, None] = {}
        self._state = BETWEEN
        self._doubt = -1
        self._doubted = START
        """The token that is in doubt."""
        self._seen = 0
        self._strays = 0
        self._done: list[Frame] = []

    @property
    def has_body(self) -> bool:
        """Whether the open frame's header is known."""
        return self.frame is not None and self._state != HEADER

    @property
    def in_body(self) -> bool:
        """Whether text belongs to a body for sure."""
        return self._state == BODY

    @property
    def header(self) -> str:
        """What has come of the open frame's header; "" where it is known or none is open."""
        return "".join(self._text) if self._state == HEADER else ""

    @property
    def tail(self) -> str:
        """What has come behind the last frame; "" where one is open."""
        return "".join(self._text) if self._state == BETWEEN else ""

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return 0 if self._state == BODY else self._size

    def feed(self, pieces: Sequence[str]) -> list[Frame]:
        """Take more pieces; the frames that they complete."""
        self._take(pieces[0])
        for at in range(1, len(pieces), 2):
            token = pieces[at]
            MOVES[self._state][token](self, token)
            self._seen += 1
            self._take(pieces[at + 1])
        done, self._done = self._done, []
        return done

    def finish(self) -> tuple[list[Frame], Scan]:
        """There are no more pieces: the frame that is cut off, and what stands behind all frames."""
        if self._state == DOUBT:
            self._resolve()
        frame, tail = self.frame, ""
        if frame is None:
            tail = "".join(self._text)
        else:
            if self._state == HEADER:
                frame.header = "".join(self._text)
            self._close("", follows=False)
        return self._done, Scan(tail, self._strays)

    def _take(self, text: str) -> None:
        if not text:
            return
        self._text.append(text)
        if self._state == BODY:
            return
        self._size += len(text)
        if self._size - self._from > MAX_HEADER:
            if self._state == HEADER:
                self._overflow()
            elif self._state == DOUBT:
                self._resolve()

    # --- what tokens do -----------------------------------------------------------------------------------------------

    def open(self, token: str) -> None:
        """`<|start|>` outside of a body."""
        before = "" if self.frame is not None else "".join(self._text)
        if self.frame is not None:
            self.frame.header = "".join(self._text)
            self._close("")
        self.frame = Frame(before, True, "", 2 * self._seen + 1)
        self._await(HEADER)

    def unopened(self, token: str) -> None:
        """A header's token behind text that no `<|start|>` precedes: the text is part of the header."""
        self.frame, self._state, self._from = Frame("", False, "", -1), HEADER, self._size
        MOVES[HEADER][token](self, token)

    def marker(self, token: str) -> None:
        """`<|channel|>` or `<|constrain|>` in a header."""
        self._text.append(token)
        self._size += len(token)

    def message(self, token: str) -> None:
        """`<|message|>`: the body begins."""
        assert self.frame is not None
        self.frame.header, self.frame.middle = "".join(self._text), 2 * self._seen + 1
        self._begin_body([])

    def stop_between(self, token: str) -> None:
        """A stop token between frames: it ends text that has no header, or nothing."""
        text = "".join(self._text)
        if text.strip():
            self._done.append(Frame("", False, text, -1, stop=token))
        else:
            self._strays += 1
        self._await(BETWEEN)

    def stop_header(self, token: str) -> None:
        """A stop token in a header: there is no body."""
        assert self.frame is not None
        self.frame.header = "".join(self._text)
        self._close(token)

    def stop_body(self, token: str) -> None:
        """A stop token in a body."""
        self._close(token)

    def mention(self, token: str) -> None:
        """A token that has no meaning in a body."""
        self._mentions[token] = None
        self.body.append(token)

    def doubtful(self, token: str) -> None:
        """`<|start|>` in a body: another message begins, or it is mentioned."""
        self._doubt, self._doubted = 2 * self._seen + 1, token
        self._await(DOUBT)

    def channel(self, token: str) -> None:
        """`<|channel|>` in a body: in what the assistant says another message may begin, else it is mentioned."""
        assert self.frame is not None
        if says_text(self.frame.header, opened=self.frame.opened):
            self.doubtful(token)
        else:
            self.mention(token)

    def decide(self, token: str) -> None:
        """`<|message|>` behind a doubtful token: what stands between is a header or not."""
        opened, header = self._doubted == START, "".join(self._text)
        if not opened:
            header = self._doubted + header
        if regular(header) is None and recover(header, opened=opened).fields.channel is None:
            self.unfounded(token)
            return
        self._close("", last=self._doubt)
        self.frame = Frame("", opened, header, self._doubt, middle=2 * self._seen + 1)
        self._begin_body([])

    def unfounded(self, token: str) -> None:
        """Any other token there: the one in doubt is mentioned."""
        self._resolve()
        MOVES[BODY][token](self, token)

    # --- frames -------------------------------------------------------------------------------------------------------

    def _await(self, state: str) -> None:
        """Collect text until a token tells what it is."""
        self._text, self._size, self._from, self._state = [], 0, 0, state

    def _begin_body(self, body: list[str]) -> None:
        self.body = self._text = body
        self._mentions = {}
        self._state = BODY

    def _resolve(self) -> None:
        self._mentions[self._doubted] = None
        self._mentions.update((text, None) for text in self._text if text in _MARKERS)
        self.body += (self._doubted, *self._text)
        self._text, self._state = self.body, BODY

    def _overflow(self) -> None:
        """So long a header is none: its body has begun."""
        assert self.frame is not None
        raw, most = "".join(self._text), self._from + MAX_HEADER
        if self.frame.opened and STRIPPED.match(raw.removeprefix(ASSISTANT)):
            self._from = sys.maxsize  # its tokens were left out: only the whole of it tells what it says
            return
        self.frame.header, first = split_body(raw[:most], opened=self.frame.opened)
        self.frame.unmarked = True
        self._begin_body([text for text in (first, raw[most:]) if text])

    def _close(self, stop: str, *, follows: bool = True, last: int | None = None) -> None:
        frame = self.frame
        assert frame is not None
        frame.stop, frame.follows = stop, follows
        frame.last = 2 * self._seen + 1 if last is None else last
        if self._state != HEADER:
            frame.body, frame.mentions = "".join(self.body), tuple(self._mentions)
        self._done.append(frame)
        self.frame = None
        self._await(BETWEEN)


BETWEEN: Final = "between frames"
HEADER: Final = "header"
BODY: Final = "body"
DOUBT: Final = "doubt"

_MARKERS: Final = frozenset({CHANNEL, CONSTRAIN})


def _moves(start: _Move, marker: _Move, message: _Move, stop: _Move) -> dict[str, _Move]:
    return {START: start, CHANNEL: marker, CONSTRAIN: marker, MESSAGE: message, **dict.fromkeys(STOPS, stop)}


_Move = Callable[[Scanner, str], None]
S = Scanner
MOVES: Final[dict[str, dict[str, _Move]]] = {
    BETWEEN: _moves(S.open, S.unopened, S.unopened, S.stop_between),
    HEADER: _moves(S.open, S.marker, S.message, S.stop_header),
    BODY: _moves(S.doubtful, S.mention, S.mention, S.stop_body) | {CHANNEL: S.channel},
    DOUBT: _moves(S.unfounded, S.marker, S.decide, S.unfounded),
}
"""State → token → what it does."""


def scanned(pieces: Sequence[str]) -> tuple[list[Frame], Scan]:
    """The frames that pieces make, and what stands behind them."""
    scanner = Scanner()
    frames = scanner.feed(pieces)
    last, rest = scanner.finish()
    return [*frames, *last], rest


def boundaries(frames: Sequence[Frame]) -> list[tuple[Frame, int]]:
    """The frames that another conversation begins with, and where in the text before each it does."""
    pairs = zip((None, *frames), frames, strict=False)
    return [(frame, at) for before, frame in pairs if (at := begins(before, frame)) >= 0]
