"""Read and write the three shapes of documents: requests, responses and bare lists.

| shape | is | messages | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages` | `messages` | settings; tools; extras, by key |
| `response` | an object with `output` | the one in `output` | settings; extras, by key |
| `list` | the bare list | the list | none |
"""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.json_values.form import Object, in_order, without
from ocml_bridge.json_values.parameters import items_of, members_of, value_at
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Settings, Tool, replace
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Stream, Surrounding, has
from ocml_bridge.wires.endings import with_filter
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import Shell, Top, is_top
from ocml_bridge.wires.surroundings import OF_CALLS

from .settings import REQUEST_PARAMETERS, RESPONSE_PARAMETERS
from .syntax import (
    CONTENT,
    ENDINGS,
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
"""The layout of an empty list of tools, which the API refuses."""
_PLACEHOLDER: Final = "\0message"
"""Takes the place of messages when the form of a document around them is compared."""
_CHOICE, _ALONE = "toolChoice", "alone"
"""The layout of a request that was read with a tool choice, but without tools."""


# --- requests ---------------------------------------------------------------------------------------------------------


def _system(value: Json) -> Top | None:
    return Top({CONTENT: value}) if isinstance(value, list) and value else None


def _blocks(top: Top) -> Json:
    return top.wire[CONTENT]


UNITS: Final = RequestUnits(
    MESSAGES, Prompt(SYSTEM, unit=_system, is_unit=is_top, value=_blocks, stand_in=[_PLACEHOLDER])
)


def _read_request(document: Object, log: Log) -> Shell:
    shell, known = UNITS.shell(document)
    shell.default = "user"
    layout, raw = dict[str, Any](), {**document, **dict.fromkeys(known, _PLACEHOLDER)}
    raw_tools = value_at(document, (TOOL_CONFIG, TOOLS))
    tools, entries = read_tools(items_of(raw_tools))
    # If the server runs all tools, the choice is among those, which no other API has; so it is no setting.
    shell.settings, rest = REQUEST_PARAMETERS.take(document, OF_CALLS if entries and not tools else ())
    layout |= NAMES.note_choice(shell.settings)
    extras = more_of(rest, tuple(known))
    config: Json = extras.get(TOOL_CONFIG)
    if isinstance(raw_tools, list):
        shell.tools = tools
        more = without(cast("Object", config), TOOLS)
        if entries is not None:
            more[TOOLS] = entries
            shell.tools = shell.tools or None
        extras = {**extras, TOOL_CONFIG: more}
        if not more:
            del extras[TOOL_CONFIG]
        if not raw_tools:
            layout[TOOLS] = _EMPTY
    if not shell.tools and shell.settings is not None and shell.settings.tool_choice is not None:
        layout[_CHOICE] = _ALONE
    keep_form(layout, _request(shell.tools, shell.settings, extras, layout, SYSTEM in known), raw)
    shell.extras, shell.layout = extras, layout
    return shell


def _request(
    tools: tuple[Tool, ...] | None, settings: Settings | None, extras: Object, layout: Object, has_prompt: bool
) -> Object:
    """Return a request as the writer writes it, with placeholders for its messages.

    Args:
        tools: the declared tools.
        settings: the settings.
        extras: the other members; in `toolConfig`, the entries of `tools` as `read_tools` returns them.
        layout: the layout of the document.
        has_prompt: whether it has a system prompt.
    """
    config = members_of(extras.get(TOOL_CONFIG))
    out: Object = {MESSAGES: _PLACEHOLDER, **({SYSTEM: _PLACEHOLDER} if has_prompt else {})}
    more = {key: value for key, value in extras.items() if key not in out}
    written_tools = write_tools(tools or (), config.get(TOOLS))
    config_extras = without(config, TOOLS)
    if not written_tools and settings is not None and layout.get(_CHOICE) != _ALONE:
        settings = replace(settings, tool_choice=None)  # the API refuses a choice without tools
    if written_tools or (tools == () and layout.get(TOOLS) == _EMPTY):
        more[TOOL_CONFIG] = {TOOLS: written_tools, **config_extras}
    elif config_extras:
        more[TOOL_CONFIG] = config_extras
    return in_order({**REQUEST_PARAMETERS.put(settings, more), **out}, REQUEST_ORDER)


def _write_request(surrounding: Surrounding, body: Body) -> Json:
    around, extras, layout = surrounding
    values = UNITS.members(body.units)
    written = _request(around.tools, around.settings, extras, layout, SYSTEM in values)
    out = cast("Object", respelled(written, layout.get(FORM)))
    if any(out.get(key) != _PLACEHOLDER for key in values):
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
        shell.cut_off = ENDINGS.is_cut_off(document.get(STOP_REASON))
        raw = {**document, OUTPUT: {**cast("Object", output), MESSAGE: _PLACEHOLDER}}
    settings, rest = RESPONSE_PARAMETERS.take(raw)
    shell.settings = with_filter(settings, is_filtered=ENDINGS.is_filtered(document.get(STOP_REASON)))
    extras = more_of(rest, ())
    if shell.units:
        output_extras = without(cast("Object", extras[OUTPUT]), MESSAGE)
        extras = {**extras, OUTPUT: output_extras}
        if not output_extras:
            del extras[OUTPUT]
    keep_form(layout, _response(shell.settings, extras, bool(shell.units)), raw)
    shell.extras, shell.layout = extras, layout
    return shell


def _response(settings: Settings | None, extras: Object, has_message: bool) -> Object:
    """Return a response as the writer writes it, with a placeholder for its message.

    Args:
        settings: the settings.
        extras: the other members, and those of `output`.
        has_message: whether it has a message.
    """
    output: Json = extras.get(OUTPUT)
    more = without(extras, OUTPUT)
    if has_message:
        more[OUTPUT] = {
            MESSAGE: _PLACEHOLDER,
            **without(members_of(output), MESSAGE),
        }
    elif output is not None:
        more[OUTPUT] = output
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
        if isinstance(output, dict) and cast("Object", output).get(MESSAGE) == _PLACEHOLDER:
            return {**each, OUTPUT: {**cast("Object", output), MESSAGE: wires[0]}}
    return None


# --- all shapes -------------------------------------------------------------------------------------------------------


def _is_document(document: Object) -> bool:
    return "role" not in document and (MESSAGES in document or OUTPUT in document)


def _are_events(items: list[Json]) -> bool:
    return any(isinstance(item, dict) and "messageStart" in item for item in items)


DOCUMENTS: Final = Documents(
    NOTES,
    (
        Shape(REQUEST, has(MESSAGES), _read_request, _write_request),
        Shape(_RESPONSE, has(OUTPUT, STOP_REASON), _read_response, _write_response),
    ),
    expected=EXPECTED,
    item="message",
    is_item=has(CONTENT, "role"),
    is_document=_is_document,
    default="user",
    stream=Stream(_are_events, EVENTS),
)
split: Final = DOCUMENTS.split
