"""What stands around the messages, both ways: nothing (a list), a request, or a response.

| shape | is | units | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages` | `system`, and those of `messages` | settings; tools; extras, by key |
| `list` | the bare list | the list | there is nothing else |
| `response` | an object of the type `message` | the object itself | settings; extras, by key |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.boundary import ListsOfDocuments
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.form import ARRAY, OBJECT, Object, add, form_of, in_order, is_empty, rest, shape
from ocml_bridge.jsontext import Lines
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Settings, Tool, Transcript
from ocml_bridge.parameters import SETTINGS

from .reader import is_system_prompt
from .settings import read_settings, write_settings
from .syntax import (
    BATCH_HINT,
    EXPECTED,
    HOME,
    MAX_TOKENS,
    MESSAGE,
    MESSAGES,
    NOTES,
    REQUEST_KEYS,
    REQUEST_ORDER,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    SYSTEM,
    TEXT,
    TOOLS,
)
from .tools import read_tools, write_tools

Place = Callable[[int], str]
"""Index of a unit → JSON pointer to it."""
Order = tuple[str, ...]


@dataclass(slots=True)
class Shell:
    """A document without its messages.

    Attributes:
        units: the system prompt, where there is one, and the wire messages.
        place: index of a unit → JSON pointer to it.
        cut_off: whether the document says that the last message is not whole.
    """

    units: list[Json]
    tools: tuple[Tool, ...] | None
    extras: Object
    layout: Object
    place: Place
    settings: Settings | None = None
    cut_off: bool = False

    def around(self) -> Transcript:
        """The transcript without its messages."""
        extras, layout = NOTES.by_format(self.extras), NOTES.by_format(self.layout)
        return Transcript((), self.tools, settings=self.settings, extras=extras, layout=layout)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_shell(source: Source, log: Log) -> Shell:
    """Take a document apart.

    Raises:
        BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
    """
    if isinstance(source, list):
        return _read_list(cast("list[Json]", source))
    if not isinstance(source, OBJECT):
        raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")
    document: Any = source
    if MESSAGES in document:
        return _read_request(document, log)
    if _is_response(document):
        return _read_response(document)
    raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")


def _is_response(document: Object) -> bool:
    return document.get("type") == MESSAGE and isinstance(document.get("content"), ARRAY)


def _read_list(source: list[Json]) -> Shell:
    _DOCUMENTS.refuse(source)
    if any(isinstance(item, dict) and MESSAGES in item and "role" not in item for item in source):
        raise BridgeError(ErrorCode.SHAPE, f"this is a list of conversations, not of messages; {BATCH_HINT}", path="")
    if isinstance(source, Lines) and not all(map(_is_message, source)):
        raise BridgeError(ErrorCode.SHAPE, f"these JSON lines are not one message each; {BATCH_HINT}", path="")
    return Shell(list(source), None, {}, {"shape": "list"}, lambda at: f"/{at}")


def _is_document(document: Object) -> bool:
    return _is_response(document) or ("role" not in document and MESSAGES in document)


def _is_message(item: Json) -> bool:
    return isinstance(item, OBJECT) and "role" in item


_DOCUMENTS: Final = ListsOfDocuments(_is_document, _is_message)
split: Final = _DOCUMENTS.split
"""The conversations of a list of documents, each with its index; else the one document that a source is."""


def _read_request(document: Object, log: Log) -> Shell:
    wires: Any = document[MESSAGES]
    if not isinstance(wires, ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'messages' is not a list", path=f"/{MESSAGES}")
    units: list[Json] = wires
    known = [MESSAGES]
    prompted = not is_empty(document.get(SYSTEM))
    if prompted:
        units = [{SYSTEM: document[SYSTEM]}, *units]
        known.append(SYSTEM)
    shell = Shell(units, None, {}, {}, _place_behind_prompt if prompted else _place)
    others: list[Object] = []
    raws: Any = document.get(TOOLS)
    if isinstance(raws, ARRAY):
        known.append(TOOLS)
        shell.tools, others = read_tools(raws)
        if others and not shell.tools:
            shell.tools = None
    if list(document) != known:
        _enclose(shell, document, known, REQUEST_ORDER, REQUEST_KEYS)
    if others:
        shell.extras[TOOLS] = others
    if TOOLS in shell.extras:
        log.find(FindingCode.SHAPE, f"/extras/{HOME}/{TOOLS}", "an item of 'tools' has no name; it is kept as it is")
    asks = shell.settings is not None and shell.settings.max_tokens is not None
    shell.cut_off = asks and is_text_of_assistant(wires)
    if shell.settings is not None and shell.settings.model is not None and not asks:
        shell.layout["max_tokens"] = "absent"
    return shell


def is_text_of_assistant(wires: list[Any]) -> bool:
    """Whether the last message is text of the assistant: in a request it is to be continued."""
    last: Any = wires[-1] if wires else None
    if not isinstance(last, OBJECT) or last.get("role") != "assistant":
        return False
    content: Any = last.get("content")
    if not isinstance(content, ARRAY):
        return isinstance(content, str) and content != ""
    block: Any = content[-1] if content else None
    return isinstance(block, OBJECT) and block.get("type") == TEXT


def _place(at: int) -> str:
    return f"/{MESSAGES}/{at}"


def _place_behind_prompt(at: int) -> str:
    return f"/{MESSAGES}/{at - 1}" if at else f"/{SYSTEM}"


def _enclose(
    shell: Shell, document: Object, known: list[str], order: tuple[str, ...], required: frozenset[str]
) -> None:
    """Take settings, extras and form from what stands around the messages.

    Args:
        shell: what they are added to.
        document: where they stand.
        known: the keys that are taken from it otherwise.
        order: that in which we write keys.
        required: the keys that we always write.
    """
    found = read_settings(document)
    shell.settings = found.settings
    known += found.keys
    form = form_of(document, order, required, known)
    if form is not None:
        shell.layout["form"] = form
    if found.spelled:
        shell.layout[SETTINGS] = found.spelled
    shell.extras = {**rest(document, known), **found.others}


# --- responses --------------------------------------------------------------------------------------------------------

_CUT_OFF: Final = frozenset({"max_tokens", "model_context_window_exceeded", None})
"""The reasons of an answer that is not whole: too long, or none because it never came to an end."""


def _read_response(document: Object) -> Shell:
    content: list[Json] = document["content"]
    wire: Object = {"role": document.get("role"), "content": content}
    shell = Shell([wire], None, {}, {"shape": "response"}, lambda _: "")
    reason: Any = document.get("stop_reason", "end_turn")
    if not (reason is None or isinstance(reason, str)):
        reason = "end_turn"
    shell.cut_off = reason in _CUT_OFF
    known = ["type", "role", "content"]
    if reason == _stop_reason(wire, cut_off=shell.cut_off) and "stop_reason" in document:
        known.append("stop_reason")
    _enclose(shell, document, known, RESPONSE_ORDER, RESPONSE_KEYS)
    return shell


def _stop_reason(wire: Object, *, cut_off: bool) -> str:
    """The reason that we give for an answer."""
    if cut_off:
        return "max_tokens"
    content: Any = wire["content"]
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return "tool_use" if isinstance(last, OBJECT) and last.get("type") == "tool_use" else "end_turn"


# --- writing ----------------------------------------------------------------------------------------------------------


def write_shell(transcript: Transcript, units: list[Any], *, cut_off: bool) -> Source:
    """Put units into the shape that the transcript was read from, or into a request where they do not fit it.

    Args:
        transcript: what stands around them.
        units: the system prompt, where there is one, and the wire messages.
        cut_off: whether the last message is not whole.
    """
    layout, extras = NOTES.of(transcript.layout), NOTES.of(transcript.extras)
    name = layout.get("shape")
    if name == "list" and not extras and transcript.tools is transcript.settings is None:
        if not any(map(is_system_prompt, units)):
            return units
    elif is_response(transcript):
        wire: Any = units[0] if len(units) == 1 else None
        if isinstance(wire, OBJECT) and wire.get("role") == "assistant" and wire.keys() == {"role", "content"}:
            return _write_response(transcript, wire, extras, layout, cut_off=cut_off)
    return _write_request(transcript, units, extras, layout)


def is_response(transcript: Transcript) -> bool:
    """Whether a transcript is written as a response, where it is one message."""
    layout = NOTES.of(transcript.layout)
    return transcript.tools is None and (layout.get("shape") == "response" or (not layout and is_answer(transcript)))


def is_answer(transcript: Transcript) -> bool:
    """Whether a transcript of another format tells how many tokens an answer took."""
    return transcript.settings is not None and transcript.settings.usage is not None


def _write_request(transcript: Transcript, units: Sequence[Any], extras: Object, layout: Object) -> Object:
    prompted = bool(units) and is_system_prompt(units[0])
    out: Object = {SYSTEM: units[0][SYSTEM]} if prompted else {}
    out[MESSAGES] = list(units[1:]) if prompted else units
    others = extras.get(TOOLS) if isinstance(extras.get(TOOLS), list) else None
    if transcript.tools is not None or others is not None:
        out[TOOLS] = write_tools(transcript.tools or (), others)
    settings = write_settings(transcript.settings, layout.get(SETTINGS), extras)
    asks = "model" in settings and units and units[-1].get("role") != "assistant"
    if asks and "max_tokens" not in settings and layout.get("max_tokens") != "absent":
        settings["max_tokens"] = MAX_TOKENS
    return _enclosed(out, settings, extras, layout, REQUEST_ORDER)


def _enclosed(
    out: Object,
    settings: Object,
    extras: Object,
    layout: Object,
    order: Order,
    fixed: Collection[str] | None = None,
) -> Object:
    """An object with the messages and what stands around them, in the spelling that the layout remembers."""
    said = {**out, **settings}
    ordered = in_order(said, order) if len(said) > 1 else said
    implied = () if fixed is None else [key for key in said if key not in fixed]
    return shape(
        add(ordered, extras, order), layout.get("form"), fixed=said if fixed is None else fixed, implied=implied
    )


def blocks_in(wire: Object) -> Json:
    """The content of a message as a response has it: always a list of blocks."""
    content: Json = wire["content"]
    if isinstance(content, str):
        return [{"type": TEXT, "text": content}] if content else []
    return content


def _write_response(transcript: Transcript, wire: Object, extras: Object, layout: Object, *, cut_off: bool) -> Object:
    out: Object = {"type": MESSAGE, "role": "assistant", "content": blocks_in(wire)}
    reason: Any = extras.get("stop_reason")
    if not isinstance(reason, str) or (reason in _CUT_OFF) is not cut_off:
        out["stop_reason"] = _stop_reason(out, cut_off=cut_off)
        extras = {key: value for key, value in extras.items() if key != "stop_reason"}
    settings = write_settings(transcript.settings, layout.get(SETTINGS), extras)
    implied = {key: value for key, value in out.items() if key != "stop_reason"}
    written = _enclosed(out, settings, extras, layout, RESPONSE_ORDER, fixed={**implied, **settings})
    if (written.get("stop_reason", "end_turn") in _CUT_OFF) is cut_off:
        return written
    return _enclosed(out, settings, extras, layout, RESPONSE_ORDER)
