"""What a format says of its blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final, Literal, NamedTuple, cast

from ...chat.citations import Citations
from ...chat.turns import is_call
from ...chat.visibility import is_private
from ...json_values.form import Object
from ...loss import Log
from ...model import CacheMark, Foreign, Json, Message, Part
from ...model.notes import Notes
from ...units.grammar import ContentClass
from ...units.heads import Head
from .skeletons import Slots
from .spelling import is_empty

AFTER: Final = "blocks behind"
"""The key of extras that holds blocks which say nothing of their own and stand behind those of a message."""
WIRE: Final = "wire message"
"""The key of extras, and of the layout, of what is said of a wire message beside its role and its blocks.

No format has members with such names.
"""
BLOCKS: Final = "blocks"
"""The key of the layout that holds the form of a message's blocks."""
APART: Final = "apart"
"""The key of the layout of a message that begins a wire message although it could stand in the one before."""
ROLE: Final = "role"
"""The key of a wire message that says whose it is, and of the layout where that is not whom we would name."""
UNKNOWN: Final = Foreign("", None)
"""What a grammar reads of a block that it does not know."""
TOP: Final = ""
"""Stands for the role of what the system says before all wire messages."""
EMPTY: Final = "empty"
"""The key of the layout of a message that says nothing: whether it has no block, or one without text.

Where the format refuses texts that say nothing, that of one that was read with such a text among others, too.
"""

MessageKind = Literal["text", "thought", "call", "reply"]


def kind_of(message: Message) -> MessageKind:
    """What a message is among the blocks of a wire message."""
    if message.role == "tool":
        return "reply"
    if message.role != "assistant":
        return "text"
    return "call" if is_call(message) else "thought" if is_private(message) else "text"


class MarkBlocks(NamedTuple):
    """Blocks that are marks of a cache, each behind what it marks.

    Attributes:
        read: the mark that a block is; None for any other block.
        write: a mark as a block.
    """

    read: Callable[[Object], CacheMark | None]
    write: Callable[[CacheMark], Json]


class Grammar(ABC):
    """How a format's blocks are read and written, and what it calls those who speak.

    Attributes:
        notes: of its extras and layout.
        key: of a wire message, under which its blocks stand.
        vendor: whose signatures it takes back.
        roles: of wire messages, and whose they are.
        has_system: whether the system may speak behind others.
        joins_texts: whether texts that follow one another in one role have to be one wire message.
        slots: the members of blocks that are calls and replies, as far as they are read alike.
        marks: blocks that are marks of a cache; None where there are none.
    """

    notes: ClassVar[Notes]
    key: ClassVar[str]
    vendor: ClassVar[str]
    roles: ClassVar[dict[str, str]]
    has_system: ClassVar[bool] = False
    joins_texts: ClassVar[bool] = False
    slots: ClassVar[Slots] = {}
    marks: ClassVar[MarkBlocks | None] = None

    def refuses(self, _text: str, /) -> bool:
        """Whether the API refuses a text because it says nothing."""
        return False

    def keys(self, value: Object) -> Object:
        """An object with its keys as we write them."""
        return value

    def alias(self, key: str) -> str:
        """The key that we write for one that was read."""
        return key

    @abstractmethod
    def read(self, block: Object, side: str) -> Message | Part | None:
        """A block: a thought, a call, a reply, or a part of a text; None for what says nothing of its own.

        What it cannot be written back from is kept as a foreign part by the caller, and so is what is `UNKNOWN`.

        Args:
            block: its keys as we write them.
            side: the role of the wire message.
        """

    def cites(self, _side: str, /) -> Citations | None:
        """How a text names its sources in a wire message of a role; None where it cannot."""
        return None

    @abstractmethod
    def knows(self, block: Json) -> bool:
        """Whether a block is one of the format's, although nothing but the format has a place for it."""

    @abstractmethod
    def write(self, message: Message) -> Json:
        """The block of a thought, a call or a reply that is the nearest one."""

    @abstractmethod
    def write_part(self, part: Part) -> Json:
        """The block of a part; None where it has no place."""

    @abstractmethod
    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """A reply with parts that the format can hold; what is one text stays as it is."""

    @abstractmethod
    def settled(self, message: Message, path: str, log: Log) -> str:
        """What a call or a reply says that is one text, as `UnitWriter.settled` gives it."""

    @abstractmethod
    def classify(self, head: Head, content: str) -> ContentClass | None:
        """The class of a call's or a reply's text, as `UnitWriter.classify` gives it; there is nothing in the head."""

    def side(self, message: Message) -> str:
        """The role of the wire message that a message stands in; "" for the system's, which stands before all."""
        role: Json = self.notes.of(message.layout).get(ROLE)
        if isinstance(role, str) and role and self._may_stand_in(message, role):
            return role
        return self.default_side(message)

    def default_side(self, message: Message) -> str:
        """The same for a message that remembers nothing of it."""
        if message.role == "system":
            return TOP
        return self.assistant if message.role == "assistant" else self.user

    def _may_stand_in(self, message: Message, role: str) -> bool:
        whose = self.roles.get(role.lower(), role)
        return message.role in (whose, "tool")

    @property
    def home(self) -> str:
        """The id of the format."""
        return self.notes.home

    @property
    def assistant(self) -> str:
        """The role of the wire messages of the assistant."""
        return next(role for role, whose in self.roles.items() if whose == "assistant")

    @property
    def user(self) -> str:
        """The role of the wire messages of everybody else."""
        return next(role for role, whose in self.roles.items() if whose == "user")


def more_of(value: Object, known: tuple[str, ...]) -> Object:
    """The members that are not known and say something."""
    return {key: member for key, member in value.items() if key not in known and not is_empty(member)}


def added(value: Object, more: Json) -> Object:
    """An object with the members that it lacks."""
    if not isinstance(more, dict) or not more:
        return value
    return {**value, **{key: member for key, member in cast("Object", more).items() if key not in value}}
