"""What stands around messages as it is remembered: bytes, and what nobody can change."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ..model import AnswerFormat, Settings, Tool, ToolChoice, Transcript, Usage
from ..ownership import pack, unpack

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
        data = pack(value)
    except ValueError:
        return None
    return data if len(data) <= LONGEST else None


def fields_of(around: Transcript) -> tuple[Any, ...]:
    """What stands around messages as JSON values in tuples."""
    tools = None if around.tools is None else tuple([_tool(tool) for tool in around.tools])
    settings = None if around.settings is None else _settings(around.settings)
    if settings is not None and not _is_flat(around.settings):
        settings = tuple(map(_as_fields, settings))
    return tools, settings, around.extras, around.layout


def _as_fields(value: Any) -> Any:
    """A value of settings; for an object of them a tuple that begins with the number of its kind."""
    kind = value.__class__
    return (_KINDS.index(kind), *_INNER[kind](value)) if kind in _INNER else value


def _is_flat(settings: Settings | None) -> bool:
    """Whether there are no objects in settings."""
    return settings is None or settings.response_format is settings.tool_choice is settings.usage is None


class Around(NamedTuple):
    """What stands around messages.

    Attributes:
        shared: what of it nobody can change.
        rest: the rest of it: tools, settings in which there are objects, extras and layout; None where there is none.
    """

    shared: Transcript
    rest: bytes | None

    def fresh(self) -> Transcript:
        """What stands around messages; nobody else has what can be changed in it."""
        if self.rest is None:
            return self.shared
        tools, inner, extras, layout = unpack(self.rest)
        settings = self.shared.settings if inner is None else Settings(*map(_whole, inner))
        made = None if tools is None else tuple([Tool(*fields) for fields in tools])
        return Transcript((), made, settings=settings, extras=extras, layout=layout)


def _whole(value: Any) -> Any:
    """A value of settings; an object of them for a tuple that begins with the number of its kind."""
    if value.__class__ is tuple and value and value[0].__class__ is int:
        number, *fields = cast("tuple[int, ...]", value)
        return _KINDS[number](*fields)
    return value


def remembered(around: Transcript) -> Around | None:
    """What stands around messages, to be remembered; None where it is too large, or holds what is no JSON."""
    tools, settings, extras, layout = fields_of(around)
    if _is_flat(around.settings):
        settings = None
    if not tools and settings is extras is layout is None:
        return Around(Transcript((), around.tools, settings=around.settings), None)
    rest = packed((tools, settings, extras, layout))
    return None if rest is None else Around(Transcript(settings=around.settings), rest)
