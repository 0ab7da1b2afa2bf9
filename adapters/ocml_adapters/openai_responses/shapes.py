"""What stands around the items, both ways: nothing (a list), a request, a response, or one of each.

| shape | is | items | everything else |
| --- | --- | --- | --- |
| `request` | an object with `input`, `instructions` or `messages` | these | tools, settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
| `response` | an object with `output` | `output` | tools, settings; extras, by key |
| `exchange` | an object with `request` and `response` | those of both | of the request; `response`, without items |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.boundary import ListsOfDocuments
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.form import ARRAY, OBJECT, Object, add, form_of, in_order, rest, shape
from ocml_bridge.freeform import note_kinds
from ocml_bridge.jsontext import Lines
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Settings, Tool, Transcript
from ocml_bridge.parameters import SETTINGS, members_of

from .messages import INSTRUCTIONS, Instructions
from .settings import PARAMETERS, folded, unfolded, with_kinds
from .spelling import is_state
from .syntax import (
    ADDITIONAL_TOOLS,
    BATCH_HINT,
    EXPECTED,
    HOME,
    NOTES,
    REQUEST_ORDER,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    STATE,
    TOOL_CHOICE,
)
from .tools import read_tools, write_tools

INPUT: Final = "input"
MESSAGES: Final = "messages"
OUTPUT: Final = "output"
TOOLS: Final = "tools"
_ELSEWHERE: Final = ("previous_response_id", "conversation")
"""Parameters that name a conversation which the server has: what was said before is not here."""


def _in_list(at: int) -> str:
    return f"/{at}"


@dataclass(slots=True)
class Shell:
    """A document without its items.

    Attributes:
        units: its items; what it says before all of them is the first, a text.
        place: index of a unit → JSON pointer to it.
    """

    units: list[Json]
    tools: tuple[Tool, ...] | None
    extras: Object
    layout: Object
    settings: Settings | None = None
    place: Callable[[int], str] = _in_list

    def around(self) -> Transcript:
        """The transcript without its messages; items in which nobody says anything are its extras."""
        state = state_in(self.units)
        extras = {**self.extras, INPUT: state} if state else self.extras
        return Transcript(
            (), self.tools, settings=self.settings, extras=NOTES.by_format(extras), layout=NOTES.by_format(self.layout)
        )


def state_in(units: list[Json]) -> list[Object]:
    """The units in which nobody says anything, each with its place."""
    found: list[Object] = []
    for at, unit in enumerate(units):
        if unit.__class__ is dict and unit.get("type") in _MAYBE_STATE and is_state(unit):
            found.append({"at": at, "item": unit})
    return found


_MAYBE_STATE: Final = (*STATE, ADDITIONAL_TOOLS, None)


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
    if OUTPUT in document:
        return _read_response(document, "")
    if isinstance(document.get("request"), OBJECT) and isinstance(document.get("response"), OBJECT):
        return _read_exchange(document, log)
    if INPUT in document or INSTRUCTIONS in document or isinstance(document.get(MESSAGES), ARRAY):
        return _read_request(document, log, "")
    raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")


def _read_list(source: list[Json]) -> Shell:
    _DOCUMENTS.refuse(source)
    if isinstance(source, Lines) and not all(map(_is_item, source)):
        raise BridgeError(ErrorCode.SHAPE, f"these JSON lines are not one item each; {BATCH_HINT}", path="")
    return Shell(list(source), None, {}, {"shape": "list"})


def _is_document(document: Object) -> bool:
    """Whether an object is a document: a request, a response, or one of each."""
    known = document.get("object") == "response" or any(key in document for key in (INPUT, INSTRUCTIONS, MESSAGES))
    return (known and "type" not in document) or ("request" in document and "response" in document)


def _is_item(value: Json) -> bool:
    return isinstance(value, OBJECT)


_DOCUMENTS: Final = ListsOfDocuments(_is_document, _is_item)
split: Final = _DOCUMENTS.split
"""The conversations of a list of documents, each with its index; else the one document that a source is."""


def _read_request(source: Object, log: Log, base: str) -> Shell:
    document = unfolded(source)
    key = MESSAGES if INPUT not in document and isinstance(document.get(MESSAGES), ARRAY) else INPUT
    given, before, known = document.get(key), document.get(INSTRUCTIONS), list[str]()
    shell = Shell([], None, {}, {})
    if key == MESSAGES:
        detail = f"{MESSAGES!r} has items, which a request of the Responses API has under {INPUT!r}"
        log.find(FindingCode.SHAPE, f"/layout/{HOME}/key", detail)
        shell.layout["key"] = MESSAGES
    if isinstance(given, str):
        shell.units = [_user_message(given)]
        shell.layout[INPUT] = "text"
        known.append(INPUT)
    elif isinstance(given, ARRAY):
        shell.units = list(cast("list[Json]", given))
        known.append(key)
    elif given is not None:
        raise BridgeError(ErrorCode.SHAPE, "'input' is neither a text nor a list of items", path=f"{base}/{INPUT}")
    first = 0
    if isinstance(before, str) and before:
        shell.units, first = [Instructions(before), *shell.units], 1
        known.append(INSTRUCTIONS)
    shell.place = lambda at: f"{base}/{INSTRUCTIONS}" if at < first else f"{base}/{key}/{at - first}"
    _enclose(shell, document, known, REQUEST_ORDER, frozenset({key}))
    for name in _ELSEWHERE:
        if name in shell.extras:
            detail = f"the earlier turns are on the server ({name!r}); they are not in the input"
            log.find(FindingCode.SHAPE, f"/extras/{HOME}/{name}", detail, Severity.LAYOUT)
    return shell


def _enclose(
    shell: Shell, document: Object, known: list[str], order: tuple[str, ...], required: frozenset[str]
) -> None:
    """Take tools, settings, extras and form from what stands around the items.

    Args:
        shell: what they are added to.
        document: where they stand.
        known: the keys that are taken from it otherwise.
        order: that in which we write keys.
        required: the keys that we always write.
    """
    raws, others = document.get(TOOLS), list[Object]()
    if isinstance(raws, ARRAY) and (raws or order is REQUEST_ORDER):
        known.append(TOOLS)
        tools, others = read_tools(cast("list[Json]", raws))
        shell.tools = None if others and not tools else tools
    found = PARAMETERS.read(document)
    shell.settings = found.settings
    known += found.keys
    if (form := form_of(document, order, required, known)) is not None:
        shell.layout["form"] = form
    if TOOL_CHOICE in found.keys:
        note_kinds(found, document[TOOL_CHOICE], shell.tools or (), PARAMETERS, with_kinds)
    if found.spelled:
        shell.layout[SETTINGS] = found.spelled
    shell.extras = {**rest(document, known), **found.others}
    if others:
        shell.extras[TOOLS] = others


def _read_response(source: Object, base: str) -> Shell:
    document = unfolded(source)
    output = document[OUTPUT]
    if not isinstance(output, ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'output' is not a list of items", path=f"{base}/{OUTPUT}")
    shell = Shell(list(cast("list[Json]", output)), None, {}, {"shape": "response"})
    shell.place = lambda at: f"{base}/{OUTPUT}/{at}"
    _enclose(shell, document, [OUTPUT], RESPONSE_ORDER, RESPONSE_KEYS)
    return shell


def _read_exchange(document: Object, log: Log) -> Shell:
    answer: Object = document["response"]
    if not isinstance(answer.get(OUTPUT), ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'response' has no list 'output'", path="/response/output")
    shell = _read_request(document["request"], log, "/request")
    asked, place = len(shell.units), shell.place
    output = cast("list[Json]", answer[OUTPUT])
    shell.units += output
    shell.place = lambda at: place(at) if at < asked else f"/response/{OUTPUT}/{at - asked}"
    shell.layout |= {"shape": "exchange", "answer": len(output), "around": list(document)}
    inside = shell.extras
    shell.extras = {**rest(document, ("request", "response")), "response": {**answer, OUTPUT: None}}
    if inside:
        shell.extras["request"] = inside
    return shell


def is_incomplete(around: Transcript) -> bool:
    """Whether what stands around the items says that the answer was cut off."""
    extras, name = NOTES.of(around.extras), NOTES.of(around.layout).get("shape")
    answer = extras.get("response") if name == "exchange" else extras if name == "response" else None
    return isinstance(answer, dict) and cast("Object", answer).get("status") == "incomplete"


# --- writing ----------------------------------------------------------------------------------------------------------


def write_shell(around: Transcript, units: list[Json]) -> Source:
    """Put units into the shape that they were read from, or into a request where they do not fit it.

    Args:
        around: what stands around them.
        units: items; the first may be a text, which is said before all of them.
    """
    layout, extras = NOTES.of(around.layout), NOTES.of(around.extras)
    name = layout.get("shape")
    writer = _WRITERS.get(name) if isinstance(name, str) else None
    written = writer(around, units, extras, layout) if writer is not None else None
    return _write_request(around, units, extras, layout) if written is None else written


def takes_instructions(around: Transcript) -> bool:
    """Whether a document has a place for what is said before all items."""
    return NOTES.of(around.layout).get("shape") not in ("list", "response")


def _write_request(around: Transcript, units: list[Json], extras: Object, layout: Object) -> Object:
    out: Object = {}
    if units and isinstance(units[0], Instructions):
        out[INSTRUCTIONS], units = str(units[0]), units[1:]
    key = MESSAGES if layout.get("key") == MESSAGES else INPUT
    out[key] = units
    if layout.get(INPUT) == "text" and len(units) == 1 and (text := _bare_text(units[0])) is not None:
        out[key] = text
    # A prompt that the server keeps may be all that is asked: then there are no items, and nobody says so.
    form: Any = layout.get("form")
    is_null = isinstance(form, ARRAY) and [INSTRUCTIONS, None] in form
    prompted = is_null or INSTRUCTIONS in out or INSTRUCTIONS in extras
    said = {other: value for other, value in out.items() if other != INPUT or value or not prompted}
    return _enclosing(out, around, extras, layout, REQUEST_ORDER, said)


def _bare_text(item: Json) -> str | None:
    """The text of a user's message that says nothing else."""
    content = cast("Object", item).get("content") if isinstance(item, dict) else None
    return content if isinstance(content, str) and item == _user_message(content) else None


