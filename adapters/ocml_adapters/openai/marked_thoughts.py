"""Read and write thoughts of Gemini in the content, where Google's API for clients of OpenAI puts them.

A thought stands between tags at the beginning of the content, and the message is marked. With Vertex AI, the caller may
choose another tag, or none.

    {"content": "<thought>2 + 2</thought>4", "extra_content": {"google": {"thought": true}}}
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json

from .syntax import CONTENT

EXTRA: Final = "extra_content"
"""The member of a message, or of a delta, with the mark."""
MARK: Final[Object] = {"google": {"thought": True}}
"""The mark."""
_THOUGHT: Final = re.compile(r"(<(\w+)>)(.+?)(?:(</\2>)(.*))?", re.DOTALL)


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
