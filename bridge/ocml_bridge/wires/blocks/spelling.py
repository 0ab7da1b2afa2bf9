"""Store how a JSON value was spelled, if the writer would spell it otherwise: order and names of keys, empty members.

A *form* describes how to turn the value that the writer writes into the one that was read. It contains no value with a
meaning of its own, only other spellings of the same one (`"STRING"` and `"string"`, `3` and `"3"`).

    written   {"role": "user", "parts": […]}
    raw       {"parts": […], "role": "USER", "name": null}
    form      {"keys": ["parts", {"as": "role", "of": "role", "form": {"ours": "user", "raw": "USER"}},
                        {"as": "name", "value": null}]}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast

from ...json_values.form import Object
from ...model import Json
from ...model.ownership import key_of

Form = Json
"""The spelling of a value; None if it is the writer's."""
BARE: Final = "bare"
"""The form of a block that was a text by itself, and is written as an object with the text."""
Alias = Callable[[str], str]
"""Returns the key that the writer uses for a key that was read."""


class UnlikeError(ValueError):
    """The value that was read has another meaning than the one that would be written."""


def is_empty(value: Json) -> bool:
    """Return whether a value is empty: null, false, or an empty text, list or object."""
    return not value and type(value) not in (int, float)


def is_same(one: Json, other: Json) -> bool:
    """Return whether two values are the same, with the same order of keys and the same types of numbers."""
    if one.__class__ is not other.__class__:
        return False
    if not isinstance(one, (dict, list)):
        return one == other
    try:
        return key_of(one) == key_of(other)
    except ValueError:  # documents that a caller builds may contain values that are not JSON
        return _is_same_by_hand(one, other)


def _is_same_by_hand(one: Json, other: Json) -> bool:
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        pairs, others = cast("Object", one), cast("Object", other)
        return list(pairs) == list(others) and all(map(_is_same_by_hand, pairs.values(), others.values()))
    if isinstance(one, list):
        items, its = cast("list[Json]", one), cast("list[Json]", other)
        return len(items) == len(its) and all(map(_is_same_by_hand, items, its))
    return one == other


def _same_name(key: str) -> str:
    return key


def form_of(written: Json, raw: Json, alias: Alias = _same_name) -> Form:
    """Return the form of a value, with which `respelled` gives exactly the value that was read.

    Args:
        written: the value as the writer would write it.
        raw: the value as it was read.
        alias: returns the writer's key for a key.

    Raises:
        UnlikeError: if the two values have different meanings.
    """
    return None if is_same(written, raw) else _form_of(written, raw, alias)


def form_of_order(raw: Object, order: Sequence[str]) -> Form:
    """Return the form of an object whose members are written in an order, and with the values that were read.

    Args:
        raw: the object as it was read.
        order: its keys in the order in which they are written.
    """
    keys = [*raw]
    return None if keys == [*order] else {"keys": keys}


FORM: Final = "form"
"""The key of the layout with the form of a document, or of a declared tool."""


def keep_form(layout: Object, written: Json, raw: Json, alias: Alias = _same_name) -> bool:
    """Store the form of a value in a layout, if it is not the writer's; return False if it has no form.

    Args:
        layout: receives the form.
        written: the value as the writer would write it.
        raw: the value as it was read.
        alias: returns the writer's key for a key.
    """
    try:
        form = form_of(written, raw, alias)
    except UnlikeError:
        return False
    if form is not None:
        layout[FORM] = form
    return True


def _form_of(written: Json, raw: Json, alias: Alias) -> Form:
    if written is raw:
        return None
    if isinstance(written, dict) and isinstance(raw, dict):
        return _form_of_object(cast("Object", written), cast("Object", raw), alias)
    if isinstance(written, list) and isinstance(raw, list):
        items, raws = cast("list[Json]", written), cast("list[Json]", raw)
        if len(items) == len(raws):
            return form_of_items([_form_of(one, other, alias) for one, other in zip(items, raws, strict=True)])
    if is_same(cast("Json", written), cast("Json", raw)):
        return None
    if not _is_alike(written, raw):
        raise UnlikeError
    return {"ours": cast("Json", written), "raw": cast("Json", raw)}


def form_of_items(forms: Sequence[Form]) -> Form:
    """Return the form of a list whose items have these forms."""
    by_index = {str(at): form for at, form in enumerate(forms) if form is not None}
    return {"items": by_index} if by_index else None


def _is_alike(written: Json, raw: Json) -> bool:
    """Return whether two values mean the same: the same word or number, or an empty value in place of a default."""
    if is_empty(raw):
        return is_empty(written) or not isinstance(written, (dict, list))
    if isinstance(written, str) and isinstance(raw, str):
        return written.casefold() == raw.casefold()
    if type(written) is int and isinstance(raw, str):
        return str(written) == raw
    return type(written) in (int, float) and type(raw) in (int, float) and written == raw


def _form_of_object(written: Object, raw: Object, alias: Alias) -> Form:
    names = {key if key in written else alias(key): key for key in reversed(raw)}
    keys: list[Json] = []
    plain = list(written) == list(raw)
    for key, value in raw.items():
        name = key if key in written else alias(key)
        if name not in written or names[name] != key:
            if not is_empty(value):
                raise UnlikeError
            keys.append({"as": key, "value": value})
            continue
        form = _form_of(written[name], value, alias)
        plain = plain and form is None
        keys.append(key if form is None and key == name else {"as": key, "of": name, "form": form})
    for name, value in written.items():
        if name not in names:
            if isinstance(value, (dict, list)) and value:
                raise UnlikeError
            keys.append({"of": name, "gone": value})
    return None if plain else {"keys": keys}


def respelled(written: Json, form: Form) -> Json:
    """Return the value that would be written, in the spelling of a form; parts that do not fit are ignored."""
    if form == BARE:
        return _bare(written)
    if not isinstance(form, dict):
        return written
    how = cast("Object", form)
    if "ours" in how:
        fits = "raw" in how and is_same(how["ours"], written) and _is_alike(written, how["raw"])
        return how["raw"] if fits else written
    keys, items = how.get("keys"), how.get("items")
    if isinstance(keys, list) and isinstance(written, dict):
        return _respelled_object(cast("Object", written), cast("list[Json]", keys))
    if isinstance(items, dict) and isinstance(written, list):
        forms = cast("Object", items)
        return [respelled(item, forms.get(str(at))) for at, item in enumerate(cast("list[Json]", written))]
    return written


def _bare(written: Json) -> Json:
    if not isinstance(written, dict):
        return written
    block = cast("Object", written)
    return block["text"] if block.keys() == {"text"} else block


def _respelled_object(written: Object, keys: list[Json]) -> Object:
    out: Object = {}
    done: set[str] = set()
    for entry in keys:
        if isinstance(entry, str):
            if entry in written and entry not in done:
                out[entry] = written[entry]
                done.add(entry)
        elif isinstance(entry, dict):
            _respell_member(out, written, cast("Object", entry), done)
    for key, value in written.items():
        if key not in done:
            out[key] = value
    return out


def _respell_member(out: Object, written: Object, entry: Object, done: set[str]) -> None:
    key, name = entry.get("as"), entry.get("of")
    if not isinstance(name, str):
        if isinstance(key, str) and (key not in written or key in done) and is_empty(entry.get("value", 0)):
            out[key] = entry["value"]
    elif name in written and name not in done:
        if "gone" in entry:
            if is_same(entry["gone"], written[name]):
                done.add(name)
        elif isinstance(key, str) and (key == name or key not in written):
            out[key] = respelled(written[name], entry.get("form"))
            done.add(name)
