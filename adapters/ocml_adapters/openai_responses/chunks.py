"""Write the events of one response, each with its sequence number, as Server-Sent Events; and the response itself."""

from __future__ import annotations

from json.encoder import encode_basestring_ascii as quote
from typing import Final

from ocml_bridge.events import Answer
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Usage
from ocml_bridge.stream import sse

STREAM: Final = "openai-responses-sse"
"""The stream id."""


class EventWriter:
    """Writes events and numbers them from 0.

    Args:
        answer: the id, the model and the time of the answer.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._number = 0

    def event(self, kind: str, **members: Json) -> bytes:
        """Return an event."""
        value = {"type": kind, "sequence_number": self._next(), **members}
        return sse.write_json(value, kind)

    def ends(self, kind: str, more: Object, **members: Json) -> tuple[str, str]:
        """Return the text before the number of a delta event, and the text between its number and its delta.

        Args:
            kind: the type of the event.
            more: members that follow the others.
            members: the other members.
        """
        before = f'event: {kind}\ndata: {{"type":{quote(kind)},"sequence_number":'
        between = f',{sse.dumps({**members, **more})[1:-1]},"delta":'
        return before, between

    def delta(self, ends: tuple[str, str], text: str) -> bytes:
        """Return a delta event.

        Args:
            ends: as `ends` returns it.
            text: the delta.
        """
        before, between = ends
        number, self._number = self._number, self._number + 1  # as `_next`, which would be a call for every token
        return f"{before}{number}{between}{quote(text)}}}\n\n".encode("ascii")

    def _next(self) -> int:
        number, self._number = self._number, self._number + 1
        return number

    def response(self, status: str, output: list[Json], model: str, **more: Json) -> Object:
        """Return the response so far."""
        return {
            "id": self._answer.id,
            "object": "response",
            "created_at": self._answer.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": model,
            "output": output,
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            **more,
        }


def write_usage(usage: Usage) -> Object | None:
    """Return the numbers of tokens of a response; None if one is unknown, because a response has all of them.

    Numbers of details that are unknown are 0: the types of the official client require them.
    """
    numbers = usage.input_tokens, usage.output_tokens, usage.total_tokens
    if None in numbers:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens or 0, "cache_write_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": usage.total_tokens,
    }
