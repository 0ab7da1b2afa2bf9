"""Read and write documents of the Responses API without their items: lists, requests, responses and exchanges of both.

| shape | document | items | everything else |
| --- | --- | --- | --- |
| `request` | an object with `input`, `instructions` or `messages` | its member | tools, settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
| `response` | an object with `output` | `output` | tools, settings; extras, by key |
| `exchange` | an object with `request` and `response` | those of both | of the request; `response`, without items |
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, rest, shape, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import SplitDocument
from ocml_bridge.wires.documents import LIST, REQUEST, SHAPE, Documents, Shape, Surrounding, has
from ocml_bridge.wires.endings import with_filter
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.surroundings import FORM, Surroundings, ToolList

from .item_members import PLACEHOLDER, with_generated_ids
from .items import is_state
from .messages import INSTRUCTIONS, instructions_unit, is_prompt
from .settings import PARAMETERS, TOOL_CHOICES, folded, unfolded
from .syntax import (
    ADDITIONAL_TOOLS,
    EXPECTED,
    HOLDING,
    HOME,
    INPUT,
    MESSAGES,
    NOTES,
    OUTPUT,
    REFERENCE,
    REQUEST_ORDER,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    STATE,
    is_filtered,
)
from .tools import read_tools, write_tools

RESPONSE, EXCHANGE = "response", "exchange"
_ELSEWHERE: Final = ("previous_response_id", "conversation")
"""Parameters that name a conversation on the server: its earlier messages are not in the document."""

# --- items that are no messages ---------------------------------------------------------------------------------------

_MEMBER: Final = "member"
"""The key of an entry among these items that is the member `input` of a response itself."""
_MAYBE_STATE: Final = (*STATE, ADDITIONAL_TOOLS, None)


def _state_in(units: list[Json]) -> list[Object]:
    """Return the items that are no messages, each with its index."""
    entries: list[Object] = []
    for at, unit in enumerate(units):
        if unit.__class__ is dict and (item := cast("Object", unit)).get("type") in _MAYBE_STATE and is_state(item):
            entries.append({"at": at, "item": item})
    return entries


# --- requests ---------------------------------------------------------------------------------------------------------


def _depends_on_units(request: Object) -> bool:
    items: Any = request[INPUT]
    return OUTPUT in request or "request" in request or (isinstance(items, ARRAY) and bool(_state_in(items)))


def _user_message(text: str) -> Object:
    return {"type": "message", "role": "user", "content": text}


_PROMPT: Final = Prompt(INSTRUCTIONS, unit=instructions_unit, is_unit=is_prompt, value=str, stand_in=INSTRUCTIONS)
UNITS: Final = RequestUnits(INPUT, _PROMPT, depends_on_units=_depends_on_units, unit_of_text=_user_message)
_UNITS: Final = {INPUT: UNITS, MESSAGES: RequestUnits(MESSAGES, _PROMPT)}
_AROUND_ITEMS: Final = {
    key: Surroundings(PARAMETERS, REQUEST_ORDER, {key}, tools=ToolList(read_tools, write_tools), choices=TOOL_CHOICES)
    for key in _UNITS
}


def _read_request(source: Object, log: Log, base: str = "") -> Shell:
    document = unfolded(source)
    key = MESSAGES if INPUT not in document and isinstance(document.get(MESSAGES), ARRAY) else INPUT
    value: Any = document.get(key)
    if not (value is None or isinstance(value, (str, list))):
        raise BridgeError(ErrorCode.SHAPE, "'input' is neither a text nor a list of items", path=f"{base}/{INPUT}")
    items = [_user_message(value)] if isinstance(value, str) else cast("list[Json]", value or [])
    shell, known = _UNITS[key].shell_of(document, items, base)
    if key == MESSAGES:
        detail = f"{MESSAGES!r} has items, which a request of the Responses API has under {INPUT!r}"
        log.find(FindingCode.SHAPE, f"/layout/{HOME}/key", detail)
        shell.layout["key"] = MESSAGES
    if value is None:
        known.remove(key)
    elif isinstance(value, str):
        shell.layout[INPUT] = "text"
    _AROUND_ITEMS[key].read(shell, document, known)
    for name in _ELSEWHERE:
        if name in shell.extras:
            detail = f"the earlier turns are on the server ({name!r}); they are not in the input"
            log.find(FindingCode.SHAPE, f"/extras/{HOME}/{name}", detail, Severity.LAYOUT)
    return shell


def _write_request(surrounding: Surrounding, body: Body) -> Object:
    _, extras, layout = surrounding
    key = MESSAGES if layout.get("key") == MESSAGES else INPUT
    out = _UNITS[key].members(body.units)
    items = cast("list[Json]", out[key])
    if layout.get(INPUT) == "text" and len(items) == 1 and (text := _bare_text(items[0])) is not None:
        out[key] = text
    # A request with only a prompt that the server stores needs no items, and no empty list of them.
    form: Any = layout.get(FORM)
    is_null = isinstance(form, ARRAY) and any([member, None] in form for member in (INSTRUCTIONS, INPUT))
    has_no_list = is_null or INSTRUCTIONS in out or INSTRUCTIONS in extras
    return folded(_AROUND_ITEMS[key].write(out, surrounding, (INPUT,) if has_no_list and not out.get(INPUT) else ()))


def _bare_text(item: Json) -> str | None:
    """Return the text of a user's message without other members; None for any other item."""
    content = cast("Object", item).get("content") if isinstance(item, dict) else None
    return content if isinstance(content, str) and item == _user_message(content) else None


