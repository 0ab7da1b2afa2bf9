"""Rows to train on: an output with what of it counts, in its own tokens or in those of any model."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from ..errors import BridgeError, ErrorCode
from ..report.result import Result
from ..spans.masks import Mask, training_row
from ..spans.tokenizing import Tokenizer, tokenized


def masked(result: Result, mask: Mask, tokenizer: str | None) -> dict[str, Any]:
    """The row of an output that was written with spans.

    Args:
        result: what was written.
        mask: what is trained on.
        tokenizer: the file of a model's tokenizer; None for the output as it is.

    Raises:
        BridgeError: OCB-DEPENDENCY without the package `tokenizers`; OCB-VOCABULARY for a file that is no tokenizer.
    """
    output, spans = result.output, result.spans or ()
    if tokenizer is not None and isinstance(output, str):
        output, spans = tokenized(spans, output, tokenizer_in(tokenizer))
    return training_row(output, spans, mask, result.document)


@lru_cache(maxsize=4)
def tokenizer_in(name: str) -> Tokenizer:
    """The tokenizer that a file holds, loaded once per process.

    Raises:
        BridgeError: OCB-DEPENDENCY without the package `tokenizers`; OCB-VOCABULARY for a file that is no tokenizer.
    """
    try:
        library: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        message = "tokens of a tokenizer.json need the package tokenizers: pip install 'ocml-convert[tokenizer]'"
        raise BridgeError(ErrorCode.DEPENDENCY, message) from error
    try:
        return library.Tokenizer.from_file(name)
    except Exception as error:  # the library raises nothing narrower
        raise BridgeError(
            ErrorCode.VOCABULARY, f"{name}: the file cannot be read as a tokenizer.json: {error}"
        ) from error