def _user_message(text: str) -> Object:
    return {"type": "message", "role": "user", "content": text}


def _enclosing(
    out: Object,
    around: Transcript,
    extras: Object,
    layout: Object,
    order: tuple[str, ...],
    said: Object | None = None,
) -> Object:
    """An object with the items and what stands around them, in the spelling that the layout remembers.

    Args:
        out: the items, and what else is not said elsewhere.
        around: what stands around them.
        extras: what only this format says of it.
        layout: how it was spelled.
        order: that in which we write keys.
        said: what of the items is written whatever the spelling says; None for all.
    """
    others = extras.get(TOOLS) if isinstance(extras.get(TOOLS), list) else None
    if around.tools is not None or others is not None:
        out[TOOLS] = write_tools(around.tools or (), others)
    fixed = {**out, **PARAMETERS.write(around.settings, layout.get(SETTINGS), extras)}
    if TOOL_CHOICE in fixed and fixed[TOOL_CHOICE] != members_of(layout.get(SETTINGS)).get(TOOL_CHOICE):
        fixed[TOOL_CHOICE] = with_kinds(fixed[TOOL_CHOICE], around.tools or ())
    ordered = in_order(fixed, order) if len(fixed) > len(out) else fixed
    always = fixed if said is None else fixed.keys() - (out.keys() - said.keys() - {TOOLS})
    return folded(shape(add(ordered, extras, order), layout.get("form"), fixed=always))


