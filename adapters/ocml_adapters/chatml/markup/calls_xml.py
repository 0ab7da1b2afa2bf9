"""Read and write calls as tags, `<tool_call>⏎<function=f>⏎<parameter=k>⏎V⏎</parameter>⏎</function>⏎</tool_call>`.

A value is raw text between two line breaks, without a type and without an escape. It ends at a closing tag that another
tag of the markup follows. A call in a value, or a part of a call, is text with both of its tags if its start tag begins
a line. So most texts with a tag in them can be values; a call with another text cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from ocml_bridge.json_values.jsontext import Span, spaced, value_at
from ocml_bridge.text.calls import after_space

from .calls import Call, Flaw, Markup, Stretch
from .segments import BEFORE_END, LIKE_CALL, WINDOW
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
_BARE: Final = r"[ \t]*(?P<bare><function=[^<>\n]+>(?=[ \t\r\n]*(?:<parameter=[^<>\n]+>|</function>|\{)))"
_HERE: Final = re.compile(_BARE)
_FIRST: Final = re.compile(f"<tool_call>|^{_BARE}", re.M)
"""The start of a call: its tag, or a function's tag at the beginning of a line that goes on like a call."""
_AROUND: Final = re.compile("</?tool_call>")
_CUT: Final = re.compile(r"(?:<[^<>\n]*)?\Z")
"""The rest of a text that breaks off between tags or inside a tag."""
_AROUND_NAMES: Final = " \t\"'"
"""What models write around names in tags."""
_BEGUN: Final = re.compile(r"<parameter=([^<>\n]+)>")
_BEGUN_ENDS: Final = tuple(f"\n{_END_PARAMETER}"[:size] for size in range(len(_END_PARAMETER), 2, -1))
"""What a value that is cut off within its end tag ends with."""
_DRIFTED: Final = re.compile(f"</ ?parameter[^<>\n]*>?|{_END_FUNCTION}")
"""An end tag that is misspelt, or that of the function."""
_END: Final = re.compile(rf"([^<\n]+)(?:{_END_FUNCTION}\s*)?{_CLOSE}\s*")
"""The rest of a call on the line of its last value, which has no end tag."""
_INDENT: Final = 64
"""The maximum indentation of a tag that ends a value without a closing tag, and of one that begins a block in it."""
_STARTS: Final = (_OPEN, "<function=", "<parameter=")
_MOST_TAGS: Final = 64
"""The maximum number of tags of a block in a value."""
_ENDS_OF: Final = {_CLOSE: _OPEN, _END_FUNCTION: "<function=", _END_PARAMETER: "<parameter="}
"""End tag → the beginning of its start tag."""


class XmlCalls(NamedTuple):
    """The grammar of calls as tags.

    Attributes:
        python: whether `true`, `false` and `null` are written as Python writes them.
        between: the text between two calls.
    """

    python: bool = True
    between: str = "\n"

    @property
    def markup(self) -> Markup:
        """The syntax of the calls."""
        return "xml"

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """Return the first call at or after an offset; its values are strings without types."""
        first = _HERE.match(text, at) or _FIRST.search(text, at)
        if first is None:
            return None
        opened = first["bare"] is None
        start = first.start() if opened else first.start("bare")
        place = after_space(text, first.end()) if opened else start
        function = _TAG.match(text, place)
        if function is None or function["function"] is None:
            return _unreadable(text, start, place)
        return _Reading(text, start, function).read(opened=opened)

    def write(self, calls: Sequence[Call]) -> str | None:
        """Return the text of neighbouring calls; None if tags cannot hold a name or a value."""
        written: list[str] = []
        for call in calls:
            text = self._written(call)
            if text is None:
                return None
            written.append(text)
        return self.between.join(written)

    def plain(self, arguments: str) -> str | None:
        """Return arguments as tags if nothing in them looks like a tag, else None."""
        return _plain(arguments, self.python)

    def texts(self, arguments: str) -> dict[str, str] | None:
        """Return the text of each argument; None if it is not an object, or if tags cannot hold a name."""
        members = object_of(arguments)
        if members is None or not all(map(_is_name, members)):
            return None
        return {name: _value(span, self.python) for name, span in members.items()}

    def _written(self, call: Call) -> str | None:
        """Return the text of a call; None if tags cannot hold it, or if it would read as something else."""
        if not _is_name(call.name):
            return None
        plain = self.plain(call.arguments)
        if plain is not None and is_writable(call.name):
            return _tagged(call.name, plain)
        values = self.texts(call.arguments)
        if values is None:
            return None
        text = _tagged(call.name, _parameters(values))
        reads_back = self.find(text) == Stretch(0, len(text), (_call(call.name, values),))
        return text if reads_back and is_writable(text) else None


def _is_name(name: str) -> bool:
    """Return whether tags can hold a name as it is."""
    return _NAME.fullmatch(name) is not None and _bare(name) == name


