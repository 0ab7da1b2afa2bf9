"""Frames told apart into header, body, end and gap, by the tokens that a format says it makes them with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from .span import SpanKind


class FrameMarks(NamedTuple):
    """What a format says of its frames, so that the pieces of an output are told apart.

    Attributes:
        starts: the tokens that begin a frame.
        ends: the tokens that end one.
        prompt: pattern of what stands behind a start token in a frame that a model answers in, up to where it begins to
            write: what of it is written for the model. A frame in which it is not found is none of the model's.
        closes: in a frame of several messages, what ends one of them.
    """

    starts: tuple[str, ...]
    ends: tuple[str, ...]
    prompt: str
    closes: tuple[str, ...] = ()


class Slot(NamedTuple):
    """Where a content or an id of a message stands in its unit.

    Attributes:
        at: which message of the unit it is of.
        field: what it is.
        part: which part of a content of several; -1 for a content that is one text.
        declares: whether declared tools do not fit.
    """

    at: int
    field: Literal["content", "call_id"]
    part: int = -1
    declares: bool = False


class Cell(NamedTuple):
    """A piece of a unit.

    Attributes:
        size: how many characters; -1 for as many as its content or id has there.
        kind: what it is.
        sampled: whether a model would have written it.
        at: which message of the unit it is of; -1 for none.
        slot: where it says a content or an id.
    """

    size: int
    kind: SpanKind
    sampled: bool
    at: int = -1
    slot: Slot | None = None


def cells(pieces: Sequence[str | Slot], marks: FrameMarks, *, answers: bool) -> list[Cell]:
    """The pieces of a unit, told apart.

    Args:
        pieces: texts, and contents and ids between them.
        marks: what tokens mean.
        answers: whether a frame that begins without a token is the model's, as behind a generation prompt.
    """
    walk = _Walk(marks, answers=answers)
    slots = [piece for piece in pieces if isinstance(piece, Slot) and piece.field == "content"]
    behind = iter([*slots[1:], None])
    walk.next = slots[0].at if slots else 0
    for piece in pieces:
        if isinstance(piece, str):
            walk.text(piece, follows=walk.next is not None)
        else:
            walk.slot(piece)
            if piece.field == "content":
                following = next(behind)
                walk.next = None if following is None else following.at
    return walk.cells


class _Walk:
    """A walk over the pieces of a unit.

    Attributes:
        cells: what was passed.
        next: the message whose content comes next; None where none does.
    """

    def __init__(self, marks: FrameMarks, *, answers: bool) -> None:
        self.cells: list[Cell] = []
        self.next: int | None = None
        self._tokens, self._prompt = _compiled(marks)
        self._marks: Final = marks
        self._answers = answers
        self._mode: SpanKind | None = None
        """Of what comes next: a gap, a header, or what ends a message; None before anything came."""
        self._at = 0
        self._sampled = False

    def slot(self, slot: Slot) -> None:
        """Pass a content or an id."""
        if self._mode is None:
            self._begin(headless=True)
        self._at = slot.at
        if slot.field == "call_id":
            self.cells.append(Cell(-1, SpanKind.HEADER, self._sampled, slot.at, slot))
            return
        kind = SpanKind.TOOLS if slot.declares else SpanKind.BODY
        self.cells.append(Cell(-1, kind, self._sampled, slot.at, slot))
        self._mode = SpanKind.END

    def text(self, text: str, *, follows: bool) -> None:
        """Pass a text; `follows`: whether a content comes behind it."""
        at = 0
        found = [*self._tokens.finditer(text)]
        if self._mode is None:
            self._begin(headless=not any(one[0] in self._marks.starts for one in found))
        for one in found:
            token, (begin, end) = one[0], one.span()
            if token in self._marks.starts:
                kind = self._mode if self._mode is SpanKind.HEADER else SpanKind.GAP
                self._pass(text[at:begin], kind)
                at = self._open(text, begin, end)
            elif token in self._marks.ends:
                if self._mode is SpanKind.HEADER:
                    self._pass(text[at:begin], SpanKind.HEADER)
                    at = begin
                if self._mode is not SpanKind.GAP:
                    self._pass(text[at:end], SpanKind.END)
                    at, self._mode, self._sampled = end, SpanKind.GAP, False
            elif self._mode is SpanKind.END and follows:
                self._pass(text[at:end], SpanKind.END)
                at, self._mode = end, SpanKind.HEADER
        if self._mode is SpanKind.END and follows:
            self._mode = SpanKind.HEADER
        self._pass(text[at:], self._mode)

    def _begin(self, *, headless: bool) -> None:
        self._mode = SpanKind.HEADER if headless else SpanKind.GAP
        self._sampled = headless and self._answers

    def _open(self, text: str, begin: int, end: int) -> int:
        """Pass what begins a frame; where the rest of it begins."""
        self._mode, self._sampled = SpanKind.HEADER, False
        prompt = self._prompt.match(text, end)
        if prompt is None:
            return begin
        self._pass(text[begin : prompt.end()], SpanKind.HEADER)
        self._sampled = True
        return prompt.end()

    def _pass(self, text: str, kind: SpanKind | None) -> None:
        if text and kind is not None:
            if kind is SpanKind.HEADER and self.next is not None:
                self._at = self.next
            sampled = self._sampled and kind is not SpanKind.GAP
            self.cells.append(Cell(len(text), kind, sampled, -1 if kind is SpanKind.GAP else self._at))


@lru_cache(maxsize=64)
def _compiled(marks: FrameMarks) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of all tokens, and of what is written for the model."""
    tokens = sorted((*marks.starts, *marks.ends, *marks.closes), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, tokens))), re.compile(marks.prompt)
