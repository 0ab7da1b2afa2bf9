"""Read and write the parts of contents: texts, media, function calls and responses, code and its results."""

from __future__ import annotations

from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.citations import Citations
from ocml_bridge.chat.turns import name_of, parts_of, recipient_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.json_values.form import Object, add, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Media, Message, Part, Signature, Text, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass
from ocml_bridge.units.heads import Head
from ocml_bridge.wires.blocks.grammar import UNKNOWN, Grammar, block_extras, kind_of, more_of, with_inner
from ocml_bridge.wires.blocks.skeletons import Slot
from ocml_bridge.wires.blocks.values import (
    AN_OBJECT,
    nearest_object,
    object_and_text,
    object_in,
    respelled_object,
    text_of,
    value_in,
)

from . import syntax
from .hosted import TYPE, hosted_kind, is_hosted, read_hosted, write_hosted
from .parts import CITED_BY_CANDIDATE, read_media, write_media
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
    TOOL_CALL,
    TOOL_RESPONSE,
    VENDOR,
)
from .tools import NAMES, SLOT

PYTHON: Final = "python"
"""The name of the tool that runs the model's code."""
AS: Final = "as"
"""The key of the layout that marks a reply of a function which has the name of that tool."""
NAME: Final = "name"
"""The key of the layout that marks a reply without the name of its function."""
WRAP: Final = "response"
"""The key of the layout with how the object of a response contains the reply, if the writer would do so otherwise.

It is `absent` if there is no object, `value` if the object contains a JSON value that is no text, and `wrapped` if it
contains as text an object which the writer would write without another object around it.
"""
_OK: Final = "OUTCOME_OK"
_OK_NUMBER: Final = 1
"""The number of that outcome, which servers with `enum-encoding=int` give."""
_FAILED: Final = "OUTCOME_FAILED"
_LANGUAGE: Final = "PYTHON"


