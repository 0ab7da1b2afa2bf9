"""Content blocks, both ways: text, media, tool use and results, reasoning, guarded and cited text."""

from __future__ import annotations

from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.citations import Citations
from ocml_bridge.chat.signatures import signature_by
from ocml_bridge.chat.turns import is_blank, name_of, parts_of, recipient_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import (
    CacheMark,
    Content,
    Foreign,
    Json,
    Media,
    Message,
    Part,
    Passages,
    Signature,
    Text,
    replace,
)
from ocml_bridge.report.narrowing import fitted, kind_of_blank
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass
from ocml_bridge.units.heads import Head
from ocml_bridge.wires.blocks.grammar import (
    AFTER,
    EMPTY,
    TOP,
    UNKNOWN,
    WIRE,
    Grammar,
    MarkBlocks,
    MessageKind,
    added,
    kind_of,
    more_of,
)
from ocml_bridge.wires.blocks.skeletons import Slots
from ocml_bridge.wires.blocks.spelling import is_same
from ocml_bridge.wires.blocks.values import AN_OBJECT, nearest_object, object_in, text_of, value_in
from ocml_bridge.wires.tool_alphabet import AS_IS

from .parts import LENGTHS, SOURCES, cited_text, is_media, read_citations, read_media, write_citations, write_media
from .passages import read_passages, write_passages
from .syntax import (
    CACHE_POINT,
    CITATIONS,
    CITED,
    CONTENT,
    GUARDED,
    HOME,
    KINDS,
    MARK,
    NOTES,
    REASONING,
    REASONING_TEXT,
    REDACTED,
    ROLES,
    SEARCH_RESULT,
    TOOL_RESULT,
    TOOL_USE,
)
from .tools import NAMES, SLOTS, is_odd_id

INPUT: Final = "input"
"""The key of the layout of a call whose arguments are a text and no object."""
RESULT: Final = "result"
"""The key of the layout of a reply that is one block which is no text, or has no text in it."""
VENDOR: Final = "anthropic"
"""Whose signatures there are: of the models behind Converse only Anthropic's sign what they think."""


def _read_mark(block: Object) -> CacheMark | None:
    return read_mark(block[CACHE_POINT], MARK) if list(block) == [CACHE_POINT] else None


def _write_mark(mark: CacheMark) -> Json:
    return {CACHE_POINT: write_mark(mark, MARK)}


