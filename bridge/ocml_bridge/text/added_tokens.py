"""Break added tokens in content: special tokens of a model's vocabulary that no format lists.

They may be any strings, and may overlap. As in `text.control`, a writer inserts U+200B after the first character of a
token, and a reader removes one. A token is found with any number of U+200B between its characters, so that reading
always gives back what was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from ..formats.adapter import AddedTokens, FormatOption, Options
from .control import BREAK, ControlTokens


def other_tokens(control: ControlTokens) -> Callable[[Options], AddedTokens]:
    """Return the function that gives a format's added tokens: those of the options, without its own control tokens.

    Args:
        control: the control tokens of the format, which its writer breaks itself.
    """
    return lambda options: AddedTokens(_without_own(control, options.special_tokens))


def other_tokens_with_edges(
    control: ControlTokens, begins: FormatOption[None], ends: FormatOption[None]
) -> Callable[[Options], AddedTokens]:
    """Return the same function for a format with options that name the tokens at both ends of a text.

    Args:
        control: the control tokens of the format, which its writer breaks itself.
        begins: the option with the token at the beginning.
        ends: the option with the token at the end.
    """

    def added(options: Options) -> AddedTokens:
        bos, eos = begins.of(options) or "", ends.of(options) or ""
        # A token of one character cannot be broken.
        edges = tuple(token for token in (bos, eos) if len(token) > 1 and BREAK not in token)
        return AddedTokens(_without_own(control, (*options.special_tokens, *edges)), bos, eos)

    return added


@lru_cache(maxsize=32)
def _without_own(control: ControlTokens, tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token for token in dict.fromkeys(tokens) if control.plain.fullmatch(token) is None)


class Breaker:
    """Break tokens in a text, and restore broken ones.

    Args:
        tokens: the tokens, each of two characters or more, and without U+200B.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        distinct = frozenset(tokens)
        rests_by_first: dict[str, set[str]] = {}
        for token in distinct:
            rests_by_first.setdefault(token[0], set()).add(token[1:])
        patterns = [(re.escape(first), _rest(patterns)) for first, patterns in sorted(rests_by_first.items())]
        self._firsts: Final = tuple(rests_by_first)
        self._whole: Final = re.compile("|".join(f"{first}(?={rest})" for first, rest in patterns))
        self._broken: Final = re.compile("|".join(f"{first}{BREAK}(?={rest})" for first, rest in patterns))
        self._beginnings: Final = frozenset(token[:size] for token in distinct for size in range(1, len(token)))
        self._longest: Final = max(map(len, self._beginnings), default=0)

    def neutralise(self, text: str, end: int) -> str:
        """Return the text before `end`, with one U+200B inserted into each token that begins there."""
        return self._edited(self._whole, BREAK, text, end)

    def restore(self, text: str, end: int) -> str:
        """Return the text before `end` as it was before `neutralise`."""
        return self._edited(self._broken, "", text, end) if BREAK in text else text[:end]

    def _edited(self, pattern: re.Pattern[str], added: str, text: str, end: int) -> str:
        if not any(first in text for first in self._firsts):
            return text[:end]
        out: list[str] = []
        copied = 0
        for match in pattern.finditer(text):
            if match.start() >= end:
                break
            out += text[copied : match.start() + 1], added
            copied = match.end()
        return "".join((*out, text[copied:end]))

    def cut(self, text: str) -> int:
        """Return the index from which the rest of a text may be the beginning of a token: the text's length if none."""
        indexes: list[int] = []
        for index in range(len(text) - 1, -1, -1):
            if len(indexes) == self._longest:
                break
            if text[index] != BREAK:
                indexes.append(index)
        indexes.reverse()
        tail = "".join(text[index] for index in indexes)
        return next((index for at, index in enumerate(indexes) if tail[at:] in self._beginnings), len(text))


def _rest(rests: set[str]) -> str:
    """Return a pattern that matches any of the rests of tokens, with any number of breaks between the characters.

    A rest that is a prefix of others matches in their place.
    """
    if "" in rests:
        return ""
    tails: dict[str, set[str]] = {}
    for rest in rests:
        tails.setdefault(rest[0], set()).add(rest[1:])
    branches = [re.escape(first) + _rest(following) for first, following in sorted(tails.items())]
    return f"{BREAK}*" + (branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})")


@lru_cache(maxsize=32)
def breaker(tokens: tuple[str, ...]) -> Breaker:
    """Return the `Breaker` of these tokens from a cache."""
    return Breaker(tokens)


Edit = Callable[[Breaker, str, int], str]
"""`Breaker.neutralise` or `Breaker.restore`."""


class Passage:
    """Edit a text that arrives in pieces, except the tokens at its beginning and its end.

    Args:
        added: the added tokens, and the tokens at the beginning and the end.
        edit: the edit of the text between them.

    Attributes:
        edited: whether the edit has changed anything so far.
    """

    def __init__(self, added: AddedTokens, edit: Edit) -> None:
        self.edited = False
        self._breaker: Final = breaker(added.tokens)
        self._edit: Final = edit
        self._bos = added.bos
        self._eos: Final = added.eos
        self._waiting: list[str] = []

    def feed(self, text: str) -> str:
        """Take the next piece; return the edited text that no later piece can change."""
        self._waiting.append(text)
        if len(self._waiting) > 1 and not text.replace(BREAK, "").strip():
            return ""  # white space and breaks alone decide nothing
        prefix, rest = self._split("".join(self._waiting))
        if self._bos and self._bos.startswith(rest.lstrip()):
            self._waiting = [rest]
            return ""
        self._bos = ""
        at = min(self._breaker.cut(rest), self._end(rest))
        self._waiting = [rest[at:]] if at < len(rest) else []
        return prefix + self._apply_edit(rest, at)

    def finish(self) -> str:
        """End the text; return the edited rest."""
        prefix, rest = self._split("".join(self._waiting))
        at = self._end(rest)
        self._waiting = []
        return prefix + self._apply_edit(rest, at) + rest[at:]

    def _apply_edit(self, text: str, end: int) -> str:
        edited = self._edit(self._breaker, text, end)
        self.edited = self.edited or len(edited) != end
        return edited

    def _split(self, text: str) -> tuple[str, str]:
        """Split off the token at the beginning of a text, with the white space before it; "" if there is none."""
        stripped = text.lstrip()
        if not self._bos or not stripped.startswith(self._bos):
            return "", text
        at = len(text) - len(stripped) + len(self._bos)
        self._bos = ""
        return text[:at], text[at:]

    def _end(self, text: str) -> int:
        """Return the index of the token at the end of a text: the text's length if there is none."""
        stripped = text.rstrip()
        return len(stripped) - len(self._eos) if self._eos and stripped.endswith(self._eos) else len(text)
