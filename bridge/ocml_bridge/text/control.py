"""Break control tokens in content, for text formats that cannot escape them.

A writer inserts U+200B (zero width space) after the first character of each token, so that no tokenizer finds it. The
readers of this project remove one U+200B per token. A token in content that is already broken gets one U+200B more, so
that reading gives back what was written.
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
"""The characters that a token of any format begins or ends with."""
BREAK: Final = "\u200b"
NUMBER: Final = "[0-9]{1,7}"
"""The pattern that replaces `#` in a numbered token: up to seven digits, enough for any vocabulary."""


def stands_alone(text: str) -> bool:
    """Return whether a text cannot be part of a token in any surroundings, and has no white space at its ends."""
    return text != "" and text == text.strip() and _BRACKETS.search(text) is None


class ControlTokens:
    """The control tokens of one format, which content must not contain unbroken.

    Args:
        tokens: the tokens.
        numbered: patterns of tokens that contain a number, with `#` in its place.

    Attributes:
        tokens: the tokens.
        numbered: patterns of tokens that contain a number, with `#` in its place.
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

    # The patterns are compiled on first use: most conversions need none of them.

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Match a token that is not broken."""
        return re.compile("|".join(f"{first}(?:{rest})" for first, rest in self._heads))

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """Match the first character of a token, broken or not."""
        return re.compile("|".join(f"(?:{first}(?={BREAK}*(?:{rest})))" for first, rest in self._heads))

    @cached_property
    def _broken(self) -> re.Pattern[str]:
        """Match the first character of a broken token, and one U+200B after it."""
        return re.compile("|".join(f"(?:{first}{BREAK}(?={BREAK}*(?:{rest})))" for first, rest in self._heads))

    def restore(self, text: str) -> str:
        """Return content as it was before `guard` broke its tokens."""
        return self._broken.sub(lambda match: match[0][0], text) if BREAK in text else text

    def is_free(self, text: str) -> bool:
        """Return whether a text contains no token, broken or not, so that `guard` returns it unchanged."""
        for first in self._searches:  # a pattern that begins with a fixed character is searched for ten times as fast
            if first not in text:
                continue
            if self._search(first).search(text) is not None:
                return False
        return True

    def _search(self, first: str) -> re.Pattern[str]:
        """Return the pattern of the tokens that begin with a character, broken or not; compile it on first use."""
        search = self._searches[first]
        if search is None:
            search = self._searches[first] = re.compile(f"{re.escape(first)}{BREAK}*(?:{self._rests[first]})")
        return search

    def neutralise(self, text: str, keep: Collection[str] = ()) -> str:
        """Return content with every token broken, except the tokens in `keep`."""
        if self.is_free(text):
            return text
        if not keep:
            return self._any.sub(lambda match: match[0] + BREAK, text)

        def break_token(match: re.Match[str]) -> str:
            token = self.plain.match(text, match.start())
            return match[0] if token is not None and token[0] in keep else match[0] + BREAK

        return self._any.sub(break_token, text)

    def guard(self, text: str, policy: Policy, path: str, log: Log, keep: Collection[str] = ()) -> str:
        """Return content as the policy allows it in the output, and report a loss if it contains a token.

        Args:
            text: the content.
            policy: whether tokens are broken, written as they are, or refused.
            path: the JSON pointer of the content, for the report.
            log: receives the loss.
            keep: tokens that are not broken.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the policy is to refuse and the content contains a token.
        """
        safe = self.neutralise(text, keep)
        if safe == text:
            return text
        match = self.plain.search(text)
        token = match[0] if match else "a broken token"
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
