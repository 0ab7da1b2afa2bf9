"""The frames of a text (§6, §15): where each begins and ends; what they say is for `header` and `body`.

Text may come at any time: a whole text is a scanner fed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.boundary import EDGES

from .document import parse_header
from .syntax import (
    CALL,
    CHANNEL,
    CONSTRAIN,
    END,
    END_LITERAL,
    LITERAL,
    MAX_FRAME_HEADER,
    MESSAGE,
    RETURN,
    START,
    TOKEN,
)


@dataclass(slots=True)
class Frame:
    """One frame as it stands in the text.

    Attributes:
        gap: the text between the frame before and this one.
        offset: of `<|start|>`, in characters.
        header: between `<|start|>` and `<|message|>`.
        body: between `<|message|>` and the terminator; None where the text ends inside the header.
        end: the terminator as it stands; "" where cut off. An `<|end|>` that follows `<|call|>` or `<|return|>` is part
            of it, and is added when it comes.
        stray: control tokens that stand in the body unescaped.
        begins: where another conversation begins with this frame, in characters; -1 where it goes on.
    """

    gap: str
    offset: int
    begins: int = -1
    header: str = ""
    body: str | None = None
    end: str = ""
    stray: tuple[str, ...] = ()


def frames(text: str, at: int) -> Iterator[Frame | str]:
    """The frames from offset `at` on, and last the text behind them.

    Raises:
        BridgeError: E-PARSE-HEADER for a header without `<|message|>` and for an unescaped `<|start|>` in a body.
    """
    scanner = Scanner(at)
    yield from scanner.feed(text[at:])
    last, tail = scanner.finish()
    if last is not None:
        yield last
    yield tail


def lines(text: str, at: int) -> list[Frame] | None:
    """The frames from offset `at` on, where each ends its line and no body holds a token; None where `frames` is asked.

    What is between `<|start|>` and the line's end is then a header, `<|message|>`, a body, and a terminator.
    """
    out: list[Frame] = []
    gap, offset = "", at
    for piece in text[at:].split(START)[1:]:
        header, _, rest = piece.partition(MESSAGE)
        body, _, end = rest.rpartition("<|")
        terminator = _LINE_ENDS.get(end)
        if terminator is None or "<|" in body or body[-1:] == "<" or len(header) > MAX_FRAME_HEADER:
            return None
        if header.count("<") != header.count(CHANNEL) + header.count(CONSTRAIN):
            return None
        out.append(Frame(gap, offset, -1, header, body, terminator))
        gap, offset = "\n", offset + len(START) + len(piece)
    return out


_LINE_ENDS: Final = {f"{token[2:]}\n": token for token in (END, CALL, RETURN)}
"""What stands behind the last `<|` of a frame that ends its line."""


def begins(gap: str) -> int:
    """Where in the text between two frames another conversation begins; -1 where none does.

    It begins with a token that begins or ends a text, or with a header that names its version (§2).
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
    """Finds frames in one pass over text, which is never cut inside a token.

    It is between frames, in a header, in a body, in a literal block there, or right behind a `<|call|>` or
    `<|return|>`, which an `<|end|>` may follow. `MOVES` is the table of what each token does.

    Args:
        offset: where the text begins, in characters.

    Attributes:
        frame: the one that is open; its header is set once its body begins.
        body: the pieces of the open body, or of the last one. Text without a `<` may be put there straight away.
    """

    def __init__(self, offset: int = 0) -> None:
        self.frame: Frame | None = None
        self.body: list[str] = []
        self._text: list[str] = []
        """Where text goes: what stands between frames, a header, or the body."""
        self._size = 0
        """Of that, where it is not the body."""
        self._offset = offset
        self._counted = 0
        """How many pieces of the body the offset counts."""
        self._stray: list[str] = []
        self._closed: Frame | None = None
        self._state = BETWEEN

    @property
    def has_body(self) -> bool:
        """Whether the open frame's header is known."""
        return self._state in (BODY, OPAQUE)

    @property
    def is_opaque(self) -> bool:
        """Whether a literal block is open, in which no token means anything but its end."""
        return self._state == OPAQUE

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._size

    def feed(self, text: str) -> Iterator[Frame]:
        """Take more text; the frames that it completes, each as soon as it is complete.

        Raises:
            BridgeError: E-PARSE-HEADER for what no header holds, and for an unescaped `<|start|>` in a body.
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
        """There is no more text: the frame that is cut off, and what stands behind all frames."""
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

    # --- what tokens do -----------------------------------------------------------------------------------------------

    def open(self, token: str) -> None:
        """`<|start|>` between frames."""
        gap = "".join(self._text)
        at = -1 if self._closed is None else begins(gap)
        self.frame = Frame(gap, self._offset, -1 if at < 0 else self._offset - len(gap) + at)
        self._text, self._size, self._state = [], 0, HEADER

    def outside(self, token: str) -> None:
        """Any other token there: no more than text."""
        self._text.append(token)
        self._size += len(token)
        self._state = BETWEEN

    def mark(self, token: str) -> None:
        """`<|channel|>` and `<|constrain|>` in a header."""
        self._text.append(token)
        self._grow(token)

    def refuse(self, token: str) -> None:
        """Any other token there, but `<|message|>`."""
        raise self._malformed(f"{token[:40]} is in a header, before its {MESSAGE}")

    def begin(self, token: str) -> None:
        """`<|message|>` in a header."""
        assert self.frame is not None
        self.frame.header = "".join(self._text)
        self.body = self._text = []
        self._size, self._stray, self._state = 0, [], BODY

    def say(self, token: str) -> None:
        """An escaped token in a body."""
        self.body.append(token)

    def stray(self, token: str) -> None:
        """A token in a body that should be escaped."""
        self._stray.append(token)
        self.body.append(token)

    def nested(self, token: str) -> None:
        """`<|start|>` in a body."""
        raise self._malformed(f"{START} is in a body: end the message before it, or escape the token as <{START}")

    def hide(self, token: str) -> None:
        """`<|literal|>` in a body."""
        self.body.append(token)
        self._state = OPAQUE

    def hidden(self, token: str) -> None:
        """Any token in a literal block; brackets before the one that ends it are text."""
        self.body.append(token)
        if token.endswith(END_LITERAL):
            self._state = BODY

    def end(self, token: str) -> None:
        """`<|end|>` in a body."""
        self._close(token)
        self._state = BETWEEN

    def stop(self, token: str) -> None:
        """`<|call|>` and `<|return|>` in a body."""
        self._close(token)
        self._state = ENDED

    def double(self, token: str) -> None:
        """`<|call|><|end|>` and `<|return|><|end|>` are one terminator (reading 15)."""
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
"""State → what tokens do there, and what all others do, escaped ones (§3) among them."""
