"""What stands around contents, both ways: a request, a response, or nothing (a list).

| shape | is | contents | everything else |
| --- | --- | --- | --- |
| `request` | an object with `contents` | `contents` | settings; tools; extras, by key |
| `response` | an object with `candidates` | the first candidate's | settings; alternatives; extras |
| `list` | the bare list | the list | there is nothing else |
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.json_values.form import OBJECT, Object, in_order
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Settings, Tool
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.blocks.grammar import more_of
from ocml_bridge.wires.blocks.spelling import FORM, keep_form, respelled
from ocml_bridge.wires.documents import REQUEST, SHAPE, Documents, Shape, Surrounding
from ocml_bridge.wires.requests import Prompt, RequestUnits
from ocml_bridge.wires.shell import CHOICE, Branch, Shell, Top, is_top
from ocml_bridge.wires.surroundings import OF_CALLS

from .settings import CONFIG, OPENAPI_PARAMETERS, OPENAPI_SCHEMA, REQUEST_PARAMETERS, RESPONSE_PARAMETERS
from .syntax import (
    CANDIDATES,
    CHUNKS,
    CONTENT,
    CONTENTS,
    CUT_OFF,
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
    keys,
)
from .tools import NAMES, read_tools, write_tools

_RESPONSE: Final = "response"
TOP: Final = "instruction"
"""The key of the layout that tells how the system's instruction stands there, where it is no content."""
_SCHEMA: Final = "schema"
"""The key of the layout that names the member with the schema of the answer, where it is not ours."""
_COUNTS: Final = "tools"
_HERE: Final = "\0content"
"""Stands for a content where the spelling of what is around it is looked at."""


# --- requests ---------------------------------------------------------------------------------------------------------


def _is_one_of_a_kind(request: Object) -> bool:
    """Whether the system's instruction stands in a request as we would not write it."""
    if SYSTEM not in request:
        return any(alias(key) == SYSTEM for key in request)
    instruction: Json = request[SYSTEM]
    if instruction is None:
        return False
    return (
        not isinstance(instruction, dict)
        or instruction.keys() != {PARTS}
        or not (instruction[PARTS] and isinstance(instruction[PARTS], list))
    )


def _instruction(value: Json) -> Top | None:
    return None if value is None else Top(cast("Object", value))


UNITS: Final = RequestUnits(
    CONTENTS,
    Prompt(SYSTEM, unit=_instruction, is_unit=is_top, value=itemgetter(0), stand_in={PARTS: [_HERE]}),
    is_one_of_a_kind=_is_one_of_a_kind,
)


def _read_request(raw: Object, log: Log) -> Shell:
    document = keys(raw)
    contents = document[CONTENTS]
    if not isinstance(contents, list):
        raise BridgeError(ErrorCode.SHAPE, f"{CONTENTS!r} is not a list", path=f"/{CONTENTS}")
    known, layout = [CONTENTS], dict[str, Any]()
    top = _read_top(document.get(SYSTEM), layout)
    units = [*(() if top is None else (Top(top),)), *cast("list[Any]", contents)]
    shell = Shell(units, UNITS.place(prompted=top is not None), USER_ROLE)
    entries: list[Json] | None = None
    if isinstance(document.get(TOOLS), list):
        known.append(TOOLS)
        shell.tools, entries, counts = read_tools(cast("list[Json]", document[TOOLS]))
        if counts is not None:
            layout[_COUNTS] = counts
    if top is not None:
        known.append(SYSTEM)
    # Where the server runs all tools, the choice is among those: no other API has them.
    shell.settings, rest = REQUEST_PARAMETERS.take(document, () if shell.tools or not entries else OF_CALLS)
    if shell.settings is not None and OPENAPI_SCHEMA in _config(document) and not _has_schema(rest):
        layout[_SCHEMA] = OPENAPI_SCHEMA
    layout |= NAMES.note_choice(shell.settings)
    extras = more_of(rest, tuple(known))
    if entries is not None:
        extras[TOOLS] = entries
    written = _request(shell.tools, shell.settings, extras, layout, None if top is None else _HERE, [])
    hidden = {key: _HERE if top is not None and alias(key) == SYSTEM else value for key, value in raw.items()}
    keep_form(layout, written, {**hidden, CONTENTS: []}, alias)
    shell.extras, shell.layout = extras, layout
    return shell


def _config(document: Object) -> Object:
    config: Json = document.get(CONFIG)
    return keys(cast("Object", config)) if isinstance(config, dict) else {}


def _has_schema(rest: Object) -> bool:
    return OPENAPI_SCHEMA in _config(rest)