def _bare(name: str) -> str:
    """Return a name without white space and quotation marks around it."""
    return name.strip(_AROUND_NAMES) or name


@lru_cache(maxsize=64)
def _plain(arguments: str, python: bool) -> str | None:
    """Return arguments as tags if nothing in them looks like a tag, else None."""
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
        start: the offset of the call.
        function: the start tag of the function.
    """

    def __init__(self, text: str, start: int, function: re.Match[str]) -> None:
        self.text: Final = text
        self.start: Final = start
        self.name: Final = _bare(function["function"])
        self.at: int = function.end()
        self.values: dict[str, str] = {}
        self.arguments: str | None = None
        """The arguments, if they are JSON."""
        self.mended: bool = self.name != function["function"]

    def read(self, *, opened: bool) -> Stretch:
        """Return the call.

        Args:
            opened: whether it has the tag around the function.
        """
        if not opened:
            self.mended = True
        ended = False
        while not ended:
            place = after_space(self.text, self.at)
            if self._json(place):
                continue
            tag = _TAG.match(self.text, place)
            if tag is None:
                return _unreadable(self.text, self.start, place, self._unfinished())
            self.at, ended = tag.end(), True
            if tag["parameter"] is not None:
                ended = False
                if not self._parameter(tag["parameter"]):
                    call = self._unfinished((tag["parameter"], self.text[tag.end() :]))
                    return Stretch(self.start, len(self.text), (call,), flaw=Flaw.CUT_OFF)
            elif tag[0] == _END_PARAMETER:
                ended = False
                self.mended = True
            elif tag[0] == _END_FUNCTION:
                self._close(opened=opened)
            else:
                self.mended = True
                if tag[0] != _CLOSE:
                    self.at = tag.start()
        call = _call(self.name, self.values) if self.arguments is None else Call(self.name, self.arguments)
        return Stretch(self.start, self.at, (call,), self.mended)

    def _json(self, place: int) -> bool:
        """Read arguments that are JSON; return whether they are."""
        parsed = None if self.values or self.arguments is not None else value_at(self.text, place)
        if parsed is None or not isinstance(parsed[0], dict):
            return False
        self.arguments, self.at, self.mended = self.text[place : parsed[1]], parsed[1], True
        return True

    def _unfinished(self, value: tuple[str, str] | None = None) -> Call:
        """Return the call so far, which is cut off; `value`: the name and the text of a value that is cut off."""
        values = {**self.values, _bare(value[0]): _before_tag(value[1].removeprefix("\n"))} if value else self.values
        return _call(self.name, values)._replace(whole=False, last_is_open=value is not None)

    def _close(self, *, opened: bool) -> None:
        place = after_space(self.text, self.at)
        if self.text.startswith(_CLOSE, place):
            self.at = place + len(_CLOSE)
        elif opened:
            self.mended = True

    def _parameter(self, name: str) -> bool:
        """Read the value at the position; return whether it has an end."""
        start = block = self.at
        inner = 0
        for tag in _TAG.finditer(self.text, start):
            if tag.start() < block or (block := self._end_of_block(tag)) > tag.start():
                continue
            if tag[0] == _END_PARAMETER:
                if inner or not self._is_followed_by(tag.end(), TAGS):
                    inner = max(0, inner - 1)
                    continue
                self.at = tag.end()
            elif self._stands_for_end(tag, start, name):
                self.mended = True
                if tag["parameter"] is not None and (inner or self._is_nested(tag, start)):
                    inner += 1
                    continue
                self.at = tag.start()
            else:
                continue
            self._put(name, self.text[start : tag.start()], closed=tag[0] == _END_PARAMETER)
            return True
        end = _END.fullmatch(self.text, start)
        if end is not None:
            self.mended, self.at = True, end.end(1)
            self._put(name, end[1], closed=False)
        return end is not None

    def _put(self, name: str, value: str, *, closed: bool) -> None:
        """Add a value; the line break at each end is markup, and so is a misspelt end tag instead of the right one."""
        bare = _bare(name)
        if bare in self.values or bare != name:
            self.mended = True
        self.values[bare] = (value if closed else _without_drifted(value)).removeprefix("\n").removesuffix("\n")

    def _begins_line(self, tag: re.Match[str]) -> bool:
        return self.text[max(0, tag.start() - _INDENT) : tag.start()].rstrip(" \t").endswith("\n")

    def _end_of_block(self, tag: re.Match[str]) -> int:
        """Return the offset after the blocks in the value that begin at a tag, or of the tag if none begins there."""
        if tag[0] in _ENDS_OF or not self._begins_line(tag):
            return tag.start()
        if tag[0] == _OPEN:
            return self._end_of_call(tag) if self._is_like_call(tag) else tag.start()
        open_tags: list[re.Match[str]] = []
        for each in islice(_TAG.finditer(self.text, tag.start()), _MOST_TAGS):
            start = _ENDS_OF.get(each[0])
            if start is None:
                if open_tags and each["parameter"] and open_tags[-1]["parameter"]:
                    break
                open_tags.append(each)
                continue
            opener = open_tags.pop()
            if not opener[0].startswith(start):
                break
            if not open_tags and not self._is_followed_by(each.end(), _STARTS):
                return each.end() if self._is_in_value(opener, each) else tag.start()
        return tag.start()

    def _end_of_call(self, tag: re.Match[str]) -> int:
        """Return the offset after the call that begins at a tag in a value, as a `Cutter` finds its end."""
        inner = 0
        for each in _AROUND.finditer(self.text, tag.start()):
            if each[0] == _OPEN:
                inner += self._begins_line(each) and self._is_like_call(each)
            elif BEFORE_END.search(self.text[max(0, each.start() - WINDOW) : each.start()]):
                inner -= 1
                if not inner:
                    return each.end()
        return len(self.text)

    def _is_like_call(self, tag: re.Match[str]) -> bool:
        """Return whether a call follows its start tag."""
        return LIKE_CALL.match(self.text, after_space(self.text, tag.end())) is not None

    def _is_in_value(self, opener: re.Match[str], end: re.Match[str]) -> bool:
        """Return whether a block, or the last one of several, is in the value: text or the value's end follows it."""
        if opener["function"] is not None and self.text.startswith(_END_PARAMETER, after_space(self.text, end.end())):
            return True
        in_line = "\n" not in self.text[opener.end() : end.start()]
        return (in_line or self._begins_line(end)) and not self._is_followed_by(end.end(), TAGS)

    def _stands_for_end(self, tag: re.Match[str], start: int, name: str) -> bool:
        """Return whether a value without a closing tag ends before a tag.

        The tag must begin a line, or be that of another parameter in a value of one line that begins after its own tag.

        Args:
            tag: the tag.
            start: the offset of the value.
            name: the name of the value's parameter.
        """
        if not self._begins_line(tag):
            other = _bare(tag["parameter"] or name)
            is_new = other != _bare(name) and other not in self.values
            return is_new and self.text.find("\n", start, tag.start()) < 0
        if tag["parameter"] is not None:
            return True
        follows = {_END_FUNCTION: (_CLOSE, _OPEN, "<function="), _CLOSE: (_OPEN,)}.get(tag[0])
        return follows is not None and self._is_followed_by(tag.end(), follows)

    def _is_nested(self, tag: re.Match[str], start: int) -> bool:
        """Return whether a tag begins a parameter inside of the value that begins at `start`: both have end tags."""
        if self._begins_line(tag) and self.text[start : tag.start()].strip():
            return False
        lacking = 1
        for each in islice(_TAG.finditer(self.text, start), _MOST_TAGS):
            if each["parameter"] is None and each[0] != _END_PARAMETER:
                break
            lacking += -1 if each[0] == _END_PARAMETER else 1
        return lacking <= 0

    def _is_followed_by(self, at: int, tags: tuple[str, ...]) -> bool:
        """Return whether, after white space, one of some tags follows, or the end of the text, maybe within a tag."""
        place = after_space(self.text, at)
        if self.text.startswith(tags, place):
            return True
        rest = self.text[place : place + max(map(len, tags))]
        return place + len(rest) == len(self.text) and any(tag.startswith(rest) for tag in tags)


