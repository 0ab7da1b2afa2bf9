"""Compare a document with what another format gives back of it: each loss at its message, and a verdict."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from .. import registry
from ..chat.transform import remaining
from ..chat.visibility import END_USER, Visibility, seen_text
from ..checks.verify import verify
from ..convert import Result, read, write
from ..formats.adapter import DEFAULT, Options
from ..loss import CLASSES, Finding, FindingCode, Loss, LossClass, LossCode, Severity, is_lossless
from ..model import Document, Message
from ..profiles import Prompt
from ..report.policy import LENIENT
from .entries import Entry, EntryMaker, Note, messages_of
from .written import Written, written


class Mark(StrEnum):
    """The result of the comparison of a message."""

    SAME = "same"
    LAYOUT = "spelled differently"
    CHANGED = "changed"
    LOST = "lost"
    NEW = "new"


_MARKS: Final = {Severity.LAYOUT: Mark.LAYOUT, Severity.CHANGED: Mark.CHANGED, Severity.LOST: Mark.LOST}
_ORDER: Final = tuple(Mark)


@dataclass(frozen=True, slots=True)
class Row:
    """A message, and the message that was read back.

    Attributes:
        index: the message's place in the source, from 0; -1 for one that only the target has.
        mark: the result of the comparison.
        left: the visible message; None if it is hidden, or not in the source.
        right: the visible message that was read back; None if it is hidden, or was not read back.
        hidden: the reason why it is hidden; "" if it is visible.
        gone: whether it was not read back.
        exposed: whether it was hidden from end users and is not hidden any more.
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
    """A document, and the document that was read back.

    Attributes:
        target: the format.
        written: the output.
        rows: the messages in order.
        notes: findings and losses outside of messages.
        lossless: whether nothing was lost or changed.
        tally: the number of notes of each code: (code, severity, whether findings, count).
        unreported: paths that differ although no loss names them; none, unless an adapter is wrong.
        debug: whether hidden content is shown.
    """

    target: str
    written: Written
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    lossless: bool
    tally: tuple[tuple[LossCode | FindingCode, Severity, bool, int], ...]
    unreported: tuple[str, ...]
    debug: bool

    @property
    def verdict(self) -> str:
        """Return the result in one sentence."""
        counts = Counter[Severity]()
        for _, severity, found, count in self.tally:
            counts[severity] += 0 if found else count
        if not self.lossless:
            parts = (
                f"{counts[severity]} {severity}" for severity in (Severity.LOST, Severity.CHANGED) if counts[severity]
            )
            verdict = "holds all of the text. Of the rest" if self.keeps_words else "cannot hold the whole conversation"
            return f"{self.target} {verdict}: {', '.join(parts)}."
        if counts[Severity.LAYOUT]:
            return f"{self.target} holds the whole conversation; only the layout differs."
        return f"{self.target} holds the whole conversation, and gives it back unchanged."

    @property
    def keeps_words(self) -> bool:
        """Return whether the content is unchanged: no loss is of the class content."""
        return all(not isinstance(code, LossCode) or CLASSES[code] is not LossClass.CONTENT for code, *_ in self.tally)

    @property
    def exposed(self) -> int:
        """Return the number of messages that are hidden from end users only in the source."""
        return sum(row.exposed for row in self.rows)


def compare(
    document: Document,
    target: str,
    findings: Iterable[Finding] = (),
    *,
    options: Options = DEFAULT,
    visibility: Visibility = END_USER,
) -> Comparison:
    """Write a document, read it back, and compare the two.

    Args:
        document: what to write.
        target: the format id, with a dialect where wanted.
        findings: what the reader of the source repaired.
        options: how to write.
        visibility: what is shown.

    Raises:
        BridgeError: if the target refuses the document.
    """
    spans = registry.adapter(target)[0].frame_marks is not None
    result = write(document, target, options=options, policy=LENIENT, spans=spans)
    return compared(result, findings, name=target, options=options, visibility=visibility)


