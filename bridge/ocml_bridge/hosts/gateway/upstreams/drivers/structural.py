"""Write guides as structural tags, which vLLM takes (xgrammar's `structural_tag`)."""

from __future__ import annotations

from typing import Any

from .....formats.guidance import Frame, Guide, Several, Step, Stretch, Text
from .....model import Json
from .gbnf import members_grammar


def structural_tag(guide: Guide) -> Json:
    """Return the tag that enforces a guide."""
    return {"type": "structural_tag", "format": _sequence([_step(step) for step in guide])}


def _sequence(elements: list[Any]) -> Json:
    return elements[0] if len(elements) == 1 else {"type": "sequence", "elements": elements}


def _step(step: Step) -> Json:
    choices = [_stretch(each) for each in step.choices]
    either: Json = choices[0] if len(choices) == 1 else {"type": "or", "elements": choices}
    return {"type": "optional", "content": either} if step.optional else either


def _stretch(stretch: Stretch) -> Json:
    match stretch:
        case Frame():
            return _frame(stretch)
        case Several():
            return _several(stretch)
        case Text():
            return _text(stretch)


def _text(text: Text) -> Json:
    several = text.frames
    if several is None:
        return {"type": "any_text", "excludes": [text.trigger]}
    if several.begin:
        tags: list[Json] = [{"type": "tag", "begin": several.begin, "content": _inner(several), "end": several.end}]
    else:
        tags = [_frame(frame) for frame in several.frames]
    return {
        "type": "triggered_tags",
        "triggers": [text.trigger],
        "tags": tags,
        "at_least_one": False,
        "stop_after_first": several.only_one,
    }


def _several(several: Several) -> Json:
    return _sequence([*_constant(several.begin), _inner(several), *_constant(several.end)])


def _inner(several: Several) -> Json:
    return {
        "type": "tags_with_separator",
        "tags": [_frame(frame) for frame in several.frames],
        "separator": several.between,
        "at_least_one": True,
        "stop_after_first": several.only_one,
    }


def _frame(frame: Frame) -> Json:
    content = _content(frame)
    if frame.end:
        return {"type": "tag", "begin": frame.begin, "content": content, "end": frame.end}
    # Text without an end cannot be the content of a tag.
    return _sequence([*_constant(frame.begin), content])


def _content(frame: Frame) -> Json:
    if frame.schema is None:
        return {"type": "any_text"}
    if frame.members is not None:
        return {"type": "grammar", "grammar": members_grammar(frame.schema, frame.members)}
    return {"type": "json_schema", "json_schema": frame.schema}


def _constant(text: str) -> list[Json]:
    return [{"type": "const_string", "value": text}] if text else []
