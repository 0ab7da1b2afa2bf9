"""Names of tools in the letters that the API takes."""

from __future__ import annotations

from typing import Final

from ocml_bridge.wires.tool_alphabet import Alphabet, ToolAlphabet

from .syntax import NOTES

NAMES: Final = ToolAlphabet(NOTES, Alphabet("a-zA-Z0-9_.:-", 64, first="a-zA-Z_"))
"""The names that every version of the API takes (`FunctionDeclaration.name`); some take longer ones."""
