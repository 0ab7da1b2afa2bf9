"""Split wire messages of Chat Completions into a skeleton and their contents and ids.

Wire messages with the same skeleton are read in the same way, so the plan for a skeleton is made only once. This module
runs for every wire message: it is on the fast path.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.grammar import Skeleton, Unit
from ocml_bridge.units.long_texts import with_long
from ocml_bridge.units.media import Medium, add_medium, next_medium, of_address
from ocml_bridge.wires.units import DocumentReader

from .call_skeletons import LONGEST, REPEATING, add_calls, add_legacy, add_other, filled_call, filled_function
from .marked_thoughts import EXTRA, marked_thought
from .reasoning import JOINT, detail_texts
from .syntax import BLOCKS, CONTENT, DETAILS, FUNCTION_CALL, REASONING_TEXTS, TOOL_CALLS
from .thought_lists import LISTS

_TEXT: Final = frozenset(permutations(("role", CONTENT)))
"""The members of the most frequent messages, in any order."""
_IMAGE: Final = "image_url"
"""The type of a part that is an image, and its member."""
_LONGEST_PART: Final = 1000
"""The maximum length of a packed part other than text, in bytes."""
_OWN: Final = frozenset({"text", "summary", "thinking", "signature", "data", "id"})
"""The members of an item of reasoning that differ from item to item."""
_NEW: Any = ()
"""The cache's default for keys that are not in it."""

Add = Callable[[str, Any, list[Hashable], list[str]], bool]
"""Appends a member to the key of the skeleton, and its contents and ids to the values; returns False if it cannot."""


class _Members(NamedTuple):
    """How the members of wire messages with the same keys are added to a skeleton.

    Attributes:
        adds: each key with its `Add` function.
        may_repeat: whether one may repeat the reasoning of another.
        may_mark: whether one may mark a thought in the content.
    """

    adds: tuple[tuple[str, Add], ...]
    may_repeat: bool
    may_mark: bool


class SkeletonReader(DocumentReader):
    """The part of the unit reader that splits wire messages, with a cache of `_Members` by the keys of a message."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._members_by_keys = Memo[tuple[str, ...], "_Members | None"](1024)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return a wire message without contents and ids; None if another member is long or has an odd value."""
        if unit.__class__ is not dict:
            return None
        keys = tuple(unit)
        if keys in _TEXT and (text := unit["content"]).__class__ is unit["role"].__class__ is str and text:
            return (keys, unit["role"]), [text]
        members = self._members_by_keys.get(keys, _NEW)
        if members is _NEW:
            members = self._members_by_keys.keep(keys, _members(keys))
        if members is None:
            return None
        adds, may_repeat, may_mark = members
        repeated = _repeated(unit) if may_repeat else ()
        if repeated is None or (may_mark and marked_thought(unit) is not None):
            return None
        key: list[Hashable] = [keys]
        values: list[str] = []
        for name, add in adds:
            value = unit[name]
            if name in repeated:
                key.append(JOINT)
            # Strings are added here, because a call for each would take most of the time.
            elif add is _add_text and value.__class__ is str:
                key.append(not value)
                if value:
                    values.append(value)
            elif add is _add_word and value.__class__ is str and len(value) <= LONGEST:
                key.append(value)
            elif not add(name, value, key, values):
                return None
        return tuple(key), values

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty: what a text says is in no key."""
        return all(texts)

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a wire message that has a skeleton, with other contents and ids."""
        following = iter(values)
        repeated = (_repeated(unit) if _may_repeat(unit) else None) or ()
        out = {
            key: _filled(key, value, following) if value and key not in repeated else value
            for key, value in unit.items()
        }
        for key in repeated:
            out[key] = _reasoning_in(out)
        return out


def _members(keys: tuple[str, ...]) -> _Members | None:
    """Return how the members of a wire message are added to a skeleton; None if it can have none."""
    if sum(key in _LISTS for key in keys) > 1:
        return None
    adds = tuple((key, _MEMBERS.get(key, add_other)) for key in keys)
    return _Members(adds, _may_repeat(keys), EXTRA in keys)


# --- contents ---------------------------------------------------------------------------------------------------------


