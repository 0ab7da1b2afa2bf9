"""Read and write calls as a list in Python, `<|tool_call_start|>[f(city='P', n=2), g(o={"k": null})]<|tool_call_end|>`.

Literals are Python's or JSON's. They become JSON token by token, so nothing is evaluated and the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.jsontext import Span, parse, spaced
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json

from .calls import Call, Flaw, Markup, Stretch
from .python_literals import TRIPLE, BrokenError, json_of, number_of, quoted
from .segments import LINES, LINES_END, LIST, LIST_END
from .spelling import as_json, as_python, is_writable, object_of, word

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]++)|(?P<mark>[\[\](){}:,=])|(?P<single>'(?:[^'\\]|\\.)*+')|(?P<double>"(?:[^"\\]|\\.)*+")"""
    r"""|(?P<word>[^\s\[\](){}:,='"<>|]++)""",
    re.S,
)
_NAME: Final = re.compile(r"""[^\s\[\](){}:,='"<>|]+""")
_ENDS_RAW: Final = re.compile(r"""'(?=[ \t]*(?:,[ \t]*[^\s\[\](){}:,='"<>|]+=|\)[ \t]*[,\]]))""")
"""A quote that certainly ends a string: the next argument or the end of the call follows."""
_TRIPLED: Final = ("'''", '"""')
_BRACKETS: Final = {"[": "]", "{": "}", "(": ")"}
_CODE_END: Final = "```"
_CODE: Final = re.compile(rf"{_CODE_END}[a-z]*[ \t\r\n]")
"""The beginning of a block of code, as which MiniCPM 3 writes its calls."""
_TO_ESCAPE: Final = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})


class Tags(NamedTuple):
    """What stands around the calls of a list.

    Attributes:
        open: the start tag.
        close: the end tag.
        begin: the text after the start tag.
        end: the text before the end tag.
        between: the text between two calls.
    """

    open: str
    close: str
    begin: str = ""
    end: str = ""
    between: str = "\n"


IN_BRACKETS: Final = Tags(LIST, LIST_END, "[", "]", ", ")
"""A list in Python (LFM2)."""
IN_LINES: Final = Tags(LINES, LINES_END)
"""One call on each line, without brackets around them (Olmo 3)."""


class PythonCalls(NamedTuple):
    """The grammar of calls as a list in Python.

    Attributes:
        python: whether lists are written as Python writes them; objects are always JSON.
        escaped: whether quotes, backslashes and line breaks in strings are always escaped, or only if the text would
            otherwise read differently.
        json: whether all values are JSON.
        tags: what stands around the calls.
    """

    python: bool = False
    escaped: bool = True
    json: bool = False
    tags: Tags = IN_BRACKETS

    @property
    def markup(self) -> Markup:
        """The syntax of the calls."""
        return "python"

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """Return the first list of calls at or after an offset, or None."""
        start = text.find(self.tags.open, at)
        return None if start < 0 else _Reading(text, start, self.tags).read()

    def plain(self, arguments: str) -> str | None:
        """Return the text of arguments in a call if no string needs an escape that is not always written, else None."""
        return _plain(self, arguments)

    def write(self, calls: Sequence[Call]) -> str | None:
        """Return calls as one list; None if there are none, or if the list cannot hold one."""
        plain = [self.plain(call.arguments) for call in calls]
        if calls and None not in plain and all(_NAME.fullmatch(call.name) and is_writable(call.name) for call in calls):
            written = (f"{call.name}({arguments})" for call, arguments in zip(calls, plain, strict=True))
            return self._listed(written)
        for escaped in (True,) if self.escaped else (False, True):
            written = [self._written(call, escaped=escaped) for call in calls]
            text = self._listed(call for call in written if call is not None)
            if None not in written and is_writable(text) and _reads_back(text, calls, self.tags):
                return text
        return None

    def _listed(self, written: Iterable[str]) -> str:
        tags = self.tags
        return f"{tags.open}{tags.begin}{tags.between.join(written)}{tags.end}{tags.close}"

    def _written(self, call: Call, *, escaped: bool) -> str | None:
        arguments = self.arguments(call.arguments, escaped=escaped)
        return None if arguments is None or _NAME.fullmatch(call.name) is None else f"{call.name}({arguments})"

    def arguments(self, arguments: str, *, escaped: bool) -> str | None:
        """Return the text of arguments in a call; None if they are not an object, or a name cannot be written."""
        members = object_of(arguments)
        if members is None or not all(map(_NAME.fullmatch, members)):
            return None
        return ", ".join([f"{name}={self._value(span, escaped=escaped)}" for name, span in members.items()])

    def _value(self, span: Span, *, escaped: bool) -> str:
        if self.json:
            return as_json(span.raw)
        if isinstance(span.value, str):
            return f"'{span.value.translate(_TO_ESCAPE) if escaped else span.value}'"
        if isinstance(span.value, dict):
            return as_json(span.raw)
        if isinstance(span.value, list):
            return as_python(span.raw) if self.python else as_json(span.raw)
        return word(span.raw)