def _read_top(value: Json, layout: Object) -> Object | None:
    """What the system says as a wire message; None where it says nothing, or nothing that is understood."""
    if isinstance(value, str) and value:
        layout[TOP] = "text"
        return {PARTS: [{"text": value}]}
    if isinstance(value, list) and value:
        layout[TOP] = PARTS
        return {PARTS: cast("list[Json]", value)}
    found = cast("Object", value) if isinstance(value, dict) else {}
    parts: Json = keys(found).get(PARTS)
    return found if isinstance(parts, list) and parts else None


def _request(
    tools: tuple[Tool, ...] | None, settings: Settings | None, extras: Object, layout: Object, top: Json, contents: Json
) -> Object:
    """A request as we write it."""
    entries: Json = extras.get(TOOLS)
    entries_are = isinstance(entries, list) or tools is not None
    table = OPENAPI_PARAMETERS if layout.get(_SCHEMA) == OPENAPI_SCHEMA else REQUEST_PARAMETERS
    out: Object = {CONTENTS: contents} if top is None else {SYSTEM: top, CONTENTS: contents}
    more = {key: value for key, value in extras.items() if key not in out and not (key == TOOLS and entries_are)}
    if entries_are:
        out[TOOLS] = write_tools(tools or (), entries, layout.get(_COUNTS))
    return in_order({**table.put(settings, more), **out}, REQUEST_ORDER)


def _write_request(surrounding: Surrounding, body: Body) -> Json:
    around, extras, layout = surrounding
    members = UNITS.members(body.units)
    instruction, top = members.get(SYSTEM), members.get(SYSTEM)
    if instruction is not None and instruction.keys() == {PARTS}:
        own: Json = instruction[PARTS]
        if layout.get(TOP) == PARTS:
            top = own
        elif layout.get(TOP) == "text" and len(own) == 1 and own[0].keys() == {"text"}:
            top = own[0]["text"]
    marker = None if top is None else _HERE
    written = _request(around.tools, around.settings, extras, layout, marker, [])
    out = cast("Object", respelled(written, layout.get(FORM)))
    if out.get(CONTENTS) != [] or (top is not None and sum(alias(key) == SYSTEM for key in out) != 1):
        out = written
    return {
        key: members[CONTENTS] if key == CONTENTS else top if top is not None and alias(key) == SYSTEM else value
        for key, value in out.items()
    }


# --- responses --------------------------------------------------------------------------------------------------------


def _is_response(document: Object) -> bool:
    known = keys(document)
    return any(key in known for key in (CANDIDATES, "promptFeedback", "usageMetadata"))


def _read_response(raw: Object, log: Log) -> Shell:
    document = keys(raw)
    given: Json = document.get(CANDIDATES)
    if not (given is None or isinstance(given, list)):
        raise BridgeError(ErrorCode.SHAPE, f"{CANDIDATES!r} is not a list", path=f"/{CANDIDATES}")
    candidates = cast("list[Json]", given or [])
    shell = Shell([], lambda _: f"/{CANDIDATES}/0/{CONTENT}", MODEL_ROLE)
    layout: Object = {SHAPE: _RESPONSE}
    first = candidates[0] if candidates else None
    if first is not None and not isinstance(first, dict):
        raise BridgeError(ErrorCode.SHAPE, "a candidate must be an object", path=f"/{CANDIDATES}/0")
    others = candidates[1:]
    branches = [_branch(other, index) for index, other in enumerate(others, 1)]
    head: Object = keys(cast("Object", first)) if isinstance(first, dict) else {}
    if isinstance(content := head.get(CONTENT), dict):
        shell.units = [cast("Json", content)]
        shell.cut_off = head.get(FINISH) in CUT_OFF
        if all(branch is not None for branch in branches):
            shell.branches, others = cast("list[Branch]", branches), []
    shell.settings, rest = RESPONSE_PARAMETERS.take(document)
    extras = more_of(rest, (CANDIDATES,))
    if candidates:
        extras[CANDIDATES] = [_around(head) if shell.units else first, *others]
    contents = [_HERE] * len(shell.branches)
    about = [branch.extras for branch in shell.branches]
    written = _response(shell.settings, extras, _HERE if shell.units else None, contents, about)
    keep_form(layout, written, _hidden(raw, len(candidates) - len(others) if shell.units else 0), alias)
    shell.extras, shell.layout = extras, layout
    return shell


def _around(candidate: Object) -> Object:
    """A candidate without its content."""
    return more_of(candidate, (CONTENT,))


def _branch(candidate: Json, index: int) -> Branch | None:
    members = keys(cast("Object", candidate)) if isinstance(candidate, dict) else {}
    content = members.get(CONTENT)
    parts: Json = keys(cast("Object", content)).get(PARTS) if isinstance(content, dict) else 0
    if not (parts is None or isinstance(parts, list)):
        return None
    place = f"/{CANDIDATES}/{index}/{CONTENT}"
    return Branch([cast("Json", content)], place, _around(members), cut_off=members.get(FINISH) in CUT_OFF)


