"""Make training rows: an output and what of it is trained on, in its own tokens or in those of a model."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from ..errors import BridgeError, ErrorCode
from ..report.result import Result
from ..spans.masks import Mask, training_row
from ..spans.tokenizing import Tokenizer, tokenized


def masked(result: Result, mask: Mask, tokenizer: str | None) -> dict[str, Any]:
    """Return the training row of an output that was written with spans.

    Args:
        result: the result with the output.
        mask: what is trained on.
        tokenizer: the file of a model's tokenizer; None for the output unchanged.

    Raises:
        BridgeError: OCB-DEPENDENCY without the package `tokenizers`; OCB-VOCABULARY if the file is not a tokenizer.
    """
    output, spans = result.output, result.spans or ()
    if tokenizer is not None and isinstance(output, str):
        output, spans = tokenized(spans, output, tokenizer_in(tokenizer))
    return training_row(output, spans, mask, result.document)


@lru_cache(maxsize=4)
def tokenizer_in(name: str) -> Tokenizer:
    """Return the tokenizer of a file, which is loaded once per process.

    Raises:
        BridgeError: OCB-DEPENDENCY without the package `tokenizers`; OCB-VOCABULARY if the file is not a tokenizer.
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
