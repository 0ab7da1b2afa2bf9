"""Guides as structural tags, which vLLM takes (xgrammar's `structural_tag`)."""

from __future__ import annotations

from ....guidance import Frame, Guide, Step
from ....model import Json


def structural_tag(guide: Guide) -> Json:
    """The tag that holds an answer to a guide."""
    return {"type": "structural_tag", "format": {"type": "sequence", "elements": [_step(step) for step in guide]}}


def _step(step: Step) -> Json:
    tags: list[Json] = [_tag(frame) for frame in step.frames]
    either: Json = tags[0] if len(tags) == 1 else {"type": "or", "elements": tags}
    return {"type": "optional", "content": either} if step.optional else either


def _tag(frame: Frame) -> Json:
    content: Json = {"type": "any_text"} if frame.schema is None else _json(frame.schema)
    if frame.end:
        return {"type": "tag", "begin": frame.begin, "content": content, "end": frame.end}
    # Any text as far as it goes is not the content of a tag.
    return {"type": "sequence", "elements": [{"type": "const_string", "value": frame.begin}, content]}


def _json(schema: Json) -> Json:
    return {"type": "json_schema", "json_schema": schema}