class PartGrammar(Grammar):
    """The reader and writer of the parts of contents."""

    notes = NOTES
    key = PARTS
    vendor = VENDOR
    takes_one = True
    bare_texts = True  # Google's clients take them, and an object of theirs keeps them
    roles: ClassVar[dict[str, str]] = ROLES
    slot: ClassVar[Slot] = SLOT

    def keys(self, value: Object) -> Object:
        """Return an object with its keys in camel case."""
        return syntax.keys(value)

    def alias(self, key: str) -> str:
        """Return a key in camel case."""
        return syntax.alias(key)

    def cites(self, _side: str, /) -> Citations:
        """Return the citations that texts can have: those that their candidate has."""
        return CITED_BY_CANDIDATE

    def default_side(self, message: Message) -> str:
        """Return the role of the content for a message whose layout has none; what the API ran is in the model's."""
        return MODEL_ROLE if self.is_result(message) or is_hosted(message) else super().default_side(message)

    def is_result(self, message: Message) -> bool:
        """Return whether a message is the result of the model's code."""
        return message.role == "tool" and message.name == PYTHON and self.notes.of(message.layout).get(AS) != RESPONSE

    def refuses(self, text: str, /) -> bool:
        """Return whether a text is empty, which the API refuses as a part without data."""
        return text == ""

    def knows(self, block: Json) -> bool:
        """Return whether a part has a kind that the format defines."""
        return not syntax.keys(members_of(block)).keys().isdisjoint((*DATA, *OTHER_DATA))

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, block: Object, side: str) -> Message | Part | None:
        """Return the message or the part of a part, None for a part without data, `UNKNOWN` for an unknown one."""
        kinds = [key for key in DATA if block.get(key) is not None]
        kind = kinds[0] if len(kinds) == 1 else ""
        more = more_of(block, (kind,))
        if kind == "text":
            return self._text(block["text"], more, side)
        value: Json = block.get(kind)
        if not kind or not isinstance(value, dict):
            return UNKNOWN
        inner = syntax.keys(cast("Object", value))
        is_of_model = ROLES.get(side.lower()) == "assistant"
        if kind in (INLINE, FILE):
            # An image that the model draws while it thinks is no part of the answer, and no thought has images.
            return UNKNOWN if is_of_model and more.get("thought") is True else read_media(kind, inner, more) or UNKNOWN
        result = None
        if kind == RESPONSE and not is_of_model:
            result = self._response(inner)
        elif kind in _HOSTED and is_of_model and TYPE not in more:
            result = read_hosted(kind, inner)
        elif kind in _OF_MODEL and is_of_model:
            result = self._call(inner) if kind == CALL else self._code(inner) if kind == CODE else self._result(inner)
        if result is None:
            return UNKNOWN
        message, known = result
        hosted: Object = {TYPE: kind} if kind in _HOSTED else {}
        return self._signed(message, {**hosted, **with_inner(more, kind, more_of(inner, known))})

    def _signed(self, message: Message, more: Object) -> Message:
        """Return a message with the other members of its part: its signature, and the rest as extras."""
        value: Json = more.get(SIGNATURE)
        if message.role == "assistant" and isinstance(value, str) and value:
            message.signature = Signature(value, VENDOR)
            more = without(more, SIGNATURE)
        message.extras = self.notes.by_format(more)
        return message

    def _text(self, text: Json, more: Object, side: str) -> Message | Part | None:
        """Return a thought or a text; None for an empty text that only carries other members, such as a signature."""
        mark: Json = more.get("thought")
        is_thought = mark is True and ROLES.get(side.lower()) == "assistant"
        if not isinstance(text, str) or (mark and not is_thought):  # no other format may show what may be a thought
            return UNKNOWN
        if is_thought:
            rest = without(more, "thought")
            return self._signed(Message("assistant", text, channel="analysis"), rest)
        return None if not text and more else Text(text, self.notes.by_format(more))

    # The following methods return the message of a part's value, and the keys that were read; None if it is invalid.

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
        reply.failed = True if outcome not in (None, _OK, _OK_NUMBER) else None
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
            elif not failed and _plain_object(value) is not None:
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
        """Return the part of a text or a medium; None for any other part."""
        if isinstance(part, Text):
            return add({"text": part.text}, self.notes.of(part.extras))
        return write_media(part) if isinstance(part, Media) else None

    def write(self, message: Message) -> Json:
        """Return the part of a thought, a call or a reply."""
        extras = block_extras(self.notes.of(message.extras))
        signature = signature_by(message, VENDOR)
        signed = {SIGNATURE: signature.value} if signature is not None and message.role == "assistant" else {}
        if kind_of(message) == "thought":
            return add({"text": cast("str", message.content), "thought": True, **signed}, extras)
        hosted = hosted_kind(message)
        if hosted is not None:
            del extras[TYPE]
        kind, inner = self._inner(message) if hosted is None else (hosted, write_hosted(hosted, message))
        inner_extras: Json = extras.pop(kind, None)
        return add({kind: add(inner, inner_extras), **signed}, extras)

    def _inner(self, message: Message) -> tuple[str, Object]:
        """Return the kind of part of a call or a reply, and its value without extras."""
        inner: Object = {"id": message.call_id} if message.call_id else {}
        extras = members_of(self.notes.of(message.extras).get(CODE if message.role != "tool" else RESULT))
        if message.role != "tool":
            text = cast("str", message.content)
            if is_code(message):
                return CODE, {**inner, **({} if "language" in extras else {"language": _LANGUAGE}), "code": text}
            return CALL, {**inner, "name": name_of(message.recipient or ""), "args": object_in(text) or {}}
        if self.is_result(message):
            outcome = {} if "outcome" in extras else {"outcome": _FAILED if message.failed else _OK}
            return RESULT, {**inner, **outcome, "output": cast("str", message.content)}
        is_named = message.name is not None and self.notes.of(message.layout).get(NAME) != "absent"
        name = {"name": name_of(message.name or "")} if is_named else {}
        return RESPONSE, {**inner, **name, **self._response_of(message)}

    def _response_of(self, message: Message) -> Object:
        """Return the members of a function response with the reply: its object, and its media."""
        first, *media = parts_of(message.content)
        text, wrap = cast("Text", first).text, self.notes.of(message.layout).get(WRAP)
        out: Object = {}
        value = value_in(text) if wrap == "value" else None
        if message.failed or value is not None or wrap == "wrapped" or _plain_object(text) is None:
            if wrap != "absent" or text or message.failed:
                out["response"] = {"error" if message.failed else "output": text if value is None else value[0]}
        else:
            out["response"] = object_in(text)
        return {**out, PARTS: [write_media(part) for part in media if isinstance(part, Media)]} if media else out

    # --- the nearest message ------------------------------------------------------------------------------------------

    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """Return a reply with the parts that the format can hold: one text, and then media."""
        content = message.content
        if self.is_result(message) or is_hosted(message):
            content = narrow(content, (), path, log, target=HOME, hoisted=True)
        elif isinstance(content, str):
            return message
        else:
            content = _text_first(
                narrow(content, (Media,), path, log, target=HOME, able=_can_hold, hoisted=True), path, log
            )
            if not isinstance(content, str):
                text, *media = content
                of_text = replace(message, content=cast("Text", text).text)
                content = (Text(self.json_content(of_text, path, log)), *media)
        return replace(message, content=content)

    def json_content(self, message: Message, path: str, log: Log) -> str:
        """Return the text of a call or a reply as it is written.

        Arguments are always the compact JSON of an object, and so is a reply that is an object; code is unchanged.
        """
        text = cast("str", message.content)
        if message.role != "tool" or is_hosted(message):
            return text if is_code(message) else nearest_object(text, path, log, target=HOME)
        wrap = self.notes.of(message.layout).get(WRAP)
        is_wrapped = wrap == "wrapped" or (wrap == "value" and value_in(text) is not None)
        if self.is_result(message) or message.failed or is_wrapped:
            return text
        parsed = _plain_object(text)
        return text if parsed is None else respelled_object(text, parsed[1], path, log, target=HOME)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: arguments, and replies that are objects, are objects; all others are texts."""
        if head.calls:
            return ANY_CONTENT if head.recipient == PYTHON and not head.promises_json else AN_OBJECT
        if content.lstrip()[:1] != "{":
            return ANY_CONTENT
        parsed = _plain_object(content)
        return None if parsed is None or parsed[1] != content else _A_REPLY


_HOSTED: Final = (TOOL_CALL, TOOL_RESPONSE)
_OF_MODEL: Final = frozenset({CALL, CODE, RESULT})
"""The kinds of parts that are messages in the contents of the model."""


def is_code(message: Message) -> bool:
    """Return whether a call is code that the API runs itself."""
    return message.recipient == PYTHON and message.constraint is None and message.content_type != "json"


def _call_of(recipient: str, text: str, call_id: str | None, constraint: str | None) -> Message:
    call = Message("assistant", text, None, "commentary", recipient, call_id)
    call.constraint, call.end = constraint, "call"
    return call


def _id(inner: Object, *known: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the id of a call or reply, or None, and the keys that were read: those given, and that of the id."""
    call_id = inner.get("id")
    return (call_id, ("id", *known)) if isinstance(call_id, str) and call_id else (None, known)


