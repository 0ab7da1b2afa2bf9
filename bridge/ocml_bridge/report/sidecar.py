"""Sidecars: what an output could not hold, kept beside it, so that every conversion can be undone (law 8).

A sidecar is the JSON Patch (RFC 6902) from what the output reads as to the document that was written, with a digest of
the output, and the order of keys where the patch does not restore it: to RFC 6902, objects have none. It holds nothing
that the output says itself. Each message has an anchor, and each operation that takes a value away has a digest of it
(a member that RFC 6902 lets others pass over), so that of an output edited meanwhile what still fits can be told from
what does not.
"""

from __future__ import annotations

import hashlib
from bisect import bisect, insort
from collections.abc import Iterator, Sequence
from copy import deepcopy
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple, cast

import jsonpatch
import jsonpointer

from ..chat.transform import message_index
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import FindingCode, Log
from ..model import Document, Json
from ..model.codec import from_json, to_json
from ..model.diff import escape
from ..model.ownership import own_json

VERSION: Final = 2
_FIRST: Final = {"sidecar", "target", "digest", "anchors", "patch"}
_KEYS: Final = {1: _FIRST, VERSION: {*_FIRST, "order"}}
"""The members of a sidecar by its version."""

Object = dict[str, Json]


def make(
    document: Document,
    back: Document,
    origins: Sequence[int],
    data: bytes,
    target: str,
) -> Object:
    """The sidecar of an output.

    Args:
        document: what was written.
        back: what the output reads as.
        origins: for each message of the output, its index in the document.
        data: the bytes of the output.
        target: its format id.
    """
    old, new = cast("Object", to_json(back)), cast("Object", to_json(document))
    patch = list(_patch(old, new, origins))
    restored = to_json(from_json(jsonpatch.apply_patch(old, patch)))
    order = {} if jsontext.dumps(restored) == jsontext.dumps(new) else dict(_orders(restored, new, ""))
    return {
        "sidecar": VERSION,
        "target": target,
        "digest": digest(data),
        "anchors": [_short(message) for message in old.get("messages", [])],
        "patch": own_json(patch),
        "order": order,
    }


def digest(data: bytes) -> str:
    """The digest of an output, by which its sidecar knows it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _short(value: Json) -> str:
    return hashlib.sha256(jsontext.dumps(value)).hexdigest()[:8]


def _patch(old: Object, new: Object, left: Sequence[int]) -> Iterator[Object]:
    """Operations from `old` to `new`: moves, missing messages, then message by message, then the rest.

    Args:
        old: what the output reads as.
        new: the document.
        left: for each message of `old`, its index in `new`.
    """
    before, after = cast("list[Json]", old.get("messages", [])), cast("list[Json]", new.get("messages", []))
    if len(before) != len(left) or old["type"] != new["type"]:
        yield {"op": "replace", "path": "", "value": new}
        return
    yield from _moves(left)
    there = dict(zip(left, before, strict=True))
    for index, message in enumerate(after):
        if index not in there:
            yield {"op": "add", "path": f"/messages/{index}", "value": message}
    for index, message in sorted(there.items()):
        yield from _between(message, after[index], f"/messages/{index}")
    yield from _between(_rest(old), _rest(new), "")


def _moves(order: Sequence[int]) -> Iterator[Object]:
    """Operations that put messages, of which these are the indices in the document, into its order."""
    starts = {index: at for at, index in enumerate(order)}
    moved: list[int] = []
    for place, index in enumerate(sorted(order)):
        start = starts[index]
        # What was moved to the front from behind it has pushed it back by one.
        at = start + len(moved) - bisect(moved, start)
        if at != place:
            insort(moved, start)
            yield {"op": "move", "from": f"/messages/{at}", "path": f"/messages/{place}"}


def _rest(document: Object) -> Object:
    return {key: value for key, value in document.items() if key != "messages"}


def _between(old: Json, new: Json, path: str) -> Iterator[Object]:
    if old == new and jsontext.dumps(old) == jsontext.dumps(new):
        return
    state = deepcopy(old)
    for operation in jsonpatch.JsonPatch.from_diff(old, new, optimization=False).patch:
        removed = _short(jsonpointer.resolve_pointer(state, operation["path"])) if operation["op"] != "add" else None
        yield {**operation, "path": path + operation["path"], **({"was": removed} if removed else {})}
        state = jsonpatch.apply_patch(state, [operation], in_place=True)


def _orders(old: Json, new: Json, path: str) -> Iterator[tuple[str, list[str]]]:
    """The keys of each object in `new` that has them in another order than in `old`, by its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        one, other = cast("Object", old), cast("Object", new)
        if list(one) != list(other):
            yield path, list(other)
        for key, value in other.items():
            yield from _orders(one.get(key), value, f"{path}/{escape(key)}")
    elif isinstance(old, list) and isinstance(new, list):
        for index, (item, value) in enumerate(zip(cast("list[Json]", old), cast("list[Json]", new), strict=False)):
            yield from _orders(item, value, f"{path}/{index}")


