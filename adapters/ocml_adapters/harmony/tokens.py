"""Lists of token ids: what may stand in them, where the special tokens are, and the text that they spell.

A list is searched as a text that has one character for each id: that takes a tenth of the time that a loop does.
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
_EDGES: Final = {number: token for token, number in EDGE_IDS.items()}


def as_text(ids: Sequence[Any]) -> str | None:
    """Ids as characters, one for each; None where one of them is no id."""
    if not set(map(type, ids)) <= {int}:
        return None
    try:
        text = array("I", ids).tobytes().decode(_UTF_32, "surrogatepass")
    except (OverflowError, UnicodeDecodeError):
        return None
    return None if _BEYOND.search(text) else text


def checked(source: Source | Sequence[int]) -> tuple[list[int], str]:
    """Token ids, and nothing else: as a list, and as a text.

    Raises:
        BridgeError: OCB-SHAPE with the path of what is none.
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
    """The index of the first value that is not a token id; None where all are."""
    for at, number in enumerate(ids):
        if type(number) is not int or not 0 <= number <= LAST_ID:
            return at
    return None


def not_an_id(value: Any, index: int) -> BridgeError:
    """What is wrong with a value that is not a token id."""
    message = f"not a token id of o200k_harmony (0 to {LAST_ID}): {value!r:.40}"
    return BridgeError(ErrorCode.SHAPE, message, path=f"/{index}")


def specials(text: str) -> Iterator[int]:
    """The indices of the special tokens in ids as a text."""
    return (found.start() for found in _SPECIAL.finditer(text))


def spelling(number: int) -> str:
    """The text of a special token."""
    return _EDGES.get(number) or f"<|reserved_{number}|>"


# --- text to ids and back ---------------------------------------------------------------------------------------------

_IN_HEADER: Final = (START, MESSAGE, CHANNEL, CONSTRAIN)


def vocabulary() -> Encoder:
    """What encodes and decodes text."""
    # Imported here: text never needs it, and what it takes to find a vocabulary is slow to import.
    from .vocabulary import load_encoder

    return load_encoder()


_SPECIAL_IDS: Final = {**IDS, **EDGE_IDS}


def encode(text: str, special: Sequence[str] = ()) -> list[int]:
    """Text as ids; of special tokens only those of `special` become tokens, wherever they stand."""
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
    """A header with its control tokens as ids."""
    return _header(text) if len(text) < LONG else encode(text, _IN_HEADER)


@lru_cache(maxsize=2048)
def _header(text: str) -> tuple[int, ...]:
    return tuple(encode(text, _IN_HEADER))


@lru_cache(maxsize=32_768)
def bytes_of(number: int) -> bytes:
    """The bytes of one id's text, which may be part of a character."""
    return vocabulary().decode((number,)) if number < FIRST_SPECIAL else spelling(number).encode()


@lru_cache(maxsize=32_768)
def _written(number: int) -> bytes:
    """The bytes of one id's text, a control token as it is written."""
    token = TOKENS.get(number)
    return bytes_of(number) if token is None else token.encode()


def token_bytes(ids: Sequence[int]) -> list[bytes]:
    """The bytes of each id's text, control tokens as they are written."""
    return list(map(_written, ids))


def spelled(ids: Sequence[int]) -> str:
    """The text that ids spell, control tokens as they are written; bytes that are no UTF-8 are halves of pairs."""
    return b"".join(map(_written, ids)).decode("utf-8", "surrogateescape")


def ends_of(ids: Sequence[int]) -> list[int]:
    """Where each id ends in that text, in bytes."""
    return list(accumulate(map(len, map(_written, ids))))


@lru_cache(maxsize=32_768)
def text_of(number: int) -> str | None:
    """The text of one id; None where that is a control token, or has part of a character."""
    if number in TOKENS:
        return None
    try:
        return bytes_of(number).decode()
    except UnicodeDecodeError:
        return None


def to_pieces(ids: Sequence[int], text: str) -> tuple[list[str], list[int]]:
    """Ids as pieces (text and control tokens in turn), and the index in `ids` of each control token.

    Args:
        ids: what `checked` gave: the list,
        text: and the text.
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
