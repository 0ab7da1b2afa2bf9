"""Calls as tags: `<tool_call>⏎<function=f>⏎<parameter=k>⏎V⏎</parameter>⏎</function>⏎</tool_call>`.

A value is raw text between two line breaks, without a type and without an escape. It ends where its closing tag is
followed by another tag of the markup: most texts that hold a tag can be values, and the few others cannot be spelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.json_values.jsontext import Span, spaced

from .calls import Call, Flaw, Stretch
from .spelling import as_json, is_writable, object_of, word

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_END_FUNCTION, _END_PARAMETER = "</function>", "</parameter>"
TAGS: Final = (_OPEN, _CLOSE, "<function=", _END_FUNCTION, "<parameter=", _END_PARAMETER)
_NAME: Final = re.compile(r"[^<>\n]+")
_LIKE_A_TAG: Final = re.compile("</?(?:tool_call|function|parameter)")
_TAG: Final = re.compile(
    r"<tool_call>|</tool_call>|<function=(?P<function>[^<>\n]+)>|</function>"
    r"|<parameter=(?P<parameter>[^<>\n]+)>|</parameter>"
)
_BARE: Final = r"[ \t]*(?P<bare><function=[^<>\n]+>(?=[ \t\r\n]*(?:<parameter=[^<>\n]+>|</function>)))"
_HERE: Final = re.compile(_BARE)
_FIRST: Final = re.compile(f"<tool_call>|^{_BARE}", re.M)
"""Where a call begins: at its tag; without that, at the function's, which begins a line and goes on as one does."""
_AROUND: Final = re.compile("</?tool_call>")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_CUT: Final = re.compile(r"(?:<[^<>\n]*)?\Z")
"""What is left of a text where it breaks off between tags or inside of one."""
_INDENT: Final = 64
"""How far a tag may be indented that stands for a missing one."""

_NO_OPEN: Final = f"the call has no {_OPEN}"
_NO_CLOSE: Final = f"the call has no {_CLOSE}"
_NO_END_FUNCTION: Final = f"the call has no {_END_FUNCTION}"
_NO_END_PARAMETER: Final = f"a parameter has no {_END_PARAMETER}"
_MORE_ENDS: Final = f"a parameter has more than one {_END_PARAMETER}"
_REPEATED: Final = "a parameter is given twice; the last value is read"


class XmlCalls(NamedTuple):
    """The grammar of calls as tags.

    Attributes:
        python: whether `true`, `false` and `null` are spelled as Python spells them.
        between: what stands between two calls.
    """

    python: bool = True
    between: str = "\n"

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """The first call at an offset or behind it; its values are strings that wait for their types."""
        first = _HERE.match(text, at) or _FIRST.search(text, at)
        if first is None:
            return None
        opened = first["bare"] is None
        start = first.start() if opened else first.start("bare")
        place = _behind_space(text, first.end()) if opened else start
        function = _TAG.match(text, place)
        if function is None or function["function"] is None:
            return _unreadable(text, start, place)
        return _Reading(text, start, function).found(opened=opened)

    def write(self, calls: Sequence[Call]) -> str | None:
        """Calls behind one another; None where a name or a value cannot stand in tags."""
        written: list[str] = []
        for call in calls:
            text = self._written(call)
            if text is None:
                return None
            written.append(text)
        return self.between.join(written)

    def plain(self, arguments: str) -> str | None:
        """Arguments as they stand in any call: nothing in them is like a tag."""
        return _plain(arguments, self.python)

    def texts(self, arguments: str) -> dict[str, str] | None:
        """The text of each argument; None for what is no object, or has names that are none in tags."""
        members = object_of(arguments)
        if members is None or not all(map(_NAME.fullmatch, members)):
            return None
        return {name: _value(span, self.python) for name, span in members.items()}

    def _written(self, call: Call) -> str | None:
        if _NAME.fullmatch(call.name) is None:
            return None
        plain = self.plain(call.arguments)
        if plain is not None and is_writable(call.name):
            return _tagged(call.name, plain)
        values = self.texts(call.arguments)
        if values is None:
            return None
        text = _tagged(call.name, _parameters(values))
        read = self.find(text)
        same = read is not None and read == Stretch(0, len(text), (_call(call.name, values),))
        return text if same and is_writable(text) else None


@lru_cache(maxsize=64)
def _plain(arguments: str, python: bool) -> str | None:
    """Arguments as tags, where nothing in them is like a tag; None for any others."""
    values = XmlCalls(python).texts(arguments)
    if values is None or as_json(arguments) != arguments:
        return None
    text = _parameters(values)
    tags = len(_LIKE_A_TAG.findall(text))
    return text if tags == 2 * len(values) and is_writable(text) else None


