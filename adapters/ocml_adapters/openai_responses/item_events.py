"""Write an item while it arrives: the events that begin it, continue it and end it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.citations import Place, joined
from ocml_bridge.chat.turns import FUNCTIONS, is_call, parts_of, text_or_parts
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.model import Content, Json, Message, Part, Refusal, Text, replace

from .calls import CUSTOM
from .chunks import EventWriter
from .items import write_item
from .parts import TABLE
from .syntax import (
    ANNOTATIONS,
    BODIES,
    CUSTOM_CALL,
    FUNCTION_CALL,
    MESSAGE,
    NOTES,
    OUTPUT_TEXT,
    REASONING,
    REASONING_TEXT,
    SUMMARY,
)

_PREFIXES: Final = {MESSAGE: "msg", REASONING: "rs", FUNCTION_CALL: "fc", CUSTOM_CALL: "ctc"}


class _Texts(NamedTuple):
    """The events of a kind of text.

    Attributes:
        subject: the type of its events without `.delta` and `.done`.
        done: the member with the whole text.
        more_members: other members of its events.
        part: the type of the events of its part without `.added` and `.done`; "" if it is not in a part.
        at: the member with the index of the part.
        type: the type of the part.
    """

    subject: str
    done: str
    more_members: Object
    part: str = ""
    at: str = ""
    type: str = ""


_TEXT: Final = _Texts(
    "response.output_text", "text", {"logprobs": []}, "response.content_part", "content_index", OUTPUT_TEXT
)
_REFUSAL: Final = _Texts("response.refusal", "refusal", {}, "response.content_part", "content_index", "refusal")
_THOUGHT: Final = _Texts(
    "response.reasoning_text", "text", {}, "response.content_part", "content_index", REASONING_TEXT
)
_SUMMARY: Final = _Texts(
    "response.reasoning_summary_text",
    "text",
    {},
    "response.reasoning_summary_part",
    "summary_index",
    "summary_text",
)
_BODIES: Final = {
    FUNCTION_CALL: _Texts("response.function_call_arguments", "arguments", {}),
    CUSTOM_CALL: _Texts("response.custom_tool_call_input", "input", {}),
}


class _Run:
    """A text of an item, in the pieces that have arrived."""

    def __init__(self, kind: _Texts, index: int) -> None:
        self.kind: Final = kind
        self.index: Final = index
        self.pieces: list[str] = []
        self.part: Text | None = None
        """The text part that it is, if it has ended before its message."""
        self.annotations: list[Json] = []
        self.ends: tuple[str, str] = ("", "")

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class LiveItem:
    """An item that is being written: a message, reasoning, or a call.

    Args:
        events: writes its events.
        message: its first message, as far as its start shows it.
        index: its index in the response.
        number: the number of its first message.
        name: the id of the answer, which is part of the id of an item without one.
        call_id: the id of a call.

    Attributes:
        numbers: the numbers of its messages.
        kind: its type.
        id: its id.
        wire: the item, once it has ended.
    """

    def __init__(
        self, events: EventWriter, message: Message, index: int, number: int, name: str, call_id: str | None
    ) -> None:
        self.numbers: Final = [number]
        self._events = events
        self._index = index
        self._message = replace(message, call_id=call_id)
        self.kind: Final = _type_of(message)
        item_id: Json = NOTES.of(message.extras).get("id")
        self.id: Final = item_id if isinstance(item_id, str) and item_id else f"{_PREFIXES[self.kind]}_{name}_{index}"
        self._has_joined = False
        self._parts = 0
        """The number of its parts that have ended before it."""
        self._runs: list[_Run] = []
        self.wire: Object | None = None

    def _place_of(self, run: _Run) -> Object:
        """Return the members of events that tell where a text is."""
        part: Object = {run.kind.at: run.index} if run.kind.at else {}
        return {"item_id": self.id, "output_index": self._index, **part}

    def open(self) -> list[bytes]:
        """Write the beginning of the item."""
        message = replace(
            self._message, content="", end="end", intent=None if self.kind != MESSAGE else self._message.intent
        )
        item = {**self._written(message), "status": "in_progress"}
        if self.kind == MESSAGE:
            item["content"] = []
        if self.kind == REASONING:
            del item["status"]
        out = [self._events.event("response.output_item.added", output_index=self._index, item=item)]
        return [*out, *self._begin(_BODIES[self.kind])] if self.kind in BODIES else out

    def join(self, number: int) -> None:
        """Add another message of the item, whose text is separate from that of the previous ones."""
        self.numbers.append(number)
        self._has_joined = True

    def _begin(self, kind: _Texts) -> list[bytes]:
        self._has_joined = False
        run = _Run(kind, len(self._runs))
        place = self._place_of(run)
        run.ends = self._events.ends(f"{kind.subject}.delta", kind.more_members, **place)
        self._runs.append(run)
        if not kind.part:
            return []
        return [self._events.event(f"{kind.part}.added", **place, part=_part(kind, ""))]

    def more(self, text: str, *, refusal: bool = False) -> list[bytes]:
        """Write more of its text or of its refusal."""
        kind = self._text_kind(refusal)
        out: list[bytes] = []
        if self._has_joined or not self._runs or self._runs[-1].kind is not kind:
            out = [*self._end_run(), *self._begin(kind)]
        return [*out, self.say(text)]

    def say(self, text: str) -> bytes:
        """Write more of its last text."""
        run = self._runs[-1]
        run.pieces.append(text)
        return self._events.delta(run.ends, text)

    def end_part(self, part: Part) -> list[bytes]:
        """Write the sources of a text that another part follows; more text is then another part of the item."""
        self._parts += 1
        run = self._runs[-1] if self._runs else None
        if not isinstance(part, Text) or run is None or run.kind is not _TEXT or self._has_joined:
            return []
        self._has_joined, run.part = True, part
        return self._cite(part, run)

    def _text_kind(self, refusal: bool) -> _Texts:
        if self.kind == MESSAGE:
            return _REFUSAL if refusal else _TEXT
        if self.kind == REASONING:
            return _SUMMARY if self._message.content_type == SUMMARY else _THOUGHT
        return _BODIES[self.kind]

    def _end_run(self) -> list[bytes]:
        """Write the end of the last text."""
        if not self._runs:
            return []
        run = self._runs[-1]
        kind, place = run.kind, self._place_of(run)
        done: Object = {kind.done: run.text, **kind.more_members}
        if self.kind == FUNCTION_CALL:
            done["name"] = self._written(self._message)["name"]
        out = [self._events.event(f"{kind.subject}.done", **place, **done)]
        if kind.part:
            part = _part(kind, run.text)
            if run.annotations:
                part[ANNOTATIONS] = run.annotations
            out.append(self._events.event(f"{kind.part}.done", **place, part=part))
        return out

    def close(self, message: Message) -> list[bytes]:
        """Write the rest of the item and its end.

        Args:
            message: its last message, complete; `end` is None if it was cut off.
        """
        out: list[bytes] = []
        if self.kind == MESSAGE:
            for text, refusal in _texts(message.content):
                sent = "".join(run.text for run in self._runs if (run.kind is _REFUSAL) is refusal)
                if text.startswith(sent) and text != sent:
                    out += self.more(text[len(sent) :], refusal=refusal)
            if not self._runs and message.end is not None:
                out += self._begin(_TEXT)
            run = self._runs[-1] if self._runs else None
            if run is not None and run.kind is _TEXT and run.part is None:
                out += self._cite(self._as_one_text(message), run)
        out += self._end_run()
        final = replace(message, call_id=self._message.call_id, content=self._content(message))
        self.wire = self._written(final)
        return [*out, self._events.event("response.output_item.done", output_index=self._index, item=self.wire)]

    def _cite(self, text: Text, run: _Run) -> list[bytes]:
        """Write the citations of a text."""
        if text.citations is None:
            return []
        run.annotations = TABLE.write_all(text.citations, Place(0, len(run.text)))
        place = self._place_of(run)
        return [
            self._events.event(f"{_TEXT.subject}.annotation.added", **place, annotation_index=at, annotation=each)
            for at, each in enumerate(run.annotations)
        ]

    def _content(self, message: Message) -> Content:
        """Return the content that was written, with the citations and extras of a single text."""
        runs = self._runs
        if self.kind != MESSAGE:
            return runs[0].text if len(runs) == 1 else tuple(Text(run.text) for run in runs) or ""
        last = self._as_one_text(message)
        parts = tuple(
            Refusal(run.text) if run.kind is _REFUSAL else replace(run.part or last, text=run.text) for run in runs
        )
        return text_or_parts(parts)

    def _as_one_text(self, message: Message) -> Text:
        """Return the text that the last parts of a message are; several texts are written as one."""
        texts = [part for part in parts_of(message.content)[self._parts :] if isinstance(part, Text)]
        if len(texts) == 1:
            return texts[0]
        is_one = sum(run.kind is _TEXT and run.part is None for run in self._runs) == 1
        return Text("", citations=joined(texts) if is_one and texts else None)

    def _written(self, message: Message) -> Object:
        """Return the item of a message with the id of this item, as the batch writer writes it."""
        extras = NOTES.of(self._message.extras if len(self.numbers) > 1 else message.extras)
        extras = without(extras, "id", "type")
        layout: Object = {} if self.kind == REASONING else {"status": "completed"}
        if self.kind == MESSAGE:
            layout["content"] = "list"
        if self.kind == CUSTOM_CALL:
            layout["kind"] = CUSTOM
        end = None if message.end is None else "end"
        constraint = "json" if self.kind == FUNCTION_CALL else None if self.kind == CUSTOM_CALL else message.constraint
        if self.kind == REASONING:
            message = replace(message, channel="analysis", intent=None, recipient=None)
        elif self.kind == MESSAGE and is_private(message):  # it was streamed as visible text
            message = replace(message, channel=self._message.channel, intent=self._message.intent)
        as_written = replace(
            message,
            end=end,
            constraint=constraint,
            content_type=None if self.kind in BODIES else message.content_type,
            extras=NOTES.by_format({"id": self.id, **extras}),
            layout=NOTES.by_format(layout),
        )
        item: Any = write_item([as_written])
        if self.kind == MESSAGE and message.content == "":
            item["content"] = [_part(_TEXT, "")] if self._runs else []
        return cast("Object", item)


def _part(kind: _Texts, text: str) -> Object:
    if kind is _REFUSAL:
        return {"type": kind.type, "refusal": text}
    part: Object = {"type": kind.type, "text": text}
    return {**part, "annotations": [], "logprobs": []} if kind is _TEXT else part


def _texts(content: Content) -> list[tuple[str, bool]]:
    """Return the text of a message, and its refusal, each with whether it is the refusal."""
    parts = parts_of(content)
    text = "".join(part.text for part in parts if isinstance(part, Text))
    return [(text, False), ("".join(part.text for part in parts if isinstance(part, Refusal)), True)]


def _type_of(message: Message) -> str:
    """Return the type of the item of a message; the input of a call is not known yet."""
    if is_call(message):
        if NOTES.of(message.layout).get("kind") == CUSTOM:
            return CUSTOM_CALL
        json = message.constraint == "json" or message.content_type == "json"
        plain = message.constraint is None and (message.recipient or "").startswith(FUNCTIONS)
        return FUNCTION_CALL if json or plain else CUSTOM_CALL
    return REASONING if is_private(message) else MESSAGE
