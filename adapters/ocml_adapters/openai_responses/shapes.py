"""What stands around the items, both ways: nothing (a list), a request, a response, or one of each.

| shape | is | items | everything else |
| --- | --- | --- | --- |
| `request` | an object with `input`, `instructions` or `messages` | these | tools, settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
| `response` | an object with `output` | `output` | tools, settings; extras, by key |
| `exchange` | an object with `request` and `response` | those of both | of the request; `response`, without items |
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, rest, shape
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import Parted
from ocml_bridge.wires.documents import LIST, REQUEST, SHAPE, Documents, Shape, Surrounding, has
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.surroundings import FORM, Surroundings, ToolList

from .items import MADE_UP, without_made_up
from .messages import INSTRUCTIONS, is_prompt, prompt_of
from .settings import PARAMETERS, TOOL_CHOICES, folded, unfolded
from .spelling import is_state
from .syntax import (
    ADDITIONAL_TOOLS,
    EXPECTED,
    HOME,
    INPUT,
    MESSAGES,
    NOTES,
    OUTPUT,
    REQUEST_ORDER,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    STATE,
)
from .tools import read_tools, write_tools

RESPONSE, EXCHANGE = "response", "exchange"
_ELSEWHERE: Final = ("previous_response_id", "conversation")
"""Parameters that name a conversation which the server has: what was said before is not here."""

# --- items that say nothing -------------------------------------------------------------------------------------------

_MAYBE_STATE: Final = (*STATE, ADDITIONAL_TOOLS, None)


def _state_in(units: list[Json]) -> list[Object]:
    """The units in which nobody says anything, each with its place."""
    found: list[Object] = []
    for at, unit in enumerate(units):
        if unit.__class__ is dict and (item := cast("Object", unit)).get("type") in _MAYBE_STATE and is_state(item):
            found.append({"at": at, "item": item})
    return found


# --- requests ---------------------------------------------------------------------------------------------------------


def _depends_on_units(request: Object) -> bool:
    return OUTPUT in request or "request" in request or bool(_state_in(request[INPUT]))


_PROMPT: Final = Prompt(INSTRUCTIONS, unit=prompt_of, is_unit=is_prompt, value=str, stand_in=INSTRUCTIONS)
UNITS: Final = RequestUnits(INPUT, _PROMPT, depends_on_units=_depends_on_units)
_UNITS: Final = {INPUT: UNITS, MESSAGES: RequestUnits(MESSAGES, _PROMPT)}
_AROUND_ITEMS: Final = {
    key: Surroundings(PARAMETERS, REQUEST_ORDER, {key}, tools=ToolList(read_tools, write_tools), choices=TOOL_CHOICES)
    for key in _UNITS
}


def _read_request(source: Object, log: Log, base: str = "") -> Shell:
    document = unfolded(source)
    key = MESSAGES if INPUT not in document and isinstance(document.get(MESSAGES), ARRAY) else INPUT
    given: Any = document.get(key)
    if not (given is None or isinstance(given, (str, list))):
        raise BridgeError(ErrorCode.SHAPE, "'input' is neither a text nor a list of items", path=f"{base}/{INPUT}")
    wires = [_user_message(given)] if isinstance(given, str) else cast("list[Json]", given or [])
    shell, known = _UNITS[key].shell(document, wires, base)
    if key == MESSAGES:
        detail = f"{MESSAGES!r} has items, which a request of the Responses API has under {INPUT!r}"
        log.find(FindingCode.SHAPE, f"/layout/{HOME}/key", detail)
        shell.layout["key"] = MESSAGES
    if given is None:
        known.remove(key)
    elif isinstance(given, str):
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
    # A prompt that the server keeps may be all that is asked: then there are no items, and nobody says so.
    form: Any = layout.get(FORM)
    is_null = isinstance(form, ARRAY) and [INSTRUCTIONS, None] in form
    prompted = is_null or INSTRUCTIONS in out or INSTRUCTIONS in extras
    return folded(_AROUND_ITEMS[key].write(out, surrounding, (INPUT,) if prompted and not out.get(INPUT) else ()))


def _bare_text(item: Json) -> str | None:
    """The text of a user's message that says nothing else."""
    content = cast("Object", item).get("content") if isinstance(item, dict) else None
    return content if isinstance(content, str) and item == _user_message(content) else None


