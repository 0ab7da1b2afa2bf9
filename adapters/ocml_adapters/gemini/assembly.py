"""Assemble the chunks of a stream to the response that the server would have sent without streaming."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, without
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note, merged, object_of, objects_of
from ocml_bridge.wires.blocks.grammar import more_of

from .syntax import CALL, CANDIDATES, CONTENT, MODEL_ROLE, PARTS, ROLE, SIGNATURE, finish_of, keys

# --- a candidate ------------------------------------------------------------------------------------------------------

EMPTY: Final[Object] = {"text": ""}
"""The part with which servers end an answer: behind another part it adds nothing."""
_CONTINUED: Final = ("text", "thought")
"""The members of a part that may continue the part before it."""
_ESCAPE: Final = r"""\\(?:["'\\/bfnrt]|u[0-9a-fA-F]{4})"""
_QUOTED: Final = rf"""'(?:[^'\\]|{_ESCAPE})*'|"(?:[^"\\]|{_ESCAPE})*\""""
_STEP: Final = re.compile(rf"\.([^.\[\]]+)|\[(\d{{1,4}})\]|\[({_QUOTED})\]")
_PATH: Final = re.compile(rf"\$(?:{_STEP.pattern})*")
_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")


class Arrived(NamedTuple):
    """A part that has arrived.

    Attributes:
        part: the part, as it is in the chunk.
        continues: whether it continues the text of the part before it.
    """

    part: Object
    continues: bool


class Candidate:
    """One answer so far.

    Args:
        note: receives a sentence about what was mended.

    Attributes:
        parts: the parts of its content; the last text may lack pieces until `wire` is called.
        pieces: the pieces of text that continue the last part, until they are joined.
        finish: the finish reason; None until it arrives.
    """

    def __init__(self, note: Note) -> None:
        self.parts: list[Object] = []
        self.finish: str | None = None
        self._content_keys: set[str] | None = None
        """The keys of its content that have arrived, of those that every content has; None until its content begins."""
        self._content: list[Json] = []
        self._members: list[Json] = []
        self.pieces: list[str] = []
        self._calling = False
        self._note = note

    def take(self, candidate: Object) -> list[Arrived]:
        """Take more of the answer; return what has arrived of its parts."""
        content, more = candidate.get(CONTENT), without(candidate, CONTENT)
        self.finish = finish_of(more) or self.finish
        _append_new(self._members, more)
        members = keys(object_of(content, "a content", self._note))
        if not isinstance(content, dict):
            return []
        self._content_keys = (self._content_keys or set()) | ({PARTS, ROLE} & members.keys())
        if members.get(ROLE) not in (None, MODEL_ROLE):
            self._note("an answer has the role of the model; another role is left out")
        _append_new(self._content, without(members, PARTS, ROLE))
        new: list[Arrived] = []
        for at, part in enumerate(map(keys, objects_of(members.get(PARTS), "the parts of a content", self._note))):
            if part != EMPTY or not self.parts:
                continues = at == 0 and self.continued_by(part)
                self._add(part, continues=continues)
                new.append(Arrived(part, continues))
        return new

    def _add(self, part: Object, *, continues: bool) -> None:
        """Add a part, or continue the text of the last one."""
        last = self.parts[-1] if self.parts else {}
        call = part.get(CALL)
        if continues:
            self.pieces.append(part["text"])
            return
        self._join()
        if not isinstance(call, dict):
            self.parts.append(part)
        else:
            inner = keys(cast("Object", call))
            if self._calling and isinstance(last.get(CALL), dict):
                self.parts[-1] = {**last, **part, CALL: _continued(last[CALL], inner, self._note)}
            else:
                self.parts.append({**part, CALL: _continued({}, inner, self._note)})
            self._calling = self.parts[-1][CALL].get("willContinue") is True
            if isinstance(self.parts[-1][CALL].get("willContinue"), bool):
                del self.parts[-1][CALL]["willContinue"]

    def continued_by(self, part: Object) -> bool:
        """Return whether a part at the beginning of a chunk continues the last part, which is a text."""
        return bool(self.parts) and _continues(self.parts[-1], part)

    def _join(self) -> None:
        """Join the pieces of the last text, all at once because texts are long."""
        if self.pieces:
            last = self.parts[-1]
            self.parts[-1] = {**last, "text": "".join((last["text"], *self.pieces))}
            self.pieces.clear()

    def wire(self) -> Object:
        """Return the candidate of the response."""
        self._join()
        members = cast("Object", merged(self._members) or {})
        if self._content_keys is None:
            return members
        always: Object = {PARTS: self.parts, ROLE: MODEL_ROLE}
        content = {key: value for key, value in always.items() if key in self._content_keys or self.parts}
        return {CONTENT: {**content, **cast("Object", merged(self._content) or {})}, **members}


def _append_new(values: list[Json], value: Object) -> None:
    """Append an object to a list, unless it is empty or equal to the last one: chunks repeat members."""
    if value and (not values or values[-1] != value):
        values.append(value)


def _continues(last: Object, part: Object) -> bool:
    """Return whether a part continues the text of the last part; a signed thought is complete."""
    return (
        isinstance(last.get("text"), str)
        and isinstance(part.get("text"), str)
        and (last["text"] != "" or last == EMPTY)
        and not more_of(part, _CONTINUED)
        and not (last.get("thought") and last.get(SIGNATURE))
        and bool(last.get("thought")) is bool(part.get("thought"))
    )


# --- calls in pieces --------------------------------------------------------------------------------------------------


def _continued(call: Object, more: Object, note: Note) -> Object:
    """Return a call with more of its arguments, which arrive by their paths."""
    out = {**call, **{key: value for key, value in more.items() if key != "partialArgs" and value is not None}}
    for piece in map(keys, objects_of(more.get("partialArgs"), "the pieces of arguments", note)):
        path, kinds = piece.get("jsonPath"), [key for key in _VALUES if piece.get(key) is not None]
        kinds = kinds or [key for key in ("nullValue",) if key in piece]
        if not isinstance(path, str) or not kinds:
            note("a piece of arguments has no path, or no value; it is left out")
            continue
        if _PATH.fullmatch(path) is None:
            note(f"the path {path[:40]!r} of a piece of arguments is not understood; the piece is left out")
            continue
        for key, value in piece.items():
            if key not in ("jsonPath", kinds[0]) and value is not None and (key, type(value)) != ("willContinue", bool):
                note(f"a piece of arguments has a member {key[:40]!r} that is not understood; it is left out")
        out["args"] = _put(out.get("args"), _steps(path), None if kinds[0] == "nullValue" else piece[kinds[0]])
    return out


def _steps(path: str) -> list[str | int]:
    """Return the names and indices of a path to one value (RFC 9535), such as `$.a['b c'][0]`."""
    return [int(match[2]) if match[2] else match[1] or _unquoted(match[3]) for match in _STEP.finditer(path)]


def _unquoted(name: str) -> str:
    """Return a quoted name without its quotes; its escapes are those of JSON, and that of a single quote."""
    inner = re.sub(r"\\.|\"", lambda match: {"\\'": "'", '"': '\\"'}.get(match[0], match[0]), name[1:-1])
    return json.loads(f'"{inner}"', strict=False)


def _put(value: Json, steps: Sequence[str | int], inner: Json) -> Json:
    """Return arguments with one more piece; a text continues the text at its path.

    Args:
        value: the arguments so far.
        steps: the names and indices of the piece's path.
        inner: the piece.
    """
    if not steps:
        return value + inner if isinstance(value, str) and isinstance(inner, str) else inner
    step, *deeper = steps
    if isinstance(step, int):
        items = list(cast("list[Json]", value)) if isinstance(value, list) else []
        items += [None] * (step + 1 - len(items))
        items[step] = _put(items[step], deeper, inner)
        return items
    members = dict(cast("Object", value)) if isinstance(value, dict) else {}
    members[step] = _put(members.get(step), deeper, inner)
    return members


# --- the response -----------------------------------------------------------------------------------------------------

_MAX_CHUNKS: Final = 64
"""The number of chunks whose members are stored before they are merged."""


class Assembly:
    """A response so far.

    Args:
        note: receives a sentence about what was mended.

    Attributes:
        candidates: the candidates by index, in the order in which they arrived.
    """

    def __init__(self, note: Note) -> None:
        self._note = note
        self.candidates: dict[int, Candidate] = {}
        self._members: list[Object] = []

    def take(self, chunk: Object) -> list[Arrived]:
        """Take more of the response; return what has arrived of the parts of the first candidate."""
        self._members.append(without(chunk, CANDIDATES))
        new: list[Arrived] = []
        for candidate in map(keys, objects_of(chunk.get(CANDIDATES), "the candidates", self._note)):
            index = candidate.get("index")
            if index is not None and type(index) is not int:
                self._note("the index of a candidate is not a number; it is left out")
            answer = self.candidates.setdefault(index if type(index) is int else 0, Candidate(self._note))
            parts = answer.take(candidate)
            new += parts if answer is self.first else []
        if len(self._members) > _MAX_CHUNKS:
            self._members = [self._merged_members()]
        return new

    @property
    def first(self) -> Candidate | None:
        """The candidate that is read as the conversation; the others are alternatives."""
        return next(iter(self.candidates.values()), None)

    def _merged_members(self) -> Object:
        """Return the members other than the candidates; the last value of each replaces the earlier ones."""
        return {key: value for members in self._members for key, value in members.items() if value is not None}

    def wire(self) -> Object:
        """Return the response."""
        answers = [candidate.wire() for candidate in self.candidates.values()]
        return {**({CANDIDATES: answers} if answers else {}), **self._merged_members()}
