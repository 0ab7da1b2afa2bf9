"""How the events of one response are spelled, each with its number, as Server-Sent Events."""

from __future__ import annotations

from json.encoder import encode_basestring_ascii as quote
from typing import Final

from ocml_bridge.events import Answer
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Usage
from ocml_bridge.stream import sse

STREAM: Final = "openai-responses-sse"
"""The stream id."""


class Events:
    """Spells events; numbers them from 0.

    Args:
        answer: its id, model and time.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._number = 0

    def event(self, kind: str, **members: Json) -> bytes:
        """One event."""
        value = {"type": kind, "sequence_number": self._next(), **members}
        return sse.write_json(value, kind)

    def ends(self, kind: str, behind: Object, **members: Json) -> tuple[str, str]:
        """What stands before the number of an event that is more of a text, and between number and text.

        Args:
            kind: its type.
            behind: what stands behind the text.
            members: what stands before it.
        """
        before = f'event: {kind}\ndata: {{"type":{quote(kind)},"sequence_number":'
        between = f',{sse.dumps({**members, **behind})[1:-1]},"delta":'
        return before, between

    def delta(self, ends: tuple[str, str], text: str) -> bytes:
        """An event that is more of a text."""
        before, between = ends
        return f"{before}{self._next()}{between}{quote(text)}}}\n\n".encode("ascii")

    def _next(self) -> int:
        number, self._number = self._number, self._number + 1
        return number

    def response(self, status: str, output: list[Json], model: str, **more: Json) -> Object:
        """The response as far as it has come."""
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
    """The numbers as a response has them, which has all of them; None where one is not known."""
    numbers = usage.input_tokens, usage.output_tokens, usage.total_tokens
    if None in numbers:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens or 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": usage.total_tokens,
    }
