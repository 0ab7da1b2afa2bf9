"""Represent a document that was split: its units, the members around them, and its alternative answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from ..errors import BridgeError, ErrorCode
from ..json_values.form import Object
from ..model import Alternative, Json, Message, Settings, Tool, Transcript, replace
from ..model.notes import Notes

CHOICE: Final = "choice"
"""The label of an alternative that is another answer of a response."""
Place = Callable[[int], str]
"""Returns the JSON pointer of the unit at an index."""


class Top(NamedTuple):
    """The system prompt before all wire messages, as a wire message without a role."""

    wire: Object


def is_top(unit: object) -> bool:
    """Return whether a unit is the system prompt before all wire messages."""
    return isinstance(unit, Top)


@dataclass(slots=True)
class Branch:
    """An alternative answer in a document.

    Attributes:
        wires: its wire messages.
        place: its JSON pointer.
        extras: its other members.
        label: its label as an alternative.
        start: the index of the first unit of the document that it replaces.
        cut_off: whether its last message was cut off.
    """

    wires: list[Json]
    place: str
    extras: Object
    label: str = CHOICE
    start: int = 0
    cut_off: bool = False

    def alternative(self, messages: Sequence[Message], at: int, notes: Notes) -> Alternative:
        """Return the answer as an alternative of a transcript; its last message has no end if it was cut off.

        Args:
            messages: the messages of its wire messages.
            at: the index of the first message that they replace.
            notes: the notes of the format.
        """
        if self.cut_off and messages:
            messages = (*messages[:-1], replace(messages[-1], end=None))
        return Alternative(tuple(messages), at, self.label, notes.by_format(self.extras))


def in_list(at: int) -> str:
    """Return the JSON pointer of an item of a bare list."""
    return f"/{at}"


@dataclass(slots=True)
class Shell:
    """A document, split into its units and all else.

    Attributes:
        units: the system prompt, if there is one, and the wire messages.
        place: returns the JSON pointer of the unit at an index.
        default: the role of wire messages that have none.
        tools: the declared tools.
        settings: the settings.
        extras: the other members, which only the format has.
        layout: how the document was spelled.
        cut_off: whether the last message was cut off.
        branches: the alternative answers.
    """

    units: Sequence[Any]
    place: Place = in_list
    default: str = ""
    tools: tuple[Tool, ...] | None = None
    settings: Settings | None = None
    extras: Object = field(default_factory=dict[str, Any])
    layout: Object = field(default_factory=dict[str, Any])
    cut_off: bool = False
    branches: list[Branch] = field(default_factory=list[Branch])

    def message(self, unit: Json, at: int) -> Object:
        """Return a unit that must be an object with a role.

        Args:
            unit: the unit.
            at: its index.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is none.
        """
        if not isinstance(unit, dict):
            raise BridgeError(ErrorCode.SHAPE, "a message must be an object with a 'role'", path=self.place(at))
        wire = cast("Object", unit)
        if not isinstance(wire.get("role"), str):
            raise BridgeError(ErrorCode.SHAPE, "a message must have a 'role'", path=f"{self.place(at)}/role")
        return wire

    def around(self, notes: Notes) -> Transcript:
        """Return the transcript without its messages and alternatives, with the notes of a format."""
        extras, layout = notes.by_format(self.extras), notes.by_format(self.layout)
        return Transcript((), self.tools, settings=self.settings, extras=extras, layout=layout)
