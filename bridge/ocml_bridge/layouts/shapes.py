"""Describe the shape of a row: what decides on its layout, apart from what its texts say.

Rows of one file mostly have one shape, so what was found out about the first of them need not be found out again. A
row whose values are of kinds that are not described here has no shape, and each layout looks at it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, cast

from ..model import Json
from . import columns

WORDS_OF_ROWS: Final = frozenset({"type", "kind", "object", "model", "role", "schema_version", "message_type"})
"""Members of a row whose words decide."""
WORDS: Final = frozenset(
    (
        *("role", "from", "speaker", "author", "sender", "source"),
        *("type", "kind", "messageType", "message_type", "channel", "token", "object", "schema_version"),
        *("event", "format"),
    )
)
"""Members of a message, of a call or of a tool whose words decide."""
_LISTS: Final = frozenset({"content", "tool_calls"})
"""Members of messages whose items are described."""
_OBJECTS: Final = frozenset({"function_call", "function", "image_url", "input_audio"})
"""Members of messages, of their parts and of their calls of which their own members are described."""
_LONGEST_WORD: Final = 64
_MOST: Final = 3
"""Lists of more items are alike."""
_SCALARS: Final = frozenset({bool, int, float})
_TOOLS: Final = frozenset(columns.TOOLS)
NO_TEXTS: Final = frozenset[str]()
DECIDED_BY: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        (
            *("opencode", "atif", "goose", "livekit", "deepseek-export", "chatgpt-export", "grok-export"),
            *("claude-export", "open-webui", "librechat", "lm-studio", "chainlit", "adk", "wrapped", "inspect"),
            *("ui-messages", "pydantic-ai", "llama-index", "semantic-kernel", "semantic-kernel-net", "extensions-ai"),
            *("haystack", "genkit", "gemini-cli", "autogen", "mastra", "letta", "mistral-conversations", "assistants"),
            *("spring-ai", "langchain4j", "openhands", "oasst", "llamafactory-v1", "source-target", "sharegpt"),
            *("compared", "ranked", "langchain", "messages", "spoken", "pairs", "bfcl", "stepwise"),
            *("task", "prompt-completion", "kto", "alpaca", "question-answer", "answered-by-any", "history"),
            *("gemini-interactions", "gemini-outputs", "key-values", "elevenlabs", "vapi", "rasa", "open-interpreter"),
            "nova-preference",
        ),
        NO_TEXTS,
    ),
    "answered": frozenset({"answer"}),
    "reasoned": frozenset({"thought"}),
    "ms-swift": frozenset({"rejected"}),
    "preference": frozenset({"chosen", "rejected"}),
    "rendered": frozenset({"instruction"}),
    "rendered-preference": frozenset({"instruction", "chosen", "rejected"}),
    "xlam": frozenset({"calls"}),
    "texts": frozenset({"speakers"}),
    "toolace": frozenset({"conversations"}),
    "hermes-functions": frozenset({"conversations"}),
    "logged": frozenset({"request", "response", "error", "url", "id"}),
}
"""Layouts that the shape of a row decides on, each with the fields whose texts decide, too, if a row has them.

Any value may decide on the other layouts.
"""


class _NoShapeError(Exception):
    """A value is of a kind that is not described."""


def shape_of(row: Mapping[str, Json]) -> Hashable | None:
    """Return the shape of a row; None if it has values whose shape is not described."""
    try:
        return tuple([(name, _of_column(name, value)) for name, value in row.items()])
    except _NoShapeError:
        return None


def _of_column(name: str, value: Json) -> Hashable:
    kind = value.__class__
    if kind is str:
        text = cast("str", value)
        if name in WORDS_OF_ROWS:
            return _word(text)
        if text.lstrip()[:1] in _JSON and name not in _TOOLS:
            raise _NoShapeError  # JSON text, which some layouts parse
        return str if text else ""
    if kind is list:
        items = cast("list[Json]", value)
        return _of_tools(items) if name in _TOOLS else _of_list(items)
    if kind is dict:
        return _of_members(cast("dict[str, Json]", value))
    return _of_scalar(value)


_JSON: Final = frozenset("[{")


def _of_scalar(value: Json) -> Hashable:
    if value is None or value is True or value is False:
        return value
    if value.__class__ in _SCALARS:
        return value.__class__
    raise _NoShapeError


def _word(text: str) -> Hashable:
    if len(text) > _LONGEST_WORD:
        raise _NoShapeError
    return text


def _of_list(items: list[Json]) -> Hashable:
    """Return the shape of a list: of its first and its last item, of all items, and of how many it has."""
    if not items:
        return (list,)
    shapes = [_of_message(item) if item.__class__ is dict else _of_item(item) for item in items]
    return shapes[0], shapes[-1], frozenset(shapes), min(len(items), _MOST)


def _of_item(value: Json) -> Hashable:
    if value.__class__ is str:
        return str if value else ""
    return _of_scalar(value)


def _of_message(value: Json) -> Hashable:
    message = cast("dict[str, Json]", value)
    if len(message) == 2:
        role, content = message.get("role"), message.get("content")
        if role.__class__ is str and content.__class__ is str:
            return _word(cast("str", role)), content == ""
    return _of_members(message)


def _of_members(members: dict[str, Json]) -> Hashable:
    """Return the shape of an object whose members are texts and scalars, and calls."""
    shape: list[Hashable] = []
    for key, value in members.items():
        if value.__class__ is not str:
            shape += (key, _of_member(key, value))
        elif key in WORDS:
            shape += (key, _word(cast("str", value)))
        else:
            shape += (key, str if value else "")
    return tuple(shape)


def _of_member(key: str, value: Json) -> Hashable:
    kind = value.__class__
    if kind is list and key in _LISTS:
        return _of_list(cast("list[Json]", value))
    if kind is dict and key in _OBJECTS:
        return tuple([(name, each.__class__, not each) for name, each in cast("dict[str, Json]", value).items()])
    return _of_scalar(value)


def _of_tools(items: list[Json]) -> Hashable:
    """Return the shape of declared tools: the members of each, and its type."""
    tools = list(map(_of_tool, items))
    return (list, *tools[:1], frozenset(tools))


def _of_tool(value: Json) -> Hashable:
    if value.__class__ is not dict:
        raise _NoShapeError
    tool = cast("dict[str, Json]", value)
    kind = tool.get("type")
    return tuple([(key, each.__class__) for key, each in tool.items()]), _word(kind) if isinstance(kind, str) else None
