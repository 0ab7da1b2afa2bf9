"""Make the visible pieces of an output: the speaker of each, and the losses at their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

from .. import registry
from ..chat.turns import parts_of
from ..chat.visibility import Visibility
from ..convert import Result
from ..loss import Severity
from ..model import Message
from ..spans.positions import index_of
from ..spans.span import Span, SpanKind
from .characters import visible
from .entries import kind_of, messages_of

LONGEST: Final = 400_000
"""The maximal number of characters of an output that are drawn."""
_TOKEN: Final = re.compile(r"<\|[^|<>\s]{1,60}\|>|</?s>|\[(?:[BE]OS|UNUSED_TOKEN_\d+)\]|</?(?:think|tool_\w+|tools)>")
_FRAME: Final = re.compile(rf"(?:\s|{_TOKEN.pattern})*")


@dataclass(frozen=True, slots=True)
class Run:
    """Some characters of a piece.

    Attributes:
        text: the visible characters.
        is_token: whether they are a control token.
        ids: their ids in an output of token ids; several if a character has several ids.
    """

    text: str
    is_token: bool = False
    ids: tuple[int, ...] = ()

    @property
    def line(self) -> str:
        """Return the characters before the line breaks at its end."""
        return self.text.rstrip("\n")

    @property
    def breaks(self) -> str:
        """Return the line breaks at its end."""
        return self.text[len(self.line) :]


class Mark(NamedTuple):
    """A loss at its place.

    Attributes:
        number: the number of the loss, from 1.
        touches: its class, or `layout`.
    """

    number: int
    touches: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an output.

    Attributes:
        kind: its kind.
        runs: its text; none if it is withheld.
        sampled: whether a model would have written it.
        marks: the losses at this place; none if it is withheld.
        withheld: the reason why it is not shown; "" if it is.
    """

    kind: SpanKind
    runs: tuple[Run, ...]
    sampled: bool = False
    marks: tuple[Mark, ...] = ()
    withheld: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The pieces of one message.

    Attributes:
        message: the index of the message in the document; -1 for pieces of no message.
        speaker: its label in a view; "" for pieces of no message.
        pieces: the pieces, in order.
    """

    message: int
    speaker: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """An output.

    Attributes:
        format: the name of its format.
        frames: the pieces of the output; none if it has no spans.
        text: the whole output as indented JSON, if it has no spans; "" if it is withheld.
        withheld: the reason why none of it is shown; "" if it is.
        more: the number of characters that are left out at its end.
    """

    format: str
    frames: tuple[Frame, ...] = ()
    text: str = ""
    withheld: str = ""
    more: int = 0

    @property
    def has_ids(self) -> bool:
        """Return whether it is token ids; only templates ask for it."""
        return any(run.ids for frame in self.frames for piece in frame.pieces for run in piece.runs)

    @property
    def has_marks(self) -> bool:
        """Return whether it has the place of any loss."""
        return any(piece.marks for frame in self.frames for piece in frame.pieces)


def written(result: Result, visibility: Visibility, name: str) -> Written:
    """Return the visible output, with the number of each loss at its place.

    Args:
        result: the result, with spans if the format has any.
        visibility: what is shown; content that is hidden in the document is hidden in the output, too.
        name: the name of the format.
    """
    spans, output = result.spans, result.output
    spell = _speller(result)
    if spans is None or spell is None:
        if not visibility.debug:
            return Written(name, withheld="it has fields that end users do not see")
        text = result.encode(pretty=True).decode("utf-8", "replace")
        return Written(name, text=visible(text[:LONGEST]), more=max(0, len(text) - LONGEST))
    messages = messages_of(result.document)
    shown = [span for span in spans if span.start < LONGEST]
    frames = [
        Frame(index, str(kind_of(messages[index])) if index >= 0 else "", tuple(pieces))
        for index, pieces in _by_message(_Pieces(result, spell, messages, visibility), shown)
    ]
    return Written(name, frames=tuple(frames), more=max(0, len(output) - LONGEST))


def _by_message(pieces: _Pieces, spans: Sequence[Span]) -> Iterator[tuple[int, list[Piece]]]:
    for index, group in groupby(spans, lambda span: pieces.index(span.path)):
        made = [pieces.piece(span, index) for span in group]
        yield index, _folded(made)


def _folded(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces with successive ones joined that are withheld for the same reason."""
    out: list[Piece] = []
    for piece in pieces:
        if piece.withheld and out and out[-1].withheld == piece.withheld:
            continue
        out.append(piece)
    return out


