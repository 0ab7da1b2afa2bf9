"""Where two documents differ. The reports of loss, `verify` and the laws' tests all stand on this one function."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from .model import Completion, Content, Document, Message, Part, Text, Transcript


class Absent(Enum):
    """Stands for what is not there at all."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class Difference(NamedTuple):
    """One place where two documents differ: its path in the first, and both values (`ABSENT` where there is none)."""

    path: str
    old: object
    new: object


_ELEMENT: Final = re.compile(r"(?:/messages/\d+|/content/\d+)$")


def escape(step: str) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


def is_element(path: str) -> bool:
    """Whether a path names a whole message or a whole part: a loss there says that it is not there any more."""
    return _ELEMENT.search(path) is not None


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def diff(old: Document, new: Document, gone: Collection[str] = ()) -> Iterator[Difference]:
    """Every place where `new` differs from `old`, by its path in `old`.

    Args:
        old: the document that was written.
        new: what the other format gives back.
        gone: paths of messages and parts of `old` that are known to be missing from `new`; they are passed over, and
            what follows them is lined up again.
    """
    if old is new:
        return
    if isinstance(old, Completion) or isinstance(new, Completion):
        if type(old) is not type(new):
            yield Difference("", old, new)
        else:
            assert isinstance(old, Completion)
            assert isinstance(new, Completion)
            yield from _content("/content", old.content, new.content, gone)
            yield from _values("/layout", old.layout, new.layout)
            yield from _values("/extras", old.extras, new.extras)
        return
    yield from _messages(old, new, gone)
    for name in ("tools", "header", "open_turn", "extras", "layout"):
        one, other = getattr(old, name), getattr(new, name)
        if one is not other and one != other:
            yield from _values(f"/{name}", one, other)


def _messages(old: Transcript, new: Transcript, gone: Collection[str]) -> Iterator[Difference]:
    if old.messages is new.messages:
        return
    kept = list(enumerate(old.messages))
    if gone:
        kept = [(index, one) for index, one in kept if f"/messages/{index}" not in gone]
    for (index, one), other in zip(kept, new.messages, strict=False):
        if one is not other:
            yield from _message(f"/messages/{index}", one, other, gone)
    for index, one in kept[len(new.messages) :]:
        yield Difference(f"/messages/{index}", one, ABSENT)
    for other in new.messages[len(kept) :]:
        yield Difference(f"/messages/{len(old.messages)}", ABSENT, other)


_values_of: Final = attrgetter(*Message.__match_args__)


def _message(path: str, old: Message, new: Message, gone: Collection[str]) -> Iterator[Difference]:
    for name, one, other in zip(Message.__match_args__, _values_of(old), _values_of(new), strict=True):
        if one is other or one == other:
            continue
        if name == "content":
            yield from _content(f"{path}/content", one, other, gone)
        elif name in {"extras", "layout"}:
            yield from _values(f"{path}/{name}", one, other)
        else:
            yield Difference(f"{path}/{name}", one, other)


def _content(path: str, old: Content, new: Content, gone: Collection[str]) -> Iterator[Difference]:
    if isinstance(old, str):
        if old != new:
            yield Difference(path, old, new)
        return
    kept = [(f"{path}/{k}", part) for k, part in enumerate(old) if f"{path}/{k}" not in gone]
    if isinstance(new, str):
        new = (Text(new),) if new or len(kept) == 1 else ()
    if len(kept) != len(new):
        yield Difference(path, old, new)
        return
    for (at, one), other in zip(kept, new, strict=True):
        if one != other:
            yield from _part(at, one, other)


def _part(path: str, old: Part, new: Part) -> Iterator[Difference]:
    if type(old) is not type(new):
        yield Difference(f"{path}/type", old, new)
    else:
        yield from _values(path, old, new)


def _values(path: str, old: Any, new: Any) -> Iterator[Difference]:
    """Differences of any two values: model objects by field, JSON by key and index."""
    if _same(old, new):
        return
    if is_dataclass(old) and type(old) is type(new):
        for name in _fields(type(old)):
            one, other = getattr(old, name), getattr(new, name)
            if one is not other:
                yield from _values(f"{path}/{name}", one, other)
    elif isinstance(old, dict) and isinstance(new, dict):
        yield from _keys(path, cast("dict[str, Any]", old), cast("dict[str, Any]", new))
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        yield from _items(path, cast("list[Any]", old), cast("list[Any]", new))
    else:
        yield Difference(path, old, new)


def _same(old: object, new: object) -> bool:
    return old is new or (type(old) is type(new) and old == new)


def _items(path: str, old: list[Any], new: list[Any]) -> Iterator[Difference]:
    for k, (one, other) in enumerate(zip(old, new, strict=False)):
        yield from _values(f"{path}/{k}", one, other)
    for k in range(len(new), len(old)):
        yield Difference(f"{path}/{k}", old[k], ABSENT)
    for k in range(len(old), len(new)):
        yield Difference(f"{path}/{k}", ABSENT, new[k])


def _keys(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    for key, one in old.items():
        other = new.get(key, ABSENT)
        if not _same(one, other):
            yield from _values(f"{path}/{escape(key)}", one, other)
    for key, other in new.items():
        if key not in old:
            yield Difference(f"{path}/{escape(key)}", ABSENT, other)
