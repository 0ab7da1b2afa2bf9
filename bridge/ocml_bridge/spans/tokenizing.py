"""Tokenize a text with a model's tokenizer, and convert its spans to tokens by the offsets of the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from .positions import in_tokens
from .span import Span


class Encoding(Protocol):
    """The tokens of a text, such as an `Encoding` of the package `tokenizers`."""

    @property
    def ids(self) -> Sequence[int]:
        """The token ids."""
        ...

    @property
    def offsets(self) -> Sequence[tuple[int, int]]:
        """The range of each token in the text, in characters."""
        ...


class Tokenizer(Protocol):
    """A tokenizer, such as a `Tokenizer` of the package `tokenizers`."""

    def encode(self, sequence: str, /, *, add_special_tokens: bool) -> Encoding:
        """Return the tokens of a text."""
        ...


def tokenized(spans: Sequence[Span], text: str, tokenizer: Tokenizer) -> tuple[list[int], tuple[Span, ...]]:
    """Return the token ids of a text, and its spans in tokens.

    A token in two spans belongs to the later one: an answer that begins with a line break may share a token with the
    line break after its header.

    Args:
        spans: the spans of the text, in characters.
        text: the text, with the special tokens at its beginning and its end.
        tokenizer: the tokenizer of the model.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    ends = list(accumulate((end for _, end in encoding.offsets), max))
    return [*encoding.ids], in_tokens(spans, ends)
