"""Read the thought at the beginning of a value, and break tags in texts that would be misread.

A thought is between `<think>` and `</think>`. JSON has no escape for tags in texts: in a text that would be read as a
thought or as two results, the writer inserts U+200B into the tag, which the reader removes.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, cast

from .syntax import BETWEEN_RESULTS

_BREAK: Final = "\u200b"
_OPENING: Final = r"\s*<think>\n?"
_CLOSING: Final = r"\n?</think>\n{0,2}"
_THOUGHT: Final = re.compile(f"({_OPENING})(.*?)({_CLOSING})", re.DOTALL)


class Fence(NamedTuple):
    """The text around a thought.

    Attributes:
        opening: the text before it.
        closing: the text after it.
    """

    opening: str
    closing: str


BEFORE_TEXT: Final = Fence("<think>\n", "\n</think>\n\n")
ALONE: Final = Fence("<think>\n", "\n</think>")
"""The text that is written around a thought before other text, and around one without."""


class Thought(NamedTuple):
    """The thought at the beginning of a value.

    Attributes:
        text: the text of the thought.
        fence: the text around it.
        rest: the text after it.
    """

    text: str
    fence: Fence
    rest: str


def thought_in(value: str) -> Thought | None:
    """Return the thought at the beginning of a value, or None."""
    match = _THOUGHT.match(value) if "<think>" in value else None
    return None if match is None else Thought(match[2], Fence(match[1], match[3]), value[match.end() :])


def fence_of(value: Any) -> Fence | None:
    """Return a fence from its JSON; None for any other value."""
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 2:
        return None
    opening, closing = cast("list[Any]", value)
    if not (isinstance(opening, str) and isinstance(closing, str)):
        return None
    is_fence = re.fullmatch(_OPENING, opening) and re.fullmatch(_CLOSING, closing)
    return Fence(opening, closing) if is_fence else None


class Tag:
    """A tag that must not be in certain places of a text.

    Args:
        pattern: the tag without its first character, and what follows it if it is misread.
        before: what comes before it if it is misread.
        first: whether it is misread at the beginning of a text only.
    """

    def __init__(self, pattern: str, before: str = "", *, first: bool = False) -> None:
        start = r"(?P<start>\A\s*)" if first else f"(?P<start>{before})"
        self._tag: Final = re.compile(f"{start}<(?={_BREAK}*{pattern})")
        self._broken_tag: Final = re.compile(f"{start}<{_BREAK}(?={_BREAK}*{pattern})")

    def broken(self, text: str) -> str:
        """Return a text in which all such tags are broken."""
        return self._tag.sub(rf"\g<start><{_BREAK}", text) if "<" in text else text

    def restored(self, text: str) -> str:
        """Return a text without the characters that break such tags."""
        return self._broken_tag.sub(r"\g<start><", text) if _BREAK in text else text


IN_ANSWERS: Final = Tag("think>(?s:.*?)</think>", first=True)
IN_THOUGHTS: Final = Tag("/think>")
IN_RESULTS: Final = Tag(re.escape(BETWEEN_RESULTS[2:]), r"(?<=\n)")
