"""List the layouts of messages as frameworks of agents store them, each with the reader of its messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from ..model import Json
from . import columns
from .fitting import as_list, as_object
from .layout import Document, Layout, Object, Wording, misshapen
from .messages import ROLES, message, request, tools_of
from .readers import (
    KIND_NAME,
    As,
    Begins,
    Calls,
    Each,
    Kinds,
    Members,
    Names,
    Reader,
    Replies,
    Says,
    Shows,
    Texts,
    Thinks,
    Turn,
)
from .readers import without_nulls as known
from .trees import NODES, merged

_MESSAGES: Final = "messages"
_TOOLS: Final = "tools"
_USER, _ASSISTANT, _SYSTEM = "user", "assistant", "system"
_OTHERS: Final = {"developer": "developer"}


@dataclass(frozen=True, slots=True)
class Framework:
    """How a framework stores messages.

    Attributes:
        has: the members that all its messages have.
        reader: the reader of a message, without its role.
        role: the member that says the role of a message.
        roles: words for roles of its own; where a message has no role, its kind says which.
        speaker: the role of messages with another word, or without one; "" if all must have a known one.
        notes: words of what the program says, which is not part of the conversation.
        instructions: the member with what the system says before a message; only the first one is read.
    """

    has: frozenset[str]
    reader: Reader
    role: str = "role"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    instructions: str = ""
    speaker: str = ""
    notes: frozenset[str] = frozenset()

    def role_of(self, item: Object) -> str | None:
        """Return the role of a message; None if its word is not known."""
        return self.known_role(item) or self.speaker or None

    def known_role(self, item: Object) -> str | None:
        """Return the role that a message says; None if it says none that is known."""
        word = item.get(self.role)
        return self.roles.get(word) or ROLES.get(word.lower()) or _OTHERS.get(word) if isinstance(word, str) else None

    def is_message(self, item: Object) -> bool:
        """Return whether an object may be a message."""
        return self.has <= item.keys() and (self.role_of(item) is not None or item.get(self.role) in self.notes)


def are_of(framework: Framework, fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages of a framework, one of which says something."""
    items = [as_object(each) or {} for each in as_list(fields.get(_MESSAGES)) or []]
    if not items or not all(map(framework.is_message, items)):
        return False
    return any(_read(framework, each)[0] for each in items)


