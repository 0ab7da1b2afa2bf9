"""Describe the arguments that stand for the text of a tool that takes a text, where calls have objects only."""

from __future__ import annotations

from typing import Final

from ..model import Json, Tool

TEXT_KEY: Final = "input"
"""The argument with the text."""


def parameters_of(tool: Tool) -> Json:
    """Return the JSON schema of a tool's arguments, for formats whose arguments are objects.

    For a custom tool, it describes an object with the text in one member.
    """
    if tool.freeform is None or tool.parameters is not None:
        return tool.parameters
    return {"type": "object", "properties": {TEXT_KEY: {"type": "string"}}, "required": [TEXT_KEY]}
