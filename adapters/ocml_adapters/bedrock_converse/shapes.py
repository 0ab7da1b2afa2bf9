"""What stands around messages, both ways: a request, a response, or nothing (a list).

| shape | is | messages | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages` | `messages` | settings; tools; extras, by key |
| `response` | an object with `output` | the one in `output` | settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
"""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import OBJECT, Object, in_order
from ocml_bridge.json_values.parameters import value_at
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Settings, Tool, replace
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Surrounding, has
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import Shell, Top, is_top
from ocml_bridge.wires.surroundings import OF_CALLS

from .settings import REQUEST_PARAMETERS, RESPONSE_PARAMETERS
from .syntax import (
    CONTENT,
    CUT_OFF,
    EVENTS,
    EXPECTED,
    MESSAGE,
    MESSAGES,
    NOTES,
    OUTPUT,
    REQUEST_ORDER,
    RESPONSE_ORDER,
    STOP_REASON,
    SYSTEM,
    TOOL_CONFIG,
    TOOLS,
)
from .tools import NAMES, read_tools, write_tools

_RESPONSE: Final = "response"
_EMPTY: Final = "empty"
"""The layout of tools that are none: the API asks for one at least."""
_HERE: Final = "\0message"
"""Stands for messages where the spelling of what is around them is looked at."""


_CHOICE, _ALONE = "toolChoice", "alone"
"""The note of a request that was read with a choice among no tools."""


# --- requests ---------------------------------------------------------------------------------------------------------


def _system(value: Json) -> Top | None:
    return Top({CONTENT: value}) if isinstance(value, list) and value else None


def _blocks(top: Top) -> Json:
    return top.wire[CONTENT]


UNITS: Final = RequestUnits(MESSAGES, Prompt(SYSTEM, unit=_system, is_unit=is_top, value=_blocks, stand_in=[_HERE]))


def _read_request(document: Object, log: Log) -> Shell:
    messages = document[MESSAGES]
    if not isinstance(messages, list):
        raise BridgeError(ErrorCode.SHAPE, f"{MESSAGES!r} is not a list", path=f"/{MESSAGES}")
    shell, known = UNITS.shell(document, cast("list[Json]", messages))
    shell.default = "user"
    layout, raw = dict[str, Any](), {**document, **dict.fromkeys(known, _HERE)}
    given = value_at(document, (TOOL_CONFIG, TOOLS))
    listed = cast("list[Json]", given) if isinstance(given, list) else []
    tools, entries = read_tools(listed)
    # Where the server runs all tools, the choice is among those: no other API has them.
    shell.settings, rest = REQUEST_PARAMETERS.take(document, OF_CALLS if entries and not tools else ())
    layout |= NAMES.note_choice(shell.settings)
    extras = more_of(rest, tuple(known))
    config: Json = extras.get(TOOL_CONFIG)
    if isinstance(given, list):
        shell.tools = tools
        more = {key: value for key, value in cast("Object", config).items() if key != TOOLS}
        if entries is not None:
            more[TOOLS] = entries
            shell.tools = shell.tools or None
        extras = {**extras, TOOL_CONFIG: more}
        if not more:
            del extras[TOOL_CONFIG]
        if not given:
            layout[TOOLS] = _EMPTY
    if not given and shell.settings is not None and shell.settings.tool_choice is not None:
        layout[_CHOICE] = _ALONE
    keep_form(layout, _request(shell.tools, shell.settings, extras, layout, SYSTEM in known), raw)
    shell.extras, shell.layout = extras, layout
    return shell


def _request(
    tools: tuple[Tool, ...] | None, settings: Settings | None, extras: Object, layout: Object, top: bool
) -> Object:
    """A request as we write it, with marks in the places of its messages."""
    given: Json = extras.get(TOOL_CONFIG)
    config = cast("Object", given) if isinstance(given, dict) else {}
    entries: Json = config.get(TOOLS)
    out: Object = {MESSAGES: _HERE, **({SYSTEM: _HERE} if top else {})}
    more = {key: value for key, value in extras.items() if key not in out}
    listed = write_tools(tools or (), entries)
    beside = {key: value for key, value in config.items() if key != TOOLS}
    if not listed and settings is not None and layout.get(_CHOICE) != _ALONE:
        settings = replace(settings, tool_choice=None)  # the API has no choice where there are no tools
    if listed or (tools == () and layout.get(TOOLS) == _EMPTY):
        more[TOOL_CONFIG] = {TOOLS: listed, **beside}
    elif beside:
        more[TOOL_CONFIG] = beside
    return in_order({**REQUEST_PARAMETERS.put(settings, more), **out}, REQUEST_ORDER)


