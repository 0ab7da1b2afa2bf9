"""Read and write the three shapes of documents: bare lists, requests and responses.

| shape | is | units | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages` | `system`, and those of `messages` | settings; tools; extras, by key |
| `list` | the bare list | the list | none |
| `response` | an object of the type `message` | the object itself | settings; extras, by key |
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import itemgetter
from typing import Any, Final, cast

from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, is_empty, without
from ocml_bridge.json_values.parameters import nonempty_text
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Surrounding, has
from ocml_bridge.wires.endings import with_filter
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.surroundings import Surroundings, ToolList

from .reader import is_system_prompt
from .settings import PARAMETERS, has_usage
from .syntax import (
    ENDINGS,
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
from .tools import NAMES, chooses_hosted, read_tools, write_tools

RESPONSE: Final = "response"
SPACE: Final = "space"
"""The key of the layout of a request whose text to be continued ends in white space, which the API refuses."""
_AROUND_MESSAGES: Final = Surroundings(
    *(PARAMETERS, REQUEST_ORDER, REQUEST_KEYS),
    tools=ToolList(read_tools, write_tools),
    hosted=chooses_hosted,
    needs_tools=True,
)
_AROUND_CONTENT: Final = Surroundings(PARAMETERS, RESPONSE_ORDER, RESPONSE_KEYS)

# --- requests ---------------------------------------------------------------------------------------------------------


def last_text(wires: list[Any]) -> str | None:
    """Return the text that the last wire message ends with, which a request asks to continue.

    None if that message is not of the assistant, or does not end with a text.
    """
    last: Any = wires[-1] if wires else None
    if not isinstance(last, OBJECT) or last.get("role") != "assistant":
        return None
    content: Any = last.get("content")
    if not isinstance(content, ARRAY):
        return nonempty_text(content)
    block: Any = content[-1] if content else None
    if not isinstance(block, OBJECT) or block.get("type") != TEXT:
        return None
    text: Json = block.get("text")
    return text if isinstance(text, str) else ""


def ends_in_space(text: str | None) -> bool:
    """Return whether a text ends in white space, so that the API refuses to continue it."""
    return text is not None and text[-1:].isspace()


def _last(wires: list[Any]) -> list[Json]:
    """Return a stand-in for the last wire message if a request asks to continue it, else no message."""
    text = last_text(wires)
    return [] if text is None else [{"role": "assistant", "content": f"{TEXT} " if ends_in_space(text) else TEXT}]


def _prompt(value: Json) -> Object | None:
    return None if is_empty(value) else {SYSTEM: value}


UNITS: Final = RequestUnits(
    MESSAGES,
    Prompt(
        SYSTEM,
        unit=_prompt,
        is_unit=is_system_prompt,
        value=itemgetter(SYSTEM),
        stand_in=SYSTEM,
    ),
    last=_last,
)
"""The units of a request. The envelope has stand-ins for the system prompt, and for an answer to be continued."""


def _is_identified(tool: Json) -> bool:
    """Return whether a declared tool has a name, or a type, as the tools of an MCP server have."""
    return isinstance(tool, OBJECT) and any(isinstance(cast("Object", tool).get(key), str) for key in ("name", "type"))


def _read_request(document: Object, log: Log) -> Shell:
    shell, known = UNITS.shell(document)
    _AROUND_MESSAGES.read(shell, document, known)
    shell.layout |= NAMES.note_choice(shell.settings)
    tools: Any = document.get(TOOLS)
    if TOOLS in shell.extras and not (isinstance(tools, ARRAY) and all(map(_is_identified, tools))):
        log.find(FindingCode.SHAPE, f"/extras/{HOME}/{TOOLS}", "an item of 'tools' has no name; it is kept as it is")
    has_limit = shell.settings is not None and shell.settings.max_tokens is not None
    text = last_text(document[MESSAGES])
    shell.cut_off = has_limit and text is not None
    if shell.settings is not None and shell.settings.model is not None:
        if not has_limit:
            shell.layout["max_tokens"] = "absent"
        if ends_in_space(text):
            shell.layout[SPACE] = "kept"
    return shell


def _write_request(surrounding: Surrounding, body: Body) -> Object:
    units: list[Any] = body.units
    around, _, layout = surrounding
    settings = around.settings
    if settings is not None and settings.model is not None and settings.max_tokens is None:
        needs_answer = units and units[-1].get("role") != "assistant"
        if needs_answer and layout.get("max_tokens") != "absent":
            around = replace(around, settings=replace(settings, max_tokens=MAX_TOKENS))
    return _AROUND_MESSAGES.write(UNITS.members(units), surrounding._replace(transcript=around))


def envelope_key(units: list[Any], around: Transcript) -> Hashable | None:
    """Return all that the envelope of a request depends on in its units; None for a document of another shape.

    These are whether there is a system prompt, and how the last wire message ends: a request that asks for a new answer
    needs `max_tokens`, and an answer that is not complete is to be continued, unless it ends in white space.
    """
    if SHAPE in NOTES.of(around.layout) or is_answer(around):
        return None
    last: Object = units[-1] if units else {}
    is_answered, text = last.get("role") == "assistant", last_text(units)
    ending = (is_answered, text is not None, ends_in_space(text))
    return bool(units) and is_system_prompt(units[0]), bool(units), ending


def trims(transcript: Transcript) -> bool:
    """Return whether a text to be continued is written without white space at its end: in requests with a model."""
    has_model = transcript.settings is not None and transcript.settings.model is not None
    return has_model and SPACE not in NOTES.of(transcript.layout) and not is_response(transcript)


# --- responses --------------------------------------------------------------------------------------------------------


def _is_response(document: Object) -> bool:
    return document.get("type") == MESSAGE and isinstance(document.get("content"), ARRAY)


def _read_response(document: Object, log: Log) -> Shell:
    wire: Object = {"role": document.get("role"), "content": document["content"]}
    shell = Shell([wire], lambda _: "", layout={SHAPE: RESPONSE})
    reason: Any = document.get("stop_reason", "end_turn")
    shell.cut_off, is_filtered = ENDINGS.is_cut_off(reason), ENDINGS.is_filtered(reason)
    known = ["type", "role", "content"]
    if reason == _stop_reason(wire, cut_off=shell.cut_off, filtered=is_filtered) and "stop_reason" in document:
        known.append("stop_reason")
    _AROUND_CONTENT.read(shell, document, known)
    shell.settings = with_filter(shell.settings, is_filtered=is_filtered)
    return shell


def _stop_reason(wire: Object, *, cut_off: bool, filtered: bool) -> str:
    """Return the stop reason that the writer gives to an answer."""
    if filtered:
        return "refusal"
    if cut_off:
        return "max_tokens"
    content: Any = wire["content"]
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return "tool_use" if isinstance(last, OBJECT) and last.get("type") == "tool_use" else "end_turn"


def is_response(transcript: Transcript) -> bool:
    """Return whether a transcript is written as a response if it is one message."""
    is_others = not NOTES.of(transcript.layout) and is_answer(transcript)
    return transcript.tools is None and (is_own_response(transcript) or is_others)


def is_own_response(transcript: Transcript) -> bool:
    """Return whether a transcript was read from a response of this format, which may have blocks of prompts."""
    return NOTES.of(transcript.layout).get(SHAPE) == RESPONSE


def is_answer(transcript: Transcript) -> bool:
    """Return whether a transcript of another format has the numbers of tokens of an answer, as a response must."""
    return transcript.settings is not None and has_usage(transcript.settings)


def blocks_in(wire: Object) -> Json:
    """Return the content of a wire message as a list of blocks, as a response requires."""
    content: Json = wire["content"]
    if isinstance(content, str):
        return [{"type": TEXT, "text": content}] if content else []
    return content


_ONLY_IN_PROMPTS: Final = frozenset({"image", "document", "search_result"})
"""The types of blocks that no answer contains."""


def _is_only_in_prompts(block: Json) -> bool:
    return isinstance(block, OBJECT) and cast("Object", block).get("type") in _ONLY_IN_PROMPTS


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    wire: Any = body.units[0] if len(body.units) == 1 and surrounding.transcript.tools is None else None
    if not isinstance(wire, OBJECT) or wire.get("role") != "assistant" or wire.keys() != {"role", "content"}:
        return None
    content = blocks_in(cast("Object", wire))
    if surrounding.layout.get(SHAPE) != RESPONSE and any(map(_is_only_in_prompts, cast("list[Json]", content))):
        return None
    out: Object = {"type": MESSAGE, "role": "assistant", "content": content}
    settings = surrounding.transcript.settings
    filtered, known = settings is not None and settings.filtered is True, "stop_reason" in surrounding.extras
    if not known or _differs(surrounding.extras, cut_off=body.cut_off, filtered=filtered):
        out["stop_reason"] = _stop_reason(out, cut_off=body.cut_off, filtered=filtered)
        others = without(surrounding.extras, "stop_reason")
        surrounding = surrounding._replace(extras=others)
    written = _AROUND_CONTENT.write(out, surrounding, implied=("stop_reason",))
    if _differs(written, cut_off=body.cut_off, filtered=filtered):
        return _AROUND_CONTENT.write(out, surrounding)
    return written


def _differs(response: Object, *, cut_off: bool, filtered: bool) -> bool:
    """Return whether the stop reason of a response says otherwise that it was cut off, or filtered."""
    reason: Json = response.get("stop_reason", "end_turn")
    return ENDINGS.is_filtered(reason) is not filtered or (ENDINGS.is_cut_off(reason) is not (cut_off and not filtered))


# --- all shapes -------------------------------------------------------------------------------------------------------


def _is_document(document: Object) -> bool:
    return _is_response(document) or ("role" not in document and MESSAGES in document)


DOCUMENTS: Final = Documents(
    NOTES,
    (
        Shape(REQUEST, has(MESSAGES), _read_request, _write_request),
        Shape(RESPONSE, _is_response, _read_response, _write_response),
    ),
    expected=EXPECTED,
    item="message",
    is_item=has("role"),
    is_document=_is_document,
    is_prompt=is_system_prompt,
)
split: Final = DOCUMENTS.split


def write_document(around: Transcript, body: Body) -> Json:
    """Return a document in the shape that it was read from; an answer with its numbers of tokens is a response."""
    return DOCUMENTS.write(around, body, shape=RESPONSE if is_response(around) else None)
