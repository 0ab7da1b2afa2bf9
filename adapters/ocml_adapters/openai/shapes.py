"""Read and write the four shapes of documents: bare lists, requests, responses and preference lines.

| shape | is | messages | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages`; also a fine-tuning line | `messages` | settings; extras, by key |
| `list` | the bare list | the list | none |
| `response` | an object with `choices` | that of the first choice | settings; alternatives; extras |
| `preference` | an object with `preferred_output` | its and those of `input` | settings; an alternative; extras |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import ARRAY, Object, add, form_of, rest, shape, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Alternative, Json, Message, Transcript, replace
from ocml_bridge.units.envelopes import Body, Branches
from ocml_bridge.units.grammar import SplitDocument
from ocml_bridge.units.heads import Item, item_of, messages_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Surrounding, has
from ocml_bridge.wires.endings import with_filter
from ocml_bridge.wires.requests import RequestUnits
from ocml_bridge.wires.shell import CHOICE, Branch, Shell
from ocml_bridge.wires.surroundings import Surroundings, ToolList

from .reader import read_message, report_findings
from .settings import PARAMETERS, TOOL_CHOICES
from .split_choices import CALLS_OF_CHOICES, apart, joined
from .syntax import (
    ENDINGS,
    EXPECTED,
    HOME,
    MESSAGES,
    NOT_PREFERRED,
    NOTES,
    PREFERENCE_KEYS,
    PREFERENCE_ORDER,
    PREFERRED,
    REQUEST_KEYS,
    REQUEST_ORDER,
    REQUESTED_ELSEWHERE,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    SWITCHES,
    TOOLS,
    UNDERSTOOD,
    is_withheld,
    named,
)
from .tools import is_custom_tool, read_tools, write_tools

UNITS: Final = RequestUnits(MESSAGES, understood=UNDERSTOOD)
_AROUND_MESSAGES: Final = Surroundings(
    *(PARAMETERS, REQUEST_ORDER, REQUEST_KEYS),
    tools=ToolList(read_tools, write_tools),
    choices=TOOL_CHOICES,
    switches=SWITCHES,
)
_AROUND_CHOICES: Final = Surroundings(PARAMETERS, RESPONSE_ORDER, RESPONSE_KEYS, choices=TOOL_CHOICES)
_FUNCTIONS: Final = "functions"
"""The deprecated key of declared tools; in the layout, whether it was used."""
RESPONSE, PREFERENCE = "response", "preference"
REJECTED: Final = "rejected"
"""The label of the alternative that is not preferred."""

# --- requests ---------------------------------------------------------------------------------------------------------


def _read_request(document: Object, log: Log, base: str = "") -> Shell:
    shell, known_keys = UNITS.shell(document, base)
    raws: Any = document.get(_FUNCTIONS)
    if raws and isinstance(raws, ARRAY) and not isinstance(document.get(TOOLS), ARRAY):
        tools, opaque = read_tools(cast("list[Json]", raws), legacy=True)
        if not opaque:
            known_keys.append(_FUNCTIONS)
            shell.tools, shell.layout[_FUNCTIONS] = tools, True
    _AROUND_MESSAGES.read(shell, document, known_keys)
    for key in REQUESTED_ELSEWHERE:
        if key in shell.extras:
            log.find(
                FindingCode.SHAPE,
                f"/extras/{HOME}/{key}",
                f"Chat Completions has no key {key!r} in a request; the key is kept as it is",
            )
    for key in (TOOLS, _FUNCTIONS):
        if key in shell.extras:
            log.find(
                FindingCode.SHAPE,
                f"/extras/{HOME}/{key}",
                f"{key!r} has something that is neither a function nor a custom tool; it is kept as it is",
            )
    return shell


def _write_request(surrounding: Surrounding, body: Body) -> Object:
    out: Object = {MESSAGES: body.units}
    around, extras, layout = surrounding
    tools = around.tools
    if tools is None or layout.get(_FUNCTIONS) is not True or isinstance(extras.get(TOOLS), list):
        return _AROUND_MESSAGES.write(out, surrounding)
    if any(map(is_custom_tool, tools)):
        return _AROUND_MESSAGES.write(out, surrounding)
    out[_FUNCTIONS] = write_tools(tools, None, legacy=True)
    return _AROUND_MESSAGES.write(out, surrounding._replace(transcript=replace(around, tools=None)))


# --- responses --------------------------------------------------------------------------------------------------------


def _finish_of(choice: Json) -> Json:
    """Return the finish reason of a choice; "" if it has none."""
    return named(members_of(choice))[0].get("finish_reason", "")


def _read_response(document: Object, log: Log) -> Shell:
    choices = document["choices"]
    if is_withheld(choices):
        shell = Shell([], lambda _: "/choices/0/message", layout={SHAPE: RESPONSE})
        _AROUND_CHOICES.read(shell, document, ["choices"])
        shell.settings = with_filter(shell.settings, is_filtered=True)
        shell.extras["choices"] = choices
        return shell
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or "message" not in first:
        raise BridgeError(ErrorCode.SHAPE, "a response must have a choice with a 'message'", path="/choices/0")
    choice = cast("Object", first)
    shell = Shell([choice["message"]], lambda _: "/choices/0/message", layout={SHAPE: RESPONSE})
    shell.cut_off = ENDINGS.is_cut_off(_finish_of(choice))
    _AROUND_CHOICES.read(shell, document, ["choices"])
    shell.settings = with_filter(shell.settings, is_filtered=ENDINGS.is_filtered(_finish_of(choice)))
    if (one := joined(items_of(choices))) is not None:
        message, shell.extras["choices"], shell.layout[CALLS_OF_CHOICES] = one
        shell.units = [message]
        return shell
    others = cast("list[Json]", choices)[1:]
    if all(isinstance(other, dict) and _are_messages([cast("Object", other).get("message")]) for other in others):
        shell.branches = [_other_choice(other, index) for index, other in enumerate(cast("list[Object]", others), 1)]
        others = []
    shell.extras["choices"] = [{**choice, "message": None}, *others]
    return shell


def _other_choice(choice: Object, index: int) -> Branch:
    cut_off = ENDINGS.is_cut_off(_finish_of(choice))
    place = f"/choices/{index}/message"
    return Branch([choice["message"]], place, {**choice, "message": None}, cut_off=cut_off)


def _are_messages(wires: list[Json]) -> bool:
    return all(isinstance(wire, dict) and isinstance(cast("Object", wire).get("role"), str) for wire in wires)


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    transcript, wires = surrounding.transcript, body.units
    choices = surrounding.extras.get("choices")
    if not wires and not body.branches and transcript.tools is None and is_withheld(choices):
        return _AROUND_CHOICES.write({"choices": choices}, surrounding)
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    if len(wires) != 1 or transcript.tools is not None or not isinstance(first, dict) or "message" not in first:
        return None
    if (counts := surrounding.layout.get(CALLS_OF_CHOICES)) is not None:
        return _AROUND_CHOICES.write({"choices": apart(members_of(wires[0]), items_of(choices), counts)}, surrounding)
    written: list[Json] = [{**cast("Object", first), "message": wires[0]}, *cast("list[Json]", choices)[1:]]
    for alternative, others in zip(transcript.alternatives or (), body.branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(others) == 1:
            around = NOTES.of(alternative.extras)
            around = around if "message" in around else {"index": len(written), **around}
            written.append({**around, "message": others[0]})
    return _AROUND_CHOICES.write({"choices": written}, surrounding)


# --- lines of preferences ---------------------------------------------------------------------------------------------


def _read_preference(document: Object, log: Log) -> Shell:
    preference_input, preferred = document.get("input"), document[PREFERRED]
    if not isinstance(preference_input, dict) or MESSAGES not in preference_input or not isinstance(preferred, list):
        raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")
    shell = _read_request(cast("Object", preference_input), log, "/input")
    chosen, start, place = cast("list[Json]", preferred), len(shell.units), shell.place
    shell.units = [*shell.units, *chosen]
    shell.place = lambda at: place(at) if at < start else f"/{PREFERRED}/{at - start}"
    shell.layout[SHAPE] = PREFERENCE
    if len(chosen) != 1:
        shell.layout["preferred"] = len(chosen)
    known_keys, rejected = ["input", PREFERRED], document.get(NOT_PREFERRED)
    if isinstance(rejected, list) and rejected and _are_messages(wires := cast("list[Json]", rejected)):
        known_keys.append(NOT_PREFERRED)
        shell.branches = [Branch(wires, f"/{NOT_PREFERRED}", {}, REJECTED, start)]
    if (form := form_of(document, PREFERENCE_ORDER, PREFERENCE_KEYS, known_keys)) is not None:
        shell.layout["line"] = form
    inside, around = shell.extras, rest(document, known_keys)
    shell.extras = {**around, **({"input": inside} if inside else {})}
    return shell


def _write_preference(surrounding: Surrounding, body: Body) -> Json | None:
    transcript, extras, layout = surrounding
    wires = body.units
    rejected = next((each for each in transcript.alternatives or () if each.label == REJECTED), None)
    starts = _starts(wires) if rejected is not None else []
    count = layout.get("preferred", 1)
    if rejected is not None and SHAPE not in layout:
        count = len(wires) - starts.index(rejected.at) if rejected.at in starts[:-1] else None
    if type(count) is not int or not 0 <= count <= len(wires):
        return None
    start = len(wires) - count
    inside = members_of(extras.get("input"))
    line: Object = {
        "input": _write_request(Surrounding(transcript, inside, layout), Body(wires[:start])),
        PREFERRED: wires[start:],
    }
    if rejected is not None and rejected.at == starts[start]:
        others = body.branches[cast("tuple[Alternative, ...]", transcript.alternatives).index(rejected)]
        line |= {NOT_PREFERRED: others} if others else {}
    around = without(extras, "input")
    return shape(add(line, around, PREFERENCE_ORDER), layout.get("line"), fixed=line)


def _starts(wires: Sequence[Json]) -> list[int]:
    """Return the index of the first message of each wire message, and the number of all messages."""
    return [0, *accumulate(len(read_message(cast("Object", wire))) for wire in wires)]


# --- all of them ------------------------------------------------------------------------------------------------------

_SHAPES: Final = (
    Shape(REQUEST, has(MESSAGES), _read_request, _write_request),
    Shape(RESPONSE, has("choices"), _read_response, _write_response),
    Shape(PREFERENCE, has(PREFERRED), _read_preference, _write_preference),
)


def _is_document(document: Object) -> bool:
    return "role" not in document and any(shape.is_one(document) for shape in _SHAPES)


DOCUMENTS: Final = Documents(
    NOTES, _SHAPES, expected=EXPECTED, item="message", is_item=has("role"), is_document=_is_document
)
split: Final = DOCUMENTS.split


def write_document(around: Transcript, body: Body) -> Json:
    """Return a document in the shape that was read; without one, as a preference line if it has a rejected answer.

    Args:
        around: the transcript around the wire messages.
        body: the wire messages, and those of the alternatives.
    """
    labels = [alternative.label for alternative in around.alternatives or ()]
    return DOCUMENTS.write(around, body, shape=PREFERENCE if labels == [REJECTED] else None)


# --- alternatives -----------------------------------------------------------------------------------------------------


def branches_of(split: SplitDocument) -> Branches | None:
    """Return the alternatives of a document that was read, and their wire messages; None if it has none."""
    branches = cast("Shell", split.document).branches
    if not branches:
        return None
    items = [item_of(message) for wire in split.units for message in read_message(cast("Object", wire))]
    name_replies(items, Log())
    return Branches(tuple(read_alternatives(branches, items, Log())), [branch.wires for branch in branches])


def read_alternatives(branches: Sequence[Branch], items: Sequence[Item], log: Log) -> Iterator[Alternative]:
    """Yield the alternatives; each reply in them gets the name of the tool whose call it answers.

    Args:
        branches: the alternative answers.
        items: the messages of the conversation, which may have the calls.
        log: receives the findings.
    """
    starts = [*(at for at, item in enumerate(items) if at == 0 or not item[0].continues), len(items)]
    for index, branch in enumerate(branches):
        at, branch_messages, where = starts[branch.start], list[Message](), f"/alternatives/{index}/messages"
        for wire in cast("list[Object]", branch.wires):
            messages = read_message(wire)
            report_findings(wire, messages, len(branch_messages), log, where)
            branch_messages += messages
        whole = [*items[:at], *map(item_of, branch_messages)]
        name_replies(whole, log, at, where)
        yield branch.alternative(messages_of(whole[at:]), at, NOTES)
