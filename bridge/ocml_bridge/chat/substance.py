"""How much was said: the characters of a document that somebody wrote, and which messages lose all of theirs.

What counts is the text of messages, thoughts, calls, replies and refusals; ids, names, keys and declared tools do not.
Of a part that its reader did not understand, the strings that are evidently text count; so do those of the further keys
of a message that has no content.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from ..json_values import jsontext
from ..loss import Loss, LossClass, Severity, gone
from ..model import (
    OUTSIDE,
    ByFormat,
    Content,
    Document,
    Foreign,
    Infill,
    Json,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Text,
    Transcript,
)
from ..model.diff import escape


class Characters(NamedTuple):
    """How many characters of what was said are in a document, and how many in what its output reads as."""

    read: int
    written: int

    def plus(self, other: Characters) -> Characters:
        """Both together."""
        return Characters(self.read + other.read, self.written + other.written)


NOTHING: Final = Characters(0, 0)


def characters(document: Document) -> int:
    """How many characters of what was said are in a document."""
    if not isinstance(document, Transcript):
        return characters_of(document.content)
    total = _characters_in_all(document.messages) + _outside(document.extras)
    for alternative in document.alternatives or ():
        total += _characters_in_all(alternative.messages)
    return total


def _characters_in_all(messages: Sequence[Message]) -> int:
    total = 0
    for message in messages:
        content = message.content
        total += (len(content) if isinstance(content, str) else characters_of(content)) or _beside_content(message)
        if message.extras is not None:
            total += _outside(message.extras)
    return total


def _outside(extras: ByFormat | None) -> int:
    """How many characters of text stand outside of any message; a stray token says nothing."""
    members = () if extras is None else (item for values in extras.values() for item in values.items())
    return sum(len(_words(text)) for key, text in members if key in OUTSIDE and isinstance(text, str))


def _words(text: str) -> str:
    """What a text outside of messages says."""
    return _TOKEN.sub("", text).strip()


_TOKEN: Final = re.compile(r"<\|[^<|>]{0,64}\|>")


def characters_of(content: Content) -> int:
    """How many characters of what was said are in a message's content."""
    return len(content) if isinstance(content, str) else sum(map(_characters_in, content))


def emptied(
    document: Document, image: Document, missing: Collection[str], order: Sequence[int] | None = None
) -> list[str]:
    """Paths of text that was not understood as what a message says, where the output says nothing in its place.

    That is the text of a message of which nothing was understood, and which comes out without any; and text outside of
    messages, where nothing else is said in the document, and nothing at all in the output.

    Args:
        document: what is written.
        image: what the output reads as.
        missing: paths of the messages that the target leaves out by rule. They are lost, and not counted here.
        order: indices of the document's messages in the order in which the image has them, where some were moved.
    """
    if not isinstance(document, Transcript) or not isinstance(image, Transcript):
        return []
    opaque = {
        index: field
        for index, message in enumerate(document.messages)
        # Most messages are a plain text, and looked at no further.
        if (not isinstance(message.content, str) or not message.content) and (field := opaque_field(message))
    }
    if not opaque:
        return _emptied_outside(document, image)
    pairs = zip(_left(document, missing, order), image.messages, strict=False)
    empty = [index for index, message in pairs if not _size_of(message)]
    return [f"/messages/{index}/{opaque[index]}" for index in empty if index in opaque]


def _emptied_outside(document: Transcript, image: Transcript) -> list[str]:
    if any(map(_size_of, document.messages)) or characters(image):
        return []
    homes = [("", document.extras)]
    homes += [(f"/messages/{index}", message.extras) for index, message in enumerate(document.messages)]
    return [
        f"{path}/extras/{escape(home)}/{key}"
        for path, extras in homes
        for home, members in (extras or {}).items()
        for key, text in members.items()
        if key in OUTSIDE and isinstance(text, str) and _words(text)
    ]


def _left(document: Transcript, missing: Collection[str], order: Sequence[int] | None) -> list[int]:
    """Indices of the messages that are still there, in their order there."""
    order = range(len(document.messages)) if order is None else order
    return [index for index in order if f"/messages/{index}" not in missing]


