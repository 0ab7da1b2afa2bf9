"""Describe the messages of transcripts: of voice agents' calls, of Rasa's bots, and of Open Interpreter."""

from __future__ import annotations

from typing import Final

from .frameworks import Framework
from .readers import Calls, Each, Kinds, Members, Replies, Runs, Says, says

_ASSISTANT, _TOOL = "assistant", "tool"

ELEVENLABS: Final = Framework(
    frozenset({"role", "message", "tool_calls", "tool_results"}),
    Members(
        {
            "message": Says(),
            "tool_calls": Each(Calls("tool_name", ("params_as_json",), "request_id")),
            "tool_results": Each(Replies(("result_value",), "request_id", "tool_name")),
        }
    ),
)
"""The transcript of a call with an agent of ElevenLabs."""

VAPI: Final = Framework(
    frozenset({"role", "time", "secondsFromStart"}),
    Kinds(
        "role",
        {
            **dict.fromkeys(("system", "user", "bot", "assistant"), says("message")),
            "tool_calls": Members(
                {"message": Says(), "toolCalls": Each(Calls("function.name", ("function.arguments",), "id"))}
            ),
            "tool_call_result": Replies(("result",), "toolCallId"),
        },
    ),
    roles={"tool_calls": _ASSISTANT, "tool_call_result": _TOOL},
)
"""The messages of a call with an assistant of Vapi."""

RASA: Final = Framework(
    frozenset({"event", "timestamp"}),
    Kinds("event", dict.fromkeys(("user", "bot"), says("text"))),
    "event",
    notes=frozenset(
        (
            *("action", "slot", "session_started", "user_featurization", "action_execution_rejected", "entities"),
            *("active_loop", "loop_interrupted", "restart", "reset_slots", "undo", "rewind", "pause", "resume"),
            *("followup", "reminder", "cancel_reminder", "export", "agent", "definePrevUserUtteredFeaturization"),
            *("flow_started", "flow_completed", "flow_interrupted", "flow_resumed", "flow_cancelled", "stack"),
        )
    ),
)
"""The events of a tracker of Rasa."""

OPEN_INTERPRETER: Final = Framework(
    frozenset({"role", "type", "content"}),
    Kinds(
        "type",
        {
            "message": says("content"),
            "code": Runs("format", "content", "id"),
            "console": Kinds("format", {"output": Replies(("content",), "id")}),
        },
    ),
    roles={"computer": _TOOL},
)
"""The messages of Open Interpreter: code is a call of a tool that takes a text."""
