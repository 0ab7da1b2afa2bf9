"""Read and write private reasoning, for which servers use several keys; the official types have none.

The value of each key gives a list of texts: those of `REASONING_TEXTS` have one text, or one for each text part of a
list; `reasoning_details` and `thinking_blocks` have one for each item (`thought_lists.py`). Without such a key,
parts with thoughts at the beginning of the content are read (Mistral, Databricks). The first key with a text is read; a
list with the same texts is preferred, because it has more. Other keys with the same texts are stored in the layout,
with other texts in the extras. If no key has a text, a marked thought in the content is read (`marked_thoughts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import OBJECT, Object, is_empty
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json, Message, Signature, replace

from .marked_thoughts import EXTRA, MARK, marked_thought, with_thought
from .syntax import CONTENT, DETAILS, REASONING, REASONING_KEY, REASONING_TEXTS
from .thought_lists import LISTS, fits, needs_list, read_list, signed, write_list


class ThoughtPart(NamedTuple):
    """A type of content part with reasoning.

    Attributes:
        key: the member with its texts: a text, or a list of items.
        item: the type of these items; each has a `text`.
        signature: the member with the signature, of an item, or of the part if it has one text; None if there is none.
        others: the members that say nothing. A part that has any other is not understood, and is kept as it is.
    """

    key: str
    item: str
    signature: str | None = None
    others: frozenset[str] = frozenset()

    def understands(self, part: Object) -> bool:
        """Return whether a part of the type has nothing but thoughts."""
        value = part.get(self.key)
        items = items_of(value)
        own = {"type", self.key, *self.others, *(() if items or self.signature is None else (self.signature,))}
        of_items = {"type", "text", self.signature}
        return _has_only(part, own) and all(_has_only(members_of(item), of_items) for item in items)


def _has_only(value: Object, known: Collection[str | None]) -> bool:
    """Return whether all members of an object are known, or null."""
    return all(member is None or key in known for key, member in value.items())


PARTS: Final[dict[object, ThoughtPart]] = {
    "thinking": ThoughtPart("thinking", "text", "signature", frozenset({"closed"})),
    "think": ThoughtPart("think", "text"),
    "reasoning": ThoughtPart("summary", "summary_text", "signature"),
}
"""The content parts with reasoning by their types: those of Mistral and of Anthropic's models behind some servers, of
Kimi CLI, and of Databricks."""
_SIGNER: Final = "anthropic"
"""The vendor whose models sign thoughts: servers that have such parts serve others, too, which do not sign."""
JOINT: Final = "\n\n"
"""The text between several texts that are written as one."""
_KEYS: Final = frozenset(REASONING)
_SAYS: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""The key of the text of an item of `reasoning_details` by type; items of other types have no text."""


class Reasoning(NamedTuple):
    """The reasoning of a wire message.

    Attributes:
        thoughts: the thoughts, in order; each has a text or a signature.
        keys: the keys whose values follow from these thoughts.
        templates: the values without the texts, by key, of those keys whose value is a list of parts, and of content
            that begins with thinking parts; an empty text behind these is part of the template. The template of a
            marked thought is its tags.
        answer: the text behind a marked thought; None if there is no such thought.
    """

    thoughts: list[Message]
    keys: list[str]
    templates: Object
    answer: str | None = None


def read_reasoning(wire: Object) -> Reasoning:
    """Return the reasoning of a wire message."""
    if _KEYS.isdisjoint(wire) and not isinstance(wire.get(CONTENT), list) and EXTRA not in wire:
        return Reasoning([], [], {})
    key_of_list, listed = _read_list(wire)
    texts = _texts_in(wire, key_of_list, listed)
    if len(texts) == 1 and listed and not _texts_of_thoughts(listed):
        listed = signed(_thought(texts[0]), listed) or listed
        texts = _texts_of_thoughts(listed) or texts
    if listed and JOINT.join(texts) == JOINT.join(_texts_of_thoughts(listed)):
        thoughts = listed
    else:
        key_of_list, thoughts = "", list(map(_thought, texts))
    texts = _texts_of_thoughts(thoughts)
    keys = [key for key in REASONING if key == key_of_list or (key not in LISTS and _follows(wire.get(key), texts))]
    templates: Object = {
        key: template_of(wire[key]) for key in keys if key not in LISTS and isinstance(wire[key], list)
    }
    if not thoughts and (parts := thinking_parts(wire.get(CONTENT))):
        thoughts = [thought for part in parts for thought in thoughts_in(part)]
        behind = wire[CONTENT][len(parts) :]
        # An empty text behind them is no message, so it is kept with them.
        templates[CONTENT] = [*map(_template_of_part, parts), *(behind if is_empty(behind) else ())]
    if not thoughts and (marked := marked_thought(wire)) is not None:
        keys = [EXTRA] if wire[EXTRA] == MARK else []
        return Reasoning([_thought(marked.text)], keys, {CONTENT: marked.template}, marked.rest)
    return Reasoning(thoughts, keys, templates)


