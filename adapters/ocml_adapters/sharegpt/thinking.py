"""What a turn of the assistant has beside its text: a thought in front of it, and what text must not look like.

A thought stands between `<think>` and `</think>` at the beginning of the value. JSON has no escape for tags in texts: a
text that would be read as a thought, or as two results, gets U+200B into its tag, and our reader takes one away again.
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
    """What stands around a thought.

    Attributes:
        opening: before it.
        closing: behind it, up to what follows it.
    """

    opening: str
    closing: str


BESIDE: Final = Fence("<think>\n", "\n</think>\n\n")
ALONE: Final = Fence("<think>\n", "\n</think>")
"""What we write around a thought with something behind it, and around one that is all there is."""


class Thought(NamedTuple):
    """What a value begins with.

    Attributes:
        text: what the thought says.
        fence: what stands around it.
        behind: what follows it.
    """

    text: str
    fence: Fence
    behind: str


def thought_in(value: str) -> Thought | None:
    """The thought that a value begins with; None where there is none."""
    found = _THOUGHT.match(value) if "<think>" in value else None
    return None if found is None else Thought(found[2], Fence(found[1], found[3]), value[found.end() :])


def fence_of(value: Any) -> Fence | None:
    """A fence from JSON; None for anything else."""
    if not isinstance(value, list) or len(cast("list[Any]", value)) != 2:
        return None
    opening, closing = cast("list[Any]", value)
    if not (isinstance(opening, str) and isinstance(closing, str)):
        return None
    spelled = re.fullmatch(_OPENING, opening) and re.fullmatch(_CLOSING, closing)
    return Fence(opening, closing) if spelled else None


class Tag:
    """A tag that a text must not hold at some places.

    Args:
        pattern: the tag behind its first character, and what follows it, where it would be misread.
        before: what stands before it there.
        first: whether it is misread at the beginning of a text alone.
    """

    def __init__(self, pattern: str, before: str = "", *, first: bool = False) -> None:
        start = r"(?P<start>\A\s*)" if first else f"(?P<start>{before})"
        self._whole: Final = re.compile(f"{start}<(?={_BREAK}*{pattern})")
        self._broken: Final = re.compile(f"{start}<{_BREAK}(?={_BREAK}*{pattern})")

    def broken(self, text: str) -> str:
        """A text in which the tag is none any more."""
        return self._whole.sub(rf"\g<start><{_BREAK}", text) if "<" in text else text

    def restored(self, text: str) -> str:
        """A text as it was before its tags were broken."""
        return self._broken.sub(r"\g<start><", text) if _BREAK in text else text


IN_ANSWERS: Final = Tag("think>(?s:.*?)</think>", first=True)
IN_THOUGHTS: Final = Tag("/think>")
IN_RESULTS: Final = Tag(re.escape(BETWEEN_RESULTS[2:]), r"(?<=\n)")
