"""Addresses of media, and data in their place, as values of units: formats write those of one kind alike."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, Final, NamedTuple

from ..chat.uploads import vendor_at
from ..json_values.data_urls import BINARY, beginning, data_of

_PLAIN: Final = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]+")
"""An address in which nothing has to be escaped anywhere."""
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,5}")
"""What tells the type of what stands at an address."""
_LONGEST_ENDING: Final = 6
_DATA: Final = re.compile(r"[A-Za-z0-9+/]{16}")
"""How base64 begins that is long enough to be no word."""


class Kind(NamedTuple):
    """What addresses that formats write alike have in common.

    Attributes:
        before: what stands before the value: of a data URL, all before its data.
        begin: how the value begins.
        end: how it ends.
    """

    before: str
    begin: str
    end: str

    def like(self, text: str) -> str:
        """A value of this kind with a text in it; that itself, where it is of this kind."""
        is_one = text.startswith(self.begin) and text.endswith(self.end)
        return text if is_one else f"{self.begin}{text}{self.end}"


Medium = tuple[Kind, str]
"""The kind of an address or of data, and the value among those of a unit."""


def of_address(address: Any) -> Medium | None:
    """What an address is among values: itself, or the data in it; None for one that may be written unlike others.

    Args:
        address: any value that stands where an address does.
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
    """What the base64 data of an image are among values; only how they begin tells formats anything.

    Args:
        data: any value that stands where such data do.
        before: what stands before them in a data URL.
    """
    if data.__class__ is not str or _DATA.match(data) is None:
        return None
    return Kind(before, beginning(data), ""), data


def of_image(data: Any) -> Medium | None:
    """What base64 data are among values that are surely an image and no text, whatever type is said of them.

    Args:
        data: any value that stands where such data do.
    """
    medium = of_data(data)
    return None if medium is None or medium[0].begin not in BINARY else medium


def add_medium(medium: Medium | None, key: list[Hashable], values: list[str]) -> bool:
    """Add an address or data to a skeleton: the kind to the key, and the value; False for what is not for plans.

    Args:
        medium: what it is among values.
        key: of the skeleton.
        values: its contents and ids.
    """
    if medium is None:
        return False
    kind, value = medium
    key.append(kind)
    values.append(value)
    return True


def next_medium(medium: Medium, values: Iterator[str]) -> str:
    """An address or data like those that were added to a skeleton, with the next of some values in it."""
    kind, _ = medium
    return kind.before + kind.like(next(values))