# --- back -------------------------------------------------------------------------------------------------------------


def apply(back: Document, sidecar: Json, data: bytes, target: str, log: Log) -> Document:
    """The document that was written, from what its output reads as and the output's sidecar.

    Args:
        back: what the output reads as.
        sidecar: as `make` gave it.
        data: the bytes of the output; where they were edited, what still fits is applied and the rest is reported.
        target: the format id of the output.
        log: where what does not fit any more is reported.

    Raises:
        BridgeError: OCB-SIDECAR where it is no sidecar, or the sidecar of another output.
    """
    values = _checked(own_json(sidecar), target)
    old = cast("Object", to_json(back))
    try:
        if values["digest"] == digest(data):
            patched = jsonpatch.apply_patch(old, values["patch"])
            for path, keys in values["order"].items():
                _reorder(patched, path, keys)
            return from_json(patched)
        return from_json(_apply_what_fits(old, values, log))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, BridgeError) as error:
        if isinstance(error, BridgeError) and error.code is ErrorCode.SIDECAR:
            raise
        raise BridgeError(
            ErrorCode.SIDECAR, "the sidecar's patch does not give a document; the sidecar may be damaged"
        ) from error


def _checked(sidecar: Json, target: str) -> Object:
    values: Object = cast("Object", sidecar) if isinstance(sidecar, dict) else {}
    if not any(values.get("sidecar") == version and values.keys() == keys for version, keys in _KEYS.items()):
        raise BridgeError(ErrorCode.SIDECAR, f"not a sidecar of version 1 to {VERSION}; --sidecar-out writes one")
    values = Object(order={}) | values
    order: Json = values["order"]
    sound = (
        _has_only(values["anchors"], str)
        and _has_only(values["patch"], dict)
        and isinstance(order, dict)
        and all(_has_only(keys, str) for keys in cast("Object", order).values())
    )
    if not sound:
        raise BridgeError(ErrorCode.SIDECAR, "the sidecar is damaged")
    if values["target"] != target:
        raise BridgeError(ErrorCode.SIDECAR, f"the sidecar belongs to {values['target']} output, not to {target}")
    return values


def _has_only(value: Json, kind: type[Any]) -> bool:
    """Whether a value is a list with nothing but values of a kind in it."""
    return isinstance(value, list) and all(isinstance(item, kind) for item in cast("list[Any]", value))


class _Place(NamedTuple):
    """Where a message of the written document is in the edited one."""

    at: int
    here: bool


