"""Count the characters of content in a document, and find messages that lose all of theirs.

Content is the text of messages, thoughts, calls, replies, refusals and text files; ids, names, keys and declared tools
are not. In a part that the reader did not understand, the strings that are evidently text count, and also those in the
extras of a message without content.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from ..json_values import jsontext
from ..json_values.data_urls import text_of_file
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
    """Numbers of characters of content.

    Attributes:
        read: those in the document.
        written: those in the document that its output reads as.
    """

    read: int
    written: int

    def plus(self, other: Characters) -> Characters:
        """Return the sums of both counts."""
        return Characters(self.read + other.read, self.written + other.written)


NOTHING: Final = Characters(0, 0)


def characters(document: Document) -> int:
    """Return the number of characters of content in a document."""
    if not isinstance(document, Transcript):
        return characters_of(document.content)
    total = _in_messages(document.messages) + _in_outside_text(document.extras)
    for alternative in document.alternatives or ():
        total += _in_messages(alternative.messages)
    return total


def _in_messages(messages: Sequence[Message]) -> int:
    total = 0
    for message in messages:
        content = message.content
        total += (len(content) if isinstance(content, str) else characters_of(content)) or _in_extras(message)
        if message.extras is not None:
            total += _in_outside_text(message.extras)
    return total


def _in_outside_text(extras: ByFormat | None) -> int:
    """Return the number of characters of text outside of messages, without stray tokens."""
    members = () if extras is None else (item for values in extras.values() for item in values.items())
    return sum(len(_without_tokens(text)) for key, text in members if key in OUTSIDE and isinstance(text, str))


def _without_tokens(text: str) -> str:
    """Return a text outside of messages without control tokens and surrounding white space."""
    return _TOKEN.sub("", text).strip()


_TOKEN: Final = re.compile(r"<\|[^<|>]{0,64}\|>")


def characters_of(content: Content) -> int:
    """Return the number of characters in a message's content."""
    return len(content) if isinstance(content, str) else sum(map(_in_part, content))


def emptied(
    document: Document, image: Document, missing: Collection[str], order: Sequence[int] | None = None
) -> list[str]:
    """Return the paths of texts that the reader did not understand as content and for which the output has nothing.

    These are the texts of a message whose content was not understood at all, if the image has the message without any;
    and texts outside of messages, if the document has no other content and the output has none.

    Args:
        document: the document that is written.
        image: the document that the output reads as.
        missing: the paths of messages that were reported as lost; they are skipped here.
        order: the indices of the document's messages in the order of the image; None if the order is the same.
    """
    if not isinstance(document, Transcript) or not isinstance(image, Transcript):
        return []
    opaque = {
        index: field
        for index, message in enumerate(document.messages)
        # Fast path: most messages are a plain text.
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
        if key in OUTSIDE and isinstance(text, str) and _without_tokens(text)
    ]


def _left(document: Transcript, missing: Collection[str], order: Sequence[int] | None) -> list[int]:
    """Return the indices of the document's messages that are not missing, in the order of the image."""
    order = range(len(document.messages)) if order is None else order
    return [index for index in order if f"/messages/{index}" not in missing]


def vanished(
    document: Document, back: Document, losses: Collection[Loss], order: Sequence[int] | None = None
) -> list[str]:
    """Return the paths of content that is missing from an output and that no loss of class `content` reports.

    Args:
        document: the document that was written.
        back: the document that the output reads as.
        losses: the losses that were reported.
        order: the indices of the document's messages in the order of `back`; None if the order is the same.
    """
    reported = [
        loss for loss in losses if loss.loss_class is LossClass.CONTENT and loss.severity is not Severity.LAYOUT
    ]
    if not isinstance(document, Transcript) or not isinstance(back, Transcript):
        return [] if reported or characters(back) >= characters(document) else ["/content"]
    pairs = zip(_left(document, gone(losses), order), back.messages, strict=False)
    after = {index: message.content for index, message in pairs}
    named = {int(match[1]) for loss in reported if (match := _CONTENT.match(loss.path))}
    return [
        f"/messages/{index}/content"
        for index, message in enumerate(document.messages)
        if index not in named
        and characters_of(after.get(index, "")) < characters_of(message.content) - _white_space_in(message.content)
        and not _is_same_json(message.content, after.get(index, ""))
    ]


