"""Private reasoning, both ways: five keys that servers use for one thing, where the official types have none.

Every key *says* a list of texts: `reasoning`, `reasoning_content` and `thinking` one, or one for each text part of a
list; `reasoning_details` and `thinking_blocks` one an item (`details.py`). Content that begins with `thinking` parts
says it where no key does. The first that says something is believed, and a list that says the same with more. What
another key says alike is layout; what it says differently is extras.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import OBJECT, Object
from ocml_bridge.model import Json, Message

from .details import LISTS, fits, needs_list, read_list, signed, write_list
from .syntax import CONTENT, DETAILS, REASONING, REASONING_KEY

THINKING: Final = "thinking"
"""The type of a content part that holds reasoning, and its key: a text, or a list of text parts (Mistral, vLLM)."""
JOINT: Final = "\n\n"
"""What stands between several texts where they are written as one."""
_KEYS: Final = frozenset(REASONING)
_SAYS: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Type of an item of `reasoning_details` → the key of its text; others (encrypted ones) say nothing readable."""


class Reasoning(NamedTuple):
    """What a wire message says of its reasoning.

    Attributes:
        thoughts: in order; each has a text or a signature.
        keys: the keys whose value follows from these thoughts.
        templates: for those of the keys whose value is a list of parts, and for content that begins with thinking
            parts: the value without the texts.
    """

    thoughts: list[Message]
    keys: list[str]
    templates: Object


def read_reasoning(wire: Object) -> Reasoning:
    """The reasoning of a wire message."""
    if _KEYS.isdisjoint(wire) and not isinstance(wire.get(CONTENT), list):
        return Reasoning([], [], {})
    lists = ((key, read_list(key, wire.get(key)) or []) for key in LISTS)
    key_of_list, listed = next(((key, thoughts) for key, thoughts in lists if thoughts), ("", list[Message]()))
    texts: list[str] = []
    for key in REASONING:
        value = wire.get(key)
        texts = (
            _texts_of_thoughts(listed)
            if key == key_of_list
            else detail_texts(value)
            if key in LISTS
            else texts_of(value)
        )
        if texts or key == key_of_list:
            break
    if len(texts) == 1 and listed and not _texts_of_thoughts(listed):
        listed = signed(_thought(texts[0]), listed) or listed
        texts = _texts_of_thoughts(listed) or texts
    is_listed = bool(listed) and JOINT.join(texts) == JOINT.join(_texts_of_thoughts(listed))
    thoughts = listed if is_listed else list(map(_thought, texts))
    texts_of_all = _texts_of_thoughts(thoughts)
    keys = [key for key in REASONING if (is_listed and key == key_of_list) or _follows(wire.get(key), texts_of_all)]
    templates: Object = {
        key: template_of(value) for key in keys if key not in LISTS and isinstance(value := wire[key], list)
    }
    if not thoughts and (parts := thinking_parts(wire.get(CONTENT))):
        thoughts = [_thought(text) for part in parts for text in texts_of(part[THINKING])]
        templates[CONTENT] = template_of(parts)
    return Reasoning(thoughts, keys, templates)


def _thought(text: str) -> Message:
    return Message("assistant", text, channel="analysis")


def _texts_of_thoughts(thoughts: Sequence[Message]) -> list[str]:
    """The texts of thoughts that have one."""
    return [cast("str", thought.content) for thought in thoughts if thought.content]


def thinking_parts(content: Json) -> list[Object]:
    """The thinking parts that content begins with."""
    return list(takewhile(is_thinking, cast("list[Any]", content))) if isinstance(content, list) else []


def _follows(value: Json, texts: list[str]) -> bool:
    """Whether a value says just these texts."""
    return bool(texts) and (texts_of(value) == texts if isinstance(value, list) else value == JOINT.join(texts))


def detail_texts(details: Json) -> list[str]:
    """The texts of details, whatever else they hold."""
    texts: list[str] = []
    for item in cast("list[Json]", details) if isinstance(details, list) else []:
        entry: Object = cast("Object", item) if isinstance(item, dict) else {}
        kind = entry.get("type")
        text: Any = entry.get(_SAYS.get(kind, "")) if isinstance(kind, str) else None
        if isinstance(text, str) and text:
            texts.append(text)
    return texts


