"""List the frameworks of agents whose stored messages are layouts, each with the reader of its messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .. import columns
from ..layout import Layout
from .conversations import ASSISTANTS, INTERACTIONS, MISTRAL, OUTPUTS
from .frameworks import MESSAGES, Framework, layout_of
from .readers import (
    KIND_NAME,
    As,
    Begins,
    Calls,
    Each,
    Kinds,
    Members,
    Names,
    Replies,
    Says,
    Shows,
    Texts,
    Then,
    Thinks,
    parts_of,
    says,
    thinks,
)
from .transcripts import ELEVENLABS, OPEN_INTERPRETER, RASA, VAPI

_USER, _ASSISTANT, _SYSTEM, _TOOL = "user", "assistant", "system", "tool"


_UI_PARTS: Final = parts_of(
    "parts",
    "type",
    {
        "text": Members({"text": Says(), "content": Says()}),
        "reasoning": Members({"text": Thinks(), "reasoning": Thinks()}),
        "thinking": Members({"text": Thinks(), "content": Thinks()}),
        "file": Shows(("url", "data")),
        "image": Shows(("source.value",), "source.mimeType", "image", ""),
        "audio": Shows(("source.value",), "source.mimeType", "audio", ""),
        "video": Shows(("source.value",), "source.mimeType", "video", ""),
        "document": Shows(("source.value",), "source.mimeType", "file", ""),
        "step-start": Begins(),
        "tool-call": Then(
            Calls("toolName", ("args", "input"), "toolCallId", ("result",)), Calls("name", ("arguments", "input"), "id")
        ),
        "tool-result": Replies(("content", "result", "output"), "toolCallId", "toolName"),
        "tool-": Calls(KIND_NAME, ("input", "rawInput"), "toolCallId", ("output", "errorText")),
        "dynamic-tool": Calls("toolName", ("input", "rawInput"), "toolCallId", ("output", "errorText")),
        "tool-invocation": Members({"toolInvocation": Calls("toolName", ("args",), "toolCallId", ("result",))}),
    },
)
UI_MESSAGES: Final = Framework(frozenset({"role", "parts"}), _UI_PARTS)
"""Vercel's AI SDK, versions 4 to 6, and TanStack AI, whose parts have a `content`."""
MASTRA: Final = Framework(frozenset({"role", "content", "threadId"}), Members({"content": _UI_PARTS}))
"""Messages that Mastra stores (format 2)."""

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
    parts_of(
        "parts",
        "part_kind",
        {
            "system-prompt": As(_SYSTEM, says("content")),
            "user-prompt": As(_USER, Members({"content": _PROMPT})),
            "tool-return": _RETURN,
            "retry-prompt": replace(_RETURN, nameless=says("content")),
            "text": says("content"),
            "thinking": thinks("content"),
            "tool-call": _CALL,
            "builtin-tool-call": _CALL,
            "builtin-tool-return": _RETURN,
            "file": Members({"content": _PROMPT}),
        },
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
                        "text": says("text"),
                        "thinking": thinks("content"),
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
    parts_of(
        "items",
        "content_type",
        {
            "text": says("text"),
            "reasoning": thinks("text"),
            "image": Shows(("data_uri", "uri"), "mime_type", "image", ""),
            "function_call": Calls("name", ("arguments",), "id"),
            "function_result": Replies(("result",), "id"),
        },
    ),
)

SEMANTIC_KERNEL_NET: Final = Framework(
    frozenset({"Role"}),
    parts_of(
        "Items",
        "$type",
        {
            "TextContent": says("Text"),
            "ReasoningContent": thinks("Text"),
            "ImageContent": Shows(("DataUri", "Uri"), "MimeType", "image", ""),
            "FunctionCallContent": Calls("FunctionName", ("Arguments",), "Id"),
            "FunctionResultContent": Replies(("Result",), "CallId"),
        },
    ),
    "Role.Label",
)
"""Semantic Kernel in .NET."""

CHATBOX: Final = Framework(
    frozenset({"role", "contentParts"}),
    parts_of(
        "contentParts",
        "type",
        {
            "text": says("text"),
            "reasoning": thinks("text"),
            "image": Shows(("url", "storageKey"), "mediaType", "image", ""),
            "tool-call": Calls("toolName", ("args",), "toolCallId", ("result",)),
        },
    ),
)
"""Chats of Chatbox (GPL-3.0), `src/shared/types/session.ts`."""