def _write_request(surrounding: Surrounding, body: Body) -> Json:
    around, extras, layout = surrounding
    values = UNITS.members(body.units)
    written = _request(around.tools, around.settings, extras, layout, SYSTEM in values)
    out = cast("Object", respelled(written, layout.get(FORM)))
    if any(out.get(key) != _HERE for key in values):
        out = written
    return {key: values.get(key, value) for key, value in out.items()}


# --- responses --------------------------------------------------------------------------------------------------------


def _read_response(document: Object, log: Log) -> Shell:
    shell = Shell([], lambda _: f"/{OUTPUT}/{MESSAGE}", "assistant")
    layout: Object = {SHAPE: _RESPONSE}
    output: Json = document.get(OUTPUT)
    raw = document
    if isinstance(output, dict) and isinstance(message := cast("Object", output).get(MESSAGE), dict):
        shell.units = [cast("Json", message)]
        shell.cut_off = document.get(STOP_REASON) in CUT_OFF
        raw = {**document, OUTPUT: {**cast("Object", output), MESSAGE: _HERE}}
    shell.settings, rest = RESPONSE_PARAMETERS.take(raw)
    extras = more_of(rest, ())
    if shell.units:
        beside = {key: value for key, value in cast("Object", extras[OUTPUT]).items() if key != MESSAGE}
        extras = {**extras, OUTPUT: beside}
        if not beside:
            del extras[OUTPUT]
    keep_form(layout, _response(shell.settings, extras, bool(shell.units)), raw)
    shell.extras, shell.layout = extras, layout
    return shell


def _response(settings: Settings | None, extras: Object, answered: bool) -> Object:
    """A response as we write it, with a mark in the place of its message."""
    given: Json = extras.get(OUTPUT)
    beside = cast("Object", given) if isinstance(given, dict) else {}
    more = {key: value for key, value in extras.items() if key != OUTPUT}
    if answered:
        more[OUTPUT] = {MESSAGE: _HERE, **{key: value for key, value in beside.items() if key != MESSAGE}}
    elif given is not None:
        more[OUTPUT] = given
    return in_order(RESPONSE_PARAMETERS.put(settings, more), RESPONSE_ORDER)


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    around, extras, layout = surrounding
    wires = body.units
    if around.tools is not None or len(wires) > 1 or any(map(is_top, wires)):
        return None
    written = _response(around.settings, extras, bool(wires))
    out = cast("Object", respelled(written, layout.get(FORM)))
    if not wires:
        return out if OUTPUT in out or STOP_REASON in out else None
    for each in (out, written):
        output: Json = each.get(OUTPUT)
        if isinstance(output, dict) and cast("Object", output).get(MESSAGE) == _HERE:
            return {**each, OUTPUT: {**cast("Object", output), MESSAGE: wires[0]}}
    return None


# --- all of them ------------------------------------------------------------------------------------------------------


def _is_document(document: Object) -> bool:
    return "role" not in document and (MESSAGES in document or OUTPUT in document)


def _is_message(item: Json) -> bool:
    return isinstance(item, OBJECT) and (CONTENT in item or "role" in item)


class _Documents(Documents):
    """A list of the events of a stream is no list of messages."""

    def read(self, source: Source, log: Log) -> Shell:
        """Take a document apart.

        Raises:
            BridgeError: OCB-SHAPE for events, and as for any document.
        """
        items = cast("list[Json]", source) if isinstance(source, list) else []
        if any(isinstance(item, dict) and "messageStart" in item for item in items):
            raise BridgeError(ErrorCode.SHAPE, EVENTS, path="")
        return super().read(cast("Source", source), log)


DOCUMENTS: Final = _Documents(
    NOTES,
    (
        Shape(REQUEST, has(MESSAGES), _read_request, _write_request),
        Shape(_RESPONSE, has(OUTPUT, STOP_REASON), _read_response, _write_response),
    ),
    expected=EXPECTED,
    item="message",
    is_item=_is_message,
    is_document=_is_document,
    default="user",
)
split: Final = DOCUMENTS.split
