"""What a grammar of llama.cpp (GBNF) allows, found in the plainest way: the ends that each rule can reach."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+(?:,\d*)?\}|[a-z][a-z0-9]*|[()|?*+])')


def allows(grammar: str, text: str) -> bool:
    """Whether a text, and not only its beginning, is what a grammar allows."""
    return len(text) in Judge(grammar, text).ends("root", 0)


class Judge:
    """One grammar and one text."""

    def __init__(self, grammar: str, text: str) -> None:
        self._rules = {name: _parsed(body) for name, body in (line.split(" ::= ", 1) for line in grammar.splitlines())}
        self._text = text
        self.ends = cache(self._ends)
        sys.setrecursionlimit(20_000)

    def _ends(self, name: str, start: int) -> frozenset[int]:
        return self._of(self._rules[name], start)

    def _of(self, node: Any, start: int) -> frozenset[int]:
        kind, *rest = node
        if kind == "rule":
            return self.ends(rest[0], start)
        if kind == "text":
            return frozenset({start + len(rest[0])} if self._text.startswith(rest[0], start) else ())
        if kind == "class":
            return frozenset({start + 1} if rest[0].match(self._text, start) else ())
        if kind == "either":
            return frozenset(end for each in rest[0] for end in self._of(each, start))
        if kind == "sequence":
            places = frozenset({start})
            for each in rest[0]:
                places = self._behind(each, places)
            return places
        return self._repeated(rest[0], rest[1], rest[2], start)

    def _behind(self, node: Any, places: Iterable[int]) -> frozenset[int]:
        return frozenset(end for place in places for end in self._of(node, place))

    def _repeated(self, node: Any, least: int, most: int | None, start: int) -> frozenset[int]:
        places, count = frozenset({start}), 0
        found = places if least == 0 else frozenset[int]()
        while places and (most is None or count < most):
            places = self._behind(node, places)
            count += 1
            if count >= least:
                places, found = places - found, found | places
        return found


def _parsed(body: str) -> Any:
    tokens: list[str] = []
    at = 0
    while at < len(body.rstrip()):
        found = TOKEN.match(body, at)
        assert found, f"this is no grammar: {body[at:]}"
        tokens.append(found[1])
        at = found.end()
    node, rest = _either(tokens)
    assert not rest, f"{rest} is left of {body}"
    return node


def _either(tokens: list[str]) -> tuple[Any, list[str]]:
    choices: list[Any] = []
    while True:
        items: list[Any] = []
        while tokens and tokens[0] not in "|)":
            node, tokens = _item(tokens)
            items.append(node)
        choices.append(("sequence", items))
        if not tokens or tokens[0] != "|":
            return ("either", choices), tokens
        tokens = tokens[1:]


def _item(tokens: list[str]) -> tuple[Any, list[str]]:
    token, tokens = tokens[0], tokens[1:]
    if token == "(":
        node, tokens = _either(tokens)
        assert tokens[0] == ")"
        tokens = tokens[1:]
    elif token[0] == '"':
        node = ("text", json.loads(token))
    elif token[0] == "[":
        node = ("class", re.compile(token))
    else:
        node = ("rule", token)
    times = {"?": (0, 1), "*": (0, None), "+": (1, None)}
    if tokens and tokens[0] in times:
        return ("times", node, *times[tokens[0]]), tokens[1:]
    if tokens and tokens[0][0] == "{":
        least, comma, most = tokens[0][1:-1].partition(",")
        return ("times", node, int(least), int(most) if most else None if comma else int(least)), tokens[1:]
    return node, tokens