def _tagged(name: str, parameters: str) -> str:
    return f"{_OPEN}\n<function={name}>\n{parameters}{_END_FUNCTION}\n{_CLOSE}"


def _parameters(values: Mapping[str, str]) -> str:
    return "".join([f"<parameter={name}>\n{value}\n{_END_PARAMETER}\n" for name, value in values.items()])


def _value(span: Span, python: bool) -> str:
    if isinstance(span.value, str):
        return span.value
    if isinstance(span.value, (dict, list)):
        return as_json(span.raw)
    return word(span.raw) if python or span.raw not in ("true", "false", "null") else span.raw


class _Reading:
    """The reading of one call.

    Args:
        text: the body.
        start: where the call begins.
        function: its opening tag.
    """

    def __init__(self, text: str, start: int, function: re.Match[str]) -> None:
        self.text: Final = text
        self.start: Final = start
        self.name: Final = function["function"]
        self.at: int = function.end()
        self.values: dict[str, str] = {}
        self.mended: list[str] = []

    def found(self, *, opened: bool) -> Stretch:
        """The call, from behind its opening tag.

        Args:
            opened: whether the tag around the function was there.
        """
        if not opened:
            self._mend(_NO_OPEN)
        ended = False
        while not ended:
            place = _behind_space(self.text, self.at)
            tag = _TAG.match(self.text, place)
            if tag is None:
                return _unreadable(self.text, self.start, place)
            self.at, ended = tag.end(), True
            if tag["parameter"] is not None:
                ended = False
                if not self._parameter(tag["parameter"]):
                    return Stretch(self.start, len(self.text), (), flaw=Flaw.CUT_OFF)
            elif tag[0] == _END_PARAMETER:
                ended = False
                self._mend(_MORE_ENDS)
            elif tag[0] == _END_FUNCTION:
                self._close(opened=opened)
            else:
                self._mend(_NO_END_FUNCTION)
                if tag[0] != _CLOSE:
                    self.at = tag.start()
        return Stretch(self.start, self.at, (_call(self.name, self.values),), tuple(self.mended))

    def _close(self, *, opened: bool) -> None:
        place = _behind_space(self.text, self.at)
        if self.text.startswith(_CLOSE, place):
            self.at = place + len(_CLOSE)
        elif opened:
            self._mend(_NO_CLOSE)

    def _parameter(self, name: str) -> bool:
        """Read the value that begins here; whether it ends."""
        start = self.at
        for tag in _TAG.finditer(self.text, start):
            if tag[0] == _END_PARAMETER:
                if not self._goes_on(tag.end(), TAGS):
                    continue
                self.at = tag.end()
            elif self._stands_for_end(tag):
                self._mend(_NO_END_PARAMETER)
                self.at = tag.start()
            else:
                continue
            if name in self.values:
                self._mend(_REPEATED)
            self.values[name] = _inner(self.text[start : tag.start()])
            return True
        return False

    def _stands_for_end(self, tag: re.Match[str]) -> bool:
        """Whether a value without a closing tag ends in front of a tag: it stands at the beginning of a line."""
        if not self.text[max(0, tag.start() - _INDENT) : tag.start()].rstrip(" \t").endswith("\n"):
            return False
        if tag["parameter"] is not None:
            return True
        follows = {_END_FUNCTION: (_CLOSE, _OPEN, "<function="), _CLOSE: (_OPEN,)}.get(tag[0])
        return follows is not None and self._goes_on(tag.end(), follows)

    def _goes_on(self, at: int, tags: tuple[str, ...]) -> bool:
        """Whether behind white space one of these tags begins, or the text ends."""
        place = _behind_space(self.text, at)
        return place == len(self.text) or self.text.startswith(tags, place)

    def _mend(self, what: str) -> None:
        if what not in self.mended:
            self.mended.append(what)


def _call(name: str, values: dict[str, str]) -> Call:
    members = ", ".join(f"{spaced(name)}: {spaced(value)}" for name, value in values.items())
    return Call(name, f"{{{members}}}", untyped=bool(values))


def _inner(text: str) -> str:
    """A value without the line break that belongs to the markup at each end."""
    return text.removeprefix("\n").removesuffix("\n")


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _unreadable(text: str, start: int, place: int) -> Stretch:
    """What begins like a call and is none, for what stands at a place: to its end, or to where another begins."""
    if _CUT.match(text, place):
        return Stretch(start, len(text), (), flaw=Flaw.CUT_OFF)
    tag = _AROUND.search(text, place)
    end = len(text) if tag is None else tag.end() if tag[0] == _CLOSE else tag.start()
    return Stretch(start, end, (), flaw=Flaw.OPAQUE)