def _apply_what_fits(document: Object, values: Object, log: Log) -> Object:
    """Apply each operation whose place and old value are still there; report the others as findings."""
    messages = cast("list[Json]", document.get("messages", []))
    anchors = cast("list[str]", values["anchors"])
    places = _line_up(anchors, [_short(message) for message in messages])
    if sum(place.here for place in places) * 2 < max(len(anchors), 1):
        raise BridgeError(
            ErrorCode.SIDECAR, "the sidecar belongs to another output: fewer than half of its messages are here"
        )
    added: dict[int, Json] = {}
    rest: list[Object] = []
    for operation in cast("list[Object]", values["patch"]):
        index = message_index(str(operation.get("path")))
        start = message_index(str(operation.get("from"))) if operation.get("op") == "move" else None
        if start is not None and index is not None and max(start, index) < len(places):
            places.insert(index, places.pop(start))
        elif operation.get("op") == "add" and index is not None and index not in added:
            added[index] = operation.get("value")
        else:
            rest.append(operation)
    while added and (beyond := max(added)) >= len(places) + len(added):  # no output of the document has such a place
        rest.append({"op": "add", "path": f"/messages/{beyond}", "value": added.pop(beyond)})
    places = _move_back(places, messages)
    where = _final_places(places, added, messages)
    for operation in rest:
        moved = _moved(operation, where)
        if moved is None or not _try(document, moved):
            path = str(operation.get("path"))
            log.find(FindingCode.SIDECAR, path, f"the output was edited here; {operation.get('op')} was not applied")
    for path, keys in cast("Object", values["order"]).items():
        place = _moved_path(path, where)
        if place is not None:
            _reorder(document, place, keys)
    return document


def _line_up(anchors: list[str], found: list[str]) -> list[_Place]:
    """For each message as written, its index in the edited output; an edited message is taken to be where it was."""
    places = [_Place(-1, here=False)] * len(anchors)
    for tag, a, b, c, d in SequenceMatcher(None, anchors, found, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and b - a == d - c):
            for step in range(b - a):
                places[a + step] = _Place(c + step, here=tag == "equal")
    return places


def _move_back(places: Sequence[_Place], messages: list[Json]) -> list[_Place]:
    """Put messages that stand where others stood before into the order of their places; gives where they are then."""
    slots = sorted(place.at for place in places if place.at >= 0)
    found = [messages[place.at] for place in places if place.at >= 0]
    for slot, message in zip(slots, found, strict=True):
        messages[slot] = message
    free = iter(slots)
    return [place if place.at < 0 else place._replace(at=next(free)) for place in places]


def _final_places(places: list[_Place], added: dict[int, Json], messages: list[Json]) -> dict[int, int]:
    """Put the messages back that the output could not hold; index in the written document → index in the edited one."""
    where: dict[int, int] = {}
    remaining = iter(places)
    shift, last = 0, -1
    for index in range(len(places) + len(added)):
        if index in added:
            last += 1
            messages.insert(last, added[index])
            shift += 1
            where[index] = last
            continue
        place = next(remaining)
        if place.at >= 0:
            last = place.at + shift
            where[index] = last
    return where


def _moved(operation: Object, where: dict[int, int]) -> Object | None:
    """An operation with the path that it has in the edited document; None where its message is gone."""
    path = _moved_path(str(operation.get("path")), where)
    return None if path is None else {**operation, "path": path}


def _moved_path(path: str, where: dict[int, int]) -> str | None:
    if not path.startswith("/messages/"):
        return path
    index, slash, rest = path[len("/messages/") :].partition("/")
    if not index.isdigit() or int(index) not in where:
        return None
    return f"/messages/{where[int(index)]}{slash}{rest}"


def _reorder(document: Object, path: str, keys: Json) -> None:
    """Put the keys of the object at a path in an order, as long as they still are its keys."""
    try:
        found = jsonpointer.resolve_pointer(document, path, None)
    except jsonpointer.JsonPointerException:
        return
    if isinstance(found, dict) and isinstance(keys, list):
        members = cast("Object", found)
        if sorted(members) == sorted(map(str, cast("list[Json]", keys))):
            for key in cast("list[str]", keys):
                members[key] = members.pop(key)


def _try(document: Object, operation: Object) -> bool:
    path = str(operation.get("path"))
    try:
        present = jsonpointer.resolve_pointer(document, path, _MISSING)
        if operation.get("op") == "add" and present is not _MISSING and not _in_list(document, path):
            return False
        if "was" in operation and (present is _MISSING or _short(present) != operation["was"]):
            return False
        jsonpatch.apply_patch(document, [operation], in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError):
        return False
    return True


_MISSING: Final = object()


def _in_list(document: Object, path: str) -> bool:
    return isinstance(jsonpointer.resolve_pointer(document, path.rpartition("/")[0], None), list)
