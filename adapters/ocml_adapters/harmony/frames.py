"""Split text or token ids into frames: find where messages begin and end.

The scanner takes pieces: text, token, text, token, …, text. In text, every spelling of a control token is a token; in
token ids, only the token's own id is. A stream feeds the scanner many times, a whole text once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge.formats.boundary import EDGES

from .header import regular
from .recover import recover, says_text, split_body
from .stripped import STRIPPED
from .syntax import ASSISTANT, CHANNEL, CONSTRAIN, MAX_HEADER, MESSAGE, RETURN, START, STOPS, SYSTEM, TOKEN


@dataclass(slots=True)
class Frame:
    """A frame as it stands in the source. Indexes of tokens are indexes of pieces.

    Attributes:
        before: the text between the frame before it and this one.
        opened: whether it begins with `<|start|>`.
        header: the raw header, with its tokens.
        at: the index of the token that opens it; -1 if there is none.
        body: its body; None if the source ends inside the header, or if the header ends with a stop or start token.
        stop: its end token; "" if there is none.
        mentions: the tokens in the body that are text.
        follows: whether more of the source follows it, so that a missing end token does not mean that it was cut off.
        unmarked: whether the header got too long without a `<|message|>`, so that the body begins in it.
        middle: the index of its `<|message|>`; -1 if there is none.
        last: the index of the token after its body.
        names: the recipients of the tools that are declared before it.
        channel: the channel of a header without a body that it goes on with; None if there is none.
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
    channel: str | None = None


@dataclass(slots=True)
class Scan:
    """The rest of a source, apart from its frames.

    Attributes:
        tail: the text after the last frame.
        strays: the number of stop tokens that end no message.
    """

    tail: str
    strays: int


def begins(before: Frame | None, frame: Frame) -> int | None:
    """Return the offset in `frame.before` at which another conversation begins; None if the conversation goes on.

    Another conversation begins with a token that begins or ends a text, or with a system message after `<|return|>`:
    this token ends the last answer of a training example, so nothing of that example follows. The offset is negative if
    the token stands after the header of an open turn.
    """
    if before is None or not frame.opened:
        return None
    if before.body is None and not before.stop and (at := EDGES.find(before.header)) >= 0:
        return at - len(before.header)
    at = EDGES.find(frame.before)
    if at >= 0:
        return at
    fields = regular(frame.header) if before.stop == RETURN else None
    return len(frame.before) if fields is not None and fields.role == SYSTEM else None


def pieces_of(text: str) -> list[str]:
    """Split text into pieces: text and tokens alternate, text first and last."""
    return TOKEN.split(text)


