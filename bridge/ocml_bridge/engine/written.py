"""The result of writing a conversation unit by unit. The image and the losses are computed when they are first needed.

The losses of a message follow from its two heads, that in the document and that in the image (`losses.py`). Only if the
messages of document and image do not correspond one to one are both compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from ..chat.substance import emptied, opaque_field
from ..chat.transform import remaining, renumber
from ..loss import Log, Loss, LossCode, Severity, gone, named
from ..model import OUTSIDE, ByFormat, Document, Text, Transcript
from ..model.diff import diff
from ..report.naming import name_difference, name_emptied
from ..report.report import Report, compared, is_named, lost_with_declarations, lost_with_moved, moved_contents
from ..spans.columns import Columns
from ..units.conversation import Conversation
from ..units.heads import Head, Item, message_of, messages_of
from ..units.relations import declares_tools
from ..units.writer import TOOLS, TOOLS_PATH, UnitWriter
from .losses import LossCache
from .trace import Trace

_RARE: Final = frozenset({LossCode.EMPTIED, LossCode.ALTERNATIVES})
"""Codes of losses that `losses_of` can rule out without computing any loss."""
_OF_CONTENT: Final = re.compile("/messages/[0-9]+/content")
"""Matches the beginning of the path of a content, or of something in a content."""
NOTHING: Final = Transcript()


class Written:
    """The result of writing a conversation unit by unit.

    Args:
        grammar: the format's writer of units.
        losses: the format's cache of losses.
        conversation: what is written, in the order in which it is.

    Attributes:
        output: the text, or the JSON value.
        around: the transcript that the output reads as, without messages.
        items: the items that were written, each the nearest that the format holds.
        read_as: what each item reads as: a head if content and id are unchanged, otherwise an item; None if it is part
            of another item, or not read at all.
        origins: for each item the index of its message in the document, or `TOOLS`; None if they are all messages of
            the document, in order.
        log: the losses that the format and the engine report, by paths in the document, before document and image are
            compared.
        losses_before_units: how many losses are in the log before the units are written.
        order: the indices of the document's messages in the order of the output; None if none was moved.
        document: the document in its own order, if messages were moved before it was written; otherwise None.
        cut_off: whether the last message reads as one that was cut off.
        places: in a format of token ids, the places of the units, as in `Enclosed`.
        planned: whether all units were written by plans, except those with contents of several parts or signatures.
        trace: how each unit was written; None if it was not recorded.
        spans: the spans of the output; None if they were not asked for.
    """

    __slots__ = (
        *("_assembled", "_conversation", "_grammar", "_loss_cache", "around", "cut_off", "document", "items", "log"),
        *("losses_before_units", "order", "origins", "output", "places", "planned", "read_as", "spans", "trace"),
    )

    def __init__(self, grammar: UnitWriter, losses: LossCache, conversation: Conversation) -> None:
        self._grammar = grammar
        self._loss_cache = losses
        self._conversation = conversation
        self._assembled: Conversation | None = None
        self.output: Any = None
        self.around = NOTHING
        self.items: Sequence[Item] = ()
        self.read_as: list[Head | Item | None] = []
        self.origins: Sequence[int] | None = None
        self.log = Log()
        self.losses_before_units = 0
        self.order: tuple[int, ...] | None = None
        self.document: Document | None = None
        self.cut_off = False
        self.planned = True
        self.places: Sequence[int] | None = None
        self.trace: Trace | None = None
        self.spans: Columns | None = None

    def leave_out(self, index: int, item: Item, losses: Sequence[Loss] = ()) -> None:
        """Report that a message is left out of the output.

        If the format reports it as a loss of layout, as of an empty message, its extras are reported as well; and that
        they have all that it says, as those of an answer that is sound.

        Args:
            index: of the message.
            item: the message in the document.
            losses: its losses that are not yet in the log, with the paths of the message at index 0.
        """
        log = self.log
        self.lose(index, losses)
        if item[0].has_extras and log.losses and log.losses[-1].severity is Severity.LAYOUT:
            detail, path = "the message is left out, and with it what only its own format can say", f"/messages/{index}"
            log.lose(LossCode.EXTRAS, f"{path}/extras", detail)
            if (field := opaque_field(message_of(item))) is not None:
                log.losses.append(name_emptied(f"{path}/{field}", self._grammar.target))

    def lose(self, index: int, losses: Sequence[Loss]) -> None:
        """Report losses of a message.

        Args:
            index: of the message.
            losses: its losses, with the paths of the message at index 0.
        """
        self.log.losses += [loss._replace(path=path_at(loss.path, index)) for loss in losses]

    def paths(self, start: int, stop: int) -> list[str]:
        """Return the paths in the document of the messages of `items[start:stop]`."""
        places = range(start, stop) if self.origins is None else self.origins[start:stop]
        return [TOOLS_PATH if index == TOOLS else f"/messages/{index}" for index in places]

    @property
    def source(self) -> Conversation:
        """The conversation, in the order in which it was written."""
        return self._conversation

    @property
    def indices(self) -> list[int]:
        """The index in the document of each message of the image."""
        count, image = len(self._conversation.items), len(self.assembled.items)
        origins = self._origins(image)
        return remaining(count, self.log.losses) if origins is None else list(origins)

    def move(self, document: Transcript, order: Sequence[int]) -> None:
        """Relate the result to the document before its messages were put in another order.

        Args:
            document: the document in its own order.
            order: the indices of its messages in the order in which they were written.
        """
        self.document = document
        if self.trace is not None:
            self.trace.order = order
        _ = self.assembled  # it may add losses to the log
        self.log.losses[:] = renumber(self.log.losses, order)
        self.order = tuple(remaining(len(order), self.log.losses, order))

    @property
    def assembled(self) -> Conversation:
        """The image of the conversation."""
        if self._assembled is None:
            items = self._items_read()
            if self.cut_off and items:
                head, content, call_id = items[-1]
                items[-1] = (head.replaced(end=None), content, call_id)
            self._assembled = self._grammar.relate_image(items, self.around, self.log)
        return self._assembled

    def _items_read(self) -> list[Item]:
        """Return the items that the output reads as; the very item that was written if it reads as itself."""
        items: list[Item] = []
        push = items.append
        for read_as, item in zip(self.read_as, self.items, strict=True):
            if read_as is item[0]:
                push(item)
            elif isinstance(read_as, Head):
                push((read_as, item[1], item[2] if read_as.has_id else None))
            elif read_as is not None:
                push(read_as)
        return items

    @property
    def image(self) -> Transcript:
        """The document that the output reads as."""
        return self.assembled.transcript

    @property
    def characters(self) -> int:
        """How many characters of content the output has (`chat.substance`)."""
        return self.assembled.characters

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format reported, before the document was compared with the image."""
        return self.log.losses

    @property
    def joined(self) -> frozenset[int]:
        """The indices of messages that were written into the message before them, such as a second system message."""
        indices = [
            path.removeprefix("/messages/")
            for code, severity, path, _ in self.logged
            if code is LossCode.MESSAGE and severity is Severity.CHANGED
        ]
        return frozenset(map(int, indices))

    def losses_of(self, codes: frozenset[LossCode]) -> list[Loss]:
        """Return the losses with one of these codes; compute none if there can be none with these codes."""
        rare = _RARE.issuperset(codes) and self._conversation.around.alternatives is None and not self.may_be_emptied
        return [] if rare else [loss for loss in self.losses if loss.code in codes]

    @property
    def may_be_emptied(self) -> bool:
        """Whether there may be text that the reader did not understand, and that the output may lack."""
        outside = _is_outside(self._conversation.around.extras)
        return outside or (not self._conversation.plain and any(map(_may_be_opaque, self._conversation.items)))

    @property
    def losses(self) -> Sequence[Loss]:
        """Every loss, in order."""
        image = self.assembled
        origins = self._origins(len(image.items))
        if origins is None:
            document, target = self.document, self._grammar.target
            document = self._conversation.transcript if document is None else document
            return report_of(document, image.transcript, self.log.losses, target=target, order=self.order).losses
        logged, out = _by_kind(self.log.losses)
        missing, reported = gone(logged), named(logged)
        out += logged
        source, target, patterns = self._conversation.items, self._loss_cache.target, self._loss_cache.of_heads
        for index, new in zip(origins, image.items, strict=True):
            if (old := source[index]) is new:
                continue
            (old_head, content, old_id), (new_head, other, new_id) = old, new
            if content is other and old_head is new_head and old_id == new_id:
                continue
            if content is other and content.__class__ is str and _is_id_of(new_id, old_id):
                start = f"/messages/{index}"
                losses = [pattern.of(start, old_id, new_id) for pattern in patterns(old_head, new_head)]
            else:
                losses = self._between(old, new, index, missing)
            out += [loss for loss in losses if not is_named(loss.path, reported)] if reported else losses
        if moved := moved_contents(logged):
            unnamed = lost_with_moved(self._conversation.transcript, moved, logged)
            out += [name_difference(each, target) for each in unnamed]
        if declares_tools(self._conversation.items):
            differences = lost_with_declarations(self._conversation.transcript, image.transcript, out)
            out += [name_difference(each, target) for each in differences]
        around = self._loss_cache.around(self._conversation.around, image.around)
        out += [loss for loss in around if not is_named(loss.path, reported)] if reported else around
        if self.may_be_emptied:
            paths = emptied(self._conversation.transcript, image.transcript, missing, origins)
            out += [name_emptied(path, target) for path in paths]
        return out

    def index_of_units(self, losses: Sequence[Loss]) -> int | None:
        """Return the index in `losses` of the first loss that `write_unit` reports.

        None if a loss of a content follows from comparing, which a loss of its tokens would hide.

        Args:
            losses: what the property `losses` returned.
        """
        of_contents = any(_OF_CONTENT.match(loss.path) for loss in losses)
        if of_contents or self._origins(len(self.assembled.items)) is None:
            return None
        _, others = _by_kind(self.log.losses)
        before = self.log.losses[: self.losses_before_units]
        return len(others) + len([loss for loss in before if loss not in others])

    def _origins(self, count: int) -> Sequence[int] | None:
        """Return the index in the document of each message of the image.

        Args:
            count: how many messages the image has.

        Returns:
            None if the messages do not correspond one to one; then document and image are compared as a whole.
        """
        if self.document is not None:
            return None
        if self.origins is None:
            return range(count) if count == len(self.items) else None
        origins = [index for index in self.origins if index != TOOLS]
        return origins if count == len(origins) else None

    def _between(self, old: Item, new: Item, index: int, missing: Collection[str]) -> Sequence[Loss]:
        """Return the losses of a message by comparing it with its image.

        Args:
            old: the message in the document.
            new: the message in the image.
            index: of the message in the document.
            missing: the paths that are already reported as missing.
        """
        prefix = f"/messages/{index}/"
        parts = {f"/messages/0/{path.removeprefix(prefix)}" for path in missing if path.startswith(prefix)}
        document, image = Transcript(messages_of([old])), Transcript(messages_of([new]))
        differences = [each._replace(path=path_at(each.path, index)) for each in diff(document, image, parts)]
        return [name_difference(each, self._loss_cache.target) for each in differences]


