"""Advise on rows of a flattened object: the names of their columns are places, as `inputs.messages` (Weave)."""

from __future__ import annotations

from typing import Any, cast

from ..model import Json
from .layout import Object
from .plan import AUTO, Plan, layout_for


def flattened(row: Object) -> list[str]:
    """Return advice for a row that has a layout if it is the object that it was made of; [] for others."""
    if not any("." in name for name in row):
        return []
    inner = _nested(row)
    if inner is None or layout_for(Plan((AUTO,)), inner) is None:
        return []
    query = 'reduce (to_entries[] | select(.value != null)) as $e ({}; setpath($e.key | split("."); $e.value))'
    return [
        "# The names of the columns are places in an object. Make that of them again:",
        f"#   jq -c '{query}' DATA > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


def _nested(row: Object) -> Object | None:
    """Return the object whose places the columns are, without nulls; None if two of them exclude each other."""
    whole: Object = {}
    for name in [name for name, value in row.items() if value is not None]:
        *steps, last = name.split(".")
        inner: Json = whole
        for step in steps:
            inner = cast("dict[str, Any]", inner).setdefault(step, {})
            if not isinstance(inner, dict):
                return None
        if last in inner:
            return None
        inner[last] = row[name]
    return whole
