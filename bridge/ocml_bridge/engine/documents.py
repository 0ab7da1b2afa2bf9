"""Documents that are alike: how one was written tells how the next is, but for its contents and ids.

Conversations repeat themselves as units do: a question and its answer, the same tools and settings around them. What is
written of messages with some heads, in some order, in some envelope, is a row of plans: it is remembered as such.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Protocol

from ..errors import BridgeError
from ..loss import Loss, LossCode
from ..memo import Memo
from ..model import Transcript
from ..plans.probes import PROBE, probe
from ..spans.span import Span
from ..units.conversation import Conversation
from ..units.heads import Head, Item
from ..units.writer import UnitWriter
from .patterns import LossPattern, pattern_of
from .rows import Build, Seal, build_of
from .written import NOTHING, RARE, Written

SIZE: Final = 40_000
"""How much is remembered: messages, and hundreds of bytes of envelopes."""
LARGEST: Final = 50_000
"""The largest envelope of a document that is remembered, in bytes."""
_ORDINARY: Final = re.compile(r"(?:[\w-]{1,64} )*", re.ASCII)
"""Ids that every format takes as they are, each with a space behind it."""

Key = tuple[tuple[Head, ...], tuple[int, ...], bytes]
"""What documents that are alike have in common: their heads, which of their ids are equal, and their envelope."""


UNKNOWN: Any = object()
"""Stands for losses that nobody has looked for."""


class Write(Protocol):
    """Writes a document unit by unit."""

    def __call__(self, conversation: Conversation, *, traced: bool = False) -> Written:
        """Write it; where `traced`, how that was done is kept."""
        ...


class DocumentPlan:
    """How documents that are alike are written.

    Args:
        build: makes the output of the items of one.
        written: what was written of one.

    Attributes:
        build: as given.
        order: as `Result` has it.
        is_harmless: whether nothing is lost that is refused unasked.
        losses: what is lost of each; None where they differ, `UNKNOWN` until somebody wants to know.
    """

    __slots__ = ("build", "is_harmless", "losses", "order")

    def __init__(self, build: Build, written: Written) -> None:
        self.build: Final = build
        self.order: Final = written.order
        self.is_harmless: Final = not written.losses_of(RARE)
        self.losses: Sequence[LossPattern] | None = UNKNOWN


class Planned:
    """What was written by the plan of a document: an outcome.

    Args:
        plan: the plan.
        conversation: the document.
        write: writes it unit by unit, for who wants to know more than the plan tells.

    Attributes:
        output: the text, or the JSON.
        order: as `Result` has it.
        spans: nobody wants to know.
    """

    __slots__ = ("_conversation", "_plan", "_write", "_written", "order", "output", "spans")

    def __init__(self, plan: DocumentPlan, conversation: Conversation, write: Write) -> None:
        self._plan: Final = plan
        self._conversation: Final = conversation
        self._write: Final = write
        self._written: Written | None = None
        self.output: Any = plan.build(conversation.items)
        self.order: Final = plan.order
        self.spans: Sequence[Span] | None = None

    @property
    def losses(self) -> Sequence[Loss]:
        """Every loss, in order."""
        plan = self._plan
        if plan.losses is UNKNOWN:
            plan.losses = self._learned()
        if plan.losses is None:
            return self._whole.losses
        return _losses(plan.losses, self._conversation.items)

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        return self._whole.logged

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """The losses with one of these codes."""
        if self._plan.is_harmless and RARE.issuperset(codes):
            return []
        return [loss for loss in self.losses if loss.code in codes]

    @property
    def image(self) -> Transcript:
        """What the output reads as."""
        return self._whole.image

    @property
    def _whole(self) -> Written:
        """The same, written unit by unit."""
        if self._written is None:
            self._written = self._write(self._conversation)
        return self._written

    def _learned(self) -> list[LossPattern] | None:
        """What is lost of each document that is like this one; None where that depends on what it says."""
        items = self._conversation.items
        ids: dict[str | None, str] = {}
        probes = [
            None if item[2] is None else ids.setdefault(item[2], probe(2 * at + 1)) for at, item in enumerate(items)
        ]
        probed = [
            (head, "" if head.empty else probe(2 * at), call_id)
            for at, ((head, _, _), call_id) in enumerate(zip(items, probes, strict=True))
        ]
        try:
            tried = self._write(Conversation(probed, self._conversation.around))
        except BridgeError:
            return None
        found = [pattern_of(loss, "", probes) for loss in tried.losses]
        told = any(PROBE in piece for pattern in found for piece in (pattern.place, *pattern.details))
        return found if not told and _losses(found, items) == list(self._whole.losses) else None


def _losses(patterns: Sequence[LossPattern], items: Sequence[Item]) -> list[Loss]:
    """The losses of a document."""
    ids = [item[2] for item in items]
    return [pattern.of("", ids) for pattern in patterns]


class DocumentPlans:
    """Writes documents that are like others; learns how from those that are met again.

    Args:
        grammar: the format's, with the options in it.
        write: writes a document unit by unit.
        seal: gives what puts units into an envelope.
    """

    def __init__(self, grammar: UnitWriter, write: Write, seal: Seal) -> None:
        self._grammar: Final = grammar
        self._write: Final = write
        self._seal: Final = seal
        self._known: Final = Memo[Key, "DocumentPlan | bool"](SIZE)
        """The plan of documents that are alike; else whether one may be learned when the next is met."""

    def write(self, conversation: Conversation) -> Planned | Written:
        """Write a document."""
        if not conversation.items:
            return self._write(conversation)
        heads, contents, ids = zip(*conversation.items, strict=True)
        key = self._key(heads, ids, conversation)
        if key is None:
            return self._write(conversation)
        found = self._known.get(key)
        if found is None:
            self._known.keep(key, _may_be_planned(heads), len(heads) + len(key[2]) // 100)
        if not found or not self._are_plain(contents):
            return self._write(conversation)
        if isinstance(found, DocumentPlan):
            return Planned(found, conversation, self._write)
        written = self._write(conversation, traced=True)
        self._known[key] = self._learned(written, conversation.items) or False
        written.trace = None
        return written

    def _learned(self, written: Written, items: Sequence[Item]) -> DocumentPlan | None:
        """The plan of documents like one; None where it was not written by plans."""
        build = build_of(written, items, self._grammar.follows, self._seal)
        return None if build is None or build(items) != written.output else DocumentPlan(build, written)

    def _key(self, heads: tuple[Head, ...], ids: tuple[str | None, ...], conversation: Conversation) -> Key | None:
        """What a document has in common with those that are like it; None for one that is like no other."""
        envelope = conversation.envelope
        if envelope is None:
            if conversation.around != NOTHING:
                return None
            envelope = b""
        elif len(envelope) > LARGEST:
            return None
        if ids.count(None) == len(ids):
            return heads, (), envelope
        if _ORDINARY.fullmatch("".join([f"{call_id} " for call_id in ids if call_id is not None])) is None:
            return None
        first: dict[str | None, int] = {}
        return heads, tuple([first.setdefault(call_id, at) for at, call_id in enumerate(ids)]), envelope

    def _are_plain(self, contents: Sequence[Any]) -> bool:
        """Whether all contents stand in their units as they are."""
        mark, inert = self._grammar.mark, self._grammar.inert
        return False not in [
            content.__class__ is str and (mark is None or mark not in content or inert(content)) for content in contents
        ]


def _may_be_planned(heads: Sequence[Head]) -> bool:
    """Whether all that matters of messages is in their heads; an id that is made must be none of the others."""
    relating = [head.has_id for head in heads if head.calls or head.role == "tool"]
    return all(head.shared for head in heads) and (all(relating) or not any(relating))
