"""Frames: where messages begin and end, the same for text and for token ids.

Both come as pieces: text, token, text, token, …, text. In text every spelling of a token is one; among ids only the
token's own id is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .header import regular
from .syntax import CHANNEL, CONSTRAIN, MESSAGE, START, STOPS, TOKEN

_IN_HEADER: Final = frozenset({CHANNEL, CONSTRAIN})


@dataclass(slots=True)
class Frame:
    """One frame as it stands in the source.

    Attributes:
        before: text between the frame before and this one.
        opened: whether it begins with `<|start|>`.
        header: raw, tokens included.
        body: None where the source ends inside the header, or where a stop or start token stands instead of a body.
        stop: the token that ended it, "" where there is none.
        mentions: tokens that stand in the body.
        follows: whether something comes behind it, so that a missing stop token is not a truncation.
        at: the piece of the token that opens it (-1: none).
        middle: the piece of its `<|message|>`.
        last: the piece behind its body.
    """

    before: str
    opened: bool
    header: str
    at: int
    body: str | None = None
    stop: str = ""
    mentions: tuple[str, ...] = ()
    follows: bool = True
    middle: int = -1
    last: int = -1


@dataclass(slots=True)
class Scan:
    """All frames of a source.

    Attributes:
        frames: in order.
        tail: text behind the last one.
        strays: how many stop tokens end nothing.
    """

    frames: list[Frame]
    tail: str
    strays: int


def pieces_of(text: str) -> list[str]:
    """Text as pieces: text and tokens in turn, text first and last."""
    return TOKEN.split(text)


def scan(pieces: Sequence[str]) -> Scan:
    """Find the frames, in one pass."""
    frames: list[Frame] = []
    strays, index, count, gap = 0, 1, len(pieces), pieces[0]
    while index < count:
        token = pieces[index]
        if token in STOPS:
            if gap.strip():
                frames.append(Frame("", False, gap, -1, stop=token))
            else:
                strays += 1
            gap, index = pieces[index + 1], index + 2
            continue
        frame, index = _frame(pieces, index, gap)
        frames.append(frame)
        gap = pieces[index - 1] if frame.stop else ""
    return Scan(frames, gap, strays)


def _frame(pieces: Sequence[str], index: int, gap: str) -> tuple[Frame, int]:
    """The frame that begins at a token, and the piece of the token behind it."""
    opened = pieces[index] == START
    frame = Frame(gap if opened else "", opened, "", index if opened else -1)
    header = [] if opened else [gap]
    if opened:
        header.append(pieces[index + 1])
        index += 2
    while index < len(pieces) and pieces[index] in _IN_HEADER:
        header += pieces[index : index + 2]
        index += 2
    frame.header = "".join(header)
    if index < len(pieces) and pieces[index] == MESSAGE:
        frame.middle = index
        index = _body(pieces, index, frame)
    frame.last = index
    frame.follows = index < len(pieces)
    if frame.follows and pieces[index] in STOPS:
        frame.stop = pieces[index]
        index += 2
    return frame, index


def _body(pieces: Sequence[str], index: int, frame: Frame) -> int:
    """Read a body from its `<|message|>` on; the piece of the token that ends it."""
    body, mentions = [pieces[index + 1]], dict[str, None]()
    index += 2
    while index < len(pieces) and pieces[index] not in STOPS:
        if pieces[index] == START and _begins_frame(pieces, index):
            break
        mentions[pieces[index]] = None
        body += pieces[index : index + 2]
        index += 2
    frame.body, frame.mentions = "".join(body), tuple(mentions)
    return index


def _begins_frame(pieces: Sequence[str], index: int) -> bool:
    """Whether a `<|start|>` inside a body begins another message, so that the end token is missing."""
    end = index + 2
    while end < len(pieces) and pieces[end] in _IN_HEADER:
        end += 2
    return end < len(pieces) and pieces[end] == MESSAGE and regular("".join(pieces[index + 1 : end])) is not None
