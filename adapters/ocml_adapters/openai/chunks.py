"""Write the chunks of an answer (`chat.completion.chunk` in Server-Sent Events), and report what they lose.

A client assembles the chunks to one wire message with reasoning, text and calls. Several messages of a kind are joined,
and the order between the kinds is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from json.encoder import encode_basestring_ascii as quote
from typing import Final

from ocml_bridge.events import Answer, Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log, Loss, LossCode, Severity
from ocml_bridge.model import ByFormat, Document, Message, Transcript, replace
from ocml_bridge.report.report import report
from ocml_bridge.stream import sse
from ocml_bridge.stream.response_losses import leave_out, leave_out_parts
from ocml_bridge.wires.endings import with_filter

from .nearest import CALL, stage_of
from .settings import PARAMETERS
from .syntax import FUNCTION, REASONING_KEY, TOOL_CALLS

STREAM: Final = "openai-sse"
"""The stream id."""
CHUNK: Final = "chat.completion.chunk"
DONE: Final = "[DONE]"
"""The data of the event after all chunks."""

Ends = tuple[str, str]
"""The text of a chunk before and after the text in a chunk that has only more text."""


class Chunks:
    """The writer of the chunks of one answer.

    Args:
        answer: its id, model, time and index.
        options: their `REASONING_KEY` is the key of private reasoning.

    Attributes:
        reasoning: the text before and after more reasoning.
        content: the text before and after more content.
        refusal: the text before and after more of a refusal.
    """

    def __init__(self, answer: Answer, options: Options) -> None:
        self._whole: Object = {"id": answer.id, "object": CHUNK, "created": answer.created, "model": answer.model}
        self._before = f'data: {sse.dumps(self._whole)[:-1]},"choices":[{{"index":{answer.index},"delta":'
        self._after = ',"finish_reason":null}]}\n\n'
        self.reasoning: Final = self._ends(f'{{"{REASONING_KEY.of(options)}":', "}")
        self.content: Final = self._ends('{"content":', "}")
        self.refusal: Final = self._ends('{"refusal":', "}")

    def _ends(self, before: str, after: str) -> Ends:
        return f"{self._before}{before}", f"{after}{self._after}"

    def arguments(self, index: int) -> Ends:
        """Return the text before and after more of a call's arguments."""
        return self._ends(f'{{"{TOOL_CALLS}":[{{"index":{index},"{FUNCTION}":{{"arguments":', "}}]}")

    def delta(self, delta: Object) -> bytes:
        """Return a chunk with more members of the message."""
        return f"{self._before}{sse.dumps(delta)}{self._after}".encode()

    def of_call(self, index: int, members: Object) -> bytes:
        """Return a chunk with more members of a call."""
        return self.delta({TOOL_CALLS: [{"index": index, **members}]})

    def finish(self, reason: str) -> bytes:
        """Return the last chunk of the answer, with the finish reason."""
        return f'{self._before}{{}},"finish_reason":{quote(reason)}}}]}}\n\n'.encode()

    def usage(self, usage: dict[str, object]) -> bytes:
        """Return a chunk with the numbers of tokens, for all answers together."""
        return sse.write_json({**self._whole, "choices": [], "usage": usage})


# --- losses -----------------------------------------------------------------------------------------------------------


def losses_of(
    document: Document,
    read: list[Message],
    present: Collection[int],
    around: Object,
    extras: ByFormat | None,
    *,
    alone: Collection[int],
    reason: Reason | None,
) -> list[Loss]:
    """Return the losses: what the document has and the client has not.

    Args:
        document: the document.
        read: the messages that the client reads; none if nothing was written.
        present: the indexes of the document's messages that were written.
        around: the settings that the client has, by the keys of a response.
        extras: the extras that the client has.
        alone: the indexes of written messages that are not joined to others of their kind.
        reason: why the answer is over, as the client knows; None if it broke off.
    """
    if reason in (None, "length") and read:
        read[-1] = replace(read[-1], end=None)
    log = Log()
    if isinstance(document, Transcript):
        written = _place(document.messages, present, alone, log)
        for index, message in zip(written, read, strict=False):
            leave_out_parts(document.messages[index], message, f"/messages/{index}/content", log, STREAM)
    is_filtered = isinstance(document, Transcript) and document.settings is not None and document.settings.filtered
    settings = PARAMETERS.read(around).settings
    settings = with_filter(settings, is_filtered=is_filtered is True and reason == "content_filter")
    image = Transcript(tuple(read), settings=settings, extras=extras)
    report(document, image, log, target=STREAM)
    return log.losses


def _place(messages: Sequence[Message], present: Collection[int], alone: Collection[int], log: Log) -> list[int]:
    """Report messages that are missing, joined to others, or moved; return the indexes of the written ones."""
    places: list[tuple[int, int]] = []
    first: dict[int, int] = {}
    for index, message in enumerate(messages):
        stage = stage_of(message)
        if stage is None or index not in present:
            leave_out(message, index, log, STREAM)
        elif stage != CALL and index not in alone and first.setdefault(stage, index) != index:
            detail = f"{STREAM} joins this message to message {first[stage]}, after a blank line"
            log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
        else:
            places.append((stage, index))
    written = [index for _, index in sorted(places)]
    moved = _moved(written)
    for index in moved:
        detail = f"{STREAM} has reasoning before text, and text before calls; this message moves after others"
        log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
    if moved:
        detail = f"{STREAM} has the messages {', '.join(map(str, moved))} in this place"
        log.lose(LossCode.MESSAGE, f"/messages/{len(messages)}", detail, Severity.LAYOUT)
    return written


def _moved(order: Sequence[int]) -> Sequence[int]:
    """Return the indices of the messages from the first one that changed places on, given all in their new order."""
    start = next((at for at, (previous, index) in enumerate(pairwise(order), 1) if index < previous), len(order))
    return order[start:]
