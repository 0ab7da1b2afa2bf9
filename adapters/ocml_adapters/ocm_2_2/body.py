"""A frame's body (§3, §7): escaped tokens, literal blocks, thought markers; reading and writing of one grammar."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.model import Content, Part, Text, Thought
from ocml_bridge.text import thoughts
from ocml_bridge.turns import content_of, parts_of

from .syntax import END_LITERAL, LITERAL, TOKEN

_TRAILING: Final = re.compile(r"<+\Z")
_MARKERS: Final = re.compile(r"<*<\|start_(?:reflect|introspect|reason)\|>")


def is_escaped(token: str) -> bool:
    """Whether what `TOKEN` found is text: its first `<` is doubled."""
    return token.startswith("<<")


def decode(raw: str, *, marked: bool) -> Content:
    """The content that a body says.

    Args:
        raw: the body as it stands.
        marked: whether thought markers mean something here: in private reasoning only.
    """
    if "<|" not in raw:
        return raw
    pieces = TOKEN.split(raw)
    parts: list[Part] = []
    plain: list[str] = [pieces[0]]
    index = 1
    while index < len(pieces):
        token, after = pieces[index], pieces[index + 1]
        index += 2
        if token != LITERAL:
            plain += (token[1:] if is_escaped(token) else token, after)
            continue
        _flush(parts, plain, marked=marked)
        opaque = [after]
        while index < len(pieces) and not pieces[index].endswith(END_LITERAL):
            opaque += pieces[index : index + 2]
            index += 2
        if index < len(pieces):
            opaque.append(pieces[index].removesuffix(END_LITERAL))
            plain = [pieces[index + 1]]
            index += 2
        parts.append(Text("".join(opaque)))
    _flush(parts, plain, marked=marked)
    return content_of([part for part in parts if part != Text("")])


def _flush(parts: list[Part], plain: list[str], *, marked: bool) -> None:
    text = "".join(plain)
    plain.clear()
    parts += thoughts.split(text) if marked else [Text(text)]


def encode(content: Content, *, marked: bool) -> str:
    """The body that says a content of texts and thought markers; `decode` gives it back."""
    if isinstance(content, str):
        return _escape(content, marked=marked)
    out: list[str] = []
    for part in parts_of(content):
        if isinstance(part, Thought):
            out.append(thoughts.marker(part))
        elif isinstance(part, Text):
            out.append(_escape(part.text, marked=marked))
    return "".join(out)


def _escape(text: str, *, marked: bool) -> str:
    if "<" not in text:
        return text
    if "<|" in text:
        text = TOKEN.sub(r"<\1", text)
        if marked:
            text = _MARKERS.sub(_literal, text)
    # A `<` right before the token that ends the body would read as the escape of that token.
    return _TRAILING.sub(_literal, text) if text.endswith("<") else text


def _literal(found: re.Match[str]) -> str:
    return f"{LITERAL}{found[0]}{END_LITERAL}"
