"""Read and write content blocks: texts (also guarded and cited ones), media, passages, tool use, results, reasoning."""

from __future__ import annotations

from typing import ClassVar, Final, cast

from ocml_bridge.chat.citations import Citations
from ocml_bridge.chat.turns import is_blank, name_of, parts_of, recipient_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.json_values.form import Object, add, without
from ocml_bridge.json_values.parameters import items_of, members_of, nonempty_text
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Foreign, Json, Media, Message, Part, Passages, Signature, Text, replace
from ocml_bridge.report.narrowing import fitted, kind_of_blank
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass
from ocml_bridge.units.heads import Head
from ocml_bridge.wires.blocks.grammar import (
    EMPTY,
    TOP,
    UNKNOWN,
    Grammar,
    MarkBlocks,
    MessageKind,
    block_extras,
    kind_of,
    more_of,
    with_inner,
)
from ocml_bridge.wires.blocks.skeletons import Slot
from ocml_bridge.wires.blocks.values import AN_OBJECT, nearest_object, object_in, text_of
from ocml_bridge.wires.tool_alphabet import AS_IS

from .parts import LENGTHS, TEXT_CITATIONS, cited_text, read_citations, write_citations
from .passages import read_media_or_passages, write_media_or_passages
from .results import RESULT, can_hold, read_result, write_result
from .syntax import (
    CACHE_POINT,
    CITATIONS,
    CITED,
    CONTENT,
    GUARDED,
    HOME,
    KINDS,
    NOTES,
    REASONING,
    REASONING_TEXT,
    REDACTED,
    ROLES,
    TOOL_RESULT,
    TOOL_USE,
)
from .tools import NAMES, SLOT, is_invalid_id, read_point, write_point

INPUT: Final = "input"
"""The key of the layout that marks a call whose arguments are a text and no object."""
VENDOR: Final = "anthropic"
"""The vendor whose signatures the API accepts: of the models behind Converse, only Anthropic's sign their thoughts."""


