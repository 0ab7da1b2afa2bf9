"""Write and read a tool's parameters as the chat template of gpt-oss spells them, unlike the official encoder.

The comma of a member comes after the comment with its default. The members of a nested object are on one line and have
types only. An object without members is `object`. The second line of a description is outside the comment. As in
`schema_in`, a schema that was read is returned only if writing it gives the same text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast

from .defaults import UnreadableError, is_array, is_object
from .schema_in import NO_PARAMETERS, PARSE_DEPTH, Reader, ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ocml_bridge.model import Json

_OPEN, _CLOSE = "(_: {\n", "}) => any;"
_GAP: Final = "\n" + 16 * " "
"""The text between the name and the type of a nested object's member."""
_DEFAULT: Final = "// default: "
_INDENT: Final = 20 * " "
"""The text before the default of a variant."""
_NEXT: Final = " | \n"
"""The text between variants."""
_LONGEST_ITEM: Final = 50
_SIMPLE: Final = {"number": "number", "integer": "number", "boolean": "boolean"}


def template_signature(parameters: Json) -> str:
    """Return the text that follows `type name = ` in the chat template."""
    properties = parameters.get("properties") if is_object(parameters) else None
    if not is_object(parameters) or not is_object(properties) or not properties:
        return NO_PARAMETERS
    required = _names(parameters.get("required"))
    return _OPEN + "".join(_member(name, spec, required) for name, spec in properties.items()) + _CLOSE


def _member(name: str, schema: Json, required: Iterable[str]) -> str:
    spec = schema if is_object(schema) else {}
    comment = f"// {spec['description']}\n" if spec.get("description") else ""
    default = ""
    if "default" in spec:
        value = spec["default"]
        if spec.get("enum"):
            default = f", // default: {value}"
        else:
            default = f"// default: {value}" if spec.get("oneOf") else f", // default: {_json(value)}"
    return f"{comment}{name}{'' if name in required else '?'}: {_type(schema)}{default},\n"


def _type(schema: Json) -> str:
    spec = schema if is_object(schema) else {}
    kind, variants = spec.get("type"), spec.get("oneOf")
    if kind == "array":
        return _array(spec)
    if is_array(kind) and kind:
        return " | ".join(map(str, kind))
    if is_array(variants) and variants:
        return _NEXT.join(map(_variant, variants))
    if kind == "string":
        values = spec.get("enum")
        if is_array(values) and values:
            return " | ".join(f'"{value}"' for value in values)
        return "string | null" if spec.get("nullable") else "string"
    if kind == "object":
        return _object(spec)
    return _SIMPLE.get(kind, "any") if isinstance(kind, str) else "any"


def _array(spec: dict[str, Json]) -> str:
    items, null = spec.get("items"), " | null" if spec.get("nullable") else ""
    if not items:
        return f"any[]{null}"
    inner = _type(items)
    simple = is_object(items) and items.get("type") in ("string", *_SIMPLE)
    if simple:
        inner = _SIMPLE.get(cast("str", items["type"]), "string")
    elif inner == "object | object" or len(inner) > _LONGEST_ITEM:
        inner = "any"
    return f"{inner}[]{null}"


def _variant(schema: Json) -> str:
    spec = schema if is_object(schema) else {}
    described = f"// {spec['description']}" if spec.get("description") else ""
    default = _INDENT + _DEFAULT + _json(spec["default"]) if "default" in spec else ""
    return f"{_type(schema)}{described}{default}"


def _object(spec: dict[str, Json]) -> str:
    properties, required = spec.get("properties"), _names(spec.get("required"))
    if not is_object(properties) or not properties:
        return "object"
    return (
        "{\n" + ", ".join(f"{k}{'' if k in required else '?'}: {_GAP}{_type(v)}" for k, v in properties.items()) + "}"
    )


def _names(required: Json) -> list[str]:
    return [name for name in required if isinstance(name, str)] if is_array(required) else []


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_template_signature(text: str) -> tuple[bool, Json]:
    """Parse a signature of the chat template: the inverse of `template_signature`.

    Returns:
        Whether the text is a signature; and the parameters, None for a tool without parameters. Never raises.
    """
    reader = _Reader(text)
    try:
        parameters = reader.signature()
        is_whole = reader.pos == len(text) and template_signature(parameters) == text
    except (UnreadableError, ValueError, RecursionError):
        return False, None
    return is_whole, parameters if is_whole else None


_WORD: Final = "(?:any|string|number|integer|boolean|object|array|null)"
_WORDS: Final = re.compile(rf"{_WORD}(?: \| {_WORD})*")
_VALUE: Final = re.compile(r'"([^"\n]*)"')
_LINE: Final = re.compile(rf'[^\n]+?: (?:{_WORD}(?: \||\[\]|,|//| {{20}}//|$)|"|\{{$)', re.MULTILINE)
"""The first line of a member."""
_MEMBER: Final = re.compile(rf"// |{_LINE.pattern}|{re.escape(_CLOSE)}$", re.MULTILINE)
"""The line after a member."""
_TYPE: Final = re.compile(rf'{_WORD}|"|\{{\n')
_NAME: Final = re.compile(r"([^\n]*?): ")
_ALONE: Final = frozenset({"string", "number", "boolean", "object"})
"""The words that are a type by themselves, not only in a list of types."""