def _write_list(around: Transcript, units: list[Json], extras: Object, layout: Object) -> Source | None:
    alone = extras.keys() <= {INPUT} and around.tools is around.settings is None
    return units if alone and not any(isinstance(unit, Instructions) for unit in units) else None


def _write_response(around: Transcript, units: list[Json], extras: Object, layout: Object) -> Source | None:
    if any(isinstance(unit, Instructions) for unit in units):
        return None
    inside = {key: value for key, value in extras.items() if key != INPUT}
    return _enclosing({OUTPUT: units}, around, inside, layout, RESPONSE_ORDER)


def _write_exchange(around: Transcript, units: list[Json], extras: Object, layout: Object) -> Source | None:
    answer, count, inside = extras.get("response"), layout.get("answer"), extras.get("request")
    if not isinstance(answer, dict) or type(count) is not int or not 0 <= count <= len(units):
        return None
    start = len(units) - count
    own = cast("Object", inside) if isinstance(inside, dict) else {}
    out: Object = {
        "request": _write_request(around, units[:start], own, layout),
        "response": {**cast("Object", answer), OUTPUT: units[start:]},
    }
    more = {key: value for key, value in extras.items() if key not in (INPUT, "request", "response")}
    return shape(add(out, more), layout.get("around"), fixed=out)


_WRITERS: Final[dict[str, Callable[[Transcript, list[Json], Object, Object], Any]]] = {
    "list": _write_list,
    "response": _write_response,
    "exchange": _write_exchange,
}
