"""Parts of contents, both ways: text, media, function calls and responses, code and what it printed."""

from __future__ import annotations

from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.citations import Citations
from ocml_bridge.chat.signatures import signature_by
from ocml_bridge.chat.turns import name_of, parts_of, recipient_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Media, Message, Part, Signature, Text, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass
from ocml_bridge.units.heads import Head
from ocml_bridge.wires.blocks.grammar import AFTER, UNKNOWN, WIRE, Grammar, added, kind_of, more_of
from ocml_bridge.wires.blocks.skeletons import Slots
from ocml_bridge.wires.blocks.values import (
    AN_OBJECT,
    compact_object,
    nearest_object,
    object_and_text,
    object_in,
    respelled_object,
    text_of,
    value_in,
)

from . import syntax
from .parts import CITED_ELSEWHERE, read_media, write_media
from .syntax import (
    CALL,
    CODE,
    DATA,
    FILE,
    HOME,
    INLINE,
    MODEL_ROLE,
    NOTES,
    OTHER_DATA,
    PARTS,
    RESPONSE,
    RESULT,
    ROLES,
    SIGNATURE,
    VENDOR,
)
from .tools import NAMES, SLOTS

PYTHON: Final = "python"
"""The tool that runs the model's code."""
AS: Final = "as"
"""The key of the layout of a reply of a function that has the name of that tool."""
NAME: Final = "name"
"""The key of the layout of a reply that does not say its function's name."""
WRAP: Final = "response"
"""The key of the layout that tells how a reply's text stands in its object, where that is not how we would put it."""
_OK: Final = "OUTCOME_OK"
_FAILED: Final = "OUTCOME_FAILED"
_LANGUAGE: Final = "PYTHON"


