"""The list form: `{"token": …}` objects and strings ↔ frames.

How a text is cut into strings says nothing, so it is remembered only where it is not as the specification's examples
have it: header and content in one string, what stands between frames in one other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

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

    def layout(self, index: int) -> dict[str, Json]:
        """How the pieces of one frame are cut, where that is not as by default."""
        return cuts(self.frames[index], self.gaps[index], self.bodies[index])

    def tail_layout(self) -> dict[str, Json]:
        """The same of what stands behind the last frame."""
        return tail_cut(self.tail, self.gaps[len(self.frames)])


def inner(frame: Frame) -> str:
    """What stands between a frame's tokens."""
    return f"{frame.header}\n{frame.body}" if frame.newline else frame.header


def cuts(frame: Frame, gap: list[Json], body: list[Json]) -> dict[str, Json]:
    """Layout of a frame whose pieces are not cut as by default."""
    kept: dict[str, Json] = {}
    if gap != _whole(frame.gap):
        kept["gap_pieces"] = gap
    if body != [inner(frame)]:
        kept["pieces"] = body
    return kept


def tail_cut(tail: str, pieces: list[Json]) -> dict[str, Json]:
    """Layout of a text behind the last frame that is not cut as by default."""
    return {} if pieces == _whole(tail) else {"tail_pieces": pieces}


def _whole(gap: str) -> list[Json]:
    return [gap] if gap else []


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
            body, start = ([], index) if token == START else (None, start)
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
    out.frames.append(Frame(joined(gap) or "", START, header, newline != "", text, end, start, last=False))
    out.gaps.append(gap)
    out.bodies.append(body)


def to_list(frames: Sequence[tuple[Frame, list[Json] | None, list[Json] | None]], tail: list[Json]) -> list[Json]:
    """The list of frames, each with its gap's and its own pieces where they are not cut as by default."""
    out: list[Json] = []
    for frame, gap, body in frames:
        out += _whole(frame.gap) if gap is None else gap
        out.append({"token": START})
        out += [inner(frame)] if body is None else body
        if frame.end:
            out.append({"token": END})
    return out + tail
