"""Read and write the section of a developer message that declares tools, as TypeScript.

A section that the official encoder could have written is read as a whole. Any other is read tool by tool, in the
spelling of that encoder or of the chat template of gpt-oss. Parameters in neither spelling stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ocml_bridge.model import Json, Tool, Tools, replace
from ocml_bridge.text.typescript import (
    DEFAULT_NAMESPACE,
    comment_text,
    parse_tools,
    read_signature,
    read_template_signature,
    render_tools,
)

from .syntax import HOME, NOTES, TOOLS

NAMESPACE: Final = "namespace"
"""The key, in the extras of a namespace's first tool, of the description of the namespace."""
SIGNATURE: Final = "signature"
"""The key, in the extras of a tool, of the text of its parameters, if they are not understood."""
SECTION: Final = f"{TOOLS}\n\n## "
"""The beginning of a section of declared tools."""


class Section(NamedTuple):
    """A section, read.

    Attributes:
        tools: the declared tools.
        raw: the section, if we would write it differently.
        opaque: the names of the tools whose parameters stay text.
    """

    tools: Tools
    raw: str | None = None
    opaque: tuple[str, ...] = ()


def read_section(text: str) -> Section | None:
    """Read a section; return None if it cannot be split into tools."""
    tools = _read_official(text)
    if tools is not None:
        return Section(tools)
    tools = _read_each(text)
    if tools is None:
        return None
    opaque = tuple(tool.name for tool in tools.tools if signature_of(tool) is not None)
    return Section(tools, None if write_tools(tools.tools) == text else text, opaque)


def write_tools(tools: Sequence[Tool]) -> str:
    """Write the section that declares tools; without tools, an empty namespace, as the official encoder does."""
    notes: dict[str, str] = {} if tools else {DEFAULT_NAMESPACE: ""}
    signatures: dict[int, str] = {}
    for at, tool in enumerate(tools):
        note, signature = NOTES.of(tool.extras).get(NAMESPACE), signature_of(tool)
        if isinstance(note, str):
            notes.setdefault(_namespace(tool), note)
        if signature is not None:
            signatures[at] = signature
    return render_tools(tools, notes, signatures)


def signature_of(tool: Tool) -> str | None:
    """Return the text of a tool's parameters that are not understood; None for any other tool."""
    signature = NOTES.of(tool.extras).get(SIGNATURE)
    if tool.parameters is not None or not isinstance(signature, str):
        return None
    return signature if _SIGNATURE.fullmatch(signature) else None


_SIGNATURE: Final = re.compile(r"\(.*\) => any;", re.DOTALL)


def by_namespace(tools: Sequence[Tool]) -> list[Tool]:
    """Return tools in the order in which they are written: by namespace."""
    return sorted(tools, key=_namespace)


def _namespace(tool: Tool) -> str:
    return DEFAULT_NAMESPACE if tool.namespace is None else tool.namespace


def _noted(tool: Tool, **own: Json) -> Tool:
    return replace(tool, extras={HOME: {**NOTES.of(tool.extras), **own}})


def _read_official(text: str) -> Tools | None:
    """Read a section in the official spelling; return None for any other."""
    found = parse_tools(text)
    if found is None:
        return None
    if found.tools and not found.descriptions:
        return Tools(found.tools)
    tools, notes = list(found.tools), dict(found.descriptions)
    if not tools:
        return Tools(()) if notes == {DEFAULT_NAMESPACE: ""} else None
    for at, tool in enumerate(tools):
        note = notes.pop(_namespace(tool), None)
        if note is not None:
            tools[at] = _noted(tool, **{NAMESPACE: note})
    return None if notes else Tools(tuple(tools))


# --- tool by tool -----------------------------------------------------------------------------------------------------


class _Declaration(NamedTuple):
    """A tool as it stands in a section.

    Attributes:
        comment: the comment above it, with its slashes.
        name: its name.
        signature: the text after its name.
        namespace: its namespace; None for `functions`.
        note: the description of its namespace, if it is the first tool there.
    """

    comment: str
    name: str
    signature: str
    namespace: str | None
    note: str | None = None


def _read_each(text: str) -> Tools | None:
    """Read a section in other spellings, tool by tool; return None if it cannot be split into tools."""
    found: list[_Declaration] = []
    at = len(f"{TOOLS}\n\n")
    while at < len(text):
        heading = _HEADING.match(text, at)
        if heading is None:
            return None
        name, note = heading.groups()
        first = len(found)
        closing = f"}} // namespace {name}"
        space = None if name == DEFAULT_NAMESPACE else name
        at = heading.end()
        while not text.startswith(closing, at):
            end = _end_of_tool(text, at, closing)
            declared = _TYPE.search(text, at, end)  # None if the tool has no end (-1)
            if declared is None or not (declared.start() == at or text.startswith("// ", at)):
                return None
            found.append(_Declaration(text[at : declared.start()], declared[1], text[declared.end() : end], space))
            at = end + len("\n\n")
        at += len(closing)
        if note and first < len(found):
            found[first] = found[first]._replace(note=comment_text(note))
        if at < len(text) and not text.startswith("\n\n## ", at):
            return None
        at += len("\n\n")
    return Tools(tuple(_understood(found))) if found else None


_HEADING: Final = re.compile(r"## ([^\n]+)\n\n((?:// [^\n]*\n)*)namespace \1 \{\n\n")
_END: Final = re.compile(r" => any;\n\n")
_TYPE: Final = re.compile(r"^type ([^\n]*?) = (?=\()", re.MULTILINE)


def _end_of_tool(text: str, at: int, closing: str) -> int:
    """Return the index of the end of the tool at an index: before the next tool or `closing`; -1 if it has no end."""
    for found in _END.finditer(text, at):
        if text.startswith(("// ", "type ", closing), found.end()):
            return found.end() - len("\n\n")
    return -1


def _understood(found: list[_Declaration]) -> Iterator[Tool]:
    """Yield the tools of declarations, each read first in the spelling that more of them have."""
    official = [read_signature(each.signature) for each in found]
    template = [read_template_signature(each.signature) for each in found]
    spelled = [is_read and _is_official(each.comment) for (is_read, _), each in zip(official, found, strict=True)]
    is_official = sum(spelled) >= sum(is_read for is_read, _ in template)
    for declared, one, other in zip(found, official, template, strict=True):
        comment, name, signature, namespace, note = declared
        first, second = (one, other) if is_official else (other, one)
        is_read, parameters = first if first[0] else second
        tool = Tool(name, _description(comment, as_lines=is_official), parameters if is_read else None, namespace)
        own: dict[str, Json] = {} if note is None else {NAMESPACE: note}
        if not is_read:
            own[SIGNATURE] = signature
        yield _noted(tool, **own) if own else tool


def _is_official(comment: str) -> bool:
    """Return whether all lines of a comment begin with slashes, as the official encoder writes it."""
    return not comment or comment_text(comment) is not None


def _description(comment: str, *, as_lines: bool) -> str | None:
    """Return the description in the comment above a tool.

    Args:
        comment: the comment.
        as_lines: whether each line begins with slashes; in the chat template, only the first line does.
    """
    if not comment:
        return None
    lines = comment_text(comment) if as_lines else None
    return comment.removeprefix("// ").removesuffix("\n") if lines is None else lines
