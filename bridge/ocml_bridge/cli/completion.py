"""Complete words in Bash, which splits words at colons: `harmony:o` arrives as three words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class


@add_completion_class
class ColonComplete(BashComplete):
    """Completes words like click's class, with formats and their dialects as one word."""

    name = "bash"
    _cut: str = ""
    """Return the beginning of the current word that Bash takes for earlier words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words, and the current one."""
        args, incomplete = super().get_completion_args()
        *before, whole = joined([*args, incomplete])
        self._cut = whole[: whole.rfind(":") + 1]
        return before, whole

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return a completion without the text that is on the command line already."""
        if item.type == "plain" and self._cut:
            item = CompletionItem(item.value.removeprefix(self._cut), item.type, item.help)
        return super().format_completion(item)


def joined(words: Iterable[str]) -> list[str]:
    """Return words with the colons between them put back."""
    out: list[str] = []
    glue = False
    for word in words:
        if out and (glue or word == ":"):
            out[-1] += word
        else:
            out.append(word)
        glue = word == ":"
    return out
