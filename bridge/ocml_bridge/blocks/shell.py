"""Documents without their wire messages: what stands around them, and their other answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..form import Object
from ..model import ByFormat, Json, Settings, Tool, Transcript

CHOICE = "choice"
"""The label of an alternative that is another answer of a response."""


class Top(NamedTuple):
    """What the system says before all wire messages, as a wire message without a role."""

    wire: Object


@dataclass(slots=True)
class Branch:
    """Another answer than the one that is read.

    Attributes:
        wire: its wire message.
        place: JSON pointer to that.
        extras: what else is said of it.
        cut_off: whether the document says that it was cut off.
    """

    wire: Object
    place: str
    extras: Object
    cut_off: bool = False


@dataclass(slots=True)
class Shell:
    """A document without its wire messages.

    Attributes:
        top: what the system says before them.
        wires: the wire messages.
        default: the role of those that say none.
        place: index of a wire message → JSON pointer to it.
        top_place: JSON pointer to what the system says.
        cut_off: whether the document says that the last message was cut off.
        branches: the other answers.
    """

    wires: Sequence[Json]
    default: str
    place: Callable[[int], str]
    top: Object | None = None
    top_place: str = ""
    tools: tuple[Tool, ...] | None = None
    settings: Settings | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    cut_off: bool = False
    branches: list[Branch] = field(default_factory=list[Branch])

    @property
    def around(self) -> Transcript:
        """The transcript without its messages and its alternatives."""
        return Transcript((), self.tools, settings=self.settings, extras=self.extras, layout=self.layout)


class Parts(NamedTuple):
    """What a document is put together from.

    Attributes:
        around: what stands around the wire messages.
        top: what the system says before them; None where it says nothing.
        wires: the wire messages.
        branches: those of the alternatives.
    """

    around: Transcript
    top: Object | None
    wires: list[Json]
    branches: Sequence[list[Json]]
