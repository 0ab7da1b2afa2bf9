"""What a format says of its units, so that the engine can read and write it by plans."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from ..loss import Log
from ..model import Json, Message, Transcript
from .conversation import Conversation
from .heads import Head, Item

Unit = Any
"""What a format reads and writes in one piece: an object of its JSON, or the text of a frame."""
State = Hashable
"""What the writing of a unit depends on beside its messages."""


class ByDocument(Exception):  # noqa: N818  # no error: there is another way
    """A document that cannot be read or written unit by unit: something in it concerns more than one of them."""


class Parted(NamedTuple):
    """A document taken apart.

    Attributes:
        units: its units, in order.
        around: the transcript without its messages, as far as it is known before they are read.
        cut_off: whether the document says that its last message was cut off.
        document: what else the format's reader wants to know of it.
    """

    units: Sequence[Unit]
    around: Transcript
    cut_off: bool = False
    document: object = None


Skeleton = tuple[Hashable, list[str]]
"""A unit without contents and ids.

What is equal for units that are read alike; and the contents and ids, none of them empty, in the order of
`UnitReader.filled`.
"""


class UnitReader(Protocol):
    """How a format's units are read."""

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """Take a document apart; None for one that is read as a whole.

        Raises:
            BridgeError: what the format's reader raises of a document.
        """
        ...

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """A unit without contents and ids; None for one that has more than these to say.

        Args:
            unit: any value that stands where a unit does.
            before: the unit before it; what its reading depends on of that belongs to the key.
        """
        ...

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A unit that has a skeleton, with other contents and ids; where these are JSON, with JSON that holds them."""
        ...

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a unit.

        Args:
            unit: any value that stands where a unit does.
            at: its index in the document.
            index: that of its first message.
            parted: the document.
            log: takes what is noticed.

        Raises:
            BridgeError: what the format's reader raises of a unit.
            ByDocument: for one that is to be read with others.
        """
        ...

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation: the items with what only the whole of it tells of one, and what stands around them.

        Args:
            items: as they were read, one by one.
            parted: the document.
            log: takes what is noticed of the whole.

        Raises:
            ByDocument: where more is to be noticed than the units tell.
        """
        ...


class Spelled(NamedTuple):
    """A unit as it is written.

    Attributes:
        unit: the text, or the JSON.
        image: the messages that it reads as.
        state: what the next unit depends on.
    """

    unit: Unit
    image: Sequence[Message]
    state: State


class ContentClass(NamedTuple):
    """Contents that are written alike, shown by one of them.

    Attributes:
        before: what stands before any text in a content that belongs to the class.
        after: and behind it.
        encode: how a content stands in the unit; None where it stands there as it is.
    """

    before: str = ""
    after: str = ""
    encode: Callable[[str], str] | None = None


ANY_CONTENT: Final = ContentClass()
"""The class of contents that are written alike whatever they say."""


class UnitWriter(Protocol):
    """How a format's units are written, by the options that it was made with.

    Attributes:
        target: the format id.
        home: the key of its extras and layout.
        mark: a text without it is written as it is; "" where each has to be looked at, None where any is.
        start: the state before the first unit.
        groups: whether a unit may have several messages.
        keeps_ids: whether call ids are written.
        guards_first: whether what `spell` reports comes before what the image shows to be lost.
    """

    target: str
    home: str
    mark: str | None
    start: State
    groups: bool
    keeps_ids: bool
    guards_first: bool

    def inert(self, text: str) -> bool:
        """Whether a content is written as it is."""
        ...

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items with what only the whole of a conversation tells of one: ids, names.

        Raises:
            ByDocument: for a conversation that is written as a whole.
        """
        ...

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The nearest message that the format can hold; None where it has no place for it, which is reported."""
        ...

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one unit with the message before it, which has the same role."""
        ...

    def follows(self, head: Head) -> bool:
        """Whether all that is written of a message but its content and id follows from its head."""
        ...

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """The class of a content, in a unit that does not follow from its heads; None where the unit is one of a kind.

        What is written of a message but its content and id follows from its head and this class.
        """
        ...

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A unit as it is written.

        Args:
            group: its messages, each the nearest that the format can hold.
            state: what the unit before it left.
            last: whether nothing follows.
            paths: where the messages stand in the document.
            log: takes what is changed in contents.

        Raises:
            ByDocument: for messages that concern more than this unit.
        """
        ...

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """The index of the message before which something is written that is none, such as tools; -1 for nowhere.

        Raises:
            ByDocument: where it is written into a message.
        """
        ...

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The output.

        Args:
            units: its units, or their pieces, in order.
            at: the index of the first that belongs to the message at `place`.
            around: the document without its messages.
            state: what the last unit left.

        Raises:
            ByDocument: where what stands around the messages cannot be written apart from them.
        """
        ...


class Enclosed(NamedTuple):
    """An output, and what it reads as, without messages.

    Attributes:
        output: the text, or the JSON.
        around: the transcript without its messages.
        cut_off: whether it reads as one whose last message was cut off.
    """

    output: Unit
    around: Transcript
    cut_off: bool = False
