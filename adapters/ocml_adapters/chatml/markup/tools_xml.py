"""Read and write declared tools as tags, `<function>⏎<name>…</name>⏎<description>…</description>⏎<parameters>…`.

The templates write the known keys of a parameter first and then the other keys of its schema. They write a value that
is not a text as Python's `str` or as JSON. There is no escape, so tools are read only if writing them gives exactly the
text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.jsontext import parse, spaced
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.repair import repair

from ..syntax import NOTES
from .spelling import JSON_WORDS

_TAG: Final = re.compile(r"<([^<>/\n][^<>\n]*)>")
_TEXTS: Final = frozenset({"$comment", "$ref", "$schema", "description", "format", "pattern", "title"})
"""Keywords of a schema whose values are always texts."""
_OF_DECLARED_TYPE: Final = frozenset({"const", "default", "example"})
"""Keywords of a schema whose values have the type that the schema names."""
OTHERS: Final = "function"
"""Key in the extras of a tool: further members of its declaration."""
_OF_A_TOOL: Final = ("type", "name", "description", "parameters")
_OF_PARAMETERS: Final = ("type", "properties")


class XmlTools(NamedTuple):
    """The list of tools as tags.

    Attributes:
        first: the keys of a parameter's schema that are before all others.
        last: the keys of a tool's schema that are after all others.
    """

    first: tuple[str, ...] = ("type", "description")
    last: tuple[str, ...] = ()

    def write(self, tools: Sequence[Tool]) -> str:
        """Return the list of tools."""
        return "".join(f"\n{self._function(tool)}" for tool in tools)

    def read(self, text: str) -> tuple[Tool, ...] | None:
        """Return the tools of a text; None unless writing them gives exactly this text."""
        try:
            tools = _Reading(text).tools()
        except _BrokenError:
            return None
        return tools if tools and self.write(tools) == text else None

    def _function(self, tool: Tool) -> str:
        schema = members_of(tool.parameters)
        properties = members_of(schema.get("properties"))
        lines = ["<function>", f"<name>{full_name(tool)}</name>"]
        if tool.description is not None:
            lines.append(f"<description>{tool.description.strip()}</description>")
        lines.append("<parameters>")
        lines += [self._parameter(name, members_of(fields)) for name, fields in properties.items()]
        lines += _tags(schema, [key for key in schema if key not in (*_OF_PARAMETERS, *self.last)])
        lines += [f"<{key}>{spaced(schema[key])}</{key}>" for key in self.last if key in schema]
        lines.append("</parameters>")
        others = members_of(NOTES.of(tool.extras).get(OTHERS))
        if tool.strict is not None:
            others = {"strict": tool.strict, **others}
        lines += [*_tags(others, [key for key in others if key not in _OF_A_TOOL]), "</function>"]
        return "\n".join(lines)

    def _parameter(self, name: str, fields: Mapping[str, Json]) -> str:
        lines = ["<parameter>", f"<name>{name}</name>"]
        lines += [_known_tag(key, fields[key]) for key in self.first if key in fields]
        lines += [*_tags(fields, [key for key in fields if key not in ("name", *self.first)]), "</parameter>"]
        return "\n".join(lines)


def _known_tag(key: str, value: Json) -> str:
    """Return the tag of a key that the templates know: `enum` as JSON, a description without white space around it."""
    if key == "enum":
        return f"<{key}>{spaced(value)}</{key}>"
    text = str(value)
    return f"<{key}>{text.strip() if key == 'description' else text}</{key}>"


def _tags(fields: Mapping[str, Json], keys: Sequence[str]) -> list[str]:
    """Return keys as tags: objects and lists as JSON, other values as Python's `str`."""
    return [
        f"<{key}>{spaced(value) if isinstance(value := fields[key], (dict, list)) else str(value)}</{key}>"
        for key in keys
    ]


# --- reading ----------------------------------------------------------------------------------------------------------


class _BrokenError(Exception):
    """The text is not a list of tools."""


class _Reading:
    """The reading of a list of tools, line by line.

    Args:
        text: the list, from the line break before the first tool.
    """

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.at = 0

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools."""
        tools: list[Tool] = []
        while self._skip_if("\n<function>"):
            tools.append(self._tool())
        if self.at != len(self.text):
            raise _BrokenError
        return tuple(tools)

    def _tool(self) -> Tool:
        """Take one tool, from the tag after `<function>`."""
        name, description = self._tag("name"), self._tag_if("description")
        self._take("\n<parameters>")
        schema: dict[str, Json] = {"type": "object", "properties": {}}
        while self._skip_if("\n<parameter>"):
            parameter = self._tag("name")
            schema["properties"][parameter] = self._fields("\n</parameter>", {})
        schema = self._fields("\n</parameters>", schema)
        others = self._fields("\n</function>", {})
        namespace, bare = split_name(name)
        strict = others.pop("strict") if isinstance(others.get("strict"), bool) else None
        extras = NOTES.by_format({OTHERS: others} if others else {})
        return Tool(bare, description, schema, namespace, extras, strict=strict)

    def _fields(self, end: str, fields: dict[str, Json]) -> dict[str, Json]:
        """Add the keys up to an end tag to `fields`, and return these."""
        while not self._skip_if(end):
            self._take("\n")
            tag = _TAG.match(self.text, self.at)
            if tag is None or tag[1] in fields:
                raise _BrokenError
            self.at = tag.end()
            fields[tag[1]] = _value(tag[1], self._until(f"</{tag[1]}>"), fields.get("type"))
        return fields

    def _tag(self, key: str) -> str:
        text = self._tag_if(key)
        if text is None:
            raise _BrokenError
        return text

    def _tag_if(self, key: str) -> str | None:
        return self._until(f"</{key}>") if self._skip_if(f"\n<{key}>") else None

    def _until(self, end: str) -> str:
        """Take and return the text up to an end tag that a tag on a new line follows."""
        place = self.text.find(f"{end}\n<", self.at)
        if place < 0:
            raise _BrokenError
        text, self.at = self.text[self.at : place], place + len(end)
        return text

    def _skip_if(self, text: str) -> bool:
        """Skip a text if it is at the position; return whether it is."""
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _take(self, text: str) -> None:
        if not self._skip_if(text):
            raise _BrokenError


def _value(key: str, text: str, kind: Json) -> Json:
    """Return the value of a key: JSON for objects and lists, a word or a number as Python writes it, else a text."""
    if key == "type" and text.startswith("["):
        text = repair(text) or text
    elif key in _TEXTS or (key in _OF_DECLARED_TYPE and kind == "string"):
        return text
    span = parse(JSON_WORDS.get(text, text))
    if span is None or isinstance(span.value, str):
        return text
    nests = isinstance(span.value, (dict, list))
    return span.value if nests or str(span.value) == text else text
