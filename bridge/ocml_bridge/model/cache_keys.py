"""Cache keys of what stands around messages: tools, settings, extras and layout as bytes, equal if the values are."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from . import AnswerFormat, CacheMark, Freeform, Settings, Tool, ToolChoice, Transcript, Usage
from .ownership import key_of

LONGEST: Final = 250_000
"""How long a key may be, in bytes."""
_settings: Final = attrgetter(*Settings.__match_args__)
_tool: Final = attrgetter(*Tool.__match_args__)
_NUMBERS: Final[dict[type[Any], int]] = {
    cls: number for number, cls in enumerate((AnswerFormat, ToolChoice, Usage, Freeform, CacheMark))
}
"""The number in a key of each class of objects in settings and tools."""


def packed(value: Any) -> bytes | None:
    """Return a JSON value as bytes; None if it contains anything else, or if the key would be too long."""
    try:
        data = key_of(value)
    except ValueError:
        return None
    return data if len(data) <= LONGEST else None


def fields_of(around: Transcript) -> tuple[Any, ...]:
    """Return what stands around messages as JSON values in tuples, for `packed`."""
    return fields_of_tools(around.tools), fields_of_settings(around.settings), around.extras, around.layout


def fields_of_tools(tools: tuple[Tool, ...] | None) -> tuple[Any, ...] | None:
    """Return declared tools as JSON values in tuples, for `packed`."""
    return None if tools is None else tuple([fields_of_tool(tool) for tool in tools])


def fields_of_tool(tool: Tool) -> tuple[Any, ...]:
    """Return a tool as JSON values in a tuple, for `packed`; most have no objects."""
    fields = _tool(tool)
    return fields if tool.freeform is tool.cache is None else tuple(map(_as_fields, fields))


def fields_of_settings(settings: Settings | None) -> tuple[Any, ...] | None:
    """Return settings as JSON values in tuples, for `packed`."""
    if settings is None:
        return None
    fields = _settings(settings)
    return fields if _is_flat(settings) else tuple(map(_as_fields, fields))


def _as_fields(value: Any) -> Any:
    """Return a field of settings or of a tool; an object becomes a tuple of the number of its class and its fields."""
    number = _NUMBERS.get(value.__class__)
    return value if number is None else (number, *[getattr(value, name) for name in value.__match_args__])


def _is_flat(settings: Settings | None) -> bool:
    """Return whether settings have only texts, numbers and JSON values, no objects."""
    return settings is None or settings.response_format is settings.tool_choice is settings.usage is None
