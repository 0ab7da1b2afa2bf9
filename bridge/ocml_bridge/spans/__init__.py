"""Spans: which characters, bytes or tokens of an output belong to which place of its document.

`span` is what one says, `frames` is what a format says of its frames so that they are found, and `positions` counts the
same places otherwise.
"""

from .frames import FrameMarks
from .positions import in_bytes, in_tokens
from .span import Span, SpanKind
from .tokenizing import Encoding, Tokenizer, tokenized

__all__ = ["Encoding", "FrameMarks", "Span", "SpanKind", "Tokenizer", "in_bytes", "in_tokens", "tokenized"]