EXTENSIONS_AI: Final = Framework(
    frozenset({"role", "contents"}),
    parts_of(
        "contents",
        "$type",
        {
            "text": says("text"),
            "reasoning": thinks("text"),
            "data": Shows(("uri",), "mediaType", "file", "name"),
            "uri": Shows(("uri",), "mediaType", "file", ""),
            "functionCall": Calls("name", ("arguments",), "callId"),
            "functionResult": Replies(("result",), "callId"),
        },
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
                        "reasoning": thinks("reasoning_text"),
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
    parts="content",
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
    parts="content",
)

_RESULT: Final = "result.0.functionResponse.response"
GEMINI_CLI: Final = Framework(
    frozenset({"type", "content", "timestamp"}),
    Members(
        {
            "thoughts": Each(thinks("description")),
            "content": Each(Texts(says("text"))),
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
            "ThoughtEvent": thinks("content"),
            "ToolCallRequestEvent": Members({"content": _AUTOGEN_CALLS}),
            "ToolCallExecutionEvent": _AUTOGEN_RESULTS,
        },
    ),
    "source",
    {"user": _USER},
    speaker=_ASSISTANT,
)
"""AutoGen 0.4 and later: the messages of teams, and those of a model's context."""

_OF_TEXTS: Final = parts_of("content", "type", {"text": says("text")}, or_texts=True)
LETTA: Final = Framework(
    frozenset({"message_type"}),
    Kinds(
        "message_type",
        {
            "system_message": As(_SYSTEM, _OF_TEXTS),
            "user_message": As(_USER, _OF_TEXTS),
            "assistant_message": As(_ASSISTANT, _OF_TEXTS),
            "reasoning_message": As(_ASSISTANT, thinks("reasoning")),
            "tool_call_message": Members({"tool_call": Calls("name", ("arguments",), "tool_call_id")}),
            "tool_return_message": Replies(("tool_return",), "tool_call_id"),
        },
    ),
    speaker=_ASSISTANT,
)
SPRING: Final = Framework(
    frozenset({"messageType"}),
    Members(
        {
            "text": Says(),
            "toolCalls": Each(Calls("name", ("arguments",), "id")),
            "responses": Each(Replies(("responseData",), "id")),
        }
    ),
    "messageType",
)
_JAVA_IMAGE: Final = Members({"image": Shows(("url", "base64Data"), "mimeType", "image", "")})
LANGCHAIN4J: Final = Framework(
    frozenset({"type"}),
    Members(
        {
            "thinking": Thinks(),
            "text": Says(),
            "contents": Each(Kinds("type", {"TEXT": says("text"), "IMAGE": _JAVA_IMAGE})),
            "toolExecutionRequests": Each(Calls("name", ("arguments",), "id")),
            "id": Names("tool_call_id"),
            "toolName": Names("name"),
        }
    ),
    "type",
    {"USER": _USER, "AI": _ASSISTANT, "SYSTEM": _SYSTEM, "TOOL_EXECUTION_RESULT": _TOOL},
)

_OPENHANDS_TEXTS: Final = Each(Kinds("type", {"text": says("text")}))
_OPENHANDS_MESSAGE: Final = Members({"reasoning_content": Thinks(), "content": _OPENHANDS_TEXTS})
_OPENHANDS_RESULT: Final = Replies(("observation.content", "rejection_reason", "error"), "tool_call_id", "tool_name")
OPENHANDS: Final = Framework(
    frozenset({"kind", "source"}),
    Kinds(
        "kind",
        {
            "SystemPromptEvent": As(_SYSTEM, Members({"system_prompt": says("text"), "dynamic_context": says("text")})),
            "MessageEvent": Members(
                {
                    "llm_message": Kinds(
                        "role", {role: As(role, _OPENHANDS_MESSAGE) for role in (_SYSTEM, _USER, _ASSISTANT)}
                    ),
                    "extended_content": _OPENHANDS_TEXTS,
                }
            ),
            "ActionEvent": Then(
                Members({"reasoning_content": Thinks(), "thought": _OPENHANDS_TEXTS}),
                Calls("tool_name", ("tool_call.arguments", "action"), "tool_call_id"),
            ),
            **dict.fromkeys(("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"), _OPENHANDS_RESULT),
        },
    ),
    "source",
    {"agent": _ASSISTANT, "environment": _TOOL, "hook": _USER},
)
"""Events of OpenHands' SDK (version 1)."""


FRAMEWORKS: Final[tuple[Layout, ...]] = (
    layout_of("ui-messages", "messages of Vercel's AI SDK and of TanStack AI (UIMessage)", UI_MESSAGES),
    layout_of("pydantic-ai", "messages of Pydantic AI", PYDANTIC_AI),
    layout_of("llama-index", "messages of LlamaIndex", LLAMA_INDEX),
    layout_of("semantic-kernel", "messages of Semantic Kernel's chat history", SEMANTIC_KERNEL),
    layout_of("semantic-kernel-net", "messages of Semantic Kernel's chat history in .NET", SEMANTIC_KERNEL_NET),
    layout_of("chatbox", "messages of a session of Chatbox", CHATBOX),
    layout_of("extensions-ai", "messages of Microsoft.Extensions.AI", EXTENSIONS_AI),
    layout_of("haystack", "messages of Haystack", HAYSTACK),
    layout_of("genkit", "messages of Genkit", GENKIT),
    layout_of("gemini-cli", "sessions of Gemini CLI", GEMINI_CLI),
    layout_of("autogen", "messages of AutoGen", AUTOGEN),
    layout_of("mastra", "messages of Mastra", MASTRA),
    layout_of("letta", "messages of Letta", LETTA),
    layout_of("mistral-conversations", "entries of Mistral's conversations", MISTRAL, "entries", "outputs", MESSAGES),
    layout_of("gemini-interactions", "steps of Gemini's Interactions", INTERACTIONS, "steps", "input"),
    layout_of("gemini-outputs", "outputs of Gemini's Interactions", OUTPUTS, "outputs"),
    layout_of("assistants", "messages of threads of OpenAI's Assistants", ASSISTANTS, "data", MESSAGES),
    layout_of("spring-ai", "messages of Spring AI", SPRING),
    layout_of("openhands", "events of OpenHands' SDK", OPENHANDS, "history", "events", *columns.TURNS),
    layout_of("langchain4j", "messages of LangChain4j", LANGCHAIN4J),
    layout_of("elevenlabs", "the transcript of a call with an agent of ElevenLabs", ELEVENLABS),
    layout_of("vapi", "messages of a call with an assistant of Vapi", VAPI),
    layout_of("rasa", "events of a tracker of Rasa", RASA, "events"),
    layout_of("open-interpreter", "messages of Open Interpreter", OPEN_INTERPRETER),
)
