"""Read and write the body of a system frame that declares tools: body ↔ system text and tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.model import Tool
from ocml_bridge.text.repair import repair

from ..families import FAMILIES, Declaration
from ..syntax import TOOL_LIST
from .tools_json import read_lines, read_list, read_lists

_LISTS: Final = ("<tools>", "<functions>", "List of tools: ", TOOL_LIST)
_TAGGED: Final = re.compile(r"<tools>(?P<list>[^<]*(?:<(?!/?tools>)[^<]*)*)</tools>")
"""What stands between the tags of a list."""


class Declared(NamedTuple):
    """The content of a system frame that declares tools.

    Attributes:
        text: the system text; None if there is none.
        tools: the tools.
        declaration: how they are declared; None if the words around the list are of no family.
    """

    text: str | None
    tools: tuple[Tool, ...]
    declaration: Declaration | None = None


def read_declared(body: str, header: str = "system") -> Declared | None:
    """Return the system text and the tools of a body; None if it declares no tools.

    Args:
        body: the body.
        header: the header of declarations in such a frame.
    """
    for declaration in dict.fromkeys(family.declaration for family in FAMILIES.values()):
        declared = _read(body, declaration) if declaration.header == header else None
        if declared is not None:
            return declared
    return _read_in_other_words(body) if header == "system" else None


def _read_in_other_words(body: str) -> Declared | None:
    """Return the system text and the tools of a body with one list of tools between its tags; None for any other body.

    The words around the list are no family's. They stay a part of the text, because they may be anyone's.
    """
    lists = [(found, tools) for found in _TAGGED.finditer(body) if (tools := _tools_of(found["list"]))]
    if len(lists) != 1:
        return None
    found, tools = lists[0]
    return Declared(f"{body[: found.start('list')]}{body[found.end('list') :]}", tools)


def _tools_of(text: str) -> tuple[Tool, ...] | None:
    """Return the tools of a list in JSON: as a list, as one object after another, or in lists of their own.

    The objects may be those that Python prints, as the template of SmolLM3 and the dataset of Hermes write them.
    """
    bare = text.strip()
    found = _tools_in(bare)
    if found or "'" not in bare:
        return found
    return _tools_in("\n".join(repair(line) or line for line in bare.split("\n"))) or _tools_in(repair(bare) or "")


def _tools_in(text: str) -> tuple[Tool, ...] | None:
    return read_list(text) or read_lines(text) or read_lists(text)


def may_declare(body: str) -> bool:
    """Return whether the body of a system frame may declare tools."""
    return any(tag in body for tag in _LISTS)


def _read(body: str, declaration: Declaration) -> Declared | None:
    """Return the system text and the tools of a body; None if the tools are not declared in this way.

    Words of several lines are no part of a sentence, so the gap may be missing: some templates forget it beside their
    default system text (IQuest-Coder, Nanbeige).
    """
    before, after, tools, gap, leads, *_, empty = declaration
    begin = 0 if leads or not before else body.rfind(before)
    end = body.find(after, len(before)) if leads else len(body) - len(after)
    if begin < 0 or begin + len(before) > end or not body.startswith(before, begin) or not body.startswith(after, end):
        return None
    listing = body[begin + len(before) : end]
    declared_tools = () if empty and listing == "" else tools.read(listing)
    text = body[end + len(after) :] if leads else body[:begin]
    has_gap = text == "" or "\n" in before or (text.startswith(gap) if leads else text.endswith(gap))
    if declared_tools is None or not (declared_tools or empty) or not has_gap:
        return None
    text = text.removeprefix(gap) if leads else text.removesuffix(gap)
    return Declared(text or None, declared_tools, declaration)


def write_declared(text: str | None, tools: Sequence[Tool], declaration: Declaration) -> str:
    """Return the body that declares tools beside a system text, which `read_declared` reads back."""
    block = f"{declaration.before}{declaration.tools.write(tools) if tools else ''}{declaration.after}"
    if text is None:
        return block
    return f"{block}{declaration.gap}{text}" if declaration.leads else f"{text}{declaration.gap}{block}"
