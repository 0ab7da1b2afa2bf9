"""Parse TypeScript types that openai-harmony wrote, as JSON Schema.

The text has less information than the schema and escapes nothing, so parsing is a guess, which is then checked: a
schema is returned only if rendering it gives the same text. If several schemas give the same text, the simplest is
taken: `number` is a number (never an integer), `string | null` a list of types (never `nullable`), `"a" | "b"[]` an
array of an enum.

The parser never goes back, so its time is linear: if a line could be a property or the rest of a description, it takes
the first reading, and returns None if that fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ocml_bridge.errors import BridgeError

from .comments import read_notes, read_variant_notes
from .defaults import UnreadableError, read_default
from .schema_out import render_schema

if TYPE_CHECKING:
    from ocml_bridge.model import Json

PARSE_DEPTH = 100
"""The depth of nested types that the parser reads."""
OPENING = "(_: "
CLOSING = ") => any;"
"""The beginning and the end of a signature."""
NO_PARAMETERS = "() => any;"

_BLANK = re.compile(r"[ \n]*")
_SPACES = re.compile(r" *")
_WORD = "(?:string|number|boolean|object|array|null)"
_WORDS = re.compile(rf"any|{_WORD}(?: \| {_WORD})*")
_VALUE = re.compile(r'"([^\n]*?)"(?= \| |\[\]|,\n|, *//|\) => any;|\n| //)')
_BRACE = re.compile(r"\n *\{(?=\n)")
_VARIANT = re.compile(r"\n *\| ")
_VARIANTS_END = re.compile(r"\n *,\n")
_DEFAULT = re.compile(r" *// default: ")
_TYPE_BEGIN = re.compile(rf' *(Array<any>|(?:any|{_WORD})(?: \||\[|,)|"|\{{$|//|$)')
_ONLY_IN_LISTS = {"object", "array", "null"}
_KEY_ORDER = (
    *("type", "title", "description", "enum", "oneOf", "items", "properties", "required"),
    *("nullable", "examples", "default"),
)


def parse_schema(text: str, *, lenient: bool = False) -> dict[str, Json] | None:
    """Parse a TypeScript type as JSON Schema: the inverse of `render_schema`.

    Args:
        text: the text between `(_: ` and `) => any;`.
        lenient: whether indentation, blank lines and runs of spaces may differ from what the renderer writes.

    Returns:
        A schema that renders to this text, or None. Its keys are in the order of the text; an empty `required` is
        omitted; an empty description or title is not. Never raises.
    """
    reader = Reader(text + CLOSING)
    try:
        schema = reader.schema(0)
        is_whole = reader.take(CLOSING) and reader.pos == len(reader.text)
        return schema if is_whole and same_text(render_schema(schema), text, lenient=lenient) else None
    except (UnreadableError, BridgeError):
        return None


def read_signature(text: str) -> tuple[bool, Json]:
    """Parse the parameters of a tool: the inverse of `render_signature`.

    Args:
        text: the signature, from `(` to `=> any;`.

    Returns:
        Whether the text is a signature; and the parameters, None for a tool without parameters. Never raises.
    """
    if text == NO_PARAMETERS:
        return True, None
    if not (text.startswith(OPENING) and text.endswith(CLOSING)):
        return False, None
    schema = parse_schema(text[len(OPENING) : -len(CLOSING)])
    return schema is not None, schema


def same_text(rendered: str, text: str, *, lenient: bool) -> bool:
    """Return whether two texts are equal; if lenient, indentation, blank lines and runs of spaces may differ."""
    return rendered == text or (lenient and _compact(rendered) == _compact(text))


def _compact(text: str) -> str:
    text = re.sub(" {2,}", " ", text)
    return re.sub(r" ?\n[ \n]*", "\n", text).strip(" \n")


class Reader:
    """A parser of TypeScript types: a text and the position in it.

    Attributes:
        text: the whole text.
        pos: the offset of the next character to be read.
    """

    __slots__ = ("pos", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0

    def take(self, literal: str) -> bool:
        """Move past a literal if it is next; return whether it is."""
        if not self.text.startswith(literal, self.pos):
            return False
        self.pos += len(literal)
        return True

    def expect(self, literal: str) -> None:
        """Move past a literal.

        Raises:
            UnreadableError: if it is not next.
        """
        if not self.take(literal):
            raise UnreadableError

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Move past a match of the pattern if it is next; return whether it is."""
        match = pattern.match(self.text, self.pos)
        if match is None:
            return False
        self.pos = match.end()
        return True

    def skip_blank(self) -> None:
        """Move past spaces and blank lines."""
        self.skip(_BLANK)

    def line_end(self) -> int:
        """Return the offset of the end of this line."""
        end = self.text.find("\n", self.pos)
        return len(self.text) if end < 0 else end

    def rest_of_line(self) -> str:
        """Move to the end of this line; return the text before it."""
        start, self.pos = self.pos, self.line_end()
        return self.text[start : self.pos]

    def schema(self, depth: int) -> dict[str, Json]:
        """Read a type, with its `[]` and `| null`.

        Raises:
            UnreadableError: if no type is next, or if it nests too deeply.
        """
        if depth > PARSE_DEPTH:
            raise UnreadableError  # too deep
        self.skip(_SPACES)
        match self.text[self.pos : self.pos + 1]:
            case "{":
                schema = self._object(depth)
            case "/":
                schema = self._described_object(depth)
            case '"':
                schema = self._enum()
            case "\n":
                schema: dict[str, Json] = {"oneOf": self._variants(depth)}
            case _:
                schema = self._words()
        while self.take("[]"):
            depth += 1
            if depth > PARSE_DEPTH:
                raise UnreadableError  # too deep
            schema = {"type": "array", "items": schema}
        if self.take(" | null"):
            schema["nullable"] = True
        return schema

    def _words(self) -> dict[str, Json]:
        if self.take("Array<any>"):
            return {"type": "array"}
        start = self.pos
        if not self.skip(_WORDS):
            raise UnreadableError  # a type is expected
        words = self.text[start : self.pos].split(" | ")
        if words == ["any"]:
            return {}
        if len(words) == 1 and words[0] not in _ONLY_IN_LISTS:
            return {"type": words[0]}
        if words.count("number") == 2:
            # A list of types names each once, so one of the two was an integer.
            words[words.index("number")] = "integer"
        return {"type": words}

    def _enum(self) -> dict[str, Json]:
        values: list[str] = []
        while match := _VALUE.match(self.text, self.pos):
            values.append(match[1])
            self.pos = match.end()
            if not self.text.startswith(' | "', self.pos):
                return {"type": "string", "enum": values}
            self.pos += 3
        raise UnreadableError  # a string has no end

    def _described_object(self, depth: int) -> dict[str, Json]:
        """Read an object with its description before its brace."""
        self.expect("// ")
        brace = _BRACE.search(self.text, self.pos)
        if brace is None:
            raise UnreadableError  # a comment is followed by nothing
        description = self.text[self.pos : brace.start()]
        self.pos = brace.end() - 1
        found = self._object(depth)
        return {"type": "object", "description": description, **found}

    def _object(self, depth: int) -> dict[str, Json]:
        self.expect("{\n")
        properties: dict[str, Json] = {}
        required: list[str] = []
        while True:
            self.skip_blank()
            if self.take("}"):
                break
            name, schema = self._member(depth)
            key = name.removesuffix("?")
            if key in properties:
                raise UnreadableError  # a property is there twice
            properties[key] = schema
            if key == name:
                required.append(key)
        result: dict[str, Json] = {"type": "object", "properties": properties}
        if required:
            result["required"] = required
        return result

    def _member(self, depth: int) -> tuple[str, dict[str, Json]]:
        """Read a property: its name, with a question mark if it is optional, and its schema."""
        margin = self.text[self.text.rfind("\n", 0, self.pos) + 1 : self.pos]
        lines = self._comment_lines(margin) if self.text.startswith("//", self.pos) else []
        end = self.line_end()
        colon = _find_colon(self.text, self.pos, end)
        if colon < 0:
            raise UnreadableError  # a property expected
        name = self.text[self.pos : colon]
        self.pos = colon + 1
        if self.pos == end:
            schema: dict[str, Json] = {"oneOf": self._variants(depth)}
            if not self.skip(_VARIANTS_END):
                raise UnreadableError  # a comma expected
            return name, ordered({**schema, **read_notes(lines, margin, of_union=True)})
        schema = self.schema(depth + 1)
        if "oneOf" in schema:
            schema = _array_of_union(schema)
        self.expect(",")
        if self.skip(_DEFAULT):
            schema["default"] = read_default(self._default_text(), schema.get("enum", ()))
        self.expect("\n")
        if lines:
            schema.update(read_notes(lines, margin, of_union=False))
            schema = ordered(schema)
        return name, schema

    def _comment_lines(self, margin: str) -> list[str]:
        """Read the comment above a property, with the lines of a longer description that are outside the comment."""
        lines = [margin + self.rest_of_line()]
        while self.pos < len(self.text):
            self.pos += 1
            start = self.pos
            line = self.rest_of_line()
            if line.startswith(margin) and _is_member(line[len(margin) :]):
                self.pos = start + len(margin)
                return lines
            lines.append(line)
        raise UnreadableError  # a comment is followed by nothing

    def _default_text(self) -> str:
        """Read the text after `default: `, up to the end of the line, or of the string."""
        start, end = self.pos, self.line_end()
        if self.text.startswith('"', start):
            while end - start < 2 or self.text[end - 1] != '"':
                end = self.text.find("\n", end + 1)
                if end < 0:
                    raise UnreadableError  # a string has no end
        self.pos = end
        return self.text[start:end]

    def _variants(self, depth: int) -> list[Json]:
        """Read the variants of a `oneOf`: all that are indented like the first."""
        variants: list[Json] = []
        first = _VARIANT.match(self.text, self.pos)
        while first is not None and self.take(first[0]):
            schema = self.schema(depth + 1)
            if self.take(" // "):
                start, self.pos = self.pos, self._variant_comment_end()
                schema.update(read_variant_notes(self.text[start : self.pos], schema.get("enum", ())))
                schema = ordered(schema)
            variants.append(schema)
        return variants

    def _variant_comment_end(self) -> int:
        """Return the offset of the end of a variant's comment: before the next variant or the end of the union."""
        start = self.pos
        while True:
            end = self.text.find("\n", start)
            if end < 0:
                end = len(self.text)
            elif self.text.startswith(("| ", ",\n"), _after_spaces(self.text, end + 1)):
                return end
            if self.text.endswith(CLOSING, start, end):
                return end - len(CLOSING)
            brackets = self.text.rfind("[],", start, end)
            if brackets >= 0:
                return brackets
            if end == len(self.text):
                raise UnreadableError  # a comment is followed by nothing
            start = end + 1