def begun_in(values: Mapping[str, str]) -> list[str]:
    """Return the parameters whose start tags are in the values of others, and that have no value."""
    begun = {_bare(tag[1]): None for text in values.values() if "<parameter=" in text for tag in _BEGUN.finditer(text)}
    return [name for name in begun if name not in values]


def _call(name: str, values: dict[str, str]) -> Call:
    members = ", ".join(f"{spaced(name)}: {spaced(value)}" for name, value in values.items())
    return Call(name, f"{{{members}}}", untyped=bool(values))


def _without_drifted(text: str) -> str:
    """Return a text without a misspelt end tag at its end."""
    bare = text.rstrip(" \t\n")
    at = bare.rfind("</", max(0, len(bare) - WINDOW))
    return bare[:at] if at >= 0 and _DRIFTED.fullmatch(bare, at) else text


def _before_tag(text: str) -> str:
    """Return a text without the beginning of an end tag on its last line."""
    return next((text.removesuffix(each) for each in _BEGUN_ENDS if text.endswith(each)), text)


def _unreadable(text: str, start: int, place: int, call: Call | None = None) -> Stretch:
    """Return a stretch without whole calls, up to its end tag or the next call, if the text at `place` cannot be read.

    Args:
        text: the body.
        start: the offset of the stretch.
        place: the offset of what cannot be read.
        call: the call before it.
    """
    if _CUT.match(text, place):
        return Stretch(start, len(text), () if call is None else (call,), flaw=Flaw.CUT_OFF)
    tag = _AROUND.search(text, place)
    end = len(text) if tag is None else tag.end() if tag[0] == _CLOSE else tag.start()
    return Stretch(start, end, (), flaw=Flaw.OPAQUE)
