"""Read and write calls as tags with names in attributes: `<function name="f"><param name="k">V</param></function>`.

A value is text without a type. A string with `<`, `&` or a line break is a CDATA section, which holds anything but its
own end; a call with another string cannot be written in this way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.json_values.jsontext import Span, spaced
from ocml_bridge.text.calls import after_space

from .calls import Call, Flaw, Markup, Stretch
from .segments import DATA, DATA_END, PARAMS, PARAMS_END
from .spelling import as_json, as_python, is_writable, object_of, word

_FUNCTION: Final = re.compile(rf"""{PARAMS}(?P<quote>["'])(?P<name>[^"'<>\n]+)(?P=quote)\s*>""")
_PARAM: Final = re.compile(r"""<param name=(?P<quote>["'])(?P<name>[^"'<>\n]+)(?P=quote)\s*>""")
_PARAM_END: Final = "</param>"
_ENDS: Final = re.compile(f"{_PARAM_END}|{PARAMS_END}|{_PARAM.pattern}")
"""What a value ends at: its end tag, or the end of the call or another parameter, if it has no end tag."""
_AROUND: Final = ("<arguments>", "</arguments>")
"""Tags around all parameters, which the model sometimes writes."""
_NAME: Final = re.compile(r"""[^"'<>\n]+""")
_NEEDS_DATA: Final = re.compile("[<&\n]")
_MARKUP: Final = re.compile(f"{_PARAM_END}|{PARAMS_END}|{re.escape(DATA)}|<param name=")
"""What a value cannot contain outside a CDATA section."""
_CUT: Final = re.compile(r"(?:<[^<>\n]*)?\Z")
"""The rest of a text that breaks off between tags or inside a tag."""


class ParamCalls(NamedTuple):
    """The grammar of calls as tags with names in attributes.

    Attributes:
        between: the text between two calls.
    """

    between: str = "\n"

    @property
    def markup(self) -> Markup:
        """The syntax of the calls."""
        return "params"

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """Return the first call at or after an offset; its values are strings without types."""
        start = text.find(PARAMS, at)
        return None if start < 0 else _Reading(text, start).read()

    def write(self, calls: Sequence[Call]) -> str | None:
        """Return the text of neighbouring calls; None if tags cannot hold a name or a value."""
        written: list[str] = []
        for call in calls:
            text = _written(call)
            if text is None:
                return None
            written.append(text)
        return self.between.join(written)

    def plain(self, arguments: str) -> str | None:
        """Return arguments as tags if they certainly read as the same values, else None."""
        return _plain(arguments)

    def texts(self, arguments: str) -> dict[str, str] | None:
        """Return the text of each argument; None if it is not an object, or if tags cannot hold a name."""
        members = object_of(arguments)
        if members is None or not all(map(_NAME.fullmatch, members)):
            return None
        return {name: _value(span) for name, span in members.items()}


def _written(call: Call) -> str | None:
    """Return the text of a call; None if tags cannot hold it."""
    parameters = _plain(call.arguments)
    if parameters is None or _NAME.fullmatch(call.name) is None or not is_writable(call.name):
        return None
    return f'{PARAMS}"{call.name}">{parameters}{PARAMS_END}'


@lru_cache(maxsize=64)
def _plain(arguments: str) -> str | None:
    """Return the parameters of arguments; None if tags cannot hold them."""
    members = object_of(arguments)
    if members is None or as_json(arguments) != arguments or not all(map(_NAME.fullmatch, members)):
        return None
    written = {name: _tagged(span) for name, span in members.items()}
    text = "".join(f'<param name="{name}">{value}{_PARAM_END}' for name, value in written.items())
    return text if None not in written.values() and is_writable(text) else None


def _tagged(span: Span) -> str | None:
    """Return a value as it stands between its tags; None if they cannot hold it."""
    value = _value(span)
    if not isinstance(span.value, str):
        return None if _MARKUP.search(value) else value
    if _NEEDS_DATA.search(value) is None:
        return value
    return None if DATA_END in value else f"{DATA}{value}{DATA_END}"


def _value(span: Span) -> str:
    if isinstance(span.value, str):
        return span.value
    return as_python(span.raw) if isinstance(span.value, (dict, list)) else word(span.raw)


class _Reading:
    """The reading of one call.

    Args:
        text: the body.
        start: the offset of the call.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text: Final = text
        self.start: Final = start
        self.at: int = start
        self.name: str = ""
        self.values: dict[str, str] = {}
        self.mended: bool = False

    def read(self) -> Stretch:
        """Return the call."""
        function = _FUNCTION.match(self.text, self.start)
        if function is None:
            return self._unreadable(self.start + len(PARAMS))
        self.name, self.at = function["name"], function.end()
        while not self.text.startswith(PARAMS_END, place := after_space(self.text, self.at)):
            around = next((tag for tag in _AROUND if self.text.startswith(tag, place)), None)
            if around is not None:
                self.at, self.mended = place + len(around), True
                continue
            param = _PARAM.match(self.text, place)
            if param is None:
                return self._unreadable(place)
            self.at = param.end()
            value = self._value(param["name"])
            self.mended = self.mended or param["name"] in self.values
            if value is None:
                return self._cut_off(param["name"])
            self.values[param["name"]] = value
        return Stretch(self.start, place + len(PARAMS_END), (_call(self.name, self.values),), self.mended)

    def _value(self, name: str) -> str | None:
        """Take the value of a parameter at the position with its end tag; return None if it has no end."""
        start = after_space(self.text, self.at)
        if self.text.startswith(DATA, start):
            end = self.text.find(DATA_END, start)
            close = after_space(self.text, end + len(DATA_END))
            if end >= 0 and self.text.startswith(_PARAM_END, close):
                self.mended = self.mended or start > self.at
                value, self.at = self.text[start + len(DATA) : end], close + len(_PARAM_END)
                return value
        for tag in _ENDS.finditer(self.text, self.at):
            if tag["name"] is None or (tag["name"] != name and tag["name"] not in self.values):
                value = self.text[self.at : tag.start()]
                closed = tag[0] == _PARAM_END
                self.at, self.mended = tag.end() if closed else tag.start(), self.mended or not closed
                return value
        return None

    def _cut_off(self, name: str) -> Stretch:
        """Return the call whose value with this name has no end."""
        value = self.text[self.at :].removeprefix(DATA)
        call = _call(self.name, {**self.values, name: value})._replace(whole=False, last_is_open=True)
        return Stretch(self.start, len(self.text), (call,), flaw=Flaw.CUT_OFF)

    def _unreadable(self, place: int) -> Stretch:
        """Return a stretch without whole calls, up to its end tag, if the text at `place` cannot be read."""
        if _CUT.match(self.text, place):
            calls = (_call(self.name, self.values)._replace(whole=False),) if self.name else ()
            return Stretch(self.start, len(self.text), calls, flaw=Flaw.CUT_OFF)
        end = self.text.find(PARAMS_END, place)
        return Stretch(self.start, len(self.text) if end < 0 else end + len(PARAMS_END), (), flaw=Flaw.OPAQUE)


def _call(name: str, values: Mapping[str, str]) -> Call:
    members = ", ".join(f"{spaced(key)}: {spaced(value)}" for key, value in values.items())
    return Call(name, f"{{{members}}}", untyped=bool(values))
