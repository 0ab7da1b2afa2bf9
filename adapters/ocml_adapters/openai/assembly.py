"""Assemble the chunks of a stream to the response that the server would have sent without streaming.

Servers differ: ids, names and roles may be repeated; a call without an index is identified by its id and name; indexes
may have gaps, or all be 0. Unknown members are merged into the response, where the batch reader stores them as extras.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note, object_of

from .content import Content
from .deltas import TextPlace
from .marked_thoughts import EXTRA, is_marked
from .merging import Twice, latest, merged, text_in
from .reasoning import JOINT
from .streamed_thought_lists import Items
from .syntax import CONTENT, CUSTOM, FUNCTION, FUNCTION_CALL, INPUT_KEYS, REASONING, REASONING_TEXTS, TOOL_CALLS
from .thought_lists import LISTS

_CHOICE: Final = frozenset({"index", "delta", "message", "finish_reason"})
_KNOWN: Final = frozenset({"role", "name", "content", "refusal", *REASONING, TOOL_CALLS, FUNCTION_CALL})
"""The members of a choice, and of a delta, that are assembled by this module; all others are merged."""


class Call:
    """A call so far.

    Args:
        kind: `function` or `custom`.
        legacy: whether it is the deprecated `function_call`.

    Attributes:
        id: its id; None until it arrives.
        name: the name of the tool; "" until it arrives.
        pieces: the pieces of its input.
    """

    def __init__(self, kind: str, *, legacy: bool = False) -> None:
        self.kind: Final = kind
        self.id: str | None = None
        self.name = ""
        self.pieces: list[str] = []
        self.legacy: Final = legacy
        self._type = kind
        self._more: list[Json] = []
        self._within: list[Json] = []

    def take(self, item: Object, note: Note) -> str:
        """Take more of the call, an item of `tool_calls`; return the new text of its input."""
        inner = object_of(item.get(self.kind), f"the {self.kind} of a call", note)
        call_id, name, kind = text_in(item, "id", note), text_in(inner, "name", note), item.get("type")
        if isinstance(kind, str) and kind and self._type == FUNCTION:
            self._type = kind  # a server may have types of its own, such as Kimi's `builtin_function`
        elif kind and kind != self._type:
            note(f"the type of a call is not known; the call is read as a {self.kind} call")
        if call_id and self.id not in (None, call_id):
            note("a call's id changes; the first one is kept")
        self.id = self.id or call_id or None
        if name and name != self.name:
            if self.pieces:
                note("a call's name changes while its arguments come; the first one is kept")
            else:
                self.name += name
        key = INPUT_KEYS[self.kind]
        self._more.append(without(item, "index", "id", "type", self.kind))
        self._within.append(without(inner, "name", key))
        text = inner.get(key)
        if text is not None and not isinstance(text, str):
            note("the arguments of a call are not a text; they are written as JSON")
            text = jsontext.compact(text)
        if text:
            self.pieces.append(text)
        return text or ""

    def wire(self) -> Object:
        """Return the complete call."""
        inner: Object = {"name": self.name, INPUT_KEYS[self.kind]: "".join(self.pieces)}
        inner.update(members_of(merged(self._within)))
        if self.legacy:
            return inner
        out: Object = {} if self.id is None else {"id": self.id}
        return {**out, "type": self._type, self.kind: inner, **members_of(merged(self._more))}


def kind_of(item: Object) -> str:
    """Return the kind of a call: `custom` if only that key is present, else `function`."""
    return CUSTOM if CUSTOM in item and FUNCTION not in item else FUNCTION


class Fragment(NamedTuple):
    """New text of an answer.

    Attributes:
        kind: the kind of message that it belongs to.
        text: the text.
        call: the call that it belongs to; None for other kinds.
        place: the index of the thought that it belongs to.
    """

    kind: Literal["thought", "text", "refusal", "call"]
    text: str
    call: Call | None = None
    place: int = 0


class Choice:
    """One answer so far.

    Args:
        index: the index of the answer.
        note: receives a sentence about what was mended.

    Attributes:
        role: the role; None until it arrives.
        name: the name of the assistant, or None.
        finish: the server's finish reason; None until it arrives.
        calls: the calls whose names have arrived, in the order of their names.
        is_signed: whether the last thought is signed, so that more text begins another one.
    """

    def __init__(self, index: Json, note: Note) -> None:
        self.role: str | None = None
        self.name: str | None = None
        self.finish: str | None = None
        self.calls: list[Call] = []
        self.is_signed = False
        self._index = index
        self._note = note
        self._content = Content(note)
        self._in_content = 0
        """The number of thoughts that stand in the content."""
        self._refusal: list[str] = []
        self._thoughts: list[list[str]] = []
        self._reasoning: dict[str, list[str]] = {}
        self._twice = Twice()
        self._lists = {key: Items(key) for key in LISTS}
        self._indices: dict[int, Call] = {}
        self._by_id: dict[str, Call] = {}
        self._all: dict[Call, None] = {}
        self._last: Call | None = None
        self._legacy: Call | None = None
        self._members: list[Json] = []
        self._more: list[Json] = []
        self._in_pieces = False

    @property
    def thoughts(self) -> list[str]:
        """The text of each thought."""
        return ["".join(pieces) for pieces in self._thoughts]

    # --- chunks -------------------------------------------------------------------------------------------------------

    def take(self, choice: Object) -> Iterator[Fragment]:
        """Take more of the answer, a choice of a chunk; yield its new texts."""
        if finish := text_in(choice, "finish_reason", self._note):
            self.finish = self.finish or finish
        if more := {key: value for key, value in choice.items() if key not in _CHOICE}:
            self._more.append(more)
        delta = choice.get("delta")
        self._in_pieces = self._in_pieces or delta is not None
        if delta is None:
            delta = choice.get("message")
            if self._in_pieces and isinstance(delta, dict):
                delta = self._beyond_pieces(cast("Object", delta))
        if not isinstance(delta, dict):
            if delta is not None:
                self._note("a delta is not an object; it is left out")
            return
        for fragment in self.fragments(cast("Object", delta)):
            self.role = self.role or "assistant"
            yield fragment

    def _beyond_pieces(self, message: Object) -> Object:
        """Return what a message after the pieces of the answer adds: it repeats the answer if it begins like that."""
        text, whole = self._content.whole() or "", message.get(CONTENT) or ""
        if not (isinstance(text, str) and isinstance(whole, str) and whole.startswith(text)):
            return message
        self._note("a whole message follows the pieces of the answer; only what it adds is kept")
        come = {*self._message(), *(REASONING if self._thoughts else ())}
        return {key: value for key, value in message.items() if key not in come} | {CONTENT: whole[len(text) :]}

    def fragments(self, delta: Object) -> Iterator[Fragment]:
        """Take a delta; yield its new texts."""
        if len(delta) == 1 and "content" in delta:
            # The fast path: by far the most frequent delta.
            content = delta["content"]
            if isinstance(content, str) and self._content.is_plain:
                if self._content.say(content):
                    yield Fragment("text", content)
            else:
                yield from self._say(content)
            return
        self._head(delta)
        for text in self._reason(delta):
            yield Fragment("thought", text, place=len(self._thoughts) - 1)
        yield from self._say(delta.get("content"), marked=is_marked(delta.get(EXTRA)))
        if refusal := text_in(delta, "refusal", self._note):
            self._refusal.append(refusal)
            yield Fragment("refusal", refusal)
        for call, text in self._called(delta):
            yield Fragment("call", text, call)

    def pieces_at(self, place: TextPlace) -> Sequence[MutableSequence[str]] | None:
        """Return the lists of pieces to which a delta only adds its text; None if it may do anything else.

        Args:
            place: where the delta has its only text.
        """
        if place.call is not None:
            call = self._indices.get(place.call)
            return None if call is None or call.kind != FUNCTION else (call.pieces,)
        if place.key == CONTENT:
            return (self._content.pieces,) if self._content.is_plain else None
        texts = self._reasoning.get(place.key)
        if texts is None or self.is_signed or any(items.pieces for items in self._lists.values()):
            return None
        is_one = len(self._thoughts) - self._in_content == 1
        return (texts, self._thoughts[-1], *((self._twice.texts,) if is_one else ()))

    def _head(self, delta: Object) -> None:
        """Take the role and the name, and the unknown members, of a delta."""
        role, name = text_in(delta, "role", self._note), text_in(delta, "name", self._note)
        if role:
            self.role = self.role or role
            if role != self.role:
                self._note("the role changes inside an answer; the first one is kept")
        if name and not (self._thoughts or self._content.has_come or self._refusal or self._all):
            self.name = self.name or name
        if rest := {key: value for key, value in delta.items() if key not in _KNOWN}:
            self._members.append(rest)

    def _say(self, content: Json, *, marked: bool = False) -> Iterator[Fragment]:
        """Take more content; yield its texts. Its thoughts are those of the answer if no key has any."""
        thinks = len(self._thoughts) == self._in_content
        for text, is_thought, begins in self._content.take(content, thinks=thinks, marked=marked):
            if is_thought:
                if begins:
                    self._thoughts.append([])
                    self._in_content += 1
                self._thoughts[-1].append(text)
            yield Fragment("thought" if is_thought else "text", text, place=max(len(self._thoughts) - 1, 0))
        if self._in_content and self._in_content == len(self._thoughts):
            self.is_signed = self._content.is_signed

    def _reason(self, delta: Object) -> Iterator[str]:
        """Take more reasoning; yield the text of the first key that has any, and store that of the others.

        A new thought begins with a new item that has a text, and after a signature; a blank line before it is removed.
        """
        thought = ""
        for key in REASONING_TEXTS:
            if value := text_in(delta, key, self._note):
                self._reasoning.setdefault(key, []).append(value)
                thought = thought or value
        lists = [[items.take(piece) for piece in self._items(delta, key)] for key, items in self._lists.items()]
        spoken = ([(piece.text, piece.begins) for piece in pieces if piece.text] for pieces in lists)
        texts = next(filter(None, spoken), list[tuple[str, bool]]())
        is_one = len(self._thoughts) - self._in_content < 2 and not self.is_signed
        again = self._twice.take(thought, "".join(text for text, _ in texts)) if is_one else None
        if thought:
            begins = bool(self._thoughts) and (self.is_signed or any(is_new for _, is_new in texts))
            texts = [(thought.removeprefix(JOINT) if begins else thought, begins)]
        if again is not None:
            texts = [(again, False)]
        for text, begins in texts:
            if begins or self.is_signed or len(self._thoughts) == self._in_content:
                self._thoughts.append([])
                self.is_signed = False
            if text:
                self._thoughts[-1].append(text)
                yield text
        self.is_signed = self.is_signed or any(piece.signs for pieces in lists for piece in pieces)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _called(self, delta: Object) -> Iterator[tuple[Call, str]]:
        for item in self._items(delta, TOOL_CALLS):
            if isinstance(item, dict):
                call = self._call_for(cast("Object", item))
                yield call, self._more_of(call, cast("Object", item))
            else:
                self._note("a call is not an object; it is left out")
        function = delta.get(FUNCTION_CALL)
        if function is not None and not isinstance(function, dict):
            self._note("function_call is not an object; it is left out")
        elif function is not None:
            self._legacy = self._legacy or Call(FUNCTION, legacy=True)
            yield self._legacy, self._more_of(self._legacy, {FUNCTION: function})

    def _items(self, delta: Object, key: str) -> list[Any]:
        value = delta.get(key)
        if isinstance(value, dict):
            self._note(f"{key} is an object; it is read as a list of it")
            return [value]
        if value is not None and not isinstance(value, list):
            self._note(f"{key} is not a list; it is left out")
        return items_of(value)

    def _more_of(self, call: Call, item: Object) -> str:
        named = bool(call.name)
        text = call.take(item, self._note)
        if call.name and not named:
            self.calls.append(call)
        return text

    def _call_for(self, item: Object) -> Call:
        """Return the call of an item: by its index, unless the item begins another call; else by its id or name."""
        index, call_id = item.get("index"), item.get("id")
        name = members_of(item.get(kind_of(item))).get("name")
        if isinstance(index, int):
            known_call = self._indices.get(index)
            if (
                known_call is not None
                and call_id
                and name
                and known_call.id not in (None, call_id)
                and known_call.pieces
            ):
                self._note("two calls have the same index; their ids distinguish them")
                known_call = None
        else:
            self._note("a call has no index; its id and name identify it")
            known_call = (
                self._by_id.get(call_id) if isinstance(call_id, str) and call_id else None if name else self._last
            )
        call = known_call or Call(kind_of(item))
        if isinstance(index, int):
            self._indices[index] = call
        if isinstance(call_id, str):
            self._by_id.setdefault(call_id, call)
        self._all[call] = None
        self._last = call
        return call

    # --- the response -------------------------------------------------------------------------------------------------

    def wire(self, finish: str | None) -> Object:
        """Return the choice of a response.

        Args:
            finish: the finish reason, if the server sent none.
        """
        if (more := self._content.end()) and self._thoughts:
            self._thoughts[-1].append(more)
        return {
            **({} if self._index is None else {"index": self._index}),
            "message": self._message(),
            **members_of(latest(self._more)),
            "finish_reason": self.finish or finish,
        }

    def _message(self) -> Object:
        out: Object = {"role": self.role or "assistant"}
        if self.name is not None:
            out["name"] = self.name
        out.update(self.reasoning())
        out.pop(EXTRA, None)  # it stands among the unknown members
        out[CONTENT] = self._content.whole()
        if self._refusal:
            out["refusal"] = "".join(self._refusal)
        out.update(self._whole_calls())
        return {**out, **members_of(merged(self._members))}

    def reasoning(self) -> Object:
        """Return the members with the reasoning."""
        out: Object = {key: "".join(pieces) for key, pieces in self._reasoning.items()}
        if texts := self.thoughts[self._in_content :]:
            first_key = next((key for key in REASONING_TEXTS if key in out), REASONING_TEXTS[0])
            out[first_key] = JOINT.join(texts)
        out = {key: out[key] for key in REASONING_TEXTS if key in out}
        if self._in_content:
            out |= self._content.thoughts()
        listed = ((key, items.pieces) for key, items in self._lists.items())
        return {**out, **{key: [merged(each) for each in pieces] for key, pieces in listed if pieces}}

    def _whole_calls(self) -> Object:
        for call in (*self._all, *filter(None, [self._legacy])):
            if not call.name and call.pieces and call not in self.calls:
                self.calls.append(call)
            elif not call.name and call.id and not call.pieces:
                self._note("a call has neither a name nor arguments; it is left out")
        listed = [call.wire() for call in self.calls if not call.legacy]
        out: Object = {TOOL_CALLS: listed} if listed else {}
        if self._legacy in self.calls:
            out[FUNCTION_CALL] = self._legacy.wire()
        return out
