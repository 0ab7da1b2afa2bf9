"""Names of tools in the letters that the API takes; those of the server's tools are their types'."""

from __future__ import annotations

from typing import Final

from ocml_bridge.wires.tool_alphabet import Alphabet, ToolAlphabet

from .notes import type_of
from .syntax import NOTES

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_-", 128), lambda message: type_of(message) is not None)
"""The names that the API takes: what it answers to another one names this pattern."""
