"""What is lost again and again: it is found once for messages with the same heads, and for what stands around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

from ..common.memo import Memo
from ..loss import Loss, LossCode, Severity
from ..model import Transcript
from ..model.diff import diff, diff_extras
from ..report.naming import name_difference
from ..report.wording import shown
from ..units.conversation import ConversationPlan
from ..units.heads import LIMIT, Head
from .around import fields_of_settings, fields_of_tools, packed
from .plans.probes import PROBE, PROBES, SUFFIX, probe

SIZE: Final = 1_000_000
"""How many bytes of what stands around messages are remembered."""
_OVERHEAD: Final = 1000
"""What it takes beside these."""
_NOTHING: Final = Transcript()


made_of: Final = cast("Callable[[tuple[LossCode, Severity, str, str]], Loss]", partial(tuple.__new__, Loss))  # pyright: ignore[reportUnknownMemberType]
"""Makes a loss of its fields, in half the time that naming them takes."""


class LossPattern(NamedTuple):
    """A loss of any message with some head: the same sentence for all of them, but for their ids.

    `the id "call_7" is not kept` is, of every call with such a head, `the id `, its own id, ` is not kept`.

    Attributes:
        code: of the loss.
        severity: of the loss.
        place: where it is in the message: what its path has behind the message's.
        details: its sentence, or the pieces of it between ids.
        ids: of each id between them, whether it is the one that the message gets.
    """

    code: LossCode
    severity: Severity
    place: str
    details: tuple[str, ...]
    ids: tuple[bool, ...]

    def of(self, start: str, old: str | None, new: str | None) -> Loss:
        """The loss of the message at a path, given its id and the one that it gets."""
        code, severity, place, details, ids = self
        if not ids:
            (detail,) = details
        elif len(ids) == 1:
            before, after = details
            detail = f"{before}{shown(new if ids[0] else old)}{after}"
        else:
            pieces = [shown(new if gets else old) + rest for gets, rest in zip(ids, details[1:], strict=True)]
            detail = details[0] + "".join(pieces)
        return made_of((code, severity, start + place, detail))


def _pattern(loss: Loss) -> LossPattern:
    """The pattern of a loss of a message at index 0, where probes stand for ids."""
    pieces = _PROBES.split(loss.detail)
    gets = tuple(piece == _NEW_ID for piece in pieces[1::2])
    return LossPattern(loss.code, loss.severity, loss.path[len("/messages/0") :], tuple(pieces[::2]), gets)


_TEXT, _OLD, _NEW = map(probe, (9997, 9998, 9999))  # no value of a conversation has these numbers
_OLD_ID: Final = shown(_OLD)
_NEW_ID: Final = shown(_NEW)
_PROBES: Final = re.compile(f"({re.escape(_OLD_ID)}|{re.escape(_NEW_ID)})")


class KnownLosses:
    """What is lost of messages with one head where they read as messages with another, and of what stands around them.

    A writer has one for as long as it is there: the next conversation has mostly the same heads, and the losses of two
    heads are found by comparing two whole documents.

    Args:
        target: the format id.
    """

    def __init__(self, target: str) -> None:
        self.target: Final = target
        self._of_heads: Final = Memo[tuple[Head, Head], tuple[LossPattern, ...]](LIMIT)
        self._around: Final = Memo[tuple[str, bytes, bytes], tuple[Loss, ...]](SIZE)
        self._last: tuple[Transcript, Transcript, Sequence[Loss]] = _NOTHING, _NOTHING, ()
        """What was lost last: requests that are read alike share what stands around their messages."""

    def around(self, old: Transcript, new: Transcript) -> Sequence[Loss]:
        """The losses of what stands around messages."""
        last, its_image, found = self._last
        if last is old and its_image is new:
            return found
        found = self._of_around(old, new)
        self._last = old, new, found
        return found

    def _of_around(self, old: Transcript, new: Transcript) -> Sequence[Loss]:
        if old is new:
            return ()
        if not (_is_bare(old) and _is_bare(new)):
            return self._found(old, new)
        tools = self._known("tools", fields_of_tools, old.tools, new.tools)
        settings = self._known("settings", fields_of_settings, old.settings, new.settings)
        extras: Sequence[Loss] = ()
        if old.extras is not new.extras:  # hardly any are met twice, as ids are among them
            extras = [name_difference(each, self.target) for each in diff_extras(old.extras, new.extras)]
        return [*tools, *settings, *extras, *self._known("layout", _as_is, old.layout, new.layout)]

    def _known(self, name: str, fields: Callable[[Any], Any], old: Any, new: Any) -> Sequence[Loss]:
        """The losses of one field around messages.

        Args:
            name: of the field.
            fields: gives the JSON values that a value of it is made of.
            old: what stands there in the document.
            new: what the output reads as.
        """
        if old is new:
            return ()
        one, other = packed(fields(old)), packed(fields(new))
        if one is None or other is None:
            return self._found(Transcript(**{name: old}), Transcript(**{name: new}))
        found = self._around.get((name, one, other))
        if found is None:
            found = self._found(Transcript(**{name: old}), Transcript(**{name: new}))
            weight = len(one) + len(other) + sum(len(loss.detail) for loss in found) + _OVERHEAD
            self._around.keep((name, one, other), found, weight)
        return found

    def _found(self, old: Transcript, new: Transcript) -> tuple[Loss, ...]:
        return tuple([name_difference(each, self.target) for each in diff(old, new)])

    def of_heads(self, old: Head, new: Head) -> tuple[LossPattern, ...]:
        """The losses of any message with these heads."""
        found = self._of_heads.get((old, new))
        if found is None:
            text, call_id = "" if old.empty else _TEXT, old.id_like(_OLD)
            new_id = (call_id or _NEW) if new.has_id else None
            one, other = Transcript((old.message(text, call_id),)), Transcript((new.message(text, new_id),))
            found = tuple(_pattern(name_difference(each, self.target)) for each in diff(one, other))
            if old.shared and new.shared:
                self._of_heads.keep((old, new), found)
        return found


def _is_bare(around: Transcript) -> bool:
    """Whether nothing stands around messages but tools, settings and notes."""
    return around.header is around.open_turn is around.alternatives is None


def _as_is(value: Any) -> Any:
    return value


# --- of conversations -------------------------------------------------------------------------------------------------

_AN_ID: Final = re.compile(f'"{PROBES.pattern}({SUFFIX.pattern})?"')
"""What stands for an id in a sentence, or for one that was made of it."""


class SharedLosses:
    """What is lost of conversations that were read alike: the same of all of them, but for their ids.

    Args:
        losses: with probes in place of ids.
        numbers: which of the values are numbers, and shown as such.

    Attributes:
        codes: the codes among them.
    """

    def __init__(self, losses: Sequence[Loss], numbers: Collection[int] = ()) -> None:
        self._losses: Final = tuple(losses)
        self._numbers: Final = numbers
        self._named: Final = [
            (at, loss[:3], _AN_ID.split(loss.detail)) for at, loss in enumerate(losses) if PROBE in loss.detail
        ]
        """The losses that name ids: of each its index, all but its sentence, and that, with numbers and ends of ids."""
        self.codes: Final = frozenset([loss.code for loss in losses])

    def of(self, values: Sequence[str]) -> Sequence[Loss]:
        """The losses of the conversation with some values."""
        if not self._named:
            return self._losses
        out = [*self._losses]
        for at, place, (first, *pieces) in self._named:
            ids = [
                self._shown(values, int(number), suffix) + behind
                for number, suffix, behind in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
            ]
            out[at] = made_of((*place, first + "".join(ids)))
        return out

    def _shown(self, values: Sequence[str], number: int, suffix: str | None) -> str:
        return values[number] if number in self._numbers else shown(values[number] + (suffix or ""))


def shared_losses(losses: Sequence[Loss], plan: ConversationPlan) -> SharedLosses | None:
    """What is lost of conversations like one; None where a sentence quotes a content."""
    named = {int(slot) for loss in losses for slot in PROBES.findall(loss.detail)}
    odd = any(PROBE in loss.path or PROBE in _AN_ID.sub("", loss.detail) for loss in losses)
    own = {text.number for item in plan.items for text in item.own}
    if odd or not named <= {*plan.same.values(), *own, *[label.number for label in plan.labels]}:
        return None
    return SharedLosses(losses, [label.number for label in plan.labels if label.encode is int])