def _read_list(wire: Object) -> tuple[str, list[Message]]:
    """Return the first key with a list of thoughts, and these thoughts; "" and none if no key has any."""
    for key in LISTS:
        if thoughts := read_list(key, wire.get(key)):
            return key, thoughts
    return "", []


def _texts_in(wire: Object, key_of_list: str, listed: Sequence[Message]) -> list[str]:
    """Return the texts of the first key that has any.

    Args:
        wire: the wire message.
        key_of_list: the key whose list was read; "" if none was.
        listed: the thoughts that this list was read as.
    """
    for key in REASONING:
        if key == key_of_list:
            return _texts_of_thoughts(listed)
        if key in _READ_TEXTS and (texts := _READ_TEXTS[key](wire.get(key))):
            return texts
    return []


def _thought(text: str) -> Message:
    return Message("assistant", text, channel="analysis")


def _texts_of_thoughts(thoughts: Sequence[Message]) -> list[str]:
    """Return the texts of those thoughts that have one."""
    return [cast("str", thought.content) for thought in thoughts if thought.content]


def thinking_parts(content: Json) -> list[Object]:
    """Return the thinking parts at the beginning of content."""
    return list(takewhile(is_thinking, cast("list[Any]", content))) if isinstance(content, list) else []


def _follows(value: Json, texts: list[str]) -> bool:
    """Return whether a value has exactly these texts."""
    return bool(texts) and (texts_of(value) == texts if isinstance(value, list) else value == JOINT.join(texts))


def detail_texts(details: Json) -> list[str]:
    """Return the texts of a value of `reasoning_details`."""
    texts: list[str] = []
    for item in items_of(details):
        entry = members_of(item)
        kind = entry.get("type")
        text: Any = entry.get(_SAYS.get(kind, "")) if isinstance(kind, str) else None
        if isinstance(text, str) and text:
            texts.append(text)
    return texts


def default_keys(thoughts: Sequence[Message]) -> list[str]:
    """Return the keys that are written by default: one with the text, and a list if the text is not everything."""
    text: list[str] = [REASONING_KEY.default] if _texts_of_thoughts(thoughts) else []
    return [*text, DETAILS] if len(thoughts) > 1 or any(map(needs_list, thoughts)) else text


def write_reasoning(
    thoughts: Sequence[Message], keys: Json, templates: Json, extras: Object, options: Options
) -> Object:
    """Return the members of a message with its reasoning; `content`, if present, is the beginning of the content.

    Args:
        thoughts: the thoughts, one or more.
        keys: the keys from the layout; other values are ignored.
        templates: the templates from the layout; one with another number of texts is ignored.
        extras: the extras of the message, which may have details with the same texts.
        options: their `REASONING_KEY`, if it is not the default one, replaces the keys of the layout.
    """
    templates_by_key: Object = templates if isinstance(templates, OBJECT) else {}
    key, texts = REASONING_KEY.of(options), _texts_of_thoughts(thoughts)
    is_default = key == REASONING_KEY.default
    tags = templates_by_key.get(CONTENT)
    if is_default and isinstance(tags, str) and len(thoughts) == 1 and not any(map(needs_list, thoughts)):
        return {CONTENT: with_thought(tags, texts[0]), **({} if EXTRA in extras else {EXTRA: MARK})}
    if is_default and isinstance(templates_by_key.get(CONTENT), list):
        plain = len(texts) == len(thoughts) and not any(needs_list(replace(each, signature=None)) for each in thoughts)
        parts = fill(templates_by_key[CONTENT], thoughts) if plain else None
        if parts is not None:
            return {CONTENT: parts}
    chosen = _chosen(thoughts, keys, templates_by_key, extras)
    if not is_default:
        chosen = [key, *(other for other in chosen if other in LISTS)]
    return {
        key: write_list(key, thoughts) if key in LISTS else _value(key, texts, templates_by_key)
        for key in REASONING
        if key in chosen and (texts or key in LISTS)
    }


def _value(key: str, texts: Sequence[str], templates: Object) -> Json:
    filled = fill(templates[key], list(map(_thought, texts))) if isinstance(templates.get(key), list) else None
    return JOINT.join(texts) if filled is None else filled


