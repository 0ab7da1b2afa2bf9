"""List the programs with agents whose stored sessions are layouts, each with the reader of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ...model import Json
from .. import columns
from ..fitting import as_list, items_of, members_of, objects_of
from ..layout import Document, Layout, Object, Wording
from .frameworks import MESSAGES, TOOLS, Framework, are_of, layout_of, read_of
from .readers import (
    Begins,
    Calls,
    Each,
    Kinds,
    Members,
    Replies,
    Runs,
    Says,
    Shows,
    Texts,
    Then,
    Thinks,
    parts_of,
    says,
    thinks,
)
from .table import LLAMA_INDEX

OPENCODE: Final = Framework(
    frozenset({"info", "parts"}),
    parts_of(
        "parts",
        "type",
        {
            "text": says("text"),
            "reasoning": thinks("text"),
            "file": Shows(("url",), "mime"),
            "step-start": Begins(),
            "tool": Calls("tool", ("state.input",), "callID", ("state.output", "state.error")),
        },
    ),
    "info.role",
)
GOOSE: Final = Framework(
    frozenset({"role", "created", "content"}),
    parts_of(
        "content",
        "type",
        {
            "text": says("text"),
            "thinking": thinks("thinking"),
            "image": Shows(("data",), "mimeType", "image", ""),
            "toolRequest": Calls("toolCall.value.name", ("toolCall.value.arguments",), "id"),
            "toolResponse": Replies(("toolResult.value.content", "toolResult.value", "toolResult.error"), "id"),
        },
    ),
    parts="content",
)
LIVEKIT: Final = Framework(
    frozenset({"id", "type"}),
    Kinds(
        "type",
        {
            "message": parts_of(
                "content",
                "type",
                {
                    "image_content": Shows(("image",), "mime_type", "image", ""),
                    "audio_content": says("transcript"),
                },
                or_texts=True,
            ),
            "function_call": Calls("name", ("arguments",), "call_id"),
            "function_call_output": Replies(("output",), "call_id"),
        },
    ),
    speaker="assistant",
)
_IMAGE: Final = Shows(("source.path",), "source.media_type", "image", "")
ATIF: Final = Framework(
    frozenset({"source", "message"}),
    Members(
        {
            "reasoning_content": Thinks(),
            "message": Each(Texts(Kinds("type", {"text": says("text"), "image": _IMAGE}))),
            "tool_calls": Each(Calls("function_name", ("arguments",), "tool_call_id")),
            "observation": Members({"results": Each(Replies(("content",), "source_call_id"))}),
        }
    ),
    "source",
)
"""Trajectories of Harbor, in which Terminal-Bench has runs of any agent."""


_THINKS_AND_SAYS: Final = {"reasoning_content": Thinks(), "description": Says()}
"""What an action of the Agent Data Protocol says before it is done."""
_PAGE: Final = Replies(("axtree", "html", "image_observation.content", "url"), "tool_call_id")
ADP: Final = Framework(
    frozenset({"class_"}),
    Kinds(
        "class_",
        {
            "api_action": Then(Members(_THINKS_AND_SAYS), Calls("function", ("kwargs",), "tool_call_id")),
            "code_action": Then(Members(_THINKS_AND_SAYS), Runs("language", "content", "tool_call_id")),
            "message_action": Members({**_THINKS_AND_SAYS, "content": Then(Begins(), Says())}),
            "text_observation": Kinds(
                "source",
                {
                    "user": says("content"),
                    "agent": says("content"),
                    "environment": Replies(("content",), "tool_call_id"),
                },
            ),
            "json_observation": Replies(("content",), "tool_call_id"),
            "image_observation": Shows(("content",), "", "image", ""),
            "web_observation": _PAGE,
        },
    ),
    "source",
    speaker="assistant",
)
"""Trajectories of the Agent Data Protocol. Of a page, the tree of its elements is the result; the rest stays beside."""


_AGENT: Final = "agent"


def _read_trajectory(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a trajectory, with the tools that its agent has."""
    tools = members_of(fields.get(_AGENT)).get("tool_definitions")
    return read_of(ATIF, {TOOLS: tools, **fields} if as_list(tools) else fields, wording)


STORE: Final = "store"


def _are_stored(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold LlamaIndex's messages under the keys of their chats."""
    chats = list(members_of(fields.get(STORE)).values())
    return bool(chats) and all(are_of(LLAMA_INDEX, {MESSAGES: each}, wording) for each in chats if each != [])


def _read_stored(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of each chat."""
    chats = {f"/{STORE}/{key}": each for key, each in members_of(fields[STORE]).items() if each}
    found = {place: read_of(LLAMA_INDEX, {MESSAGES: each}, wording)[0] for place, each in chats.items()}
    return [document._replace(path=place) for place, document in found.items()]


def _parts(fields: Object) -> list[Json]:
    return [part for each in objects_of(fields.get(MESSAGES)) for part in items_of(each.get("content"))]


def _are_goose(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages of Goose with calls or results; others are those of any API."""
    return are_of(GOOSE, fields, wording) and any(
        members_of(part).get("type") in ("toolRequest", "toolResponse") for part in _parts(fields)
    )


def _are_livekit(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold items of LiveKit, whose contents are texts; those of the Responses API are not."""
    return are_of(LIVEKIT, fields, wording) and any(isinstance(part, str) for part in _parts(fields))


SESSIONS: Final[tuple[Layout, ...]] = (
    layout_of("opencode", "sessions of opencode", OPENCODE),
    Layout(
        "atif",
        "trajectories of Harbor's agents (ATIF)",
        "openai",
        {MESSAGES: ("steps",), TOOLS: columns.TOOLS, _AGENT: (_AGENT,)},
        partial(are_of, ATIF),
        _read_trajectory,
        extra_columns=frozenset({_AGENT}),
    ),
    layout_of("agent-data-protocol", "trajectories of the Agent Data Protocol", ADP, "content"),
    replace(layout_of("goose", "sessions of Goose", GOOSE), fits=_are_goose),
    Layout("chat-store", "LlamaIndex's chat stores", "openai", {STORE: (STORE,)}, _are_stored, _read_stored),
    replace(layout_of("livekit", "chat contexts of LiveKit's agents", LIVEKIT, "items"), fits=_are_livekit),
)
