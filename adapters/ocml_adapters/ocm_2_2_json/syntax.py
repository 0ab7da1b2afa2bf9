"""Define the keys of the JSON interchange (OpenChatML 2.2 §10) and of its documented extension for tool replies."""

from __future__ import annotations

from typing import Final

from ocml_bridge.model.notes import Notes
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.thoughts import KINDS

HOME: Final = "ocm-2.2-json"
NOTES: Final = Notes(HOME)

ROLE: Final = "role"
CHANNEL: Final = "channel"
CONTENT: Final = "content"
TOOL_CALL: Final = "tool_call"
THINKING: Final = "thinking"
INTENT: Final = "intent"
NAME: Final = "name"
CALL_ID: Final = "call_id"

KEYS: Final = (ROLE, CHANNEL, CONTENT, TOOL_CALL, THINKING, INTENT, NAME, CALL_ID)
"""The order in which keys are written: that of §10, then the extension: a speaker's `name`, a reply's `call_id`."""
CALL_KEYS: Final = {"id": "call_id", "recipient": "recipient", "content_type": "constraint", "arguments": "content"}
"""The fields of a message by the keys of a tool call."""

MARKERS: Final = ControlTokens(f"<|start_{kind}|>" for kind in KINDS)
"""The thought markers (§7), which have a meaning in private reasoning, so that they are broken in its text."""
