"""Walk over the objects of a JSON document that can be evidence, in their order, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from ..model import Json
from .marks import Object, Place

Steps = tuple[str | int, ...]
"""The steps of a JSON pointer, which is made only for evidence."""
Visit = tuple[Place, Object, Steps]
"""The place of an object, the object, and the steps to it."""

_LISTS: Final = (
    *("messages", "input", "output", "contents", "conversations", "conversation", "chat_messages"),
    *("preferred_output", "prompt", "chosen", "rejected", "history"),
)
"""The members of a document that may be lists of messages."""


def walk(source: Json) -> Iterator[Visit]:
    """Yield every object that can have a mark.

    Args:
        source: a document, a list of messages, or a list of documents.
    """
    if isinstance(source, dict):
        document = cast("Object", source)
        yield from _document(document, ())
        if "role" in document:
            yield from _message(document, ())
    elif isinstance(source, list):
        for index, item in enumerate(cast("list[Json]", source)):
            if isinstance(item, dict):
                value, at = cast("Object", item), (index,)
                yield from _message(value, at)
                if "role" not in value:
                    yield from _document(value, at)


def _document(document: Object, at: Steps) -> Iterator[Visit]:
    yield Place.DOCUMENT, document, at
    for key in _LISTS:
        if key in document:
            yield from _messages(document[key], (*at, key))
    prompt = document.get("input")
    if isinstance(prompt, dict):
        yield from _messages(cast("Object", prompt).get("messages"), (*at, "input", "messages"))
    choices = document.get("choices")
    if isinstance(choices, list):
        for index, choice in enumerate(cast("list[Json]", choices)):
            message = cast("Object", choice).get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict):
                yield from _message(cast("Object", message), (*at, "choices", index, "message"))
    yield from _objects(Place.TOOL, document.get("tools"), (*at, "tools"))


def _messages(messages: Json, at: Steps) -> Iterator[Visit]:
    if isinstance(messages, list):
        for index, message in enumerate(cast("list[Json]", messages)):
            if isinstance(message, dict):
                yield from _message(cast("Object", message), (*at, index))


def _message(message: Object, at: Steps) -> Iterator[Visit]:
    yield Place.MESSAGE, message, at
    if isinstance(message.get("content"), list):
        yield from _objects(Place.PART, message["content"], (*at, "content"))
    if "parts" in message:
        yield from _objects(Place.PIECE, message["parts"], (*at, "parts"))


def _objects(place: Place, values: Json, at: Steps) -> Iterator[Visit]:
    """Yield the objects of a list, with their place."""
    if isinstance(values, list):
        for index, value in enumerate(cast("list[Json]", values)):
            if isinstance(value, dict):
                yield place, cast("Object", value), (*at, index)