class BlockGrammar(Grammar):
    """The reader and writer of content blocks."""

    notes = NOTES
    key = CONTENT
    vendor = VENDOR
    has_prompt_members = False
    roles: ClassVar[dict[str, str]] = ROLES
    slot: ClassVar[Slot] = SLOT
    has_system = True
    joins_texts = True
    marks = MarkBlocks(read_point, write_point)

    def refuses(self, text: str, /) -> bool:
        """Return whether a text is empty or blank, which the API refuses."""
        return is_blank(text)

    def knows(self, block: Json) -> bool:
        """Return whether a block has a kind that the format defines."""
        return not KINDS.isdisjoint(members_of(block))

    def cites(self, side: str, /) -> Citations | None:
        """Return the citations that texts can have; None for the system prompt, whose texts can have none."""
        return None if side == TOP else TEXT_CITATIONS

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, block: Object, side: str) -> Message | Part | None:
        """Return the message or the part of a block, None for a cache point, `UNKNOWN` for an unknown block."""
        kinds = [key for key in block if key in KINDS and block[key] is not None]
        kind = kinds[0] if len(kinds) == 1 else ""
        more = more_of(block, (kind,))
        value: Json = block.get(kind)
        if kind == CACHE_POINT:
            return None
        if kind == "text" and isinstance(value, str):
            return Text(value, self.notes.by_format(more))
        if not kind or not isinstance(value, dict):
            return UNKNOWN
        inner = cast("Object", value)
        if side == TOP and kind != GUARDED:
            return UNKNOWN
        result = read_media_or_passages(kind, inner, more) or self._read_inner(kind, inner, more, side)
        return UNKNOWN if result is None else result

    def _read_inner(self, kind: str, inner: Object, more: Object, side: str) -> Message | Part | None:
        """Return the message or the text of a block; None if it is invalid, or cannot be in a message of this role."""
        if kind == TOOL_RESULT:
            return self._result(inner, more)
        if kind == GUARDED:
            return self._guarded(inner, more)
        if kind == CITED:
            return self._cited(inner, more)
        if ROLES.get(side.lower()) != "assistant":
            return None
        if kind == TOOL_USE:
            return self._use(inner, more)
        return self._reasoning(inner, more) if kind == REASONING else None

    def _use(self, inner: Object, more: Object) -> Message | None:
        name, value, call_id = inner.get("name"), inner.get("input"), inner.get("toolUseId")
        text = text_of({} if value is None else value) if value is None or isinstance(value, dict) else None
        if isinstance(value, str):
            text = value
        if not isinstance(name, str) or text is None:
            return None
        known = ("name", "input", "toolUseId") if isinstance(call_id, str) else ("name", "input")
        call = Message("assistant", text, None, "commentary", recipient_of(name), constraint="json", end="call")
        call.layout = self.notes.by_format({INPUT: "text"} if isinstance(value, str) else {})
        return self._identified(call, TOOL_USE, inner, known, more)

    def _identified(self, message: Message, kind: str, inner: Object, known: tuple[str, ...], more: Object) -> Message:
        """Return a call or a reply with its id and its extras.

        Args:
            message: the message, which is changed.
            kind: the kind of its block.
            inner: the value of the block.
            known: the keys of the value that were read.
            more: the other members of the block.
        """
        message.call_id = nonempty_text(inner.get("toolUseId"))
        message.extras = self.notes.by_format(with_inner(more, kind, more_of(inner, known)))
        layout = dict(self.notes.of(message.layout))
        if message.call_id is None:
            layout["call_id"] = "absent"
        elif is_invalid_id(message.call_id):
            layout[AS_IS] = True
        if message.role == "assistant":
            layout |= NAMES.note(name_of(message.recipient or ""))
        message.layout = self.notes.by_format(layout)
        return message

    def _result(self, inner: Object, more: Object) -> Message | None:
        raws, status, call_id = inner.get(CONTENT), inner.get("status"), inner.get("toolUseId")
        if not (raws is None or isinstance(raws, list)):
            return None
        content, layout = read_result(cast("list[Json]", raws or []))
        known = [CONTENT, *(["toolUseId"] if isinstance(call_id, str) else [])]
        failed = {"error": True, "success": False}.get(status.lower()) if isinstance(status, str) else None
        if failed is not None:
            known.append("status")
        reply = Message(
            "tool", content, None, "commentary", "assistant", failed=failed, layout=self.notes.by_format(layout)
        )
        return self._identified(reply, TOOL_RESULT, inner, tuple(known), more)

    def _reasoning(self, inner: Object, more: Object) -> Message | None:
        reasoning, sealed = inner.get(REASONING_TEXT), inner.get(REDACTED)
        if (reasoning is None) is (sealed is None):
            return None
        text, rest = "", more_of(inner, (REASONING_TEXT,))
        if isinstance(reasoning, dict):
            members = cast("Object", reasoning)
            if not isinstance(text := members.get("text"), str):
                return None
            value = members.get("signature")
            signature = Signature(value, VENDOR) if isinstance(value, str) and value else None
            known = ("text",) if signature is None else ("text", "signature")
            rest = with_inner(rest, REASONING_TEXT, more_of(members, known))
        elif isinstance(sealed, str) and sealed:
            rest, signature = more_of(inner, (REDACTED,)), Signature(sealed, VENDOR, sealed=True)
        else:
            return None
        extras = with_inner(more, REASONING, rest)
        return Message("assistant", text, channel="analysis", extras=self.notes.by_format(extras), signature=signature)

    def _guarded(self, inner: Object, more: Object) -> Part | None:
        members = members_of(inner.get("text"))
        if len(inner) != 1 or not isinstance(text := members.get("text"), str):
            return None
        return Text(text, self.notes.by_format({**more, GUARDED: {"text": more_of(members, ("text",))}}))

    def _cited(self, inner: Object, more: Object) -> Part | None:
        texts = [members_of(block).get("text") for block in items_of(inner.get(CONTENT))]
        if not texts or not all(isinstance(text, str) for text in texts):
            return None
        joined = "".join(cast("list[str]", texts))
        citations = read_citations(inner.get(CITATIONS))
        rest: Object = more_of(inner, (CONTENT,) if citations is None else (CONTENT, CITATIONS))
        if len(texts) > 1:
            rest[LENGTHS] = [len(text) for text in cast("list[str]", texts)]
        extras: Object = more if citations is not None and not rest else {**more, CITED: rest}
        return Text(joined, self.notes.by_format(extras), citations=citations)

    # --- writing ------------------------------------------------------------------------------------------------------

    def write_part(self, part: Part) -> Json:
        """Return the block of a text, a medium or passages; None if the format has no place for the part."""
        if isinstance(part, (Media, Passages)):
            return write_media_or_passages(part)
        if not isinstance(part, Text):
            return None
        extras = self.notes.of(part.extras)
        guarded, cited = extras.get(GUARDED), extras.get(CITED)
        if isinstance(guarded, dict):
            inner: Json = {"text": add({"text": part.text}, cast("Object", guarded).get("text"))}
            return add({GUARDED: inner}, without(extras, GUARDED))
        citations = write_citations(part.citations or ())
        if citations or isinstance(cited, dict):
            inner = {**({CITATIONS: citations} if citations else {}), **members_of(cited)}
            more = without(extras, CITED)
            return add({CITED: cited_text(part.text, inner)}, more)
        return add({"text": part.text}, extras)

    def write(self, message: Message) -> Json:
        """Return the block of a thought, a call or a reply."""
        extras = block_extras(self.notes.of(message.extras))
        kind = _KINDS[kind_of(message)]
        inner_extras = members_of(extras.pop(kind, None))
        if kind == REASONING:
            inner, inner_extras = _write_reasoning(message, inner_extras)
        else:
            inner = {} if message.call_id is None else {"toolUseId": message.call_id}
            inner |= self._write_result(message) if kind == TOOL_RESULT else self._write_use(message)
        return add({kind: add(inner, inner_extras)}, extras)

    def _write_use(self, call: Message) -> Object:
        text = cast("str", call.content)
        value = text if self.notes.of(call.layout).get(INPUT) == "text" else object_in(text) or {}
        return {"name": name_of(call.recipient or ""), "input": value}

    def _write_result(self, message: Message) -> Object:
        status = {} if message.failed is None else {"status": "error" if message.failed else "success"}
        return {CONTENT: write_result(message), **status}

    # --- the nearest message ------------------------------------------------------------------------------------------

    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """Return a reply with the parts that the format can hold: texts, media, passages and its foreign parts."""
        content = message.content
        if isinstance(content, str):
            if not content.isspace() or self.notes.of(message.layout).get(RESULT):
                return message
            log.lose(LossCode.CONTENT, path, f"{HOME} has no place for {kind_of_blank(content)}", Severity.LAYOUT)
            return replace(message, content="")
        supported = (Text, Media, Passages, Foreign)
        refused = None if self.notes.of(message.layout).get(EMPTY) else self.refuses
        content = fitted(content, supported, path, log, target=HOME, able=can_hold, marks=False, refused=refused)
        return replace(message, content=content)

    def json_content(self, message: Message, path: str, log: Log) -> str:
        """Return the text of a call or a reply as it is written.

        Arguments are the compact JSON of an object, unless they were read as a text, as from a stream that broke off.
        """
        text = cast("str", message.content)
        if message.role == "tool" or self.notes.of(message.layout).get(INPUT) == "text":
            return text
        return nearest_object(text, path, log, target=HOME)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: arguments are objects, replies are texts."""
        return AN_OBJECT if head.calls else ANY_CONTENT


_KINDS: Final[dict[MessageKind, str]] = {
    "text": "text",
    "thought": REASONING,
    "call": TOOL_USE,
    "reply": TOOL_RESULT,
}
"""The kind of block by the kind of message."""


def _write_reasoning(message: Message, more: Object) -> tuple[Object, Object]:
    """Return the value of a thought's block, and those of its extras that are not in it.

    Args:
        message: the thought.
        more: the extras of the value.
    """
    signature = signature_by(message, VENDOR)
    if signature is not None and signature.sealed:
        return {REDACTED: signature.value}, more
    signed = {} if signature is None else {"signature": signature.value}
    reasoning = add({"text": cast("str", message.content), **signed}, more.get(REASONING_TEXT))
    return {REASONING_TEXT: reasoning}, without(more, REASONING_TEXT)


def deltas_after_text(message: Message) -> list[Object]:
    """Return the deltas after the text of a message: the signature of a thought, the citations of texts."""
    signature = signature_by(message, VENDOR)
    if kind_of(message) == "thought":
        key = REDACTED if signature is not None and signature.sealed else "signature"
        return [] if signature is None else [{REASONING: {key: signature.value}}]
    if kind_of(message) != "text":
        return []
    texts = [part for part in parts_of(message.content) if isinstance(part, Text)]
    return [{"citation": citation} for text in texts for citation in write_citations(text.citations or ())]