def _hidden(raw: Object, count: int) -> Object:
    """A response whose first candidates have their contents hidden."""
    given = cast("list[Object]", raw.get(CANDIDATES) or [])
    shown = [{key: _HERE if key == CONTENT else value for key, value in each.items()} for each in given[:count]]
    return {**raw, CANDIDATES: [*shown, *given[count:]]} if count else raw


def _response(
    settings: Settings | None, extras: Object, content: Json, others: list[Json], about: list[Object]
) -> Object:
    """A response as we write it."""
    given: Json = extras.get(CANDIDATES)
    candidates = cast("list[Json]", given) if isinstance(given, list) else []
    written: list[Json] = list(candidates)
    if content is not None:
        first = cast("Object", candidates[0]) if candidates and isinstance(candidates[0], dict) else {}
        answers = [{CONTENT: each, **_without_content(one)} for each, one in zip(others, about, strict=True)]
        written = [{CONTENT: content, **_without_content(first)}, *candidates[1:], *answers]
    more = {key: value for key, value in extras.items() if key != CANDIDATES}
    out: Object = {CANDIDATES: written} if written else {}
    return in_order({**RESPONSE_PARAMETERS.put(settings, more), **out}, RESPONSE_ORDER)


def _without_content(candidate: Object) -> Object:
    return {key: value for key, value in candidate.items() if key != CONTENT}


def _write_response(surrounding: Surrounding, body: Body) -> Json | None:
    around, extras, layout = surrounding
    wires = body.units
    if around.tools is not None or len(wires) > 1 or any(map(is_top, wires)):
        return None
    content = wires[0] if wires else None
    others: list[Json] = []
    about: list[Object] = []
    for alternative, branch in zip(around.alternatives or (), body.branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(branch) == 1 and content is not None:
            own = NOTES.of(alternative.extras)
            others.append(branch[0])
            is_whole = alternative.messages and alternative.messages[-1].end is not None
            about.append(own or ({FINISH: "STOP", "index": len(others)} if is_whole else {}))
    written = _response(around.settings, extras, None if content is None else _HERE, [_HERE] * len(others), about)
    out = cast("Object", respelled(written, layout.get(FORM)))
    if not _is_response(out):
        return None
    filled = _with_contents(out, [] if content is None else [content, *others])
    return _with_contents(written, [] if content is None else [content, *others]) if filled is None else filled


def _with_contents(response: Object, contents: list[Json]) -> Object | None:
    """A response with contents in the places for them; None where it has not so many."""
    given: Json = response.get(CANDIDATES)
    candidates = cast("list[Json]", given) if isinstance(given, list) else []
    following = iter(contents)
    out: list[Json] = []
    for each in candidates:
        if isinstance(each, dict) and cast("Object", each).get(CONTENT) == _HERE:
            content = next(following, None)
            if content is None:
                return None
            out.append({key: content if key == CONTENT else value for key, value in cast("Object", each).items()})
        else:
            out.append(each)
    if next(following, None) is not None:
        return None
    return {key: out if key == CANDIDATES and isinstance(value, list) else value for key, value in response.items()}


# --- all of them ------------------------------------------------------------------------------------------------------


def _are_chunks(source: Source) -> bool:
    """Whether a list of responses is the chunks of one."""
    items = cast("list[Json]", source) if isinstance(source, list) else []
    objects = [keys(cast("Object", item)) for item in items if isinstance(item, dict)]
    ids = [each.get("responseId") for each in objects if CANDIDATES in each]
    return len(items) == len(ids) > 1 and ids[0] is not None and all(each == ids[0] for each in ids)


def _is_request(document: Object) -> bool:
    return CONTENTS in keys(document)


def _is_document(document: Object) -> bool:
    return PARTS not in keys(document) and (_is_request(document) or _is_response(document))


def _is_content(item: Json) -> bool:
    return isinstance(item, OBJECT) and (PARTS in item or ROLE in item)


class _Documents(Documents):
    """A list of chunks of one response is no list of documents."""

    def split(self, source: Source, options: Options) -> list[tuple[int, Source]]:
        """The conversations of a list of documents, each with its index; else the one document that a source is."""
        return [(0, source)] if _are_chunks(source) else super().split(source, options)

    def read(self, source: Source, log: Log) -> Shell:
        """Take a document apart.

        Raises:
            BridgeError: OCB-SHAPE for chunks, and as for any document.
        """
        if _are_chunks(source):
            raise BridgeError(ErrorCode.SHAPE, CHUNKS, path="")
        return super().read(source, log)


DOCUMENTS: Final = _Documents(
    NOTES,
    (
        Shape(REQUEST, _is_request, _read_request, _write_request),
        Shape(_RESPONSE, _is_response, _read_response, _write_response),
    ),
    expected=EXPECTED,
    item="content",
    is_item=_is_content,
    is_document=_is_document,
    default=USER_ROLE,
)
split: Final = DOCUMENTS.split