def compared(
    result: Result,
    findings: Iterable[Finding] = (),
    *,
    name: str,
    options: Options = DEFAULT,
    visibility: Visibility = END_USER,
) -> Comparison:
    """Compare a document with its output.

    Args:
        result: the result; with spans, losses have their places. A prompt is shown next to its request, and is not read
            back message by message, as it has messages of its own.
        findings: what the reader of the source repaired.
        name: the name of the format that was written.
        options: how it was written.
        visibility: what is shown.
    """
    output = result.written if isinstance(result, Prompt) else result
    messages = messages_of(result.document)
    backs = None
    if output is result:
        read_as = replace(options, dialect=None, force_format=True)
        backs = messages_of(read(result.encode(), result.target, options=read_as).transcript)
    notes = [*findings, *result.losses]
    order = remaining(len(messages), result.losses, result.order)
    rows = _Rows(messages, backs, order, notes, visibility, _Places(result))
    tally = Counter((note.code, note.severity, isinstance(note, Finding)) for note in notes)
    return Comparison(
        target=name,
        written=written(result, visibility, name),
        rows=tuple(rows),
        notes=rows.left.notes_on(None, whole=True),
        lossless=is_lossless(result.losses),
        tally=tuple((*key, count) for key, count in tally.most_common()),
        unreported=tuple(loss.path for loss in verify(output.document, output, options=options)),
        debug=visibility.debug,
    )


class _Places:
    """Names the places of losses in an output: lines of a text, indices of token ids."""

    def __init__(self, result: Result) -> None:
        self._result = result
        output = result.output
        self._lines = [found.start() for found in _LINE.finditer(output)] if isinstance(output, str) else None

    def __call__(self, loss: Loss) -> str:
        place = self._result.place_of(loss.path)
        if place is None:
            return ""
        start, end = place
        if self._lines is None:
            return f"tokens {start} to {end - 1}"
        line = bisect_right(self._lines, start)
        return f"line {line}, column {start - self._lines[line - 1] + 1}"


_LINE: Final = re.compile("^", re.MULTILINE)


class _Rows:
    """Aligns the messages of both sides, as `diff` does."""

    def __init__(
        self,
        sources: Sequence[Message],
        backs: Sequence[Message] | None,
        order: Sequence[int],
        notes: Iterable[Finding | Loss],
        visibility: Visibility,
        place: Callable[[Loss], str],
    ) -> None:
        self.left = EntryMaker(sources, notes, visibility, place)
        self.right = None if backs is None else EntryMaker(backs, (), visibility)
        self.places = {index: at for at, index in enumerate(order if backs is None else order[: len(backs)])}
        self.visibility = visibility

    def __iter__(self) -> Iterator[Row]:
        for index in range(len(self.left.messages)):
            yield self._row(index, self.places.get(index))
        right = self.right
        if right is None:
            return
        for new in range(len(self.places), len(right.messages)):
            hidden = self.visibility.hides(right.messages[new])
            entry = right.entry(new, alone=True)
            yield Row(-1, Mark.NEW, None, entry, hidden="" if entry else hidden or "")

    def _row(self, index: int, at: int | None) -> Row:
        hidden = self.visibility.hides(self.left.messages[index])
        left = self.left.entry(index, alone=True)
        exposed = at is not None and self.right is not None and self._exposes(self.right, self.left.messages[index], at)
        right = None if at is None or left is None or self.right is None else self.right.entry(at, alone=True)
        if left is not None and right is not None and (exposed or left.veiled):
            right = _hidden_as_in_source(left, right)
        notes = left.notes if left is not None else self.left.notes_on(index, whole=False)
        return Row(
            index=index,
            mark=Mark.LOST if at is None else _worst(one.note for one in self.left.notes.get(index, ())),
            left=left,
            right=right,
            hidden=hidden or "",
            gone=at is None,
            exposed=exposed,
            differs=_differing(left, right),
            notes=notes,
        )

    def _exposes(self, right: EntryMaker, source: Message, at: int) -> bool:
        """Return whether end users would see a hidden message, or more of one than they see in the source."""
        back = right.messages[at]
        if END_USER.hides(back) is not None:
            return False
        return END_USER.hides(source) is not None or seen_text(back) not in seen_text(source)


def _hidden_as_in_source(left: Entry, right: Entry) -> Entry:
    """Return a message that was read back, hidden if it is hidden in the source."""
    return replace(right, veiled=left.veiled, blocks=tuple(block for block in left.blocks if block.withheld))


def _worst(notes: Iterable[Finding | Loss]) -> Mark:
    marks = (_MARKS[note.severity] for note in notes if isinstance(note, Loss))
    return max(marks, key=_ORDER.index, default=Mark.SAME)


def _differing(left: Entry | None, right: Entry | None) -> frozenset[str]:
    if left is None or right is None:
        return frozenset()
    named = {("name", left.name)} ^ {("name", right.name)}
    return frozenset(name for name, _ in ({*left.facts} ^ {*right.facts}) | named)
