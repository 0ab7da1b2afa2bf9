"""Calls as a list in Python: `<|tool_call_start|>[f(city='P', n=2), g(o={"k": null})]<|tool_call_end|>`.

Literals are Python's or JSON's. They are made JSON token by token, so that nothing is evaluated and the time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.jsontext import Span, parse, spaced
from ocml_bridge.model import Json

from .calls import Call, Flaw, Stretch
from .spelling import as_json, as_python, is_writable, object_of, word

START, END = "<|tool_call_start|>", "<|tool_call_end|>"
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]++)|(?P<mark>[\[\](){}:,=])|(?P<single>'(?:[^'\\]|\\.)*+')|(?P<double>"(?:[^"\\]|\\.)*+")"""
    r"""|(?P<word>[^\s\[\](){}:,='"<>|]++)""",
    re.S,
)
_NAME: Final = re.compile(r"""[^\s\[\](){}:,='"<>|]+""")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|(.))", re.S
)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": ""}
_ITSELF: Final = "\\'\"/"
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ENDS_RAW: Final = re.compile(r"""'(?=[ \t]*(?:,[ \t]*[^\s\[\](){}:,='"<>|]+=|\)[ \t]*[,\]]))""")
"""A quote that surely ends a string, whatever stands in front of it: the next argument follows, or the call's end."""
_TO_ESCAPE: Final = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})
_QUOTES: Final = "a string has quotes in it that are not escaped"
_NO_END: Final = f"the list of calls has no {END}"
_IS_JSON: Final = "the list of calls is JSON"


class PythonCalls(NamedTuple):
    """The grammar of calls as a list in Python.

    Attributes:
        python: whether lists are spelled as Python spells them; objects are JSON in any case.
        escaped: whether quotes, backslashes and line breaks in strings are always escaped; where not, only where the
            text says something else without.
    """

    python: bool = False
    escaped: bool = True

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """The first list of calls at an offset or behind it."""
        start = text.find(START, at)
        return None if start < 0 else _Reading(text, start).found()

    def plain(self, arguments: str) -> str | None:
        """Arguments as they stand in any call: no string in them needs an escape that it may not have."""
        return _plain(self, arguments)

    def write(self, calls: Sequence[Call]) -> str | None:
        """Calls as one list; None where a name cannot stand in it, and without calls."""
        plain = [self.plain(call.arguments) for call in calls]
        if calls and None not in plain and all(_NAME.fullmatch(call.name) and is_writable(call.name) for call in calls):
            written = (f"{call.name}({arguments})" for call, arguments in zip(calls, plain, strict=True))
            return f"{START}[{', '.join(written)}]{END}"
        for escaped in (True,) if self.escaped else (False, True):
            written = [self._written(call, escaped=escaped) for call in calls]
            text = f"{START}[{', '.join(call for call in written if call is not None)}]{END}"
            if None not in written and is_writable(text) and _says(text, calls):
                return text
        return None

    def _written(self, call: Call, *, escaped: bool) -> str | None:
        arguments = self.arguments(call.arguments, escaped=escaped)
        return None if arguments is None or _NAME.fullmatch(call.name) is None else f"{call.name}({arguments})"

    def arguments(self, arguments: str, *, escaped: bool) -> str | None:
        """Arguments as they stand in a call; None for what is no object, or has names that cannot stand there."""
        members = object_of(arguments)
        if members is None or not all(map(_NAME.fullmatch, members)):
            return None
        return ", ".join([f"{name}={self._value(span, escaped=escaped)}" for name, span in members.items()])

    def _value(self, span: Span, *, escaped: bool) -> str:
        if isinstance(span.value, str):
            return f"'{span.value.translate(_TO_ESCAPE) if escaped else span.value}'"
        if isinstance(span.value, dict):
            return as_json(span.raw)
        if isinstance(span.value, list):
            return as_python(span.raw) if self.python else as_json(span.raw)
        return word(span.raw)


@lru_cache(maxsize=64)
def _plain(grammar: PythonCalls, arguments: str) -> str | None:
    """Arguments as they stand in a call, where nothing in them may be taken for anything else; None for any others."""
    text = grammar.arguments(arguments, escaped=True)
    if text is None or "<|" in text or not is_writable(text) or as_json(arguments) != arguments:
        return None
    return text if grammar.escaped or "\\" not in text else None


def _says(text: str, calls: Sequence[Call]) -> bool:
    """Whether a text is read as these calls."""
    found = _Reading(text, 0).found()
    read = [(call.name, as_json(call.arguments)) for call in found.calls]
    return found.end == len(text) and read != [] and read == [(call.name, as_json(call.arguments)) for call in calls]


class _BrokenError(Exception):
    """What stands here is no list of calls."""


