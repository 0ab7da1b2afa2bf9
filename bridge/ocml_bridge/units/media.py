"""Addresses and base64 data of media as values of skeletons.

The skeleton's key has the kind of an address or of data: all that a format looks at, such as the scheme, the ending of
the file name, or the beginning of base64 data. Values of the same kind are read and written in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, Final, NamedTuple

from ..chat.vendors import vendor_at
from ..json_values.data_urls import BINARY, beginning, data_of

_PLAIN: Final = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]+")
"""Matches an address that no format has to escape."""
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,5}")
"""Matches the ending of a file name, from which formats infer the media type."""
_LONGEST_ENDING: Final = 6
_DATA: Final = re.compile(r"[A-Za-z0-9+/]{16}")
"""Matches the beginning of base64 data that is too long to be a word."""


class Kind(NamedTuple):
    """What values of one kind have in common.

    Attributes:
        before: the text before the value: if it is the data of a data URL, all of the URL before them.
        begin: the beginning of the value.
        end: the end of the value.
    """

    before: str
    begin: str
    end: str

    def like(self, text: str) -> str:
        """Return a text if it is a value of this kind; otherwise a value of this kind that contains it."""
        matches = text.startswith(self.begin) and text.endswith(self.end)
        return text if matches else f"{self.begin}{text}{self.end}"


Medium = tuple[Kind, str]
"""The kind of an address or of data, and its value: the address itself, or the base64 data."""


def of_address(address: Any) -> Medium | None:
    """Return the kind and value of an address or a data URL.

    Args:
        address: any value that stands where an address does.

    Returns:
        None if formats may write the address in a special way, such as that of an uploaded file.
    """
    if address.__class__ is not str:
        return None
    data = data_of(address)
    if data is not None:
        return of_data(data, before=address[: len(address) - len(data)])
    if _PLAIN.fullmatch(address) is None or vendor_at(address) is not None:
        return None
    dot = address.rfind(".", -_LONGEST_ENDING)
    end = address[dot:] if dot > 0 and _ENDING.fullmatch(address, dot) else ""
    return Kind("", address[: address.index("//") + 2], end), address


def of_data(data: Any, *, before: str = "") -> Medium | None:
    """Return the kind and value of base64 data; None if they are not base64, or too short.

    Args:
        data: any value that stands where such data do.
        before: the text before them in a data URL.
    """
    if data.__class__ is not str or _DATA.match(data) is None:
        return None
    return Kind(before, beginning(data), ""), data


def of_image(data: Any) -> Medium | None:
    """Return the kind and value of base64 data whose beginning shows that they are an image; None for other data.

    Args:
        data: any value that stands where such data do.
    """
    medium = of_data(data)
    return None if medium is None or medium[0].begin not in BINARY else medium


def add_medium(medium: Medium | None, key: list[Hashable], values: list[str]) -> bool:
    """Add an address or data to a skeleton: its kind to the key, its value to the values.

    Args:
        medium: the kind and the value; None if it cannot be in a skeleton.
        key: the key of the skeleton; it is changed.
        values: the values of the skeleton; they are changed.

    Returns:
        False if it cannot be in a skeleton.
    """
    if medium is None:
        return False
    kind, value = medium
    key.append(kind)
    values.append(value)
    return True


def next_medium(medium: Medium, values: Iterator[str]) -> str:
    """Return an address or data of the same kind as a medium, with the next value in its place."""
    kind, _ = medium
    return kind.before + kind.like(next(values))