def _user_message(text: str) -> Object:
    return {"type": "message", "role": "user", "content": text}


def takes_instructions(around: Transcript) -> bool:
    """Whether a document has a place for what is said before all items."""
    return NOTES.of(around.layout).get(SHAPE) not in (LIST, RESPONSE)


def outline(units: list[Any], around: Transcript) -> Hashable | None:
    """Whether a request says something before its items; None for a document of another shape."""
    layout = NOTES.of(around.layout)
    if SHAPE in layout or INPUT in layout or INPUT in NOTES.of(around.extras):
        return None
    prompted = bool(units) and units[0].__class__ is dict and units[0].keys() == {MADE_UP}
    # A request without items may not even have a key for them.
    return prompted if len(units) > prompted else None


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
    return shell


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    if any(map(is_prompt, body.units)):
        return None
    return folded(_AROUND_OUTPUT.write({OUTPUT: body.units}, surrounding))


def is_incomplete(around: Transcript) -> bool:
    """Whether what stands around the items says that the answer was cut off."""
    extras, name = NOTES.of(around.extras), NOTES.of(around.layout).get(SHAPE)
    answer = extras.get("response") if name == EXCHANGE else extras if name == RESPONSE else None
    return isinstance(answer, dict) and cast("Object", answer).get("status") == "incomplete"


# --- one of each ------------------------------------------------------------------------------------------------------


def _is_exchange(document: Object) -> bool:
    return isinstance(document.get("request"), OBJECT) and isinstance(document.get("response"), OBJECT)


def _read_exchange(document: Object, log: Log) -> Shell:
    answer: Object = document["response"]
    if not isinstance(answer.get(OUTPUT), ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'response' has no list 'output'", path="/response/output")
    shell = _read_request(document["request"], log, "/request")
    in_request, place = len(shell.units), shell.place
    output = cast("list[Json]", answer[OUTPUT])
    shell.units = [*shell.units, *output]
    shell.place = lambda at: place(at) if at < in_request else f"/response/{OUTPUT}/{at - in_request}"
    shell.layout |= {SHAPE: EXCHANGE, "answer": len(output), "around": list(document)}
    inside = shell.extras
    shell.extras = {**rest(document, ("request", "response")), "response": {**answer, OUTPUT: None}}
    if inside:
        shell.extras["request"] = inside
    return shell


def _write_exchange(surrounding: Surrounding, body: Body) -> Json | None:
    around, extras, layout = surrounding
    answer, count, inside = extras.get("response"), layout.get("answer"), extras.get("request")
    units = body.units
    if not isinstance(answer, dict) or type(count) is not int or not 0 <= count <= len(units):
        return None
    start = len(units) - count
    own = cast("Object", inside) if isinstance(inside, dict) else {}
    out: Object = {
        "request": _write_request(Surrounding(around, own, layout), Body(units[:start])),
        "response": {**cast("Object", answer), OUTPUT: units[start:]},
    }
    more = {key: value for key, value in extras.items() if key not in out}
    return shape(add(out, more), layout.get("around"), fixed=out)


# --- all of them ------------------------------------------------------------------------------------------------------


def _is_request(document: Object) -> bool:
    return INPUT in document or INSTRUCTIONS in document or isinstance(document.get(MESSAGES), ARRAY)


def _is_document(document: Object) -> bool:
    """Whether an object is a document: a request, a response, or one of each."""
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


def part(source: Source, log: Log) -> Parted:
    """A document without its items; those in which nobody says anything are its extras.

    Raises:
        BridgeError: as `Documents.read`.
    """
    shell = DOCUMENTS.read(source, log)
    if state := _state_in(list(shell.units)):
        shell.extras = {**shell.extras, INPUT: state}
    return Parted(without_made_up(shell.units), shell.around(NOTES), False, shell)


def write_document(around: Transcript, body: Body) -> Json:
    """A document in the shape that it was read from, or a request; the items that say nothing are in it already."""
    extras = NOTES.of(around.extras)
    if INPUT in extras:
        around = replace(around, extras=NOTES.by_format({key: value for key, value in extras.items() if key != INPUT}))
    return DOCUMENTS.write(around, body)
