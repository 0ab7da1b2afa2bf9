"""What a format says of the units that it reads. The engine derives the rest: plans, and conversations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ..loss import Log
from ..model import Completion, Json, Message
from ..options import Options
from .conversation import Conversation
from .grammar import Emptied, Parted, Skeleton, Unit
from .heads import Head, Item


class UnitReader(ABC):
    """How a format's units are read, by the options that it was made with.

    A document is taken apart into units, each of which is read for itself; then they are related: what only the whole
    tells is found. What a unit is read as must depend on nothing but itself and the unit before it.

    Args:
        options: how to read.

    Attributes:
        looks_at_contents: whether `relate` looks at what messages say; False where it never does.
    """

    looks_at_contents: ClassVar[bool] = True

    def __init__(self, options: Options) -> None:
        self.options = options

    @abstractmethod
    def part(self, source: str | Json, log: Log) -> Parted | Completion:
        """Take a document apart; a text to be completed has no units, and is read as it is.

        Args:
            source: text, or a JSON value.
            log: takes what is noticed.

        Raises:
            BridgeError: with the offset or the path, for what is no document of the format; OCB-SEVERAL for several.
        """

    def emptied(self, source: str | Json) -> Emptied | None:
        """A document as its envelope and its units; None for one whose envelope is one of a kind.

        What stands around the units must depend on nothing but the envelope; where something of the units matters to
        it, such as whether the last of them is to be continued, the stand-ins for them tell.

        Args:
            source: text, or a JSON value.
        """
        return None

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """A unit without contents and ids; None for one that has more than these to say, or is one of a kind.

        Texts that nobody said, such as the id of an item, may be among its values, where `read` puts them into the
        extras of a message or its signature, and `relate` does not look at them.

        Args:
            unit: any value that stands where a unit does.
            before: the unit before it; what its reading depends on of that belongs to the key.
        """
        return None

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A unit that has a skeleton, with other contents and ids; it is asked of no other."""
        raise NotImplementedError(f"{type(self).__name__} has skeletons: define filled(), too")

    @abstractmethod
    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a unit.

        Args:
            unit: any value that stands where a unit does.
            at: its index in the document.
            index: that of its first message.
            parted: the document.
            log: takes what is noticed.

        Raises:
            BridgeError: with the offset or the path, for what is no unit of the format.
        """

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation: the items with what only the whole of it tells of one, and what stands around them.

        That must depend on nothing but the envelope, heads, which ids are the same, and contents that are not
        `is_related_alike` or have parts.

        Args:
            items: as they were read, one by one; the list may be changed.
            parted: the document.
            log: takes what is noticed of the whole.

        Raises:
            BridgeError: where they make no document.
        """
        return Conversation(items, parted.around)

    def is_related_alike(self, head: Head, content: str) -> bool:
        """Whether a message is related like any other with its head; it is asked where `relate` looks at contents."""
        return False
