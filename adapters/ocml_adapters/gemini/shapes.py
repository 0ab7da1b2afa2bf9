"""What stands around contents, both ways: a request, a response, or nothing (a list).

| shape | is | contents | everything else |
| --- | --- | --- | --- |
| `request` | an object with `contents` | `contents` | settings; tools; extras, by key |
| `response` | an object with `candidates` | the first candidate's | settings; alternatives; extras |
| `list` | the bare list | the list | there is nothing else |
"""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.blocks.grammar import more_of
from ocml_bridge.blocks.places import read_places, write_places
from ocml_bridge.blocks.shell import CHOICE, Branch, Parts, Shell, Top
from ocml_bridge.blocks.spelling import UnlikeError, form_of, respelled
from ocml_bridge.boundary import ListsOfDocuments
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.form import OBJECT, Object, in_order
from ocml_bridge.model import Json, Settings, Tool
from ocml_bridge.units.grammar import Emptied

from . import settings as places
from .syntax import (
    CANDIDATES,
    CHUNKS,
    CONTENT,
    CONTENTS,
    CUT_OFF,
    EXPECTED,
    FINISH,
    HOME,
    MODEL_ROLE,
    NOTES,
    PARTS,
    REQUEST_ORDER,
    RESPONSE_ORDER,
    SYSTEM,
    TOOLS,
    USER_ROLE,
    alias,
    keys,
)
from .tools import read_tools, write_tools

SHAPE: Final = "shape"
_FORM: Final = "form"
TOP: Final = "instruction"
"""The key of the layout that tells how the system's instruction stands there, where it is no content."""
_SCHEMA: Final = "schema"
"""The key of the layout that names the member with the schema of the answer, where it is not ours."""
_COUNTS: Final = "tools"
_HERE: Final = "\0content"
"""Stands for a content where the spelling of what is around it is looked at."""


def read_shell(source: Source) -> Shell:
    """Take a document apart.

    Raises:
        BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
    """
    if isinstance(source, list):
        contents = cast("list[Json]", source)
        if _are_chunks(contents):
            raise BridgeError(ErrorCode.SHAPE, CHUNKS, path="")
        _DOCUMENTS.refuse(contents)
        return Shell(contents, USER_ROLE, lambda at: f"/{at}", layout={HOME: {SHAPE: "list"}})
    if isinstance(source, dict):
        document = keys(cast("Object", source))
        if CONTENTS in document:
            return _read_request(document, cast("Object", source))
        if _is_response(document):
            return _read_response(document, cast("Object", source))
    raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")


def _is_response(document: Object) -> bool:
    return any(key in document for key in (CANDIDATES, "promptFeedback", "usageMetadata"))


def _are_chunks(source: Source) -> bool:
    """Whether a list of responses is the chunks of one."""
    items = cast("list[Json]", source) if isinstance(source, list) else []
    objects = [keys(cast("Object", item)) for item in items if isinstance(item, dict)]
    ids = [each.get("responseId") for each in objects if CANDIDATES in each]
    return len(items) == len(ids) > 1 and ids[0] is not None and all(each == ids[0] for each in ids)


def _is_document(document: Object) -> bool:
    known = keys(document)
    return PARTS not in known and (CONTENTS in known or _is_response(known))


def _is_content(item: Json) -> bool:
    return isinstance(item, OBJECT) and PARTS in item


_DOCUMENTS: Final = ListsOfDocuments(_is_document, _is_content)


def split(source: Source, options: Options) -> list[tuple[int, Source]]:
    """The conversations of a list of documents, each with its index; else the one document that a source is."""
    return [(0, source)] if _are_chunks(source) else _DOCUMENTS.split(source, options)


