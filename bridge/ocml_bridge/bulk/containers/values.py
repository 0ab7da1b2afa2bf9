"""Read JSON values one after another, each on several lines, as `jq` and programs that append to a file write them."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from itertools import islice
from typing import BinaryIO, Final

from ...errors import BridgeError
from ...json_values import jsontext
from .encodings import SEPARATOR, in_utf8

TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]')
"""A string, or a bracket outside of strings. A string of JSON ends on its line."""
_BEFORE_VALUE: Final = (b"[", b",", b":")
"""What may be before a value in another one."""
_MOST_BYTES: Final = 16 << 20
"""The number of bytes in which the first value has to end."""
_LONGEST_LINE: Final = 1 << 16
"""The maximal length of the first line of a value on several lines."""


def values(content: BinaryIO) -> Iterator[bytes]:
    """Yield the values of a content, each as a line.

    A value whose brackets are not closed ends before the next line that begins with a bracket and cannot be part of it,
    or with the separator of a JSON text sequence (RFC 7464).
    """
    value = bytearray()
    depth = 0
    for line in in_utf8(content):
        begin = 0
        is_record, line = line.startswith(SEPARATOR), line.removeprefix(SEPARATOR)
        if depth and (is_record or (line.startswith((b"{", b"[")) and not value.rstrip().endswith(_BEFORE_VALUE))):
            yield as_line(value)
            value, depth = bytearray(), 0
        for found in TOKEN.finditer(line):
            if found[0] in (b"{", b"["):
                depth += 1
            elif found[0] in (b"}", b"]"):
                depth -= 1
                if depth <= 0:
                    yield as_line(value + line[begin : found.end()])
                    value, depth, begin = bytearray(), 0, found.end()
        value += line[begin:]
    if value.strip():
        yield as_line(value)


def as_line(value: bytes | bytearray) -> bytes:
    """Return a value on one line; a line end in a string is no JSON anyway."""
    return bytes(value).strip().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def are_values(content: BinaryIO, *, several: bool = False) -> bool:
    """Return whether a content begins with an object that is not its first line.

    Args:
        content: the content from its beginning.
        several: whether another value has to follow it.
    """
    content = in_utf8(content)
    lines = iter(partial(content.readline, _LONGEST_LINE), b"")
    first = next((line for line in lines if line.removeprefix(BOM_UTF8).strip()), b"").removeprefix(BOM_UTF8)
    first = first.removeprefix(SEPARATOR)
    if not first.lstrip().startswith(b"{") or len(first) == _LONGEST_LINE or _is_object(first):
        return False
    found = list(islice(values(BytesIO(first + content.read(_MOST_BYTES))), 2))
    return len(found) > several and _is_object(found[0])


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(jsontext.loads(text), dict)
    except BridgeError:
        return False
