"""Control tokens inside content, for text formats that have no escape of their own.

A token in content is broken by U+200B (zero width space) behind its first character: it no longer is a token to
anyone, and our readers take one U+200B away again. Content that has such a break already gets one more, so that the
two never meet.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Policy
from ..loss import Log, LossCode, Severity

_BRACKETS: Final = re.compile(r"[<>\[\]|]")
"""What tokens begin and end with, in all formats."""
BREAK: Final = "\u200b"
NUMBER: Final = "[0-9]{1,7}"
"""What `#` stands for in the spelling of a numbered token: any number that a vocabulary has ids for."""


def stands_alone(text: str) -> bool:
    """Whether a text is no part of a token, whatever stands beside it, and has no blank at its edges."""
    return text != "" and text == text.strip() and _BRACKETS.search(text) is None


class ControlTokens:
    """The tokens of one format that content must not hold as they are.

    Args:
        tokens: their spellings.
        numbered: spellings with `#` for a number.

    Attributes:
        tokens: their spellings.
        numbered: spellings with `#` for a number.
    """

    def __init__(self, tokens: Iterable[str], numbered: Iterable[str] = ()) -> None:
        self.tokens: Final = tuple(tokens)
        self.numbered: Final = tuple(numbered)
        ends: dict[str, list[str]] = {}
        rests = [(token[0], re.escape(token[1:])) for token in sorted(self.tokens, reverse=True)]
        rests += [(token[0], re.escape(token[1:]).replace("\\#", NUMBER)) for token in self.numbered]
        for first, rest in rests:
            ends.setdefault(first, []).append(rest)
        self._rests: Final = {first: "|".join(rests) for first, rests in ends.items()}
        self._heads: Final = [(re.escape(first), rest) for first, rest in self._rests.items()]
        self._searches: Final[dict[str, re.Pattern[str] | None]] = dict.fromkeys(ends)

    # Compiled when they are needed: most conversions need none of them.

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """A token as it is."""
        return re.compile("|".join(f"{first}(?:{rest})" for first, rest in self._heads))

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """The first character of a token, whole or broken."""
        return re.compile("|".join(f"(?:{first}(?={BREAK}*(?:{rest})))" for first, rest in self._heads))

    @cached_property
    def _broken(self) -> re.Pattern[str]:
        """The first character of a broken token, and a break."""
        return re.compile("|".join(f"(?:{first}{BREAK}(?={BREAK}*(?:{rest})))" for first, rest in self._heads))

    def restore(self, text: str) -> str:
        """Content as it was before `guard` broke its tokens."""
        return self._broken.sub(lambda found: found[0][0], text) if BREAK in text else text

    def is_free(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken: `guard` leaves it as it is."""
        for first in self._searches:  # a pattern that begins with one character is searched for ten times as fast
            at = text.find(first)
            if at >= 0 and self._search(first).search(text, at) is not None:
                return False
        return True

    def _search(self, first: str) -> re.Pattern[str]:
        """What finds the tokens that begin with a character, whole or broken."""
        search = self._searches[first]
        if search is None:
            search = self._searches[first] = re.compile(f"{re.escape(first)}{BREAK}*(?:{self._rests[first]})")
        return search

    def neutralise(self, text: str, keep: Collection[str] = ()) -> str:
        """Content with every token broken, but for those of `keep`, which stand in it as plain text."""
        if self.is_free(text):
            return text
        if not keep:
            return self._any.sub(lambda found: found[0] + BREAK, text)

        def broken(found: re.Match[str]) -> str:
            token = self.plain.match(text, found.start())
            return found[0] if token is not None and token[0] in keep else found[0] + BREAK

        return self._any.sub(broken, text)

    def guard(self, text: str, policy: Policy, path: str, log: Log, keep: Collection[str] = ()) -> str:
        """Content as it may stand in the output, by the policy; what changed is reported at `path`.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN where the policy is to refuse.
        """
        safe = self.neutralise(text, keep)
        if safe == text:
            return text
        found = self.plain.search(text)
        token = found[0] if found else "a broken token"
        if policy == "refuse":
            raise BridgeError(
                ErrorCode.CONTROL_TOKEN,
                f"the content holds {token} as text, which this format cannot escape; "
                "use --control-tokens neutralise, or a format with an escape (ocm-2.2) or without tokens in text",
                path=path,
            )
        if policy == "raw":
            detail = f"{token} at {path} is written as it is and may be read as a token"
            log.lose(LossCode.CONTROL_TOKEN, "", detail, Severity.CHANGED)
            return text
        log.lose(LossCode.CONTROL_TOKEN, path, f"{token} in the content is broken up by U+200B", Severity.CHANGED)
        return safe
