"""Write and parse the whole `# Tools` section: namespaces of tools with their descriptions and TypeScript signatures.

Requests declare the same tools again and again, and one conversion writes and reads them several times: so sections of
a moderate size are cached in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import orjson

from ocml_bridge.chat.tool_cache import cached_writer
from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError
from ocml_bridge.model import Tool
from ocml_bridge.model.ownership import pack, unpack

from .defaults import UnreadableError
from .plain import plain_tool
from .schema_in import CLOSING, Reader, same_text
from .schema_out import render_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ocml_bridge.model import Json

DEFAULT_NAMESPACE = "functions"
"""The namespace of tools that name none."""

_HEADING = "# Tools"
_NAMESPACE_HEADING = "## "
_PARAMETERS = " = (_: "
_NO_PARAMETERS = " = () => any;"


@dataclass(slots=True)
class ParsedTools:
    """The contents of a `# Tools` section; never mutated.

    Attributes:
        tools: in the order of the text; `namespace` is None for `functions`.
        descriptions: the description by namespace. A namespace without tools (`python`) is always included, with "" if
            it has no description; one with tools only if it has a description.
    """

    tools: tuple[Tool, ...]
    descriptions: dict[str, str] = field(default_factory=dict[str, str])


def render_tools(
    tools: Iterable[Tool],
    descriptions: Mapping[str, str] | None = None,
    signatures: Mapping[int, str] | None = None,
) -> str:
    """Return the section as openai-harmony 0.0.8 writes it: namespaces sorted by name, tools in their order.

    An empty description is not written, so it reads back as None.

    Args:
        tools: the tools; those without a namespace belong to `functions`.
        descriptions: the description by namespace; a namespace without tools is also written.
        signatures: by the index of a tool, the text to write for its parameters, from `(` to `=> any;`.

    Returns:
        The text, without a newline at its end unless the last namespace is empty. `# Tools` alone if there are neither
        tools nor descriptions: the official encoder then writes no section, which the caller must decide.

    Raises:
        BridgeError: LIMIT, if a schema nests more levels deep than the parser reads.
    """
    listed = tuple(tools)
    if signatures:
        return _render(listed, descriptions, signatures)
    key = _key(listed, descriptions)
    if key is None:
        return _render(listed, descriptions)
    return _RENDERED.get(key) or _RENDERED.keep(key, _render(listed, descriptions))


def declare(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]] | None:
    """Return the section of tools, and the tools that are read from it, which nobody may change, in its order.

    None if there are no tools, or if the section would not be read as one of as many tools.

    Raises:
        BridgeError: LIMIT, if a schema nests more levels deep than the parser reads.
    """
    by_namespace: dict[str, list[tuple[str, Tool]]] = {}
    for tool in tools:
        declared = _declared(tool)
        if declared is None:
            return None
        by_namespace.setdefault(_namespace_of(tool), []).append(declared)
    if not by_namespace:
        return None
    section = _section({name: [text for text, _ in declared] for name, declared in by_namespace.items()}, {})
    return section, tuple([tool for name in sorted(by_namespace) for _, tool in by_namespace[name]])


@cached_writer
def _declared(tool: Tool) -> tuple[str, Tool] | None:
    """Return the text of a tool in its namespace, and the tool that is read from it; None if that is not one tool.

    What is read does not depend on the tools before and after it.
    """
    plain = plain_tool(tool)
    if plain is not None:
        return plain
    parsed = _parse(_render((tool,), None), lenient=False)
    is_one = parsed is not None and len(parsed.tools) == 1 and not parsed.descriptions
    return (_text_of(tool), parsed.tools[0]) if parsed is not None and is_one else None


LARGE: Final = 16_384
"""Sections of this many characters or more are not cached."""
_CACHE_SIZE: Final = 512
_RENDERED: Final = Memo[bytes, str](_CACHE_SIZE)
_Values = tuple[tuple[str, str | None, "Json", str | None], ...]
"""Tools without extras and layout, which no section contains: name, description, parameters, namespace."""


def _values(tools: tuple[Tool, ...]) -> _Values:
    return tuple((tool.name, tool.description, tool.parameters, tool.namespace) for tool in tools)


def _tools(values: _Values) -> tuple[Tool, ...]:
    return tuple(Tool(*each) for each in values)


def _key(tools: tuple[Tool, ...], descriptions: Mapping[str, str] | None) -> bytes | None:
    """Return the cache key of tools; None if they are too large, or cannot be written as JSON."""
    # None is written as 0 or as an empty list: a null in the key may be an infinite number.
    fields = [
        (
            tool.name,
            0 if tool.description is None else tool.description,
            0 if tool.namespace is None else tool.namespace,
            () if tool.parameters is None else (tool.parameters,),
        )
        for tool in tools
    ]
    try:
        key = orjson.dumps((fields, list(descriptions.items())) if descriptions else fields)
    except orjson.JSONEncodeError:
        return None
    return None if len(key) >= LARGE else key


def _render(
    tools: tuple[Tool, ...], descriptions: Mapping[str, str] | None, signatures: Mapping[int, str] | None = None
) -> str:
    signature_by_index = signatures or {}
    texts: dict[str, list[str]] = {name: [] for name in descriptions or {}}
    for index, tool in enumerate(tools):
        texts.setdefault(_namespace_of(tool), []).append(_text_of(tool, signature_by_index.get(index)))
    return _section(texts, descriptions or {})


def _namespace_of(tool: Tool) -> str:
    return DEFAULT_NAMESPACE if tool.namespace is None else tool.namespace


def _text_of(tool: Tool, signature: str | None = None) -> str:
    """Return the text of a tool in its namespace.

    Args:
        tool: the tool.
        signature: the text of its parameters, if the caller gives it.
    """
    signature = signature or render_signature(tool.parameters)
    return "\n".join([*_commented(tool.description), f"type {tool.name} = {signature}\n"])


def _section(texts: Mapping[str, list[str]], descriptions: Mapping[str, str]) -> str:
    """Return the section of the texts of tools, by namespace."""
    namespaces = [_render_namespace(name, texts[name], descriptions.get(name)) for name in sorted(texts)]
    return "\n\n".join([_HEADING, *namespaces])


def _render_namespace(name: str, texts: list[str], description: str | None) -> str:
    heading = f"{_NAMESPACE_HEADING}{name}\n"
    if not texts:
        return "\n".join([heading, *_lines(description)])
    opening, closing = f"namespace {name} {{\n", f"}} // namespace {name}"
    return "\n".join([heading, *_commented(description), opening, *texts, closing])


def _commented(description: str | None) -> list[str]:
    return [f"// {line}" for line in _lines(description)]


def _lines(text: str | None) -> list[str]:
    """Split a text into lines as Rust does: without carriage returns before newlines and an empty last line."""
    if not text:
        return []
    *lines, last = text.split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def comment_text(comment: str) -> str | None:
    """Return the text of a comment of whole lines; None if a line has no slashes."""
    lines = comment.removesuffix("\n").split("\n")
    return _joined([line[len("// ") :] for line in lines]) if all(line.startswith("// ") for line in lines) else None


def _joined(lines: list[str]) -> str:
    """Join lines to the text that `_lines` splits into them."""
    return "\n".join(lines) if lines[-1] else "\n".join(lines) + "\n"


def parse_tools(text: str, *, lenient: bool = False) -> ParsedTools | None:
    """Parse a `# Tools` section: the inverse of `render_tools`.

    Args:
        text: the section, from `# Tools` to its end.
        lenient: whether indentation, blank lines and runs of spaces may differ from what the renderer writes, as in
            blocks that were written by hand (OpenChatML 2.2 §16.2).

    Returns:
        Tools that render to this text, or None. A tool without a description has None, never "". Never raises.
    """
    if len(text) >= LARGE:
        return _parse(text, lenient)
    parsed = unpack(_parsed(text, lenient))
    return parsed and ParsedTools(_tools(parsed[0]), parsed[1])


@lru_cache(maxsize=_CACHE_SIZE)
def _parsed(text: str, lenient: bool) -> bytes:
    """Return the contents of a section, packed: each caller gets schemas that it may change."""
    section = _parse(text, lenient)
    return pack(section and (_values(section.tools), section.descriptions))


def _parse(text: str, lenient: bool) -> ParsedTools | None:
    try:
        section = _Section(text).read()
        rendered = render_tools(section.tools, section.descriptions)
        return section if same_text(rendered, text, lenient=lenient) else None
    except (UnreadableError, BridgeError):
        return None


class _Section(Reader):
    __slots__ = ()

    def read(self) -> ParsedTools:
        all_tools: list[Tool] = []
        descriptions: dict[str, str] = {}
        self.expect(_HEADING)
        self.skip_blank()
        while self.pos < len(self.text):
            self.expect(_NAMESPACE_HEADING)
            name = self.rest_of_line()
            self.skip_blank()
            description, tools = self._namespace(name)
            all_tools += tools
            if description is not None:
                descriptions[name] = description
            self.skip_blank()
        return ParsedTools(tuple(all_tools), descriptions)

    def _namespace(self, name: str) -> tuple[str | None, list[Tool]]:
        start = self.pos
        description = self._comment()
        if not self.take(f"namespace {name} {{\n"):
            self.pos = start
            return self._free_text(), []
        namespace = None if name == DEFAULT_NAMESPACE else name
        tools: list[Tool] = []
        while True:
            self.skip_blank()
            if self.take(f"}} // namespace {name}"):
                return description, tools
            description_of_tool = self._comment()
            tool, parameters = self._tool()
            tools.append(Tool(tool, description_of_tool, parameters, namespace))

    def _free_text(self) -> str:
        """Read the description of a namespace without tools: up to the next heading, or to the end."""
        start = self.pos
        if start == len(self.text) or self.text.startswith(_NAMESPACE_HEADING, start):
            return ""
        end = self.text.find(f"\n\n{_NAMESPACE_HEADING}", start)
        self.pos = len(self.text) if end < 0 else end
        lines = self.text[start : self.pos].split("\n")
        if any(line.lstrip().startswith("namespace ") for line in lines):
            raise UnreadableError  # a description must not hold tools
        return _joined(lines)

    def _comment(self) -> str | None:
        lines: list[str] = []
        while self.take("//"):
            lines.append(self.rest_of_line().removeprefix(" "))
            self.skip_blank()
        return _joined(lines) if lines else None

    def _tool(self) -> tuple[str, Json]:
        self.expect("type ")
        start, end = self.pos, self.line_end()
        if self.text.endswith(_NO_PARAMETERS, start, end):
            self.pos = end
            return self.text[start : end - len(_NO_PARAMETERS)], None
        place = self.text.find(_PARAMETERS, start, end)
        if place < 0:
            raise UnreadableError  # a signature expected
        self.pos = place + len(_PARAMETERS)
        parameters = self.schema(0)
        self.expect(CLOSING)
        return self.text[start:place], parameters
