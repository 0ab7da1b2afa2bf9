"""Assemble a thought of Gemini that arrives in pieces of the content.

Each piece of the thought is marked, and the end tag begins the answer. See `marked_thoughts`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ocml_bridge.stream.buffer import Hold

from .marked_thoughts import with_thought

_TAG: Final = "thought"
"""The tag of Google's API."""
_START_TAG: Final = re.compile(r"<(\w+)>")
_CUT_START_TAG: Final = re.compile(r"<\w{0,40}")


@lru_cache(maxsize=64)
def _hold(end_tag: str) -> Hold:
    """Return what finds the beginning of an end tag at the end of a text."""
    return Hold((end_tag,))


class ArrivingThought:
    """A marked thought in a stream. One without tags lasts as long as its pieces are marked.

    Attributes:
        is_open: whether more of it may come.
    """

    def __init__(self) -> None:
        self.is_open = True
        self._tag: str | None = None
        """Its tag: None until it has begun, "" if it has none."""
        self._waiting: str = ""
        """What may be the beginning of a tag."""
        self._pieces: list[str] = []

    def take(self, text: str, *, marked: bool) -> tuple[str, str]:
        """Take the next text of the content; return what is more of the thought, and what is behind its end."""
        text, self._waiting = self._waiting + text, ""
        if self._tag is None:
            start = _START_TAG.match(text)
            if start is None and _CUT_START_TAG.fullmatch(text):
                self._waiting = text
                return "", ""
            self._tag = "" if start is None else start[1]
            text = text if start is None else text[start.end() :]
        if not self._tag:
            self.is_open = marked
            return (self._add(text), "") if marked else ("", text)
        end = f"</{self._tag}>"
        thought, end_tag, rest = text.partition(end)
        if end_tag:
            self.is_open = False
        else:
            at = _hold(end).cut(text)
            thought, self._waiting = text[:at], text[at:]
        return self._add(thought), rest

    def end(self) -> str:
        """Return what is more of it at the end of the stream, because no tag follows."""
        waiting, self._waiting = self._waiting, ""
        return self._add(waiting)

    @property
    def has_text(self) -> bool:
        """Whether some of it was passed on."""
        return any(self._pieces)

    def _add(self, thought: str) -> str:
        self._pieces.append(thought)
        return thought

    def whole(self) -> str:
        """Return it as it stands in the content of a response."""
        tag = self._tag or _TAG
        return with_thought(f"<{tag}>" if self.is_open else f"<{tag}></{tag}>", "".join(self._pieces))
