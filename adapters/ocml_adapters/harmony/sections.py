"""Sections of declared tools that are remembered: requests declare the same tools again and again."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from ocml_bridge.memo import Memo
from ocml_bridge.model import Tool
from ocml_bridge.ownership import key_of

SIZE: Final = 4_000_000
"""How many bytes of sections, and of the tools that they are of, are remembered."""
LARGEST: Final = SIZE // 16
"""The largest of them, in bytes."""
_OVERHEAD: Final = 500
"""What one takes beside its bytes."""
_fields: Final = attrgetter(*Tool.__match_args__)


class Section(NamedTuple):
    """How tools are declared.

    Attributes:
        text: the section.
        tools: what it is read as, where it stands alone, shared by all documents that have it; None where it is not
            read as tools there.
    """

    text: str
    tools: tuple[Tool, ...] | None


class Sections:
    """Some of the sections written so far, by all that their tools say."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known = Memo[bytes, Section](SIZE)

    def key(self, tools: Sequence[Tool]) -> bytes | None:
        """What tells tools from all others; None for those that are too large, or hold what is no JSON."""
        try:
            key = key_of([_fields(tool) for tool in tools])
        except ValueError:
            return None
        return key if len(key) <= LARGEST else None

    def get(self, key: bytes | None) -> Section | None:
        """The section of the tools with a key; None where it is not known."""
        return None if key is None else self._known.get(key)

    def keep(self, key: bytes | None, text: str, tools: tuple[Tool, ...] | None) -> None:
        """Remember the section of the tools with a key, and the tools that it is read as, which nobody changes."""
        if key is not None and len(text) <= LARGEST:
            self._known.keep(key, Section(text, tools), 2 * len(key) + len(text) + _OVERHEAD)
