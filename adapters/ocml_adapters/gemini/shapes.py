"""Read and write the shapes of documents: requests, responses, enclosed ones (`enclosed`), and bare lists.

| shape | is | contents | everything else |
| --- | --- | --- | --- |
| `request` | an object with `contents` | `contents` | settings; tools; extras, by key |
| `response` | an object with `candidates` | that of the first candidate | settings; alternatives; extras |
| `list` | the bare list | the list | none |
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import Object, in_order, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Settings, Tool
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Stream, Surrounding, has
from ocml_bridge.wires.endings import with_filter
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import CHOICE, Branch, Place, Shell, Top, is_top
from ocml_bridge.wires.surroundings import OF_CALLS

from .enclosed import enclosed
from .settings import CONFIG, OPENAPI_PARAMETERS, OPENAPI_SCHEMA, REQUEST_PARAMETERS, RESPONSE_PARAMETERS
from .syntax import (
    ALONE,
    CANDIDATES,
    CHUNKS,
    CONTENT,
    CONTENTS,
    EXPECTED,
    FINISH,
    MODEL_ROLE,
    NOTES,
    PARTS,
    REQUEST_ORDER,
    RESPONSE_ORDER,
    ROLE,
    SYSTEM,
    TOOLS,
    USER_ROLE,
    alias,
    is_cut_off,
    is_enclosed,
    is_filtered,
    is_response,
    keys,
    lists_of,
    opened,
    with_lone_objects,
)
from .tools import NAMES, read_tools, write_tools

_RESPONSE: Final = "response"
TOP: Final = "instruction"
"""The key of the layout with the spelling of a system instruction that is no content: `text`, or `parts` for a list."""
_SCHEMA: Final = "schema"
"""The key of the layout with the key of the answer's schema, if it is not the one that the writer uses."""
_PLACEHOLDER: Final = "\0content"
"""Takes the place of a content when the form of a document around it is compared."""


# --- requests ---------------------------------------------------------------------------------------------------------


def _depends_on_units(request: Object) -> bool:
    """Return whether the writer would spell the system instruction of a request otherwise.

    Such an instruction cannot be replaced by another one in the envelope of the request.
    """
    instructions: list[Json] = [value for key, value in request.items() if alias(key) == SYSTEM]
    if len(instructions) != 1:
        return bool(instructions)
    (instruction,) = instructions
    if instruction is None:
        return False
    return (
        not isinstance(instruction, dict)
        or not {PARTS} <= instruction.keys() <= {ROLE, PARTS}
        or not (instruction[PARTS] and isinstance(instruction[PARTS], list))
    )


def _instruction(value: Json) -> Top | None:
    return None if value is None else Top(cast("Object", value))


UNITS: Final = RequestUnits(
    CONTENTS,
    Prompt(
        SYSTEM,
        unit=_instruction,
        is_unit=is_top,
        value=itemgetter(0),
        stand_in={PARTS: [_PLACEHOLDER]},
        others=("system_instruction",),
    ),
    depends_on_units=_depends_on_units,
)


def _read_request(raw: Object, log: Log) -> Shell:
    document = keys(raw)
    lists, alone = lists_of(document, (CONTENTS, TOOLS))
    contents = lists[CONTENTS]
    if not isinstance(contents, list):
        raise BridgeError(ErrorCode.SHAPE, f"{CONTENTS!r} is not a list", path=f"/{CONTENTS}")
    known, layout = [CONTENTS], dict[str, Any]()
    if alone:
        layout[ALONE] = alone
    top = _read_top(document.get(SYSTEM), layout)
    units = [*(() if top is None else (Top(top),)), *cast("list[Any]", contents)]
    shell = Shell(units, _place(prompted=top is not None, alone=CONTENTS in alone), USER_ROLE)
    entries: list[Json] | None = None
    if isinstance(lists.get(TOOLS), list):
        known.append(TOOLS)
        shell.tools, entries = read_tools(cast("list[Json]", lists[TOOLS]), layout)
    if top is not None:
        known.append(SYSTEM)
    # If the server runs all tools, the choice is among those, which no other API has; so it is no setting.
    shell.settings, rest = REQUEST_PARAMETERS.take(document, () if shell.tools or not entries else OF_CALLS)
    if shell.settings is not None and OPENAPI_SCHEMA in _config(document) and OPENAPI_SCHEMA not in _config(rest):
        layout[_SCHEMA] = OPENAPI_SCHEMA
    layout |= NAMES.note_choice(shell.settings)
    extras = more_of(rest, tuple(known))
    if entries is not None:
        extras[TOOLS] = entries
    written = _request(shell.tools, shell.settings, extras, layout, has_top=top is not None)
    hidden = {key: _PLACEHOLDER if top is not None and alias(key) == SYSTEM else value for key, value in raw.items()}
    keep_form(layout, written, {**hidden, **{key: lists[key] for key in alone}, CONTENTS: []}, alias)
    shell.extras, shell.layout = extras, layout
    return shell


