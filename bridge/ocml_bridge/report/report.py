"""The report of a conversion: from a document and its image to what was lost.

A report is data first. What the two differ in is kept as it was found; the sentences that people read are made when
somebody looks at them, and until then a loss costs no more than finding it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..chat.substance import emptied
from ..errors import ErrorCode
from ..loss import Log, Loss, LossCode, Severity, gone, named
from ..model import Document
from ..model.diff import Difference, diff
from .naming import code_of, name_difference, name_emptied


class Report:
    """What a conversion loses, in order; the sentences are made when `losses` is looked at, and then kept.

    Two reports are equal where their losses are.
    """

    __slots__ = ("_after", "_before", "_differences", "_losses", "_target")

    def __init__(
        self,
        before: Sequence[Loss] = (),
        differences: Sequence[Difference] = (),
        after: Sequence[Loss] = (),
        *,
        target: str = "",
    ) -> None:
        """Collect what is lost.

        Args:
            before: what the adapter logged.
            differences: what else the document and its image differ in; nobody may change what they refer to.
            after: what was found later than these.
            target: the format id, for their sentences.
        """
        self._before = before
        self._differences = differences
        self._after = after
        self._target = target
        self._losses: tuple[Loss, ...] | None = None

    @property
    def losses(self) -> tuple[Loss, ...]:
        """All losses, with their sentences."""
        if self._losses is None:
            differences = (name_difference(each, self._target) for each in self._differences)
            self._losses = (*self._before, *differences, *self._after)
        return self._losses

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the adapter logged."""
        return self._before

    def of(self, codes: Collection[LossCode]) -> list[Loss]:
        """The losses with one of these codes; only for those sentences are made."""
        if self._losses is not None:
            return [loss for loss in self._losses if loss.code in codes]
        named = (name_difference(each, self._target) for each in self._differences if code_of(each) in codes)
        return [
            *(loss for loss in self._before if loss.code in codes),
            *named,
            *(loss for loss in self._after if loss.code in codes),
        ]

    def with_more(self, losses: Sequence[Loss]) -> Report:
        """A report of these losses too, which were found later."""
        if not losses:
            return self
        return Report(self._before, self._differences, (*self._after, *losses), target=self._target)

    def __eq__(self, other: object) -> bool:
        return self.losses == other.losses if isinstance(other, Report) else NotImplemented

    def __repr__(self) -> str:
        return repr(self.losses)

    def __reduce__(self) -> tuple[type[Report], tuple[tuple[Loss, ...]]]:
        return Report, (self.losses,)


def compared(
    document: Document, image: Document, losses: Sequence[Loss], *, target: str, order: Sequence[int] | None = None
) -> Report:
    """What a conversion loses: what was logged, and every difference between a document and its image.

    Args:
        document: what was written.
        image: what the output reads as.
        losses: those that were logged, by paths into the document.
        target: the format id.
        order: indices of the document's messages in the order in which the image has them, where some were moved.
    """
    if document is image:
        return Report(losses)
    return Report(
        losses,
        unnamed(document, image, losses, order),
        [name_emptied(path, target) for path in emptied(document, image, gone(losses), order)],
        target=target,
    )


def report(document: Document, image: Document, log: Log, *, target: str, order: Sequence[int] | None = None) -> None:
    """Add to the log every difference between a document and its image that no loss there names yet; as `compared`."""
    log.losses[:] = compared(document, image, [*log.losses], target=target, order=order).losses


def unnamed(
    document: Document, other: Document, losses: Collection[Loss], order: Sequence[int] | None = None
) -> list[Difference]:
    """Every difference between a document and what another format makes of it that no loss names.

    Args:
        document: what was written.
        other: its image, or what the output reads as.
        losses: what was reported, by paths into the document.
        order: indices of the document's messages in the order in which the other has them, where some were moved.
    """
    if not losses:
        return diff(document, other, order=order)
    known = named(losses)
    return [place for place in diff(document, other, gone(losses), order) if not covered(place.path, known)]


def unreported(code: LossCode, path: str, detail: str) -> Loss:
    """What a check of an output found and no loss says."""
    return Loss(code, Severity.CHANGED, path, f"{ErrorCode.UNREPORTED}: {detail}")


def covered(path: str, named: Collection[str]) -> bool:
    """Whether a path is at or below one of those named."""
    while path not in named:
        if not path:
            return False
        path = path[: path.rindex("/")]
    return True
