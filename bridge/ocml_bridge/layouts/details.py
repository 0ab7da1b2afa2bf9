"""Thoughts and calls that a text shows folded, in `<details>`, as Open WebUI keeps them in what is said."""

from __future__ import annotations

import re
from html import unescape
from typing import Final, NamedTuple

from ..errors import BridgeError
from ..json_values import jsontext
from ..model import Json
from .pieces import Pieces

_OPENS: Final = re.compile(r"<details((?:\s+\w+=\"[^\"]*\")*)\s*>\n?<summary>[^<]*</summary>\n?")
_CLOSES: Final = "</details>"
_ATTRIBUTE: Final = re.compile(r"(\w+)=\"([^\"]*)\"")


class _Folded(NamedTuple):
    """A part of a text that is folded.

    Attributes:
        about: its attributes.
        text: what is in it.
        begins: where it begins in the text, and
        ends: where it ends.
    """

    about: dict[str, str]
    text: str
    begins: int
    ends: int


def read_details(content: str, pieces: Pieces) -> bool:
    """Read thoughts and calls that are shown folded in a text, with what is said between them.

    Returns:
        Whether there are any; a text in which anything else is folded is one text.
    """
    blocks = _folded(content)
    if not blocks or not all(map(_is_known, blocks)):
        return False
    at = 0
    for each in blocks:
        pieces.say(content[at : each.begins].strip("\n"))
        at = each.ends
        about = each.about
        if about["type"] == "reasoning":
            lines = unescape(each.text).strip("\n").split("\n")
            pieces.think("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))
            continue
        pieces.call(about["name"], _value(about.get("arguments", "{}")), about.get("id"))
        pieces.result(_value(about["result"]), about.get("id"))
    pieces.say(content[at:].lstrip("\n"))
    return True


def _is_known(block: _Folded) -> bool:
    kind = block.about.get("type")
    return kind == "reasoning" or (kind == "tool_calls" and {"name", "result"} <= block.about.keys())


def _folded(content: str) -> list[_Folded]:
    """The folded parts of a text; none where one of them does not end."""
    out: list[_Folded] = []
    opens = _OPENS.search(content)
    while opens is not None:
        end = content.find(_CLOSES, opens.end())
        if end < 0:
            return []
        about = {key: unescape(value) for key, value in _ATTRIBUTE.findall(opens[1])}
        out.append(_Folded(about, content[opens.end() : end], opens.start(), end + len(_CLOSES)))
        opens = _OPENS.search(content, end + len(_CLOSES))
    return out


def _value(text: str) -> Json:
    """What JSON text says, which may be a text of JSON itself; any other text."""
    try:
        return jsontext.loads(text)
    except BridgeError:
        return text