def _place(*, prompted: bool, alone: bool) -> Place:
    """Return a function that gives the JSON pointer of the unit at an index."""
    place = UNITS.place(prompted=prompted)
    return (lambda at: f"/{CONTENTS}" if at == prompted else place(at)) if alone else place


def _config(document: Object) -> Object:
    return keys(members_of(document.get(CONFIG)))


def _read_top(value: Json, layout: Object) -> Object | None:
    """Return the system instruction as a content, or None; its layout is added if it is no content.

    Args:
        value: the value of the member.
        layout: receives how it is spelled.
    """
    if isinstance(value, str) and value:
        layout[TOP] = "text"
        return {PARTS: [{"text": value}]}
    if isinstance(value, list) and value:
        layout[TOP] = PARTS
        return {PARTS: cast("list[Json]", value)}
    content = members_of(value)
    parts: Json = keys(content).get(PARTS)
    return content if isinstance(parts, (list, dict)) and parts else None


def _request(
    tools: tuple[Tool, ...] | None, settings: Settings | None, extras: Object, layout: Object, *, has_top: bool
) -> Object:
    """Return a request as the writer writes it, with a placeholder for the system instruction, and without contents.

    Args:
        tools: the declared functions.
        settings: the settings.
        extras: the other members; in `tools`, those of the lists of tools.
        layout: the layout of the document.
        has_top: whether there is a system instruction.
    """
    entries: Json = extras.get(TOOLS)
    has_tools = isinstance(entries, list) or tools is not None
    table = OPENAPI_PARAMETERS if layout.get(_SCHEMA) == OPENAPI_SCHEMA else REQUEST_PARAMETERS
    out: Object = {**({SYSTEM: _PLACEHOLDER} if has_top else {}), CONTENTS: []}
    more = {key: value for key, value in extras.items() if key not in out and not (key == TOOLS and has_tools)}
    if has_tools:
        out[TOOLS] = write_tools(tools or (), entries, layout)
    return in_order({**table.put(settings, more), **out}, REQUEST_ORDER)


def _write_request(surrounding: Surrounding, body: Body) -> Json:
    around, extras, layout = surrounding
    members = UNITS.members(body.units)
    instruction, top = members.get(SYSTEM), members.get(SYSTEM)
    if instruction is not None and instruction.keys() == {PARTS}:
        parts: Json = instruction[PARTS]
        if layout.get(TOP) == PARTS:
            top = parts
        elif layout.get(TOP) == "text" and parts.__class__ is list and len(parts) == 1 and parts[0].keys() == {"text"}:
            top = parts[0]["text"]
    written = _request(around.tools, around.settings, extras, layout, has_top=top is not None)
    out = cast("Object", respelled(written, layout.get(FORM)))
    if out.get(CONTENTS) != [] or (top is not None and sum(alias(key) == SYSTEM for key in out) != 1):
        out = written
    filled: Object = {
        key: members[CONTENTS] if key == CONTENTS else top if top is not None and alias(key) == SYSTEM else value
        for key, value in out.items()
    }
    return with_lone_objects(filled, layout.get(ALONE))


# --- responses --------------------------------------------------------------------------------------------------------


def _read_response(raw: Object, log: Log) -> Shell:
    document = keys(raw)
    raw_candidates: Json = document.get(CANDIDATES)
    if not (raw_candidates is None or isinstance(raw_candidates, list)):
        raise BridgeError(ErrorCode.SHAPE, f"{CANDIDATES!r} is not a list", path=f"/{CANDIDATES}")
    candidates = items_of(raw_candidates)
    shell = Shell([], lambda _: f"/{CANDIDATES}/0/{CONTENT}", MODEL_ROLE)
    layout: Object = {SHAPE: _RESPONSE}
    first = candidates[0] if candidates else None
    if first is not None and not isinstance(first, dict):
        raise BridgeError(ErrorCode.SHAPE, "a candidate must be an object", path=f"/{CANDIDATES}/0")
    others = candidates[1:]
    branches = [_branch(other, index) for index, other in enumerate(others, 1)]
    head = keys(members_of(first))
    if isinstance(content := head.get(CONTENT), dict):
        shell.units = [cast("Json", content)]
        shell.cut_off = is_cut_off(head)
        if all(branch is not None for branch in branches):
            shell.branches, others = cast("list[Branch]", branches), []
    settings, rest = RESPONSE_PARAMETERS.take(document)
    shell.settings = with_filter(settings, is_filtered=is_filtered(document, head))
    extras = more_of(rest, (CANDIDATES,))
    if candidates:
        extras[CANDIDATES] = [more_of(head, (CONTENT,)) if shell.units else first, *others]
    branches = [branch.extras for branch in shell.branches]
    written = _response(shell.settings, extras, branches, has_content=bool(shell.units))
    keep_form(layout, written, _hidden(raw, len(candidates) - len(others) if shell.units else 0), alias)
    shell.extras, shell.layout = extras, layout
    return shell


