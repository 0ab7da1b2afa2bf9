"""Make and apply sidecars, which store what an output could not hold, so that a conversion can be undone (law 8).

A sidecar has the JSON Patch (RFC 6902) from the document that the output reads as to the document that was written, and
a digest of the output. It also has the order of keys, if the patch does not restore it: in RFC 6902, objects are
unordered.

An output may be edited before its sidecar is applied. To find what of the patch still applies, the sidecar has a digest
of each message (its anchor), and each operation that removes a value has a digest of that value (a member that RFC 6902
allows and ignores).
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
from ..json_values.form import without
from ..json_values.parameters import members_of
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
    """Return the sidecar of an output.

    Args:
        document: the document that was written.
        back: the document that the output reads as.
        origins: for each message of the output, its index in the document.
        data: the bytes of the output.
        target: the format id of the output.
    """
    old, new = cast("Object", to_json(back)), cast("Object", to_json(document))
    patch = list(_patch(old, new, origins))
    restored = to_json(from_json(jsonpatch.apply_patch(old, patch)))
    order = {} if jsontext.dumps(restored) == jsontext.dumps(new) else dict(_orders(restored, new, ""))
    return {
        "sidecar": VERSION,
        "target": target,
        "digest": digest(data),
        "anchors": [_short_digest(message) for message in old.get("messages", [])],
        "patch": own_json(patch),
        "order": order,
    }


def digest(data: bytes) -> str:
    """Return the digest that identifies an output in its sidecar."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _short_digest(value: Json) -> str:
    """Return the digest of a message or of a removed value, with which an edit is noticed."""
    return hashlib.sha256(jsontext.dumps(value)).hexdigest()[:8]


def _patch(old: Object, new: Object, left: Sequence[int]) -> Iterator[Object]:
    """Yield the operations from `old` to `new`: moves, added messages, then the changes of each message, then the rest.

    Args:
        old: the document that the output reads as.
        new: the document that was written.
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
        yield from _changes(message, after[index], f"/messages/{index}")
    yield from _changes(_without_messages(old), _without_messages(new), "")


def _moves(order: Sequence[int]) -> Iterator[Object]:
    """Yield the operations that move messages into the order of the document.

    Args:
        order: for each message of the output, its index in the document.
    """
    starts = {index: at for at, index in enumerate(order)}
    moved: list[int] = []
    for place, index in enumerate(sorted(order)):
        start = starts[index]
        # Each message that was moved from after this one to the front has shifted it by one.
        at = start + len(moved) - bisect(moved, start)
        if at != place:
            insort(moved, start)
            yield {"op": "move", "from": f"/messages/{at}", "path": f"/messages/{place}"}


def _without_messages(document: Object) -> Object:
    return without(document, "messages")


def _changes(old: Json, new: Json, path: str) -> Iterator[Object]:
    """Yield the operations from one value to another at a path, with the digests (`was`) of the values they remove."""
    if old == new and jsontext.dumps(old) == jsontext.dumps(new):
        return
    state = deepcopy(old)
    for operation in jsonpatch.JsonPatch.from_diff(old, new, optimization=False).patch:
        changed = {**operation, "path": path + operation["path"]}
        if operation["op"] != "add":
            changed["was"] = _short_digest(jsonpointer.resolve_pointer(state, operation["path"]))
        yield changed
        state = jsonpatch.apply_patch(state, [operation], in_place=True)


def _orders(old: Json, new: Json, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the path and the keys of each object in `new` whose keys have another order in `old`."""
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast("Object", old), cast("Object", new)
        if list(before) != list(after):
            yield path, list(after)
        for key, value in after.items():
            yield from _orders(before.get(key), value, f"{path}/{escape(key)}")
    elif isinstance(old, list) and isinstance(new, list):
        for index, (item, value) in enumerate(zip(cast("list[Json]", old), cast("list[Json]", new), strict=False)):
            yield from _orders(item, value, f"{path}/{index}")


# --- back -------------------------------------------------------------------------------------------------------------


def apply(back: Document, sidecar: Json, data: bytes, target: str, log: Log) -> Document:
    """Return the document that was written, from an output and its sidecar.

    If the output was edited, the operations that still match are applied, and the others are reported.

    Args:
        back: the document that the output reads as.
        sidecar: the sidecar, as `make` returned it.
        data: the bytes of the output.
        target: the format id of the output.
        log: gets a finding for each operation that does not match any more.

    Raises:
        BridgeError: OCB-SIDECAR if the value is not a sidecar, or is the sidecar of another output.
    """
    values = _checked(own_json(sidecar), target)
    old = cast("Object", to_json(back))
    try:
        if values["digest"] == digest(data):
            patched = jsonpatch.apply_patch(old, values["patch"])
            for path, keys in values["order"].items():
                _reorder(patched, path, keys)
            return from_json(patched)
        return from_json(_apply_to_edited(old, values, log))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, BridgeError) as error:
        if isinstance(error, BridgeError) and error.code is ErrorCode.SIDECAR:
            raise
        raise BridgeError(
            ErrorCode.SIDECAR, "the sidecar's patch does not give a document; the sidecar may be damaged"
        ) from error


def _checked(sidecar: Json, target: str) -> Object:
    """Return the members of a sidecar, brought to the current version.

    Raises:
        BridgeError: OCB-SIDECAR if the value is not a sidecar, is damaged, or belongs to another format.
    """
    values: Object = members_of(sidecar)
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
    """Return whether a value is a list of values of one type."""
    return isinstance(value, list) and all(isinstance(item, kind) for item in cast("list[Any]", value))


