"""Find the text of members in JSON without parsing it, so that members that are kept keep their spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ...common.unicode import BOM
from ...json_values.jsontext import dumps, loads, members, spaced
from ...model import Json


def leading(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the first members of a JSON object up to the first list or object, each with the text of its value.

    Args:
        data: JSON text that was parsed without repairs.
    """
    at = 1 if data.startswith(b"{") else 0
    while at and (found := _LEADING.match(data, at)) is not None:
        yield found[1].decode("utf-8", "surrogatepass"), found[2].decode("utf-8", "surrogatepass")
        at = found.end()


_LEADING: Final = re.compile(
    rb"""
    [ \t\r\n]*+ "([^"\\]*+)" [ \t\r\n]*+ : [ \t\r\n]*+
    ( "[^"\\]*+(?:\\.[^"\\]*+)*+" | [-+0-9.eE]++ | true | false | null ) [ \t\r\n]*+ ,
    """,
    re.VERBOSE,
)
"""A member whose name has no escapes, and the comma after it."""


def texts_of(data: bytes, values: Mapping[str, Json]) -> dict[str, str]:
    """Return the texts of members of a JSON object, as they are spelled there.

    Args:
        data: JSON text that was parsed without repairs.
        values: the members by name; each text that is found has this value.
    """
    texts: dict[str, str] = {}
    for name, text in leading(data):
        if len(texts) == len(values):
            return texts
        if name in values:
            texts[name] = text
    for name, value in values.items():
        if name in texts:
            continue
        text = text_of_member(data, name, value)
        if text is None:
            found = members(data.decode("utf-8", "surrogatepass").removeprefix(BOM))
            return {} if found is None else {name: span.raw for name, span in found[0].items() if name in values}
        texts[name] = text
    return texts


def text_of_member(data: bytes, name: str, value: Json) -> str | None:
    """Return the text of a member of an object; None if the object has to be parsed to find it.

    Args:
        data: the JSON text of an object that has such a member.
        name: the name of the member.
        value: its value; the text that is found has this value.
    """
    key = b'"%b"' % name.encode("ascii", "ignore")
    at = data.find(key)
    colon = _COLON.match(data, at + len(key))
    if at < 0 or at != data.rfind(key) or colon is None or not _PLAIN_NAME.fullmatch(name):
        return None
    if isinstance(value, str):
        found = _STRING.match(data, colon.end())
        return found[0].decode("utf-8", "surrogatepass") if found is not None and loads(found[0]) == value else None
    if isinstance(value, float):
        found = _NUMBER.match(data, colon.end())
        return found[0].decode("ascii") if found is not None and float(found[0]) == value else None
    for text in (dumps(value), spaced(value).encode("utf-8", "surrogatepass")):  # most are spelled in one of two ways
        if data.startswith(text, colon.end()):
            return text.decode("utf-8", "surrogatepass")
    return None


def lacks(data: bytes, name: str) -> bool:
    """Return whether certainly no object in a JSON text has a member of this name."""
    return (
        _PLAIN_NAME.fullmatch(name) is not None
        and b'"%b"' % name.encode("ascii") not in data
        and not (b"\\u00" in data and any(escape in data for escape in _ESCAPES))
    )


_PLAIN_NAME: Final = re.compile(r"[\w.-]+", re.ASCII)
_ESCAPES: Final = tuple([b"\\u00%d" % at for at in range(2, 8)])
"""The beginnings of escapes for letters, digits and signs, which may be parts of a name."""
_COLON: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_NUMBER: Final = re.compile(rb"-?+[0-9]++(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+")
