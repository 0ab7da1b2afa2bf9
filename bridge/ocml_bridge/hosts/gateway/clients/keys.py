"""Check the gateway's own keys, from a file that is read again when it changes."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ....errors import BridgeError, ErrorCode
from ..problems import ApiError

INTERVAL: Final = 1.0
"""The interval in seconds at which the file is checked for changes."""


class Keys:
    """The keys in a file: one on a line, optionally with a name before it (`alice sk-…`).

    Lines that begin with `#` are comments. Keys are changed by writing the file again: both the old and the new key are
    in it while clients change. Only digests of keys are kept.

    Args:
        path: the path of the file.
        now: a clock, in seconds.

    Raises:
        BridgeError: OCB-OPTION if the file cannot be read, or has no key.
    """

    def __init__(self, path: str | os.PathLike[str], now: Callable[[], float] = time.monotonic) -> None:
        self._path = Path(path)
        self._now = now
        self._looked = now()
        self._stamp: tuple[int, ...] = _stamp(self._path)
        self._names = _read(self._path)

    def caller(self, authorization: str | None, key: str | None = None) -> str:
        """Return the name of the owner of a key.

        Args:
            authorization: the header `Authorization`, `Bearer KEY`.
            key: the header `x-api-key`.

        Raises:
            ApiError: 401 if it is not one of the keys.
        """
        self._look()
        scheme, _, bearer = (authorization or "").partition(" ")
        presented = key if key is not None else bearer.strip() if scheme.lower() == "bearer" else ""
        name = self._names.get(_digest(presented))
        if name is None:
            message = (
                "this key is not valid"
                if presented
                else "the request has no key; send the header 'Authorization: Bearer KEY'"
            )
            raise ApiError(401, "invalid_api_key", message, headers={"www-authenticate": "Bearer"})
        return name

    def _look(self) -> None:
        """Read the file again if it has changed; keep the keys while it cannot be read."""
        now = self._now()
        if now - self._looked < INTERVAL:
            return
        self._looked = now
        try:
            stamp = _stamp(self._path)
            if stamp != self._stamp:
                self._names, self._stamp = _read(self._path), stamp
        except BridgeError:
            pass


def _stamp(path: Path) -> tuple[int, ...]:
    """Return values that differ after the file has changed."""
    try:
        known = path.stat()
    except OSError as error:
        raise BridgeError(ErrorCode.OPTION, f"the keys in {path} cannot be read: {error.strerror}") from error
    return known.st_mtime_ns, known.st_size, known.st_ino


def _read(path: Path) -> Mapping[bytes, str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BridgeError(ErrorCode.OPTION, f"the keys in {path} cannot be read: {error}") from error
    names: dict[bytes, str] = {}
    for line in lines:
        words = line.split()
        if words and not words[0].startswith("#"):
            digest = _digest(words[-1])
            names[digest] = words[0] if len(words) > 1 else f"key-{digest.hex()[:8]}"
    if not names:
        raise BridgeError(ErrorCode.OPTION, f"{path} has no key; write one a line, with a name before it if you like")
    return names


def _digest(key: str) -> bytes:
    # Looking up a digest takes a time that does not depend on the key.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