def _unwrapped(response: Object) -> tuple[str, Json] | None:
    """Return the only member of a response, if it is `output` or `error` and not null; else None."""
    if len(response) == 1:
        [(key, value)] = response.items()
        if key in ("output", "error") and value is not None:
            return key, value
    return None


def _plain_object(text: str) -> tuple[Object, str] | None:
    """Return the object that is written as the response, and its compact JSON; None if it would be unwrapped."""
    parsed = object_and_text(text)
    return None if parsed is None or _unwrapped(parsed[0]) is not None else parsed


_A_REPLY: Final = AN_OBJECT._replace(parse=_plain_object)
"""The class of replies that are written as the response."""


def _media(parts: Json) -> list[Media]:
    """Return the media of a reply; none if there are any other parts."""
    out: list[Media] = []
    for part in items_of(parts):
        block = syntax.keys(members_of(part))
        kind = next((key for key in (INLINE, FILE) if isinstance(block.get(key), dict)), None)
        media = None if kind is None else read_media(kind, syntax.keys(block[kind]), more_of(block, (kind,)))
        if media is None:
            return []
        out.append(media)
    return out


def _can_hold(part: Part) -> bool:
    return isinstance(part, Media) and write_media(part) is not None


def _text_first(content: Content, path: str, log: Log) -> Content:
    """Return content with its texts joined into one before the media, and report the change."""
    if isinstance(content, str):
        return content
    texts = [part.text for part in content if isinstance(part, Text)]
    media = [part for part in content if isinstance(part, Media)]
    if not (len(texts) == 1 and isinstance(content[0], Text)):
        detail = f"{HOME} joins the texts of a reply into one, before its media"
        log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
    return (Text("".join(texts)), *media) if media else "".join(texts)
