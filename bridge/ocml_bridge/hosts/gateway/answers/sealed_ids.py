"""Make call ids that hold the sealed reasoning before the call, for several processes that share only a key.

Extra: `sealed-ids`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

import orjson

from ....errors import BridgeError, ErrorCode
from .turn_memory import Hidden

PREFIX: Final = "call_s"
"""The beginning of a sealed id."""
LONGEST: Final = 16_384
"""The maximal length of a sealed id; longer reasoning is remembered in the process."""
_UNPACKED: Final = 1_048_576
"""The maximal size of an unpacked id in bytes."""


class SealedIds:
    """Seals reasoning with authenticated encryption (Fernet, of the library `cryptography`).

    Args:
        keys: Fernet keys; ids are made with the first, and opened with any of them, so that keys can be changed.
        age: the time in seconds for which an id can be opened.

    Raises:
        BridgeError: OCB-DEPENDENCY without the library; OCB-OPTION if a key is invalid.
    """

    def __init__(self, keys: Sequence[str], age: float) -> None:
        try:
            from cryptography.fernet import Fernet, InvalidToken, MultiFernet
        except ImportError as error:
            message = "sealed ids need another package: pip install 'ocml-convert[sealed-ids]'"
            raise BridgeError(ErrorCode.DEPENDENCY, message) from error
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except ValueError as error:
            message = "a key of sealed ids is 32 bytes in URL-safe base64, as Fernet.generate_key() makes it"
            raise BridgeError(ErrorCode.OPTION, message) from error
        self._invalid = InvalidToken
        self._age = int(age)

    def id(self, owner: bytes, hidden: tuple[Hidden, ...], now: float) -> str | None:
        """Return an id that holds the hidden messages before a call; None if it would be too long."""
        packed = owner + zlib.compress(orjson.dumps(hidden, default=list))
        sealed = PREFIX + self._fernet.encrypt_at_time(packed, int(now)).decode().rstrip("=")
        return sealed if len(sealed) <= LONGEST else None

    def open(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...] | None:
        """Return the hidden messages in an id; None if it holds none, or those of another owner."""
        if not call_id.startswith(PREFIX) or len(call_id) > LONGEST:
            return None
        token = call_id.removeprefix(PREFIX)
        try:
            packed = self._fernet.decrypt_at_time(token + "=" * (-len(token) % 4), self._age, int(now))
            if packed[: len(owner)] != owner:
                return None
            data = zlib.decompressobj().decompress(packed[len(owner) :], _UNPACKED)
            return tuple(Hidden(*each) for each in orjson.loads(data))
        except (self._invalid, ValueError, TypeError, zlib.error):
            return None
