"""Compare two documents. The reports of losses, `verify` and the tests of the laws all use `diff`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, Final, NamedTuple

from . import (
    Alternative,
    ByFormat,
    Completion,
    Content,
    Document,
    Header,
    Media,
    Message,
    Part,
    Passages,
    Settings,
    Text,
    Tool,
    Transcript,
    replace,
)


class Absent(Enum):
    """The type of `ABSENT`, which stands for a value that does not exist; it is not None, which is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class Difference(NamedTuple):
    """One place where two documents differ.

    Attributes:
        path: a JSON pointer into the old document.
        old: the value in the old document; `ABSENT` if it has none.
        new: the value in the new document; `ABSENT` if it has none.
    """

    path: str
    old: object
    new: object


def escape(step: str) -> str:
    """Escape a key for a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1") if "/" in step or "~" in step else step


def diff(
    old: Document, new: Document, gone: Collection[str] = (), order: Sequence[int] | None = None
) -> list[Difference]:
    """Return every difference between two documents, with paths into `old`.

    Args:
        old: the document that was written.
        new: the document that the output reads as.
        gone: the paths of messages and parts of `old` that are known to be missing from `new`. They are skipped, and
            the others are compared with each other in their order.
        order: the indices of the messages of `old` in the order of `new`; None if the order is the same.
    """
    out: list[Difference] = []
    if old is new:
        return out
    if isinstance(old, Transcript) and isinstance(new, Transcript):
        _messages(old.messages, new.messages, gone, order, out)
        if old.tools is not new.tools:
            _tools(old.tools, new.tools, out)
        _settings(old.settings, new.settings, out)
        if old.alternatives is not new.alternatives:
            _alternatives(old.alternatives, new.alternatives, out)
        _fields(_AROUND, "", old, new, gone, out)
    elif isinstance(old, Completion) and isinstance(new, Completion):
        _fields(_fields_of(Completion), "", old, new, gone, out)
    else:
        out.append(Difference("", old, new))
    return out


class _Fields:
    """Compares some fields of two objects at once.

    Args:
        names: the names of the fields.
    """

    __slots__ = ("_get", "_names", "_places")

    def __init__(self, *names: str) -> None:
        self._names = names
        self._places = range(len(names))
        get = attrgetter(*names)
        self._get: Callable[[object], tuple[Any, ...]] = get if len(names) > 1 else lambda value: (get(value),)

    def unlike(self, old: object, new: object) -> Iterator[tuple[str, Any, Any]]:
        """Yield each field in which two objects differ, and both values."""
        before, after = self._get(old), self._get(new)
        for at in compress(self._places, map(is_not, before, after)):
            if before[at] != after[at]:
                yield self._names[at], before[at], after[at]


@cache
def _fields_of(kind: type[Any]) -> _Fields:
    return _Fields(*(field.name for field in fields(kind)))


_AROUND: Final = _Fields("header", "open_turn", "extras", "layout")
"""The fields of a transcript around its messages and tools."""


def _fields(
    compared: _Fields, path: str, old: object, new: object, gone: Collection[str], out: list[Difference]
) -> None:
    for name, before, after in compared.unlike(old, new):
        if name == "content":
            _content(f"{path}/{name}", before, after, gone, out)
        elif name == "extras" and not isinstance(old, Header):  # The extras of a header are not by format.
            _extras(f"{path}/{name}", before, after, out)
        else:
            _values(f"{path}/{name}", before, after, out)


def _messages(
    old: tuple[Message, ...],
    new: tuple[Message, ...],
    gone: Collection[str],
    order: Sequence[int] | None,
    out: list[Difference],
) -> None:
    remaining: Sequence[int] = range(len(old)) if order is None else order
    if gone:
        remaining = [index for index in remaining if f"/messages/{index}" not in gone]
    for index, message in zip(remaining, new, strict=False):
        if old[index] is not message:
            _message(f"/messages/{index}", old[index], message, gone, out)
    if len(remaining) != len(new):
        out += [Difference(f"/messages/{index}", old[index], ABSENT) for index in remaining[len(new) :]]
        out += [Difference(f"/messages/{len(old)}", ABSENT, message) for message in new[len(remaining) :]]


def _message(path: str, old: Message, new: Message, gone: Collection[str], out: list[Difference]) -> None:
    # Unrolled, because a loop over the names of fields takes five times as long, and most losses are found here.
    if old.role is not new.role and old.role != new.role:
        out.append(Difference(f"{path}/role", old.role, new.role))
    if old.content is not new.content and old.content != new.content:
        _content(f"{path}/content", old.content, new.content, gone, out)
    if old.name is not new.name and old.name != new.name:
        out.append(Difference(f"{path}/name", old.name, new.name))
    if old.channel is not new.channel and old.channel != new.channel:
        out.append(Difference(f"{path}/channel", old.channel, new.channel))
    if old.recipient is not new.recipient and old.recipient != new.recipient:
        out.append(Difference(f"{path}/recipient", old.recipient, new.recipient))
    if old.call_id is not new.call_id and old.call_id != new.call_id:
        out.append(Difference(f"{path}/call_id", old.call_id, new.call_id))
    if old.intent is not new.intent and old.intent != new.intent:
        out.append(Difference(f"{path}/intent", old.intent, new.intent))
    if old.content_type is not new.content_type and old.content_type != new.content_type:
        out.append(Difference(f"{path}/content_type", old.content_type, new.content_type))
    if old.constraint is not new.constraint and old.constraint != new.constraint:
        out.append(Difference(f"{path}/constraint", old.constraint, new.constraint))
    if old.end is not new.end and old.end != new.end:
        out.append(Difference(f"{path}/end", old.end, new.end))
    if old.continues is not new.continues:
        out.append(Difference(f"{path}/continues", old.continues, new.continues))
    same = old.failed is new.failed and old.weight is new.weight and old.signature is new.signature
    if not (same and old.cache is new.cache and old.extras is new.extras and old.layout is new.layout):
        _rare_fields(path, old, new, out)


def _rare_fields(path: str, old: Message, new: Message, out: list[Difference]) -> None:
    """Compare the fields that few messages have."""
    if old.failed is not new.failed:
        out.append(Difference(f"{path}/failed", old.failed, new.failed))
    if old.weight != new.weight:
        out.append(Difference(f"{path}/weight", old.weight, new.weight))
    if old.signature != new.signature:
        _values(f"{path}/signature", old.signature, new.signature, out)
    if old.cache != new.cache:
        _values(f"{path}/cache", old.cache, new.cache, out)
    if old.extras != new.extras:
        _extras(f"{path}/extras", old.extras, new.extras, out)
    if old.layout != new.layout:
        _values(f"{path}/layout", old.layout, new.layout, out)


def _tools(old: tuple[Tool, ...] | None, new: tuple[Tool, ...] | None, out: list[Difference]) -> None:
    if old is None or new is None:
        out.append(Difference("/tools", old, new))
        return
    for k, (before, after) in enumerate(zip(old, new, strict=False)):
        if before is not after:
            _tool(f"/tools/{k}", before, after, out)
    _surplus("/tools", old, new, out)


def _tool(path: str, old: Tool, new: Tool, out: list[Difference]) -> None:
    # Unrolled like `_message`.
    if old.name is not new.name and old.name != new.name:
        out.append(Difference(f"{path}/name", old.name, new.name))
    if old.description is not new.description and old.description != new.description:
        out.append(Difference(f"{path}/description", old.description, new.description))
    if old.parameters is not new.parameters and old.parameters != new.parameters:
        _values(f"{path}/parameters", old.parameters, new.parameters, out)
    if old.namespace is not new.namespace and old.namespace != new.namespace:
        out.append(Difference(f"{path}/namespace", old.namespace, new.namespace))
    if old.strict is not new.strict:
        out.append(Difference(f"{path}/strict", old.strict, new.strict))
    if old.freeform is not new.freeform and old.freeform != new.freeform:
        _values(f"{path}/freeform", old.freeform, new.freeform, out)
    if old.cache is not new.cache and old.cache != new.cache:
        _values(f"{path}/cache", old.cache, new.cache, out)
    if old.extras is not new.extras and old.extras != new.extras:
        _extras(f"{path}/extras", old.extras, new.extras, out)
    if old.layout is not new.layout and old.layout != new.layout:
        _values(f"{path}/layout", old.layout, new.layout, out)


_NO_SETTINGS: Final = Settings()


def _settings(old: Settings | None, new: Settings | None, out: list[Difference]) -> None:
    """Compare settings one by one, also if one of the documents has none at all."""
    if old == new:
        return
    before = len(out)
    _fields(_fields_of(Settings), "/settings", old or _NO_SETTINGS, new or _NO_SETTINGS, (), out)
    if len(out) == before:
        out.append(Difference("/settings", old, new))


def _alternatives(
    old: tuple[Alternative, ...] | None, new: tuple[Alternative, ...] | None, out: list[Difference]
) -> None:
    """Compare alternatives one by one, also if one of the documents has none at all."""
    if old is None or new is None:
        _surplus("/alternatives", old or (), new or (), out)
        if not (old or new):
            out.append(Difference("/alternatives", old, new))
    else:
        _items("/alternatives", old, new, out)


def diff_tools(path: str, old: Tool, new: Tool) -> list[Difference]:
    """Return every difference between two tools but that of their layout.

    Args:
        path: of the old tool.
        old: the tool in a document.
        new: the tool in another one.
    """
    out: list[Difference] = []
    _tool(path, old, replace(new, layout=old.layout), out)
    return out


def diff_extras(old: ByFormat | None, new: ByFormat | None) -> list[Difference]:
    """Return every difference between the extras of two documents."""
    out: list[Difference] = []
    if old != new:
        _extras("/extras", old, new, out)
    return out


def _extras(path: str, old: dict[str, Any] | None, new: dict[str, Any] | None, out: list[Difference]) -> None:
    """Compare extras member by member, also if one of the objects has none at all."""
    count, (before, after) = len(out), (old or {}, new or {})
    for home in {**before, **after}:
        _keys(f"{path}/{escape(home)}", before.get(home, {}), after.get(home, {}), out)
    if len(out) == count:
        out.append(Difference(path, old, new))


def _content(path: str, old: Content, new: Content, gone: Collection[str], out: list[Difference]) -> None:
    if isinstance(old, str):
        out.append(Difference(path, old, new))
        return
    remaining = [(f"{path}/{k}", part) for k, part in enumerate(old) if f"{path}/{k}" not in gone]
    if isinstance(new, str):
        new = (Text(new),) if new or len(remaining) == 1 else ()
    if len(remaining) != len(new):
        out.append(Difference(path, old, new))
        for at, before in remaining:
            _beside(at, before, new, out)
        return
    for (at, before), after in zip(remaining, new, strict=True):
        if type(before) is not type(after):
            out.append(Difference(f"{at}/type", before, after))
            _beside(at, before, new, out)
        elif before != after:
            _values(at, before, after, out)


_BESIDE: Final[dict[type[Any], tuple[str, ...]]] = {
    Text: ("cache", "citations", "extras"),
    Media: ("cache", "citable", "context", "detail", "extras"),
    Passages: ("cache", "citable", "extras"),
}
"""What parts have beside their text or data, by type. (The title of passages is written with their text.)"""
_NAMES: Final = "|".join(sorted({name for names in _BESIDE.values() for name in names}))
_BESIDE_PART: Final = re.compile(rf"/messages/\d+/content/\d+/(?:{_NAMES})\b")


def beside_part(path: str) -> str | None:
    """Return the path of what stands beside the text or the data of a part, given a path at or below it; else None."""
    match = _BESIDE_PART.match(path)
    return None if match is None else match[0]


def _beside(path: str, old: Part, new: Sequence[Part], out: list[Difference]) -> None:
    """Add what stands beside the text or the data of a part, if no part of a content that is divided otherwise has it.

    Args:
        path: of the part.
        old: the part.
        new: the parts of the other content.
        out: gets the differences.
    """
    for name in _BESIDE.get(type(old), ()):
        value = getattr(old, name)
        if value is not None and not any(_has(part, name, value) for part in new):
            out.append(Difference(f"{path}/{name}", value, ABSENT))


def _has(part: Part, name: str, value: Any) -> bool:
    """Return whether a part has a value in a field; the context of a file that is written as text is in that text."""
    return getattr(part, name, None) == value or (name == "context" and isinstance(part, Text) and value in part.text)


def _values(path: str, old: Any, new: Any, out: list[Difference]) -> None:
    """Compare two unequal values: model objects by field, JSON by key and index."""
    if old is None or new is None:
        out.append(Difference(path, old, new))
    elif isinstance(old, _OBJECT) and isinstance(new, _OBJECT):
        _keys(path, old, new, out)
    elif isinstance(old, _ARRAY) and isinstance(new, _ARRAY):
        _items(path, old, new, out)
    elif old.__class__ is new.__class__ and is_dataclass(old):
        _fields(_fields_of(type(old)), path, old, new, (), out)
    else:
        out.append(Difference(path, old, new))


# Typed as Any, so that the type checker learns nothing from `isinstance`: it cannot know the types of the members.
_OBJECT: Final[Any] = dict
_ARRAY: Final[Any] = (list, tuple)


def _items(path: str, old: Sequence[Any], new: Sequence[Any], out: list[Difference]) -> None:
    for k, (before, after) in enumerate(zip(old, new, strict=False)):
        if before is not after and (type(before) is not type(after) or before != after):
            _values(f"{path}/{k}", before, after, out)
    _surplus(path, old, new, out)


def _surplus(path: str, old: Sequence[Any], new: Sequence[Any], out: list[Difference]) -> None:
    """Add the items of the longer one of two sequences."""
    if len(old) != len(new):
        out += [Difference(f"{path}/{k}", old[k], ABSENT) for k in range(len(new), len(old))]
        out += [Difference(f"{path}/{k}", ABSENT, new[k]) for k in range(len(old), len(new))]


def _keys(path: str, old: dict[str, Any], new: dict[str, Any], out: list[Difference]) -> None:
    for key, before in old.items():
        after = new.get(key, ABSENT)
        if before is not after and (type(before) is not type(after) or before != after):
            _values(f"{path}/{escape(key)}", before, after, out)
    for key, after in new.items():
        if key not in old:
            out.append(Difference(f"{path}/{escape(key)}", ABSENT, after))