class PartGrammar(Grammar):
    """How the parts of contents are read and written."""

    notes = NOTES
    key = PARTS
    vendor = VENDOR
    roles: ClassVar[dict[str, str]] = ROLES
    slots: ClassVar[Slots] = SLOTS

    def keys(self, value: Object) -> Object:
        """An object with its keys in camel case."""
        return syntax.keys(value)

    def alias(self, key: str) -> str:
        """A key in camel case."""
        return syntax.alias(key)

    def cites(self, _side: str, /) -> Citations:
        """How a text names its sources: its candidate does."""
        return CITED_ELSEWHERE

    def default_side(self, message: Message) -> str:
        """What the code of the model printed stands among what the model says."""
        return MODEL_ROLE if self.is_result(message) else super().default_side(message)

    def is_result(self, message: Message) -> bool:
        """Whether a reply is what the model's code printed."""
        return message.role == "tool" and message.name == PYTHON and self.notes.of(message.layout).get(AS) != RESPONSE

    def refuses(self, text: str, /) -> bool:
        """Whether a text is empty: the API takes that for a part without data."""
        return text == ""

    def knows(self, block: Json) -> bool:
        """Whether a part is of a kind that is only known by name."""
        return isinstance(block, dict) and not syntax.keys(cast("Object", block)).keys().isdisjoint(
            (*DATA, *OTHER_DATA)
        )

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, block: Object, side: str) -> Message | Part | None:
        """A part; `UNKNOWN` for one that is none of those that are known."""
        kinds = [key for key in DATA if block.get(key) is not None]
        kind = kinds[0] if len(kinds) == 1 else ""
        more = more_of(block, (kind,))
        if kind == "text":
            return self._text(block["text"], more, side)
        value: Json = block.get(kind)
        if not kind or not isinstance(value, dict):
            return UNKNOWN
        inner = syntax.keys(cast("Object", value))
        if kind in (INLINE, FILE):
            return read_media(kind, inner, more) or UNKNOWN
        made = None
        if kind == RESPONSE and ROLES.get(side.lower()) != "assistant":
            made = self._response(inner)
        elif kind in _OF_MODEL and ROLES.get(side.lower()) == "assistant":
            made = self._call(inner) if kind == CALL else self._code(inner) if kind == CODE else self._result(inner)
        if made is None:
            return UNKNOWN
        message, known = made
        if rest := more_of(inner, known):
            more = {**more, kind: rest}
        return self._signed(message, more)

    def _signed(self, message: Message, more: Object) -> Message:
        """A thought or a call with what its part says beside it: its signature, and what only this format says."""
        value: Json = more.get(SIGNATURE)
        if message.role == "assistant" and isinstance(value, str) and value:
            message.signature = Signature(value, VENDOR)
            more = {key: each for key, each in more.items() if key != SIGNATURE}
        message.extras = self.notes.by_format(more)
        return message

    def _text(self, text: Json, more: Object, side: str) -> Message | Part | None:
        if not isinstance(text, str):
            return UNKNOWN
        if more.get("thought") is True and ROLES.get(side.lower()) == "assistant":
            rest = {key: value for key, value in more.items() if key != "thought"}
            return self._signed(Message("assistant", text, channel="analysis"), rest)
        return None if not text and more else Text(text, self.notes.by_format(more))

    def _call(self, inner: Object) -> tuple[Message, tuple[str, ...]] | None:
        name, args = inner.get("name"), inner.get("args")
        text = text_of({} if args is None else args)
        if not isinstance(name, str) or not (args is None or isinstance(args, dict)) or text is None:
            return None
        call_id, known = _id(inner, "name", "args")
        call = _call_of(recipient_of(name), text, call_id, "json")
        call.layout = self.notes.by_format(NAMES.note(name))
        return call, known

    def _code(self, inner: Object) -> tuple[Message, tuple[str, ...]] | None:
        code, language = inner.get("code"), inner.get("language")
        if not isinstance(code, str):
            return None
        is_default = language is None or (isinstance(language, str) and language.upper() == _LANGUAGE)
        call_id, known = _id(inner, "code", *(["language"] if is_default else []))
        return _call_of(PYTHON, code, call_id, None), known

    def _result(self, inner: Object) -> tuple[Message, tuple[str, ...]] | None:
        output, outcome = inner.get("output"), inner.get("outcome")
        if not (output is None or isinstance(output, str)):
            return None
        is_default = outcome in (None, _OK, _FAILED)
        call_id, known = _id(inner, "output", *(["outcome"] if is_default else []))
        reply = Message("tool", output or "", PYTHON, "commentary", "assistant", call_id)
        reply.failed = True if outcome not in (None, _OK) else None
        return reply, known

    def _response(self, inner: Object) -> tuple[Message, tuple[str, ...]] | None:
        name, response, parts = inner.get("name"), inner.get("response"), inner.get(PARTS)
        if not (name is None or isinstance(name, str)) or not (response is None or isinstance(response, dict)):
            return None
        failed, layout = None, dict[str, Any]()
        if response is None:
            text, layout[WRAP] = "", "absent"
        elif (wrapped := _unwrapped(cast("Object", response))) is not None:
            key, value = wrapped
            failed = True if key == "error" else None
            text = value if isinstance(value, str) else text_of(value)
            if not isinstance(value, str):
                layout[WRAP] = "value"
            elif not failed and _is_plain_object(value):
                layout[WRAP] = "wrapped"
        else:
            text = text_of(cast("Json", response))
        if text is None:
            return None
        if name == PYTHON:
            layout[AS] = RESPONSE
        if name is None:
            layout[NAME] = "absent"
        else:
            layout |= NAMES.note(name)
        call_id, known = _id(inner, "name", "response")
        content, media = cast("Content", text), _media(parts)
        if media:
            content, known = (Text(text), *media), (*known, PARTS)
        tool = None if name is None else recipient_of(name)
        reply = Message("tool", content, tool, "commentary", "assistant", call_id, failed=failed)
        reply.layout = self.notes.by_format(layout)
        return reply, known

    # --- writing ------------------------------------------------------------------------------------------------------

    def write_part(self, part: Part) -> Json:
        """A text or media as a part; None for anything else."""
        if isinstance(part, Text):
            return added({"text": part.text}, self.notes.of(part.extras))
        return write_media(part) if isinstance(part, Media) else None

    def write(self, message: Message) -> Json:
        """The part of a thought, a call or a reply."""
        own = {key: value for key, value in self.notes.of(message.extras).items() if key not in (AFTER, WIRE)}
        signature = signature_by(message, VENDOR)
        signed = {SIGNATURE: signature.value} if signature is not None and message.role == "assistant" else {}
        if kind_of(message) == "thought":
            return added({"text": cast("str", message.content), "thought": True, **signed}, own)
        kind, inner = self._inner(message)
        rest: Json = own.pop(kind, None)
        return added({kind: added(inner, rest), **signed}, own)

    def _inner(self, message: Message) -> tuple[str, Object]:
        inner: Object = {"id": message.call_id} if message.call_id else {}
        own: Json = self.notes.of(message.extras).get(CODE if message.role != "tool" else RESULT)
        own_members = cast("Object", own) if isinstance(own, dict) else {}
        if message.role != "tool":
            text = cast("str", message.content)
            if is_code(message):
                return CODE, {**inner, **({} if "language" in own_members else {"language": _LANGUAGE}), "code": text}
            return CALL, {**inner, "name": name_of(message.recipient or ""), "args": object_in(text) or {}}
        if self.is_result(message):
            outcome = {} if "outcome" in own_members else {"outcome": _FAILED if message.failed else _OK}
            return RESULT, {**inner, **outcome, "output": cast("str", message.content)}
        is_named = message.name is not None and self.notes.of(message.layout).get(NAME) != "absent"
        name = {"name": name_of(message.name or "")} if is_named else {}
        return RESPONSE, {**inner, **name, **self._response_of(message)}

    def _response_of(self, message: Message) -> Object:
        first, *media = parts_of(message.content)
        text, how = cast("Text", first).text, self.notes.of(message.layout).get(WRAP)
        out: Object = {}
        value = value_in(text) if how == "value" else None
        if message.failed or value is not None or how == "wrapped" or not _is_plain_object(text):
            if how != "absent" or text or message.failed:
                out["response"] = {"error" if message.failed else "output": text if value is None else value[0]}
        else:
            out["response"] = object_in(text)
        return {**out, PARTS: [write_media(part) for part in media if isinstance(part, Media)]} if media else out

    # --- the nearest --------------------------------------------------------------------------------------------------

    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """A reply of a text with its media behind it."""
        content = message.content
        if self.is_result(message):
            content = narrow(content, (), path, log, target=HOME, hoisted=True)
        elif isinstance(content, str):
            return message
        else:
            content = _text_first(
                narrow(content, (Media,), path, log, target=HOME, able=_can_hold, hoisted=True), path, log
            )
            if not isinstance(content, str):
                text, *media = content
                own_members = replace(message, content=cast("Text", text).text)
                content = (Text(self.settled(own_members, path, log)), *media)
        return replace(message, content=content)

    def settled(self, message: Message, path: str, log: Log) -> str:
        """The JSON of an object in our spelling: arguments always, a result that is one; code stays as it is."""
        text = cast("str", message.content)
        if message.role != "tool":
            return text if is_code(message) else nearest_object(text, path, log, target=HOME)
        how = self.notes.of(message.layout).get(WRAP)
        is_kept = how == "wrapped" or (how == "value" and value_in(text) is not None)
        if self.is_result(message) or message.failed or is_kept:
            return text
        found = object_and_text(text)
        if found is None or _unwrapped(found[0]) is not None:
            return text
        return respelled_object(text, found[1], path, log, target=HOME)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments are an object, and so is what a function gives; any other text stands in one."""
        if head.calls:
            return ANY_CONTENT if head.recipient == PYTHON and not head.promises_json else AN_OBJECT
        if content.lstrip()[:1] != "{":
            return ANY_CONTENT
        value = compact_object(content)
        return None if value is None or _unwrapped(value) is not None else AN_OBJECT


_OF_MODEL: Final = frozenset({CALL, CODE, RESULT})


def is_code(message: Message) -> bool:
    """Whether a call is code for the model's own tool."""
    return message.recipient == PYTHON and message.constraint is None and message.content_type != "json"