def report_of(
    document: Document, image: Document, losses: Sequence[Loss], *, target: str, order: Sequence[int] | None = None
) -> Report:
    """Return the report of a document that is compared with its image as a whole (`report.compared`)."""
    logged, others = _by_kind(losses)
    return compared(document, image, logged, target=target, order=order).with_more(others)


def _is_id_of(new: str | None, old: str | None) -> bool:
    """Return whether an id is kept, lost or added, rather than changed."""
    return old != "" and (old == new or new is None or old is None)


def _by_kind(losses: Sequence[Loss]) -> tuple[list[Loss], list[Loss]]:
    """Return the losses that explain the differences at or below their paths, and the others.

    The others are those of control tokens outside of contents: a token that is broken there makes no difference in the
    image, and the loss of a token that is written raw has no path.
    """
    contents = "/messages/", "/content"
    others = [loss for loss in losses if loss.code is LossCode.CONTROL_TOKEN and not loss.path.startswith(contents)]
    return [loss for loss in losses if loss not in others], others


def _may_be_opaque(item: Item) -> bool:
    """Return whether a message may contain text that its reader did not understand."""
    head, content, _ = item
    if isinstance(content, str):
        if content or not head.has_extras:
            return False
    elif any(isinstance(part, Text) and part.text for part in content):
        return False
    message = message_of(item)
    return opaque_field(message) is not None or _is_outside(message.extras)


def _is_outside(extras: ByFormat | None) -> bool:
    """Return whether extras contain text from outside of messages."""
    return extras is not None and any(not OUTSIDE.isdisjoint(members) for members in extras.values())


def path_at(path: str, index: int) -> str:
    """Return a path in the message at index 0 as a path in the message at another index."""
    return f"/messages/{index}{path[len('/messages/0') :]}"
