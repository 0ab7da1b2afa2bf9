"""The objects of a JSON document by their places, in the order in which they stand there: once, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from ..model import Json
from .marks import Object, Place

Visit = tuple[Place, Object, str]
"""Where an object stands, the object, the JSON pointer to it."""

_LISTS: Final = (
    *("messages", "input", "output", "contents", "conversations", "conversation", "chat_messages"),
    *("preferred_output", "prompt", "chosen", "rejected", "history"),
)
"""The members of a document that may be lists of messages."""


def walk(source: Json) -> Iterator[Visit]:
    """Every object that a mark may be about.

    Args:
        source: a document, a list of messages, or a list of documents.
    """
    if isinstance(source, dict):
        document = cast("Object", source)
        yield from _document(document, "")
        if "role" in document:
            yield from _message(document, "")
        return
    for item, path in _objects(source, ""):
        yield from _message(item, path)
        if "role" not in item:
            yield from _document(item, path)


def _document(document: Object, path: str) -> Iterator[Visit]:
    yield Place.DOCUMENT, document, path
    for key in _LISTS:
        if key in document:
            yield from _messages(document[key], f"{path}/{key}")
    given = document.get("input")
    if isinstance(given, dict):
        yield from _messages(cast("Object", given).get("messages"), f"{path}/input/messages")
    for choice, at in _objects(document.get("choices"), f"{path}/choices"):
        if isinstance(choice.get("message"), dict):
            yield from _message(cast("Object", choice["message"]), f"{at}/message")
    for tool, at in _objects(document.get("tools"), f"{path}/tools"):
        yield Place.TOOL, tool, at


def _messages(messages: Json, path: str) -> Iterator[Visit]:
    for message, at in _objects(messages, path):
        yield from _message(message, at)


def _message(message: Object, path: str) -> Iterator[Visit]:
    yield Place.MESSAGE, message, path
    for part, at in _objects(message.get("content"), f"{path}/content"):
        yield Place.PART, part, at
    for piece, at in _objects(message.get("parts"), f"{path}/parts"):
        yield Place.PIECE, piece, at


def _objects(values: Json, path: str) -> Iterator[tuple[Object, str]]:
    """The objects of a list, each with the JSON pointer to it."""
    if isinstance(values, list):
        for index, value in enumerate(cast("list[Json]", values)):
            if isinstance(value, dict):
                yield cast("Object", value), f"{path}/{index}"
