"""Compare a document with its image, and report what the conversion loses.

A report stores the differences and makes the sentences of losses when they are read, because most reports are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from ..chat.substance import emptied
from ..errors import ErrorCode
from ..loss import Log, Loss, LossCode, Severity, gone, is_element, named
from ..model import Document, Tool, Tools, Transcript, replace
from ..model.diff import Difference, beside_part, diff, diff_tools
from .naming import code_of, name_difference, name_emptied


class Report:
    """The losses of a conversion, in order. Their sentences are made when `losses` is first read.

    Two reports are equal if their losses are.
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
        """Store what is lost.

        Args:
            before: the losses that the adapter logged.
            differences: the other differences between the document and its image; their values must not be changed.
            after: losses that come after these.
            target: the format id, for the sentences of the differences.
        """
        self._before = before
        self._differences = differences
        self._after = after
        self._target = target
        self._losses: tuple[Loss, ...] | None = None

    @property
    def losses(self) -> tuple[Loss, ...]:
        """All losses."""
        if self._losses is None:
            differences = (name_difference(difference, self._target) for difference in self._differences)
            self._losses = (*self._before, *differences, *self._after)
        return self._losses

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the adapter logged."""
        return self._before

    def of(self, codes: Collection[LossCode]) -> list[Loss]:
        """Return the losses with one of these codes, without making the others."""
        if self._losses is not None:
            return [loss for loss in self._losses if loss.code in codes]
        named = (name_difference(each, self._target) for each in self._differences if code_of(each) in codes)
        return [
            *(loss for loss in self._before if loss.code in codes),
            *named,
            *(loss for loss in self._after if loss.code in codes),
        ]

    def with_more(self, losses: Sequence[Loss]) -> Report:
        """Return a report with more losses at the end."""
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
    """Return the report of a conversion: the logged losses, and every other difference between document and image.

    Args:
        document: the document that was written.
        image: the document that the output reads as.
        losses: the losses that the adapter logged, by paths into the document.
        target: the format id.
        order: the indices of the document's messages in the order of the image; None if the order is the same.
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
    """Add to a log every difference between a document and its image that none of its losses names.

    Args:
        document: the document that was written.
        image: the document that the output reads as.
        log: has the losses that the adapter logged, and gets the others.
        target: the format id.
        order: as for `compared`.
    """
    log.losses[:] = compared(document, image, [*log.losses], target=target, order=order).losses


def unnamed(
    document: Document, other: Document, losses: Collection[Loss], order: Sequence[int] | None = None
) -> list[Difference]:
    """Return every difference between two documents that no loss names.

    Args:
        document: the document that was written.
        other: its image, or the document that the output reads as.
        losses: the losses that were reported, by paths into the document.
        order: the indices of the document's messages in the order of the other; None if the order is the same.
    """
    if not losses:
        return diff(document, other, order=order)
    reported = named(losses)
    differences = diff(document, other, gone(losses), order)
    silent = [difference for difference in differences if not is_named(difference.path, reported)]
    if moved := moved_contents(losses):
        silent += lost_with_moved(document, moved, losses)
    return [*silent, *lost_with_declarations(document, other, losses, [each.path for each in silent])]


def moved_contents(losses: Iterable[Loss]) -> set[str]:
    """Return the paths of messages that are gone because only their content is written, in another place.

    Their tools are declared elsewhere, or their parts are joined to another message.

    Args:
        losses: the losses that were reported, by paths into the document.
    """
    return {
        loss.path
        for loss in losses
        if (loss.code is LossCode.TOOLS_MOVED or (loss.code is LossCode.MESSAGE and loss.severity is Severity.CHANGED))
        and is_element(loss.path)
    }


def lost_with_moved(document: Document, moved: set[str], losses: Iterable[Loss]) -> list[Difference]:
    """Return what such messages have beside their content, if no loss names it.

    Args:
        document: the document that was written.
        moved: the paths of these messages, as `moved_contents` returned them.
        losses: the losses that were reported, by paths into the document.
    """
    if not isinstance(document, Transcript):
        return []
    left = [
        replace(message, **_BESIDE_CONTENT) if f"/messages/{index}" in moved else message
        for index, message in enumerate(document.messages)
    ]
    reported = named(losses) - moved
    differences = diff(document, replace(document, messages=tuple(left)))
    return [difference for difference in differences if not is_named(difference.path, reported)]


_BESIDE_CONTENT: Final[dict[str, Any]] = dict.fromkeys(
    ("name", "call_id", "intent", "content_type", "constraint", "failed", "weight", "signature", "cache", "extras")
)
"""What a message has beside its content, its author and its place."""


def lost_with_declarations(
    document: Document, image: Document, losses: Collection[Loss], places: Collection[str] = ()
) -> list[Difference]:
    """Return what tools that are declared in messages lose where they are declared in another place.

    That a declaration moved says nothing of what its tools lose. A tool of the image is found by its name.

    Args:
        document: the document that was written.
        image: the document that the output reads as.
        losses: the losses that were reported, by paths into the document.
        places: the paths of differences that are known already.
    """
    if not (isinstance(document, Transcript) and isinstance(image, Transcript)):
        return []
    declared = [*_declared(document)]
    if not declared:
        return []
    there = {
        (tool.namespace, tool.name): tool for tool in (*(image.tools or ()), *[tool for _, tool in _declared(image)])
    }
    lost = {loss.path for loss in losses if loss.severity is Severity.LOST}
    known = {*named(losses), *places}
    out: list[Difference] = []
    for path, tool in declared:
        other = there.get((tool.namespace, tool.name))
        if other is not None and other != tool and not covered(path, lost):
            out += [each for each in diff_tools(path, tool, other) if not covered(each.path, known, path)]
    return out


def _declared(transcript: Transcript) -> Iterator[tuple[str, Tool]]:
    """Yield the tools that messages declare, with their paths."""
    for index, message in enumerate(transcript.messages):
        if isinstance(message.content, str):
            continue
        for at, part in enumerate(message.content):
            if isinstance(part, Tools):
                yield from ((f"/messages/{index}/content/{at}/tools/{n}", tool) for n, tool in enumerate(part.tools))


def unreported(code: LossCode, path: str, detail: str) -> Loss:
    """Return the loss for a difference that a check of an output found and no loss reports."""
    return Loss(code, Severity.CHANGED, path, f"{ErrorCode.UNREPORTED}: {detail}")


def covered(path: str, named: Collection[str], root: str = "") -> bool:
    """Return whether a path is one of the named paths or below one.

    Args:
        path: the path.
        named: the named paths.
        root: a path that is at or above it; named paths above the root do not count.
    """
    while path not in named:
        if path == root:
            return False
        path = path[: path.rindex("/")]
    return True


def is_named(path: str, named: Collection[str]) -> bool:
    """Return whether losses at some paths report a difference at a path, which is at or below one of them.

    What stands beside the text of a part is not reported by the paths of the part and of the content: that the part is
    written as text, or joined to another, says nothing of it.
    """
    beside = beside_part(path)
    if beside is None:
        return covered(path, named)
    return covered(path, named, beside) or covered(path[: path.index("/content/")], named)
