"""Read the reasoning and calls that Open WebUI keeps in a text, as `<details>` elements."""

from __future__ import annotations

import re
from html import unescape
from typing import Final, NamedTuple

from ...errors import BridgeError
from ...json_values import jsontext
from ...model import Json
from ..pieces import Pieces

_OPENS: Final = re.compile(r"<details((?:\s+\w+=\"[^\"]*\")*)\s*>\n?<summary>[^<]*</summary>\n?")
_CLOSES: Final = "</details>"
_ATTRIBUTE: Final = re.compile(r"(\w+)=\"([^\"]*)\"")


class _Details(NamedTuple):
    """A `<details>` element of a text.

    Attributes:
        attributes: its attributes.
        text: its content.
        start: the offset of its start in the text.
        end: the offset of its end in the text.
    """

    attributes: dict[str, str]
    text: str
    start: int
    end: int


def read_details(content: str, pieces: Pieces, place: str = "") -> bool:
    """Read the reasoning and calls in the `<details>` elements of a text, and the text between them.

    Args:
        content: the text.
        pieces: receives them.
        place: the JSON pointer to the text, for findings.

    Returns:
        Whether the text was read; it is not if it has no `<details>` elements, or others than these.
    """
    blocks = _elements(content)
    if not blocks or not all(map(_is_known, blocks)):
        return False
    at = 0
    for each in blocks:
        pieces.say(content[at : each.start].strip("\n"))
        at = each.end
        attributes = each.attributes
        if attributes["type"] == "reasoning":
            lines = unescape(each.text).strip("\n").split("\n")
            pieces.think("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))
            continue
        pieces.call(attributes["name"], _value(attributes.get("arguments", "{}")), attributes.get("id"))
        if "result" in attributes:
            pieces.result(_value(attributes["result"]), attributes.get("id"), place=place)
    pieces.say(content[at:].lstrip("\n"))
    return True


def _is_known(block: _Details) -> bool:
    kind = block.attributes.get("type")
    return kind == "reasoning" or (kind == "tool_calls" and "name" in block.attributes)


def _elements(content: str) -> list[_Details]:
    """Return the `<details>` elements of a text; none if one of them has no end."""
    out: list[_Details] = []
    opens = _OPENS.search(content)
    while opens is not None:
        end = content.find(_CLOSES, opens.end())
        if end < 0:
            return []
        attributes = {key: unescape(value) for key, value in _ATTRIBUTE.findall(opens[1])}
        out.append(_Details(attributes, content[opens.end() : end], opens.start(), end + len(_CLOSES)))
        opens = _OPENS.search(content, end + len(_CLOSES))
    return out


def _value(text: str) -> Json:
    """Return the value of a JSON text, which may be a text of JSON itself; any other text unchanged."""
    try:
        return jsontext.loads(text)
    except BridgeError:
        return text
