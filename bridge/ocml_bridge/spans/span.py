"""Define a span: a piece of an output, and the place of the document that it comes from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ..model import Json


class SpanKind(StrEnum):
    """The kind of a span."""

    HEADER = "header"
    """The part of a frame before its body: role, recipient, channel."""
    BODY = "body"
    """A content, as it is written."""
    END = "end"
    """The end of a message."""
    GAP = "gap"
    """Text between frames and around them."""
    TOOLS = "tools"
    """Declared tools."""
    OPEN_TURN = "open-turn"
    """The header of the open turn."""


class Span(NamedTuple):
    """A piece of an output. All spans of an output, in order, cover it.

    Attributes:
        start: the offset of its first character or byte, or the index of its first token.
        end: the offset or index after it.
        path: a JSON pointer to its origin in the canonical form: the message for its header and its end, the content or
            the call id for exactly these; "" if it comes from no single place.
        kind: the kind of the span.
        sampled: whether a model would have sampled it.
        weight: its weight in training: that of its message if it is sampled, else 0.
    """

    start: int
    end: int
    path: str
    kind: SpanKind
    sampled: bool
    weight: float

    def to_json(self) -> dict[str, Json]:
        """Return the span as JSON values."""
        return {
            "start": self.start,
            "end": self.end,
            "path": self.path,
            "kind": self.kind.value,
            "sampled": self.sampled,
            "weight": self.weight,
        }
