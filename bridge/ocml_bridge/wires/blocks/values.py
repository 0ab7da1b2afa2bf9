"""JSON that stands in a text, for wires that have it as values: arguments of calls, what tools reply."""

from __future__ import annotations

from typing import Any, Final, cast

from ...json_values import jsontext
from ...json_values.jsontext import text_of
from ...loss import Log, LossCode, Severity
from ...model import Json
from ...units.grammar import ContentClass
from ..freeform import TEXT_KEY

__all__ = ["nearest_object", "object_in", "text_of"]


def value_in(text: str) -> tuple[Json] | None:
    """The value that a text is the compact JSON of; None where it is that of none."""
    span = jsontext.parse(text)
    return (span.value,) if span is not None and text_of(span.value) == text else None


def object_in(text: str) -> dict[str, Any] | None:
    """The object that a text is the JSON of; None where it is none, or would not be the same when written again."""
    found = object_and_text(text)
    return None if found is None else found[0]


def object_and_text(text: str) -> tuple[dict[str, Any], str] | None:
    """The same with its compact JSON."""
    if text[:1] == "{" and (written := jsontext.parsed_as_written(text)) is not None:
        return cast("dict[str, Any]", written.value), text
    span = jsontext.parse(text) if text.lstrip()[:1] == "{" else None
    compact = None if span is None or span.value.__class__ is not dict else text_of(span.value)
    return None if span is None or compact is None else (span.value, compact)


def compact_object(text: str) -> dict[str, Any] | None:
    """The object that a text is the compact JSON of; None where it is that of none."""
    found = value_in(text) if text[:1] == "{" else None
    return None if found is None or found[0].__class__ is not dict else found[0]


def _object_of(text: str) -> Any:
    """The object that a text is certainly the JSON of."""
    span = jsontext.parse(text)
    assert span is not None
    return span.value


AN_OBJECT: Final = ContentClass('{"', '":0}', _object_of)
"""The class of texts that are written as objects, and are spelled as we spell these."""


def nearest_object(text: str, path: str, log: Log, *, target: str, key: str = TEXT_KEY) -> str:
    """The compact JSON of an object that says what a text does, where a wire has a place for objects only.

    Args:
        text: arguments as they were written.
        path: where they stand.
        log: takes what is changed.
        target: the format id.
        key: of the member that holds a text which is no object.
    """
    found = object_and_text(text)
    if found is not None:
        return respelled_object(text, found[1], path, log, target=target)
    if not text.strip():
        log.lose(LossCode.CONTENT, path, f"{target} writes empty arguments as {{}}", Severity.LAYOUT)
        return "{}"
    detail = f"{target} takes an object only; the text becomes its member {key!r}"
    log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
    return jsontext.compact({key: text})


def respelled_object(text: str, compact: str, path: str, log: Log, *, target: str) -> str:
    """An object's text in our spelling; itself where that is how it is spelled.

    Args:
        text: as it was written.
        compact: the same in our spelling.
        path: where it stands.
        log: takes what is changed.
        target: the format id.
    """
    if compact == text:
        return text
    detail = f"{target} keeps the JSON object, but not its spacing and escapes"
    log.lose(LossCode.CONTENT, path, detail, Severity.LAYOUT)
    return compact
