"""Define the names of the Responses API: types of items and parts, keys, and the order in which they are written."""

from __future__ import annotations

from typing import Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import value_at
from ocml_bridge.model.notes import Notes
from ocml_bridge.model.settings import SERVICE

HOME: Final = "openai-responses"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "openai"
"""The vendor whose encrypted reasoning and whose uploaded files the API accepts."""

INPUT: Final = "input"
MESSAGES: Final = "messages"
OUTPUT: Final = "output"
MESSAGE: Final = "message"
REASONING: Final = "reasoning"
FUNCTION_CALL: Final = "function_call"
CUSTOM_CALL: Final = "custom_tool_call"
FUNCTION_OUTPUT: Final = "function_call_output"
CUSTOM_OUTPUT: Final = "custom_tool_call_output"
ADDITIONAL_TOOLS: Final = "additional_tools"
AGENT_MESSAGE: Final = "agent_message"

BODIES: Final[dict[str, str]] = {FUNCTION_CALL: "arguments", CUSTOM_CALL: "input"}
"""The key of a call's input by the type of the item."""
OUTPUTS: Final = frozenset({FUNCTION_OUTPUT, CUSTOM_OUTPUT})
"""The types of items that are a tool's reply."""
REFERENCE: Final = "item_reference"
HOLDING: Final = frozenset({REFERENCE, "compaction", "compaction_summary", "context_compaction"})
"""The types of items that stand for others, which only the server has, or can read."""
STATE: Final = HOLDING | {
    *("compaction_trigger", "configuration_update", "mcp_list_tools"),
}
"""The types of items that are no messages: the state of a conversation on the server, and requests to change it."""

# --- messages ---------------------------------------------------------------------------------------------------------

ROLES: Final[dict[str, str | None]] = {"system": None, "developer": None, "user": None, "assistant": "final"}
"""The roles, and the channel of their messages without a phase."""
PHASE: Final = "phase"
FINAL_ANSWER: Final = "final_answer"
PHASES: Final[dict[str, str]] = {FINAL_ANSWER: "final", "commentary": "commentary"}
"""The channel of an assistant's message by its phase; on commentary it is a preamble, which is shown to the user."""

INPUT_TEXT: Final = "input_text"
OUTPUT_TEXT: Final = "output_text"
REASONING_TEXT: Final = "reasoning_text"
SUMMARY_TEXT: Final = "summary_text"
TEXTS: Final = frozenset({INPUT_TEXT, OUTPUT_TEXT, "text"})
"""The types of a message's parts that are texts; other servers use `text` (Ollama, LM Studio)."""
THOUGHTS: Final = frozenset({REASONING_TEXT, SUMMARY_TEXT})
"""The types of parts that are texts in reasoning alone."""
SUMMARY: Final = "summary"
"""The content type of a thought that is a summary of the reasoning."""

# --- the order of keys ------------------------------------------------------------------------------------------------

MESSAGE_ORDER: Final = ("type", "id", "status", "role", "content", "phase")
AGENT_ORDER: Final = ("type", "id", "author", "recipient", "content")
REASONING_ORDER: Final = ("type", "id", "status", "summary", "content", "encrypted_content")
CALL_ORDER: Final = ("type", "id", "status", "call_id", "name", "namespace", "arguments", "input")
OUTPUT_ORDER: Final = ("type", "id", "status", "call_id", "name", "namespace", "output")
HOSTED_ORDER: Final = ("type", "id", "status", "call_id")
TOOLS_ORDER: Final = ("type", "id", "role", "tools")
ANNOTATIONS: Final = "annotations"
BREAKPOINT: Final = "prompt_cache_breakpoint"
"""The key of a cache mark on a part; it has no time to live."""
EXPLICIT: Final = {"mode": "explicit"}
TEXT_ORDER: Final = ("type", "text", ANNOTATIONS, "logprobs", BREAKPOINT)
TOOL_ORDER: Final = ("type", "name", "description", "parameters", "strict", "tools")
_PARAMETERS: Final = (
    *("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "repetition_penalty"),
    *("max_output_tokens", "stop", "seed", "reasoning.effort", "reasoning.summary", "text.format", "text.verbosity"),
    *("tool_choice", "parallel_tool_calls"),
    *SERVICE,
)
REQUEST_ORDER: Final = ("model", "instructions", "input", "messages", "tools", *_PARAMETERS, "usage")
RESPONSE_ORDER: Final = ("id", "object", "created_at", "status", "model", "output", "tools", *_PARAMETERS, "usage")

MESSAGE_KEYS: Final = frozenset({"type", "role", "content"})
"""The keys of a message that are always written; the next constants are those of other items."""
AGENT_KEYS: Final = frozenset({"type", "author", "content"})
REASONING_KEYS: Final = frozenset({"type", "id", "summary"})
CALL_KEYS: Final[dict[str, frozenset[str]]] = {
    kind: frozenset({"type", "call_id", "name", body}) for kind, body in BODIES.items()
}
OUTPUT_KEYS: Final = frozenset({"type", "call_id", "output"})
TOOL_KEYS: Final[dict[str, frozenset[str]]] = {
    "function": frozenset({"type", "name", "parameters", "strict"}),
    "custom": frozenset({"type", "name"}),
    "namespace": frozenset({"type", "name", "description", "tools"}),
}
RESPONSE_KEYS: Final = frozenset({"output"})

FOLDED: Final = ("reasoning", "text")
"""The members of a request that are objects of parameters."""
ENGINE_KEYS: Final = frozenset(
    {
        *("model", "stream", "stream_options", "background", "store", "include", "previous_response_id"),
        *("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("max_output_tokens", "max_tool_calls", "stop", "seed", "top_logprobs", "truncation", "usage"),
        *("user", "safety_identifier", "metadata", "service_tier", "text.verbosity"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""Parameters for sampling, limits, transport and bookkeeping, which are no part of the conversation or the prompt."""

EXPECTED: Final = "expected a list of items, a request with 'input', or a response with 'output'"


def is_filtered(response: Object) -> bool:
    """Return whether a filter ended the answer of a response; any other reason for its end is a limit of length."""
    return value_at(response, ("incomplete_details", "reason")) == "content_filter"
