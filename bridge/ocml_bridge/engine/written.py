"""What was written unit by unit, and the report of what of it was lost: made when someone looks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from ..chat.substance import emptied, opaque_field
from ..chat.transform import remaining, renumber
from ..loss import Log, Loss, LossCode, Severity, gone, named
from ..model import OUTSIDE, ByFormat, Document, Text, Transcript
from ..model.diff import diff
from ..report.naming import name_difference, name_emptied
from ..report.report import Report, compared, covered
from ..spans.columns import Columns
from ..units.conversation import Conversation
from ..units.heads import Head, Item, message_of, messages_of
from ..units.writer import TOOLS, TOOLS_PATH, UnitWriter
from .losses import LossCache
from .spans.tracing import Trace

_RARE: Final = frozenset({LossCode.EMPTIED, LossCode.ALTERNATIVES})
"""What is lost only of documents that can be told at a glance."""
NOTHING: Final = Transcript()


class Written:
    """What was written.

    Args:
        grammar: the format's.
        losses: of the format.
        conversation: what is written.

    Attributes:
        output: the text, or the JSON.
        around: what it reads as around its units.
        items: the items that were written, each the nearest that the format holds.
        made: of each of them the head that it reads with, or the item that it reads as; None for one that is not read.
        origins: for each of the items the index of its message in the document, or `TOOLS`; None where they are all of
            the document's messages, in order.
        log: what is reported before the document is compared with what the output reads as, by paths in the document.
        order: indices of the document's messages in the order in which the output has them; None where none was moved.
        document: what was to be written, where messages were moved; else None.
        cut_off: whether the last message reads as one that was cut off.
        places: of token ids, where units stand among them, as `Enclosed` has it.
        planned: whether all of it was written by plans, but for units with parts.
        trace: how it was written; None where nobody wants to know.
        spans: what stands where in the output; None where nobody wants to know.
    """

    __slots__ = (
        *("_assembled", "_conversation", "_grammar", "_loss_cache", "around", "cut_off", "document"),
        *("items", "log", "made", "order", "origins", "output", "places", "planned", "spans", "trace"),
    )

    def __init__(self, grammar: UnitWriter, losses: LossCache, conversation: Conversation) -> None:
        self._grammar = grammar
        self._loss_cache = losses
        self._conversation = conversation
        self._assembled: Conversation | None = None
        self.output: Any = None
        self.around = NOTHING
        self.items: Sequence[Item] = ()
        self.made: list[Head | Item | None] = []
        self.origins: Sequence[int] | None = None
        self.log = Log()
        self.order: tuple[int, ...] | None = None
        self.document: Document | None = None
        self.cut_off = False
        self.planned = True
        self.places: Sequence[int] | None = None
        self.trace: Trace | None = None
        self.spans: Columns | None = None

    def leave_out(self, index: int, head: Head, losses: Sequence[Loss] = ()) -> None:
        """A message has no place in the output.

        That a message says nothing is no reason to be silent of what stands beside its text.

        Args:
            index: of the message.
            head: its head in the document.
            losses: what is lost, if it were at index 0, as far as the log does not have it.
        """
        log = self.log
        self.lose(index, losses)
        if head.has_extras and log.losses and log.losses[-1].severity is Severity.LAYOUT:
            detail = "the message is left out, and with it what only its own format can say"
            log.lose(LossCode.EXTRAS, f"/messages/{index}/extras", detail)

    def lose(self, index: int, losses: Sequence[Loss]) -> None:
        """Report what is lost of a message.

        Args:
            index: of the message.
            losses: of it, if it were at index 0.
        """
        self.log.losses += [loss._replace(path=path_at(loss.path, index)) for loss in losses]

    def paths(self, start: int, stop: int) -> list[str]:
        """Where the messages of some items stand in the document."""
        places = range(start, stop) if self.origins is None else self.origins[start:stop]
        return [TOOLS_PATH if index == TOOLS else f"/messages/{index}" for index in places]

    @property
    def source(self) -> Conversation:
        """What was written, in the order in which it was."""
        return self._conversation

    @property
    def indices(self) -> list[int]:
        """For each message that the output reads as, its index in the document."""
        count, image = len(self._conversation.items), len(self.assembled.items)
        origins = self._origins(image)
        return remaining(count, self.log.losses) if origins is None else list(origins)

    def move(self, document: Transcript, order: Sequence[int]) -> None:
        """What is written is a document whose messages were put in another order: `order` has their indices."""
        self.document = document
        if self.trace is not None:
            self.trace.order = order
        _ = self.assembled  # may have something to report
        self.log.losses[:] = renumber(self.log.losses, order)
        self.order = tuple(remaining(len(order), self.log.losses, order))

    @property
    def assembled(self) -> Conversation:
        """What the output reads as."""
        if self._assembled is None:
            items = self._read()
            if self.cut_off and items:
                head, content, call_id = items[-1]
                items[-1] = (head.replaced(end=None), content, call_id)
            self._assembled = self._grammar.assembled(items, self.around, self.log)
        return self._assembled

    def _read(self) -> list[Item]:
        """What each of the items reads as: the item itself where that is what was written."""
        items: list[Item] = []
        push = items.append
        for made, item in zip(self.made, self.items, strict=True):
            if made is item[0]:
                push(item)
            elif isinstance(made, Head):
                push((made, item[1], item[2] if made.has_id else None))
            elif made is not None:
                push(made)
        return items

    @property
    def image(self) -> Transcript:
        """What the output reads as."""
        return self.assembled.transcript

    @property
    def characters(self) -> int:
        """How many characters of what was said are in the output."""
        return self.assembled.characters

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        return self.log.losses

    @property
    def joined(self) -> frozenset[int]:
        """The indices of messages that stand in the one before them, as the instructions of several do in a prompt."""
        found = [
            path.removeprefix("/messages/")
            for code, severity, path, _ in self.logged
            if code is LossCode.MESSAGE and severity is Severity.CHANGED
        ]
        return frozenset(map(int, found))

    def losses_of(self, codes: frozenset[LossCode]) -> list[Loss]:
        """The losses with one of these codes; they are looked for where there may be any."""
        rare = _RARE.issuperset(codes) and self._conversation.around.alternatives is None and not self.may_be_emptied
        return [] if rare else [loss for loss in self.losses if loss.code in codes]

    @property
    def may_be_emptied(self) -> bool:
        """Whether there may be text that was not understood."""
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
        missing, known = gone(logged), named(logged)
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
            out += [loss for loss in losses if not covered(loss.path, known)] if known else losses
        around = self._loss_cache.around(self._conversation.around, image.around)
        out += [loss for loss in around if not covered(loss.path, known)]
        if self.may_be_emptied:
            paths = emptied(self._conversation.transcript, image.transcript, missing, origins)
            out += [name_emptied(path, target) for path in paths]
        return out

    def _origins(self, count: int) -> Sequence[int] | None:
        """For each of so many messages of the image its index in the document.

        None where that is not plain: then the two are compared as wholes.
        """
        if self.document is not None:
            return None
        if self.origins is None:
            return range(count) if count == len(self.items) else None
        origins = [index for index in self.origins if index != TOOLS]
        return origins if count == len(origins) else None

    def _between(self, old: Item, new: Item, index: int, missing: Collection[str]) -> Sequence[Loss]:
        """What is lost of a message at an index, given the paths of parts that are known to be missing."""
        prefix = f"/messages/{index}/"
        parts = {f"/messages/0/{path.removeprefix(prefix)}" for path in missing if path.startswith(prefix)}
        one, two = Transcript(messages_of([old])), Transcript(messages_of([new]))
        found = [each._replace(path=path_at(each.path, index)) for each in diff(one, two, parts)]
        return [name_difference(each, self._loss_cache.target) for each in found]


def report_of(
    document: Document, image: Document, losses: Sequence[Loss], *, target: str, order: Sequence[int] | None = None
) -> Report:
    """The report of what was written as a whole, as `compared` makes it."""
    logged, apart = _by_kind(losses)
    return compared(document, image, logged, target=target, order=order).with_more(apart)


def _is_id_of(new: str | None, old: str | None) -> bool:
    """Whether all that becomes of an id is that it is lost, or that there is one at all."""
    return old != "" and (old == new or new is None or old is None)


def _by_kind(losses: Sequence[Loss]) -> tuple[list[Loss], list[Loss]]:
    """The losses that say of what stands at or below their paths that it reads otherwise, and the others.

    A token that is broken outside of contents reads as it was meant, and one that is left as it is names no place.
    """
    contents = "/messages/", "/content"
    apart = [loss for loss in losses if loss.code is LossCode.CONTROL_TOKEN and not loss.path.startswith(contents)]
    return [loss for loss in losses if loss not in apart], apart


def _may_be_opaque(item: Item) -> bool:
    """Whether there may be text in a message that its reader did not understand."""
    head, content, _ = item
    if isinstance(content, str):
        if content or not head.has_extras:
            return False
    elif any(isinstance(part, Text) and part.text for part in content):
        return False
    message = message_of(item)
    return opaque_field(message) is not None or _is_outside(message.extras)


def _is_outside(extras: ByFormat | None) -> bool:
    """Whether there is text outside of messages."""
    return extras is not None and any(not OUTSIDE.isdisjoint(members) for members in extras.values())


def path_at(path: str, index: int) -> str:
    """A path in the first message, as one in the message at an index."""
    return f"/messages/{index}{path[len('/messages/0') :]}"
