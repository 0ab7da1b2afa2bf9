"""Whether a text is InternLM2, by what only it has."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Source

from .syntax import IM, UNUSED

_OWN: Final = (UNUSED.start, UNUSED.end, IM.action_start, f"name={IM.plugin}", f"name={IM.interpreter}")


def sniff(source: Source) -> int:
    """Certain where a token stands that only InternLM2 has, possibly where one stands that ChatML has too."""
    if not isinstance(source, str):
        return 0
    if any(token in source for token in _OWN):
        return 3
    return 1 if IM.start in source else 0