class _Reader(Reader):
    __slots__ = ()

    def signature(self) -> Json:
        if self.take(NO_PARAMETERS):
            return None
        self.expect(_OPEN)
        properties: dict[str, Json] = {}
        required: list[str] = []
        while not self.take(_CLOSE):
            notes: dict[str, Json] = {}
            if self.text.startswith("// ", self.pos):
                notes["description"] = self._description()
            name = self._name(required)
            schema = self._union()
            if (default := self._default(schema)) is not None:
                notes["default"] = default[0]
            self.expect(",\n")
            if name in properties:
                raise UnreadableError  # a member is there twice
            properties[name] = ordered(schema | notes) if notes else schema
        return _of_members(properties, required)

    def _description(self) -> str:
        """Read the description above a member; only its first line begins with slashes."""
        start, at = self.pos + len("// "), self.line_end()
        while not _LINE.match(self.text, at + 1):
            at = self.text.find("\n", at + 1)
            if at < 0:
                raise UnreadableError  # a comment is followed by nothing
        self.pos = at + 1
        return self.text[start:at]

    def _name(self, required: list[str]) -> str:
        match = _NAME.match(self.text, self.pos)
        if match is None:
            raise UnreadableError  # a member expected
        self.pos = match.end()
        name = match[1].removesuffix("?")
        if name == match[1]:
            required.append(name)
        return name

    def _union(self) -> dict[str, Json]:
        """Read the type of a member, which may have variants, each with a description and a default."""
        variants: list[dict[str, Json]] = []
        while True:
            schema = self._single(0)
            self._describe(schema)
            variants.append(schema)
            if not self.take(_NEXT):
                break
        first = variants[0]
        is_plain = len(variants) == 1 and not {"description", "default"} & first.keys()
        return first if is_plain else {"oneOf": cast("Any", variants)}

    def _describe(self, schema: dict[str, Json]) -> None:
        """Read the description and the default after a variant into its schema."""
        start = self.pos
        if self.text.startswith("// ", start) and not self.text.startswith(_DEFAULT, start):
            self.pos = self._end_of(_INDENT + _DEFAULT, _DEFAULT)
            schema["description"] = self.text[start + len("// ") : self.pos]
        if self.take(_INDENT + _DEFAULT):
            start, self.pos = self.pos, self._end_of(_DEFAULT)
            schema["default"] = json.loads(self.text[start : self.pos])

    def _end_of(self, *marks: str) -> int:
        """Return the index of the first mark in the comment of a variant, or of the comment's end."""
        end = self._end_of_variant()
        for mark in marks:
            if (at := self.text.find(mark, self.pos, end)) >= 0:
                return at
        return end

    def _end_of_variant(self) -> int:
        at = self.line_end()
        while 0 <= at < len(self.text):
            if self.text.endswith(_NEXT[:-1], self.pos, at) and _TYPE.match(self.text, at + 1):
                return at + 1 - len(_NEXT)
            if self.text[at - 1] == "," and _MEMBER.match(self.text, at + 1):
                return at - 1
            at = self.text.find("\n", at + 1)
        raise UnreadableError  # a comment is followed by nothing

    def _single(self, depth: int) -> dict[str, Json]:
        """Read a type, with its `[]` and `| null`."""
        if depth > PARSE_DEPTH:
            raise UnreadableError  # too deep
        if self.take("{\n"):
            schema = self._object(depth)
        elif self.text.startswith('"', self.pos):
            schema = self._values()
        else:
            schema = self._words()
        if not self.text.startswith("[]", self.pos):
            return schema
        while self.take("[]"):
            schema: dict[str, Json] = {"type": "array", "items": schema} if schema else {"type": "array"}
        if self.take(" | null"):
            schema["nullable"] = True
        return schema

    def _object(self, depth: int) -> dict[str, Json]:
        properties: dict[str, Json] = {}
        required: list[str] = []
        while True:
            name = self._name(required)
            self.expect(_GAP)
            properties[name] = self._alternatives(depth + 1)
            if not self.take(", "):
                break
        self.expect("}")
        return _of_members(properties, required)

    def _alternatives(self, depth: int) -> dict[str, Json]:
        """Read a type, or several variants without comments."""
        variants = [self._single(depth)]
        while self.take(_NEXT):
            variants.append(self._single(depth))
        return variants[0] if len(variants) == 1 else {"oneOf": cast("Any", variants)}

    def _values(self) -> dict[str, Json]:
        values: list[Json] = []
        while (match := _VALUE.match(self.text, self.pos)) is not None:
            values.append(match[1])
            self.pos = match.end()
            if not self.text.startswith(' | "', self.pos):
                return {"type": "string", "enum": values}
            self.pos += len(" | ")
        raise UnreadableError  # a string has no end

    def _words(self) -> dict[str, Json]:
        match = _WORDS.match(self.text, self.pos)
        if match is None:
            raise UnreadableError  # a type is expected
        self.pos = match.end()
        words = match[0].split(" | ")
        if words == ["any"]:
            return {}
        if len(words) == 1 and words[0] in _ALONE:
            return {"type": words[0]}
        return {"type": cast("Any", words)}

    def _default(self, schema: dict[str, Json]) -> tuple[Json] | None:
        """Read the default in the comment at the end of a member; None if there is none."""
        if not self.take(_DEFAULT if "oneOf" in schema else f", {_DEFAULT}"):
            return None
        start, self.pos = self.pos, self.line_end() - 1
        text = self.text[start : self.pos]
        return (text,) if "oneOf" in schema or "enum" in schema else (json.loads(text),)


def _of_members(properties: dict[str, Json], required: list[str]) -> dict[str, Json]:
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    return {**schema, "required": cast("Any", required)} if required else schema
