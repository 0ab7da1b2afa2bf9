"""Open and write compressed files, by the endings of their names; import optional libraries when they are needed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, Final, NamedTuple, cast

from ...errors import BridgeError, ErrorCode
from ..records import STANDARD
from . import remote


def library(name: str, extra: str) -> Any:
    """Import a library that is optional.

    Raises:
        BridgeError: OCB-DEPENDENCY if it is not installed, with what to install.
    """
    try:
        return import_module(name)
    except ImportError as error:
        what = f"{name.partition('.')[0]} is not installed: pip install 'ocml-convert[{extra}]'"
        raise BridgeError(ErrorCode.DEPENDENCY, what) from error


def _open_gzip(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=raw))


def _open_bz2(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(raw))


def _open_xz(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", lzma.LZMAFile(raw))


class _Zstd(io.RawIOBase):
    """The content of successive zstd frames. The library's own reader does not notice a frame that is cut off."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._decompressor = library("zstandard", "bulk").ZstdDecompressor()
        self._frame: Any = None
        self._packed = b""
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._content:
            self._packed = self._packed or self._raw.read(_PIECE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the compressed file ended before its end-of-stream marker was reached")
                return 0
            self._frame = self._frame or self._decompressor.decompressobj()
            self._content = memoryview(self._frame.decompress(self._packed))
            self._packed = self._frame.unused_data if self._frame.eof else b""
            self._frame = None if self._frame.eof else self._frame
        size = min(len(buffer), len(self._content))
        buffer[:size], self._content = self._content[:size], self._content[size:]
        return size


_PIECE: Final = 1 << 14


def _open_zstd(raw: BinaryIO) -> BinaryIO:
    return io.BufferedReader(_Zstd(raw), 1 << 17)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _zstd(data: bytes) -> bytes:
    return library("zstandard", "bulk").ZstdCompressor().compress(data)


class Codec(NamedTuple):
    """A compression: the first bytes of its files, and both directions. Compressed data can be concatenated."""

    magic: bytes
    open: Callable[[BinaryIO], BinaryIO]
    compress: Callable[[bytes], bytes]


CODECS: Final = {
    ".gz": Codec(b"\x1f\x8b", _open_gzip, _gzip),
    ".bz2": Codec(b"BZh", _open_bz2, bz2.compress),
    ".xz": Codec(b"\xfd7zXZ\x00", _open_xz, lzma.compress),
    ".zst": Codec(b"\x28\xb5\x2f\xfd", _open_zstd, _zstd),
}


def ending(name: str) -> str:
    """Return the ending of a file's name that means a compression; "" for none."""
    return next((end for end in CODECS if name.lower().endswith(end)), "")


def open_plain(path: str, name: str | None = None) -> tuple[BinaryIO, BinaryIO]:
    """Open a file, and return its content and the raw file, whose offset shows progress. `-` is standard input.

    Args:
        path: the path or address.
        name: a name with its ending, if the path has another ending.

    Raises:
        BridgeError: OCB-DEPENDENCY if its compression needs a library.
        OSError: if it cannot be opened.
    """
    if path == STANDARD:
        raw = cast("io.BufferedReader", sys.stdin.buffer)
        begins = raw.peek(6) if hasattr(raw, "peek") else b""
        codec = next((codec for codec in CODECS.values() if begins.startswith(codec.magic)), None)
    else:
        raw = open_raw(path)
        codec = CODECS.get(ending(name or path))
    return (codec.open(raw) if codec else raw), raw


@contextmanager
def plain_content(path: str, name: str | None = None) -> Generator[BinaryIO]:
    """Open a file as `open_plain` does, and close it after a `with` block with its content."""
    content, raw = open_plain(path, name)
    with raw, content:
        yield content


def open_raw(path: str) -> BinaryIO:
    """Open a file or an address without decompressing it; the caller closes it.

    Raises:
        BridgeError: OCB-DEPENDENCY if its file system needs a library.
        OSError: if it cannot be opened.
    """
    return remote.opened(path) if remote.is_address(path) else open(path, "rb")


def compress(data: bytes, end: str) -> bytes:
    """Return bytes compressed for a file with an ending; no bytes for none."""
    return CODECS[end].compress(data) if end and data else data


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that reading a broken file may raise."""
    found: list[type[Exception]] = [OSError, EOFError, zlib.error, lzma.LZMAError]
    for module, name in (("zstandard", "ZstdError"), ("pyarrow", "ArrowException")):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def size_of(path: str) -> int:
    """Return the size of a file in bytes; 0 if it is not known, as for standard input or an unreadable file."""
    if remote.is_address(path):
        return remote.about(path)[0]
    try:
        return 0 if path == STANDARD else os.stat(path).st_size
    except OSError:
        return 0


def is_plain_file(path: str) -> bool:
    """Return whether a file can be read from any offset: not if it is compressed, a pipe, or standard input."""
    return path != STANDARD and not ending(path) and os.path.isfile(path)
