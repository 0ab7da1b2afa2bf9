"""Spans: which characters, bytes or tokens of an output come from which place of its document.

`span` defines one span; `frames` divides the frames of a text format into spans; `positions` converts between
characters, bytes and tokens.
"""

from .frames import FrameMarks
from .positions import in_bytes, in_tokens
from .span import Span, SpanKind
from .tokenizing import Encoding, Tokenizer, tokenized

__all__ = ["Encoding", "FrameMarks", "Span", "SpanKind", "Tokenizer", "in_bytes", "in_tokens", "tokenized"]
