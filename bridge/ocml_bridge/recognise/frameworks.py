"""List the kinds of messages that frameworks of agents store, with their marks."""

from __future__ import annotations

from typing import Final

from ..model import Json
from .marks import Kind, Place, among, holding, like, listing, marked, of_types, planned, words

_D, _M, _P, _PIECE = Place.DOCUMENT, Place.MESSAGE, Place.PART, Place.PIECE


def _null_or_text(value: Json) -> bool:
    return value is None or isinstance(value, str)


FRAMEWORKS: Final[tuple[Kind, ...]] = (
    planned(
        "messages of Haystack",
        (
            marked(_P, "type", tool_call=holding("tool_name")),
            marked(_P, "type", tool_call_result=holding("origin")),
            marked(_M, meta=dict, name=_null_or_text, content=listing("text", "image", "reasoning", without="type")),
        ),
        format="haystack",
    ),
    planned(
        "messages of Genkit",
        (
            marked(_P, "type", toolRequest=holding("name")),
            marked(_P, "type", toolResponse=holding("name")),
            marked(_P, "type", media=holding("url")),
            marked(
                _M, role=words("model"), content=listing("text", "reasoning", "toolRequest", "data", without="type")
            ),
        ),
        format="genkit",
    ),
    planned(
        "messages of Pydantic AI",
        (marked(_M, kind=words("request", "response"), parts=list), marked(_PIECE, part_kind=str)),
        format="pydantic-ai",
    ),
    planned("messages of LlamaIndex", (marked(_M, role=str, blocks=listing("block_type")),), format="llama-index"),
    planned(
        "messages of Semantic Kernel", (marked(_M, items=listing("content_type"), role=str),), format="semantic-kernel"
    ),
    planned("messages of Semantic Kernel in .NET", (marked(_M, Role=holding("Label")),), format="semantic-kernel-net"),
    planned(
        "messages of Microsoft.Extensions.AI",
        (marked(_M, contents=listing("$type"), role=str),),
        format="extensions-ai",
    ),
    planned(
        "messages of Vercel's AI SDK (UIMessage)",
        (
            marked(_PIECE, type=words("text", "reasoning"), text=str),
            marked(_PIECE, type=words("step-start", "dynamic-tool", "tool-invocation", "source-url")),
            marked(_PIECE, type=like(r"tool-[\w-]+"), state=str),
        ),
        format="ui-messages",
    ),
    planned("a session of opencode", (marked(_M, info=holding("role"), parts=list),), format="opencode"),
    planned(
        "a trajectory of Harbor's agents (ATIF)",
        (marked(_D, schema_version=like(r"ATIF-v[\d.]+"), steps=list),),
        format="atif",
    ),
    planned("a session of Goose", (marked(_M, role=str, content=among("toolCall")),), format="goose"),
    planned(
        "a session of Gemini CLI",
        (marked(_D, projectHash=str, messages=list), marked(_M, type=words("gemini"), content=str, timestamp=str)),
        format="gemini-cli",
    ),
    planned(
        "messages of AutoGen",
        (
            marked(_M, "role", type=words("TextMessage", "ToolCallRequestEvent", "MultiModalMessage"), source=str),
            marked(_M, "role", type=words("UserMessage", "AssistantMessage"), source=str),
        ),
        format="autogen",
    ),
    planned("messages of Mastra", (marked(_M, content=holding("format", "parts"), role=str),), format="mastra"),
    planned(
        "messages of Letta",
        (marked(_D, message_type=like(r"\w+_message"), id=str), marked(_M, message_type=like(r"\w+_message"), id=str)),
        format="letta",
    ),
    planned(
        "entries of Mistral's conversations",
        (
            marked(_D, conversation_id=str, entries=list),
            marked(_D, conversation_id=str, outputs=list),
            marked(_M, type=words("message.input", "message.output", "function.call", "function.result"), object=str),
        ),
        format="mistral-conversations",
    ),
    planned(
        "an interaction of Gemini's Interactions API",
        (
            marked(_D, input=of_types("user_input", "model_output", "function_result")),
            marked(_M, "role", type=words("user_input", "model_output", "function_result")),
            marked(_D, object=words("interaction"), status=str),
            marked(_D, steps=listing("type"), usage=holding("total_output_tokens")),
            marked(_D, outputs=listing("type"), usage=holding("total_output_tokens")),
        ),
        format="gemini-interactions",
    ),
    planned(
        "messages of threads of OpenAI's Assistants",
        (
            marked(_D, object=words("list"), data=listing("thread_id")),
            marked(_M, object=words("thread.message"), content=list),
        ),
        format="assistants",
    ),
    planned("messages of Spring AI", (marked(_M, messageType=str, metadata=dict),), format="spring-ai"),
    planned(
        "messages of LangChain4j",
        (
            marked(_M, contents=listing("text", "image"), type=words("USER")),
            marked(_M, toolExecutionRequests=list, type=words("AI")),
            marked(_M, toolName=str, type=words("TOOL_EXECUTION_RESULT")),
        ),
        format="langchain4j",
    ),
    planned("messages of Open Interpreter", (marked(_D, messages=of_types("console")),), format="open-interpreter"),
    planned(
        "a session of Google's Agent Development Kit",
        (
            marked(_D, events=listing("author", "invocationId", "invocation_id")),
            marked(_D, author=str, invocation_id=str),
            marked(_D, author=str, invocationId=str),
        ),
        format="adk",
    ),
    planned(
        "an eval set of Google's Agent Development Kit",
        (marked(_D, eval_set_id=str, eval_cases=list), marked(_D, evalSetId=str, evalCases=list)),
        format="adk-evals",
    ),
)
