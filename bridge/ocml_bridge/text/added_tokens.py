"""Added tokens: special tokens of a vocabulary that no format lists, and that content must not make all the same.

They may be any strings, and may overlap. A token is found whatever U+200B stand in it, and one more is put behind its
first character; our readers take one away again. No U+200B hides a token or makes one, so this is exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from ..formats.adapter import AddedTokens, FormatOption, Options
from .control import BREAK, ControlTokens


def beside(control: ControlTokens) -> Callable[[Options], AddedTokens]:
    """What gives the added tokens of a format: without its own, which its writer sees to."""
    return lambda options: AddedTokens(_beside(control, options.special_tokens))


def beside_with_edges(
    control: ControlTokens, begins: FormatOption[None], ends: FormatOption[None]
) -> Callable[[Options], AddedTokens]:
    """The same for a format whose texts begin and end with tokens that two options of its own name."""

    def added(options: Options) -> AddedTokens:
        bos, eos = begins.of(options) or "", ends.of(options) or ""
        # What is too short to be broken cannot be kept out of content.
        edges = tuple(token for token in (bos, eos) if len(token) > 1 and BREAK not in token)
        return AddedTokens(_beside(control, (*options.special_tokens, *edges)), bos, eos)

    return added


@lru_cache(maxsize=32)
def _beside(control: ControlTokens, tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token for token in dict.fromkeys(tokens) if control.plain.fullmatch(token) is None)


class Breaker:
    """Breaks tokens, and mends them.

    Args:
        tokens: their spellings: two characters or more each, and no U+200B in them.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        known = frozenset(tokens)
        heads: dict[str, set[str]] = {}
        for token in known:
            heads.setdefault(token[0], set()).add(token[1:])
        rests = [(re.escape(first), _rest(rests)) for first, rests in sorted(heads.items())]
        self._firsts: Final = tuple(heads)
        self._whole: Final = re.compile("|".join(f"{first}(?={rest})" for first, rest in rests))
        self._broken: Final = re.compile("|".join(f"{first}{BREAK}(?={rest})" for first, rest in rests))
        self._beginnings: Final = frozenset(token[:size] for token in known for size in range(1, len(token)))
        self._longest: Final = max(map(len, self._beginnings), default=0)

    def neutralise(self, text: str, end: int) -> str:
        """A text up to `end`, with each token that begins before that broken once more."""
        return self._edited(self._whole, BREAK, text, end)

    def restore(self, text: str, end: int) -> str:
        """A text up to `end` as it was before `neutralise`."""
        return self._edited(self._broken, "", text, end) if BREAK in text else text[:end]

    def _edited(self, pattern: re.Pattern[str], added: str, text: str, end: int) -> str:
        if not any(first in text for first in self._firsts):
            return text[:end]
        out: list[str] = []
        at = 0
        for found in pattern.finditer(text):
            if found.start() >= end:
                break
            out += text[at : found.start() + 1], added
            at = found.end()
        return "".join((*out, text[at:end]))

    def cut(self, text: str) -> int:
        """Where the end of a text begins that may be the beginning of a token: its length where none may."""
        places: list[int] = []
        for index in range(len(text) - 1, -1, -1):
            if len(places) == self._longest:
                break
            if text[index] != BREAK:
                places.append(index)
        places.reverse()
        tail = "".join(text[index] for index in places)
        return next((place for at, place in enumerate(places) if tail[at:] in self._beginnings), len(text))


def _rest(rests: set[str]) -> str:
    """A pattern for the rest of a token, whatever breaks stand in it; a shorter rest stands for all that begin so."""
    if "" in rests:
        return ""
    tails: dict[str, set[str]] = {}
    for rest in rests:
        tails.setdefault(rest[0], set()).add(rest[1:])
    branches = [re.escape(first) + _rest(following) for first, following in sorted(tails.items())]
    return f"{BREAK}*" + (branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})")


@lru_cache(maxsize=32)
def breaker(tokens: tuple[str, ...]) -> Breaker:
    """What breaks these tokens; they are compiled once."""
    return Breaker(tokens)


Edit = Callable[[Breaker, str, int], str]
"""`Breaker.neutralise` or `Breaker.restore`."""


class Passage:
    """Edits a text that comes in pieces, between what begins and what ends it.

    Args:
        added: the tokens.
        edit: what is done to it.

    Attributes:
        edited: whether anything was changed so far.
    """

    def __init__(self, added: AddedTokens, edit: Edit) -> None:
        self.edited = False
        self._breaker: Final = breaker(added.tokens)
        self._edit: Final = edit
        self._bos = added.bos
        self._eos: Final = added.eos
        self._waiting: list[str] = []

    def feed(self, text: str) -> str:
        """Take the next piece: what can be passed on."""
        self._waiting.append(text)
        if len(self._waiting) > 1 and not text.replace(BREAK, "").strip():
            return ""  # nothing is decided by it
        first, rest = self._split("".join(self._waiting))
        if self._bos and self._bos.startswith(rest.lstrip()):
            self._waiting = [rest]
            return ""
        self._bos = ""
        at = min(self._breaker.cut(rest), self._end(rest))
        self._waiting = [rest[at:]] if at < len(rest) else []
        return first + self._made(rest, at)

    def finish(self) -> str:
        """Nothing more comes: the rest."""
        first, rest = self._split("".join(self._waiting))
        at = self._end(rest)
        self._waiting = []
        return first + self._made(rest, at) + rest[at:]

    def _made(self, text: str, end: int) -> str:
        made = self._edit(self._breaker, text, end)
        self.edited = self.edited or len(made) != end
        return made

    def _split(self, text: str) -> tuple[str, str]:
        """The token that a text begins with, with the space before it, and the rest."""
        stripped = text.lstrip()
        if not self._bos or not stripped.startswith(self._bos):
            return "", text
        at = len(text) - len(stripped) + len(self._bos)
        self._bos = ""
        return text[:at], text[at:]

    def _end(self, text: str) -> int:
        """Where the token that a text ends with begins: the text's length where it ends with none."""
        stripped = text.rstrip()
        return len(stripped) - len(self._eos) if self._eos and stripped.endswith(self._eos) else len(text)
