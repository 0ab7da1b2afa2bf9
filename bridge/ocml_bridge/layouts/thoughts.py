"""Separate reasoning in tags from the answer after it, if a plan names the tags; otherwise it is text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from .layout import Object, Wording

REASONING: Final = "reasoning"
_SOLUTION: Final = {"begin_of_thought": ("<|begin_of_solution|>", "<|end_of_solution|>")}
"""The tags around an answer after reasoning in the tag `begin_of_thought`."""
TAGS: Final = ("think", "thinking", "reasoning", "thought", "begin_of_thought")
"""The known tags of reasoning; the last one means `<|begin_of_thought|>`."""


@lru_cache(maxsize=64)
def _pattern(tag: str) -> re.Pattern[str]:
    opens, closes = fences(tag)
    return re.compile(rf"\s*{re.escape(opens)}(.*?){re.escape(closes)}\s*", re.DOTALL)


def fences(tag: str) -> tuple[str, str]:
    """Return the opening and the closing tag of reasoning."""
    return ("<|begin_of_thought|>", "<|end_of_thought|>") if tag == "begin_of_thought" else (f"<{tag}>", f"</{tag}>")


def tag_of(text: str) -> str | None:
    """Return the tag of the reasoning before an answer; None if there is none."""
    begins = text.lstrip()[:30]
    opened = (tag for tag in TAGS if begins.startswith(fences(tag)[0]) and fences(tag)[1] in text)
    return next(opened, None) or next((tag for tag in TAGS if _unopened(tag, text) is not None), None)


def _unopened(tag: str, text: str) -> tuple[str, str] | None:
    """Return the reasoning whose opening tag is at the end of the prompt, and what follows it; None if there is none.

    Its closing tag stands in a line of its own.
    """
    opens, closes = fences(tag)
    thought, between, answer = text.partition(f"\n{closes}\n")
    return (thought, answer.lstrip()) if between and opens not in thought else None


def split(message: Object, wording: Wording) -> Object:
    """Return a message with the reasoning before its text as a member of its own."""
    text = message.get("content")
    if message.get("role") != "assistant" or not isinstance(text, str) or REASONING in message:
        return message
    for tag in wording.thoughts:
        found = _pattern(tag).match(text)
        parts = (found[1], text[found.end() :]) if found is not None else _unopened(tag, text)
        if parts is not None:
            thought, answer = parts
            return {
                "role": "assistant",
                REASONING: thought.strip("\n"),
                **message,
                "content": _answer(tag, answer),
            }
    return message


def _answer(tag: str, text: str) -> str:
    opens, closes = _SOLUTION.get(tag, ("", ""))
    if opens and text.startswith(opens) and text.rstrip().endswith(closes):
        return text.rstrip()[len(opens) : -len(closes)].strip("\n")
    return text


def joined(message: Object, wording: Wording) -> Object:
    """Return a message with its reasoning in tags before its text, if the wording has tags."""
    thought, text = message.get(REASONING), message.get("content")
    if not wording.thoughts or not isinstance(thought, str) or not isinstance(text, str):
        return message
    opens, closes = fences(wording.thoughts[0])
    more = {key: each for key, each in message.items() if key not in (REASONING, "content")}
    return {**more, "content": f"{opens}\n{thought}\n{closes}\n\n{text}"}
