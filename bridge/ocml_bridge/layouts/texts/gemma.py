"""Read the turns of Gemma 4: reasoning, calls, results and declared tools, with values in its own notation.

`call:weather{city:<|"|>Rome<|"|>,days:2}`: keys are bare or quoted, texts are in quotes that are a token (llama.cpp,
`google-gemma-4-31B-it.jinja`).
"""

from __future__ import annotations

import re
from typing import Final, cast

from ...json_values.jsontext import MAX_DEPTH
from ...model import Json
from ..fitting import as_list, as_object, members_of
from ..layout import Object, misshapen, parsed_or_none
from ..pieces import Pieces

_QUOTE: Final = '<|"|>'
_KEY: Final = re.compile(r'[\s,]*(?:<\|"\|>(.*?)<\|"\|>|([^\s,:{}\[\]<]+))\s*:\s*', re.DOTALL)
_WORD: Final = re.compile(r"[^\s,:{}\[\]<]+")
_SPACE: Final = re.compile(r"[\s,]*")
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None, "None": None}


def value_at(text: str, at: int, depth: int = 0) -> tuple[Json, int] | None:
    """Return the value at an offset, and the offset after it; None if there is no value."""
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
    return None if word is None else _word_value(word)


def _word_value(word: re.Match[str]) -> tuple[Json, int] | None:
    """Return the value of a word, a number or a constant, and the offset after it; None for any other word."""
    if word[0] in _WORDS:
        return _WORDS[word[0]], word.end()
    value = parsed_or_none(word[0])
    return None if value is None else (value, word.end())


def _object_at(text: str, at: int, depth: int) -> tuple[Json, int] | None:
    members: Object = {}
    while not text.startswith("}", at := _skip_space(text, at)):
        key = _KEY.match(text, at)
        found = None if key is None else value_at(text, key.end(), depth + 1)
        if key is None or found is None:
            return None
        members[key[1] if key[2] is None else key[2]], at = found
    return members, at + 1


def _list_at(text: str, at: int, depth: int) -> tuple[Json, int] | None:
    items: list[Json] = []
    while not text.startswith("]", at := _skip_space(text, at)):
        found = value_at(text, at, depth + 1)
        if found is None:
            return None
        items.append(found[0])
        at = found[1]
    return items, at + 1


def _skip_space(text: str, at: int) -> int:
    """Return the offset after white space and commas; the template writes an extra comma before some members."""
    return cast("re.Match[str]", _SPACE.match(text, at)).end()


# --- turns ------------------------------------------------------------------------------------------------------------

_NAMED: Final = re.compile(r"(?:call|response|declaration):([^{\s]+)\s*(?=\{)")
_PIECE: Final = re.compile(
    r"<\|channel>thought\n([^<]*+(?:<(?!\|?channel\|?>)[^<]*+)*+)<channel\|>"
    r"|<\|(tool_call|tool_response)>((?:call|response):[^<]*+(?:<(?!\|?tool_(?:call|response)\|?>)[^<]*+)*+)<\2\|>"
)
_TOKEN: Final = re.compile(r"<\|?(?:channel|tool|tool_call|tool_response)\|?>")
"""A token at a place where the template writes none."""
_STOP: Final = re.compile(r"\s*<\|tool_response>\Z")
"""The token at which a model stops for the results of its calls."""


def called(text: str, _after: str) -> list[Object] | None:
    """Return the messages of a turn of the model with reasoning or calls; None for a turn that is a text.

    Raises:
        BridgeError: OCB-SHAPE if its tokens are not those of the template.
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
            name, value = _named_value(found[3])
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


def _named_value(text: str) -> tuple[str, Json]:
    """Return the name and the value of a call, a result or a declaration.

    Raises:
        BridgeError: OCB-SHAPE if the text is none of these.
    """
    name = _NAMED.match(text)
    found = None if name is None else value_at(text, name.end())
    if name is not None and found is not None and not text[found[1] :].strip():
        return name[1], found[0]
    # The template writes arguments that it was given as JSON text in braces.
    inner = None if name is None else as_object(parsed_or_none(text[name.end() :].strip()[1:-1]))
    if name is None or inner is None:
        raise misshapen("/text", "a name with values in the notation of Gemma 4")
    return name[1], inner


_TOOL: Final = re.compile(r"<\|tool>(declaration:[^<]*+(?:<(?!\|?tool\|?>)[^<]*+)*+)<tool\|>")


def declared(text: str) -> tuple[str, list[Json]]:
    """Return the text of the system without the tools that it declares, and the tools.

    Raises:
        BridgeError: OCB-SHAPE if a declaration is not a tool.
    """
    tools: list[Json] = []
    for found in _TOOL.finditer(text):
        name, value = _named_value(found[1])
        tools.append({"type": "function", "function": {"name": name, **_schema(members_of(value))}})
    return _TOOL.sub("", text).strip(), tools


def _schema(value: Object) -> Object:
    """Return a tool or a schema with the types of JSON Schema, which are in lower case."""
    out: Object = {}
    for key, each in value.items():
        if key == "type":
            kinds = as_list(each)
            out[key] = str(each).lower() if kinds is None else [str(kind).lower() for kind in kinds]
        elif key == "properties":
            out[key] = {name: _schema(members_of(inner)) for name, inner in members_of(each).items()}
        elif key in ("parameters", "response", "items"):
            out[key] = _schema(members_of(each))
        else:
            out[key] = each
    return out
