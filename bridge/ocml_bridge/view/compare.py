"""A document beside what another format gives back of it: each loss at its message, and a verdict on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ..adapter import DEFAULT, Options
from ..convert import read, write
from ..diff import is_element
from ..loss import Finding, Loss, Severity, is_lossless
from ..model import Document, Message
from ..policy import LENIENT
from ..turns import parts_of
from ..verify import verify
from ..visibility import END_USER, Visibility
from .story import Entry, Note, Teller, messages_of


class Mark(StrEnum):
    """What became of a message."""

    SAME = "same"
    LAYOUT = "spelled differently"
    CHANGED = "changed"
    LOST = "lost"
    NEW = "new"


_MARKS: Final = {Severity.LAYOUT: Mark.LAYOUT, Severity.CHANGED: Mark.CHANGED, Severity.LOST: Mark.LOST}
_ORDER: Final = tuple(Mark)


@dataclass(frozen=True, slots=True)
class Row:
    """One message and what came back of it.

    Attributes:
        index: the message's place in the source, from 0; -1 for one that only the target has.
        mark: what became of it.
        left: the message as it is seen; None where it is hidden, or not in the source.
        right: what came back as it is seen; None where it is hidden, or did not come back.
        hidden: what hides it; "" where it is seen.
        gone: whether it did not come back at all.
        exposed: whether it was hidden from end users and is so no more.
        differs: the facts that differ.
        notes: findings and losses.
    """

    index: int
    mark: Mark
    left: Entry | None
    right: Entry | None
    hidden: str = ""
    gone: bool = False
    exposed: bool = False
    differs: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A document and what came back of it.

    Attributes:
        target: the format it went through.
        rows: the messages in order.
        notes: findings and losses outside of messages.
        lossless: whether nothing was lost or changed.
        tally: how many notes there are of each code: (code, severity, whether findings, count).
        unreported: paths that differ although no loss names them; none, unless an adapter is wrong.
        debug: whether the hidden was asked for.
    """

    target: str
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    lossless: bool
    tally: tuple[tuple[str, Severity, bool, int], ...]
    unreported: tuple[str, ...]
    debug: bool

    @property
    def verdict(self) -> str:
        """The whole in one sentence."""
        notes = [*self.notes, *(note for row in self.rows for note in row.notes)]
        counts = Counter(note.severity for note in notes if not note.found)
        if not self.lossless:
            said = (
                f"{counts[severity]} {severity}" for severity in (Severity.LOST, Severity.CHANGED) if counts[severity]
            )
            return f"{self.target} cannot hold all of it: {', '.join(said)}."
        if counts[Severity.LAYOUT]:
            return f"{self.target} holds all of it; only its spelling differs."
        return f"{self.target} gives back exactly what was read."

    @property
    def exposed(self) -> int:
        """How many messages are hidden from end users in the source and not in the target."""
        return sum(row.exposed for row in self.rows)


def compare(
    document: Document,
    target: str,
    findings: Iterable[Finding] = (),
    *,
    options: Options = DEFAULT,
    visibility: Visibility = END_USER,
) -> Comparison:
    """Write a document, read it back, and lay both side by side.

    Args:
        document: what to write.
        target: the format id, with a dialect where wanted.
        findings: what the reader of the source mended.
        options: how to write.
        visibility: what is to be seen.

    Raises:
        BridgeError: where the target refuses the document.
    """
    result = write(document, target, options=options, policy=LENIENT)
    back = read(result.encode(), result.target, options=replace(options, dialect=None)).transcript
    notes = [*findings, *result.losses]
    gone = frozenset(loss.path for loss in result.losses if is_element(loss.path))
    rows = _Rows(messages_of(document), messages_of(back), gone, notes, visibility)
    tally = Counter((str(note.code), note.severity, isinstance(note, Finding)) for note in notes)
    return Comparison(
        target=target,
        rows=tuple(rows),
        notes=rows.left.notes_on(None, whole=True),
        lossless=is_lossless(result.losses),
        tally=tuple((*key, count) for key, count in tally.most_common()),
        unreported=tuple(loss.path for loss in verify(document, result, options=options)),
        debug=visibility.debug,
    )


class _Rows:
    """Lines up the messages of both sides, as `diff` does."""

    def __init__(
        self,
        sources: Sequence[Message],
        backs: Sequence[Message],
        gone: frozenset[str],
        notes: Iterable[Finding | Loss],
        visibility: Visibility,
    ) -> None:
        self.left = Teller(sources, notes, visibility)
        self.right = Teller(backs, (), visibility)
        self.gone = gone
        self.visibility = visibility

    def __iter__(self) -> Iterator[Row]:
        at = 0
        for index in range(len(self.left.messages)):
            stays = f"/messages/{index}" not in self.gone and at < len(self.right.messages)
            yield self._row(index, at if stays else None)
            at += stays
        for new in range(at, len(self.right.messages)):
            hidden = self.visibility.hides(self.right.messages[new])
            entry = self.right.entry(new, alone=True)
            yield Row(-1, Mark.NEW, None, entry, hidden="" if entry else hidden or "")

    def _row(self, index: int, at: int | None) -> Row:
        hidden = self.visibility.hides(self.left.messages[index])
        left = self.left.entry(index, alone=True)
        right = None if at is None or left is None else _veiled_as(left, self.right.entry(at, alone=True))
        notes = left.notes if left is not None else self.left.notes_on(index, whole=False)
        return Row(
            index=index,
            mark=Mark.LOST if at is None else _worst(notes),
            left=left,
            right=right,
            hidden=hidden or "",
            gone=at is None,
            exposed=at is not None and self._exposes(index, at),
            differs=_differing(left, right),
            notes=notes,
        )

    def _exposes(self, index: int, at: int) -> bool:
        return _hides(self.left.messages[index]) and not _hides(self.right.messages[at])


def _hides(message: Message) -> bool:
    """Whether end users do not see a message, or not all of it."""
    return END_USER.hides(message) is not None or any(map(END_USER.hides_part, parts_of(message.content)))


def _veiled_as(left: Entry, right: Entry | None) -> Entry | None:
    """What came back; what is hidden in the source stays hidden, whatever the target makes of it."""
    if right is None or not (left.veiled or any(block.withheld for block in left.blocks)):
        return right
    return replace(right, veiled=left.veiled, blocks=tuple(block for block in left.blocks if block.withheld))


def _worst(notes: Sequence[Note]) -> Mark:
    return max((_MARKS[note.severity] for note in notes if not note.found), key=_ORDER.index, default=Mark.SAME)


def _differing(left: Entry | None, right: Entry | None) -> frozenset[str]:
    if left is None or right is None:
        return frozenset()
    return frozenset(name for name, _ in {*left.facts} ^ {*right.facts})
