"""What Gemma 4 writes in a turn: thoughts, calls, what these gave, and declared tools, with values in its own notation.

`call:weather{city:<|"|>Rome<|"|>,days:2}`: keys stand bare or in quotes, texts in quotes that are a token (llama.cpp,
`google-gemma-4-31B-it.jinja`).
"""

from __future__ import annotations

import re
from typing import Final, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.jsontext import MAX_DEPTH
from ..model import Json
from .fitting import as_list, as_object
from .layout import Object, misshapen
from .pieces import Pieces

_QUOTE: Final = '<|"|>'
_KEY: Final = re.compile(r'[\s,]*(?:<\|"\|>(.*?)<\|"\|>|([^\s,:{}\[\]<]+))\s*:\s*', re.DOTALL)
_WORD: Final = re.compile(r"[^\s,:{}\[\]<]+")
_SPACE: Final = re.compile(r"[\s,]*")
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None, "None": None}


def value_at(text: str, at: int, depth: int = 0) -> tuple[Json, int] | None:
    """The value at a place, and the place behind it; None where there is none."""
    if depth > MAX_DEPTH:
        return None
    if text.startswith(_QUOTE, at):
        end = text.find(_QUOTE, at + len(_QUOTE))
        return None if end < 0 else (text[at + len(_QUOTE) : end], end + len(_QUOTE))
    if text.startswith("{", at):
        return _object_at(text, at + 1, depth)
    if text.startswith("[", at):
        return _list_at(text, at + 1, depth)
    word = _WORD.match(text, at)
    return None if word is None else _worded(word)


def _worded(word: re.Match[str]) -> tuple[Json, int] | None:
    """A value that is a word: a number, or one of a few."""
    if word[0] in _WORDS:
        return _WORDS[word[0]], word.end()
    try:
        value = jsontext.loads(word[0])
    except BridgeError:
        return None
    return value, word.end()


def _object_at(text: str, at: int, depth: int) -> tuple[Json, int] | None:
    members: Object = {}
    while not text.startswith("}", at := _behind_space(text, at)):
        key = _KEY.match(text, at)
        found = None if key is None else value_at(text, key.end(), depth + 1)
        if key is None or found is None:
            return None
        members[key[1] if key[2] is None else key[2]], at = found
    return members, at + 1


def _list_at(text: str, at: int, depth: int) -> tuple[Json, int] | None:
    items: list[Json] = []
    while not text.startswith("]", at := _behind_space(text, at)):
        found = value_at(text, at, depth + 1)
        if found is None:
            return None
        items.append(found[0])
        at = found[1]
    return items, at + 1


def _behind_space(text: str, at: int) -> int:
    """Behind white space and commas, of which the template writes one too many in front of some members."""
    return cast("re.Match[str]", _SPACE.match(text, at)).end()


# --- turns ------------------------------------------------------------------------------------------------------------

_NAMED: Final = re.compile(r"(?:call|response|declaration):([^{\s]+)\s*(?=\{)")
_PIECE: Final = re.compile(
    r"<\|channel>thought\n([^<]*+(?:<(?!\|?channel\|?>)[^<]*+)*+)<channel\|>"
    r"|<\|(tool_call|tool_response)>((?:call|response):[^<]*+(?:<(?!\|?tool_(?:call|response)\|?>)[^<]*+)*+)<\2\|>"
)
_TOKEN: Final = re.compile(r"<\|?(?:channel|tool|tool_call|tool_response)\|?>")
"""A token that stands where the template writes none."""
_STOP: Final = re.compile(r"\s*<\|tool_response>\Z")
"""Where a model stops for the results of its calls."""


def called(text: str, _after: str) -> list[Object] | None:
    """The messages of a turn of the model that thinks or calls; None for one that says a text.

    Raises:
        BridgeError: OCB-SHAPE where its tokens are not those of the template.
    """
    text = _STOP.sub("", text)
    if _TOKEN.search(text) is None:
        return None
    pieces = Pieces("assistant")
    at = 0
    for found in _PIECE.finditer(text):
        _say(pieces, text[at : found.start()])
        if found[2] is None:
            pieces.think(found[1].strip())
        else:
            name, value = _named(found[3])
            if found[2] == "tool_call":
                pieces.call(name, value)
            else:
                alone = isinstance(value, dict) and value.keys() == {"value"}
                pieces.result(cast("Object", value)["value"] if alone else value, name=name)
        at = found.end()
    _say(pieces, text[at:])
    return pieces.messages()


def _say(pieces: Pieces, text: str) -> None:
    if _TOKEN.search(text) is not None:
        raise misshapen("/text", "thoughts, calls and results between the tokens of Gemma 4")
    if text.strip():
        pieces.say(text.strip())


def _named(text: str) -> tuple[str, Json]:
    """The name and the value of a call, a result or a declaration.

    Raises:
        BridgeError: OCB-SHAPE for any other text.
    """
    name = _NAMED.match(text)
    found = None if name is None else value_at(text, name.end())
    if name is None or found is None or text[found[1] :].strip():
        inner = None if name is None else _json_in(text[name.end() :])
        if name is None or inner is None:
            raise misshapen("/text", "a name with values in the notation of Gemma 4")
        return name[1], inner
    return name[1], found[0]


def _json_in(text: str) -> Json:
    """Arguments that were given to the template as JSON text, which it writes in braces; None for any other text."""
    try:
        return as_object(jsontext.loads(text.strip()[1:-1]))
    except BridgeError:
        return None


_TOOL: Final = re.compile(r"<\|tool>(declaration:[^<]*+(?:<(?!\|?tool\|?>)[^<]*+)*+)<tool\|>")


def declared(text: str) -> tuple[str, list[Json]]:
    """What the system says without the tools that it declares, and these.

    Raises:
        BridgeError: OCB-SHAPE for what is no tool.
    """
    tools: list[Json] = []
    for found in _TOOL.finditer(text):
        name, value = _named(found[1])
        tools.append({"type": "function", "function": {"name": name, **_schema(as_object(value) or {})}})
    return _TOOL.sub("", text).strip(), tools


def _schema(value: Object) -> Object:
    """A tool or a schema whose types are those of JSON Schema, in small letters."""
    out: Object = {}
    for key, each in value.items():
        if key == "type":
            kinds = as_list(each)
            out[key] = str(each).lower() if kinds is None else [str(kind).lower() for kind in kinds]
        elif key == "properties":
            out[key] = {name: _schema(as_object(inner) or {}) for name, inner in (as_object(each) or {}).items()}
        elif key in ("parameters", "response", "items"):
            out[key] = _schema(as_object(each) or {})
        else:
            out[key] = each
    return out