def _after_spaces(text: str, pos: int) -> int:
    match = _SPACES.match(text, pos)
    return pos if match is None else match.end()


def _find_colon(text: str, start: int, end: int) -> int:
    """Return the offset of the end of a property's name: of the first `: `, or of a colon at the end; -1 if none."""
    colon = text.find(": ", start, end)
    return end - 1 if colon < 0 and text.endswith(":", start, end) else colon


def _is_member(line: str) -> bool:
    """Return whether a line after a comment, without its margin, looks like a property."""
    if line.startswith((" ", "//")):
        return False
    colon = _find_colon(line, 0, len(line))
    if colon < 0:
        return False
    kind = _TYPE_BEGIN.match(line, colon + 2)
    return kind is not None and (kind[1] != '"' or line.endswith(",") or ", // default: " in line)


def _array_of_union(union: dict[str, Json]) -> dict[str, Json]:
    """Return the array whose items are a union: its `[]` was read as that of the last variant."""
    variants = union["oneOf"]
    if not variants or "items" not in variants[-1]:
        raise UnreadableError  # a union is not an array
    array = variants[-1]
    return {**array, "items": {"oneOf": [*variants[:-1], array["items"]]}}


def ordered(schema: dict[str, Json]) -> dict[str, Json]:
    """Return the schema with its keys in the usual order."""
    return {key: schema[key] for key in _KEY_ORDER if key in schema}