def _branch(candidate: Json, index: int) -> Branch | None:
    """Return an alternative answer; None for a value that is no candidate with a content."""
    members = keys(members_of(candidate))
    content = members.get(CONTENT)
    parts: Json = keys(cast("Object", content)).get(PARTS) if isinstance(content, dict) else 0
    if not (parts is None or isinstance(parts, list)):
        return None
    place = f"/{CANDIDATES}/{index}/{CONTENT}"
    return Branch([cast("Json", content)], place, more_of(members, (CONTENT,)), cut_off=is_cut_off(members))


def _hidden(raw: Object, count: int) -> Object:
    """Return a response with placeholders for the contents of its first `count` candidates."""
    candidates = cast("list[Object]", raw.get(CANDIDATES) or [])
    hidden = [
        {key: _PLACEHOLDER if key == CONTENT else value for key, value in each.items()} for each in candidates[:count]
    ]
    return {**raw, CANDIDATES: [*hidden, *candidates[count:]]} if count else raw


def _response(settings: Settings | None, extras: Object, branches: list[Object], *, has_content: bool) -> Object:
    """Return a response as the writer writes it, with placeholders for the contents of its candidates.

    Args:
        settings: the settings.
        extras: the other members; in `candidates`, those of the first candidate, and candidates that are not read.
        branches: the other members of the candidates of the alternatives.
        has_content: whether the first candidate has a content.
    """
    candidates = items_of(extras.get(CANDIDATES))
    written: list[Json] = list(candidates)
    if has_content:
        first = members_of(candidates[0]) if candidates else {}
        answer, *others = [{CONTENT: _PLACEHOLDER, **without(more, CONTENT)} for more in (first, *branches)]
        written = [answer, *candidates[1:], *others]
    more = without(extras, CANDIDATES)
    out: Object = {CANDIDATES: written} if written else {}
    return in_order({**RESPONSE_PARAMETERS.put(settings, more), **out}, RESPONSE_ORDER)


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    around, extras, layout = surrounding
    wires = body.units
    if around.tools is not None or len(wires) > 1 or any(map(is_top, wires)):
        return None
    content = wires[0] if wires else None
    others: list[Json] = []
    branch_extras: list[Object] = []
    for alternative, branch in zip(around.alternatives or (), body.branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(branch) == 1 and content is not None:
            more = NOTES.of(alternative.extras)
            others.append(branch[0])
            is_complete = alternative.messages and alternative.messages[-1].end is not None
            branch_extras.append(more or ({FINISH: "STOP", "index": len(others)} if is_complete else {}))
    written = _response(around.settings, extras, branch_extras, has_content=content is not None)
    out = cast("Object", respelled(written, layout.get(FORM)))
    if not is_response(out):
        return None
    contents = [] if content is None else [content, *others]
    filled = _with_contents(out, contents)
    return _with_contents(written, contents) if filled is None else filled


def _with_contents(response: Object, contents: list[Json]) -> Object | None:
    """Return a response with contents in place of the placeholders; None if their number is not the same."""
    following = iter(contents)
    out: list[Json] = []
    for each in items_of(response.get(CANDIDATES)):
        if isinstance(each, dict) and cast("Object", each).get(CONTENT) == _PLACEHOLDER:
            content = next(following, None)
            if content is None:
                return None
            out.append({key: content if key == CONTENT else value for key, value in cast("Object", each).items()})
        else:
            out.append(each)
    if next(following, None) is not None:
        return None
    return {key: out if key == CANDIDATES and isinstance(value, list) else value for key, value in response.items()}


# --- all shapes -------------------------------------------------------------------------------------------------------


def _are_chunks(items: list[Json]) -> bool:
    """Return whether a list has several responses with one id, which are the chunks of a stream."""
    objects = [keys(opened(cast("Object", item))) for item in items if isinstance(item, dict)]
    ids = [each.get("responseId") for each in objects if CANDIDATES in each]
    return len(items) == len(ids) > 1 and ids[0] is not None and all(each == ids[0] for each in ids)


def _is_request(document: Object) -> bool:
    return CONTENTS in keys(document)


def _is_document(document: Object) -> bool:
    is_one = _is_request(document) or is_response(document) or is_enclosed(document)
    return PARTS not in keys(document) and is_one


_OF_RESPONSES: Final = Shape(_RESPONSE, is_response, _read_response, _write_response)
DOCUMENTS: Final = Documents(
    NOTES,
    (Shape(REQUEST, _is_request, _read_request, _write_request), _OF_RESPONSES, enclosed(_OF_RESPONSES)),
    expected=EXPECTED,
    item="content",
    is_item=has(PARTS, ROLE),
    is_document=_is_document,
    default=USER_ROLE,
    stream=Stream(_are_chunks, CHUNKS),
)
split: Final = DOCUMENTS.split
