"""`UnitReader`: the contract that the reader of a format fulfils.

The author of a format subclasses it to parse one unit, such as a frame or a wire message. The engine
(`engine/reading.py`) does the rest: it loops over the units of a document and caches what similar units read as.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ..loss import Log
from ..model import Completion, Json, Message
from ..options import Options
from .conversation import Conversation
from .grammar import Skeleton, SplitDocument, SplitEnvelope, Unit
from .heads import Head, Item


class UnitReader(ABC):
    """Reads the units of a format.

    For each document, the engine calls `split_units` to split it into units, `read_unit` for each unit, and `relate`
    for what only the whole conversation shows. The messages of a unit must depend only on the unit and the unit before
    it.

    The other methods are optional and make reading faster. With `skeleton` and `with_values`, similar units are read
    once; with `split_envelope`, what stands around the units is read once; with `relates_by_head`, or
    `looks_at_contents = False`, similar conversations are related once.

    Args:
        options: how to read.

    Attributes:
        looks_at_contents: whether `relate` looks at the contents of messages. Set it to False if it never does.
    """

    looks_at_contents: ClassVar[bool] = True

    def __init__(self, options: Options) -> None:
        self.options = options

    @abstractmethod
    def split_units(self, source: str | Json, log: Log) -> SplitDocument | Completion:
        """Split a document into its units, or return the completion if the source is a text to be completed.

        Args:
            source: text, or a JSON value.
            log: takes the findings.

        Raises:
            BridgeError: with an offset or a path, if the source is not a document of the format; OCB-SEVERAL if it
                holds several conversations.
        """

    def split_envelope(self, source: str | Json) -> SplitEnvelope | None:
        """Split a document into its envelope and its units, without parsing either.

        The engine caches what `split_units` returns for an envelope. So `around`, `cut_off` and `document` of that
        result must depend on the envelope alone. If they depend on something of the units, such as whether the last one
        is to be continued, the envelope must show it in the placeholders that it has for them.

        Args:
            source: text, or a JSON value.

        Returns:
            None if the envelope cannot be separated from the units.
        """
        return None

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """Return the cache key of a unit, and its values: its contents and ids.

        Units with equal keys must read as the same messages but for their values. So the key has everything else that
        the unit says, and whatever of the unit before it matters. Texts that only a format needs, such as the id of an
        item, may be values if `read_unit` puts them into a message's extras or signature and `relate` does not look at
        them.

        Args:
            unit: any value that stands where a unit does, valid or not.
            before: the unit before it; None for the first unit.

        Returns:
            None if the unit is to be read by `read_unit` each time.
        """
        return None

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a copy of a unit with other values; the engine calls this with probes to learn a plan.

        Args:
            unit: a unit for which `skeleton` returned a key.
            values: as many as `skeleton` returned, in the same order.
        """
        raise NotImplementedError(f"{type(self).__name__} has skeletons: define with_values(), too")

    @abstractmethod
    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Parse a unit into its messages.

        Args:
            unit: any value that stands where a unit does, valid or not.
            at: the index of the unit in the document.
            index: the index that its first message gets in the conversation.
            split: the document that `split_units` returned.
            log: takes the findings.

        Raises:
            BridgeError: with an offset or a path, if the value is not a unit of the format.
        """

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Build the conversation from the items of all units.

        Override it for what no unit shows by itself: tools that a message declares, names of replies, an open turn. The
        result must depend only on the envelope, the heads, which ids are equal, contents of several parts, and the
        texts for which `relates_by_head` returns False.

        Args:
            items: the messages of all units, in order; the list may be changed.
            split: the document that `split_units` returned.
            log: takes the findings about the whole document.

        Raises:
            BridgeError: if the items do not form a document.
        """
        return Conversation(items, split.around)

    def relates_by_head(self, head: Head, content: str) -> bool:
        """Return whether `relate` treats a message as it treats any message with its head, whatever the content.

        The engine calls this only if `looks_at_contents` is True. Contents for which it returns False belong to the
        cache key of the conversation.
        """
        return False

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no key of a unit or an envelope depends on these texts, where they are contents or ids.

        For such texts, the engine need not parse a document that differs only in them from an earlier one. It finds out
        by itself where a key depends on white space at the ends of a text.

        Args:
            texts: any texts of contents of messages and ids of calls; none to ask whether the format has such texts.
        """
        return False

    def pieces(self, text: str) -> list[str] | None:
        """Split the text of a document at what separates contents, such as a token and its header.

        Args:
            text: any text.

        Returns:
            Texts and what separates them, in turns, from a text to a text; None for JSON.
        """
        return None
