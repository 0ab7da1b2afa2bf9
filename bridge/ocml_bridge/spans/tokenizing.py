"""Spans of a text in the tokens of any model: by what its own tokenizer says of the places of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from .positions import in_tokens
from .span import Span


class Encoding(Protocol):
    """A text as a tokenizer has it, such as an `Encoding` of the package `tokenizers`."""

    @property
    def ids(self) -> Sequence[int]:
        """The ids of its tokens."""
        ...

    @property
    def offsets(self) -> Sequence[tuple[int, int]]:
        """Where each stands in the text, in characters."""
        ...


class Tokenizer(Protocol):
    """What makes tokens of a text, such as a `Tokenizer` of the package `tokenizers`."""

    def encode(self, sequence: str, /, *, add_special_tokens: bool) -> Encoding:
        """The tokens of a text."""
        ...


def tokenized(spans: Sequence[Span], text: str, tokenizer: Tokenizer) -> tuple[list[int], tuple[Span, ...]]:
    """The ids of a text by a model's own tokenizer, and its spans in them.

    A token that stands in two spans belongs to the later one, as an answer that begins with a line break may share one
    with its header's line.

    Args:
        spans: of the text, in characters.
        text: the text, with all special tokens that it begins and ends with.
        tokenizer: the model's.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    ends = list(accumulate((end for _, end in encoding.offsets), max))
    return [*encoding.ids], in_tokens(spans, ends)