def emptied(source: Source) -> Emptied | None:
    """A request as its envelope and its contents; None for a document of another shape or spelling."""
    document: Object = cast("Object", source) if source.__class__ is dict else {}
    contents: Json = document.get(CONTENTS)
    instruction: Json = document.get(SYSTEM)
    if contents.__class__ is not list or (SYSTEM not in document and any(alias(key) == SYSTEM for key in document)):
        return None
    if instruction is None:
        return Emptied({**document, CONTENTS: []}, contents)
    if instruction.__class__ is not dict or instruction.keys() != {PARTS} or not isinstance(instruction[PARTS], list):
        return None
    if not instruction[PARTS]:
        return None
    return Emptied({**document, CONTENTS: [], SYSTEM: {PARTS: [_HERE]}}, [Top(instruction), *contents])


# --- requests ---------------------------------------------------------------------------------------------------------


def _read_request(document: Object, raw: Object) -> Shell:
    contents = document[CONTENTS]
    if not isinstance(contents, list):
        raise BridgeError(ErrorCode.SHAPE, f"{CONTENTS!r} is not a list", path=f"/{CONTENTS}")
    shell = Shell(cast("list[Json]", contents), USER_ROLE, lambda at: f"/{CONTENTS}/{at}")
    known, layout = [CONTENTS], dict[str, Any]()
    entries: list[Json] | None = None
    if isinstance(document.get(TOOLS), list):
        known.append(TOOLS)
        shell.tools, entries, counts = read_tools(cast("list[Json]", document[TOOLS]))
        if counts is not None:
            layout[_COUNTS] = counts
    top = _read_top(document.get(SYSTEM), layout)
    if top is not None:
        known.append(SYSTEM)
        shell.top, shell.top_place = top, f"/{SYSTEM}"
    shell.settings, rest = read_places(document, places.REQUEST, keys)
    if shell.settings is not None and places.OPENAPI_SCHEMA in _config(document) and not _has_schema(rest):
        layout[_SCHEMA] = places.OPENAPI_SCHEMA
    extras = more_of(rest, tuple(known))
    if entries is not None:
        extras[TOOLS] = entries
    written = _request(shell.tools, shell.settings, extras, layout, None if top is None else _HERE, [])
    _note_form(layout, written, {**raw, CONTENTS: []}, top=top is not None)
    shell.extras, shell.layout = NOTES.by_format(extras), NOTES.by_format(layout)
    return shell


def _config(document: Object) -> Object:
    config: Json = document.get("generationConfig")
    return keys(cast("Object", config)) if isinstance(config, dict) else {}


def _has_schema(rest: Object) -> bool:
    return places.OPENAPI_SCHEMA in _config(rest)


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


def _note_form(layout: Object, written: Object, raw: Object, *, top: bool) -> None:
    """Keep how a document was spelled around its contents."""
    if top:
        raw = {key: _HERE if alias(key) == SYSTEM else value for key, value in raw.items()}
    try:
        form = form_of(written, raw, alias)
    except UnlikeError:
        return
    if form is not None:
        layout[_FORM] = form


def _request(
    tools: tuple[Tool, ...] | None, settings: Settings | None, extras: Object, layout: Object, top: Json, contents: Json
) -> Object:
    """A request as we write it."""
    entries: Json = extras.get(TOOLS)
    entries_are = isinstance(entries, list) or tools is not None
    table = places.OPENAPI if layout.get(_SCHEMA) == places.OPENAPI_SCHEMA else places.REQUEST
    out: Object = {CONTENTS: contents} if top is None else {SYSTEM: top, CONTENTS: contents}
    more = {key: value for key, value in extras.items() if key not in out and not (key == TOOLS and entries_are)}
    if entries_are:
        out[TOOLS] = write_tools(tools or (), entries, layout.get(_COUNTS))
    return in_order({**write_places(settings, more, table), **out}, REQUEST_ORDER)


def _write_request(parts: Parts, extras: Object, layout: Object) -> Json:
    around, top = parts.around, cast("Json", parts.top)
    if parts.top is not None:
        own: Json = parts.top[PARTS]
        if layout.get(TOP) == PARTS and parts.top.keys() == {PARTS}:
            top = own
        elif layout.get(TOP) == "text" and parts.top.keys() == {PARTS} and len(own) == 1 and own[0].keys() == {"text"}:
            top = own[0]["text"]
    marker = None if top is None else _HERE
    written = _request(around.tools, around.settings, extras, layout, marker, [])
    out = cast("Object", respelled(written, layout.get(_FORM)))
    if out.get(CONTENTS) != [] or (top is not None and sum(alias(key) == SYSTEM for key in out) != 1):
        out = written
    return {
        key: parts.wires if key == CONTENTS else top if top is not None and alias(key) == SYSTEM else value
        for key, value in out.items()
    }