class Scanner:
    """Finds frames in one pass over pieces.

    It is a state machine with four states: between frames, in a header, in a body, and in doubt. It is in doubt after a
    `<|start|>` in any body, and after a `<|channel|>` in the assistant's text or outside of the strings of arguments:
    if a header follows, another message begins (and the end token is missing), else the token is text. `MOVES` is the
    table of transitions.

    Attributes:
        frame: the open frame; None between frames. Its header is set when its body begins.
        body: the pieces of the open body.
    """

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.body: list[str] = []
        self._text: list[str] = []
        """Where text is collected: text between frames, the header, the body, or the text after a doubtful token."""
        self._size = 0
        """The number of characters in `_text`, if it is not the body."""
        self._from = 0
        """The number of characters before the first token of a header without `<|start|>`; else 0."""
        self._mentions: dict[str, None] = {}
        self._quotes, self._counted = -1, 0
        """The number of quotation marks in the first `_counted` pieces of the body; -1 if the body is no object."""
        self._state = BETWEEN
        self._doubt = -1
        self._doubted = START
        """The token in doubt; `_doubt` is its index."""
        self._seen = 0
        self._strays = 0
        self._done: list[Frame] = []

    @property
    def has_body(self) -> bool:
        """Whether a frame is open and its header is complete."""
        return self.frame is not None and self._state != HEADER

    @property
    def in_body(self) -> bool:
        """Whether new text surely belongs to a body."""
        return self._state == BODY

    @property
    def header(self) -> str:
        """The beginning of the open frame's header; "" if the header is complete or no frame is open."""
        return "".join(self._text) if self._state == HEADER else ""

    @property
    def tail(self) -> str:
        """The text after the last frame; "" if a frame is open."""
        return "".join(self._text) if self._state == BETWEEN else ""

    @property
    def pending(self) -> int:
        """The number of characters of which it is not known yet whether they are header, body or neither."""
        return 0 if self._state == BODY else self._size

    def feed(self, pieces: Sequence[str]) -> list[Frame]:
        """Take more pieces; return the frames that they complete."""
        self._take(pieces[0])
        for at in range(1, len(pieces), 2):
            token = pieces[at]
            MOVES[self._state][token](self, token)
            self._seen += 1
            self._take(pieces[at + 1])
        done, self._done = self._done, []
        return done

    def finish(self) -> tuple[list[Frame], Scan]:
        """Return the last frames after all pieces were taken (the open one is cut off), and the rest of the source."""
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

    # --- transitions --------------------------------------------------------------------------------------------------

    def open(self, token: str) -> None:
        """Open a frame: `<|start|>` outside of a body."""
        before = "" if self.frame is not None else "".join(self._text)
        if self.frame is not None:
            self.frame.header = "".join(self._text)
            self._close("")
        self.frame = Frame(before, True, "", 2 * self._seen + 1)
        self._await(HEADER)

    def unopened(self, token: str) -> None:
        """Open a frame without `<|start|>`: a header's token between frames, after text that belongs to the header."""
        self.frame, self._state, self._from = Frame("", False, "", -1), HEADER, self._size
        MOVES[HEADER][token](self, token)

    def marker(self, token: str) -> None:
        """Add `<|channel|>` or `<|constrain|>` to a header."""
        self._text.append(token)
        self._size += len(token)

    def message(self, token: str) -> None:
        """Begin the body: `<|message|>` after a header."""
        assert self.frame is not None
        self.frame.header, self.frame.middle = "".join(self._text), 2 * self._seen + 1
        self._begin_body([])

    def stop_between(self, token: str) -> None:
        """Close a text without a header as a frame; without text, count the stop token as a stray."""
        text = "".join(self._text)
        if text.strip():
            self._done.append(Frame("", False, text, -1, stop=token))
        else:
            self._strays += 1
        self._await(BETWEEN)

    def stop_header(self, token: str) -> None:
        """Close a frame without a body: a stop token in a header."""
        assert self.frame is not None
        self.frame.header = "".join(self._text)
        self._close(token)

    def stop_body(self, token: str) -> None:
        """Close a frame: a stop token in a body."""
        self._close(token)

    def mention(self, token: str) -> None:
        """Add a token to the body as text."""
        self._mentions[token] = None
        self.body.append(token)

    def doubtful(self, token: str) -> None:
        """Await what follows a token in a body: another message may begin with it, or it is text."""
        self._doubt, self._doubted = 2 * self._seen + 1, token
        self._await(DOUBT)

    def channel(self, token: str) -> None:
        """Treat `<|channel|>` as doubtful in the assistant's text, and outside of strings in JSON; else as text."""
        assert self.frame is not None
        if self._is_between_strings() or says_text(self.frame.header, opened=self.frame.opened):
            self.doubtful(token)
        else:
            self.mention(token)

    def decide(self, token: str) -> None:
        """Decide whether a doubtful token begins a message: yes if a header follows it, up to this `<|message|>`."""
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
        """Treat the doubtful token as text, then take this token as one in the body."""
        self._resolve()
        MOVES[BODY][token](self, token)

    def _is_between_strings(self) -> bool:
        """Return whether the body is a JSON object so far, and its end is not inside a string."""
        more = "".join(self.body[self._counted :])
        if self._counted == 0:
            self._quotes = 0 if more.lstrip().startswith("{") else -1
        self._counted = len(self.body)
        if self._quotes >= 0:
            self._quotes += _ESCAPED.sub("", more).count('"')
        return self._quotes >= 0 and self._quotes % 2 == 0

    # --- frames -------------------------------------------------------------------------------------------------------

    def _await(self, state: str) -> None:
        """Enter a state in which text is collected until a token decides what it is."""
        self._text, self._size, self._from, self._state = [], 0, 0, state

    def _begin_body(self, body: list[str]) -> None:
        self.body = self._text = body
        self._mentions, self._counted = {}, 0
        self._state = BODY

    def _resolve(self) -> None:
        self._mentions[self._doubted] = None
        self._mentions.update((text, None) for text in self._text if text in _MARKERS)
        self.body += (self._doubted, *self._text)
        self._text, self._state = self.body, BODY

    def _overflow(self) -> None:
        """Begin the body inside of a header that is too long to be one."""
        assert self.frame is not None
        raw, most = "".join(self._text), self._from + MAX_HEADER
        if self.frame.opened and STRIPPED.match(raw.removeprefix(ASSISTANT)):
            self._from = sys.maxsize  # an answer whose tokens were left out is read when it is complete: no limit
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
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
"""A character of a JSON string with the backslash before it."""


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
"""State → token → transition."""


def scanned(pieces: Sequence[str]) -> tuple[list[Frame], Scan]:
    """Return the frames in pieces, and the rest of the source."""
    scanner = Scanner()
    frames = scanner.feed(pieces)
    last, rest = scanner.finish()
    return [*frames, *last], rest


def boundaries(frames: Sequence[Frame]) -> list[tuple[Frame, int]]:
    """Return each frame that begins another conversation, with the offset in its `before` where it begins."""
    pairs = zip((None, *frames), frames, strict=False)
    return [(frame, at) for before, frame in pairs if (at := begins(before, frame)) is not None]
