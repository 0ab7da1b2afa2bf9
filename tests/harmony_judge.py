"""The judge of Harmony: what the official encoder renders for a transcript of ours, and what its parser reads.

Either library serves: `openai-harmony` writes the dialect `spec`, `oss-harmony` (same import name) the dialect `oss`.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from ocml_adapters.harmony.official import as_official
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge.chat.turns import insert_tools
from ocml_bridge.errors import BridgeError
from ocml_bridge.model import Message, Transcript


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


DIALECT = "oss" if _is_installed("oss-harmony") and not _is_installed("openai-harmony") else "spec"
"""What the installed library writes."""

Record = dict[str, str]


def library() -> Any:
    """The official library; skips the test where it, or its vocabulary, is missing."""
    found = pytest.importorskip("openai_harmony", reason="the official encoder is not installed")
    try:
        load_encoding()
    except BridgeError as error:
        pytest.skip(str(error))
    return found


def records(image: Transcript) -> list[Record]:
    """The messages of an image in the official parser's terms, tools in the developer's."""
    return [as_official(message) for message in insert_tools(image)]


def official_end(message: Message) -> str:
    """How the official encoder ends a message."""
    return "call" if message.role == "assistant" and message.recipient is not None else "end"


def conversation(image: Transcript) -> Any:
    """An image as the official library has it, every body as plain text."""
    h = library()
    messages = [
        h.Message(
            author=h.Author(role=h.Role(record["role"]), name=record.get("name")),
            content=[h.TextContent(text=record["content"])],
            channel=record.get("channel"),
            recipient=record.get("recipient"),
            content_type=record.get("content_type"),
        )
        for record in records(image)
    ]
    return h.Conversation(messages=messages)


def config() -> Any:
    """Nothing is dropped: a conversion is no sampling."""
    return library().RenderConversationConfig(auto_drop_analysis=False)


def render(image: Transcript) -> list[int]:
    """`render_conversation`, or `_for_completion` where a turn is open."""
    if image.open_turn is None:
        return load_encoding().render_conversation(conversation(image), config=config())
    role = library().Role(image.open_turn.role)
    return load_encoding().render_conversation_for_completion(conversation(image), role, config=config())


def render_for_training(image: Transcript) -> list[int]:
    """`render_conversation_for_training`."""
    return load_encoding().render_conversation_for_training(conversation(image), config=config())


def parse(ids: list[int], *, prompted: bool = False) -> list[Record] | str:
    """The messages that the official parser reads, or its error."""
    h = library()
    try:
        role = h.Role.ASSISTANT if prompted else None
        messages = load_encoding().parse_messages_from_completion_tokens(ids, role=role)
    except h.HarmonyError as error:
        return str(error)
    return [_record(message) for message in messages]


def _record(message: Any) -> Record:
    fields = {
        "role": message.author.role.value,
        "name": message.author.name,
        "channel": message.channel,
        "recipient": message.recipient,
        "content_type": message.content_type,
        "content": "".join(part.text for part in message.content),
    }
    return {field: value for field, value in fields.items() if value is not None}


def decode(ids: list[int]) -> str:
    return load_encoding().decode(ids)
