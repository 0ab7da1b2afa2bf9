"""Turn a caller's data (text, bytes or parsed JSON) into what a reader takes: text, or a JSON value."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import Any, Final

from ..common.unicode import without_mark
from ..errors import BridgeError, ErrorCode
from ..json_values import jsonc, jsontext
from ..json_values.json_lines import loads_lines
from ..json_values.parsed import as_json
from ..loss import FindingCode, Log
from ..model import Json
from .adapter import Kind, Source


def decode(data: Source | bytes, kind: Kind, log: Log) -> Source:
    """Decode data for the reader of a known format.

    Args:
        data: text, bytes (UTF-8), or parsed JSON for the JSON formats.
        kind: whether the format is text or JSON.
        log: gets a finding if something is left out, such as a byte order mark.

    Raises:
        BridgeError: OCB-SHAPE for parsed JSON in a text format, OCB-ENCODING for bytes that are not UTF-8, and the
            errors of `as_json` and `jsontext.loads`.
    """
    if not isinstance(data, (str, bytes)):
        _refuse_references(data)
        if kind is Kind.TEXT:
            raise BridgeError(ErrorCode.SHAPE, "a text format is read from str or bytes, not from parsed JSON")
        return as_json(data)
    return _text(data, log) if kind is _TEXT else _json(data, log)


_TEXT: Final = Kind.TEXT


def guess(data: Source | bytes, log: Log) -> Source:
    """Decode data of an unknown format: return its JSON value if it is JSON, else its text.

    Args:
        data: text, bytes (UTF-8), or parsed JSON.
        log: gets a finding if something is left out.

    Raises:
        BridgeError: as for `decode`; the error of the JSON if the text begins as JSON and has no control token.
    """
    if not isinstance(data, (str, bytes)):
        _refuse_references(data)
        return as_json(data)
    text = _text(data, log)
    # Texts that begin with `[BOS]` or `[UNUSED_TOKEN_146]` are not JSON. No text format begins like this and is JSON.
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _json(text, log)
        except BridgeError:
            if _TOKEN.search(text) is None:
                raise
    return text


def might_be_text(data: bytes) -> bool:
    """Return whether `guess` takes data that begins as JSON, and not with a token, for text if it is not JSON."""
    begins = data[:_BEGINNING].removeprefix(BOM_UTF8).lstrip()
    return (
        begins[:1] in (b"{", b"[")
        and _TOKEN_IN_BYTES.match(begins) is None
        and _TOKEN_IN_BYTES.search(data) is not None
    )


_TOKEN: Final = re.compile(r"<\||\[(?:BOS|UNUSED_TOKEN_\d+)\]")
_BEGINNING: Final = 200
"""The number of bytes in which JSON or a token has to begin."""
_TOKEN_IN_BYTES: Final = re.compile(_TOKEN.pattern.encode())


def _refuse_references(data: Any) -> None:
    """Refuse a path, an open file and a mutable buffer, which are not data themselves.

    Raises:
        BridgeError: OCB-SHAPE, saying what to pass instead.
    """
    if hasattr(data, "__fspath__"):
        instead = "what is in the file: path.read_bytes()"
    elif hasattr(data, "readline"):
        instead = "what is in the file: file.read()"
    elif type(data) in (bytearray, memoryview):
        instead = "bytes(data)"
    else:
        return
    kind: type[Any] = data.__class__
    raise BridgeError(ErrorCode.SHAPE, f"data must be str, bytes or parsed JSON, not a {kind.__name__}; give {instead}")


def _text(data: str | bytes, log: Log) -> str:
    return without_mark(data if isinstance(data, str) else _utf8(data), log)


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BridgeError(
            ErrorCode.ENCODING, f"not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start}", offset=error.start
        ).locate(data) from error


def _json(data: str | bytes, log: Log) -> Json:
    """Parse a JSON value; JSON lines become a list, and JSON with comments or with commas at ends is repaired."""
    try:
        return jsontext.loads(data)
    except BridgeError as error:
        text = _text(data, log)
        if text is not data:  # Parse the text, so that offsets count characters after the byte order mark.
            return _json(text, log)
        if error.code is not ErrorCode.JSON:
            raise error.locate(text) from error.__cause__
        if (lines := loads_lines(text)) is not None:
            return lines
        bare = jsonc.as_json(text)
        if bare is None:
            raise error.locate(text) from error.__cause__
        value = jsontext.loads(bare.text)
        for sentence in bare.left_out:
            log.find(FindingCode.JSON_REPAIRED, "", sentence)
        return value
