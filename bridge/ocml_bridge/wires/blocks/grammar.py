"""Define what a format of blocks has to provide: `Grammar` reads and writes one block, and names the roles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, Final, Literal, NamedTuple, cast

from ...chat.citations import Citations
from ...chat.turns import is_call
from ...chat.visibility import is_private
from ...json_values.form import Object, add, without
from ...loss import Log
from ...model import CacheMark, Foreign, Json, Message, Part, Text
from ...model.notes import Notes
from ...units.grammar import ContentClass
from ...units.heads import Head
from .skeletons import Slot, blocks
from .spelling import is_empty

AFTER: Final = "blocks behind"
"""The key of the extras with the blocks after those of a message that are no message or part themselves."""
WIRE: Final = "wire message"
"""The key of the extras with the members of a wire message other than role and blocks, and of the layout of these."""
OF_MESSAGES: Final = frozenset({AFTER, WIRE})
"""The keys of the extras of a message that are not those of its block; a block has members of these names, at worst."""
BLOCKS: Final = "blocks"
"""The key of the layout with the form of a message's blocks."""
APART: Final = "apart"
"""The key of the layout that marks a message which begins a wire message although it could be in the previous one."""
ROLE: Final = "role"
"""The key of a wire message's role, and of the layout with the role if it is not the one that would be written."""
UNKNOWN: Final = Foreign("", None)
"""The result of a grammar for a block that it does not know."""
TOP: Final = ""
"""The side of the system prompt before all wire messages, which has no role."""
EMPTY: Final = "empty"
"""The key of the layout that marks an empty message: `none` if it has no block, `text` if it has one without text.

If the format refuses empty texts, also `part` for a message that was read with one among others.
"""

Keys = tuple[str, ...]
"""The keys of an object."""
_TEXT_ONLY: Final[Keys] = ("text",)

MessageKind = Literal["text", "thought", "call", "reply"]


def kind_of(message: Message) -> MessageKind:
    """Return what kind of block a message is written as."""
    if message.role == "tool":
        return "reply"
    if message.role != "assistant":
        return "text"
    return "call" if is_call(message) else "thought" if is_private(message) else "text"


class MarkBlocks(NamedTuple):
    """Functions for blocks that are cache marks, each after the block that it marks.

    Attributes:
        read: returns the mark of a block; None for any other block.
        write: returns the block of a mark.
    """

    read: Callable[[Object], CacheMark | None]
    write: Callable[[CacheMark], Json]


class BlockCodec(ABC):
    """The reader and writer of one block at a time.

    Attributes:
        notes: the notes of the format, which access its extras and layout.
        marks: how blocks are cache marks; None if none are.
        bare_texts: whether a block may be a text by itself, in place of an object with the text.
    """

    notes: ClassVar[Notes]
    marks: ClassVar[MarkBlocks | None] = None
    bare_texts: ClassVar[bool] = False

    def refuses(self, _text: str, /) -> bool:
        """Return whether the API refuses a text because it is empty or blank."""
        return False

    def stands_alone(self, text: Text) -> bool:
        """Return whether the only text of a message is its content, without a part.

        Its extras are those of the message then, which has other keys of its own.
        """
        return text.cache is text.citations is None and self.notes.of(text.extras).keys().isdisjoint(OF_MESSAGES)

    def keys(self, value: Object) -> Object:
        """Return an object with the keys that the writer uses."""
        return value

    def alias(self, key: str) -> str:
        """Return the key that the writer uses for a key that was read."""
        return key

    @abstractmethod
    def read(self, block: Object, side: str) -> Message | Part | None:
        """Return the message (a thought, a call, a reply) or the part (of a text) of a block.

        None if the block is neither; `UNKNOWN` if the format does not know it. The caller stores unknown blocks, and
        those that would not be written back unchanged, as foreign parts.

        Args:
            block: the block, with the keys that the writer uses.
            side: the role of the wire message.
        """

    def plain_order(self, block: Object, _value: Message | Part, /) -> Keys | None:
        """Return the keys of a block in the order in which they are written, if its values surely are as they were.

        Such a block is not compared with the one that is written.

        Args:
            block: the block.
            value: what it was read as.
        """
        keys = tuple(block)
        return keys if keys == _TEXT_ONLY else None

    @abstractmethod
    def write(self, message: Message) -> Json:
        """Return the block of a thought, a call or a reply, which must be an image that the format can hold."""

    @abstractmethod
    def write_part(self, part: Part) -> Json:
        """Return the block of a part; None if the format has no place for it."""

    @property
    def home(self) -> str:
        """The id of the format."""
        return self.notes.home