def vanished(
    document: Document, back: Document, losses: Collection[Loss], order: Sequence[int] | None = None
) -> list[str]:
    """Paths of what was said in a document, is not in what its output reads as, and is in no loss of class content.

    Args:
        document: what was written.
        back: what the output reads as.
        losses: what was reported.
        order: indices of the document's messages in the order in which the other has them, where some were moved.
    """
    reported = [
        loss for loss in losses if loss.loss_class is LossClass.CONTENT and loss.severity is not Severity.LAYOUT
    ]
    if not isinstance(document, Transcript) or not isinstance(back, Transcript):
        return [] if reported or characters(back) >= characters(document) else ["/content"]
    pairs = zip(_left(document, gone(losses), order), back.messages, strict=False)
    after = {index: message.content for index, message in pairs}
    named = {int(found[1]) for loss in reported if (found := _CONTENT.match(loss.path))}
    return [
        f"/messages/{index}/content"
        for index, message in enumerate(document.messages)
        if index not in named
        and characters_of(after.get(index, "")) < characters_of(message.content) - _silent_in(message.content)
        and not _is_same_json(message.content, after.get(index, ""))
    ]


def _is_same_json(one: Content, other: Content) -> bool:
    """Whether two contents are JSON that says the same: white space in it and spellings of its numbers say nothing."""
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    value, its = jsontext.parse(one), jsontext.parse(other)
    return value is not None and its is not None and value.value == its.value


def _silent_in(content: Content) -> int:
    """How many characters of a content are texts of white space, which say nothing."""
    texts = (content,) if isinstance(content, str) else (part.text for part in content if isinstance(part, Text))
    return sum(len(text) for text in texts if text.isspace())


_CONTENT: Final = re.compile(r"/messages/(\d+)(?:/content|\Z)")


def evident_text(value: Json, *, named: bool = False) -> int:
    """How many characters of a JSON value are evidently text.

    A string counts under a key that names text, and below one; or, unless it has to be `named` so, because it has words
    in it, under any key but those that never name text.
    """
    total = 0
    waiting: list[tuple[Any, bool]] = [(value, isinstance(value, str))]
    while waiting:
        item, under_name = waiting.pop()
        if isinstance(item, str):
            total += len(item) if under_name or (not named and any(map(str.isspace, item.strip()))) else 0
        elif isinstance(item, list):
            waiting += [(each, under_name) for each in cast("list[Json]", item)]
        elif isinstance(item, dict):
            members = cast("dict[str, Json]", item).items()
            waiting += [(each, under_name or key in _TEXT) for key, each in members if key not in _NO_TEXT]
    return total


def _characters_in(part: Part) -> int:
    if isinstance(part, (Text, Refusal)):
        return len(part.text)
    if isinstance(part, Infill):
        return len(part.prefix) + len(part.middle or "") + len(part.suffix)
    if isinstance(part, Passages):
        return sum(map(len, part.texts)) + len(part.context or "")
    return evident_text(part.value) if isinstance(part, Foreign) else 0


def _size_of(message: Message) -> int:
    return characters_of(message.content) or _beside_content(message)


def _beside_content(message: Message) -> int:
    """How many characters of text stand under further keys, which its reader did not take for content."""
    content = message.content
    if message.extras is None or (content and any(isinstance(part, Media) for part in content)):
        return 0
    return sum(evident_text(members, named=True) for members in message.extras.values())


def opaque_field(message: Message) -> str | None:
    """The field with the text of a message of which nothing was understood; None where something was, or has none."""
    content = message.content
    count = characters_of(content)
    if not count:
        return "extras" if _beside_content(message) else None
    if isinstance(content, str):
        return None
    foreign = sum(_characters_in(part) for part in content if isinstance(part, Foreign))
    return "content" if foreign == count else None


_TEXT: Final = frozenset(
    {"text", "value", "content", "contents", "parts", "input", "input_text", "output", "output_text", "arguments"}
    | {"args", "result", "response", "thinking", "reasoning", "reasoning_content", "summary", "transcript", "refusal"}
    | {"answer", "caption", "code", "completion", "prompt", "query", "question"}
)
"""Keys under which formats put what somebody said."""
_NO_TEXT: Final = frozenset(
    {"type", "id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "name", "role", "url", "uri", "file_id"}
    | {"filename", "format", "mime_type", "mimeType", "media_type", "data", "bytes", "encrypted_content", "signature"}
    | {"detail", "status", "cache_control"}
)
"""Keys under which they put everything else."""
