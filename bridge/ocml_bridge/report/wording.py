"""Describe values and parts in words, for the sentences of losses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import is_dataclass
from json.encoder import encode_basestring as _quote
from json.encoder import encode_basestring_ascii as _quote_ascii
from typing import Any, Final, cast

from ..json_values import jsontext
from ..json_values.form import without
from ..json_values.parameters import members_of
from ..model import (
    CacheMark,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Infill,
    Json,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Signature,
    Text,
    Thought,
    Tool,
    Tools,
)
from ..model.codec import to_json

LONGEST: Final = 40
"""How many characters of a value a sentence shows."""
_MOST_NAMES: Final = 12
"""How many names a sentence lists."""

_KINDS: Final[dict[type[Any], str]] = {
    Flags: "thought flags",
    Tools: "declared tools",
    Refusal: "a refusal",
    Infill: "a fill-in-the-middle text",
    FileBreak: "the boundary between two files",
}
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
_MEDIA: Final = {"image": "an image", "audio": "audio", "video": "a video", "file": "a file"}


def kind_of(part: Part) -> str:
    """Return what a part is: `an image`; for a part that the reader did not understand, its type in its format."""
    if isinstance(part, Media):
        uploaded = f" that was uploaded to {_word(part.vendor)}" if part.vendor and part.data is None else ""
        name = f" named {shown(part.filename)}" if part.filename else ""
        return f"{_MEDIA[part.media]}{uploaded}{name}"
    if isinstance(part, Text):
        return "a text" if part.citations is None else "a text with sources"
    if isinstance(part, Passages):
        return "a document in passages" if part.source is None else "a search result"
    if isinstance(part, Thought):
        return f"the thought's kind {shown(part.kind)}"
    if isinstance(part, Foreign):
        return f"a part that was not understood ({_called(part.value)})"
    return _KINDS[type(part)]


def _called(value: Json) -> str:
    """Describe a JSON value by its member `type`, else by its keys."""
    if isinstance(value, dict):
        members = cast("dict[str, Json]", value)
        name = members.get("type")
        return f"type {shown(name)}" if isinstance(name, str) else f"keys {names_of(members)}"
    return shown(value)


def shown(value: object) -> str:
    """Return a value as JSON of at most `LONGEST` characters; describe a longer list or object by its keys or items."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (bool, float)):
        return jsontext.compact(value)
    if isinstance(value, Message):
        return f"of the {value.role}" if value.role in _ROLES else f"of the role {shown(value.role)}"
    if isinstance(value, Part):
        return kind_of(value)
    if isinstance(value, Freeform):
        return f"in {_word(value.syntax)}" if value.syntax else "(any text)"
    if isinstance(value, CacheMark):
        return f"for {_word(value.ttl)}" if value.ttl else "for the usual time"
    if isinstance(value, Signature):
        return f"of {_word(value.vendor)}" if value.vendor else "without a vendor"
    plain = value
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        if items and all(isinstance(item, Tool) for item in items):
            return names_of([cast("Tool", item).name for item in items])
        if items and all(isinstance(item, Part) for item in items):
            return ", ".join([kind_of(cast("Part", item)) for item in items[:_MOST_NAMES]])
        plain = to_json(items)
    elif is_dataclass(value):
        plain = without(cast("dict[str, Json]", to_json(value)), "layout")
    return _as_json(plain)


def _as_json(plain: Json) -> str:
    if isinstance(plain, list):
        plain = [_unplaced(item) for item in cast("list[Json]", plain)]
    text = jsontext.compact(plain)
    if len(text) <= LONGEST:
        return _printable(text)
    if isinstance(plain, dict):
        return f"{{{names_of(cast('dict[str, Json]', plain))}}}"
    if isinstance(plain, list):
        return _listed(cast("list[Json]", plain))
    return f"{text[:LONGEST]}…"


def _word(text: str) -> str:
    return _printable(text[:LONGEST])


def _printable(text: str) -> str:
    """Return a text with escapes in place of what a terminal would not print, as JSON has them."""
    return text if text.isprintable() else "".join([c if c.isprintable() else _quote_ascii(c)[1:-1] for c in text])


def _unplaced(item: Json) -> Json:
    """Return an item of a list; if the item is stored with its index (`{"at": …}`), return it without the index."""
    members = members_of(item)
    if len(members) != 2 or type(members.get("at")) is not int:
        return item
    return next(value for key, value in members.items() if key != "at")


def _listed(items: list[Json]) -> str:
    """Describe a list by the number of its items, and by their titles if all of them have one."""
    count = f"{len(items):,} item{'' if len(items) == 1 else 's'}"
    titles = [_title(item) for item in items]
    names = names_of([title for title in titles if title is not None]) if None not in titles else ""
    return f"[{count}: {names}]" if names else f"[{count}]"


def _title(item: Json) -> str | None:
    """Return the name of an object, its type, or its only key; None if it has none of them."""
    members = members_of(item)
    titles = (members.get("name"), members.get("type"), *(members if len(members) == 1 else ()))
    return next((title for title in titles if isinstance(title, str) and title), None)


def names_of(names: Collection[str]) -> str:
    """Return a list of names in words: `id, model and 3 more`."""
    listed = [_name(name) for name in names][:_MOST_NAMES]
    more = len(names) - len(listed)
    return f"{', '.join(listed)} and {more} more" if more else ", ".join(listed)


def _name(name: str) -> str:
    return name if name.isidentifier() and len(name) <= LONGEST else _quoted(name)


def _quoted(text: str) -> str:
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    quoted = _quote(cut) if cut.isprintable() else _quote_ascii(cut)
    return quoted if cut is text else f"{quoted} ({len(text):,} characters)"


def emptied_in(target: str) -> str:
    """Return the sentence for a text that the reader did not understand and for which the output has nothing."""
    return f"the reader understood nothing of this text, and {target} would have nothing in its place"
