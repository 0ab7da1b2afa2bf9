"""Documents without their messages: how they are taken apart and put together."""

from __future__ import annotations

from typing import Any

from ocml_bridge.adapter import Source
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.units.grammar import Enclosed, Parted

from .shapes import Shell, read_shell, write_shell


def part(source: Json, log: Log) -> Parted:
    """A document without its messages.

    Raises:
        BridgeError: as `read_shell`.
    """
    shell = read_shell(source, log)
    return Parted(shell.units, shell.around(), shell.cut_off, shell.place)


def enclose(units: list[Any], around: Transcript, *, cut_off: bool) -> Enclosed:
    """A document, and what it reads as without its messages.

    Args:
        units: the system prompt, where there is one, and the wire messages.
        around: what is to stand around them.
        cut_off: whether the last of them is not whole.
    """
    written, shell = _readable(around, units, cut_off=cut_off)
    image = shell.around()
    if image != around:
        written = write_shell(image, units, cut_off=cut_off)
    return Enclosed(written, image, shell.cut_off)


def _readable(around: Transcript, units: list[Any], *, cut_off: bool) -> tuple[Source, Shell]:
    """A document, and as what it is read; without what it remembers of its shape if that misleads."""
    try:
        written = write_shell(around, units, cut_off=cut_off)
        shell = read_shell(written, Log())
        if shell.units == units:
            return written, shell
    except BridgeError:
        pass
    written = write_shell(replace(around, extras=None, layout=None), units, cut_off=cut_off)
    return written, read_shell(written, Log())
