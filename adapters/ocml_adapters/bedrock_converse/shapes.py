"""What stands around messages, both ways: a request, a response, or nothing (a list).

| shape | is | messages | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages` | `messages` | settings; tools; extras, by key |
| `response` | an object with `output` | the one in `output` | settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
"""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.blocks.grammar import more_of
from ocml_bridge.blocks.places import read_places, write_places
from ocml_bridge.blocks.shell import Parts, Shell, Top
from ocml_bridge.blocks.spelling import UnlikeError, form_of, respelled
from ocml_bridge.boundary import ListsOfDocuments
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.form import OBJECT, Object, in_order
from ocml_bridge.model import Json, Settings, Tool, replace
from ocml_bridge.units.grammar import Emptied

from . import settings as places
from .alphabet import AS_IS, is_fit
from .syntax import (
    CONTENT,
    CUT_OFF,
    EVENTS,
    EXPECTED,
    HOME,
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
from .tools import read_tools, write_tools

SHAPE: Final = "shape"
_FORM: Final = "form"
_EMPTY: Final = "empty"
"""The layout of tools that are none: the API asks for one at least."""
_HERE: Final = "\0message"
"""Stands for messages where the spelling of what is around them is looked at."""


def read_shell(source: Source) -> Shell:
    """Take a document apart.

    Raises:
        BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
    """
    if isinstance(source, list):
        messages = cast("list[Json]", source)
        _DOCUMENTS.refuse(messages)
        if any(isinstance(item, dict) and "messageStart" in item for item in messages):
            raise BridgeError(ErrorCode.SHAPE, EVENTS, path="")
        return Shell(messages, "user", lambda at: f"/{at}", layout={HOME: {SHAPE: "list"}})
    if isinstance(source, dict):
        document = cast("Object", source)
        if MESSAGES in document:
            return _read_request(document)
        if OUTPUT in document or STOP_REASON in document:
            return _read_response(document)
    raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")


def _is_document(document: Object) -> bool:
    return "role" not in document and (MESSAGES in document or OUTPUT in document)


def _is_message(item: Json) -> bool:
    return isinstance(item, OBJECT) and CONTENT in item


_DOCUMENTS: Final = ListsOfDocuments(_is_document, _is_message)
split: Final = _DOCUMENTS.split
"""The conversations of a list of documents, each with its index; else the one document that a source is."""


_CHOICE, _ALONE = "toolChoice", "alone"
"""The note of a request that was read with a choice among no tools."""


def emptied(source: Source) -> Emptied | None:
    """A request as its envelope and its messages; None for a document of another shape."""
    document: Object = cast("Object", source) if source.__class__ is dict else {}
    messages: Json = document.get(MESSAGES)
    system: Json = document.get(SYSTEM)
    if messages.__class__ is not list:
        return None
    if system.__class__ is list and system:
        return Emptied({**document, MESSAGES: [], SYSTEM: [_HERE]}, [Top({CONTENT: system}), *messages])
    return Emptied({**document, MESSAGES: []}, messages)


def _note_form(layout: Object, written: Object, raw: Object) -> None:
    """Keep how a document was spelled around its messages."""
    try:
        form = form_of(written, raw)
    except UnlikeError:
        return
    if form is not None:
        layout[_FORM] = form


# --- requests ---------------------------------------------------------------------------------------------------------


def _read_request(document: Object) -> Shell:
    messages = document[MESSAGES]
    if not isinstance(messages, list):
        raise BridgeError(ErrorCode.SHAPE, f"{MESSAGES!r} is not a list", path=f"/{MESSAGES}")
    shell = Shell(cast("list[Json]", messages), "user", lambda at: f"/{MESSAGES}/{at}")
    known, layout, raw = [MESSAGES], dict[str, Any](), {**document, MESSAGES: _HERE}
    system: Json = document.get(SYSTEM)
    if isinstance(system, list) and system:
        known.append(SYSTEM)
        shell.top, shell.top_place, raw[SYSTEM] = {CONTENT: system}, "", _HERE
    shell.settings, rest = read_places(document, places.REQUEST)
    if not is_fit(shell.settings):
        layout[AS_IS] = True
    extras = more_of(rest, tuple(known))
    config: Json = extras.get(TOOL_CONFIG)
    given: Json = cast("Object", config).get(TOOLS) if isinstance(config, dict) else None
    if isinstance(given, list):
        shell.tools, entries = read_tools(cast("list[Json]", given))
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
    _note_form(layout, _request(shell.tools, shell.settings, extras, layout, shell.top is not None), raw)
    shell.extras, shell.layout = NOTES.by_format(extras), NOTES.by_format(layout)
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
    return in_order({**write_places(settings, more, places.REQUEST), **out}, REQUEST_ORDER)


def _write_request(parts: Parts, extras: Object, layout: Object) -> Json:
    around, top = parts.around, parts.top
    written = _request(around.tools, around.settings, extras, layout, top is not None)
    out = cast("Object", respelled(written, layout.get(_FORM)))
    if out.get(MESSAGES) != _HERE or (top is not None and out.get(SYSTEM) != _HERE):
        out = written
    values: Object = {MESSAGES: parts.wires}
    if top is not None:
        values[SYSTEM] = top[CONTENT]
    return {key: values.get(key, value) for key, value in out.items()}


# --- responses --------------------------------------------------------------------------------------------------------


def _read_response(document: Object) -> Shell:
    shell = Shell([], "assistant", lambda _: f"/{OUTPUT}/{MESSAGE}")
    layout: Object = {SHAPE: "response"}
    output: Json = document.get(OUTPUT)
    raw = document
    if isinstance(output, dict) and isinstance(message := cast("Object", output).get(MESSAGE), dict):
        shell.wires = [cast("Json", message)]
        shell.cut_off = document.get(STOP_REASON) in CUT_OFF
        raw = {**document, OUTPUT: {**cast("Object", output), MESSAGE: _HERE}}
    shell.settings, rest = read_places(raw, places.RESPONSE)
    extras = more_of(rest, ())
    if shell.wires:
        beside = {key: value for key, value in cast("Object", extras[OUTPUT]).items() if key != MESSAGE}
        extras = {**extras, OUTPUT: beside}
        if not beside:
            del extras[OUTPUT]
    _note_form(layout, _response(shell.settings, extras, bool(shell.wires)), raw)
    shell.extras, shell.layout = NOTES.by_format(extras), NOTES.by_format(layout)
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
    return in_order(write_places(settings, more, places.RESPONSE), RESPONSE_ORDER)


def _write_response(parts: Parts, extras: Object, layout: Object) -> Json | None:
    around, wires = parts.around, parts.wires
    if parts.top is not None or around.tools is not None or len(wires) > 1:
        return None
    written = _response(around.settings, extras, bool(wires))
    out = cast("Object", respelled(written, layout.get(_FORM)))
    if not wires:
        return out if OUTPUT in out or STOP_REASON in out else None
    for each in (out, written):
        output: Json = each.get(OUTPUT)
        if isinstance(output, dict) and cast("Object", output).get(MESSAGE) == _HERE:
            return {**each, OUTPUT: {**cast("Object", output), MESSAGE: wires[0]}}
    return None


# --- writing ----------------------------------------------------------------------------------------------------------


def write_document(parts: Parts) -> Json:
    """Put messages into the shape that they were read from, or into a request where they do not fit it."""
    around = parts.around
    extras, layout = NOTES.of(around.extras), NOTES.of(around.layout)
    bare = not extras and parts.top is around.tools is around.settings is None
    if layout.get(SHAPE) == "list" and bare:
        return parts.wires
    written = _write_response(parts, extras, layout) if layout.get(SHAPE) == "response" else None
    return _write_request(parts, extras, layout) if written is None else written
