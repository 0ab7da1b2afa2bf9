"""One span: a piece of an output, and the place of the document that it says."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ..model import Json


class SpanKind(StrEnum):
    """What a piece of an output is."""

    HEADER = "header"
    """Who speaks, to whom, on which channel: all of a frame before its body."""
    BODY = "body"
    """A content, as it is written."""
    END = "end"
    """What ends a message."""
    GAP = "gap"
    """What stands between frames and around them."""
    TOOLS = "tools"
    """Declared tools."""
    OPEN_TURN = "open-turn"
    """The header of the turn that is to come."""


class Span(NamedTuple):
    """A piece of an output. All of them, one behind the other, are the output.

    Attributes:
        start: where it begins: a character, a byte, or the index of a token.
        end: where it ends; that is not part of it.
        path: JSON pointer to what it says in the document in its canonical form: a message for its header and its end,
            the content or the call id where it says just that; "" where it says nothing of one place.
        kind: what it is.
        sampled: whether a model that was asked to go on would have written it.
        weight: what it counts in training: the weight of its message where it is sampled, else 0.
    """

    start: int
    end: int
    path: str
    kind: SpanKind
    sampled: bool
    weight: float

    def to_json(self) -> dict[str, Json]:
        """The span as a JSON value."""
        return {
            "start": self.start,
            "end": self.end,
            "path": self.path,
            "kind": self.kind.value,
            "sampled": self.sampled,
            "weight": self.weight,
        }
