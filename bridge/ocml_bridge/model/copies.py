"""Copy model objects with some fields replaced: values are never changed in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from .message import Message
from .parts import Citation, Part, Tool
from .settings import AnswerFormat, Settings, ToolChoice, Usage
from .transcript import Alternative, Document, Header

_Object = (
    Document | Alternative | Header | Message | Part | Citation | Tool | Settings | ToolChoice | AnswerFormat | Usage
)
_Model = TypeVar("_Model", bound=_Object)


def replace(value: _Model, /, **changes: Any) -> _Model:
    """Return a copy of a model object with other values in some fields.

    For the model's classes this is `dataclasses.replace` in a third of the time: they have slots, take all fields by
    position, and have no `__post_init__`.

    Args:
        value: the object.
        changes: the new values, by field.

    Raises:
        TypeError: if the object has no such field.
    """
    copy = value.__class__(*_fields(value.__class__)(value))
    try:
        for name, item in changes.items():
            setattr(copy, name, item)
    except AttributeError as error:
        raise TypeError(str(error)) from error
    return copy


@cache
def _fields(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of all fields of an object of a class."""
    names: tuple[str, ...] = kind.__match_args__
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)
