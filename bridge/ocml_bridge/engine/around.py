"""What stands around messages as bytes: what is equal has the same."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from ..model import AnswerFormat, Settings, Tool, ToolChoice, Transcript, Usage
from ..model.ownership import key_of

LONGEST: Final = 250_000
"""The longest of what is remembered, in bytes."""
_settings: Final = attrgetter(*Settings.__match_args__)
_tool: Final = attrgetter(*Tool.__match_args__)
_INNER: Final[dict[type[Any], attrgetter[tuple[Any, ...]]]] = {
    kind: attrgetter(*kind.__match_args__) for kind in (AnswerFormat, ToolChoice, Usage)
}
"""What settings are made of that is neither text nor number → what gives its fields."""
_KINDS: Final[tuple[type[Any], ...]] = tuple(_INNER)


def packed(value: Any) -> bytes | None:
    """A value as bytes; None where that is not possible, or there are too many of them."""
    try:
        data = key_of(value)
    except ValueError:
        return None
    return data if len(data) <= LONGEST else None


def fields_of(around: Transcript) -> tuple[Any, ...]:
    """What stands around messages as JSON values in tuples."""
    return fields_of_tools(around.tools), fields_of_settings(around.settings), around.extras, around.layout


def fields_of_tools(tools: tuple[Tool, ...] | None) -> tuple[Any, ...] | None:
    """Declared tools as JSON values in tuples."""
    return None if tools is None else tuple([_tool(tool) for tool in tools])


def fields_of_settings(settings: Settings | None) -> tuple[Any, ...] | None:
    """Settings as JSON values in tuples."""
    if settings is None:
        return None
    fields = _settings(settings)
    return fields if _is_flat(settings) else tuple(map(_as_fields, fields))


def _as_fields(value: Any) -> Any:
    """A value of settings; for an object of them a tuple that begins with the number of its kind."""
    kind = value.__class__
    return (_KINDS.index(kind), *_INNER[kind](value)) if kind in _INNER else value


def _is_flat(settings: Settings | None) -> bool:
    """Whether there are no objects in settings."""
    return settings is None or settings.response_format is settings.tool_choice is settings.usage is None
