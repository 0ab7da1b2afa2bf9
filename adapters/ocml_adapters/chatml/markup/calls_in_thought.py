"""Find the calls that end a thought without an end tag: a model that calls a function has ended its thought.

Qwen3.5 often writes a call without `</think>` before it. A call is a part of the thought if `</think>` or text follows.
"""

from __future__ import annotations

from .parts import calls_of
from .segments import Cutter, Segment


class CallsInThought:
    """Buffers what may be such calls, while the rest of a thought arrives.

    Attributes:
        has_call: whether a whole call is a part of the thought.
    """

    def __init__(self) -> None:
        self.has_call = False
        self._cutter = Cutter(in_thought=True)
        self._calls: list[str] = []
        self._size = 0

    @property
    def pending(self) -> int:
        """The number of characters that are buffered."""
        return self._size + self._cutter.pending

    @property
    def is_empty(self) -> bool:
        """Whether nothing is buffered."""
        return not self._calls and self._cutter.opener == ""

    def feed(self, text: str) -> str:
        """Take more of the thought, not cut inside a tag; return what is certainly a part of it."""
        return "".join([part for segment in self._cutter.feed(text) for part in self._parts(segment)])

    def passed(self, text: str) -> None:
        """Take text that has no tag."""
        self._cutter.passed(text)

    def release(self) -> str:
        """Return what is buffered, which is a part of the thought."""
        text = self._inner_calls()
        return text + "".join(segment.raw for segment in self._cutter.finish())

    def finish(self) -> tuple[str, str]:
        """End the text: return the rest of the thought, and the calls that end it."""
        thought = "".join([part for segment in self._cutter.finish() for part in self._parts(segment)])
        return thought, self._all_calls()

    def _parts(self, segment: Segment) -> list[str]:
        """Take a segment; return what is a part of the thought."""
        if _is_call_or_blank(segment) and (segment.opener or self._calls):
            self._calls.append(segment.raw)
            self._size += len(segment.raw)
            return []
        return [self._inner_calls(), segment.raw]

    def _inner_calls(self) -> str:
        self.has_call = self.has_call or bool(self._calls)
        return self._all_calls()

    def _all_calls(self) -> str:
        calls = "".join(self._calls)
        self._calls, self._size = [], 0
        return calls


def holds_call(thought: str) -> bool:
    """Return whether a whole call is a part of a thought."""
    reader = CallsInThought()
    reader.feed(thought)
    reader.release()
    return reader.has_call


def _is_call_or_blank(segment: Segment) -> bool:
    if not segment.opener:
        return not segment.raw.strip()
    found = calls_of(segment)
    return len(found.calls) > 0 and not found.rest.strip() and all(call.whole for call in found.calls)