def _is_same_json(old: Content, new: Content) -> bool:
    """Return whether two contents are JSON with the same value; white space and the spelling of numbers may differ."""
    old_text, new_text = _text_in(old), _text_in(new)
    if old_text is None or new_text is None:
        return False
    old_json, new_json = jsontext.parse(old_text), jsontext.parse(new_text)
    return old_json is not None and new_json is not None and old_json.value == new_json.value


def _text_in(content: Content) -> str | None:
    """Return the text of a content that is one text; None for any other."""
    if isinstance(content, str):
        return content
    part = content[0] if len(content) == 1 else None
    return part.text if isinstance(part, Text) else None


def _white_space_in(content: Content) -> int:
    """Return the number of characters in texts of a content that are only white space."""
    texts = (content,) if isinstance(content, str) else (part.text for part in content if isinstance(part, Text))
    return sum(len(text) for text in texts if text.isspace())


_CONTENT: Final = re.compile(r"/messages/(\d+)(?:/content|\Z)")


def evident_text(value: Json, *, named: bool = False) -> int:
    """Return the number of characters in strings of a JSON value that are evidently text.

    A string counts at or below a key of `_TEXT`. Without `named`, a string of several words counts, too. Nothing counts
    at or below a key of `_NO_TEXT`.

    Args:
        value: the JSON value; a string alone counts.
        named: whether only strings at or below a key of `_TEXT` count.
    """
    total = 0
    pending: list[tuple[Any, bool]] = [(value, isinstance(value, str))]
    while pending:
        item, is_named = pending.pop()
        if isinstance(item, str):
            total += len(item) if is_named or (not named and any(map(str.isspace, item.strip()))) else 0
        elif isinstance(item, list):
            pending += [(each, is_named) for each in cast("list[Json]", item)]
        elif isinstance(item, dict):
            members = cast("dict[str, Json]", item).items()
            pending += [(each, is_named or key in _TEXT) for key, each in members if key not in _NO_TEXT]
    return total


def _in_part(part: Part) -> int:
    if isinstance(part, (Text, Refusal)):
        return len(part.text)
    if isinstance(part, Infill):
        return len(part.prefix) + len(part.middle or "") + len(part.suffix)
    if isinstance(part, Passages):
        return sum(map(len, part.texts)) + len(part.context or "")
    if isinstance(part, Media):
        return len(text_of_file(part) or "")
    return evident_text(part.value) if isinstance(part, Foreign) else 0


def _size_of(message: Message) -> int:
    return characters_of(message.content) or _in_extras(message)


def _in_extras(message: Message) -> int:
    """Return the number of characters of text in the extras of a message without media."""
    content = message.content
    if message.extras is None or (content and any(isinstance(part, Media) for part in content)):
        return 0
    return sum(evident_text(members, named=True) for members in message.extras.values())


def opaque_field(message: Message) -> str | None:
    """Return the field (`content` or `extras`) with the text of a message that the reader did not understand at all.

    None if the reader understood some of its content, or if it has no text.
    """
    content = message.content
    count = characters_of(content)
    if not count:
        return "extras" if _in_extras(message) else None
    if isinstance(content, str):
        return None
    foreign = sum(_in_part(part) for part in content if isinstance(part, Foreign))
    return "content" if foreign == count else None


_TEXT: Final = frozenset(
    {"text", "value", "content", "contents", "parts", "input", "input_text", "output", "output_text", "arguments"}
    | {"args", "result", "response", "thinking", "reasoning", "reasoning_content", "summary", "transcript", "refusal"}
    | {"answer", "caption", "code", "completion", "prompt", "query", "question"}
)
"""Keys of formats whose values are content."""
_NO_TEXT: Final = frozenset(
    {"type", "id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "name", "role", "url", "uri", "file_id"}
    | {"filename", "format", "mime_type", "mimeType", "media_type", "data", "bytes", "encrypted_content", "signature"}
    | {"detail", "status", "cache_control"}
)
"""Keys of formats whose values are never content."""
