"""Caches losses: of messages by their heads, of what stands around messages, and of conversations by their plan.

A loss is found by comparing two documents. Messages with the same heads lose the same, but for the ids in the details
of the losses; so documents with probes as ids are compared once, and the losses are filled with ids from then on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

from ..common.memo import Memo
from ..loss import Loss, LossCode, Severity
from ..model import Tool, Transcript
from ..model.cache_keys import fields_of_settings, fields_of_tools, packed
from ..model.diff import diff, diff_extras
from ..report.naming import name_difference
from ..report.wording import shown
from ..units.conversation import ConversationPlan
from ..units.heads import LIMIT, Head
from .plans.probes import PROBE, PROBES, SUFFIX, probe

SIZE: Final = 1_000_000
"""The size of the cache of losses around messages, in bytes."""
_OVERHEAD: Final = 1000
"""How many bytes an entry counts in addition to its keys and losses."""
_NOTHING: Final = Transcript()
new_loss: Final = cast("Callable[[tuple[LossCode, Severity, str, str]], Loss]", partial(tuple.__new__, Loss))  # pyright: ignore[reportUnknownMemberType]
"""Builds a loss from a tuple of its fields, in half the time that `Loss(*fields)` takes."""


class LossPattern(NamedTuple):
    """A loss of all messages with a certain head: the same but for the path of the message and the ids in the detail.

    E.g. `the id "call_7" is not kept` has the pieces `the id ` and ` is not kept`, and the old id between them.

    Attributes:
        code: of the loss.
        severity: of the loss.
        place: the path of the loss after the path of the message.
        details: the pieces of the detail between ids.
        ids: for each id between them, whether it is the id in the image; otherwise it is that in the document.
    """

    code: LossCode
    severity: Severity
    place: str
    details: tuple[str, ...]
    ids: tuple[bool, ...]

    def of(self, start: str, old: str | None, new: str | None) -> Loss:
        """Return the loss of the message at the path `start`, given its id in the document and that in the image."""
        code, severity, place, details, ids = self
        if not ids:
            (detail,) = details
        elif len(ids) == 1:
            before, after = details
            detail = f"{before}{shown(new if ids[0] else old)}{after}"
        else:
            pieces = [shown(new if is_new else old) + rest for is_new, rest in zip(ids, details[1:], strict=True)]
            detail = details[0] + "".join(pieces)
        return new_loss((code, severity, start + place, detail))


def _pattern(loss: Loss) -> LossPattern:
    """Return the pattern of a loss, given that of the message at index 0 with probes as its ids."""
    pieces = _PROBES.split(loss.detail)
    are_new = tuple(piece == _NEW_ID for piece in pieces[1::2])
    return LossPattern(loss.code, loss.severity, loss.path[len("/messages/0") :], tuple(pieces[::2]), are_new)


_TEXT, _OLD, _NEW = map(probe, (9997, 9998, 9999))  # no value of a conversation has these numbers
_OLD_ID: Final = shown(_OLD)
_NEW_ID: Final = shown(_NEW)
_PROBES: Final = re.compile(f"({re.escape(_OLD_ID)}|{re.escape(_NEW_ID)})")


class LossCache:
    """Caches losses by the head of a message in the document and that in its image, and losses around the messages.

    Each writer has one, as most of the heads in a conversation were in earlier ones.

    Args:
        target: the format id.

    Attributes:
        target: as given.
    """

    def __init__(self, target: str) -> None:
        self.target: Final = target
        self._of_heads: Final = Memo[tuple[Head, Head], tuple[LossPattern, ...]](LIMIT)
        self._around: Final = Memo[tuple[str, bytes, bytes], tuple[Loss, ...]](SIZE)
        self._last: tuple[Transcript, Transcript, Sequence[Loss]] = _NOTHING, _NOTHING, ()
        """The last answer of `around`: requests that are read by one plan share what stands around their messages."""

    def around(self, old: Transcript, new: Transcript) -> Sequence[Loss]:
        """Return the losses of what stands around messages, in the document and in its image."""
        last_old, last_new, losses = self._last
        if last_old is old and last_new is new:
            return losses
        losses = self._of_around(old, new)
        self._last = old, new, losses
        return losses

    def _of_around(self, old: Transcript, new: Transcript) -> Sequence[Loss]:
        if old is new:
            return ()
        if not (_is_bare(old) and _is_bare(new)):
            return self._compared(old, new)
        tools = self._of_tools(old.tools, new.tools)
        settings = self._of_field("settings", fields_of_settings, old.settings, new.settings)
        extras: Sequence[Loss] = ()
        if old.extras is not new.extras:  # extras are not cached: they have ids in them, so few of them repeat
            extras = [name_difference(each, self.target) for each in diff_extras(old.extras, new.extras)]
        return [*tools, *settings, *extras, *self._of_field("layout", _unchanged, old.layout, new.layout)]

    def _of_tools(self, old: tuple[Tool, ...] | None, new: tuple[Tool, ...] | None) -> Sequence[Loss]:
        """Return the losses of declared tools, one by one if there are as many: tools repeat more often than lists."""
        if old is None or new is None or len(old) != len(new):
            return self._of_field("tools", fields_of_tools, old, new)
        losses: list[Loss] = []
        for at, (before, after) in enumerate(zip(old, new, strict=True)):
            if before is not after:
                of_tool = self._of_field("tools", fields_of_tools, (before,), (after,))
                losses += [
                    new_loss((code, severity, f"/tools/{at}{path[len('/tools/0') :]}", detail))
                    for code, severity, path, detail in of_tool
                ]
        return losses

    def _of_field(self, name: str, fields: Callable[[Any], Any], old: Any, new: Any) -> Sequence[Loss]:
        """Return the losses of one field of a transcript, from the cache if possible.

        Args:
            name: of the field.
            fields: converts a value of the field to JSON values, for the cache key.
            old: the value in the document.
            new: the value in the image.
        """
        if old is new:
            return ()
        old_key, new_key = packed(fields(old)), packed(fields(new))
        if old_key is None or new_key is None:
            return self._compared(Transcript(**{name: old}), Transcript(**{name: new}))
        losses = self._around.get((name, old_key, new_key))
        if losses is None:
            losses = self._compared(Transcript(**{name: old}), Transcript(**{name: new}))
            weight = len(old_key) + len(new_key) + sum(len(loss.detail) for loss in losses) + _OVERHEAD
            self._around.keep((name, old_key, new_key), losses, weight)
        return losses

    def _compared(self, old: Transcript, new: Transcript) -> tuple[Loss, ...]:
        return tuple([name_difference(each, self.target) for each in diff(old, new)])

    def of_heads(self, old: Head, new: Head) -> tuple[LossPattern, ...]:
        """Return the losses of any message with the head `old` that reads as one with the head `new`."""
        patterns = self._of_heads.get((old, new))
        if patterns is None:
            text, call_id = "" if old.empty else _TEXT, old.id_like(_OLD)
            new_id = (call_id or _NEW) if new.has_id else None
            document, image = Transcript((old.message(text, call_id),)), Transcript((new.message(text, new_id),))
            patterns = tuple(_pattern(name_difference(each, self.target)) for each in diff(document, image))
            if old.shared and new.shared:
                self._of_heads.keep((old, new), patterns)
        return patterns


def _is_bare(around: Transcript) -> bool:
    """Return whether a transcript has nothing around its messages but tools, settings, extras and layout."""
    return around.header is around.open_turn is around.alternatives is None


def _unchanged(value: Any) -> Any:
    return value


# --- of conversations -------------------------------------------------------------------------------------------------

_AN_ID: Final = re.compile(f'"{PROBES.pattern}({SUFFIX.pattern})?"')
"""Matches a probe that stands for an id in a detail, also with a suffix (`derived_ids`)."""


class SharedLosses:
    """The losses of all conversations with a certain plan: the same but for the ids in the details.

    Args:
        losses: with probes in place of ids.
        numbers: the indices of values that are whole numbers; a detail has these without quotes.

    Attributes:
        codes: the codes of these losses.
    """

    def __init__(self, losses: Sequence[Loss], numbers: Collection[int] = ()) -> None:
        self._losses: Final = tuple(losses)
        self._numbers: Final = numbers
        self._with_ids: Final = [
            (at, loss[:3], _AN_ID.split(loss.detail)) for at, loss in enumerate(losses) if PROBE in loss.detail
        ]
        """Of each loss with an id in its detail: its index, its other fields, and the detail split at the ids."""
        self.codes: Final = frozenset([loss.code for loss in losses])

    def of(self, values: Sequence[str]) -> Sequence[Loss]:
        """Return the losses of the conversation with these values."""
        if not self._with_ids:
            return self._losses
        out = [*self._losses]
        for at, fields, (first, *pieces) in self._with_ids:
            rest = [
                self._shown(values, int(number), suffix) + text
                for number, suffix, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
            ]
            out[at] = new_loss((*fields, first + "".join(rest)))
        return out

    def _shown(self, values: Sequence[str], number: int, suffix: str | None) -> str:
        return values[number] if number in self._numbers else shown(values[number] + (suffix or ""))


def shared_losses(losses: Sequence[Loss], plan: ConversationPlan) -> SharedLosses | None:
    """Return the losses of all conversations with a plan; None if a detail quotes a content.

    Args:
        losses: of the conversation with probes as its values.
        plan: of the conversation.
    """
    quoted = {int(slot) for loss in losses for slot in PROBES.findall(loss.detail)}
    elsewhere = any(PROBE in loss.path or PROBE in _AN_ID.sub("", loss.detail) for loss in losses)
    extras = {text.number for item in plan.items for text in item.extra_texts}
    if elsewhere or not quoted <= {*plan.ids.values(), *extras, *[label.number for label in plan.labels]}:
        return None
    return SharedLosses(losses, [label.number for label in plan.labels if label.encode is int])
