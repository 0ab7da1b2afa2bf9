"""Private reasoning, both ways: four keys that servers use for one thing, where the official types have none.

Every key *says* a list of texts: `reasoning`, `reasoning_content` and `thinking` one, or one for each text part of a
list; `reasoning_details` one an item. Content that begins with `thinking` parts says it where no key does. The first
that says something is believed. What another key says alike is layout; what it says differently is extras.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.adapter import Options
from ocml_bridge.form import OBJECT, Object
from ocml_bridge.model import Json

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
        texts: in order, none of them empty.
        keys: the keys whose value follows from these texts.
        templates: for those of the keys whose value is a list of parts, and for content that begins with thinking
            parts: the value without the texts.
    """

    texts: list[str]
    keys: list[str]
    templates: Object


def read_reasoning(wire: Object) -> Reasoning:
    """The reasoning of a wire message."""
    if _KEYS.isdisjoint(wire) and not isinstance(wire.get(CONTENT), list):
        return Reasoning([], [], {})
    details = wire.get(DETAILS)
    bare = _bare_texts(details)
    texts: list[str] = []
    for key in REASONING:
        value = wire.get(key)
        texts = detail_texts(value) if key == DETAILS else texts_of(value)
        if texts:
            break
    if len(bare) > 1 and JOINT.join(texts) == JOINT.join(bare):
        texts = bare
    keys = [key for key in REASONING if _follows(key, wire.get(key), texts, bare)]
    templates: Object = {
        key: template_of(value) for key in keys if key != DETAILS and isinstance(value := wire[key], list)
    }
    if not texts and (parts := thinking_parts(wire.get(CONTENT))):
        texts = [text for part in parts for text in texts_of(part[THINKING])]
        templates[CONTENT] = template_of(parts)
    return Reasoning(texts, keys, templates)


def thinking_parts(content: Json) -> list[Object]:
    """The thinking parts that content begins with."""
    return list(takewhile(is_thinking, cast("list[Any]", content))) if isinstance(content, list) else []


def _follows(key: str, value: Json, texts: list[str], bare: list[str]) -> bool:
    if not texts or key == DETAILS:
        return bool(texts) and bare == texts
    return texts_of(value) == texts if isinstance(value, list) else value == JOINT.join(texts)


def _bare_texts(details: Json) -> list[str]:
    """The texts of details that hold nothing else and are spelled as we spell them; none otherwise."""
    if not isinstance(details, list):
        return []
    texts: list[str] = []
    for item in cast("list[Json]", details):
        if not isinstance(item, dict) or list(cast("Object", item)) != ["type", "text"]:
            return []
        text: Any = cast("Object", item)["text"]
        if item["type"] != "reasoning.text" or not isinstance(text, str) or not text:
            return []
        texts.append(text)
    return texts


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


def default_keys(texts: Sequence[str]) -> list[str]:
    """The keys that we write, before the options have a say: a list beside the text where there are several texts."""
    return ["reasoning"] if len(texts) == 1 else ["reasoning", DETAILS]


def write_reasoning(texts: list[str], keys: Json, templates: Json, extras: Object, options: Options) -> Object:
    """The members of a message that hold its reasoning; its `content` is what the content begins with.

    Args:
        texts: one or more, none of them empty.
        keys: the keys that the source had them under; nonsense is passed over.
        templates: as `Reasoning` has them; one that the texts do not fill is passed over.
        extras: the message's extras, where details may stand that say the same and more.
        options: they may name a key (`REASONING_KEY`) to use in place of the source's, where it is not the default one.
    """
    known: Object = templates if isinstance(templates, OBJECT) else {}
    key = REASONING_KEY.of(options)
    if key == REASONING_KEY.default and isinstance(known.get(CONTENT), list):
        parts = fill(known[CONTENT], texts)
        if parts is not None:
            return {CONTENT: parts}
    chosen = _chosen(texts, keys, known, extras)
    if key != REASONING_KEY.default:
        chosen = [key, *(other for other in chosen if other == DETAILS)]
    return {key: _value(key, texts, known) for key in REASONING if key in chosen}


def _value(key: str, texts: Sequence[str], templates: Object) -> Json:
    if key == DETAILS:
        return _details(texts)
    filled = fill(templates[key], texts) if isinstance(templates.get(key), list) else None
    return JOINT.join(texts) if filled is None else filled


def _details(texts: Sequence[str]) -> list[Json]:
    return [{"type": "reasoning.text", "text": text} for text in texts]


def _chosen(texts: list[str], keys: Json, templates: Object, extras: Object) -> list[str]:
    if not isinstance(keys, list):
        return default_keys(texts)
    known = [key for key in REASONING if key in cast("list[Json]", keys)]
    if DETAILS in known or (known and len(texts) == 1):
        return known
    if detail_texts(extras.get(DETAILS)) == texts or any(key in templates for key in known):
        return known
    return default_keys(texts)


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
