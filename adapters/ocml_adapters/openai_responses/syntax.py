"""The names that the Responses API uses: types of items and of parts, keys, and the order in which we write keys."""

from __future__ import annotations

from typing import Final

from ocml_bridge.model.notes import Notes
from ocml_bridge.model.settings import SERVICE

HOME: Final = "openai-responses"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "openai"
"""Whose reasoning the API takes back encrypted, and whose files it finds."""

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

BODIES: Final[dict[str, str]] = {FUNCTION_CALL: "arguments", CUSTOM_CALL: "input"}
"""Type of call → the key of what the tool is given."""
OUTPUTS: Final = frozenset({FUNCTION_OUTPUT, CUSTOM_OUTPUT})
"""Types of a tool's reply."""
STATE: Final = frozenset(
    {"item_reference", "compaction", "compaction_summary", "compaction_trigger", "context_compaction"}
    | {"configuration_update", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}
)
"""Types of items in which nobody says anything: what the server keeps of a conversation, and what it is told of it."""

# --- messages ---------------------------------------------------------------------------------------------------------

ROLES: Final[dict[str, str | None]] = {"system": None, "developer": None, "user": None, "assistant": "final"}
"""Roles, and the channel that their text is on where no phase says another."""
PHASES: Final[dict[str, str]] = {"final_answer": "final", "commentary": "commentary"}
"""Phase of an assistant's message → its channel; commentary is a preamble, which is shown."""

INPUT_TEXT: Final = "input_text"
OUTPUT_TEXT: Final = "output_text"
REASONING_TEXT: Final = "reasoning_text"
SUMMARY_TEXT: Final = "summary_text"
TEXTS: Final = frozenset({INPUT_TEXT, OUTPUT_TEXT, REASONING_TEXT, SUMMARY_TEXT, "text"})
"""Types of parts that are texts; other servers have `text` (Ollama, LM Studio)."""
SUMMARY: Final = "summary"
"""The content type of a thought that is but a summary of what was thought."""

# --- the order of keys ------------------------------------------------------------------------------------------------

MESSAGE_ORDER: Final = ("type", "id", "status", "role", "content", "phase")
REASONING_ORDER: Final = ("type", "id", "status", "summary", "content", "encrypted_content")
CALL_ORDER: Final = ("type", "id", "status", "call_id", "name", "namespace", "arguments", "input")
OUTPUT_ORDER: Final = ("type", "id", "status", "call_id", "name", "namespace", "output")
HOSTED_ORDER: Final = ("type", "id", "status", "call_id")
TOOLS_ORDER: Final = ("type", "id", "role", "tools")
ANNOTATIONS: Final = "annotations"
BREAKPOINT: Final = "prompt_cache_breakpoint"
"""A mark at a part; it does not say how long."""
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
"""The keys of a message that we always write; the same for other items follows."""
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
"""Objects of a request whose members are parameters of their own."""
ENGINE_KEYS: Final = frozenset(
    {
        *("model", "stream", "stream_options", "background", "store", "include", "previous_response_id"),
        *("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("max_output_tokens", "max_tool_calls", "stop", "seed", "top_logprobs", "truncation", "usage"),
        *("user", "safety_identifier", "metadata", "service_tier", "text.verbosity"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""Sampling, limits, transport and bookkeeping: no part of the conversation, and none of a prompt's business."""

EXPECTED: Final = "expected a list of items, a request with 'input', or a response with 'output'"
