"""Convert between texts that contain JSON and JSON values: arguments of calls, and results of tools.

The canonical form has them as text; wires of blocks have them as values.
"""

from __future__ import annotations

from typing import Any, Final, cast

from ...chat.freeform_arguments import TEXT_KEY
from ...json_values import jsontext
from ...json_values.jsontext import text_of
from ...loss import Log, LossCode, Severity
from ...model import Json
from ...units.grammar import ContentClass

__all__ = ["nearest_object", "object_in", "text_of"]


def value_in(text: str) -> tuple[Json] | None:
    """Return the value of a text that is compact JSON, in a tuple; None if it is not."""
    span = jsontext.parse(text)
    return (span.value,) if span is not None and text_of(span.value) == text else None


def object_in(text: str) -> dict[str, Any] | None:
    """Return the object of a text that is JSON; None if it is no object, or if it cannot be written as JSON again."""
    parsed = object_and_text(text)
    return None if parsed is None else parsed[0]


def object_and_text(text: str) -> tuple[dict[str, Any], str] | None:
    """Return the same as `object_in`, and the object's compact JSON."""
    if text[:1] == "{" and (parsed := jsontext.parsed_and_compact(text)) is not None:
        return cast("tuple[dict[str, Any], str]", parsed)
    span = jsontext.parse(text) if text.lstrip()[:1] == "{" else None
    compact = None if span is None or span.value.__class__ is not dict else text_of(span.value)
    return None if span is None or compact is None else (span.value, compact)


def compact_object(text: str) -> dict[str, Any] | None:
    """Return the object of a text that is compact JSON; None if it is no object, or not compact."""
    value = value_in(text) if text[:1] == "{" else None
    return None if value is None or value[0].__class__ is not dict else value[0]


def _object_of(text: str) -> Any:
    """Return the object of a text that is known to be the JSON of one."""
    span = jsontext.parse(text)
    assert span is not None
    return span.value


AN_OBJECT: Final = ContentClass('{"', '":0}', _object_of, object_and_text)
"""The class of texts that are the compact JSON of objects, as `nearest_object` returns them."""


def nearest_object(text: str, path: str, log: Log, *, target: str) -> str:
    """Return the compact JSON of the nearest object for a text, for wires that accept only objects.

    Args:
        text: the arguments.
        path: their JSON pointer.
        log: receives the losses.
        target: the format id.
    """
    parsed = object_and_text(text)
    if parsed is not None:
        return respelled_object(text, parsed[1], path, log, target=target)
    if not text.strip():
        log.lose(LossCode.CONTENT, path, f"{target} writes empty arguments as {{}}", Severity.LAYOUT)
        return "{}"
    detail = f"{target} takes an object only; the text becomes its member {TEXT_KEY!r}"
    log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
    return jsontext.compact({TEXT_KEY: text})


def respelled_object(text: str, compact: str, path: str, log: Log, *, target: str) -> str:
    """Return the compact JSON of an object, and report it if the text is not compact.

    Args:
        text: the text of the object.
        compact: its compact JSON.
        path: its JSON pointer.
        log: receives the loss.
        target: the format id.
    """
    if compact == text:
        return text
    detail = f"{target} keeps the JSON object, but not its spacing and escapes"
    log.lose(LossCode.CONTENT, path, detail, Severity.LAYOUT)
    return compact
