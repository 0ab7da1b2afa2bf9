"""Define the names of Chat Completions: roles, keys, and the order in which the writer writes keys."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of
from ocml_bridge.model import Json
from ocml_bridge.model.notes import Notes
from ocml_bridge.model.settings import SERVICE
from ocml_bridge.text.functions import MEMBERS
from ocml_bridge.wires.endings import Endings

HOME: Final = "openai"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "openai"
"""The vendor whose uploaded files the API accepts."""

CHANNELS: Final[dict[str, str | None]] = {"system": None, "developer": None, "user": None, "assistant": "final"}
"""The roles other than replies, and the channel of their messages."""
REPLIES: Final = frozenset({"tool", "function"})
"""The roles of a tool's reply; `function` is the deprecated one."""
ROLES: Final = frozenset(CHANNELS) | REPLIES

CONTENT: Final = "content"
OBJECT_AS_TEXT: Final = "object"
"""The layout of a content that was an object, as Cloudflare gives structured output: its compact JSON is the text."""
REASONING_TEXTS: Final = ("reasoning", "reasoning_content", "thinking", "reasoning_text", "tool_plan")
"""The keys with private reasoning as one text. Servers use different ones; none is official."""
DETAILS: Final = "reasoning_details"
"""The key with private reasoning as a list of items (OpenRouter)."""
BLOCKS: Final = "thinking_blocks"
"""The key with private reasoning as a list of blocks like those of Anthropic's models (LiteLLM)."""
REASONING: Final = ("reasoning", "reasoning_content", DETAILS, BLOCKS, "thinking", "reasoning_text", "tool_plan")
"""All keys with private reasoning; the first one in this order that has any is read."""
CAMEL: Final = {
    "toolCalls": "tool_calls",
    "toolCallId": "tool_call_id",
    "finishReason": "finish_reason",
    "imageUrl": "image_url",
    "documentUrl": "document_url",
    "inputAudio": "input_audio",
}
"""The members of messages, choices and parts in camel case, as Mistral's client for TypeScript has them."""
CAMEL_PARAMETERS: Final = {
    "maxTokens": "max_tokens",
    "topP": "top_p",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "parallelToolCalls": "parallel_tool_calls",
    "toolChoice": "tool_choice",
    "randomSeed": "random_seed",
}
"""The same of parameters."""
REASONING_KEY: Final = FormatOption(
    "reasoning",
    "Write private reasoning under this key of openai messages.",
    default="reasoning",
    choices=("reasoning", "reasoning_content"),
)

ANNOTATIONS: Final = "annotations"
IMAGES: Final = "images"
"""The key with images beside the text: those that a model made (OpenRouter, LiteLLM), or is given (Ollama)."""
AUDIO: Final = "audio"
"""The key of a sound of the assistant."""
IN_CAMEL: Final = "camel"
"""The layout's key for the members that were in camel case."""
BARE_IMAGES: Final = "images as"
"""The layout's key for images that are data alone."""
CACHE: Final = CONTROL.key
"""The key of a cache mark as servers of Anthropic's models accept it: on parts, messages, calls and tools."""
BREAKPOINT: Final = "prompt_cache_breakpoint"
"""The key of a cache mark as the API itself accepts it, on parts; it has no time to live."""
EXPLICIT: Final = {"mode": "explicit"}

