"""Parts that are read alike: function calls, and what functions give as an output or as an object."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from ocml_bridge.blocks.skeletons import A_TEXT, A_WORD, AN_OBJECT, Slot, Slots, object_with
from ocml_bridge.jsontext import text_of

from .syntax import CALL, RESPONSE


def _add(value: Any, key: list[Hashable], values: list[str]) -> bool:
    """An object with an output or an error is what that says; a text that looks like an object is another case."""
    if value.__class__ is not dict:
        return False
    inner: Any = next(iter(value.values())) if len(value) == 1 else None
    if "output" in value or "error" in value:
        key.append(tuple(value))
        values.append(inner if inner.__class__ is str else "")
        return inner.__class__ is str and inner != "" and inner.lstrip()[:1] != "{"
    text = text_of(value)
    key.append(None)
    values.append(text or "")
    return text is not None


def _filled(value: Any, values: Iterator[str]) -> Any:
    keys = list(value)
    return {keys[0]: next(values)} if keys in (["output"], ["error"]) else object_with(next(values))


SLOTS: Final[Slots] = {
    CALL: {"id": A_TEXT, "name": A_WORD, "args": AN_OBJECT},
    RESPONSE: {"id": A_TEXT, "name": A_WORD, "response": Slot(_add, _filled)},
}
