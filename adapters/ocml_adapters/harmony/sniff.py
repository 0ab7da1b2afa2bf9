"""Whether a text is Harmony and not OpenChatML 2.2, whose frames look alike; whether JSON is its token ids."""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.model import Json

from .syntax import FIRST_SPECIAL, MESSAGE, START

_HEADER: Final = re.compile(r"---\s|(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:")
_ESCAPE: Final = re.compile(
    r"<<\|(?:start|channel|message|constrain)\|>|<<\|(?:end|call|return)\|>(?!\s*(?:<\|start\|>|\Z))"
)
_ATTRIBUTE: Final = re.compile(r"<\|start\|>[^<]* (?:call_id|name|intent|content_type)=")
_SAMPLED: Final = re.compile(r"\s*<\|(?:channel|message)\|>| ?to=\S+<\|channel\|>")
_AUTHOR: Final = re.compile(r"<\|start\|>functions\.[^\s<]+ to=assistant")
_TYPESCRIPT: Final = re.compile(r"# Tools\s+## \w+\s[^<]{0,4000}?\bnamespace \w+ \{")
_OPENING: Final = re.compile(r"\s*<\|start\|>")
_BODY: Final = re.compile(r"[^<]*(?:<(?!\|)[^<]*)*<\|(?:end|call|return)\|>")
"""Text in front of the first frame that ends a message: what a model went on with."""
_LINES: Final = re.compile(r"<\|(?:end|call|return)\|>\s+<\|start\|>")


def _is_other(text: str) -> bool:
    """Whether a text has what OpenChatML 2.2 has and Harmony has not: a document header, attributes, an escape."""
    return (
        _HEADER.match(text) is not None
        or "<|literal|>" in text
        or ("<<|" in text and _ESCAPE.search(text) is not None)
        or _ATTRIBUTE.search(text) is not None
    )


def _is_own(text: str) -> bool:
    """Whether it has what OpenChatML 2.2 has not: a sampled answer, a tool as the author, tools as TypeScript."""
    return (
        _SAMPLED.match(text) is not None
        or "# Valid channels: " in text
        or _AUTHOR.search(text) is not None
        or ("namespace " in text and _TYPESCRIPT.search(text) is not None)
    )


def sniff(source: Source) -> int:
    """How sure it is that a text is Harmony: OpenChatML 2.2 has the same tokens, and more in its headers.

    Frames on lines of their own are how OpenChatML 2.2 is written, and how Harmony is shown in documents.
    """
    if not isinstance(source, str) or "<|" not in source:
        return 0
    if _is_other(source):
        return 1 if START in source else 0
    if _is_own(source):
        return 3
    if _OPENING.match(source) is not None:
        return 2 if _LINES.search(source) is not None else 3
    if START in source and _BODY.match(source) is not None:
        return 2
    return 1 if START in source or MESSAGE in source else 0


def sniff_tokens(source: Source) -> int:
    """Certain of a list of integers with one of its special tokens: no other vocabulary has ids as high.

    The same of a list of such lists.
    """
    if is_list_of_lists(source):
        return min(map(sniff_tokens, source))
    if not isinstance(source, list) or not source:
        return 0
    items = cast("list[Json]", source)
    if not all(type(number) is int for number in items):
        return 0
    return 3 if max(cast("list[int]", items)) >= FIRST_SPECIAL else 1