class BlockGrammar(Grammar):
    """How content blocks are read and written."""

    notes = NOTES
    key = CONTENT
    vendor = VENDOR
    roles: ClassVar[dict[str, str]] = ROLES
    slots: ClassVar[Slots] = SLOTS
    has_system = True
    joins_texts = True
    marks = MarkBlocks(_read_mark, _write_mark)

    def refuses(self, text: str, /) -> bool:
        """Whether a text is empty, or white space."""
        return is_blank(text)

    def knows(self, block: Json) -> bool:
        """Whether a block is of a kind that is only known by name."""
        return isinstance(block, dict) and not KINDS.isdisjoint(cast("Object", block))

    def cites(self, side: str, /) -> Citations | None:
        """How a text names its sources: not in what the system says before all others."""
        return None if side == TOP else SOURCES

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, block: Object, side: str) -> Message | Part | None:
        """A block; `UNKNOWN` for one that is none of those that are known."""
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
        if is_media(kind) or kind == SEARCH_RESULT:
            return _read_given(kind, inner, more) or UNKNOWN
        reader = _READERS.get(kind)
        made = None if reader is None else reader(self, inner, more, ROLES.get(side.lower()) == "assistant")
        return UNKNOWN if made is None else made

    def _use(self, inner: Object, more: Object, own: bool) -> Message | None:
        name, value, call_id = inner.get("name"), inner.get("input"), inner.get("toolUseId")
        text = text_of({} if value is None else value) if value is None or isinstance(value, dict) else None
        if isinstance(value, str):
            text = value
        if not own or not isinstance(name, str) or text is None:
            return None
        known = ("name", "input", "toolUseId") if isinstance(call_id, str) else ("name", "input")
        call = Message("assistant", text, None, "commentary", recipient_of(name), constraint="json", end="call")
        call.layout = self.notes.by_format({INPUT: "text"} if isinstance(value, str) else {})
        return self._identified(call, TOOL_USE, inner, known, more)

    def _identified(self, message: Message, kind: str, inner: Object, known: tuple[str, ...], more: Object) -> Message:
        """A call or reply with its id, and with what else is said of it."""
        rest = more_of(inner, known)
        call_id = inner.get("toolUseId")
        message.call_id = call_id if isinstance(call_id, str) and call_id else None
        message.extras = self.notes.by_format({**more, kind: rest} if rest else more)
        if message.call_id is None:
            message.layout = self.notes.by_format({**self.notes.of(message.layout), "call_id": "absent"})
        odd = {AS_IS: True} if message.call_id is not None and is_odd_id(message.call_id) else {}
        if message.role == "assistant":
            odd |= NAMES.note(name_of(message.recipient or ""))
        if odd:
            message.layout = self.notes.by_format({**self.notes.of(message.layout), **odd})
        return message

    def _result(self, inner: Object, more: Object, own: bool) -> Message | None:
        raws, status, call_id = inner.get(CONTENT), inner.get("status"), inner.get("toolUseId")
        if not (raws is None or isinstance(raws, list)):
            return None
        found = self._reply_of(cast("list[Json]", raws or []))
        known = [CONTENT, *(["toolUseId"] if isinstance(call_id, str) else [])]
        failed = {"error": True, "success": False}.get(status.lower()) if isinstance(status, str) else None
        if failed is not None:
            known.append("status")
        content, layout = found
        reply = Message(
            "tool", content, None, "commentary", "assistant", failed=failed, layout=self.notes.by_format(layout)
        )
        return self._identified(reply, TOOL_RESULT, inner, tuple(known), more)

    def _reply_of(self, raws: list[Json]) -> tuple[Content, Object]:
        """The content of a reply, and how it is spelled where it is one text that is no block of text."""
        parts = [_reply_part(self, raw) for raw in raws]
        part = parts[0] if len(parts) == 1 else None
        if not isinstance(part, Text):
            has_blank = any(isinstance(each, Text) and is_blank(each.text) for each in parts)
            return tuple(parts) or "", {EMPTY: "part"} if has_blank else {}
        own = self.notes.of(part.extras)
        if own == {"json": True}:
            return part.text, {RESULT: "json"}
        if own:
            return (part,), {}
        return part.text, {RESULT: "text"} if is_blank(part.text) else {}

    def _reasoning(self, inner: Object, more: Object, own: bool) -> Message | None:
        reasoning, sealed = inner.get(REASONING_TEXT), inner.get(REDACTED)
        if not own or (reasoning is None) is (sealed is None):
            return None
        text, rest = "", more_of(inner, (REASONING_TEXT,))
        if isinstance(reasoning, dict):
            members = cast("Object", reasoning)
            if not isinstance(text := members.get("text"), str):
                return None
            value = members.get("signature")
            signature = Signature(value, VENDOR) if isinstance(value, str) and value else None
            if beside := more_of(members, ("text",) if signature is None else ("text", "signature")):
                rest[REASONING_TEXT] = beside
        elif isinstance(sealed, str) and sealed:
            rest, signature = more_of(inner, (REDACTED,)), Signature(sealed, VENDOR, sealed=True)
        else:
            return None
        extras = {**more, REASONING: rest} if rest else more
        return Message("assistant", text, channel="analysis", extras=self.notes.by_format(extras), signature=signature)

    def _guarded(self, inner: Object, more: Object, own: bool) -> Part | None:
        value: Json = inner.get("text")
        members = cast("Object", value) if isinstance(value, dict) else {}
        if len(inner) != 1 or not isinstance(text := members.get("text"), str):
            return None
        beside = more_of(members, ("text",))
        return Text(text, self.notes.by_format({**more, GUARDED: {"text": beside}}))

    def _cited(self, inner: Object, more: Object, own: bool) -> Part | None:
        given: Json = inner.get(CONTENT)
        blocks = cast("list[Json]", given) if isinstance(given, list) else []
        texts = [cast("Object", block).get("text") if isinstance(block, dict) else None for block in blocks]
        if not texts or not all(isinstance(text, str) for text in texts):
            return None
        joined = "".join(cast("list[str]", texts))
        citations = read_citations(inner.get(CITATIONS))
        rest: Object = more_of(inner, (CONTENT,) if citations is None else (CONTENT, CITATIONS))
        if len(texts) > 1:
            rest[LENGTHS] = [len(text) for text in cast("list[str]", texts)]
        beside: Object = more if citations is not None and not rest else {**more, CITED: rest}
        return Text(joined, self.notes.by_format(beside), citations=citations)

    # --- writing ------------------------------------------------------------------------------------------------------

    def write_part(self, part: Part) -> Json:
        """A text or media as a block; None for anything else."""
        if isinstance(part, Media):
            return write_media(part)
        if isinstance(part, Passages):
            return write_passages(part)
        if not isinstance(part, Text):
            return None
        extras = self.notes.of(part.extras)
        guarded, cited = extras.get(GUARDED), extras.get(CITED)
        if isinstance(guarded, dict):
            inner: Json = {"text": added({"text": part.text}, cast("Object", guarded).get("text"))}
            return added({GUARDED: inner}, {key: value for key, value in extras.items() if key != GUARDED})
        written = write_citations(part.citations or ())
        if written or isinstance(cited, dict):
            beside: Object = {**({CITATIONS: written} if written else {}), **(cited if isinstance(cited, dict) else {})}
            own = {key: value for key, value in extras.items() if key != CITED}
            return added({CITED: cited_text(part.text, beside)}, own)
        return added({"text": part.text}, extras)

    def write(self, message: Message) -> Json:
        """The block of a thought, a call or a reply."""
        own = {key: value for key, value in self.notes.of(message.extras).items() if key not in (AFTER, WIRE)}
        kind = _KINDS[kind_of(message)]
        rest = own.pop(kind, None)
        more = cast("Object", rest) if isinstance(rest, dict) else {}
        if kind == REASONING:
            inner, more = _write_reasoning(message, more)
        else:
            inner = {} if message.call_id is None else {"toolUseId": message.call_id}
            inner |= self._write_result(message) if kind == TOOL_RESULT else self._write_use(message)
        return added({kind: added(inner, more)}, own)

    def _write_use(self, call: Message) -> Object:
        text = cast("str", call.content)
        value = text if self.notes.of(call.layout).get(INPUT) == "text" else object_in(text) or {}
        return {"name": name_of(call.recipient or ""), "input": value}

    def _write_result(self, message: Message) -> Object:
        status = {} if message.failed is None else {"status": "error" if message.failed else "success"}
        return {CONTENT: self._blocks_of(message), **status}

    def _blocks_of(self, message: Message) -> list[Json]:
        content, how = message.content, self.notes.of(message.layout).get(RESULT)
        if not isinstance(content, str):
            return [_write_reply_part(self, part) for part in content]
        if how == "json" and (value := value_in(content)) is not None:
            return [{"json": value[0]}]
        return [{"text": content}] if content or how == "text" else []

    # --- the nearest --------------------------------------------------------------------------------------------------

    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """A reply of texts and media."""
        content = message.content
        if isinstance(content, str):
            if not content.isspace() or self.notes.of(message.layout).get(RESULT):
                return message
            log.lose(LossCode.CONTENT, path, f"{HOME} has no place for {kind_of_blank(content)}", Severity.LAYOUT)
            return replace(message, content="")
        supported = (Text, Media, Passages, Foreign)
        refused = None if self.notes.of(message.layout).get(EMPTY) else self.refuses
        content = fitted(content, supported, path, log, target=HOME, able=self._can_hold, marks=False, refused=refused)
        return replace(message, content=content)

    def settled(self, message: Message, path: str, log: Log) -> str:
        """Arguments that are an object, unless they were read as a text: of a stream that broke, they are."""
        text = cast("str", message.content)
        if message.role == "tool" or self.notes.of(message.layout).get(INPUT) == "text":
            return text
        return nearest_object(text, path, log, target=HOME)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments are an object; a reply is any text."""
        return AN_OBJECT if head.calls else ANY_CONTENT

    def _can_hold(self, part: Part) -> bool:
        """Whether a reply has a place for a part."""
        if isinstance(part, Foreign):
            return part.format == HOME and isinstance(_reply_part(self, part.value), Foreign)
        block = self.write_part(part) if isinstance(part, (Media, Passages)) else None
        return block is not None and type(_reply_part(self, block)) is type(part)


_KINDS: Final[dict[MessageKind, str]] = {
    "text": "text",
    "thought": REASONING,
    "call": TOOL_USE,
    "reply": TOOL_RESULT,
}
_READERS: Final[dict[str, Any]] = {
    TOOL_USE: BlockGrammar._use,  # pyright: ignore[reportPrivateUsage]
    TOOL_RESULT: BlockGrammar._result,  # pyright: ignore[reportPrivateUsage]
    REASONING: BlockGrammar._reasoning,  # pyright: ignore[reportPrivateUsage]
    GUARDED: BlockGrammar._guarded,  # pyright: ignore[reportPrivateUsage]
    CITED: BlockGrammar._cited,  # pyright: ignore[reportPrivateUsage]
}


def _write_reasoning(message: Message, more: Object) -> tuple[Object, Object]:
    """The text of a thought with its signature, or what it is sealed in; and what else is said beside that."""
    signature = signature_by(message, VENDOR)
    if signature is not None and signature.sealed:
        return {REDACTED: signature.value}, more
    signed = {} if signature is None else {"signature": signature.value}
    reasoning = added({"text": cast("str", message.content), **signed}, more.get(REASONING_TEXT))
    return {REASONING_TEXT: reasoning}, {key: value for key, value in more.items() if key != REASONING_TEXT}


def behind(message: Message) -> list[Object]:
    """The deltas that come behind the text of a thought, or behind texts: its signature, their citations."""
    signature = signature_by(message, VENDOR)
    if kind_of(message) == "thought":
        key = REDACTED if signature is not None and signature.sealed else "signature"
        return [] if signature is None else [{REASONING: {key: signature.value}}]
    if kind_of(message) != "text":
        return []
    texts = [part for part in parts_of(message.content) if isinstance(part, Text)]
    return [{"citation": one} for text in texts for one in write_citations(text.citations or ())]


# --- what is in a result ----------------------------------------------------------------------------------------------


def _reply_part(grammar: BlockGrammar, raw: Json) -> Part:
    """A block of a result."""
    block = cast("Object", raw) if isinstance(raw, dict) else {}
    made: Part | None = None
    if len(block) == 1:
        [(kind, value)] = block.items()
        if kind == "text" and isinstance(value, str):
            return Text(value)
        if kind == "json" and (text := text_of(value)) is not None:
            return Text(text, grammar.notes.by_format({"json": True}))
        if (is_media(kind) or kind == SEARCH_RESULT) and isinstance(value, dict):
            made = _read_given(kind, cast("Object", value), {})
            made = None if made is None or not is_same(_sorted(grammar.write_part(made)), _sorted(block)) else made
    return Foreign(HOME, raw) if made is None else made


def _read_given(kind: str, inner: Object, more: Object) -> Part | None:
    """Media or passages of a block."""
    passages = read_passages(kind, inner, more)
    return read_media(kind, inner, more) if passages is None and is_media(kind) else passages


def _sorted(value: Json) -> Json:
    """A value with the keys of its objects in order: how they stood is the form's to say."""
    if isinstance(value, dict):
        members = cast("Object", value)
        return {key: _sorted(members[key]) for key in sorted(members)}
    return [_sorted(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value


def _write_reply_part(grammar: BlockGrammar, part: Part) -> Json:
    if isinstance(part, Text):
        value = value_in(part.text) if grammar.notes.of(part.extras) == {"json": True} else None
        return {"text": part.text} if value is None else {"json": value[0]}
    return part.value if isinstance(part, Foreign) else grammar.write_part(part)