class _Pieces:
    """Makes pieces of the spans of an output."""

    def __init__(self, result: Result, spell: Speller, messages: Sequence[Message], visibility: Visibility) -> None:
        self._spell = spell
        self._messages = messages
        self._visibility = visibility
        self._marks: dict[int, list[Mark]] = {}
        for number, loss in enumerate(result.losses, 1):
            place = result.place_of(loss.path)
            if place is not None:
                touches = "layout" if loss.severity is Severity.LAYOUT else str(loss.loss_class)
                self._marks.setdefault(place[0], []).append(Mark(number, touches))

    def index(self, path: str) -> int:
        """Return the index of the message in a path; -1 for none."""
        index = index_of(path)
        return -1 if index is None or index >= len(self._messages) else index

    def piece(self, span: Span, index: int) -> Piece:
        runs = tuple(self._spell(span))
        withheld = self._withheld(span, index, "".join(run.text for run in runs))
        runs = () if withheld else runs
        marks = () if withheld else tuple(self._marks.get(span.start, ()))
        return Piece(span.kind, runs, span.sampled, marks, withheld)

    def _withheld(self, span: Span, index: int, text: str) -> str:
        """Return the reason why a piece is hidden; "" if it is shown."""
        seen = self._visibility
        if index >= 0:
            hides_part = span.kind is SpanKind.BODY and _hides_part(self._messages[index], seen)
            return seen.hides(self._messages[index]) or ("part" if hides_part else "")
        if seen.debug or span.kind is SpanKind.OPEN_TURN or span.path == "/content" or _FRAME.fullmatch(text):
            return ""
        return "tools" if span.kind is SpanKind.TOOLS else "header"


def _hides_part(message: Message, seen: Visibility) -> bool:
    return any(seen.hides_part(part) is not None for part in parts_of(message.content))


Speller = Callable[[Span], Iterable[Run]]
"""Returns the runs of a piece of an output."""


def _speller(result: Result) -> Speller | None:
    """Return the function that spells the pieces of an output; None for JSON that is not a list of token ids."""
    output: Any = result.output
    if isinstance(output, str):
        return lambda span: _runs(visible(output[span.start : min(span.end, LONGEST)]), span.kind)
    token_bytes = registry.adapter(result.target)[0].token_bytes
    if token_bytes is None:
        return None
    return lambda span: _tokens(output[span.start : span.end], token_bytes, span.kind)


def _tokens(ids: Sequence[int], spelled: Callable[[Sequence[int]], Sequence[bytes]], kind: SpanKind) -> Iterator[Run]:
    """Return token ids as characters; ids that share a character are one run."""
    waiting, those = b"", list[int]()
    for number, data in zip(ids, spelled(ids), strict=True):
        waiting += data
        those.append(number)
        try:
            text = waiting.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                continue
            text = waiting.decode("utf-8", "replace")
        yield Run(visible(text), kind is not SpanKind.BODY and _TOKEN.fullmatch(text) is not None, tuple(those))
        waiting, those = b"", []
    if those:
        yield Run(waiting.decode("utf-8", "replace"), ids=tuple(those))


def _runs(text: str, kind: SpanKind) -> Iterator[Run]:
    """Return the characters of a piece; text of a body is never a token."""
    at = 0
    for found in () if kind in (SpanKind.BODY, SpanKind.TOOLS) else _TOKEN.finditer(text):
        if found.start() > at:
            yield Run(text[at : found.start()])
        yield Run(found[0], is_token=True)
        at = found.end()
    if at < len(text):
        yield Run(text[at:])
