"""Gemini's answers as they arrive (the stream `gemini-sse`): chunks of `streamGenerateContent`, and back."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.blocks.reading import read_block
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.events import Reason
from ocml_bridge.form import Object
from ocml_bridge.model import Json, Message, Part, Text, Transcript
from ocml_bridge.stream.assembled import AssemblingDecoder, merged
from ocml_bridge.stream.decoder import text_of

from .blocks import PartGrammar, is_code
from .syntax import CALL, CANDIDATES, CONTENT, FINISH, MODEL_ROLE, PARTS, ROLE, keys
from .units import ContentReader

# --- chunks put together ----------------------------------------------------------------------------------------------

_CONTINUED: Final = frozenset({"text", "thought"})
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d{1,4})\]|\['((?:[^'\\]|\\.)*)'\]")
_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")


class Candidate:
    """One answer as far as it has come.

    Attributes:
        parts: of its content.
        finish: why it is over; None while it does not say.
    """

    def __init__(self) -> None:
        self.parts: list[Object] = []
        self.finish: str | None = None
        self.has_content = False
        self._content: list[Json] = []
        self._members: list[Json] = []
        self._pieces: list[str] = []
        self._calling = False

    def take(self, candidate: Object) -> list[Object]:
        """More of it; its new parts, as they stand in the chunk."""
        content, more = candidate.get(CONTENT), {key: value for key, value in candidate.items() if key != CONTENT}
        if isinstance(finish := more.get(FINISH), str):
            self.finish = finish
        _tell(self._members, more)
        if not isinstance(content, dict):
            return []
        self.has_content = True
        members = keys(cast("Object", content))
        _tell(self._content, {key: value for key, value in members.items() if key not in (PARTS, ROLE)})
        given: Json = members.get(PARTS)
        raws = cast("list[Json]", given) if isinstance(given, list) else []
        new = [keys(cast("Object", raw)) for raw in raws if isinstance(raw, dict)]
        for part in new:
            self._add(part)
        return new

    def _add(self, part: Object) -> None:
        last = self.parts[-1] if self.parts else {}
        call = part.get(CALL)
        if _continues(last, part):
            self._pieces.append(part["text"])
            return
        self._join()
        if not isinstance(call, dict):
            self.parts.append(part)
        else:
            inner = keys(cast("Object", call))
            if self._calling and isinstance(last.get(CALL), dict):
                self.parts[-1] = {**last, **part, CALL: _continued(last[CALL], inner)}
            else:
                self.parts.append({**part, CALL: _continued({}, inner)})
            self._calling = self.parts[-1][CALL].pop("willContinue", None) is True

    def _join(self) -> None:
        """Put together the last text; pieces of it are not joined one by one, for texts are long."""
        if self._pieces:
            last = self.parts[-1]
            self.parts[-1] = {**last, "text": "".join((last["text"], *self._pieces))}
            self._pieces = []

    def wire(self) -> Object:
        """The candidate of a response."""
        self._join()
        about = cast("Object", merged(self._members) or {})
        if not self.has_content:
            return about
        content = cast("Object", merged(self._content) or {})
        return {CONTENT: {PARTS: self.parts, ROLE: MODEL_ROLE, **content}, **about}


def _tell(listed: list[Json], more: Object) -> None:
    """Keep what is said again and again once."""
    if more and (not listed or listed[-1] != more):
        listed.append(more)


def _continues(last: Object, part: Object) -> bool:
    """Whether a part is more of the text before it."""
    return (
        isinstance(last.get("text"), str)
        and isinstance(part.get("text"), str)
        and last["text"] != ""
        and part.keys() <= _CONTINUED
        and bool(last.get("thought")) is bool(part.get("thought"))
    )


# --- calls in pieces --------------------------------------------------------------------------------------------------


def _continued(call: Object, more: Object) -> Object:
    """A call with more of its arguments, which come by their paths."""
    out = {**call, **{key: value for key, value in more.items() if key != "partialArgs" and value is not None}}
    pieces: Json = more.get("partialArgs")
    for piece in cast("list[Json]", pieces) if isinstance(pieces, list) else []:
        if isinstance(piece, dict):
            out["args"] = _placed(out.get("args"), cast("Object", piece))
    return out


def _placed(args: Json, piece: Object) -> Json:
    """Arguments with one more piece: at the path `$.a.b[0]`; texts are continued."""
    names = {key.replace("_v", "V"): value for key, value in piece.items()}
    path: Any = piece.get("jsonPath", piece.get("json_path", "$"))
    kind = next((key for key in _VALUES if key in names), None)
    if not isinstance(path, str) or kind is None:
        return args
    steps: list[str | int] = [
        int(found[2]) if found[2] is not None else found[1] or found[3] or "" for found in _STEP.finditer(path)
    ]
    value: Json = None if kind == "nullValue" else names[kind]
    return _put(args, steps, value)


def _put(value: Json, steps: list[str | int], inner: Json) -> Json:
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


# --- the whole --------------------------------------------------------------------------------------------------------


class Assembly:
    """A response as far as it has come.

    Attributes:
        candidates: by index, in the order in which they came.
    """

    def __init__(self) -> None:
        self.candidates: dict[int, Candidate] = {}
        self._members: list[Object] = []

    def take(self, chunk: Object) -> list[Object]:
        """More of it; the new parts of the first candidate."""
        self._members.append({key: value for key, value in chunk.items() if key != CANDIDATES})
        given: Json = chunk.get(CANDIDATES)
        new: list[Object] = []
        for item in cast("list[Json]", given) if isinstance(given, list) else []:
            if isinstance(item, dict):
                candidate = keys(cast("Object", item))
                index = candidate.get("index")
                place = index if type(index) is int else 0
                known = self.candidates.setdefault(place, Candidate())
                parts = known.take(candidate)
                new += parts if known is self.first else []
        if len(self._members) > 64:
            self._members = [self._whole()]
        return new

    @property
    def first(self) -> Candidate | None:
        """The candidate that is read; the others are alternatives."""
        return next(iter(self.candidates.values()), None)

    def _whole(self) -> Object:
        """What is said beside the candidates: of each member what was said last, which counts for all before it."""
        return {key: value for members in self._members for key, value in members.items() if value is not None}

    def wire(self) -> Object:
        """The response."""
        answers = [candidate.wire() for candidate in self.candidates.values()]
        return {**({CANDIDATES: answers} if answers else {}), **self._whole()}


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
"""Why a model says that its answer is over; it has stopped for any other reason."""
_FINISHES: Final[dict[Reason, str]] = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}
"""Reasons from outside that a response would give."""
_IN_PIECES: Final = ("partialArgs", "willContinue")
"""Members of a call that is not whole."""
_GRAMMAR = PartGrammar()


class ContentDecoder(AssemblingDecoder):
    """A decoder of chunks, in Server-Sent Events or in a list. Other candidates than the first are alternatives.

    Args:
        options: how to read.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly()
        self._kind = ""
        self._number = -1
        self._telling = True

    def take(self, value: Object, name: str | None) -> None:
        """Take a chunk."""
        chunk = keys(value)
        if chunk.get("error") is not None or name == "error":
            self.fail(chunk.get("error", value))
            return
        if not self.started:
            self.name(chunk)
        for part in self._assembly.take(chunk):
            if self._telling:
                self._tell(part)
        first = self._assembly.first
        feedback = chunk.get("promptFeedback")
        if first is not None and first.finish is not None:
            self.over = _REASONS.get(first.finish, "stop")
        elif first is None and isinstance(feedback, dict) and "blockReason" in keys(cast("Object", feedback)):
            self.over = "content_filter"

    def hosts(self, call: Message) -> bool:
        """Whether a call is code, which the API runs itself."""
        return is_code(call)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _tell(self, part: Object) -> None:
        """Say what a part tells at once; what cannot be told yet, and all behind it, is told at the end."""
        call = part.get(CALL)
        if isinstance(call, dict) and not keys(cast("Object", call)).keys().isdisjoint(_IN_PIECES):
            self._telling = False
            return
        made = read_block(_GRAMMAR, part, MODEL_ROLE)
        if isinstance(made, Message):
            self._tell_message(made)
        elif made is None:
            self._telling = self._kind != ""
        else:
            self._tell_part(made)

    def _tell_message(self, made: Message) -> None:
        is_thought = made.channel == "analysis"
        if not (is_thought and self._kind == "thought" and made.extras is None and text_of(made)):
            self._number = self.start(made)
        self._kind = "thought" if is_thought else "other"
        self.more(self._number, text_of(made))

    def _tell_part(self, made: Part) -> None:
        if self._kind != "text":
            self._kind, self._number = "text", self.start(Message("assistant", "", channel="final"))
        if isinstance(made, Text):
            self.more(self._number, made.text)

    # --- the end ------------------------------------------------------------------------------------------------------

    def document(self, reason: Reason | None) -> Transcript:
        """What the reader reads of the response that the chunks make."""
        response = self._assembly.wire()
        first = self._assembly.first
        if first is not None and first.finish is None and reason in _FINISHES:
            response["candidates"][0][FINISH] = _FINISHES[reason]
        if not response:
            return Transcript()
        return transcript_of(
            ContentReader(self.options), response if first else {"candidates": [], **response}, self.log
        )
