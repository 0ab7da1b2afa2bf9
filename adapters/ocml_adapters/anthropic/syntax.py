"""Define the names of Anthropic Messages: roles, types of blocks, keys, and the order of keys when written."""

from __future__ import annotations

from itertools import permutations
from typing import Final

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.model.notes import Notes
from ocml_bridge.wires.endings import Endings
from ocml_bridge.wires.tool_alphabet import Alphabet

HOME: Final = "anthropic"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "anthropic"
"""The vendor whose signatures and uploaded files the API accepts."""

ROLES: Final = frozenset({"user", "assistant", "system"})
"""The roles of a wire message. Since 2026, a system message may be among the others."""

TEXT: Final = "text"
THINKING: Final = "thinking"
REDACTED: Final = "redacted_thinking"
REASONING: Final = "reasoning"
"""The type of thoughts as Roo Code stores those of any model, beside the blocks of the API."""
TOOL_USE: Final = "tool_use"
TOOL_RESULT: Final = "tool_result"
IMAGE: Final = "image"
DOCUMENT: Final = "document"
SEARCH_RESULT: Final = "search_result"

CITATIONS: Final = "citations"
CACHE: Final = CONTROL.key

OPAQUE: Final = frozenset(
    {
        *(SEARCH_RESULT, "container_upload", "tool_reference", "compaction", "fallback"),
        *("tool_addition", "tool_removal", "mcp_tool_listing"),
    }
)
"""The types of blocks that the API has and the canonical form has not: they become foreign parts without a finding."""

_CALL: Final = ("type", "id", "name", "input")
_RESULT: Final = ("type", "tool_use_id", "content")
_USUAL: Final = {
    TEXT: (("type", "text"), ("type", "text", CACHE), ("type", "text", CITATIONS)),
    THINKING: (("type", "thinking", "signature"),),
    REDACTED: (("type", "data"),),
    TOOL_USE: (_CALL, (*_CALL, CACHE)),
    TOOL_RESULT: (_RESULT, (*_RESULT, CACHE), (*_RESULT, "is_error")),
}
PLAIN: Final = {
    (kind, *spelled): keys for kind, usual in _USUAL.items() for keys in usual for spelled in permutations(keys)
}
"""By type and keys of a block: the keys as they are written. The values are written as they were, if none is empty."""
WIRE_ORDER: Final = ("role", "content")
TOOL_ORDER: Final = ("type", "name", "description", "input_schema", "strict", "cache_control")
REQUEST_ORDER: Final = (
    *("model", "max_tokens", "system", "messages", "tools", "tool_choice", "thinking", "output_config"),
    *("output_format", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "stream"),
)
RESPONSE_ORDER: Final = (
    *("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"),
)

WIRE_KEYS: Final = frozenset(WIRE_ORDER)
"""The keys that each wire message has."""
REQUEST_KEYS: Final = frozenset({"messages"})
ENDINGS: Final = Endings(
    {
        **dict.fromkeys(("end_turn", "stop_sequence", "tool_use", "pause_turn"), "stop"),
        **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
        "refusal": "content_filter",
    },
    {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"},
)
"""The stop reasons; in a stream with calls, `stop` becomes `tool_calls`."""
RESPONSE_KEYS: Final = frozenset({"type", "role", "content", "stop_reason"})

ENGINE_KEYS: Final = frozenset(
    {
        *("model", "max_tokens", "stop_sequences", "stream", "temperature", "top_k", "top_p", "metadata"),
        *("service_tier", "speed", "inference_geo", "cache_control", "context_management", "container", "mcp_servers"),
        *("anthropic_version", "anthropic_beta", "betas", "diagnostics", "user_profile_id", "fallbacks"),
        *("fallback_credit_token", "workspace_id"),
        *("id", "type", "role", "stop_reason", "stop_sequence", "stop_details", "usage"),
    }
)
"""The keys of requests and responses that only the inference engine needs: they are no part of a prompt."""

REQUEST_MEMBERS: Final = frozenset(REQUEST_ORDER) | {
    *("service_tier", "speed", "inference_geo", "cache_control", "context_management", "container", "mcp_servers"),
    *("anthropic_version", "anthropic_beta", "betas", "diagnostics", "user_profile_id", "workspace_id"),
}
"""The keys that a request may have."""

NO_ROLES: Final = frozenset({"tool", "function", "developer"})
NO_MEMBERS: Final = frozenset({"tool_calls", "tool_call_id", "function_call"})
"""The roles and members of messages that only other JSON formats have."""
NAMED_BY_TYPE: Final = frozenset({"text", "thinking"})
"""The types of blocks that have their value under a key of the same name."""

MESSAGES: Final = "messages"
SYSTEM: Final = "system"
TOOLS: Final = "tools"
MESSAGE: Final = "message"
"""The type of a response. In extras and layout, the key of a wire message's other members, and of their form."""

IDS: Final = Alphabet("a-zA-Z0-9_-", 65535)
"""The ids of calls that the API accepts; it names no maximum length."""

MAX_TOKENS: Final = 4096
"""The `max_tokens` of a request that has none: the API requires it, and all models accept this number."""

EXPECTED: Final = "expected a request with 'messages', a response of type 'message', or a list of messages"

UNSIGNED: Final = FormatOption(
    "unsigned",
    "Say what to do with unsigned reasoning in anthropic messages: the API refuses it, other servers take it.",
    default="leave-out",
    choices=("leave-out", "keep"),
)
