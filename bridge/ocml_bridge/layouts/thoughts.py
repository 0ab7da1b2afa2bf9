"""Separate reasoning in tags from the answer after it, if a plan names the tags; otherwise it is text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from ..model import Json
from .fitting import THOUGHTS, as_list, members_of, without_members
from .layout import Object, Wording

REASONING: Final = "reasoning"
_SOLUTION: Final = {
    "begin_of_thought": ("<|begin_of_solution|>", "<|end_of_solution|>"),
    **dict.fromkeys(("thought", "thinking"), ("<output>", "</output>")),
}
"""The tags around an answer after reasoning in some tags (OpenThoughts; OpenO1)."""
_WORDS: Final = ("think", "thinking", "reasoning", "thought")
_TOKENS: Final = {"begin_of_thought": "end_of_thought", "thought_start": "thought_end"}
"""Names of tokens before reasoning → of those after it."""
TAGS: Final = (*_WORDS, *_TOKENS)
"""The known tags of reasoning; the last ones mean `<|begin_of_thought|>` and `<|thought_start|>`."""


def _one_of(words: Iterable[str]) -> str:
    return f"({'|'.join(words)})"


_OPENS: Final = re.compile(rf"\s*<(?:{_one_of(_WORDS)}>|\|{_one_of(_TOKENS)}\|>)", re.IGNORECASE)
_CLOSES: Final = re.compile(rf"(?:\A|\n)<(?:/{_one_of(_WORDS)}>|\|{_one_of(_TOKENS.values())}\|>)[ \t]*(?:\n|\Z)")
_CLOSED_BY: Final = {closes: opens for opens, closes in _TOKENS.items()}


@lru_cache(maxsize=64)
def _pattern(tag: str) -> re.Pattern[str]:
    opens, closes = fences(tag)
    return re.compile(rf"\s*{re.escape(opens)}(.*?){re.escape(closes)}\s*", re.DOTALL | re.IGNORECASE)


def fences(tag: str) -> tuple[str, str]:
    """Return the opening and the closing tag of reasoning."""
    return (f"<|{tag}|>", f"<|{_TOKENS[tag]}|>") if tag in _TOKENS else (f"<{tag}>", f"</{tag}>")


def tag_of(text: str) -> str | None:
    """Return the tag of the reasoning before an answer; None if there is none."""
    tag = opened_by(text)
    if tag is not None and (fences(tag)[1] in text or fences(tag)[1] in text.lower()):
        return tag
    found = _closing(text)
    return None if found is None else found[1] or _CLOSED_BY[found[2]]


def opened_by(text: str) -> str | None:
    """Return the tag of reasoning that a text begins with, whether or not it has an end; None if there is none."""
    found = _OPENS.match(text) if "<" in text else None
    return None if found is None else (found[1] or found[2]).lower()


def _closing(text: str, tags: Sequence[str] = TAGS) -> re.Match[str] | None:
    """Return the closing tag, in a line of its own, of reasoning whose opening tag is the end of the prompt."""
    if "</" not in text and not any(token in text for token in _TOKENS.values()):
        return None
    left = set(tags)  # without those that were opened before: later closing tags end these
    for found in _CLOSES.finditer(text):
        tag = found[1] or _CLOSED_BY[found[2]]
        if tag in left and text.find(fences(tag)[0], 0, found.start()) < 0:
            return found
        left.discard(tag)
    return None


def split(message: Object, wording: Wording) -> Object:
    """Return a message with the reasoning before its text as a member of its own."""
    text = text_of(message, "content")
    if text is None or message.get("role") != "assistant" or any(message.get(key) for key in THOUGHTS):
        return message
    for tag in wording.thoughts:
        found = _pattern(tag).match(text)
        if found is not None:
            parts = found[1], text[found.end() :]
        elif (end := _closing(text, (tag,))) is not None:
            parts = text[: end.start()], text[end.end() :].lstrip()
        else:
            continue
        thought, answer = parts
        return with_text(
            {"role": "assistant", REASONING: thought.strip("\n"), **without_members(message, REASONING)},
            "content",
            _answer(tag, answer),
        )
    return message


def text_of(message: Object, key: str) -> str | None:
    """Return the text that is the content of a message, or its first part; None if there is none."""
    content = message.get(key)
    if isinstance(content, str):
        return content
    text = members_of((as_list(content) or [None])[0]).get("text")
    return text if isinstance(text, str) else None


def with_text(message: Object, key: str, text: str) -> Object:
    """Return a message with another text in the place of that which `text_of` returns."""
    content = as_list(message[key])
    if content is None:
        return {**message, key: text}
    first: list[Json] = [{**members_of(content[0]), "text": text}] if text or len(content) == 1 else []
    return {**message, key: [*first, *content[1:]]}


def _answer(tag: str, text: str) -> str:
    opens, closes = _SOLUTION.get(tag, ("", ""))
    ends = text[: len(opens)].lower(), text.rstrip()[-len(closes) :].lower()
    if opens and ends == (opens, closes):
        return text.rstrip()[len(opens) : -len(closes)].strip("\n")
    return text


def joined(message: Object, wording: Wording) -> Object:
    """Return a message with its reasoning in tags before its text, if the wording has tags."""
    name = next((each for each in THOUGHTS if isinstance(message.get(each), str)), REASONING)
    thought, text = message.get(name), message.get("content")
    if not wording.thoughts or not isinstance(thought, str) or not isinstance(text, str):
        return message
    opens, closes = fences(wording.thoughts[0])
    more = {key: each for key, each in message.items() if key not in (name, "content")}
    return {**more, "content": f"{opens}\n{thought}\n{closes}\n\n{text}"}