class _Reading:
    """The reading of one list.

    Args:
        text: the body.
        start: where its first token stands.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text: Final = text
        self.start: Final = start
        self.at = start + len(START)
        self.mended: list[str] = []

    def found(self) -> Stretch:
        """The calls of the list."""
        try:
            calls = self._json() or self._list()
        except _BrokenError:
            return self._flawed()
        self._skip()
        if self.text.startswith(END, self.at):
            self.at += len(END)
        elif self.at == len(self.text):
            self.mended.append(_NO_END)
        else:
            return self._flawed()
        return Stretch(self.start, self.at, tuple(calls), tuple(self.mended))

    def _flawed(self) -> Stretch:
        end = self.text.find(END, self.at)
        if end >= 0:
            return Stretch(self.start, end + len(END), (), flaw=Flaw.OPAQUE)
        return Stretch(self.start, len(self.text), (), flaw=Flaw.CUT_OFF)

    def _json(self) -> list[Call] | None:
        """The calls of a list in JSON; None where the list is not JSON."""
        self._skip()
        end = self.text.find(END, self.at)
        span = parse(self.text[self.at : end]) if end >= 0 and _OBJECTS.match(self.text, self.at) else None
        value: Json = None if span is None else span.value
        if not isinstance(value, list):
            return None
        items = cast("list[Json]", value)
        calls = [Call(item["name"], spaced(item["arguments"])) for item in items if _is_call(item)]
        if len(calls) != len(items):
            raise _BrokenError
        self.at = end
        self.mended.append(_IS_JSON)
        return calls

    def _list(self) -> list[Call]:
        self._take("[")
        calls = [self._call()]
        while self._take(",", "]") == ",":
            if self._peek() == "]":
                self._take("]")
                break
            calls.append(self._call())
        return calls

    def _call(self) -> Call:
        name = self._name()
        self._take("(")
        values: dict[str, str] = {}
        while self._peek() != ")":
            key = self._name()
            self._take("=")
            if key in values:
                raise _BrokenError
            values[key] = self._argument()
            if self._peek() != ")":
                self._take(",")
        self._take(")")
        return Call(name, "{" + ", ".join(f"{spaced(key)}: {value}" for key, value in values.items()) + "}")

    def _argument(self) -> str:
        """The JSON of one argument: to the comma or the bracket behind it."""
        self._skip()
        start, depth = self.at, 0
        out: list[str] = []
        while depth or not out:
            kind, raw = self._next()
            if raw in ("]", "}") and out[-1:] == [", "] and out[-2] not in ("[", "{", ", "):
                out.pop()
            out.append(_as_json(kind, raw))
            if kind == "mark":
                depth += (raw in "[{") - (raw in "]}")
        value = "".join(out)
        if self._peek() not in (",", ")") and self.text[start] == "'":
            return self._raw_string(start)
        span = parse(value)
        if span is None:
            raise _BrokenError
        return value

    def _raw_string(self, start: int) -> str:
        """A string with quotes in it, where it is plain what ends it: nothing in it is an escape."""
        end = _ENDS_RAW.search(self.text, start + 1, self._limit)
        if end is None:
            raise _BrokenError
        if _QUOTES not in self.mended:
            self.mended.append(_QUOTES)
        self.at = end.end()
        return _quoted(self.text[start + 1 : end.start()])

    @cached_property
    def _limit(self) -> int:
        """The offset that the list ends at, if no string holds its end."""
        end = self.text.find(END, self.start)
        return len(self.text) if end < 0 else end

    def _name(self) -> str:
        kind, raw = self._next()
        if kind != "word":
            raise _BrokenError
        return raw

    def _take(self, *marks: str) -> str:
        kind, raw = self._next()
        if kind != "mark" or raw not in marks:
            raise _BrokenError
        return raw

    def _next(self) -> tuple[str, str]:
        self._skip()
        token = _TOKEN.match(self.text, self.at)
        if token is None or token.lastgroup is None:
            raise _BrokenError
        self.at = token.end()
        return token.lastgroup, token[0]

    def _peek(self) -> str:
        self._skip()
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        token = _TOKEN.match(self.text, self.at)
        if token is not None and token.lastgroup == "space":
            self.at = token.end()


_OBJECTS: Final = re.compile(r"\[[ \t\r\n]*\{")


def _is_call(item: Json) -> bool:
    if not isinstance(item, dict):
        return False
    fields = cast("dict[str, Json]", item)
    named = fields.keys() == {"name", "arguments"} and isinstance(fields["name"], str)
    return named and isinstance(fields["arguments"], dict)


def _as_json(kind: str, raw: str) -> str:
    """A token as JSON has it.

    Raises:
        _BrokenError: for a mark that JSON has not.
    """
    match kind:
        case "single":
            return _quoted(_unescaped(raw[1:-1]))
        case "double":
            span = parse(raw)
            return raw if span is not None else _quoted(_unescaped(raw[1:-1]))
        case "mark" if raw in "()=":
            raise _BrokenError
        case "mark":
            return {",": ", ", ":": ": "}.get(raw, raw)
        case _:
            return _WORDS.get(raw, raw)


def _quoted(value: str) -> str:
    return spaced(value) if is_writable(value) else json.dumps(value)


def _unescaped(text: str) -> str:
    """The text of a string: Python's escapes, and JSON's; what is no escape stays, as in Python."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_character, text)
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain)


def _character(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        return chr(int(digits, 16))
    return found[4] if found[4] in _ITSELF else _SHORT.get(found[4], found[0])