def _call_of(recipient: str, text: str, call_id: str | None, constraint: str | None) -> Message:
    call = Message("assistant", text, None, "commentary", recipient, call_id)
    call.constraint, call.end = constraint, "call"
    return call


def _id(inner: Object, *known: str) -> tuple[str | None, tuple[str, ...]]:
    """The id of a call or reply, where it has one, and the keys that are known of it."""
    call_id = inner.get("id")
    return (call_id, ("id", *known)) if isinstance(call_id, str) and call_id else (None, known)


def _unwrapped(response: Object) -> tuple[str, Json] | None:
    """What a reply is when its object has nothing but an output or an error; None where it says more, or nothing."""
    if len(response) == 1:
        [(key, value)] = response.items()
        if key in ("output", "error") and value is not None:
            return key, value
    return None


def _is_plain_object(text: str) -> bool:
    """Whether a text is an object that is written as it is, because it does not look like one around a text."""
    value = object_in(text)
    return value is not None and _unwrapped(value) is None


def _media(parts: Json) -> list[Media]:
    """The media of a reply; none where there is anything else among them."""
    if not isinstance(parts, list):
        return []
    found: list[Media] = []
    for part in cast("list[Json]", parts):
        block = syntax.keys(cast("Object", part)) if isinstance(part, dict) else {}
        kind = next((key for key in (INLINE, FILE) if isinstance(block.get(key), dict)), None)
        media = None if kind is None else read_media(kind, syntax.keys(block[kind]), more_of(block, (kind,)))
        if media is None:
            return []
        found.append(media)
    return found


def _can_hold(part: Part) -> bool:
    return isinstance(part, Media) and write_media(part) is not None


def _text_first(content: Content, path: str, log: Log) -> Content:
    """A text and media behind it; texts behind media go before them."""
    if isinstance(content, str):
        return content
    texts = [part.text for part in content if isinstance(part, Text)]
    media = [part for part in content if isinstance(part, Media)]
    if not (len(texts) == 1 and isinstance(content[0], Text)):
        detail = f"{HOME} joins the texts of a reply into one, before its media"
        log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
    return (Text("".join(texts)), *media) if media else "".join(texts)