def _add_text(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add a text that is no string: null, or the parts of a content."""
    if value is None:
        key.append(None)
        return True
    return name == CONTENT and _add_content(value, key, values)


def _add_content(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add parts, or a value that is no content."""
    if value.__class__ is list and value != []:
        return _add_parts(value, key, values)
    packed = key_of(value)
    key.append((CONTENT, packed))  # a list of one part has another key than that part in its place
    return len(packed) <= LONGEST


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """Add parts: texts without the text, images without the URL, and others whole if they are short."""
    for part in parts:
        if part.__class__ is not dict or not REPEATING.isdisjoint(part):
            return False
        if _is_text(part):
            values.append(part["text"])
            key.append(tuple(part) if len(part) == 2 else ("text", key_of({**part, "text": None})))
        else:
            is_value = add_medium(_image_in(part), key, values)
            packed = key_of(_with_address(part, None) if is_value else part)
            key.append(packed)
            if len(packed) > _LONGEST_PART:
                return False
    return True


def _image_in(part: Object) -> Medium | None:
    """Return the image in a part; None if it is no image, or cannot be split off."""
    inner: Any = part.get(_IMAGE) if part.get("type") == _IMAGE else None
    return of_address(inner.get("url") if inner.__class__ is dict else inner)


def _with_address(part: Object, address: str | None) -> Object:
    """Return a part that is an image, with another URL."""
    inner = part[_IMAGE]
    return {**part, _IMAGE: {**inner, "url": address} if isinstance(inner, dict) else address}


def _is_text(part: Object) -> bool:
    """Return whether a part is a text that is not empty."""
    return part.get("type") == "text" and part.get("text").__class__ is str and part["text"] != ""


def _filled_part(part: Object, values: Iterator[str]) -> Object:
    if _is_text(part):
        return {**part, "text": next(values)}
    image = _image_in(part)
    return part if image is None else _with_address(part, next_medium(image, values))


# --- reasoning --------------------------------------------------------------------------------------------------------
#
# Some servers write the same reasoning in several members. It is one value: that of a list of reasoning, or else of the
# first of `REASONING_TEXTS`.

_LISTS: Final = frozenset(LISTS)


def _may_repeat(keys: Collection[str]) -> bool:
    """Return whether a wire message with some keys may have the same reasoning in several members."""
    return not _LISTS.isdisjoint(keys) or sum([key in REASONING_TEXTS for key in keys]) > 1


def _repeated(unit: Object) -> Sequence[str] | None:
    """Return the keys that repeat the reasoning of another member; None if there is no skeleton."""
    items: Any = next((unit[key] for key in unit if key in _LISTS), None)
    if items and (items.__class__ is not list or not all(item.__class__ is dict for item in items)):
        return None
    keys = [key for key in REASONING_TEXTS if unit.get(key)]
    if (items or len(keys) > 1) and unit.get(CONTENT).__class__ is list:  # its parts may also repeat the texts
        return None
    repeated = keys if items and _listed_texts(unit) else keys[1:]
    reasoning = _reasoning_in(unit) if repeated else None
    return repeated if all(unit[key] == reasoning for key in repeated) else None


def _reasoning_in(unit: Object) -> Any:
    """Return the reasoning of a wire message: the texts of a list, or the value of the first member that has any."""
    texts = _listed_texts(unit)
    return JOINT.join(texts) if texts else next((unit[key] for key in REASONING_TEXTS if unit.get(key)), None)


def _listed_texts(unit: Object) -> list[str]:
    """Return the texts of the items in a list of reasoning."""
    if unit.get(DETAILS):
        return detail_texts(unit[DETAILS])
    texts = [item.get("thinking") for item in unit.get(BLOCKS) or () if item.get("type") == "thinking"]
    return [text for text in texts if text.__class__ is str and text != ""]


def _add_items(name: str, items: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add items of reasoning without their texts, signatures and ids."""
    if not items:
        return add_other(name, items, key, values)
    for item in items:
        own = [member for member in item if _is_own(member, item[member])]
        values += [item[member] for member in own]
        packed = key_of({**item, **dict.fromkeys(own)})
        key += (tuple(own), packed)
        if len(packed) > LONGEST:
            return False
    return True


def _is_own(member: str, value: Any) -> bool:
    return member in _OWN and value.__class__ is str and value != ""


def _filled_item(item: Object, values: Iterator[str]) -> Object:
    return {member: next(values) if _is_own(member, value) else value for member, value in item.items()}


# --- other members ----------------------------------------------------------------------------------------------------


def _add_word(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add a word that is null; a long string and any other value have no place in a skeleton."""
    key.append(None)
    return value is None


_MEMBERS: Final[dict[str, Add]] = {
    **dict.fromkeys((CONTENT, "tool_call_id", *REASONING_TEXTS), _add_text),
    **dict.fromkeys(("role", "name", "refusal"), _add_word),
    **dict.fromkeys(LISTS, _add_items),
    TOOL_CALLS: add_calls,
    FUNCTION_CALL: add_legacy,
}


def _filled(key: str, value: Any, values: Iterator[str]) -> Any:
    add = _MEMBERS.get(key)
    if add is _add_text:
        if isinstance(value, str):
            return next(values)
        return [_filled_part(part, values) for part in cast("list[Any]", value)] if isinstance(value, list) else value
    if add is add_calls:
        return [filled_call(call, values) for call in value]
    if add is add_legacy:
        return filled_function(value, values)
    if add is _add_items:
        return [_filled_item(item, values) for item in value]
    return with_long(value, values) if add is None else value
