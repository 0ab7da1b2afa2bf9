"""Read why an answer is over, by a table of the reasons of an API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ..model import Json, Settings, replace

if TYPE_CHECKING:  # conversions of documents import no streams
    from ..events import Reason

_CUT_OFF: Final[frozenset[Reason]] = frozenset({"length", "truncated", "cancelled", "error"})
"""The reasons of answers that are not complete."""


class Endings(NamedTuple):
    """The reasons of an API for which answers are over, for documents and for streams.

    Attributes:
        reasons: the reason of a stream by the reason of the API; any other reason of the API is `stop`.
        names: the reason of the API that is written for each reason of a stream that can be written.
    """

    reasons: Mapping[str, Reason]
    names: Mapping[Reason, str]

    def reason(self, value: Json) -> Reason:
        """Return the reason of a stream for a reason of the API."""
        return self.reasons.get(value, "stop") if isinstance(value, str) else "stop"

    def name(self, reason: Reason | None) -> str | None:
        """Return the reason of the API for a reason of a stream; None if it has none."""
        return None if reason is None else self.names.get(reason)

    def spelled(self, reason: Reason, known: Json) -> str:
        """Return the reason of the API to write for a reason of a stream.

        Args:
            reason: the reason of the stream, one that can be written.
            known: the reason for which this API ended the answer, if the document has it; it is written if it means the
                same and says more, as `stop_sequence` does.
        """
        name = self.names[reason]
        says_more = isinstance(known, str) and known not in self.names.values() and self.reason(known) == reason
        return cast("str", known) if says_more else name

    def is_cut_off(self, value: Json) -> bool:
        """Return whether an answer with this reason is not complete; None if it broke off without a reason."""
        return value is None or self.reason(value) in _CUT_OFF

    def is_filtered(self, value: Json) -> bool:
        """Return whether a filter ended or withheld an answer with this reason."""
        return self.reason(value) == "content_filter"


def with_filter(settings: Settings | None, *, is_filtered: bool) -> Settings | None:
    """Return the settings of an answer, and that a filter ended or withheld it, if one did."""
    return replace(settings or Settings(), filtered=True) if is_filtered else settings
