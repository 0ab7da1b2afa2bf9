"""Read and write thoughts of Gemini in the content, where Google's API for clients of OpenAI puts them.

A thought stands between tags at the beginning of the content, and the message is marked. In a stream, each piece of the
thought is marked, and the end tag begins the answer. With Vertex AI, the caller may choose another tag, or none.

    {"content": "<thought>2 + 2</thought>4", "extra_content": {"google": {"thought": true}}}
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.stream.buffer import Hold

from .syntax import CONTENT

EXTRA: Final = "extra_content"
"""The member of a message, or of a delta, with the mark."""
MARK: Final[Object] = {"google": {"thought": True}}
"""The mark."""
_TAG: Final = "thought"
"""The tag of Google's API."""
_THOUGHT: Final = re.compile(r"(<(\w+)>)(.+?)(?:(</\2>)(.*))?", re.DOTALL)
_START_TAG: Final = re.compile(r"<(\w+)>")
_CUT_START_TAG: Final = re.compile(r"<\w{0,40}")


class MarkedThought(NamedTuple):
    """The thought at the beginning of a content.

    Attributes:
        text: the thought.
        template: its tags; one that was cut off has no end tag.
        rest: the content behind it.
    """

    text: str
    template: str
    rest: str


def is_marked(extra: Json) -> bool:
    """Return whether a value of `extra_content` marks a thought."""
    return members_of(members_of(extra).get("google")).get("thought") is True


def marked_thought(wire: Object) -> MarkedThought | None:
    """Return the thought at the beginning of the content of a marked message; None if there is none."""
    content = wire.get(CONTENT)
    found = _THOUGHT.fullmatch(content) if isinstance(content, str) and is_marked(wire.get(EXTRA)) else None
    return None if found is None else MarkedThought(found[3], found[1] + (found[4] or ""), found[5] or "")


def decides(content: str) -> bool:
    """Return whether a content may contain tags, so that it may be read otherwise in a marked message."""
    return "<" in content


def with_thought(template: str, text: str) -> str:
    """Return a thought between the tags of a template."""
    start, end = template.split(">", 1)
    return f"{start}>{text}{end}"


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
