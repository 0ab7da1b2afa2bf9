"""Split a text into frames (§6, §15); `header.py` and `body.py` parse them.

`Scanner` finds frames while the text arrives; `frames` feeds it a whole text. `lines` is the fast path for most texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.boundary import EDGES

from .document import parse_header
from .syntax import CALL, CHANNEL, CONSTRAIN, END, END_LITERAL, LITERAL, MAX_FRAME_HEADER, MESSAGE, RETURN, START, TOKEN


@dataclass(slots=True)
class Frame:
    """One frame, with the text of each of its parts.

    Attributes:
        gap: the text between the previous frame and this one.
        offset: the offset of `<|start|>` in the text, in characters.
        header: the text between `<|start|>` and `<|message|>`.
        body: the text between `<|message|>` and the terminator; None if the text ends inside the header.
        end: the terminator; "" if the frame is cut off. An `<|end|>` after `<|call|>` or `<|return|>` belongs to it,
            and is added when it arrives.
        stray: the unescaped control tokens in the body.
        begins: the offset in characters at which another conversation begins before this frame; -1 if none begins.
        plain: whether it is known that the body has no token, and does not end with the beginning of one.
    """

    gap: str
    offset: int
    begins: int = -1
    header: str = ""
    body: str | None = None
    end: str = ""
    stray: tuple[str, ...] = ()
    plain: bool = False


def frames(text: str, at: int) -> Iterator[Frame | str]:
    """Yield the frames from offset `at` on, and at last the text after them.

    Raises:
        BridgeError: E-PARSE-HEADER for a header without `<|message|>`, and for an unescaped `<|start|>` in a body.
    """
    scanner = Scanner(at)
    yield from scanner.feed(text[at:])
    last, tail = scanner.finish()
    if last is not None:
        yield last
    yield tail


def lines(text: str, at: int) -> list[Frame] | None:
    """Return the frames from offset `at` on, if each ends its line and no body contains a token; else None.

    This is the fast path: between `<|start|>` and the newline are a header, `<|message|>`, a body and a terminator.
    """
    out: list[Frame] = []
    gap, offset = "", at
    for piece in text[at:].split(START)[1:]:
        header, _, rest = piece.partition(MESSAGE)
        body, mark, end = rest.rpartition("<|")
        terminator = _LINE_ENDS.get(mark + end)
        if terminator is None or "<|" in body or body[-1:] == "<" or len(header) > MAX_FRAME_HEADER:
            return None
        if "<" in header and header.count("<") != header.count(CHANNEL) + header.count(CONSTRAIN):
            return None
        out.append(Frame(gap, offset, -1, header, body, terminator, (), plain=True))
        gap, offset = "\n", offset + len(START) + len(piece)
    return out


_LINE_ENDS: Final = {f"{token}\n": token for token in (END, CALL, RETURN)}
"""The terminator by the text from the last `<|` on of a frame that ends its line."""


def begins(gap: str) -> int:
    """Return the index in a gap at which another conversation begins; -1 if none does.

    It begins with a token that begins or ends a whole text, or with a document header with a version (§2).
    """
    at = EDGES.find(gap)
    if at >= 0 or "version" not in gap:
        return at
    try:
        header = parse_header(gap)
    except BridgeError:  # no header that could be read
        return -1
    return len(gap) - len(gap.lstrip()) if header is not None and header.header.version is not None else -1


class Scanner:
    """Find the frames of a text that arrives in pieces, in one pass. No piece may end inside a token.

    The scanner is a state machine: between frames, in a header, in a body, in a literal block of a body, or after a
    `<|call|>` or `<|return|>`, which an `<|end|>` may follow. `MOVES` is its table of transitions.

    Args:
        offset: the offset of the text, in characters.

    Attributes:
        frame: the open frame, or None; its header is set as soon as its body begins.
        body: the pieces of the open body, or of the last one. A caller may append text without `<` here.
    """

    def __init__(self, offset: int = 0) -> None:
        self.frame: Frame | None = None
        self.body: list[str] = []
        self._text: list[str] = []
        """The list that receives text at present: that of the gap, of the header, or of the body."""
        self._size = 0
        """The length of the text in the open gap or header."""
        self._offset = offset
        self._counted = 0
        """The number of pieces of the body that the offset includes."""
        self._stray: list[str] = []
        self._closed: Frame | None = None
        self._state = BETWEEN

    @property
    def has_body(self) -> bool:
        """Whether the header of the open frame is complete."""
        return self._state in (BODY, OPAQUE)

    @property
    def is_opaque(self) -> bool:
        """Whether a literal block is open, in which only the token that ends it has a meaning."""
        return self._state == OPAQUE

    @property
    def pending(self) -> int:
        """The number of characters read of a gap or a header that is not complete."""
        return self._size

    def feed(self, text: str) -> Iterator[Frame]:
        """Take more text; yield each frame as soon as it is complete.

        Raises:
            BridgeError: E-PARSE-HEADER for a token that no header contains, and for an unescaped `<|start|>` in a body.
        """
        if self.has_body:
            self._offset += sum(map(len, self.body[self._counted :]))
        pieces = TOKEN.split(text)
        self._take(pieces[0])
        for at in range(1, len(pieces), 2):
            token, frame = pieces[at], self.frame
            move, other = MOVES[self._state]
            move.get(token, other)(self, token)
            self._offset += len(token)
            if frame is not None and self.frame is None:
                yield frame
            self._take(pieces[at + 1])
        self._counted = len(self.body)

    def finish(self) -> tuple[Frame | None, str]:
        """End the text; return the open frame, if there is one, and the text after the last frame."""
        frame = self.frame
        if frame is None:
            return None, "".join(self._text)
        if self._state == HEADER:
            frame.header = "".join(self._text)
        else:
            self._close("")
        self.frame = None
        return frame, ""

    def _take(self, text: str) -> None:
        if not text:
            return
        self._offset += len(text)
        self._text.append(text)
        if self._state == HEADER:
            self._grow(text)
        elif self._state in (BETWEEN, ENDED):
            self._size += len(text)
            self._state = BETWEEN

    def _grow(self, text: str) -> None:
        self._size += len(text)
        if self._size > MAX_FRAME_HEADER:
            raise self._malformed(f"a header has no {MESSAGE} within {MAX_FRAME_HEADER} characters")

    def _malformed(self, message: str) -> BridgeError:
        assert self.frame is not None
        return BridgeError(ErrorCode.PARSE_HEADER, message, offset=self.frame.offset)

    # --- transitions --------------------------------------------------------------------------------------------------

    def open(self, token: str) -> None:
        """Open a frame, for `<|start|>` between frames."""
        gap = "".join(self._text)
        at = -1 if self._closed is None else begins(gap)
        self.frame = Frame(gap, self._offset, -1 if at < 0 else self._offset - len(gap) + at)
        self._text, self._size, self._state = [], 0, HEADER

    def outside(self, token: str) -> None:
        """Add any other token between frames to the gap."""
        self._text.append(token)
        self._size += len(token)
        self._state = BETWEEN

    def mark(self, token: str) -> None:
        """Add `<|channel|>` or `<|constrain|>` to a header."""
        self._text.append(token)
        self._grow(token)

    def refuse(self, token: str) -> None:
        """Refuse any other token in a header."""
        raise self._malformed(f"{token[:40]} is in a header, before its {MESSAGE}")

    def begin(self, token: str) -> None:
        """Begin a body, for `<|message|>` in a header."""
        assert self.frame is not None
        self.frame.header = "".join(self._text)
        self.body = self._text = []
        self._size, self._stray, self._state = 0, [], BODY

    def say(self, token: str) -> None:
        """Add an escaped token to a body."""
        self.body.append(token)

    def stray(self, token: str) -> None:
        """Add a token that should be escaped to a body, and store it for a finding."""
        self._stray.append(token)
        self.body.append(token)

    def nested(self, token: str) -> None:
        """Refuse `<|start|>` in a body."""
        raise self._malformed(f"{START} is in a body: end the message before it, or escape the token as <{START}")

    def hide(self, token: str) -> None:
        """Begin a literal block, for `<|literal|>` in a body."""
        self.body.append(token)
        self._state = OPAQUE

    def hidden(self, token: str) -> None:
        """Add any token in a literal block to the body; end the block if the token ends it."""
        self.body.append(token)
        if token.endswith(END_LITERAL):
            self._state = BODY

    def end(self, token: str) -> None:
        """End a frame, for `<|end|>` in a body."""
        self._close(token)
        self._state = BETWEEN

    def stop(self, token: str) -> None:
        """End a frame, for `<|call|>` or `<|return|>` in a body."""
        self._close(token)
        self._state = ENDED

    def double(self, token: str) -> None:
        """Add `<|end|>` to the terminator `<|call|>` or `<|return|>` before it (reading 15)."""
        assert self._closed is not None
        self._closed.end += token
        self._state = BETWEEN

    def _close(self, token: str) -> None:
        frame = self.frame
        assert frame is not None
        frame.body, frame.end, frame.stray = "".join(self.body), token, tuple(self._stray)
        self._closed, self.frame = frame, None
        self._text, self._size = [], 0


BETWEEN: Final = "between frames"
HEADER: Final = "header"
BODY: Final = "body"
OPAQUE: Final = "literal block"
ENDED: Final = "after a stop token"

_Move = Callable[[Scanner, str], None]
S = Scanner
MOVES: Final[dict[str, tuple[dict[str, _Move], _Move]]] = {
    BETWEEN: ({START: S.open}, S.outside),
    HEADER: ({CHANNEL: S.mark, CONSTRAIN: S.mark, MESSAGE: S.begin}, S.refuse),
    BODY: (
        {
            START: S.nested,
            CHANNEL: S.stray,
            CONSTRAIN: S.stray,
            MESSAGE: S.stray,
            END: S.end,
            CALL: S.stop,
            RETURN: S.stop,
            LITERAL: S.hide,
            END_LITERAL: S.stray,
        },
        S.say,
    ),
    OPAQUE: ({}, S.hidden),
    ENDED: ({START: S.open, END: S.double}, S.outside),
}
"""The transitions of each state: by token, and that of all other tokens, also escaped ones (§3)."""
