"""A vocabulary for `internlm2-tokens`, made here: a SentencePiece model whose ids are where InternLM2's own has them.

Its text pieces are bytes, characters and a few words, so that all text can be encoded, in more than one way. Behind
them, as in the specification's table, 92397 to 92543 are `[UNUSED_TOKEN_0]` to `[UNUSED_TOKEN_146]`, which the encoder
finds in text by their spelling.
"""

from __future__ import annotations

import importlib.util
import struct
from functools import cache
from itertools import count
from pathlib import Path

VARIABLE = "OCML_INTERNLM2_TOKENIZER"
"""Where the adapter looks for a vocabulary."""
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SIZE, RESERVED = 92_544, 147
WORDS = ("▁user", "user", "assistant", "system", "environment", "▁name", "hello", "▁the")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes((*out, number))


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _piece(text: str, score: float, kind: int) -> bytes:
    return _field(1, _field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + _number(3, kind))


@cache
def model(*, prefix: bool = False, reserved: bool = True) -> bytes:
    """A `tokenizer.model`.

    Args:
        prefix: whether a space is put before text, as many models do.
        reserved: whether the pieces of the table are there.
    """
    pieces = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), *((f"<0x{n:02X}>", BYTE) for n in range(256))]
    merged = dict.fromkeys(word[:end] for word in WORDS for end in range(2, len(word) + 1))
    characters = (chr(n) for n in range(33, 127))
    pieces += [(text, NORMAL) for text in (*merged, "▁", "\n", *characters)]
    size, last = (SIZE, RESERVED) if reserved else (1000, 0)
    pieces += [(f"unused {n}", UNUSED) for n in range(size - last - len(pieces))]
    pieces += [(f"[UNUSED_TOKEN_{n}]", USER_DEFINED) for n in range(last)]
    scores = count(0, -1)
    trainer = _number(3, 2) + _number(4, size) + _number(35, 1)
    normalizer = _field(1, b"identity") + _number(3, prefix) + _number(4, 0) + _number(5, 1)
    body = b"".join(_piece(text, next(scores), kind) for text, kind in pieces)
    return body + _field(2, trainer) + _field(3, normalizer)


def write_model(path: Path, *, prefix: bool = False, reserved: bool = True) -> Path:
    path.write_bytes(model(prefix=prefix, reserved=reserved))
    return path


def real_model() -> bytes | None:
    """The 32,000 pieces of Mistral 7B, with InternLM2's tokens behind them; None without the package mistral-common."""
    package = importlib.util.find_spec("mistral_common")
    if package is None or package.origin is None:
        return None
    pieces = Path(package.origin).parent / "data" / "tokenizer.model.v1"
    unused = (_piece(f"unused {n}", 0, UNUSED) for n in range(SIZE - RESERVED - 32_000))
    reserved = (_piece(f"[UNUSED_TOKEN_{n}]", 0, USER_DEFINED) for n in range(RESERVED))
    return b"".join((pieces.read_bytes(), *unused, *reserved))  # what is repeated in a message may follow it