def default_keys(thoughts: Sequence[Message]) -> list[str]:
    """The keys that we write, before the options have a say: a list beside the text where a text does not say all."""
    text: list[str] = [REASONING_KEY.default] if _texts_of_thoughts(thoughts) else []
    return [*text, DETAILS] if len(thoughts) > 1 or any(map(needs_list, thoughts)) else text


def write_reasoning(
    thoughts: Sequence[Message], keys: Json, templates: Json, extras: Object, options: Options
) -> Object:
    """The members of a message that hold its reasoning; its `content` is what the content begins with.

    Args:
        thoughts: one or more.
        keys: the keys that the source had them under; nonsense is passed over.
        templates: as `Reasoning` has them; one that the texts do not fill is passed over.
        extras: the message's extras, where details may stand that say the same and more.
        options: they may name a key (`REASONING_KEY`) to use in place of the source's, where it is not the default one.
    """
    known: Object = templates if isinstance(templates, OBJECT) else {}
    key, texts = REASONING_KEY.of(options), _texts_of_thoughts(thoughts)
    is_default = key == REASONING_KEY.default
    if is_default and isinstance(known.get(CONTENT), list) and not any(map(needs_list, thoughts)):
        parts = fill(known[CONTENT], texts)
        if parts is not None:
            return {CONTENT: parts}
    chosen = _chosen(thoughts, keys, known, extras)
    if not is_default:
        chosen = [key, *(other for other in chosen if other in LISTS)]
    return {
        key: write_list(key, thoughts) if key in LISTS else _value(key, texts, known)
        for key in REASONING
        if key in chosen and (texts or key in LISTS)
    }


def _value(key: str, texts: Sequence[str], templates: Object) -> Json:
    filled = fill(templates[key], texts) if isinstance(templates.get(key), list) else None
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
# Where servers write reasoning as parts, the texts are taken out, and a template is kept. It holds none of what was
# thought, so that a text that is dropped or edited leaves nothing behind; `fill` puts as many texts back.
#
#     [{"type": "text", "text": "So.", "x": 1}]   →   ["So."] and [{"type": "text", "text": null, "x": 1}]


def is_thinking(part: Json) -> bool:
    """Whether a content part is reasoning that says something."""
    return (
        isinstance(part, dict)
        and cast("Object", part).get("type") == THINKING
        and bool(texts_of(cast("Object", part).get(THINKING)))
    )


def texts_of(value: Json) -> list[str]:
    """The texts that a value of reasoning says: one text, or those of a list of text parts and nothing else."""
    if isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, list):
        return []
    texts: list[str] = []
    for item in cast("list[Json]", value):
        part = cast("Object", item) if isinstance(item, dict) else {}
        text: Any = part.get("text")
        if part.get("type") != "text" or not isinstance(text, str) or not text:
            return []
        texts.append(text)
    return texts


def template_of(value: Json) -> Json:
    """A value of reasoning, or a list of thinking parts, with null for each of its texts."""
    if isinstance(value, str):
        return None
    return [{key: _hole(key, item) for key, item in cast("Object", part).items()} for part in cast("list[Json]", value)]


def _hole(key: str, value: Json) -> Json:
    if key == "text":
        return None
    return template_of(value) if key == THINKING else value


def fill(template: Json, texts: Sequence[str]) -> Json | None:
    """The value that a template was made from, with these texts; None where they are not as many as its places."""
    rest = iter(texts)
    filled = _filled(template, rest)
    return None if filled is None or next(rest, None) is not None else filled


def _filled(template: Json, rest: Iterator[str]) -> Json | None:
    if template is None:
        return next(rest, None)
    if not isinstance(template, list):
        return None
    out: list[Json] = []
    for item in cast("list[Json]", template):
        if not isinstance(item, dict):
            return None
        part = dict(cast("Object", item))
        for key in (THINKING, "text"):
            if key in part and (part[key] is None or key == THINKING):
                part[key] = _filled(part[key], rest)
                if part[key] is None:
                    return None
        out.append(part)
    return out
