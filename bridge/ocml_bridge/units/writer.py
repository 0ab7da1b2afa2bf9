"""What a format says of the units that it writes. The engine derives the rest: plans, the image, the report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar, Final, NamedTuple

from ..loss import Log
from ..model import Completion, Document, Json, Message, Transcript
from ..options import Options
from .conversation import Conversation
from .grammar import ContentClass, Emptied, Enclosed, Spelled, State, Unit
from .heads import Head, Item
from .tokens import Tokens

TOOLS: Final = -1
"""Stands for the index of the message that declared tools are written in, which is none of the document's."""
TOOLS_PATH: Final = "/tools"
"""Where what that message says stands in the document."""


class Prepared(NamedTuple):
    """A document as it is written unit by unit.

    Attributes:
        items: its messages, in order; declared tools may be one of them.
        around: what else there is to write, without messages.
        origins: for each item the index of its message in the document, or `TOOLS`; None where they are all of the
            document's messages, in order.
        start: the state before the first unit.
    """

    items: Sequence[Item]
    around: Transcript
    origins: Sequence[int] | None = None
    start: State = None


class Completed(NamedTuple):
    """A text to be completed as it is written.

    Attributes:
        output: the text, or the JSON.
        image: what it reads as.
    """

    output: Unit
    image: Document


class UnitWriter(ABC):
    """How a format's units are written, by the options that it was made with.

    A document is prepared; each of its items becomes the nearest one that the format has a place for; those that join
    are spelled as one unit; the units are enclosed. What is written of a unit must depend on nothing but its messages,
    the state that the unit before it left, and whether it is the last.

    Args:
        options: how to write.

    Attributes:
        target: the format id.
        home: the key of its extras and layout; None for a format that keeps those of all formats.
        mark: a text without it is written as it is; "" where each has to be looked at, None where any is.
        groups: whether a unit may have several messages.
        mixes_roles: whether these may be of several roles.
        keeps_ids: whether call ids are written.
        keeps_signatures: whether signatures may be written; if not, `nearest` gets messages without them.
        tokens: what there is to know of the tokens of its outputs; None for text.
        embeds: whether contents stand as they are inside of texts of a unit that is JSON.
        settles: whether what calls and replies say is `settled` before it is spelled.
        looks_at_contents: whether `prepare` or `assembled` looks at what messages say; False where they never do.
        declaration: the head of the message that declared tools are written in, where it is one for all; no message of
            a document has this very object.
    """

    target: ClassVar[str]
    home: ClassVar[str | None]
    mark: ClassVar[str | None] = None
    groups: ClassVar[bool] = False
    mixes_roles: ClassVar[bool] = False
    keeps_ids: ClassVar[bool] = False
    keeps_signatures: ClassVar[bool] = True
    tokens: ClassVar[Tokens | None] = None
    embeds: ClassVar[bool] = False
    settles: ClassVar[bool] = False
    looks_at_contents: ClassVar[bool] = True
    declaration: ClassVar[Head | None] = None

    def __init__(self, options: Options) -> None:
        self.options = options

    def inert(self, text: str) -> bool:
        """Whether a content that has the mark is written as it is, too."""
        return True

    def arranged(self, conversation: Conversation) -> Sequence[int] | None:
        """The order in which the format wants the messages; None where they stand so. Each move is reported.

        Args:
            conversation: the document; nothing of it may be changed.

        Returns:
            Indices of all messages.
        """
        return None

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document as it is written: with ids where there were none, with tools where they are declared.

        Like `arranged` and `assembled`, it must depend on nothing but what stands around the messages, their heads,
        which ids are the same, and contents that are not `is_prepared_alike` or have parts.

        Args:
            conversation: the document; nothing of it may be changed.
            log: takes what is lost, by its path in the document.
        """
        return Prepared(conversation.items, conversation.around)

    def is_prepared_alike(self, head: Head, content: str) -> bool:
        """Whether a message is prepared like any other with its head; it is asked where `looks_at_contents`."""
        return False

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The nearest message that the format can hold; None where it has no place for it, which is reported.

        The nearest message to that is itself, and nothing is lost of it.

        Args:
            message: any; it may be changed.
            index: its index in the document.
            log: takes what is lost.
        """
        return message

    def settled(self, head: Head, content: str, path: str, log: Log) -> str:
        """What a call or a reply says, as the format says it: the JSON of a value that it has, spelled as we spell it.

        It is asked of the nearest messages where the format `settles` contents; nothing but these may change.

        Args:
            head: of the message.
            content: its content, which is one text.
            path: JSON pointer to the content.
            log: takes what is changed in it.
        """
        return content

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one unit with the message before it, which has the same role.

        Where a unit mixes roles, it may have another one. Both are the nearest that the format can hold.
        """
        return False

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Whether a text among parts is written as it is, whatever parts and messages stand beside it in its unit.

        It is asked, too, of a message that is one text and that the format says among parts (`Head.beside`).

        What else is written of the unit must not depend on it.

        Args:
            head: of its message, as the format holds it.
            text: of one of its parts, or all that it says.
        """
        return False

    def follows(self, head: Head) -> bool:
        """Whether all that is written of a message but its content and id follows from its head."""
        return True

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """The class of a content, in a unit that does not follow from its heads; None where the unit is one of a kind.

        What is written of a message but its content and id follows from its head and this class. The message is the
        nearest that the format can hold, and settled.
        """
        return None

    @abstractmethod
    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A unit as it is written.

        Args:
            group: its messages, each the nearest that the format can hold, and settled; they may be changed.
            state: what the unit before it left.
            last: whether nothing follows: neither a message nor the open turn.
            paths: where the messages stand in the document.
            log: takes what is changed in contents.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN where the options refuse a token.
        """

    @abstractmethod
    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The output.

        Args:
            units: its units, or their pieces, in order.
            around: what there is to write beside them, as `prepare` gave it.
            state: what the last unit left.
        """

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """What of some units matters to the envelope that is written around them; None where that is more than a word.

        Args:
            units: as for `enclose`.
            around: likewise, with nothing in it of other formats.
            state: likewise.
        """
        return None

    def emptied(self, document: Json) -> Emptied | None:
        """An output as its envelope and its units, as `UnitReader.emptied` gives them."""
        return None

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """The output with other units in the envelope of one; it is asked only where there is an outline.

        Args:
            envelope: of an output whose units had the same outline; it may be changed.
            units: as for `enclose`.
            around: likewise.
        """
        raise NotImplementedError(f"{type(self).__name__} has outlines: define refilled(), too")

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """What the units read as together.

        Args:
            items: what each of them reads as, in order; the list may be changed.
            around: what the output reads as around them.
            log: takes what becomes of a message that is none there.
        """
        return Conversation(items, around)

    def complete(self, completion: Completion, log: Log) -> Completed | None:
        """A text to be completed; None where the format holds conversations only.

        Args:
            completion: the text.
            log: takes what is lost.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN where the options refuse a token.
        """
        return None
