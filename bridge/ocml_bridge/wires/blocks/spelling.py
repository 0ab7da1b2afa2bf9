"""How a JSON value was spelled where we would write it otherwise: the order and names of keys, empty members.

A *form* says how to get from what we write to what was read. It never hides anything: it holds no value that says
something, unless ours says the same (`"STRING"` and `"string"`, `3` and `"3"`).

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
"""How a value was spelled; None where it was spelled as we would."""
Alias = Callable[[str], str]
"""The name that we write for a key."""


class UnlikeError(ValueError):
    """What was read says something that is not in what we would write."""


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: null, false, or an empty text, list or object."""
    return not value and type(value) not in (int, float)


def is_same(one: Json, other: Json) -> bool:
    """Whether two values are the same, the order of keys and the kind of numbers included."""
    if one.__class__ is not other.__class__:
        return False
    if not isinstance(one, (dict, list)):
        return one == other
    try:
        return key_of(one) == key_of(other)
    except ValueError:  # what is no JSON is there in documents made by hand
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
    """The form of a value.

    Args:
        written: as we would write it.
        raw: as it was read.
        alias: what we call a key.

    Raises:
        UnlikeError: where the raw value says what the written one does not, or the other way round.
    """
    return None if is_same(written, raw) else _form_of(written, raw, alias)


FORM: Final = "form"
"""The key of the layout that holds the form of a document, or of a declared tool."""


def keep_form(layout: Object, written: Json, raw: Json, alias: Alias = _same_name, *, exactly: bool = False) -> bool:
    """Keep in a layout how a value was spelled, where that is not as we would; whether that is possible.

    Args:
        layout: takes the form.
        written: as we would write it.
        raw: as it was read.
        alias: what we call a key.
        exactly: whether a form is of no use that does not give the very same value.
    """
    try:
        form = form_of(written, raw, alias)
        if exactly and not is_same(respelled(written, form), raw):
            return False
    except UnlikeError:
        return False
    if form is not None:
        layout[FORM] = form
    return True


def _form_of(written: Json, raw: Json, alias: Alias) -> Form:
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
    """The form of a list whose items have these forms."""
    found = {str(at): form for at, form in enumerate(forms) if form is not None}
    return {"items": found} if found else None


def _is_alike(written: Json, raw: Json) -> bool:
    """Whether two values say the same: one word, one number; or one goes without saying, and the other says nothing."""
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
    """What we would write, in the spelling that a form remembers; what of the form does not fit is passed over."""
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
        if isinstance(key, str) and key not in written and is_empty(entry.get("value", 0)):
            out[key] = entry["value"]
    elif name in written and name not in done:
        if "gone" in entry:
            if is_same(entry["gone"], written[name]):
                done.add(name)
        elif isinstance(key, str) and (key == name or key not in written):
            out[key] = respelled(written[name], entry.get("form"))
            done.add(name)
