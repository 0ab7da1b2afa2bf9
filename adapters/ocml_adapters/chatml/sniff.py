"""Recognise ChatML, which looks like its relatives InternLM2 and OpenChatML 0.1."""

from __future__ import annotations

from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import has_no_header_line

from .syntax import START


def sniff_text(source: Source) -> int:
    """Return 2 (probable) if a text begins with a start token, 1 (possible) if it contains one, else 0."""
    if not isinstance(source, str) or has_no_header_line(source):
        return 0
    before, start, _ = source.partition(START)
    if not start:
        return 0
    return 2 if is_trivia(before) else 1


def sniff_list(source: Source) -> int:
    """Return 3 (certain) if a list begins with a start token, 2 (probable) if it contains one, else 0.

    A list of lists is as likely as the least likely of them.
    """
    if is_list_of_lists(source):
        return min(map(sniff_list, source))
    if not isinstance(source, list):
        return 0
    for index, item in enumerate(source):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if item == {"token": START}:
            return 3 if index == 0 else 2
    return 0
