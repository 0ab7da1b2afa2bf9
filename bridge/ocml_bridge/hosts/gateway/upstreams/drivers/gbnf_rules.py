"""Make grammars in llama.cpp's notation (GBNF), which xgrammar reads, too, with texts that exclude other texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

NOTHING: Final = '""'
TOKEN: Final = "<|"
"""The beginning of control tokens. No text of a grammar holds it, so that a model cannot leave its frame in a text."""


class Rules:
    """The rules of a grammar, named when they are made.

    Attributes:
        made: the bodies of the rules, by name.
    """

    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def name(self) -> str:
        """Return a name for a rule whose body is not known yet."""
        name = f"r{len(self.made)}"
        self.made[name] = ""
        return name

    def add(self, body: str) -> str:
        """Add a rule, unless there is one with this body, and return its name."""
        if body not in self._names:
            self._names[body] = name = self.name()
            self.made[name] = body
        return self._names[body]

    def either(self, rules: Iterable[str]) -> str:
        """Return the rule for one of several."""
        return self.add(" | ".join(dict.fromkeys(rules)))

    def text(self, *forbidden: str) -> str:
        """Return the rule for any text that contains none of some other texts, none of which is ""."""
        least = [each for each in sorted(set(forbidden)) if not any(other in each for other in {*forbidden} - {each})]
        key = repr(least)
        if key not in self._names:
            self._names[key] = self._automaton(least)
        return self._names[key]

    def _automaton(self, forbidden: Sequence[str]) -> str:
        """Return a rule for each beginning of an excluded text that may be the end of the text so far."""
        states = {text[:size] for text in forbidden for size in range(len(text))}
        names = {state: self.name() for state in sorted(states, key=lambda state: (len(state), state))}
        letters = sorted({letter for text in forbidden for letter in text})
        for state, name in names.items():
            following = {letter: _state(state + letter, states, forbidden) for letter in letters}
            # Most letters begin no excluded text.
            special = [letter for letter in letters if following[letter] != ""]
            ways = [f"{characters(special, negated=True)} {names['']}"]
            ways += [f"{characters(letter)} {names[after]}" for letter in special if (after := following[letter])]
            self.made[name] = " | ".join([NOTHING, *ways])
        return names[""]


def _state(text: str, states: set[str], forbidden: Sequence[str]) -> str | None:
    """Return the longest end of a text that begins an excluded text; None if it ends with an excluded text."""
    if text.endswith(tuple(forbidden)):
        return None
    return next(text[at:] for at in range(len(text) + 1) if text[at:] in states)


def literal(text: str) -> str:
    """Return the rule for a fixed text; "" for an empty text."""
    if not text:
        return ""
    escaped = re.sub(r'["\\]', r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'


def characters(letters: Iterable[str], *, negated: bool = False) -> str:
    """Return the rule for one of some characters, or for one that is none of them."""
    escaped = "".join(re.sub(r"[]^\\-]", r"\\\g<0>", each).replace("\n", "\\n") for each in letters)
    return f"[{'^' if negated else ''}{escaped}]"


def sequence(*parts: str) -> str:
    """Return successive rules as one."""
    return " ".join(filter(None, parts)) or NOTHING
