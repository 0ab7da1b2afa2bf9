"""A system frame's body ↔ the system's text and the tools that it declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ocml_bridge.model import Tool

from ..families import FAMILIES, Declaration


class Declared(NamedTuple):
    """What a system frame says.

    Attributes:
        text: the system's; None where there is none.
        tools: those that it declares.
        declaration: how it declares them.
    """

    text: str | None
    tools: tuple[Tool, ...]
    declaration: Declaration


def read_declared(body: str) -> Declared | None:
    """The system's text and the declared tools; None where no tools are declared in a way that is known."""
    for declaration in dict.fromkeys(family.declaration for family in FAMILIES.values()):
        found = _read(body, declaration)
        if found is not None:
            return found
    return None


def may_declare(body: str) -> bool:
    """Whether there may be tools in a system frame."""
    return "<tools>" in body or "List of tools: " in body


def _read(body: str, declaration: Declaration) -> Declared | None:
    before, after, tools, gap, leads, alone = declaration
    begin = 0 if leads else body.rfind(before)
    end = body.find(after, len(before)) if leads else len(body) - len(after)
    if begin < 0 or begin + len(before) > end or not body.startswith(before, begin) or not body.startswith(after, end):
        return None
    listing = body[begin + len(before) : end]
    listed = () if alone and listing == "" else tools.read(listing)
    text = body[end + len(after) :] if leads else body[:begin]
    apart = text == "" or (text.startswith(gap) if leads else text.endswith(gap))
    if listed is None or not (listed or alone) or not apart:
        return None
    text = text.removeprefix(gap) if leads else text.removesuffix(gap)
    return Declared(text or None, listed, declaration)


def write_declared(text: str | None, tools: Sequence[Tool], declaration: Declaration) -> str:
    """The body that declares tools beside a system's text, so that `read_declared` gives both back."""
    block = f"{declaration.before}{declaration.tools.write(tools)}{declaration.after}"
    if text is None:
        return block
    return f"{block}{declaration.gap}{text}" if declaration.leads else f"{text}{declaration.gap}{block}"
