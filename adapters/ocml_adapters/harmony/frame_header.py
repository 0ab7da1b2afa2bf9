"""What the header of a frame says, regular or not, given the tools that are declared before it."""

from __future__ import annotations

from typing import NamedTuple

from .declared import meant
from .frames import Frame
from .header import Fields, is_call_to_tool, regular
from .recover import recover
from .syntax import ENDS


class Header(NamedTuple):
    """What a header says.

    Attributes:
        fields: the fields.
        raw: the header, without the text before it that is none.
        outside: that text.
        unplaced: the words that found no place.
        is_regular: whether it says just that to every reader.
    """

    fields: Fields
    raw: str
    outside: str = ""
    unplaced: str = ""
    is_regular: bool = True


def read_header(raw: str, frame: Frame, *, prompted: bool = False) -> Header:
    """What any header says.

    Args:
        raw: the header of a frame, as far as it goes.
        frame: the frame.
        prompted: whether it is the first, and begins behind a generation prompt.
    """
    fields = regular(raw, prompted) if frame.opened or prompted else None
    if fields is not None:
        known = meant(fields, "", frame.names)[0]
        return Header(known, raw, is_regular=known is fields)
    outside = raw.partition("<|")[0]
    if frame.opened or not outside or not recover(outside, opened=False).unplaced:
        outside = ""
    raw = raw[len(outside) :]
    fields, unplaced = meant(*recover(raw, opened=frame.opened), frame.names)
    return Header(fields, raw, outside, unplaced, is_regular=False)


def fields_in(frame: Frame, *, prompted: bool) -> Fields:
    """What the header of a frame says whose body has begun.

    Args:
        frame: whose header is known.
        prompted: whether it is the first, and begins behind a generation prompt.
    """
    fields = read_header(frame.header, frame, prompted=prompted).fields
    return uncalled(fields) if frame.unmarked else fields


def ends_with(fields: Fields) -> str:
    """The token that ends a message of the assistant's."""
    return ENDS["call" if is_call_to_tool(fields) else "return" if fields.channel == "final" else "end"]


def uncalled(fields: Fields) -> Fields:
    """What a header says that has no end: it calls nothing, and what should be arguments is for nobody to see."""
    if not is_call_to_tool(fields):
        return fields
    return Fields(fields.role, fields.name, "analysis")
