"""Call ids that say themselves what led to the call, sealed: for several processes that share nothing but a key.

Extra: `sealed-ids`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

import orjson

from ...errors import BridgeError, ErrorCode
from .turn_memory import Hidden

PREFIX: Final = "call_s"
"""What a sealed id begins with."""
LONGEST: Final = 16_384
"""The longest sealed id; what makes a longer one is remembered in the process."""
_UNPACKED: Final = 1_048_576
"""The most bytes that an id may be unpacked to."""


class SealedIds:
    """Seals with authenticated encryption (Fernet, of the library `cryptography`).

    Args:
        keys: Fernet keys; ids are made with the first, and those of all are understood, so that keys can be changed.
        age: for how long an id is understood, in seconds.

    Raises:
        BridgeError: OCB-DEPENDENCY without the library; OCB-OPTION for what is no key.
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
        """An id that says what led to a call; None where it would be too long."""
        packed = owner + zlib.compress(orjson.dumps(hidden, default=list))
        sealed = PREFIX + self._fernet.encrypt_at_time(packed, int(now)).decode().rstrip("=")
        return sealed if len(sealed) <= LONGEST else None

    def open(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...] | None:
        """What an id says; None where it says nothing, or nothing of this owner's."""
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
