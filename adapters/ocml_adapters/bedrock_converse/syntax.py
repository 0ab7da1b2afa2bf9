"""Define the names of Converse's JSON: keys, roles, kinds of blocks.

They are those of `bedrock-runtime/2023-09-30/service-2.json` in botocore.
"""

from __future__ import annotations

from typing import Final

from ocml_bridge.model.notes import Notes
from ocml_bridge.wires.endings import Endings

HOME: Final = "bedrock-converse"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""

MESSAGES: Final = "messages"
CONTENT: Final = "content"
SYSTEM: Final = "system"
TOOL_CONFIG: Final = "toolConfig"
TOOLS: Final = "tools"
TOOL_SPEC: Final = "toolSpec"
OUTPUT: Final = "output"
MESSAGE: Final = "message"
STOP_REASON: Final = "stopReason"

IMAGE: Final = "image"
TOOL_USE: Final = "toolUse"
TOOL_RESULT: Final = "toolResult"
REASONING: Final = "reasoningContent"
REASONING_TEXT: Final = "reasoningText"
REDACTED: Final = "redactedContent"
GUARDED: Final = "guardContent"
CITED: Final = "citationsContent"
CITATIONS: Final = "citations"
SEARCH_RESULT: Final = "searchResult"
CACHE_POINT: Final = "cachePoint"
MARK: Final = "default"
"""The type of a cache point."""
KINDS: Final = frozenset(
    {
        *("text", IMAGE, "document", "video", "audio", TOOL_USE, TOOL_RESULT, GUARDED, CACHE_POINT, REASONING, CITED),
        *(SEARCH_RESULT, "toolAddition", "toolRemoval"),
    }
)
"""The keys of the kinds of content blocks; a block has exactly one of them (`ContentBlock`)."""

ROLES: Final[dict[str, str]] = {"user": "user", "assistant": "assistant", "system": "system"}

REQUEST_ORDER: Final = ("modelId", MESSAGES, SYSTEM, "inferenceConfig", TOOL_CONFIG)
RESPONSE_ORDER: Final = (OUTPUT, STOP_REASON, "usage", "metrics")
REQUEST_MARKS: Final = ("modelId", TOOL_CONFIG, "inferenceConfig", "additionalModelRequestFields", "guardrailConfig")
"""The members of a request that no other format has."""
ENGINE_KEYS: Final = frozenset(
    {
        *("modelId", "inferenceConfig", "additionalModelRequestFields", "additionalModelResponseFieldPaths"),
        *("guardrailConfig", "requestMetadata", "performanceConfig", "serviceTier", "metrics", "$metadata"),
    }
)
"""The keys of requests and responses that only the inference engine needs: they are no part of a prompt."""
ENDINGS: Final = Endings(
    {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "tool_use": "stop",
        **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
        **dict.fromkeys(("guardrail_intervened", "content_filtered"), "content_filter"),
        **dict.fromkeys(("malformed_model_output", "malformed_tool_use"), "truncated"),
    },
    {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "content_filtered"},
)
"""The stop reasons; in a stream with calls, `stop` becomes `tool_calls`."""
EXPECTED: Final = (
    "expected a request with 'messages', a response with 'output' and 'stopReason', or a list of messages with"
    " 'content'"
)
EVENTS: Final = "the items are events of one answer; `ocml-convert stream -f bedrock-converse` puts them together"