class _Place(NamedTuple):
    """The place of a message of the written output in the edited one.

    Attributes:
        at: its index; -1 if the message was removed.
        here: whether the message is unchanged.
    """

    at: int
    here: bool


def _apply_to_edited(document: Object, values: Object, log: Log) -> Object:
    """Apply a sidecar to an edited output: each operation whose path and old value still match.

    Args:
        document: the document that the edited output reads as; it is changed.
        values: the members of the sidecar.
        log: gets a finding for each operation that does not match.
    """
    messages = cast("list[Json]", document.get("messages", []))
    anchors = cast("list[str]", values["anchors"])
    places = _line_up(anchors, [_short_digest(message) for message in messages])
    if sum(place.here for place in places) * 2 < max(len(anchors), 1):
        raise BridgeError(
            ErrorCode.SIDECAR, "the sidecar belongs to another output: fewer than half of its messages are here"
        )
    added, rest = _sorted_operations(cast("list[Object]", values["patch"]), places)
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


def _sorted_operations(patch: list[Object], places: list[_Place]) -> tuple[dict[int, Json], list[Object]]:
    """Separate the operations of a patch on whole messages from the others.

    Args:
        patch: the operations.
        places: the places of the messages; moves of messages are applied to this list.

    Returns:
        The messages to add by their index in the written document, and the other operations.
    """
    added: dict[int, Json] = {}
    rest: list[Object] = []
    for operation in patch:
        index = message_index(str(operation.get("path")))
        start = message_index(str(operation.get("from"))) if operation.get("op") == "move" else None
        if start is not None and index is not None and max(start, index) < len(places):
            places.insert(index, places.pop(start))
        elif operation.get("op") == "add" and index is not None and index not in added:
            added[index] = operation.get("value")
        else:
            rest.append(operation)
    while added and (beyond := max(added)) >= len(places) + len(added):  # More messages than the document had.
        rest.append({"op": "add", "path": f"/messages/{beyond}", "value": added.pop(beyond)})
    return added, rest


def _line_up(anchors: list[str], digests: list[str]) -> list[_Place]:
    """Match the messages of the written output with those of the edited one.

    A run of changed messages matches if it has as many messages as before: they were edited, not replaced.

    Args:
        anchors: the digests of the messages as written.
        digests: the digests of the messages as edited.

    Returns:
        The place of each message as written.
    """
    places = [_Place(-1, here=False)] * len(anchors)
    for tag, a, b, c, d in SequenceMatcher(None, anchors, digests, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and b - a == d - c):
            for step in range(b - a):
                places[a + step] = _Place(c + step, here=tag == "equal")
    return places


def _move_back(places: Sequence[_Place], messages: list[Json]) -> list[_Place]:
    """Put the messages of the edited output into the order of `places`.

    Args:
        places: their places, in the order of the written document.
        messages: the messages of the edited output; the list is changed.

    Returns:
        Their new places.
    """
    slots = sorted(place.at for place in places if place.at >= 0)
    ordered = [messages[place.at] for place in places if place.at >= 0]
    for slot, message in zip(slots, ordered, strict=True):
        messages[slot] = message
    free = iter(slots)
    return [place if place.at < 0 else place._replace(at=next(free)) for place in places]


def _final_places(places: list[_Place], added: dict[int, Json], messages: list[Json]) -> dict[int, int]:
    """Insert the messages that the output could not hold.

    Args:
        places: the places of the other messages, in the order of the written document.
        added: the messages to insert, by their index in the written document.
        messages: the messages of the edited output; the list is changed.

    Returns:
        For the index of a message in the written document, its index in the edited one.
    """
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
    """Return an operation with its path in the edited document, or None if its message was removed."""
    path = _moved_path(str(operation.get("path")), where)
    return None if path is None else {**operation, "path": path}


def _moved_path(path: str, where: dict[int, int]) -> str | None:
    """Return a path in the edited document for one in the written document, or None if its message was removed."""
    if not path.startswith("/messages/"):
        return path
    index, slash, rest = path[len("/messages/") :].partition("/")
    if not index.isdigit() or int(index) not in where:
        return None
    return f"/messages/{where[int(index)]}{slash}{rest}"


def _reorder(document: Object, path: str, keys: Json) -> None:
    """Put the keys of the object at a path in an order, unless it has other keys by now."""
    try:
        value = jsonpointer.resolve_pointer(document, path, None)
    except jsonpointer.JsonPointerException:
        return
    if isinstance(value, dict) and isinstance(keys, list):
        members = cast("Object", value)
        if sorted(members) == sorted(map(str, cast("list[Json]", keys))):
            for key in cast("list[str]", keys):
                members[key] = members.pop(key)


def _try(document: Object, operation: Object) -> bool:
    """Apply an operation to a document if its path and the digest of the old value match; return whether they did."""
    path = str(operation.get("path"))
    try:
        present = jsonpointer.resolve_pointer(document, path, _MISSING)
        if operation.get("op") == "add" and present is not _MISSING and not _in_list(document, path):
            return False
        if "was" in operation and (present is _MISSING or _short_digest(present) != operation["was"]):
            return False
        jsonpatch.apply_patch(document, [operation], in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError):
        return False
    return True


_MISSING: Final = object()


def _in_list(document: Object, path: str) -> bool:
    return isinstance(jsonpointer.resolve_pointer(document, path.rpartition("/")[0], None), list)
