"""Describe the messages of conversations that APIs store: Mistral's, Gemini's Interactions, OpenAI's Assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from .frameworks import Framework
from .readers import (
    Calls,
    Each,
    Kinds,
    Members,
    Reader,
    Replies,
    Shows,
    Then,
    Thinks,
    parts_of,
    says,
    thinks,
)

_USER, _ASSISTANT, _TOOL = "user", "assistant", "tool"
_THOUGHTS: Final = Each(Kinds("type", {"text": thinks("text")}))

_OF_CHUNKS: Final = parts_of(
    "content",
    "type",
    {"text": says("text"), "thinking": Members({"thinking": Then(Thinks(), _THOUGHTS)})},
    or_texts=True,
)
MISTRAL: Final = Framework(
    frozenset({"object", "type"}),
    Kinds(
        "type",
        {
            "message.input": _OF_CHUNKS,
            "message.output": _OF_CHUNKS,
            "function.call": Calls("name", ("arguments",), "tool_call_id"),
            "function.result": Replies(("result",), "tool_call_id"),
        },
    ),
    speaker=_ASSISTANT,
)
"""The entries of Mistral's conversations; what a connector did stays beside."""
_CONTENTS: Final[Mapping[str, Reader]] = {
    "text": says("text"),
    **{kind: Shows(("data", "uri"), "mime_type", kind, "") for kind in ("image", "audio", "video")},
    "document": Shows(("data", "uri"), "mime_type", "file", ""),
}
_OF_CONTENTS: Final = parts_of("content", "type", _CONTENTS, or_texts=True)
_HOSTED: Final = ("google_search", "code_execution", "url_context", "mcp_server_tool", "file_search", "google_maps")
_STEPS: Final[Mapping[str, Reader]] = {
    "user_input": _OF_CONTENTS,
    "model_output": _OF_CONTENTS,
    "thought": Members({"summary": _THOUGHTS}),
    "function_call": Calls("name", ("arguments",), "id"),
    "function_result": Replies(("result",), "call_id"),
}
_ROLES: Final = {
    "user_input": _USER,
    "function_result": _TOOL,
    **dict.fromkeys(("model_output", "thought", "function_call"), _ASSISTANT),
}
INTERACTIONS: Final = Framework(
    frozenset({"type"}),
    Kinds("type", _STEPS),
    "type",
    _ROLES,
    notes=frozenset(f"{tool}_{step}" for tool in _HOSTED for step in ("call", "result")),
    system=("system_instruction",),
)
"""The steps of an interaction of Gemini's Interactions API, or of its request.

What the API's own tools did, and signatures of thoughts, stay beside.
"""
OUTPUTS: Final = replace(
    INTERACTIONS,
    reader=Kinds("type", {**_STEPS, **_CONTENTS}),
    roles={**_ROLES, **dict.fromkeys(_CONTENTS, _ASSISTANT)},
)
"""What the model answered in an interaction of 2025, which has contents in place of steps."""
ASSISTANTS: Final = Framework(
    frozenset({"object", "role", "content"}),
    parts_of(
        "content",
        "type",
        {
            "text": Members({"text": says("value")}),
            "image_url": Members({"image_url": Shows(("url",), "", "image", "")}),
        },
    ),
    time="created_at",
)
"""Messages of the threads of OpenAI's Assistants, which lists name from the last one on, and of Jan."""
