"""Assemble the content of an answer, which arrives as texts or as lists of parts.

Mistral and Databricks send each piece of a thought, and of a text beside it, as a list with one part. A part continues
the part of its kind before it: a thought is one however often it was cut. A signature ends it. Gemini's thoughts are
marked pieces of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note

from .marked_thoughts import EXTRA, MARK
from .reasoning import PARTS, ThoughtPart
from .streamed_marked_thoughts import ArrivingThought
from .syntax import CONTENT

_TEXT: Final = "text"
_PLAIN: Final = frozenset({"type", _TEXT})
"""The members of a text part with a text and nothing else."""


class NewText(NamedTuple):
    """New text of a content.

    Attributes:
        text: the text.
        is_thought: whether it belongs to a thought.
        begins: whether another thought begins with it.
    """

    text: str
    is_thought: bool = False
    begins: bool = False


class _Run:
    """Parts that continue one another: texts, or thoughts of one part.

    Args:
        part: the first of them.
        is_list: whether the thoughts stand in a list; None for texts.
    """

    def __init__(self, part: Object, is_list: bool | None) -> None:
        self.part = part
        self.is_list: Final = is_list
        self.texts: list[list[str]] = []
        self.signatures: list[str | None] = []
        """What signs each of the thoughts; None if it has no member for it."""

    def whole(self) -> Json:
        """Return the parts as one."""
        texts = ["".join(pieces) for pieces in self.texts]
        if self.is_list is None:
            return {**self.part, _TEXT: "".join(texts)}
        kind = PARTS[self.part["type"]]
        listed: list[Json] = []
        for text, signature in zip(texts, self.signatures, strict=True):
            signed = {} if signature is None or kind.signature is None else {kind.signature: signature}
            listed.append({"type": kind.item, _TEXT: text, **signed})
        return {**self.part, kind.key: listed if self.is_list else "".join(texts)}


class Content:
    """The content of one answer so far.

    Args:
        note: receives a sentence about what was mended.

    Attributes:
        has_come: whether there was any.
        is_signed: whether its last thought is signed.
    """

    def __init__(self, note: Note) -> None:
        self.has_come = False
        self.is_signed = False
        self._note = note
        self._runs: list[_Run | Json] = []
        self._thought: _Run | None = None
        """The last thoughts."""
        self._run: _Run | None = None
        """The texts that a text continues; None if something else has come behind them."""
        self._is_text = True
        self._marked: ArrivingThought | None = None
        self._spoke = False
        """Whether something other than thoughts has come."""
        self._live = True

    def take(self, value: Json, *, thinks: bool, marked: bool = False) -> Iterator[NewText]:
        """Take more content; yield the texts that can be passed on: none behind content that is not understood.

        Args:
            value: a text, or parts.
            thinks: whether thoughts at the beginning are the reasoning of the answer.
            marked: whether a text is marked as a piece of a thought.
        """
        if value is None:
            return
        self.has_come = True
        if isinstance(value, str):
            if marked and thinks and self._marked is None and not self._spoke and self._thought is None:
                self._marked = ArrivingThought()
            if self._marked is not None and self._marked.is_open:
                begins = not self._marked.has_text
                thought, value = self._marked.take(value, marked=marked)
                if thought:
                    yield NewText(thought, is_thought=True, begins=begins)
            if self.say(value):
                yield NewText(value)
            return
        self._is_text = False
        parts = cast("list[Json]", value) if isinstance(value, list) else [value]
        for part in parts:
            members = members_of(part)
            text, kind = members.get(_TEXT), members.get("type")
            thought = PARTS.get(kind) if isinstance(kind, str) and thinks and not self._spoke else None
            pieces = None if thought is None else _pieces_in(members, thought)
            if thought is not None and pieces is not None:
                yield from self._think(members, thought, pieces)
            elif kind == _TEXT and isinstance(text, str) and members.keys() == _PLAIN:
                if self.say(text):
                    yield NewText(text)
            else:
                self._live, self._spoke, self._run = False, True, None
                self._runs.append(part)
                self._note("a part of the content is not a text; it is passed on at the end")

    def say(self, text: str) -> bool:
        """Take more of a text; return whether it can be passed on."""
        self.has_come = True
        run = self._run
        if run is None:
            run = self._run = _Run({"type": _TEXT}, None)
            run.texts.append([])
            self._runs.append(run)
        run.texts[0].append(text)
        if not text:
            return False
        self._spoke = True
        return self._live

    @property
    def pieces(self) -> list[str]:
        """The pieces of the text with which it ends."""
        return [] if self._run is None else self._run.texts[0]

    def _think(self, part: Object, kind: ThoughtPart, pieces: list[_Piece]) -> Iterator[NewText]:
        """Take a part with thoughts; the first one continues the last thought of the part before it."""
        is_list = isinstance(part[kind.key], list)
        run = self._thought
        is_next = not is_list and bool(pieces[0].text) and self.is_signed
        if run is None or run.is_list != is_list or run.part["type"] != part["type"] or is_next:
            run = self._thought = _Run(part, is_list)
            self._runs.append(run)
            self._run = None
        run.part = {**run.part, **part}
        for number, (text, signature) in enumerate(pieces):
            begins = number > 0 or not run.texts or bool(text and run.signatures[-1])
            if begins:
                run.texts.append([])
                run.signatures.append(None)
            run.texts[-1].append(text)
            run.signatures[-1] = signature or run.signatures[-1] or signature
            self.is_signed = bool(run.signatures[-1])
            if text and self._live:
                yield NewText(text, is_thought=True, begins=begins)

    def end(self) -> str:
        """Return what is more of a marked thought at the end of the stream."""
        return "" if self._marked is None else self._marked.end()

    @property
    def is_plain(self) -> bool:
        """Whether a text is more of the answer, whatever it says."""
        return self._marked is None or not self._marked.is_open

    def thoughts(self) -> Object:
        """Return the members of a message with the thoughts so far."""
        if self._marked is not None:
            return {CONTENT: self._marked.whole(), EXTRA: MARK}
        return {CONTENT: [run.whole() for run in self._runs if isinstance(run, _Run) and run.is_list is not None]}

    def whole(self) -> Json:
        """Return the content: a text, which is empty if only empty ones came; a list of parts; null if none came."""
        runs = [run.whole() if isinstance(run, _Run) else run for run in self._runs]
        marked = None if self._marked is None else self._marked.whole()
        if not self._is_text:
            before = [] if marked is None else [{"type": _TEXT, _TEXT: marked}]
            return [*before, *(run for run in runs if run != {"type": _TEXT, _TEXT: ""})]
        return (marked or "") + cast("str", cast("Object", runs[0])[_TEXT]) if runs else marked


class _Piece(NamedTuple):
    """A piece of a thought.

    Attributes:
        text: its text.
        signature: what signs it; None if it has no member for it.
    """

    text: str
    signature: str | None = None


def _pieces_in(part: Object, kind: ThoughtPart) -> list[_Piece] | None:
    """Return the pieces of thoughts in a part; None if it has anything else."""
    value: Any = part.get(kind.key)
    if not kind.understands(part):
        return None
    if isinstance(value, str):
        signature = part.get(kind.signature or "")
        return [_Piece(value, signature)] if signature is None or isinstance(signature, str) else None
    if not isinstance(value, list):
        return None
    pieces: list[_Piece] = []
    for item in cast("list[Any]", value):
        members = members_of(item)
        text, signature = members.get(_TEXT), members.get(kind.signature or "")
        known = _PLAIN if signature is None else _PLAIN | {kind.signature}
        if members.keys() != known or members["type"] != kind.item or not isinstance(text, str):
            return None
        if signature is not None and not isinstance(signature, str):
            return None
        pieces.append(_Piece(text, signature))
    return pieces
