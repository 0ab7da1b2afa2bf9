"""Completion in Bash, which takes a colon for the end of a word: `harmony:o` arrives there as three words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class


@add_completion_class
class ColonComplete(BashComplete):
    """As click's, with ids and their dialects in one word."""

    name = "bash"
    _cut: str = ""
    """What of the word under way Bash takes for words before it."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The complete words, and the one under way."""
        args, incomplete = super().get_completion_args()
        *before, whole = joined([*args, incomplete])
        self._cut = whole[: whole.rfind(":") + 1]
        return before, whole

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """A completion, without what stands on the line already."""
        if item.type == "plain" and self._cut:
            item = CompletionItem(item.value.removeprefix(self._cut), item.type, item.help)
        return super().format_completion(item)


def joined(words: Iterable[str]) -> list[str]:
    """Words with the colons between them put back."""
    out: list[str] = []
    glue = False
    for word in words:
        if out and (glue or word == ":"):
            out[-1] += word
        else:
            out.append(word)
        glue = word == ":"
    return out