@lru_cache(maxsize=64)
def _plain(grammar: PythonCalls, arguments: str) -> str | None:
    """Return the text of arguments in a call if it certainly reads as the same values, else None."""
    text = grammar.arguments(arguments, escaped=True)
    if (
        text is None
        or "<|" in text
        or grammar.tags.close in text
        or not is_writable(text)
        or as_json(arguments) != arguments
    ):
        return None
    return text if grammar.escaped or "\\" not in text else None


def _reads_back(text: str, calls: Sequence[Call], tags: Tags) -> bool:
    """Return whether a text reads as some calls."""
    stretch = _Reading(text, 0, tags).read()
    read, written = ([(call.name, as_json(call.arguments)) for call in each] for each in (stretch.calls, calls))
    return stretch.end == len(text) and read != [] and read == written


class _Opened(NamedTuple):
    """An open bracket in a value.

    Attributes:
        place: its place among the tokens.
        end: the bracket that closes it.
        marks: the marks directly inside it.
    """

    place: int
    end: str
    marks: set[str]


class _Reading:
    """The reading of one list.

    Args:
        text: the body.
        start: the offset of its start tag.
        tags: what stands around the calls.
    """

    def __init__(self, text: str, start: int, tags: Tags) -> None:
        self.text: Final = text
        self.start: Final = start
        self.tags: Final = tags
        self.at = start + len(tags.open)
        self.mended: bool = False
        self._triples = True
        """Whether strings in three quotes are read: only while each of them has an end."""

    def read(self) -> Stretch:
        """Return the calls of the list."""
        try:
            calls = self._json() or self._list()
        except BrokenError:
            return self._unreadable()
        self._skip()
        close = self.tags.close
        if self.text.startswith(close, self.at):
            self.at += len(close)
        elif self.at == len(self.text):
            self.mended = True
        else:
            return self._unreadable()
        return Stretch(self.start, self.at, tuple(calls), self.mended)

    def _unreadable(self) -> Stretch:
        end = self.text.find(self.tags.close, self.at)
        if end >= 0:
            return Stretch(self.start, end + len(self.tags.close), (), flaw=Flaw.OPAQUE)
        return Stretch(self.start, len(self.text), (), flaw=Flaw.CUT_OFF)

    def _json(self) -> list[Call] | None:
        """Return the calls of a list in JSON, or of an object alone; None if the list is not JSON."""
        self._skip()
        end = self.text.find(self.tags.close, self.at)
        span = parse(self.text[self.at : end]) if end >= 0 and _OBJECTS.match(self.text, self.at) else None
        value: Json = None if span is None else span.value
        if not isinstance(value, (list, dict)):
            return None
        items = cast("list[Json]", value if isinstance(value, list) else [value])
        calls = [Call(item["name"], spaced(item["arguments"])) for item in items if _is_call(item)]
        if len(calls) != len(items):
            raise BrokenError
        self.at = end
        self.mended = True
        return calls

    def _list(self) -> list[Call]:
        """Return the calls of a list, or of lines; those that are not as the tags have them are mended."""
        self._skip()
        code = _CODE.match(self.text, self.at)
        self.at = self.at if code is None else code.end()
        listed = self._peek() == "["
        self.mended = code is not None or listed != (self.tags.begin != "")
        calls = self._in_brackets() if listed else self._lines()
        self._skip()
        if code is not None and self.text.startswith(_CODE_END, self.at):
            self.at += len(_CODE_END)
        return calls

    def _lines(self) -> list[Call]:
        calls = [self._call()]
        while self._peek() not in ("", "<", "`"):
            calls.append(self._call())
        return calls

    def _in_brackets(self) -> list[Call]:
        self._take("[")
        calls = [self._call()]
        while self._take(",", "]") == ",":
            if self._peek() == "]":
                self._take("]")
                break
            calls.append(self._call())
        return calls

    def _call(self) -> Call:
        """Take one call, `f(k=v, …)`."""
        name = self._name()
        self._take("(")
        values: dict[str, str] = {}
        while self._peek() != ")":
            key = self._name()
            self._take("=")
            if key in values:
                raise BrokenError
            values[key] = self._argument()
            if self._peek() != ")":
                self._take(",")
        self._take(")")
        return Call(name, "{" + ", ".join(f"{spaced(key)}: {value}" for key, value in values.items()) + "}")

    def _argument(self) -> str:
        """Return the JSON of one argument, which ends before a comma or a closing bracket."""
        self._skip()
        start = self.at
        out: list[str] = []
        opened: list[_Opened] = []
        while opened or not out:
            kind, raw = self._next()
            if kind == "mark" and raw in _BRACKETS:
                opened.append(_Opened(len(out), _BRACKETS[raw], set()))
                out.append("{" if raw == "{" else "[")
            elif kind == "mark" and opened and raw == opened[-1].end:
                self._close(out, opened.pop())
            else:
                if kind == "mark" and opened:
                    opened[-1].marks.add(raw)
                out.append(self._token(kind, raw))
        value = "".join(out)
        if self._peek() not in (",", ")") and self.text[start] == "'":
            return self._raw_string(start)
        span = parse(value)
        if span is None:
            raise BrokenError
        return value

    def _close(self, out: list[str], opened: _Opened) -> None:
        """End a bracket; a set or a tuple of Python becomes a list, a value in parentheses stays alone."""
        if out[-1] == ", " and out[-2] not in ("[", "{", ", "):
            out.pop()
        alone = opened.end == ")" and "," not in opened.marks and len(out) > opened.place + 1
        is_object = opened.end == "}" and (":" in opened.marks or len(out) == opened.place + 1)
        out[opened.place], end = ("", "") if alone else ("{", "}") if is_object else ("[", "]")
        out.append(end)
        self.mended = self.mended or (not is_object and opened.end != "]")

    def _token(self, kind: str, raw: str) -> str:
        """Return a token that is no bracket as JSON; a number is written as JSON writes it."""
        number = number_of(raw) if kind == "word" else None
        self.mended = self.mended or kind == "triple" or number not in (None, raw)
        return json_of(kind, raw) if number is None else number

    def _raw_string(self, start: int) -> str:
        """Return the JSON of a string with unescaped quotes, in which nothing is an escape, if its end is certain."""
        end = _ENDS_RAW.search(self.text, start + 1, self._limit)
        if end is None:
            raise BrokenError
        self.mended = True
        self.at = end.end()
        return quoted(self.text[start + 1 : end.start()])

    @cached_property
    def _limit(self) -> int:
        """The offset of the list's end token, if no string contains one."""
        end = self.text.find(self.tags.close, self.start)
        return len(self.text) if end < 0 else end

    def _name(self) -> str:
        kind, raw = self._next()
        if kind != "word":
            raise BrokenError
        return raw

    def _take(self, *marks: str) -> str:
        kind, raw = self._next()
        if kind != "mark" or raw not in marks:
            raise BrokenError
        return raw

    def _next(self) -> tuple[str, str]:
        """Take the next token; return its kind, which is the name of its group, and its text."""
        self._skip()
        if self._triples and self.text.startswith(_TRIPLED, self.at):
            found = TRIPLE.match(self.text, self.at)
            if found is not None:
                self.at = found.end()
                return "triple", found[0]
            self._triples = False
        token = _TOKEN.match(self.text, self.at)
        if token is None or token.lastgroup is None:
            raise BrokenError
        self.at = token.end()
        return token.lastgroup, token[0]

    def _peek(self) -> str:
        self._skip()
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        token = _TOKEN.match(self.text, self.at)
        if token is not None and token.lastgroup == "space":
            self.at = token.end()


_OBJECTS: Final = re.compile(r"(?:\[[ \t\r\n]*)?\{")


def _is_call(item: Json) -> bool:
    fields = members_of(item)
    named = fields.keys() == {"name", "arguments"} and isinstance(fields["name"], str)
    return named and isinstance(fields["arguments"], dict)