class Grammar(BlockCodec):
    """The reader and writer of a format's blocks, and the names of its roles.

    Attributes:
        key: the key of a wire message with its blocks.
        vendor: the vendor whose signatures the API accepts.
        roles: the role of a message by the role of its wire message.
        has_system: whether system messages may follow others.
        joins_texts: whether adjacent texts of one role must be one wire message.
        has_prompt_members: whether the system prompt is an object, which may have other members than its blocks.
        takes_one: whether the API takes one block alone in place of a list of it.
        slot: how a list of blocks is split, for skeletons.
    """

    key: ClassVar[str]
    vendor: ClassVar[str]
    roles: ClassVar[dict[str, str]]
    has_system: ClassVar[bool] = False
    joins_texts: ClassVar[bool] = False
    has_prompt_members: ClassVar[bool] = True
    takes_one: ClassVar[bool] = False
    slot: ClassVar[Slot] = blocks({})

    def blocks(self, value: Json) -> list[Json] | None:
        """Return the blocks of a wire message; None for a value that is none of these."""
        if not value:
            return []
        if isinstance(value, list):
            return cast("list[Json]", value)
        return [cast("Json", value)] if self.takes_one and isinstance(value, dict) else None

    def cites(self, _side: str, /) -> Citations | None:
        """Return the citations that texts can have in a wire message of a role; None if they can have none."""
        return None

    @abstractmethod
    def knows(self, block: Json) -> bool:
        """Return whether a block is defined by the format, although the canonical form has no place for it."""

    @abstractmethod
    def nearest_reply(self, message: Message, path: str, log: Log) -> Message:
        """Return a reply with the parts that the format can hold; a reply that is one text is returned unchanged."""

    @abstractmethod
    def json_content(self, message: Message, path: str, log: Log) -> str:
        """Return the text of a call or a reply as it is written, like `UnitWriter.json_content`."""

    @abstractmethod
    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a call's or a reply's text, like `UnitWriter.classify`; the head has no notes."""

    def side(self, message: Message) -> str:
        """Return the role of the wire message for a message; `TOP` for the system prompt."""
        role: Json = self.notes.of(message.layout).get(ROLE)
        if isinstance(role, str) and role and self._may_stand_in(message, role):
            return role
        return self.default_side(message)

    def default_side(self, message: Message) -> str:
        """Return the role of the wire message for a message whose layout has none."""
        if message.role == "system":
            return TOP
        return self.assistant if message.role == "assistant" else self.user

    def _may_stand_in(self, message: Message, role: str) -> bool:
        whose = self.roles.get(role.lower(), role)
        return message.role in (whose, "tool")

    @cached_property
    def assistant(self) -> str:
        """The role of the wire messages of the assistant."""
        return next(role for role, whose in self.roles.items() if whose == "assistant")

    @cached_property
    def user(self) -> str:
        """The role of all other wire messages."""
        return next(role for role, whose in self.roles.items() if whose == "user")


def more_of(value: Object, known_keys: tuple[str, ...]) -> Object:
    """Return the members that are not known and not empty, as a service leaves them out; so is false."""
    return {key: member for key, member in value.items() if key not in known_keys and not is_empty(member)}


def with_inner(more: Object, kind: str, inner_more: Object) -> Object:
    """Return the extras of a block: its other members, and under its kind those of its value, if it has any.

    Args:
        more: the other members of the block.
        kind: the kind of the block, which is the key of its value.
        inner_more: the members of its value that have no place in the canonical form.
    """
    return {**more, kind: inner_more} if inner_more else more


def block_with(kind: str, inner: Object, extras: Object) -> Object:
    """Return a block with its extras, as `with_inner` returns them: the inverse of reading it.

    Args:
        kind: the kind of the block, which is the key of its value.
        inner: its value.
        extras: the extras.
    """
    more = without(extras, kind)
    return add({kind: add(inner, extras.get(kind))}, more)


def block_extras(extras: Object) -> Object:
    """Return the extras of a message that belong to its block, not to its wire message or to the blocks after it."""
    return without(extras, *OF_MESSAGES)