# --- responses --------------------------------------------------------------------------------------------------------


def _read_response(document: Object, raw: Object) -> Shell:
    given: Json = document.get(CANDIDATES)
    if not (given is None or isinstance(given, list)):
        raise BridgeError(ErrorCode.SHAPE, f"{CANDIDATES!r} is not a list", path=f"/{CANDIDATES}")
    candidates = cast("list[Json]", given or [])
    shell = Shell([], MODEL_ROLE, lambda _: f"/{CANDIDATES}/0/{CONTENT}")
    layout: Object = {SHAPE: "response"}
    first = candidates[0] if candidates else None
    if first is not None and not isinstance(first, dict):
        raise BridgeError(ErrorCode.SHAPE, "a candidate must be an object", path=f"/{CANDIDATES}/0")
    others = candidates[1:]
    branches = [_branch(other, index) for index, other in enumerate(others, 1)]
    head: Object = keys(cast("Object", first)) if isinstance(first, dict) else {}
    if isinstance(content := head.get(CONTENT), dict):
        shell.wires = [cast("Json", content)]
        shell.cut_off = head.get(FINISH) in CUT_OFF
        if all(branch is not None for branch in branches):
            shell.branches, others = cast("list[Branch]", branches), []
    shell.settings, rest = read_places(document, places.RESPONSE, keys)
    extras = more_of(rest, (CANDIDATES,))
    if candidates:
        extras[CANDIDATES] = [_around(head) if shell.wires else first, *others]
    contents = [_HERE] * len(shell.branches)
    about = [branch.extras for branch in shell.branches]
    written = _response(shell.settings, extras, _HERE if shell.wires else None, contents, about)
    _note_form(layout, written, _hidden(raw, len(candidates) - len(others) if shell.wires else 0), top=False)
    shell.extras, shell.layout = NOTES.by_format(extras), NOTES.by_format(layout)
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
    return Branch(cast("Object", content), place, _around(members), members.get(FINISH) in CUT_OFF)


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
    return in_order({**write_places(settings, more, places.RESPONSE), **out}, RESPONSE_ORDER)


def _without_content(candidate: Object) -> Object:
    return {key: value for key, value in candidate.items() if key != CONTENT}


def _write_response(parts: Parts, extras: Object, layout: Object) -> Json | None:
    around, wires = parts.around, parts.wires
    if parts.top is not None or around.tools is not None or len(wires) > 1:
        return None
    content = wires[0] if wires else None
    others: list[Json] = []
    about: list[Object] = []
    for alternative, branch in zip(around.alternatives or (), parts.branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(branch) == 1 and content is not None:
            own = NOTES.of(alternative.extras)
            others.append(branch[0])
            is_whole = alternative.messages and alternative.messages[-1].end is not None
            about.append(own or ({FINISH: "STOP", "index": len(others)} if is_whole else {}))
    written = _response(around.settings, extras, None if content is None else _HERE, [_HERE] * len(others), about)
    out = cast("Object", respelled(written, layout.get(_FORM)))
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


# --- writing ----------------------------------------------------------------------------------------------------------


def write_document(parts: Parts) -> Json:
    """Put contents into the shape that they were read from, or into a request where they do not fit it."""
    around = parts.around
    extras, layout = NOTES.of(around.extras), NOTES.of(around.layout)
    bare = not extras and parts.top is around.tools is around.settings is around.alternatives is None
    if layout.get(SHAPE) == "list" and bare:
        return parts.wires
    written = _write_response(parts, extras, layout) if layout.get(SHAPE) == "response" else None
    return _write_request(parts, extras, layout) if written is None else written
