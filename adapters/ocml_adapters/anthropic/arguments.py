"""Arguments of calls, and what server tools give: values of JSON here, texts in the canonical form."""

from __future__ import annotations

from typing import Any, cast

from ocml_bridge import jsontext
from ocml_bridge.model import Json


def value_of(text: str) -> Json | None:
    """The value that a text is the compact JSON of; None where it is spelled in another way, or is none."""
    span = jsontext.parse(text)
    return None if span is None or jsontext.text_of(span.value) != text else span.value


def object_of(text: str) -> dict[str, Any] | None:
    """The object that a text is the compact JSON of; None where it is spelled in another way, or is none."""
    value = value_of(text) if text[:1] == "{" else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