MESSAGE_ORDER: Final = (
    *("role", "tool_call_id", "name"),
    *REASONING,
    *("content", "refusal", ANNOTATIONS, IMAGES, AUDIO, "tool_calls", "function_call", "weight", CACHE),
)
CALL_ORDER: Final = ("id", "type", "function", "custom", CACHE)
TOOL_ORDER: Final = ("type", "function", "custom", CACHE)
DECLARATION_ORDER: Final = MEMBERS
_PARAMETERS: Final = (
    *("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
    *("max_tokens", "max_completion_tokens", "stop", "seed", "n", "reasoning_effort", "reasoning", "verbosity"),
    *("modalities", "response_format", "tool_choice", "function_call", "parallel_tool_calls"),
    *SERVICE,
)
REQUEST_ORDER: Final = ("model", "messages", "tools", "functions", *_PARAMETERS, "usage")
PREFERRED: Final = "preferred_output"
NOT_PREFERRED: Final = "non_preferred_output"
PREFERENCE_ORDER: Final = ("input", PREFERRED, NOT_PREFERRED)
RESPONSE_ORDER: Final = ("id", "object", "created", "model", "choices", *_PARAMETERS, "usage")

TEXT_KEYS: Final = frozenset({"role", "content"})
"""The keys of a message that are always written."""
REPLY_KEYS: Final[dict[str, frozenset[str]]] = {"tool": TEXT_KEYS | {"tool_call_id"}, "function": TEXT_KEYS | {"name"}}
"""The keys of a reply that are always written, by role."""
CALL_KEYS: Final = frozenset({"id", "type"})
TOOL_KEYS: Final = frozenset({"type"})
DECLARATION_KEYS: Final = frozenset({"name"})
REQUEST_KEYS: Final = frozenset({"messages"})
SWITCHES: Final = ("web_search_options",)
"""The parameters that ask for something even if they are an empty object: this one asks for a search."""
PREFERENCE_KEYS: Final = frozenset({"input", "preferred_output"})
RESPONSE_KEYS: Final = frozenset({"choices"})
ENGINE_KEYS: Final = frozenset(
    {
        *(
            "model",
            "stream",
            "stream_options",
            "n",
            "seed",
            "random_seed",
            "stop",
            "max_tokens",
            "max_completion_tokens",
        ),
        *("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("logit_bias", "logprobs", "top_logprobs", "prediction", "include_reasoning", "usage"),
        *("user", "safety_identifier", "metadata", "store", "service_tier"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""Parameters for sampling, limits, transport and bookkeeping, which are no part of the conversation or the prompt."""

CONTINUING: Final = ("continue_final_message", "add_generation_prompt")
"""Parameters of model servers: the answer continues the last message, and no turn is opened after it."""

ELSEWHERE: Final = ("channel", "tool_call", "recipient", "token", "parts")
"""Keys of messages in other JSON formats."""
REQUESTED_ELSEWHERE: Final = ("system", "anthropic_version", "toolConfig", "inferenceConfig")
"""Keys of requests in other JSON formats: a system prompt outside the messages, tools by another name."""

UNDERSTOOD: Final = frozenset(
    {
        *(*REQUEST_ORDER, *RESPONSE_ORDER, *PREFERENCE_ORDER, *REQUESTED_ELSEWHERE, *ENGINE_KEYS),
        *CAMEL_PARAMETERS,
    }
) - {"id", "created"}
"""The keys of documents that the adapter knows. Any other is a label of the sender, such as an id in a request."""

INPUT_KEYS: Final[dict[str, str]] = {"function": "arguments", "custom": "input"}
"""The key of a call's input by the kind of the call."""

FUNCTION: Final = "function"
CUSTOM: Final = "custom"
FUNCTION_CALL: Final = "function_call"
"""The deprecated key of a single call without an id."""
TOOL_CALLS: Final = "tool_calls"
MESSAGES: Final = "messages"
TOOLS: Final = "tools"
TOOL_NAME: Final = "tool_name"
"""The key of the replying tool's name in Ollama."""
WEIGHT: Final = "weight"
"""The key of the weight that a message of fine-tuning data has in training."""

EXPECTED: Final = (
    "expected a list of messages, a request with 'messages', a response with 'choices', or a preference line with"
    " 'input' and 'preferred_output'"
)


def named(value: Object) -> tuple[Object, list[str]]:
    """Return an object with its members as the API names them, and the names of those that were in camel case."""
    if CAMEL.keys().isdisjoint(value):
        return value, []
    names = [name for key in value if (name := CAMEL.get(key)) is not None and name not in value]
    return {name if (name := CAMEL.get(key)) in names else key: member for key, member in value.items()}, names


def in_camel(value: Object, names: Json) -> Object:
    """Return an object with members in camel case: those that were read so."""
    if not isinstance(names, list):
        return value
    keys = {name: key for key, name in CAMEL.items() if name in names and key not in value}
    return {keys.get(key, key): member for key, member in value.items()}


ENDINGS: Final = Endings(
    {
        **dict.fromkeys(("stop", "tool_calls", "function_call"), "stop"),
        **dict.fromkeys(("length", "model_length"), "length"),
        "content_filter": "content_filter",
        "insufficient_system_resource": "truncated",
        "error": "error",
        "abort": "cancelled",
    },
    {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"},
)
"""The finish reasons of OpenAI, Mistral, DeepSeek, OpenRouter and vLLM; with calls, `stop` becomes `tool_calls`."""
_ANSWERS: Final = frozenset({"message", "delta", "text"})
"""The keys of a choice with its answer: in a response, in a chunk, and in a response of the older API."""


def is_withheld(choices: Json) -> bool:
    """Return whether the choices of a response have no answer because a filter of the server withheld it (Azure)."""
    items = items_of(choices)
    return bool(items) and all(map(_has_no_answer, items))


def _has_no_answer(choice: Json) -> bool:
    if not isinstance(choice, dict):
        return False
    members = cast("dict[str, Json]", choice)
    return ENDINGS.is_filtered(members.get("finish_reason")) and _ANSWERS.isdisjoint(members)
