"""The names that Anthropic Messages uses: roles, types of blocks, keys, and the order in which we write keys."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.model.notes import Notes

HOME: Final = "anthropic"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "anthropic"
"""Whose signatures the API takes back, and whose files it finds."""

ROLES: Final = frozenset({"user", "assistant", "system"})
"""The roles of a wire message; a system message may stand among the others since 2026."""

TEXT: Final = "text"
THINKING: Final = "thinking"
REDACTED: Final = "redacted_thinking"
TOOL_USE: Final = "tool_use"
TOOL_RESULT: Final = "tool_result"
IMAGE: Final = "image"
DOCUMENT: Final = "document"
SEARCH_RESULT: Final = "search_result"

CITATIONS: Final = "citations"
CACHE: Final = "cache_control"
EPHEMERAL: Final = "ephemeral"
"""The type of a mark."""

OPAQUE: Final = frozenset({SEARCH_RESULT, "container_upload", "tool_reference", "compaction", "fallback"})
"""Blocks that the API has and the canonical form has no place for; they are kept as they are, without a word."""

TEXT_ORDER: Final = ("type", "text", "citations", "cache_control")
MEDIA_ORDER: Final = ("type", "source", "title", "context", "citations", "cache_control")
SOURCE_ORDER: Final = ("type", "media_type", "data", "url", "file_id")
THINKING_ORDER: Final = ("type", "thinking", "signature")
REDACTED_ORDER: Final = ("type", "data")
CALL_ORDER: Final = ("type", "id", "name", "input", "caller", "cache_control")
RESULT_ORDER: Final = ("type", "tool_use_id", "content", "is_error", "cache_control")
WIRE_ORDER: Final = ("role", "content")
TOOL_ORDER: Final = ("type", "name", "description", "input_schema", "strict", "cache_control")
REQUEST_ORDER: Final = (
    *("model", "max_tokens", "system", "messages", "tools", "tool_choice", "thinking", "output_config"),
    *("output_format", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "stream"),
)
RESPONSE_ORDER: Final = (
    *("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"),
)

TEXT_KEYS: Final = frozenset({"type", "text"})
"""The keys of each kind of object that we always write."""
MEDIA_KEYS: Final = frozenset({"type", "source"})
SOURCE_KEYS: Final = frozenset({"type"})
CALL_KEYS: Final = frozenset({"type", "id", "name", "input"})
RESULT_KEYS: Final = frozenset({"type", "tool_use_id", "content"})
WIRE_KEYS: Final = frozenset(WIRE_ORDER)
REQUEST_KEYS: Final = frozenset({"messages"})
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
"""The keys of requests and responses that are the engine's business: no part of a prompt."""

REQUESTED: Final = frozenset(REQUEST_ORDER) | {
    *("service_tier", "speed", "inference_geo", "cache_control", "context_management", "container", "mcp_servers"),
    *("anthropic_version", "anthropic_beta", "betas", "diagnostics", "user_profile_id", "workspace_id"),
}
"""What a request may have."""

NO_ROLES: Final = frozenset({"tool", "function", "developer"})
NO_MEMBERS: Final = frozenset({"tool_calls", "tool_call_id", "function_call"})
"""Roles and members of messages in other JSON formats."""
OWN_NAMES: Final = frozenset({"text", "thinking"})
"""Blocks that have their value under the name of their type."""

EMPTY: Final = "empty"
"""The key of the layout of a text that says nothing and stands all the same where the API refuses it."""
MESSAGES: Final = "messages"
SYSTEM: Final = "system"
TOOLS: Final = "tools"
MESSAGE: Final = "message"
"""The type of a response; in extras and layout, the key of what a wire message keeps beside its blocks."""

LAWFUL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
"""What the API takes as the id of a call."""

MAX_TOKENS: Final = 4096
"""How long an answer may be, where a request does not say it: the API asks for it, and all models take this number."""

EXPECTED: Final = "expected a request with 'messages', a response of type 'message', or a list of messages"

UNSIGNED: Final = FormatOption(
    "unsigned",
    "Say what to do with unsigned reasoning in anthropic messages: the API refuses it, other servers take it.",
    default="leave-out",
    choices=("leave-out", "keep"),
)
