"""Divide the frames of a text format into header, body, end and gap, by the tokens that begin and end its frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from .span import SpanKind


class FrameMarks(NamedTuple):
    """The tokens of a format's frames.

    Attributes:
        starts: the tokens that begin a frame.
        ends: the tokens that end a frame.
        prompt: a pattern of the text between the start token and the first character that the model samples, in a frame
            of the model. A frame that does not match is not the model's.
        closes: the tokens that end one message in a frame of several messages.
    """

    starts: tuple[str, ...]
    ends: tuple[str, ...]
    prompt: str
    closes: tuple[str, ...] = ()


class Slot(NamedTuple):
    """The slot of a content or a call id in a unit.

    Attributes:
        at: the index of the message in the unit.
        field: the field of the message.
        part: the index of the part, in a content of several; -1 for a content that is one text.
        declares: whether the slot has declared tools.
    """

    at: int
    field: Literal["content", "call_id"]
    part: int = -1
    declares: bool = False


class Cell(NamedTuple):
    """A span of a unit whose contents are slots.

    Attributes:
        size: the number of characters; -1 for the length of the slot's value.
        kind: the kind of the span.
        sampled: whether a model would have sampled it.
        at: the index of its message in the unit; -1 for none.
        slot: the slot, if it is one.
    """

    size: int
    kind: SpanKind
    sampled: bool
    at: int = -1
    slot: Slot | None = None


def cells(pieces: Sequence[str | Slot], marks: FrameMarks, *, answers: bool) -> list[Cell]:
    """Divide a unit into cells.

    Args:
        pieces: the texts and slots of the unit, in order.
        marks: the tokens of the format's frames.
        answers: whether a frame without a start token is the model's, as after a generation prompt.
    """
    walk = _Walk(marks, answers=answers)
    slots = [piece for piece in pieces if isinstance(piece, Slot) and piece.field == "content"]
    later = iter([*slots[1:], None])
    walk.next = slots[0].at if slots else 0
    for piece in pieces:
        if isinstance(piece, str):
            walk.text(piece, follows=walk.next is not None)
        else:
            walk.slot(piece)
            if piece.field == "content":
                following = next(later)
                walk.next = None if following is None else following.at
    return walk.cells


class _Walk:
    """Divides the pieces of one unit, in their order.

    Args:
        marks: the tokens of the format's frames.
        answers: as for `cells`.

    Attributes:
        cells: the cells so far.
        next: the index of the message whose content comes next; None if there is none.
    """

    def __init__(self, marks: FrameMarks, *, answers: bool) -> None:
        self.cells: list[Cell] = []
        self.next: int | None = None
        self._tokens, self._prompt = _compiled(marks)
        self._marks: Final = marks
        self._answers = answers
        self._mode: SpanKind | None = None
        """The kind of the text that comes next: GAP, HEADER or END; None before the first piece."""
        self._at = 0
        self._sampled = False

    def slot(self, slot: Slot) -> None:
        """Add a slot."""
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
        """Add a text.

        Args:
            text: the text.
            follows: whether a content comes after it.
        """
        at = 0
        matches = [*self._tokens.finditer(text)]
        if self._mode is None:
            self._begin(headless=not any(match[0] in self._marks.starts for match in matches))
        for match in matches:
            token, (begin, end) = match[0], match.span()
            if token in self._marks.starts:
                kind = self._mode if self._mode is SpanKind.HEADER else SpanKind.GAP
                self._add(text[at:begin], kind)
                at = self._open(text, begin, end)
            elif token in self._marks.ends:
                if self._mode is SpanKind.HEADER:
                    self._add(text[at:begin], SpanKind.HEADER)
                    at = begin
                if self._mode is not SpanKind.GAP:
                    self._add(text[at:end], SpanKind.END)
                    at, self._mode, self._sampled = end, SpanKind.GAP, False
            elif self._mode is SpanKind.END and follows:
                self._add(text[at:end], SpanKind.END)
                at, self._mode = end, SpanKind.HEADER
        if self._mode is SpanKind.END and follows:
            self._mode = SpanKind.HEADER
        self._add(text[at:], self._mode)

    def _begin(self, *, headless: bool) -> None:
        """Set the state before the first piece of a unit.

        Args:
            headless: whether the unit begins inside a frame, without a start token.
        """
        self._mode = SpanKind.HEADER if headless else SpanKind.GAP
        self._sampled = headless and self._answers

    def _open(self, text: str, begin: int, end: int) -> int:
        """Add the beginning of a frame up to where the model samples; return the offset after it.

        Args:
            text: the text.
            begin: the offset of the start token.
            end: the offset after the start token.
        """
        self._mode, self._sampled = SpanKind.HEADER, False
        prompt = self._prompt.match(text, end)
        if prompt is None:
            return begin
        self._add(text[begin : prompt.end()], SpanKind.HEADER)
        self._sampled = True
        return prompt.end()

    def _add(self, text: str, kind: SpanKind | None) -> None:
        if text and kind is not None:
            if kind is SpanKind.HEADER and self.next is not None:
                self._at = self.next
            sampled = self._sampled and kind is not SpanKind.GAP
            self.cells.append(Cell(len(text), kind, sampled, -1 if kind is SpanKind.GAP else self._at))


@lru_cache(maxsize=64)
def _compiled(marks: FrameMarks) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the pattern of all tokens, and the pattern of the prompt."""
    tokens = sorted((*marks.starts, *marks.ends, *marks.closes), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, tokens))), re.compile(marks.prompt)