def _chosen(thoughts: Sequence[Message], keys: Json, templates: Object, extras: Object) -> list[str]:
    if not isinstance(keys, list):
        return default_keys(thoughts)
    named = [key for key in REASONING if key in cast("list[Json]", keys)]
    fitting = [key for key in named if key in LISTS and all(fits(key, thought) for thought in thoughts)][:1]
    known = [key for key in named if key not in LISTS or key in fitting]
    if fitting or any(map(needs_list, thoughts)):
        return known if fitting else default_keys(thoughts)
    texts = _texts_of_thoughts(thoughts)
    if known and len(texts) == 1:
        return known
    if detail_texts(extras.get(DETAILS)) == texts or any(key in templates for key in known):
        return known
    return default_keys(thoughts)


# --- templates --------------------------------------------------------------------------------------------------------
#
# If reasoning is a list of parts, the layout stores it as a template without the texts, so that nothing is left of a
# text that is removed or edited later. `fill` puts the texts back if their number is the same.
#
#     [{"type": "text", "text": "So.", "x": 1}]   →   ["So."] and [{"type": "text", "text": null, "x": 1}]


def is_thinking(part: Json) -> bool:
    """Return whether a content part is reasoning with a text."""
    return bool(thoughts_in(members_of(part)))


def thoughts_in(part: Object) -> list[Message]:
    """Return the thoughts in a content part; none if it is no part with reasoning, or if it is not understood."""
    kind = PARTS.get(part.get("type")) if isinstance(part.get("type"), str) else None
    if kind is None or not kind.understands(part):
        return []
    value = part.get(kind.key)
    thoughts = list(map(_thought, texts_of(value, kind.item)))
    if kind.signature is not None:
        signed_ones = cast("list[Object]", value) if isinstance(value, list) else [part]
        for thought, item in zip(thoughts, signed_ones, strict=False):
            if isinstance(signature := item.get(kind.signature), str) and signature:
                thought.signature = Signature(signature, _SIGNER)
    return thoughts


def texts_of(value: Json, item_type: str = "text") -> list[str]:
    """Return the texts of a value of reasoning: a text, or a list of items of one type only."""
    if isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, list):
        return []
    texts: list[str] = []
    for item in cast("list[Json]", value):
        part = members_of(item)
        text: Any = part.get("text")
        if part.get("type") != item_type or not isinstance(text, str) or not text:
            return []
        texts.append(text)
    return texts


_READ_TEXTS: Final[dict[str, Callable[[Json], list[str]]]] = {
    **dict.fromkeys(REASONING_TEXTS, texts_of),
    DETAILS: detail_texts,
}
"""How the texts of a key are read; those of other lists of reasoning are not read if the lists are not understood."""


def template_of(value: Json, *emptied: str) -> Json:
    """Return a value of reasoning with null for each text, and for these members of items if they are a text."""
    if isinstance(value, str):
        return None
    return [
        {key: None if key == "text" or (key in emptied and item[key]) else each for key, each in item.items()}
        for item in cast("list[Object]", value)
    ]


def _template_of_part(part: Object) -> Json:
    kind = PARTS[part["type"]]
    emptied = () if kind.signature is None else (kind.signature,)
    return {
        key: template_of(value, *emptied) if key == kind.key else None if key in emptied else value
        for key, value in part.items()
    }


def fill(template: Json, thoughts: Sequence[Message]) -> Json | None:
    """Return a template with these thoughts in place of the nulls; None if they do not fit it.

    Their number may be different, or a signature may have no place.
    """
    waiting = iter(thoughts)
    filled = _filled(template, waiting)
    return None if filled is None or next(waiting, None) is not None else filled


def _filled(template: Json, waiting: Iterator[Message], signature: str | None = None) -> Json | None:
    """Return a template with the next thoughts.

    Args:
        template: the template.
        waiting: the thoughts.
        signature: the member of an item for the signature; None if there is none.
    """
    if not isinstance(template, list):
        return None
    out: list[Json] = []
    for item in cast("list[Json]", template):
        part = dict(members_of(item))
        kind = PARTS.get(part.get("type")) if isinstance(part.get("type"), str) else None
        if kind is not None and isinstance(part.get(kind.key), list):
            part[kind.key] = _filled(part[kind.key], waiting, kind.signature)
            if part[kind.key] is None:
                return None
        elif kind is not None and kind.key in part:
            if not _put(next(waiting, None), part, kind.key, kind.signature):
                return None
        elif "text" in part and part["text"] is None and not _put(next(waiting, None), part, "text", signature):
            return None
        out.append(part)
    return out


def _put(thought: Message | None, part: Object, key: str, signature: str | None) -> bool:
    """Put a thought into a part of a template; return whether there is one, and a place for its signature."""
    if thought is None:
        return False
    part[key] = cast("str", thought.content)
    if thought.signature is None:
        return True
    has_place = signature is not None and signature in part and part[signature] is None
    if signature is None or not has_place or thought.signature != Signature(thought.signature.value, _SIGNER):
        return False
    part[signature] = thought.signature.value
    return True
