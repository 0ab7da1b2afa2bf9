"""The names that Chat Completions uses: roles, keys, and the order in which we write keys."""

from __future__ import annotations

from typing import Final

from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.model.notes import Notes
from ocml_bridge.model.settings import SERVICE
from ocml_bridge.text.functions import MEMBERS

HOME: Final = "openai"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "openai"
"""Whose files the API finds."""

CHANNELS: Final[dict[str, str | None]] = {"system": None, "developer": None, "user": None, "assistant": "final"}
"""Roles whose message may be a bare text, and the channel that the text is on."""
REPLIES: Final = frozenset({"tool", "function"})
"""The roles of a tool's reply; `function` is the deprecated one."""
ROLES: Final = frozenset(CHANNELS) | REPLIES

CONTENT: Final = "content"
REASONING_TEXTS: Final = ("reasoning", "reasoning_content", "thinking")
"""Keys that give private reasoning as one text. Servers differ in which they know; none is official."""
DETAILS: Final = "reasoning_details"
"""The key that gives it as a list, one item a block."""
BLOCKS: Final = "thinking_blocks"
"""The same of LiteLLM, with blocks as Anthropic's models have them."""
REASONING: Final = ("reasoning", "reasoning_content", DETAILS, BLOCKS, "thinking")
"""All of them, in the order in which they are believed."""
REASONING_KEY: Final = FormatOption(
    "reasoning",
    "Write private reasoning under this key of openai messages.",
    default="reasoning",
    choices=("reasoning", "reasoning_content"),
)

ANNOTATIONS: Final = "annotations"
IMAGES: Final = "images"
"""Where OpenRouter and LiteLLM have the images that a model made, behind its text."""
CACHE: Final = "cache_control"
"""A mark as servers of Anthropic's models take it: at parts, at messages, at calls, at tools."""
EPHEMERAL: Final = "ephemeral"
"""The type of such a mark."""
BREAKPOINT: Final = "prompt_cache_breakpoint"
"""A mark at a part as the API itself has it; it does not say how long."""
EXPLICIT: Final = {"mode": "explicit"}

MESSAGE_ORDER: Final = (
    *("role", "tool_call_id", "name"),
    *REASONING,
    *("content", "refusal", ANNOTATIONS, IMAGES, "tool_calls", "function_call", "weight", CACHE),
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
"""The keys of a message that we always write."""
REPLY_KEYS: Final[dict[str, frozenset[str]]] = {"tool": TEXT_KEYS | {"tool_call_id"}, "function": TEXT_KEYS | {"name"}}
"""The same for replies, by role."""
CALL_KEYS: Final = frozenset({"id", "type"})
TOOL_KEYS: Final = frozenset({"type"})
DECLARATION_KEYS: Final = frozenset({"name"})
REQUEST_KEYS: Final = frozenset({"messages"})
PREFERENCE_KEYS: Final = frozenset({"input", "preferred_output"})
RESPONSE_KEYS: Final = frozenset({"choices"})
ENGINE_KEYS: Final = frozenset(
    {
        *("model", "stream", "stream_options", "n", "seed", "stop", "max_tokens", "max_completion_tokens"),
        *("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("logit_bias", "logprobs", "top_logprobs", "prediction", "include_reasoning", "usage"),
        *("user", "safety_identifier", "metadata", "store", "service_tier"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""Sampling, limits, transport and bookkeeping: no part of the conversation, and none of a prompt's business."""

CONTINUING: Final = ("continue_final_message", "add_generation_prompt")
"""As servers of models take them: the answer goes on with the last message; and no turn is opened behind it."""

ELSEWHERE: Final = ("channel", "tool_call", "recipient", "token", "parts")
"""Members of messages in other JSON formats."""
REQUESTED_ELSEWHERE: Final = ("system", "anthropic_version", "toolConfig", "inferenceConfig")
"""Members of requests in other JSON formats: a system prompt beside the messages, tools by another name."""

UNDERSTOOD: Final = frozenset(
    {
        *(*REQUEST_ORDER, *RESPONSE_ORDER, *PREFERENCE_ORDER, *REQUESTED_ELSEWHERE, *ENGINE_KEYS),
    }
) - {"id", "created"}
"""Members around messages that mean something here. Others are the sender's own, as an id is in a request."""

INPUT_KEYS: Final[dict[str, str]] = {"function": "arguments", "custom": "input"}
"""Kind of call → the key of what the tool is given."""

FUNCTION: Final = "function"
CUSTOM: Final = "custom"
FUNCTION_CALL: Final = "function_call"
"""The deprecated key that holds one call without an id."""
TOOL_CALLS: Final = "tool_calls"
MESSAGES: Final = "messages"
TOOLS: Final = "tools"
TOOL_NAME: Final = "tool_name"
"""Where Ollama has the name of the tool that replies."""
WEIGHT: Final = "weight"
"""How much a message of fine-tuning data counts in training."""

EXPECTED: Final = (
    "expected a list of messages, a request with 'messages', a response with 'choices', or a preference line with"
    " 'input' and 'preferred_output'"
)
