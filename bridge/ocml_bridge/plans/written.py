"""What was written by plans, and the report of what of it was lost: rendered when someone looks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from ..diff import diff
from ..loss import Log, Loss, LossCode, gone, named
from ..memo import Memo
from ..model import OUTSIDE, Text, Transcript, replace
from ..naming import name_difference, name_emptied
from ..report import covered
from ..substance import emptied
from ..units.conversation import Conversation
from ..units.heads import LIMIT, Head, Item, messages_of
from ..wording import shown
from .probes import probe


class HeadLosses:
    """What is lost of messages with one head where they read as messages with another.

    Args:
        target: the format id.
    """

    def __init__(self, target: str) -> None:
        self.target: Final = target
        self._known = Memo[tuple[Head, Head], tuple[Loss, ...]](LIMIT)

    def between(self, old: Head, new: Head) -> tuple[Loss, ...]:
        """The losses of a message at index 0; probe 1 stands for its id, and probe 2 for one that it gets."""
        found = self._known.get((old, new))
        if found is None:
            text, call_id = "" if old.empty else probe(0), old.id_like(probe(1))
            new_id = (call_id or probe(2)) if new.has_id else None
            one, other = Transcript((old.message(text, call_id),)), Transcript((new.message(text, new_id),))
            found = tuple(name_difference(each, self.target) for each in diff(one, other))
            if old.shared and new.shared:
                self._known.keep((old, new), found)
        return found


class Written:
    """What was written.

    Args:
        losses: of the format.
        conversation: what is written.

    Attributes:
        output: the text, or the JSON.
        around: what it reads as around its messages.
        near: the items that were written; None where they are the conversation's.
        made: of each of them the head that it reads with, or the item that it reads as.
        log: what is reported of messages before they are compared with what they read as.
        guards: what is reported behind that.
        order: None, as no message was moved.
    """

    def __init__(self, losses: HeadLosses, conversation: Conversation) -> None:
        self._head_losses = losses
        self._conversation = conversation
        self._left_out: set[int] | None = None
        self._items: list[Item] | None = None
        self.output: Any = None
        self.around = Transcript()
        self.made: list[Head | Item] = []
        self.near: list[Item] | None = None
        self.log = Log()
        self.guards = Log()
        self.order: tuple[int, ...] | None = None

    def leave_out(self, index: int, losses: Sequence[Loss]) -> None:
        """A message has no place in the output.

        Args:
            index: of the message.
            losses: what is lost, if it were at index 0, where that is not in the log.
        """
        if self._left_out is None:
            self._left_out = set()
        self._left_out.add(index)
        self.log.losses += [loss._replace(path=path_at(loss.path, index)) for loss in losses]

    def related(self, items: Sequence[Item]) -> None:
        """Messages have the ids of items, one for each of the conversation's."""
        if items is not self._conversation.items:
            left_out = self._left_out or ()
            self.near = [item for index, item in enumerate(items) if index not in left_out]

    def cut_off(self) -> None:
        """The last message reads as one that was cut off."""
        if self.items:
            head, content, call_id = self.items[-1]
            self.items[-1] = (head.replaced(end=None), content, call_id)

    @property
    def origins(self) -> list[int] | None:
        """For each message that the output reads as, its index in the conversation; None where all are there."""
        left_out = self._left_out
        if left_out is None:
            return None
        return [index for index in range(len(self._conversation.items)) if index not in left_out]

    @property
    def items(self) -> list[Item]:
        """The messages that the output reads as."""
        if self._items is None:
            near, origins = self.near, self.origins
            if near is None:
                source = self._conversation.items
                near = source if origins is None else [source[index] for index in origins]
            self._items = [
                made if isinstance(made, tuple) else (made, item[1], item[2] if made.has_id else None)
                for made, item in zip(self.made, near, strict=True)
            ]
        return self._items

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        return self.log.losses

    def losses_of(self, codes: frozenset[LossCode]) -> list[Loss]:
        """The losses with one of these codes; they are looked for where there may be any."""
        if not self.may_be_emptied:
            codes -= {LossCode.EMPTIED}
        if self._conversation.around.alternatives is None:
            codes -= {LossCode.ALTERNATIVES}
        return [loss for loss in self.losses if loss.code in codes] if codes else []

    @property
    def may_be_emptied(self) -> bool:
        """Whether there may be text of which nothing was understood."""
        extras = self._conversation.around.extras
        outside = extras is not None and any(not OUTSIDE.isdisjoint(members) for members in extras.values())
        return outside or (not self._conversation.plain and any(map(_may_be_opaque, self._conversation.items)))

    @property
    def image(self) -> Transcript:
        """What the output reads as."""
        return replace(self.around, messages=messages_of(self.items))

    @property
    def losses(self) -> list[Loss]:
        """Every loss, in order."""
        missing, known = gone(self.log.losses), named(self.log.losses)
        out = list(self.log.losses)
        source, target = self._conversation.items, self._head_losses.target
        origins = self.origins
        for at, new in enumerate(self.items):
            index = at if origins is None else origins[at]
            losses = self._between(source[index], new, index, missing)
            out += [loss for loss in losses if not covered(loss.path, known)] if known else losses
        around = [name_difference(each, target) for each in diff(self._conversation.around, self.around)]
        out += [loss for loss in around if not covered(loss.path, known)]
        if self.may_be_emptied:
            paths = emptied(self._conversation.transcript, self.image, missing, self.origins)
            out += [name_emptied(path, target) for path in paths]
        return [*out, *self.guards.losses]

    def _between(self, old: Item, new: Item, index: int, missing: Collection[str]) -> Sequence[Loss]:
        """What is lost of a message at an index, given the paths of parts that are known to be missing."""
        (old_head, content, old_id), (new_head, other, new_id) = old, new
        if old_head is new_head and content is other and old_id == new_id:
            return ()
        same_id = old_id is None or new_id is None or old_id == new_id
        if content is other and isinstance(content, str) and old_id != "" and same_id:
            losses = self._head_losses.between(old_head, new_head)
            return [
                loss._replace(path=path_at(loss.path, index), detail=_with_ids(loss.detail, old_id, new_id))
                for loss in losses
            ]
        prefix = f"/messages/{index}/"
        parts = {f"/messages/0/{path.removeprefix(prefix)}" for path in missing if path.startswith(prefix)}
        one, two = Transcript(messages_of([old])), Transcript(messages_of([new]))
        found = [each._replace(path=path_at(each.path, index)) for each in diff(one, two, parts)]
        return [name_difference(each, self._head_losses.target) for each in found]


def _may_be_opaque(item: Item) -> bool:
    """Whether there may be text in a message that its reader did not understand."""
    head, content, _ = item
    if isinstance(content, str):
        return not content and head.has_extras
    return not any(isinstance(part, Text) and part.text for part in content)


def path_at(path: str, index: int) -> str:
    """A path in the first message, as one in the message at an index."""
    return f"/messages/{index}{path[len('/messages/0') :]}"


def _with_ids(detail: str, old: str | None, new: str | None) -> str:
    if old is not None:
        detail = detail.replace(shown(probe(1)), shown(old))
    return detail if new is None else detail.replace(shown(probe(2)), shown(new))
