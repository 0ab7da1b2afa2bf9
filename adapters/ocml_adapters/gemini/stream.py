"""Decode Gemini's answers as they arrive: the stream `gemini-sse`, of chunks of `streamGenerateContent`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Final, cast

from ocml_bridge.events import Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json, Message, Part, Text, replace
from ocml_bridge.stream.assembled import AssemblingDecoder, Note, merged, object_of, objects_of
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.repeats import MoreText
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.reading import read_block

from .blocks import PartGrammar, is_code
from .hosted import is_hosted
from .syntax import CALL, CANDIDATES, CONTENT, FINISH, MODEL_ROLE, PARTS, ROLE, SIGNATURE, finish_of, keys
from .units import ContentReader

# --- a candidate ------------------------------------------------------------------------------------------------------

_EMPTY: Final[Object] = {"text": ""}
"""The part with which servers end an answer: behind another part it adds nothing."""
_CONTINUED: Final = ("text", "thought")
"""The members of a part that may continue the part before it."""
_ESCAPE: Final = r"""\\(?:["'\\/bfnrt]|u[0-9a-fA-F]{4})"""
_QUOTED: Final = rf"""'(?:[^'\\]|{_ESCAPE})*'|"(?:[^"\\]|{_ESCAPE})*\""""
_STEP: Final = re.compile(rf"\.([^.\[\]]+)|\[(\d{{1,4}})\]|\[({_QUOTED})\]")
_PATH: Final = re.compile(rf"\$(?:{_STEP.pattern})*")
_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")


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

    def take(self, candidate: Object) -> list[Object]:
        """Take more of the answer; return its new parts, as they are in the chunk."""
        content, more = candidate.get(CONTENT), {key: value for key, value in candidate.items() if key != CONTENT}
        self.finish = finish_of(more) or self.finish
        _append_new(self._members, more)
        members = keys(object_of(content, "a content", self._note))
        if not isinstance(content, dict):
            return []
        self._content_keys = (self._content_keys or set()) | ({PARTS, ROLE} & members.keys())
        if members.get(ROLE) not in (None, MODEL_ROLE):
            self._note("an answer has the role of the model; another role is left out")
        _append_new(self._content, {key: value for key, value in members.items() if key not in (PARTS, ROLE)})
        new: list[Object] = []
        for part in map(keys, objects_of(members.get(PARTS), "the parts of a content", self._note)):
            if part != _EMPTY or not self.parts:
                self._add(part)
                new.append(part)
        return new

    def _add(self, part: Object) -> None:
        """Add a part, or continue the last one."""
        last = self.parts[-1] if self.parts else {}
        call = part.get(CALL)
        if _continues(last, part):
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
        """Return whether a part continues the last part, which is a text."""
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
        and (last["text"] != "" or last == _EMPTY)
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

    def take(self, chunk: Object) -> list[Object]:
        """Take more of the response; return the new parts of the first candidate."""
        self._members.append({key: value for key, value in chunk.items() if key != CANDIDATES})
        new: list[Object] = []
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


# --- the stream -------------------------------------------------------------------------------------------------------

_REASONS: Final[dict[str, Reason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "content_filter",
    ),
    "MALFORMED_FUNCTION_CALL": "truncated",
    "MALFORMED_RESPONSE": "truncated",
}
"""The reason by the API's finish reason; the reason is `stop` for any other."""
_FINISHES: Final[dict[Reason, str]] = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}
"""The finish reason of a response by the caller's reason, for streams that have none."""
_FEEDBACK: Final = "promptFeedback"
"""The member that a response without candidates has, if it says why there are none."""
_IN_PIECES: Final = ("partialArgs", "willContinue")
"""The members of a call that is not complete."""
_GRAMMAR = PartGrammar()


class ContentDecoder(AssemblingDecoder):
    """A decoder of chunks, in Server-Sent Events or in a list. Candidates other than the first are alternatives.

    Args:
        options: how to read.
    """

    reads = ContentReader

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly(self.note)
        self._kind = ""
        self._number = -1
        self._thought: Message | None = None
        """The thought that has not ended; it ends when another message begins."""
        self._media: Part | None = None
        """The last part of a message that has only media so far, and nothing between them.

        A text has its citations only at the end, and what stands between parts may become a part.
        """
        self._live = True
        """Whether parts are passed on as they arrive; if not, the rest is passed on at the end."""

    def take(self, value: Object, name: str | None) -> None:
        """Take a chunk of the server."""
        chunk = keys(value)
        if chunk.get("error") is not None or name == "error":
            self.fail(chunk.get("error", value))
            return
        if not self.started:
            self.name(chunk)
        for part in self._assembly.take(chunk):
            if self._live:
                self._emit(part)
        first = self._assembly.first
        feedback = chunk.get(_FEEDBACK)
        if first is not None and first.finish is not None:
            self.over = _REASONS.get(first.finish, "stop")
        elif first is None and isinstance(feedback, dict) and "blockReason" in keys(cast("Object", feedback)):
            self.over = "content_filter"

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a chunk that only continues the answer's last text; its other members are the same."""
        candidate, first = only_object(value.get(CANDIDATES)), self._assembly.first
        part = only_object(members_of(candidate.get(CONTENT)).get(PARTS))
        text, delta = part.get("text"), self.delta
        if delta is None or self._kind != "text" or not (isinstance(text, str) and part.keys() == {"text"}):
            return None
        if first is None or len(self._assembly.candidates) > 1 or not first.continued_by(part):
            return None
        return MoreText(text, partial(self.say, first.pieces, delta.number))

    def hosts(self, call: Message) -> bool:
        """Return whether a call is one that the API runs itself: code, or the call of one of its tools."""
        return is_code(call) or is_hosted(call)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _emit(self, part: Object) -> None:
        """Emit the events of a part; a part that is not complete, and all after it, waits for the end."""
        call = members_of(part.get(CALL))
        if not keys(call).keys().isdisjoint(_IN_PIECES):
            self._live = False
            return
        value = read_block(_GRAMMAR, part, MODEL_ROLE)
        if isinstance(value, Message):
            self._emit_message(value)
        elif value is None:
            self._live, self._media = self._kind != "", None
        else:
            self._emit_part(value)

    def _emit_message(self, message: Message) -> None:
        is_thought, before = message.channel == "analysis", self._thought
        if before is not None and is_thought and text_of(message) and _is_plain(before) and _is_plain(message):
            before.content = text_of(before) + text_of(message)
        else:
            self._end_thought()
            self._number = self.start(message, message.signature)
            self._thought = replace(message, continues=self._number > 0) if is_thought else None
        self._kind = "thought" if is_thought else "other"
        self.more(self._number, text_of(message))

    def _emit_part(self, part: Part) -> None:
        if self._kind != "text":
            self._end_thought()
            self._kind, self._number = "text", self.start(Message("assistant", "", channel="final"))
            self._media = part
        elif self._media is not None and not isinstance(self._media, Text):
            self.end_part(self._number, self._media)
            self._media = part
        if isinstance(part, Text):
            self.more(self._number, part.text)

    def _end_thought(self) -> None:
        """End the thought before another message begins: chunks only append parts, so it is complete."""
        thought, self._thought = self._thought, None
        if thought is not None and self.ended == self._number:
            self.end(thought)

    # --- the end ------------------------------------------------------------------------------------------------------

    def response(self, reason: Reason | None) -> Object:
        """Return the assembled response, with the finish reason of the caller if it has none."""
        response = self._assembly.wire()
        first = self._assembly.first
        if first is not None and first.finish is None and reason in _FINISHES:
            response[CANDIDATES][0][FINISH] = _FINISHES[reason]
        is_empty = not response or first is not None or _FEEDBACK in response
        return response if is_empty else {CANDIDATES: [], **response}


def only_object(value: Json) -> Object:
    """Return the only item of a list, if it is an object; else an empty object."""
    items = items_of(value)
    return members_of(items[0]) if len(items) == 1 else {}


def _is_plain(thought: Message) -> bool:
    """Return whether a thought has only its text, without extras and signature."""
    return thought.extras is thought.signature is None
