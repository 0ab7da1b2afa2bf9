"""`UnitWriter`: the contract that the writer of a format fulfils.

The author of a format subclasses it to write one unit, such as a frame or a wire message. The engine
(`engine/writing.py`) does the rest: it loops over the messages, learns plans of similar units, and reports the losses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar, Final, NamedTuple

from ..loss import Log
from ..model import Completion, Document, Json, Message, Transcript
from ..options import Options
from .conversation import Conversation
from .grammar import ContentClass, Enclosed, SplitEnvelope, State, Unit, WrittenUnit
from .heads import Head, Item
from .tokens import Tokens

TOOLS: Final = -1
"""The index, in `Prepared.origins`, of the message that declares the tools: the document has no such message."""
TOOLS_PATH: Final = "/tools"
"""The path in the document of what that message says."""


class Prepared(NamedTuple):
    """A document as it is to be written unit by unit.

    Attributes:
        items: its messages, in order; one of them may be a message that declares the tools.
        around: what else is to be written: the transcript without messages.
        origins: for each item the index of its message in the document, or `TOOLS`; None if the items are all messages
            of the document, in order.
        start: the state before the first unit.
    """

    items: Sequence[Item]
    around: Transcript
    origins: Sequence[int] | None = None
    start: State = None


class Completed(NamedTuple):
    """A text to be completed as it is written.

    Attributes:
        output: the text, or the JSON value.
        image: what the output reads as.
    """

    output: Unit
    image: Document


class UnitWriter(ABC):
    """Writes the units of a format.

    For each document, the engine calls `required_order`, `prepare`, `nearest` for each message, `json_content` for each
    call and reply, `joins` for neighbours, `write_unit` for each unit, and `enclose`. If the report is needed, it calls
    `relate_image` and compares the result with the document. All methods must accept any document.

    What `write_unit` returns must depend only on the messages of the unit, the state after the unit before it, and
    whether the unit is the last. So the engine learns a plan for all units with the same heads by calling `write_unit`
    once with probes (texts that occur nowhere else) in place of contents and ids. `mark`, `inert`,
    `depends_on_head_only` and `classify` tell it which contents a plan is valid for; `prepares_by_head` and
    `is_plain_part` tell it for plans of whole outputs.

    Args:
        options: how to write.

    Attributes:
        target: the format id.
        home: the key of the format's own extras and layout; None for a format that can write those of all formats.
        mark: a content without this text is written unchanged; for a content with it, the engine calls `inert`. "" to
            call `inert` for every content, None if every content is written unchanged.
        groups: whether a unit may have several messages.
        mixes_roles: whether the messages of a unit may have different roles.
        keeps_ids: whether call ids are written.
        keeps_signatures: whether signatures may be written; if False, `nearest` gets messages without them.
        tokens: the tokens of a format whose outputs are token ids; None for other formats.
        embeds: whether contents may stand inside longer texts of units that are JSON, rather than as whole values.
        has_json_contents: whether the engine calls `json_content` for the contents of calls and replies.
        looks_at_contents: whether `prepare` or `relate_image` looks at the contents of messages. Set it to False if
            they never do.
        declaration: the head of the message that declares the tools, if it is the same in all documents. The messages
            of documents must not have this very object as their head.
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
    has_json_contents: ClassVar[bool] = False
    looks_at_contents: ClassVar[bool] = True
    declaration: ClassVar[Head | None] = None

    def __init__(self, options: Options) -> None:
        self.options = options

    def inert(self, text: str) -> bool:
        """Return whether a content is written unchanged although it contains `mark`."""
        return True

    def with_broken_tokens(self, head: Head, content: str, path: str, log: Log) -> str | None:
        """Return a content that is not inert as it is written where only its tokens are broken; report the tokens.

        A plan of an output writes the result in place of the content. So it must read back as the content, and a unit
        with it must be written as any other unit with this head.

        Args:
            head: of the message, as `nearest` returned it, without extras and layout.
            content: its content, which contains `mark` and is not `inert`.
            path: the JSON pointer of the content in the document.
            log: takes the loss, as `write_unit` reports it.

        Returns:
            None if `write_unit` has to write the message.
        """
        return None

    def required_order(self, conversation: Conversation) -> Sequence[int] | None:
        """Return the order of messages that the format requires; the engine reports each message that moves.

        Args:
            conversation: the document; it must not be changed.

        Returns:
            The indices of all messages in the required order; None if the messages are in that order.
        """
        return None

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Return the messages with all that their units need from the whole document.

        Override it to add ids to calls without one, to name replies, to add the message that declares the tools, or to
        set the first state. Like those of `required_order` and `relate_image`, the result must depend only on what
        stands around the messages, their heads, which ids are equal, contents of several parts, and the texts for which
        `prepares_by_head` returns False.

        Args:
            conversation: the document; it must not be changed.
            log: takes the losses, each with its path in the document.
        """
        return Prepared(conversation.items, conversation.around)

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether `prepare` treats a message as it treats any message with its head, whatever the content.

        `required_order` and `relate_image` must do so, too. The engine calls this only if `looks_at_contents` is True.
        """
        return False

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that the format can hold.

        For a message that this method returned, it must return an equal message and report nothing. A text and an id
        may decide nothing but the content, the id and the losses that quote them, because the engine asks once, with
        probes, for all messages that are otherwise equal. Whether the text is empty may decide more.

        Args:
            message: any message; it may be changed.
            index: its index in the document.
            log: takes the losses.

        Returns:
            None if the format has no place for the message; then a loss must be reported.
        """
        return message

    def json_content(self, head: Head, content: str, path: str, log: Log) -> str:
        """Return the content of a call or a reply as the format holds it.

        A wire that has a JSON value in place of the text returns the JSON of that value. The engine calls this only if
        `has_json_contents` is True, after `nearest`, for calls and replies whose content is one text.

        Args:
            head: of the message, as `nearest` returned it.
            content: its content.
            path: JSON pointer to the content.
            log: takes the losses.
        """
        return content

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message belongs to the same unit as the message before it.

        The engine calls this only if `groups` is True, for messages of the same role, or of any roles if `mixes_roles`
        is True. Both heads are of messages that `nearest` returned.
        """
        return False

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text is written unchanged as one of several parts of a content.

        It must be so whatever other parts and messages are in the unit, and the rest of the unit must not depend on the
        text. The engine also calls this for a message with one text that the format writes among parts
        (`Head.parts_around`).

        Args:
            head: of its message, as `nearest` returned it.
            text: the text of a part, or the whole content.
        """
        return False

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether the head alone determines all that is written of a message but its content and id.

        If so, a plan is learned from a unit with probes for contents. A probe is not JSON.
        """
        return True

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content, if `depends_on_head_only` returns False for a message of the unit.

        The head and the class must determine all that is written of the message but its content and id.

        Args:
            head: of the message, as `nearest` returned it.
            content: its content, after `json_content`.

        Returns:
            None if no other content is surely written in the same way; then the unit gets no plan.
        """
        return None

    @abstractmethod
    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Write a unit.

        Args:
            group: its messages, each as `nearest` and `json_content` returned it; they may be changed.
            state: the state after the unit before it.
            last: whether nothing follows: neither a message nor the open turn.
            paths: the JSON pointers of the messages in the document.
            log: takes the losses of contents.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the options refuse a token.
        """

    @abstractmethod
    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the output: the units, with what stands around them.

        Args:
            units: the units in order; one that is text may come as several texts.
            around: what else is to be written, as `prepare` returned it.
            state: the state after the last unit.
        """

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return what the envelope needs to know of the units: the cache key of the envelope, with `around`.

        Args:
            units: as for `enclose`.
            around: as for `enclose`, without extras and layout of other formats.
            state: as for `enclose`.

        Returns:
            None if the envelope depends on more; then it is written by `enclose` each time.
        """
        return None

    def split_envelope(self, document: Json) -> SplitEnvelope | None:
        """Split an output into its envelope and its units, as `UnitReader.split_envelope` does."""
        return None

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return an envelope with units in it; the engine calls this only if `envelope_key` returned a key.

        Args:
            envelope: of an output with the same outline and an equal `around`; it may be changed.
            units: as for `enclose`.
            around: as for `envelope_key`.
        """
        raise NotImplementedError(f"{type(self).__name__} has envelope keys: define with_units(), too")

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the document that the units read as together, if that differs from what they read as one by one.

        Args:
            items: the messages that the units read as, in order; the list may be changed.
            around: what the output reads as around them.
            log: takes the losses of messages that are no messages in the image.
        """
        return Conversation(items, around)

    def complete(self, completion: Completion, log: Log) -> Completed | None:
        """Write a text to be completed.

        Args:
            completion: the text.
            log: takes the losses.

        Returns:
            None if the format holds conversations only; then the text is written as a message.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the options refuse a token.
        """
        return None