def read_of(framework: Framework, fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the messages of a framework, with what else they say in a column.

    Raises:
        BridgeError: OCB-SHAPE if declared tools are not tools, or if no message has content.
    """
    messages: list[Object] = []
    nodes: list[Json] = []
    first: Json = None
    for item in [as_object(each) or {} for each in as_list(fields[_MESSAGES]) or []]:
        found, rest = _read(framework, item)
        instructions = item.get(framework.instructions)
        first = instructions if not messages else first
        if isinstance(instructions, str) and instructions and instructions == first:
            messages += [] if messages else [message(_SYSTEM, instructions)]
            del rest[framework.instructions]
        messages += found
        nodes += [rest] if rest else []
    if not messages:
        raise misshapen(f"/{_MESSAGES}", "messages of which one says something")
    tools = tools_of(fields[_TOOLS], f"/{_TOOLS}") if _TOOLS in fields else None
    return [Document(request(merged(messages), tools), extra_columns={NODES: nodes} if nodes else {})]


def _read(framework: Framework, item: Object) -> tuple[list[Object], Object]:
    """Return the messages of Chat Completions of a message, and its members that they do not hold."""
    role = framework.role_of(item)
    if role is None:
        return [], item
    turn = Turn(role)
    rest = framework.reader.read(item, turn)
    around = as_object(rest) or {}
    read = (framework.role,) if framework.known_role(item) is not None else ()
    return turn.messages(), known({key: each for key, each in around.items() if key not in read})


# --- the frameworks ---------------------------------------------------------------------------------------------------

_TEXT: Final = Members({"text": Says()})

UI_MESSAGES: Final = Framework(
    frozenset({"role", "parts"}),
    Members(
        {
            "parts": Each(
                Kinds(
                    "type",
                    {
                        "text": _TEXT,
                        "reasoning": Members({"text": Thinks(), "reasoning": Thinks()}),
                        "file": Shows(("url", "data")),
                        "step-start": Begins(),
                        "tool-": Calls(KIND_NAME, ("input", "rawInput"), "toolCallId", ("output", "errorText")),
                        "dynamic-tool": Calls("toolName", ("input",), "toolCallId", ("output", "errorText")),
                        "tool-invocation": Members(
                            {"toolInvocation": Calls("toolName", ("args",), "toolCallId", ("result",))}
                        ),
                    },
                )
            )
        }
    ),
)
"""Vercel's AI SDK, versions 4 to 6."""

_URLS: Final = {f"{kind}-url": Shows(("url",), "media_type", kind, "") for kind in ("image", "video", "audio")}
_PROMPT: Final = Each(
    Texts(
        Kinds(
            "kind",
            {
                **_URLS,
                "document-url": Shows(("url",), "media_type", "file", ""),
                "binary": Shows(("data",), "media_type", "file", ""),
            },
        )
    )
)
_CALL: Final = Calls("tool_name", ("args",), "tool_call_id")
_RETURN: Final = Replies(("content",), "tool_call_id", "tool_name")

PYDANTIC_AI: Final = Framework(
    frozenset({"kind", "parts"}),
    Members(
        {
            "parts": Each(
                Kinds(
                    "part_kind",
                    {
                        "system-prompt": As(_SYSTEM, Members({"content": Says()})),
                        "user-prompt": As(_USER, Members({"content": _PROMPT})),
                        "tool-return": _RETURN,
                        "retry-prompt": replace(_RETURN, nameless=Members({"content": Says()})),
                        "text": Members({"content": Says()}),
                        "thinking": Members({"content": Thinks()}),
                        "tool-call": _CALL,
                        "builtin-tool-call": _CALL,
                        "builtin-tool-return": _RETURN,
                        "file": Members({"content": _PROMPT}),
                    },
                )
            )
        }
    ),
    "kind",
    {"request": _USER, "response": _ASSISTANT},
    "instructions",
)

LLAMA_INDEX: Final = Framework(
    frozenset({"role", "blocks"}),
    Members(
        {
            "blocks": Each(
                Kinds(
                    "block_type",
                    {
                        "text": _TEXT,
                        "thinking": Members({"content": Thinks()}),
                        "image": Shows(("image", "url", "path"), "image_mimetype", "image", ""),
                        "audio": Shows(("audio", "url", "path"), "format", "audio", ""),
                        "document": Shows(("data", "url", "path"), "document_mimetype", "file", "title"),
                        "tool_call": Calls("tool_name", ("tool_kwargs",), "tool_call_id"),
                    },
                )
            ),
            "additional_kwargs": Members(
                {
                    "tool_calls": Each(Calls("function.name", ("function.arguments",), "id")),
                    "tool_call_id": Names("tool_call_id"),
                    "name": Names("name"),
                }
            ),
        }
    ),
)

SEMANTIC_KERNEL: Final = Framework(
    frozenset({"role", "items"}),
    Members(
        {
            "items": Each(
                Kinds(
                    "content_type",
                    {
                        "text": _TEXT,
                        "reasoning": Members({"text": Thinks()}),
                        "image": Shows(("data_uri", "uri"), "mime_type", "image", ""),
                        "function_call": Calls("name", ("arguments",), "id"),
                        "function_result": Replies(("result",), "id"),
                    },
                )
            )
        }
    ),
)

EXTENSIONS_AI: Final = Framework(
    frozenset({"role", "contents"}),
    Members(
        {
            "contents": Each(
                Kinds(
                    "$type",
                    {
                        "text": _TEXT,
                        "reasoning": Members({"text": Thinks()}),
                        "data": Shows(("uri",), "mediaType", "file", "name"),
                        "uri": Shows(("uri",), "mediaType", "file", ""),
                        "functionCall": Calls("name", ("arguments",), "callId"),
                        "functionResult": Replies(("result",), "callId"),
                    },
                )
            )
        }
    ),
)
"""Microsoft.Extensions.AI and the Agent Framework."""

HAYSTACK: Final = Framework(
    frozenset({"role", "content", "meta"}),
    Members(
        {
            "content": Each(
                Members(
                    {
                        "reasoning": Members({"reasoning_text": Thinks()}),
                        "text": Says(),
                        "image": Shows(("base64_image",), "mime_type", "image", ""),
                        "file": Shows(("base64_data",), "mime_type", "file", "filename"),
                        "tool_call": Calls("tool_name", ("arguments",), "id"),
                        "tool_call_result": Replies(("result",), "origin.id", "origin.tool_name"),
                    },
                    without="type",
                )
            )
        }
    ),
)

GENKIT: Final = Framework(
    frozenset({"role", "content"}),
    Members(
        {
            "content": Each(
                Members(
                    {
                        "reasoning": Thinks(),
                        "text": Says(),
                        "media": Shows(("url",), "contentType", "image", ""),
                        "toolRequest": Calls("name", ("input",), "ref"),
                        "toolResponse": Replies(("output",), "ref"),
                    },
                    without="type",
                )
            )
        }
    ),
)

_RESULT: Final = "result.0.functionResponse.response"
GEMINI_CLI: Final = Framework(
    frozenset({"type", "content", "timestamp"}),
    Members(
        {
            "thoughts": Each(Members({"description": Thinks()})),
            "content": Each(Texts(_TEXT)),
            "toolCalls": Each(Calls("name", ("args",), "id", (f"{_RESULT}.output", f"{_RESULT}.error", _RESULT))),
        }
    ),
    "type",
    {"user": _USER, "gemini": _ASSISTANT},
    notes=frozenset({"info", "warning", "error"}),
)

_AUTOGEN_CALLS: Final = Each(Calls("name", ("arguments",), "id"))
_AUTOGEN_RESULTS: Final = Members({"content": Each(Replies(("content",), "call_id"))})
_AUTOGEN_TEXT: Final = Members({"content": Each(Texts(Shows(("url", "data"), "media_type", "image", "")))})
AUTOGEN: Final = Framework(
    frozenset({"type", "content"}),
    Kinds(
        "type",
        {
            "SystemMessage": As(_SYSTEM, _AUTOGEN_TEXT),
            "UserMessage": As(_USER, _AUTOGEN_TEXT),
            "AssistantMessage": As(_ASSISTANT, Members({"thought": Thinks(), "content": Each(Texts(_AUTOGEN_CALLS))})),
            "FunctionExecutionResultMessage": _AUTOGEN_RESULTS,
            **dict.fromkeys(("TextMessage", "MultiModalMessage", "HandoffMessage", "StopMessage"), _AUTOGEN_TEXT),
            "ThoughtEvent": Members({"content": Thinks()}),
            "ToolCallRequestEvent": Members({"content": _AUTOGEN_CALLS}),
            "ToolCallExecutionEvent": _AUTOGEN_RESULTS,
        },
    ),
    "source",
    {"user": _USER},
    speaker=_ASSISTANT,
)
"""AutoGen 0.4 and later: the messages of teams, and those of a model's context."""


def _layout(name: str, title: str, framework: Framework, *names: str) -> Layout:
    return Layout(
        name,
        title,
        "openai",
        {_MESSAGES: names or columns.TURNS, _TOOLS: columns.TOOLS},
        partial(are_of, framework),
        partial(read_of, framework),
    )


FRAMEWORKS: Final[tuple[Layout, ...]] = (
    _layout("ui-messages", "messages of Vercel's AI SDK (UIMessage)", UI_MESSAGES),
    _layout("pydantic-ai", "messages of Pydantic AI", PYDANTIC_AI),
    _layout("llama-index", "messages of LlamaIndex", LLAMA_INDEX),
    _layout("semantic-kernel", "messages of Semantic Kernel's chat history", SEMANTIC_KERNEL),
    _layout("extensions-ai", "messages of Microsoft.Extensions.AI", EXTENSIONS_AI),
    _layout("haystack", "messages of Haystack", HAYSTACK),
    _layout("genkit", "messages of Genkit", GENKIT),
    _layout("gemini-cli", "sessions of Gemini CLI", GEMINI_CLI),
    _layout("autogen", "messages of AutoGen", AUTOGEN),
)