def takes_instructions(around: Transcript) -> bool:
    """Return whether a document has a place for instructions before its items."""
    return NOTES.of(around.layout).get(SHAPE) not in (LIST, RESPONSE)


def envelope_key(units: list[Any], around: Transcript) -> Hashable | None:
    """Return whether a request has instructions; None if its envelope depends on more, or for another shape."""
    layout = NOTES.of(around.layout)
    if SHAPE in layout or INPUT in layout or INPUT in NOTES.of(around.extras):
        return None
    has_prompt = bool(units) and units[0].__class__ is dict and units[0].get("type") is PLACEHOLDER
    # A request without items may have no key for them, so that its envelope is not that of others.
    return has_prompt if len(units) > has_prompt else None


# --- responses --------------------------------------------------------------------------------------------------------

_AROUND_OUTPUT: Final = Surroundings(
    PARAMETERS,
    RESPONSE_ORDER,
    RESPONSE_KEYS,
    tools=ToolList(read_tools, write_tools, may_be_empty=False),
    choices=TOOL_CHOICES,
)


def _read_response(source: Object, log: Log) -> Shell:
    document = unfolded(source)
    output = document[OUTPUT]
    if not isinstance(output, ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'output' is not a list of items", path=f"/{OUTPUT}")
    shell = Shell(cast("list[Json]", output), lambda at: f"/{OUTPUT}/{at}", layout={SHAPE: RESPONSE})
    _AROUND_OUTPUT.read(shell, document, [OUTPUT])
    shell.settings = with_filter(shell.settings, is_filtered=is_filtered(document))
    return shell


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    if any(map(is_prompt, body.units)):
        return None
    return folded(_AROUND_OUTPUT.write({OUTPUT: body.units}, surrounding))


def is_incomplete(around: Transcript) -> bool:
    """Return whether a response says that its answer was cut off."""
    extras, name = NOTES.of(around.extras), NOTES.of(around.layout).get(SHAPE)
    response = extras.get("response") if name == EXCHANGE else extras if name == RESPONSE else None
    return isinstance(response, dict) and cast("Object", response).get("status") == "incomplete"


# --- exchanges --------------------------------------------------------------------------------------------------------


def _is_exchange(document: Object) -> bool:
    return isinstance(document.get("request"), OBJECT) and isinstance(document.get("response"), OBJECT)


def _read_exchange(document: Object, log: Log) -> Shell:
    response: Object = document["response"]
    if not isinstance(response.get(OUTPUT), ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'response' has no list 'output'", path="/response/output")
    shell = _read_request(document["request"], log, "/request")
    in_request, place = len(shell.units), shell.place
    output = cast("list[Json]", response[OUTPUT])
    shell.units = [*shell.units, *output]
    shell.place = lambda at: place(at) if at < in_request else f"/response/{OUTPUT}/{at - in_request}"
    shell.layout |= {SHAPE: EXCHANGE, "answer": len(output), "around": list(document)}
    shell.settings = with_filter(shell.settings, is_filtered=is_filtered(response))
    of_request = shell.extras
    shell.extras = {**rest(document, ("request", "response")), "response": {**response, OUTPUT: None}}
    if of_request:
        shell.extras["request"] = of_request
    return shell


def _write_exchange(surrounding: Surrounding, body: Body) -> Json | None:
    around, extras, layout = surrounding
    response, count, of_request = extras.get("response"), layout.get("answer"), extras.get("request")
    units = body.units
    if not isinstance(response, dict) or type(count) is not int or not 0 <= count <= len(units):
        return None
    start = len(units) - count
    out: Object = {
        "request": _write_request(Surrounding(around, members_of(of_request), layout), Body(units[:start])),
        "response": {**cast("Object", response), OUTPUT: units[start:]},
    }
    more = {key: value for key, value in extras.items() if key not in out}
    return shape(add(out, more), layout.get("around"), fixed=out)


# --- documents --------------------------------------------------------------------------------------------------------


def _is_request(document: Object) -> bool:
    return INPUT in document or INSTRUCTIONS in document or isinstance(document.get(MESSAGES), ARRAY)


def _is_document(document: Object) -> bool:
    """Return whether an object is a request, a response, or an exchange of both."""
    known = document.get("object") == "response" or any(key in document for key in (INPUT, INSTRUCTIONS, MESSAGES))
    return (known and _ITEM_KEYS.isdisjoint(document)) or ("request" in document and "response" in document)


_ITEM_KEYS: Final = frozenset({"type", "role", "call_id"})


def _is_item(value: Json) -> bool:
    return isinstance(value, OBJECT)


DOCUMENTS: Final = Documents(
    NOTES,
    (
        Shape(RESPONSE, has(OUTPUT), _read_response, _write_response),
        Shape(EXCHANGE, _is_exchange, _read_exchange, _write_exchange),
        Shape(REQUEST, _is_request, _read_request, _write_request),
    ),
    expected=EXPECTED,
    item="item",
    is_item=_is_item,
    is_document=_is_document,
    is_prompt=is_prompt,
)
split: Final = DOCUMENTS.split


def split_document(source: Source, log: Log) -> SplitDocument:
    """Split a document into its items and all else; items that are no messages become extras.

    Raises:
        BridgeError: as `Documents.read`.
    """
    shell = DOCUMENTS.read(source, log)
    entries = _state_in(list(shell.units))
    for entry in entries:
        kind = entry["item"].get("type") or REFERENCE
        if kind in HOLDING:
            detail = f"the server has the content of an item ({kind!r}); the input does not"
            log.find(FindingCode.SHAPE, f"/extras/{HOME}/{INPUT}", detail, Severity.LAYOUT)
    if INPUT in shell.extras:
        entries.append({_MEMBER: shell.extras[INPUT]})
    if entries:
        shell.extras = {**shell.extras, INPUT: entries}
    return SplitDocument(with_generated_ids(shell.units), shell.around(NOTES), False, shell)


def write_document(around: Transcript, body: Body) -> Json:
    """Return a document in the shape that was read, or a request; items that are no messages are among its units."""
    extras = NOTES.of(around.extras)
    if INPUT in extras:
        others = without(extras, INPUT)
        own = [entry for entry in map(members_of, items_of(extras[INPUT])) if set(entry) == {_MEMBER}]
        more = {INPUT: own[-1][_MEMBER]} if own and NOTES.of(around.layout).get(SHAPE) == RESPONSE else {}
        around = replace(around, extras=NOTES.by_format({**others, **more}))
    return DOCUMENTS.write(around, body)
