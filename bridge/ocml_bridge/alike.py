"""Requests that are alike but for their messages and tools: what stands around these is read and written once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from .form import Object
from .model import Json, Settings, Tool, Transcript
from .ownership import pack

SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""What members are that are the same for requests alike."""
LONGEST: Final = 100
"""The longest of them, in characters."""


def key_of_request(request: Object, apart: Mapping[str, type[Any]]) -> Hashable | None:
    """The members of a request but those that stand apart; None where another is neither a word nor a number.

    Args:
        request: any.
        apart: what holds messages and tools, by its key → the class of its value.
    """
    key: list[Hashable] = []
    for name, value in request.items():
        kind = value.__class__
        if kind is apart.get(name):
            key.append(name)
        elif kind not in SCALARS or (kind is str and len(value) > LONGEST):
            return None
        else:
            key.append((name, kind, value))
    return tuple(key)


def key_around(
    around: Transcript, extras: Object, layout: Object, is_plain_tool: Callable[[Tool], bool]
) -> Hashable | None:
    """What stands around messages and tools; None where that is more than a request's settings, layout and switches.

    Args:
        around: the document without its messages.
        extras: those of the format.
        layout: that of the format.
        is_plain_tool: whether a tool is read as it is written.
    """
    if (
        around.alternatives is not None
        or not all(value.__class__ is bool for value in extras.values())
        or "shape" in layout
        or not all(map(is_plain_tool, around.tools or ()))
    ):
        return None
    settings: Hashable = None
    if around.settings is not None:
        values = _settings(around.settings)
        kinds = tuple([value.__class__ for value in values])
        if not SCALARS.issuperset(kinds) or any(len(value) > LONGEST for value in values if value.__class__ is str):
            return None
        settings = values, kinds
    try:
        return settings, around.tools is None, *extras.items(), None if around.layout is None else pack(around.layout)
    except ValueError:
        return None


_settings: Final = attrgetter(*Settings.__match_args__)

Member = Callable[[list[Json], Transcript], Json]
"""Gives a member of a request, of its units and of what stands around them."""


class Alike(NamedTuple):
    """Requests that are written alike.

    Attributes:
        members: what gives each member.
        around: what is read around their units.
    """

    members: Sequence[tuple[str, Member]]
    around: Transcript

    def written(self, units: list[Json], around: Transcript) -> Object:
        """A request with some units, and with what stands around them."""
        return {name: member(units, around) for name, member in self.members}


def alike(written: Json, image: Transcript, apart: Mapping[str, Member]) -> Alike | None:
    """How requests like one are written; None where it has members that may differ.

    Args:
        written: the request.
        image: what is read around its units.
        apart: what gives the members that hold messages and tools.
    """
    if not isinstance(written, dict):
        return None
    members: list[tuple[str, Member]] = []
    for name, value in cast("Object", written).items():
        if name in apart:
            members.append((name, apart[name]))
        elif value.__class__ in SCALARS:
            members.append((name, lambda _, __, value=value: value))
        else:
            return None
    return Alike(members, image)
