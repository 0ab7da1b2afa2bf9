"""Check lists of token ids, find special tokens in them, and convert between ids and text.

A list is also kept as a text with one character for each id: searching this text takes a tenth of the time of a loop.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Source

from .header import LONG
from .syntax import CHANNEL, CONSTRAIN, EDGE_IDS, FIRST_SPECIAL, IDS, LAST_ID, MESSAGE, START, TOKENS

if TYPE_CHECKING:
    from .vocabulary import Encoder

_UTF_32: Final = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_SPECIAL: Final = re.compile(f"[{chr(FIRST_SPECIAL)}-{chr(sys.maxunicode)}]")
_BEYOND: Final = re.compile(f"[{chr(LAST_ID + 1)}-{chr(sys.maxunicode)}]")
_LIKE_BOOL: Final = re.compile("[\0\1]")
"""Matches the ids as which an array takes false and true."""
_EDGES: Final = {number: token for token, number in EDGE_IDS.items()}


def as_text(ids: Sequence[Any]) -> str | None:
    """Return a text with one character for each id; None if a value is not an id."""
    try:
        text = array("I", ids).tobytes().decode(_UTF_32, "surrogatepass")
    except (TypeError, OverflowError, UnicodeDecodeError):
        return None
    has_others = any(type(ids[found.start()]) is bool for found in _LIKE_BOOL.finditer(text))
    return None if has_others or _BEYOND.search(text) else text


def checked(source: Source | Sequence[int]) -> tuple[list[int], str]:
    """Return a source as a list of token ids, and as the text of `as_text`.

    Raises:
        BridgeError: OCB-SHAPE with the path of the first value that is not an id.
    """
    if not isinstance(source, (list, tuple)):
        raise BridgeError(ErrorCode.SHAPE, "harmony-tokens must be a JSON array of token ids", path="")
    ids = list(cast("Sequence[Any]", source))
    text = as_text(ids)
    if text is None:
        odd = first_odd(ids)
        assert odd is not None
        raise not_an_id(ids[odd], odd)
    return ids, text


def first_odd(ids: Sequence[Any]) -> int | None:
    """Return the index of the first value that is not a token id; None if all are."""
    for at, number in enumerate(ids):
        if type(number) is not int or not 0 <= number <= LAST_ID:
            return at
    return None


def not_an_id(value: Any, index: int) -> BridgeError:
    """Return the error for a value that is not a token id."""
    message = f"not a token id of o200k_harmony (0 to {LAST_ID}): {value!r:.40}"
    return BridgeError(ErrorCode.SHAPE, message, path=f"/{index}")


def specials(text: str) -> Iterator[int]:
    """Yield the indexes of special tokens in a text of `as_text`."""
    return (found.start() for found in _SPECIAL.finditer(text))


def spelling(number: int) -> str:
    """Return the spelling of a special token that is not a control token."""
    return _EDGES.get(number) or f"<|reserved_{number}|>"


# --- text to ids and back ---------------------------------------------------------------------------------------------

_IN_HEADER: Final = (START, MESSAGE, CHANNEL, CONSTRAIN)


def vocabulary() -> Encoder:
    """Return the encoder of texts."""
    # Imported here: the text format never needs it, and the modules that find a vocabulary are slow to import.
    from .vocabulary import load_encoder

    return load_encoder()


_SPECIAL_IDS: Final = {**IDS, **EDGE_IDS}


def encode(text: str, special: Sequence[str] = ()) -> list[int]:
    """Encode a text; the special tokens in `special` become tokens wherever they are spelled, others remain text."""
    encode = vocabulary().encode
    if not special:
        return encode(text)
    out: list[int] = []
    for part in re.split(f"({'|'.join(map(re.escape, special))})", text):
        if part in special:
            out.append(_SPECIAL_IDS[part])
        elif part:
            out += encode(part)
    return out


def encode_header(text: str) -> Sequence[int]:
    """Encode a header, with its control tokens as tokens."""
    return _header(text) if len(text) < LONG else encode(text, _IN_HEADER)


@lru_cache(maxsize=2048)
def _header(text: str) -> tuple[int, ...]:
    return tuple(encode(text, _IN_HEADER))


@lru_cache(maxsize=32_768)
def bytes_of(number: int) -> bytes:
    """Return the bytes of an id's text, which may be part of a character; not for control tokens."""
    return vocabulary().decode((number,)) if number < FIRST_SPECIAL else spelling(number).encode()


@lru_cache(maxsize=32_768)
def _written(number: int) -> bytes:
    """Return the bytes of an id's text, or of the spelling of a control token."""
    token = TOKENS.get(number)
    return bytes_of(number) if token is None else token.encode()


def token_bytes(ids: Sequence[int]) -> list[bytes]:
    """Return the bytes of each id's text, or of the spelling of control tokens."""
    return list(map(_written, ids))


def spelled(ids: Sequence[int]) -> str:
    """Return the text of ids, with the spelling of control tokens; bytes that are not UTF-8 become lone surrogates."""
    return b"".join(map(_written, ids)).decode("utf-8", "surrogateescape")


def ends_of(ids: Sequence[int]) -> list[int]:
    """Return the offset in the text of `spelled` at which each id ends, in bytes."""
    return list(accumulate(map(len, map(_written, ids))))


@lru_cache(maxsize=32_768)
def text_of(number: int) -> str | None:
    """Return the text of an id; None for a control token, and for an id with part of a character."""
    if number in TOKENS:
        return None
    try:
        return bytes_of(number).decode()
    except UnicodeDecodeError:
        return None


def to_pieces(ids: Sequence[int], text: str) -> tuple[list[str], list[int]]:
    """Split ids into pieces; return them (text and control tokens alternate), and the index of each control token.

    Args:
        ids: the list that `checked` returned.
        text: the text that `checked` returned.
    """
    decode = vocabulary().decode
    pieces, places, parts, start = list[str](), list[int](), list[str](), 0
    for at in specials(text):
        if at > start:
            parts.append(decode(ids[start:at]).decode("utf-8", "replace"))
        token = TOKENS.get(ids[at])
        if token is None:
            parts.append(spelling(ids[at]))
        else:
            pieces += ("".join(parts), token)
            places.append(at)
            parts = []
        start = at + 1
    parts.append(decode(ids[start:]).decode("utf-8", "replace"))
    pieces.append("".join(parts))
    return pieces, places
