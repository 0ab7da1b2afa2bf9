"""Tools as tags: `<function>⏎<name>…</name>⏎<description>…</description>⏎<parameters>…</parameters>⏎</function>`.

The templates write what they know of a parameter first and any other key of its schema behind, a value that is no text
as Python's `str` or as JSON. What they write has no escape, so a text is read only as tools that give it back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.json_values.jsontext import parse, spaced
from ocml_bridge.model import Json, Tool
from ocml_bridge.text.repair import repair

from ..syntax import NOTES

_TAG: Final = re.compile(r"<([^<>/\n][^<>\n]*)>")
_TEXTS: Final = frozenset({"$comment", "$ref", "$schema", "description", "format", "pattern", "title"})
"""Keywords of a schema whose values are texts, whatever they look like."""
_OF_THE_TYPE: Final = frozenset({"const", "default", "example"})
"""Keywords whose values are of the type that the schema names."""
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
OTHERS: Final = "function"
"""The key under which ChatML keeps what else a tool's declaration says."""
_OF_A_TOOL: Final = ("type", "name", "description", "parameters")
_OF_PARAMETERS: Final = ("type", "properties")


class XmlTools(NamedTuple):
    """The grammar of tools as tags.

    Attributes:
        first: which keys of a parameter's schema stand in front of all others.
        last: which keys of a tool's schema stand behind all others.
    """

    first: tuple[str, ...] = ("type", "description")
    last: tuple[str, ...] = ()

    def write(self, tools: Sequence[Tool]) -> str:
        """The list of tools."""
        return "".join(f"\n{self._function(tool)}" for tool in tools)

    def read(self, text: str) -> tuple[Tool, ...] | None:
        """The tools of a text that is exactly what writing them gives; None for any other."""
        try:
            tools = _Reading(text).tools()
        except _BrokenError:
            return None
        return tools if tools and self.write(tools) == text else None

    def _function(self, tool: Tool) -> str:
        schema = _object(tool.parameters)
        properties = _object(schema.get("properties"))
        lines = ["<function>", f"<name>{full_name(tool)}</name>"]
        if tool.description is not None:
            lines.append(f"<description>{tool.description.strip()}</description>")
        lines.append("<parameters>")
        lines += [self._parameter(name, _object(fields)) for name, fields in properties.items()]
        lines += _tags(schema, [key for key in schema if key not in (*_OF_PARAMETERS, *self.last)])
        lines += [f"<{key}>{spaced(schema[key])}</{key}>" for key in self.last if key in schema]
        lines.append("</parameters>")
        others = _object(NOTES.of(tool.extras).get(OTHERS))
        if tool.strict is not None:
            others = {"strict": tool.strict, **others}
        lines += [*_tags(others, [key for key in others if key not in _OF_A_TOOL]), "</function>"]
        return "\n".join(lines)

    def _parameter(self, name: str, fields: Mapping[str, Json]) -> str:
        lines = ["<parameter>", f"<name>{name}</name>"]
        lines += [_first(key, fields[key]) for key in self.first if key in fields]
        lines += [*_tags(fields, [key for key in fields if key not in ("name", *self.first)]), "</parameter>"]
        return "\n".join(lines)


def _first(key: str, value: Json) -> str:
    """A tag that the templates know: an `enum` is JSON, a description stands without the space around it."""
    if key == "enum":
        return f"<{key}>{spaced(value)}</{key}>"
    text = _str(value)
    return f"<{key}>{text.strip() if key == 'description' else text}</{key}>"


def _tags(fields: Mapping[str, Json], keys: Sequence[str]) -> list[str]:
    """Keys as tags: what nests as JSON, anything else as Python's `str`."""
    return [
        f"<{key}>{spaced(value) if isinstance(value := fields[key], (dict, list)) else _str(value)}</{key}>"
        for key in keys
    ]


def _str(value: Json) -> str:
    return str(value)


def _object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


# --- reading ----------------------------------------------------------------------------------------------------------


class _BrokenError(Exception):
    """What stands here is no list of tools."""


class _Reading:
    """The reading of a list of tools, line by line.

    Args:
        text: the list, from the line break in front of the first tool.
    """

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.at = 0

    def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        tools: list[Tool] = []
        while self._stands("\n<function>"):
            tools.append(self._tool())
        if self.at != len(self.text):
            raise _BrokenError
        return tuple(tools)

    def _tool(self) -> Tool:
        name, description = self._tag("name"), self._tag_if("description")
        self._take("\n<parameters>")
        schema: dict[str, Json] = {"type": "object", "properties": {}}
        while self._stands("\n<parameter>"):
            parameter = self._tag("name")
            schema["properties"][parameter] = self._fields("\n</parameter>", {})
        schema = self._fields("\n</parameters>", schema)
        others = self._fields("\n</function>", {})
        namespace, bare = split_name(name)
        strict = others.pop("strict") if isinstance(others.get("strict"), bool) else None
        extras = NOTES.by_format({OTHERS: others} if others else {})
        return Tool(bare, description, schema, namespace, extras, strict=strict)

    def _fields(self, end: str, fields: dict[str, Json]) -> dict[str, Json]:
        """The keys up to an end, added to those that are there."""
        while not self._stands(end):
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
        return self._until(f"</{key}>") if self._stands(f"\n<{key}>") else None

    def _until(self, end: str) -> str:
        """The text up to an end that a tag on a new line follows."""
        place = self.text.find(f"{end}\n<", self.at)
        if place < 0:
            raise _BrokenError
        text, self.at = self.text[self.at : place], place + len(end)
        return text

    def _stands(self, text: str) -> bool:
        """Take a text if it stands here; whether it does."""
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _take(self, text: str) -> None:
        if not self._stands(text):
            raise _BrokenError


def _value(key: str, text: str, kind: Json) -> Json:
    """What a key says: JSON that nests, a word or a number as Python spells it, else a text."""
    if key == "type" and text.startswith("["):
        text = repair(text) or text
    elif key in _TEXTS or (key in _OF_THE_TYPE and kind == "string"):
        return text
    span = parse(_WORDS.get(text, text))
    if span is None or isinstance(span.value, str):
        return text
    nests = isinstance(span.value, (dict, list))
    return span.value if nests or _str(span.value) == text else text
