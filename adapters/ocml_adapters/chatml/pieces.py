"""The list form: `{"token": …}` objects and strings ↔ frames.

How a text is cut into strings says nothing, so it is remembered only where it is not as the specification's examples
have it: header and content in one string, what stands between frames in one other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from ocml_bridge.boundary import EDGES
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json
from ocml_bridge.text.im import Frame

from .syntax import END, START


@dataclass(slots=True)
class Pieces:
    """What a list says, and how it is cut.

    Attributes:
        frames: the frames; `offset` is the index of the start token.
        tail: the text behind the last.
        gaps: the pieces before each frame, and those behind the last.
        bodies: the pieces inside each frame.
    """

    frames: list[Frame] = field(default_factory=list[Frame])
    tail: str = ""
    gaps: list[list[Json]] = field(default_factory=list[list[Json]])
    bodies: list[list[Json]] = field(default_factory=list[list[Json]])


def inner(frame: Frame) -> str:
    """What stands between a frame's tokens."""
    return f"{frame.header}\n{frame.body}" if frame.newline else frame.header


def whole(gap: str) -> list[Json]:
    """A gap in the pieces that it is written in by default."""
    return [gap] if gap else []


def cut(key: str, pieces: list[Json], default: list[Json]) -> dict[str, Json]:
    """Layout of pieces that are not cut as by default."""
    return {} if pieces == default else {key: pieces}


def gap_pieces(kept: Mapping[str, Json], key: str, gap: str, before: Frame | None) -> list[Json]:
    """The pieces of a gap as remembered, where they still say the same; else as by default."""
    pieces = kept.get(key)
    usable = (before is None or before.end != "") and joined(pieces, START) == gap
    return cast("list[Json]", pieces) if usable else whole(gap)


def inner_pieces(kept: Mapping[str, Json], frame: Frame) -> list[Json]:
    """The pieces between a frame's tokens as remembered, where they still say the same; else as by default."""
    pieces = kept.get("pieces")
    return cast("list[Json]", pieces) if joined(pieces, START, END) == inner(frame) else [inner(frame)]


def joined(value: Json, *without: str) -> str | None:
    """The text of pieces; None for what is not a list of pieces, or has one of the tokens named."""
    if not isinstance(value, list):
        return None
    texts: list[str] = []
    for item in cast("list[Json]", value):
        token = token_of(item)
        if token in without or (token is None and not isinstance(item, str)):
            return None
        texts.append(item if token is None else token)
    return "".join(texts)


def token_of(item: Json) -> str | None:
    """The token that a piece is, or None."""
    if not isinstance(item, dict) or len(cast("dict[str, Json]", item)) != 1:
        return None
    token = cast("dict[str, Json]", item).get("token")
    return token if isinstance(token, str) else None


def from_list(source: Json, log: Log) -> Pieces:
    """Take a list apart.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first item that is neither a token nor a string.
    """
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, 'ChatML as JSON is a list of {"token": …} objects and strings', path="")
    out = Pieces()
    gap: list[Json] = []
    body: list[Json] | None = None
    start = 0
    items = cast("list[Json]", source)
    for index, item in enumerate(items):
        token = token_of(item)
        if token is None and not isinstance(item, str):
            raise BridgeError(ErrorCode.SHAPE, 'neither a string nor {"token": "…"}', path=f"/{index}")
        if token == START or (token == END and body is not None):
            if body is not None:
                _close(out, gap, body, start, END if token == END else "")
                gap = []
            body = list[Json]() if token == START else None
            start = index
        elif body is None:
            gap.append(item)
        else:
            body.append(item)
            if token is not None:
                path = f"/messages/{len(out.frames)}/content"
                log.find(FindingCode.STRAY_TOKEN, path, f"the token {token} inside a message is read as text")
    if body is not None:
        _close(out, gap, body, start, "")
        out.frames[-1].last = True
        gap = []
    out.gaps.append(gap)
    out.tail = joined(gap) or ""
    return out


def _close(out: Pieces, gap: list[Json], body: list[Json], start: int, end: str) -> None:
    header, newline, text = (joined(body) or "").partition("\n")
    at = EDGES.cut([joined([item]) or "" for item in gap]) if out.frames else -1
    begins = -1 if at < 0 else start - len(gap) + at
    out.frames.append(Frame(joined(gap) or "", START, header, newline != "", text, end, start, False, begins))
    out.gaps.append(gap)
    out.bodies.append(body)
