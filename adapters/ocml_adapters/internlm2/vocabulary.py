"""Load the vocabulary of InternLM2 from the user's file: `tokenizer.model` of a model, read with SentencePiece.

Only token ids need it; InternLM2-Chat as text never does. No package has it, and nothing is downloaded.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from ocml_bridge.errors import BridgeError, ErrorCode

from .syntax import IDS, IM, UNUSED

VARIABLE: Final = "OCML_INTERNLM2_TOKENIZER"
"""The environment variable with the path of the file."""

_SPELLED: Final = re.compile(
    rf"(▁|\[(?=UNUSED_TOKEN_[0-9]{{1,6}}\])|<(?={'|'.join(re.escape(token[1:]) for token in IM)}))"
)
"""What the encoder must not get as text: its sign for a space, and the first character of a token's spelling."""
_RESERVED: Final = re.compile(r"\[UNUSED_TOKEN_[0-9]+\]")
_TOKENS: Final = {number: token for token, number in IDS.items()}
_NO_PREFIX: Final = b"\x1a\x02\x18\x00"
"""Added to a serialised model: put no space before a text (`normalizer_spec.add_dummy_prefix: false`)."""


class Vocabulary:
    """The pieces of a SentencePiece model, with the six tokens at the ids of the specification.

    Args:
        model: the content of the file.

    Attributes:
        size: the number of ids.

    Raises:
        BridgeError: OCB-DEPENDENCY if SentencePiece is not installed; OCB-VOCABULARY if the file is no such model.
    """

    def __init__(self, model: bytes) -> None:
        try:
            library: Any = importlib.import_module("sentencepiece")
        except ImportError as error:
            message = "InternLM2's token ids need SentencePiece: pip install 'ocml-convert[internlm2]'"
            raise BridgeError(ErrorCode.DEPENDENCY, message) from error
        try:
            self._pieces = library.SentencePieceProcessor(model_proto=model)
            self._continued = library.SentencePieceProcessor(model_proto=model + _NO_PREFIX)
        except RuntimeError as error:
            raise _unusable("the file is not a SentencePiece model") from error
        self.size: Final[int] = self._pieces.get_piece_size()
        if self.size <= max(IDS.values()) or any(
            self._pieces.id_to_piece(number) not in (token, old)
            for (token, number), old in zip(IDS.items(), UNUSED, strict=True)
        ):
            raise _unusable("the model does not have the six tokens at 92538 to 92543")
        self._bytes: Final[list[int]] = [self._pieces.piece_to_id(f"<0x{byte:02X}>") for byte in range(256)]
        if not all(map(self._pieces.is_byte, self._bytes)):
            raise _unusable("the model has no pieces for bytes")
        self._sizes: Final[dict[int, int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; none of them is a token, whatever the text spells."""
        first, *rest = _SPELLED.split(text)
        ids: list[int] = self._pieces.encode(first)
        for at, part in enumerate(rest):
            ids += self._continued.encode(part) if at % 2 else self._by_bytes(part)
        return ids

    def _by_bytes(self, text: str) -> list[int]:
        return [self._bytes[byte] for byte in text.encode()]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids that are no tokens; bytes that are not UTF-8 become U+FFFD."""
        return self._pieces.decode(list(ids))

    def sizes(self, ids: Sequence[int]) -> list[int]:
        """Return the number of bytes of text of each id by itself; a token counts in its default spelling."""
        cache = self._sizes
        try:
            return [*map(cache.__getitem__, ids)]
        except KeyError:
            for number in set(ids).difference(cache):
                cache[number] = 1 if self._pieces.is_byte(number) else _size(self._pieces.id_to_piece(number), number)
        return [*map(cache.__getitem__, ids)]

    def is_utf8(self, ids: Sequence[int]) -> bool:
        """Return whether the pieces for bytes among ids are UTF-8, run by run."""
        for is_byte, run in groupby(ids, self._pieces.is_byte):
            if is_byte:
                try:
                    bytes(int(self._pieces.id_to_piece(number)[3:5], 16) for number in run).decode()
                except UnicodeDecodeError:
                    return False
        return True

    def reserved(self, ids: Iterable[int]) -> list[int]:
        """Return the ids that are neither text nor one of the six tokens: controls, and ids reserved for tokens."""
        return [number for number in ids if number not in IDS.values() and self._is_reserved(number)]

    def _is_reserved(self, number: int) -> bool:
        pieces = self._pieces
        return (
            pieces.is_control(number)
            or pieces.is_unknown(number)
            or bool(_RESERVED.fullmatch(pieces.id_to_piece(number)))
        )


def _size(piece: str, number: int) -> int:
    token = _TOKENS.get(number)
    return len((piece.replace("▁", " ") if token is None else token).encode())


def load_vocabulary() -> Vocabulary:
    """Return the vocabulary that `OCML_INTERNLM2_TOKENIZER` names, loaded once per process and file.

    Raises:
        BridgeError: OCB-VOCABULARY if it names no file that can be read; OCB-DEPENDENCY without SentencePiece.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        raise _unusable("the variable is not set")
    return _load(name)


@cache
def _load(name: str) -> Vocabulary:
    try:
        model = Path(name).read_bytes()
    except OSError as error:
        raise _unusable(error.strerror or str(error)) from error
    return Vocabulary(model)


def _unusable(reason: str) -> BridgeError:
    what = "InternLM2's vocabulary comes with the model"
    message = f"{what}: set {VARIABLE} to the file tokenizer.model of an InternLM2 model ({reason})"
    return BridgeError(ErrorCode.VOCABULARY, message)
