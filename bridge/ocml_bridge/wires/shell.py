"""Documents without their units: what stands around wire messages, and the other answers."""

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
"""Index of a unit → JSON pointer to it."""


class Top(NamedTuple):
    """What the system says before all wire messages, as a wire message without a role."""

    wire: Object


def is_top(unit: object) -> bool:
    """Whether a unit is what the system says before all wire messages."""
    return isinstance(unit, Top)


@dataclass(slots=True)
class Branch:
    """Another answer than the one that is read.

    Attributes:
        wires: its wire messages.
        place: JSON pointer to where it stands.
        extras: what else is said of it.
        label: what it is, as an alternative.
        start: index of the unit of the document from which on they stand instead of the others.
        cut_off: whether the document says that its last message was cut off.
    """

    wires: list[Json]
    place: str
    extras: Object
    label: str = CHOICE
    start: int = 0
    cut_off: bool = False

    def alternative(self, messages: Sequence[Message], at: int, notes: Notes) -> Alternative:
        """The answer as an alternative of a transcript, the last message without an ending where it was cut off.

        Args:
            messages: of its wire messages.
            at: index of the message from which on they stand instead of the others.
            notes: of the format.
        """
        if self.cut_off and messages:
            messages = (*messages[:-1], replace(messages[-1], end=None))
        return Alternative(tuple(messages), at, self.label, notes.by_format(self.extras))


def in_list(at: int) -> str:
    """The JSON pointer to an item of a bare list."""
    return f"/{at}"


@dataclass(slots=True)
class Shell:
    """A document without its units.

    Attributes:
        units: its wire messages, behind what the system says before them.
        place: index of a unit → JSON pointer to it.
        default: the role of the wire messages that say none.
        cut_off: whether the document says that the last message was cut off.
        branches: the other answers.
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
        """A unit that has to be an object with a role.

        Args:
            unit: it.
            at: its index.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        if not isinstance(unit, dict):
            raise BridgeError(ErrorCode.SHAPE, "a message must be an object with a 'role'", path=self.place(at))
        wire = cast("Object", unit)
        if not isinstance(wire.get("role"), str):
            raise BridgeError(ErrorCode.SHAPE, "a message must have a 'role'", path=f"{self.place(at)}/role")
        return wire

    def around(self, notes: Notes) -> Transcript:
        """The transcript without its messages and alternatives, with the notes of a format."""
        extras, layout = notes.by_format(self.extras), notes.by_format(self.layout)
        return Transcript((), self.tools, settings=self.settings, extras=extras, layout=layout)
