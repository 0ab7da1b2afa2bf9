"""Private reasoning, both ways: four keys that servers use for one thing, where the official types have none.

Every key *says* a list of texts: `reasoning`, `reasoning_content` and `thinking` one, `reasoning_details` one an item.
The first that says something is believed. What another key says alike is layout; what it says differently is extras.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.model import Json

from .form import Object
from .syntax import DETAILS, REASONING

JOINT: Final = "\n\n"
"""What stands between several texts where they are written as one."""
_SAYS: Final = {"reasoning.text": "text", "reasoning.summary": "summary", "text": "text"}
"""Type of an item of `reasoning_details`, or of a list of parts under another key → the key of its text; others
(encrypted ones) say nothing readable."""


def read_reasoning(wire: Object) -> tuple[list[str], list[str]]:
    """The texts of a message's reasoning, and the keys whose value follows from these texts."""
    details = wire.get(DETAILS)
    bare = _bare_texts(details)
    texts: list[str] = []
    for key in REASONING:
        value = wire.get(key)
        texts = [value] if key != DETAILS and value and isinstance(value, str) else detail_texts(value)
        if texts:
            break
    if len(bare) > 1 and JOINT.join(texts) == JOINT.join(bare):
        texts = bare
    return texts, [key for key in REASONING if _follows(key, wire.get(key), texts, bare)]


def _follows(key: str, value: Json, texts: list[str], bare: list[str]) -> bool:
    return bool(texts) and (bare == texts if key == DETAILS else value == JOINT.join(texts))


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


def write_reasoning(texts: list[str], keys: Json, extras: Object, options: Options) -> Object:
    """The members of a message that hold its reasoning.

    Args:
        texts: one or more, none of them empty.
        keys: the keys that the source had them under; nonsense is passed over.
        extras: the message's extras, where details may stand that say the same and more.
        options: `reasoning` names the key to use in place of the source's, where it is not the default one.
    """
    chosen = _chosen(texts, keys, extras)
    if options.reasoning != "reasoning":
        chosen = [options.reasoning, *(key for key in chosen if key == DETAILS)]
    return {key: _details(texts) if key == DETAILS else JOINT.join(texts) for key in REASONING if key in chosen}


def _details(texts: Sequence[str]) -> list[Json]:
    return [{"type": "reasoning.text", "text": text} for text in texts]


def _chosen(texts: list[str], keys: Json, extras: Object) -> list[str]:
    if not isinstance(keys, list):
        return default_keys(texts)
    known = [key for key in REASONING if key in cast("list[Json]", keys)]
    if DETAILS in known or (known and len(texts) == 1):
        return known
    told = any(detail_texts(extras.get(key)) == texts for key in REASONING)
    return known if told else default_keys(texts)
