"""Read the contents of templates' tags: arguments of GLM, MiniMax and Qwen3-Coder, results of EXAONE and Nemotron."""

from __future__ import annotations

import re
from typing import Any, Final

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.jsontext import as_text
from ..model import Json
from .fitting import as_object, items_of, members_of
from .layout import Object
from .pieces import function_call

_NAME: Final = re.compile(r"\s*([\w.-]+)\s*")
_ARGUMENT: Final = re.compile(
    r"<arg_key>([^<]*+)</arg_key>\s*"
    r"<arg_value>([^<]*+(?:<(?!/?arg_value>)[^<]*+)*+)</arg_value>\s*"
)


def call_in_tags(text: str, tools: list[Json] | None) -> Object | None:
    """Return a call that is a name with its arguments in tags (GLM); None for any other text.

    A template writes texts unchanged, and other values as JSON. So a value is read as JSON, unless its tool declares a
    string.

    Args:
        text: the content of a call's tags.
        tools: the declared tools; None for none.
    """
    name = _NAME.match(text)
    if name is None:
        return None
    declared = _parameters(name[1], tools)
    at, arguments = name.end(), Object()
    while (found := _ARGUMENT.match(text, at)) is not None:
        key = found[1].strip()
        arguments[key] = _argument(found[2], members_of((declared or {}).get(key)))
        at = found.end()
    if at < len(text) or not (arguments or declared is not None):
        return None
    return function_call(name[1], arguments)


def calls_invoked(text: str, tools: list[Json] | None) -> list[Json] | None:
    """Return calls as tags, `<invoke name="f"><parameter name="k">v</parameter></invoke>` (MiniMax M2).

    A template writes values as for `call_in_tags`.

    Args:
        text: the calls, one after the other.
        tools: the declared tools; None for none.

    Returns:
        The calls; None for any other text.
    """
    found: list[Json] = []
    opened = _INVOKE.match(text)
    while opened is not None:
        name, at, arguments = opened[1], opened.end(), Object()
        declared = _parameters(name, tools) or {}
        while (one := _INVOKED_WITH.match(text, at)) is not None:
            if one[1] in arguments:
                return None
            arguments[one[1]] = _argument(one[2], members_of(declared.get(one[1])))
            at = one.end()
        end = _INVOKED.match(text, at)
        if end is None:
            return None
        found.append(function_call(name, arguments))
        if end.end() == len(text):
            return found
        opened = _INVOKE.match(text, end.end())
    return None


_INVOKE: Final = re.compile(r'\s*<invoke name="?([^<>"\n]+)"?>\s*')
_INVOKED: Final = re.compile(r"</invoke>\s*")
_INVOKED_WITH: Final = re.compile(
    r'<parameter name="?([^<>"\n]+)"?>([^<]*+(?:<(?!/parameter>\s*</?(?:parameter|invoke)\b)[^<]*+)*+)</parameter>\s*'
)


def call_of_function(text: str, tools: list[Json] | None) -> tuple[Object, list[str]] | None:
    """Return a call as tags, `<function=f><parameter=k>v</parameter></function>` (Qwen3-Coder, OpenHands).

    A value is text, without one line break at each end, and has the type that its tool declares. A value ends where
    another tag of the call follows its closing tag.

    Args:
        text: the function with its tags.
        tools: the declared tools; None for none.

    Returns:
        The call, and the names of the arguments that no tool declares, whose values are texts; None for any other text.
    """
    name = _FUNCTION.match(text)
    if name is None:
        return None
    declared = _parameters(name[1], tools) or {}
    at, arguments, undeclared = name.end(), Object(), list[str]()
    while (found := _PARAMETER.match(text, at)) is not None:
        if found[1] in arguments:
            return None
        schema = as_object(declared.get(found[1]))
        if schema is None:
            undeclared.append(found[1])
        value = found[2].removeprefix("\n").removesuffix("\n")
        arguments[found[1]] = value if schema is None else _argument(_WORDS.get(value, value), schema, value)
        at = found.end()
    if text[at:].strip() != "</function>":
        return None
    return function_call(name[1], arguments), undeclared


_FUNCTION: Final = re.compile(r"\s*<function=([^<>\n]+)>\s*")
_PARAMETER: Final = re.compile(
    r"<parameter=([^<>\n]+)>([^<]*+(?:<(?!/parameter>\s*<(?:parameter=|/function>))[^<]*+)*+)</parameter>\s*"
)
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
"""Words of Python, in which some templates write values → JSON."""


def _parameters(name: str, tools: list[Json] | None) -> Object | None:
    """Return the declared parameters of a tool; None if the tool is not declared."""
    for each in tools or ():
        function = members_of(members_of(each).get("function"))
        if function.get("name") == name:
            return members_of(members_of(function.get("parameters")).get("properties"))
    return None


def _argument(text: str, schema: Object, raw: str | None = None) -> Json:
    """Return the JSON value that a text is; the text, or `raw`, for any other text, and for a declared string."""
    raw = text if raw is None else raw
    kinds = schema.get("type")
    if kinds == "string" or "string" in items_of(kinds):
        return raw
    value = _parsed(text)
    return raw if value is None or isinstance(value[0], str) else value[0]


def _parsed(text: str) -> tuple[Json] | None:
    """Return a tuple of the value of a JSON text; None for any other text."""
    try:
        return (jsontext.loads(text),)
    except BridgeError:
        return None


def result_in(text: str) -> str:
    """Return the result of a call, which may be in an object with the member `result` (EXAONE)."""
    value: Any = (_parsed(text) or (None,))[0]
    if not isinstance(value, dict) or value.keys() != {"result"}:
        return text
    return value["result"] if isinstance(value["result"], str) else as_text(value["result"])


def items_in(text: str, count: int) -> list[str]:
    """Return the results in a list as they are spelled (Nemotron); the whole list as one if their number differs.

    Args:
        text: the list, with its brackets. Its items need not be JSON.
        count: the number of calls.
    """
    inner = text.strip().removeprefix("[").removesuffix("]")
    items: list[str] = []
    at = 0
    while count > 1 and (found := jsontext.value_at(inner, at)) is not None:
        items.append(inner[at : found[1]].strip())
        between = _BETWEEN.match(inner, found[1])
        if between is None:
            return items if len(items) == count and not inner[found[1] :].strip() else [inner]
        at = between.end()
    return [inner]


_BETWEEN: Final = re.compile(r"\s*,\s*")
