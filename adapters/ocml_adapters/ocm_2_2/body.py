"""Decode and encode the body of a frame (§3, §7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, cast

from ocml_bridge.chat.turns import content_of, parts_of
from ocml_bridge.model import Content, Part, Text, Thought
from ocml_bridge.text import thoughts

from .syntax import END_LITERAL, LITERAL, TOKEN

_TRAILING: Final = re.compile(r"(?<!<)<+\Z")

_MARKERS: Final = re.compile(r"(?<!<)<+\|start_(?:reflect|introspect|reason)\|>")


class BodyReader:
    """A reader of a body that arrives in pieces.

    Args:
        marked: whether thought markers have a meaning: in private reasoning only.
    """

    def __init__(self, *, marked: bool) -> None:
        self._marked = marked
        self._opaque = False

    def feed(self, pieces: Iterable[str]) -> Iterator[str | Thought]:
        """Take the next pieces of a body, each a token or a text without one; yield texts and thought markers."""
        for piece in pieces:
            token = piece[:1] == "<" and TOKEN.fullmatch(piece) is not None
            if self._opaque:
                self._opaque = not (token and piece.endswith(END_LITERAL))
                yield piece if self._opaque else piece.removesuffix(END_LITERAL)
            elif token:
                self._opaque = piece == LITERAL
                yield "" if self._opaque else piece[piece.startswith("<<") :]
            elif self._marked:
                for part in thoughts.split(piece):
                    yield part if isinstance(part, Thought) else cast("Text", part).text
            else:
                yield piece


def decode(raw: str, *, marked: bool) -> Content:
    """Return the content of a body.

    Args:
        raw: the text of the body.
        marked: whether thought markers have a meaning: in private reasoning only.
    """
    if "<|" not in raw:
        return raw
    parts: list[Part] = []
    pieces = BodyReader(marked=marked).feed(TOKEN.split(raw))
    for is_text, run in groupby(pieces, key=lambda piece: isinstance(piece, str)):
        if not is_text:
            parts += cast("Iterator[Thought]", run)
        elif text := "".join(cast("Iterator[str]", run)):
            parts.append(Text(text))
    return content_of(parts)


def encode(content: Content, *, marked: bool) -> str:
    """Return the body for a content of texts and thought markers; `decode` reads it back."""
    if isinstance(content, str):
        return escape(content, marked=marked)
    out: list[str] = []
    for part in parts_of(content):
        if isinstance(part, Thought):
            out.append(thoughts.marker(part))
        elif isinstance(part, Text):
            out.append(escape(part.text, marked=marked))
    return "".join(out)


def escape(text: str, *, marked: bool) -> str:
    """Escape text for a body, before any token; `decode` reads it back."""
    if "<" not in text:
        return text
    if "<|" in text:
        text = TOKEN.sub(r"<\1", text)
        if marked:
            text = _MARKERS.sub(_literal, text)
    # A `<` before the token that ends the body would be read as the escape of that token.
    return _TRAILING.sub(_literal, text) if text.endswith("<") else text


def _literal(match: re.Match[str]) -> str:
    return f"{LITERAL}{match[0]}{END_LITERAL}"
