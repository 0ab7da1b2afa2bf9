"""Texts inside lists of parts: where servers write reasoning as parts, the texts are taken out and the rest is kept.

    [{"type": "text", "text": "So.", "train": false}]   →   ["So."] and [{"type": "text", "text": null, "train": false}]

What is left is a template: it holds none of what was said, so that a text that is dropped or edited leaves nothing
behind. `fill` puts as many texts back as were taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.model import Json

from .form import Object

THINKING: Final = "thinking"
"""The type of a content part that holds reasoning, and its key: a text, or a list of text parts (Mistral, vLLM)."""


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
