"""Documents drawn from the official clients' types: each wire restores them, and each wire reports the words it loses.

The JSON before and after is compared. No text and no number above a hundred occurs twice in a drawn document: what is
not found afterwards is lost, and a loss must report it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, Required, TypedDict

import pytest

from client_types import converse, unexplained
from drawn_types import Drawer
from ocml_bridge import Loss, Severity, convert, read, write
from ocml_bridge.report.policy import LENIENT
from wire_facts import Leaf, leaves

WIRES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock-converse")


class Kind(NamedTuple):
    """A kind of document.

    Attributes:
        wire: its format.
        definition: gives the type that it is drawn from.
        needs: a member that its type does not ask for, and without which it is none; and what that is.
    """

    wire: str
    definition: Callable[[], Any]
    needs: dict[str, Any] = {}  # noqa: RUF012


def _chat_request() -> Any:
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    return CompletionCreateParamsNonStreaming


def _chat_response() -> Any:
    from openai.types.chat import ChatCompletion

    return ChatCompletion


def _items_request() -> Any:
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    return ResponseCreateParamsNonStreaming


def _items_response() -> Any:
    from openai.types.responses import Response

    return Response


def _blocks_request() -> Any:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return MessageCreateParamsNonStreaming


def _blocks_response() -> Any:
    from anthropic.types import Message

    return Message


def _contents_request() -> Any:
    types = pytest.importorskip("google.genai.types")
    fields = {
        "contents": Required[list[types.Content]],
        "systemInstruction": types.Content,
        "tools": list[types.Tool],
        "toolConfig": types.ToolConfig,
        "generationConfig": types.GenerationConfig,
        "safetySettings": list[types.SafetySetting],
    }
    return TypedDict("Request", fields, total=False)  # type: ignore[operator]


def _contents_response() -> Any:
    return pytest.importorskip("google.genai.types").GenerateContentResponse


KINDS = {
    "chat request": Kind("openai", _chat_request),
    "chat response": Kind("openai", _chat_response),
    "responses request": Kind("openai-responses", _items_request, {"input": "w0"}),
    "responses response": Kind("openai-responses", _items_response),
    "anthropic request": Kind("anthropic", _blocks_request),
    "anthropic response": Kind("anthropic", _blocks_response),
    "gemini request": Kind("gemini", _contents_request),
    "gemini response": Kind("gemini", _contents_response, {"candidates": []}),
    "converse request": Kind("bedrock-converse", lambda: converse().input_shape, {"messages": []}),
    "converse response": Kind("bedrock-converse", lambda: converse().output_shape),
}


def drawn(name: str, seeds: Iterable[int]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Documents of a kind, each with its name."""
    kind = KINDS[name]
    definition = kind.definition()
    for seed in seeds:
        drawer = Drawer(seed)
        draw = drawer.of_shape if kind.wire == "bedrock-converse" else drawer.document
        yield f"{name} {seed}", {**kind.needs, **draw(definition)}


# --- each wire gives them back ----------------------------------------------------------------------------------------


def _check_restored(name: str, seeds: Iterable[int]) -> None:
    wire = KINDS[name].wire
    for label, document in drawn(name, seeds):
        back = write(read(json.dumps(document), wire).transcript, wire, policy=LENIENT)
        assert json.dumps(back.output) == json.dumps(document), label
        assert back.losses == (), label


@pytest.mark.parametrize("name", KINDS)
def test_a_document_is_restored_with_the_order_of_its_keys(name: str) -> None:
    _check_restored(name, range(12))


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_any_document_is_restored_with_the_order_of_its_keys(name: str) -> None:
    _check_restored(name, range(12, 3000))


# --- no other wire loses a word in silence ----------------------------------------------------------------------------

_WHOLE = frozenset({"messages", "input", "output", "contents", "content", "candidates", "choices"}) | {
    *("system", "systemInstruction", "instructions")
}
_OF_PIECES = frozenset(
    {"message", "content", "foreign-part", "media", "refusal", "citations", "signature", "emptied"}
) | {*("call-id", "recipient", "cache")}
"""Keys and codes of losses of whole pieces: all words in the piece are lost with it."""
_OF_TOOLS = frozenset({"tools", "tool-schema"})
_WORDS = {
    "usageMetadata": "usage",
    "cachedContentTokenCount": "usage",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "functions": "tools",
    "function_call": "tool_choice",
    "functionCallingConfig": "tool_choice",
    "toolConfig": "tool_choice",
}


def _is_named(leaf: Leaf, losses: Iterable[Loss]) -> bool:
    keys = {name for key in leaf.keys for name in (key, _WORDS.get(key, key))}
    for loss in losses:
        if loss.severity is Severity.LAYOUT and loss.code != "message":
            continue
        names = set(re.findall(r"\w+", f"{loss.path} {loss.detail}"))
        if (keys - {"content", "parts", "type", "text"}) & names or leaf.value.strip('"') in names:
            return True
        if (leaf.keys[0] in _WHOLE and loss.code in _OF_PIECES) or ("tools" in keys and loss.code in _OF_TOOLS):
            return True
        # Items that are not messages are in the extras of the conversation, under the key of the list.
        if leaf.keys[0] in ("input", "output") and loss.path.startswith("/extras/openai-responses/input"):
            return True
    return False


def _words(value: Any) -> set[str]:
    """All words of a document, including those in JSON texts and in encoded data."""
    text = json.dumps(value)
    return set(re.findall(r"w\d+|\d{3,}", text)) | {*_decoded(re.findall(r'"([\w+/]+=*)"', text))}


def _decoded(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        with suppress(ValueError):
            yield base64.b64decode(text, validate=True).decode()


def _is_found(leaf: Leaf, words: set[str]) -> bool:
    value = leaf.value.strip('"')
    return re.fullmatch(r"w\d+|\d{3,}", value) is None or value in words


def _there_and_back(name: str, seeds: Iterable[int]) -> None:
    wire = KINDS[name].wire
    for label, document in drawn(name, seeds):
        for other in WIRES:
            there = convert(document, source=wire, target=other, policy=LENIENT)
            back = convert(there.data, source=other, target=wire, policy=LENIENT)
            words = _words(back.output)
            gone = [leaf for leaf in leaves(document) if not _is_found(leaf, words)]
            assert [leaf for leaf in gone if not _is_named(leaf, [*there.losses, *back.losses])] == [], (label, other)


@pytest.mark.parametrize("name", KINDS)
def test_words_that_are_lost_on_another_wire_are_reported(name: str) -> None:
    _there_and_back(name, range(4))


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_words_of_any_document_that_are_lost_on_another_wire_are_reported(name: str) -> None:
    _there_and_back(name, range(4, 500))


# --- what is written is of the types ----------------------------------------------------------------------------------


def _is_of_the_types(name: str, seeds: Iterable[int]) -> None:
    for label, document in drawn(name, seeds):
        for other in WIRES:
            if other != KINDS[name].wire:
                assert unexplained(document, KINDS[name].wire, other) == [], (label, other)


@pytest.mark.parametrize("name", KINDS)
def test_outputs_match_the_types(name: str) -> None:
    _is_of_the_types(name, range(2))
