"""What a stream of chunks could not say: what its client puts together, beside the document.

An answer is one wire message there. Reasoning, text and calls are parallel texts in it: several of a kind are joined,
and the order between the kinds is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from ocml_bridge.loss import Log, Loss, LossCode, Severity
from ocml_bridge.model import Document, Message, Transcript, replace
from ocml_bridge.narrowing import drop_message
from ocml_bridge.report import report
from ocml_bridge.visibility import is_private

from .form import Object, by_format
from .nearest import CALL, stage_of
from .settings import read_settings
from .spelling import spelled

STREAM: Final = "openai-sse"
"""The stream id."""


def losses_of(
    document: Document, messages: Sequence[Message], present: Collection[int], around: Object, *, cut_off: bool
) -> list[Loss]:
    """Everything that a document says and the client does not know.

    Args:
        document: what was to be said.
        messages: the answer, of one wire message; none where nothing was said.
        present: the numbers of the document's messages that are in it.
        around: what the client knows of the document beside its messages, by the keys of a response.
        cut_off: whether the client knows that the last of it was cut off.
    """
    read = spelled(messages)[1] if messages else []
    if cut_off and read:
        read[-1] = replace(read[-1], end=None)
    log = Log()
    if isinstance(document, Transcript):
        _place(document.messages, present, log)
    known = read_settings(around)
    image = Transcript(tuple(read), settings=known.settings, extras=by_format(known.others))
    report(document, image, log, target=STREAM)
    return log.losses


def _place(messages: Sequence[Message], present: Collection[int], log: Log) -> None:
    """Report which messages are not there, not on their own, or not in their place."""
    places: list[tuple[int, int]] = []
    first: dict[int, int] = {}
    for index, message in enumerate(messages):
        stage = stage_of(message)
        if stage is None or index not in present:
            drop_message(log, index, _reason(message))
        elif stage != CALL and first.setdefault(stage, index) != index:
            detail = f"{STREAM} joins it to message {first[stage]}, behind a blank line"
            log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
        else:
            places.append((stage, index))
    moved = _moved([index for _, index in sorted(places)])
    for index in moved:
        detail = f"in {STREAM} reasoning goes before text and text before calls; this one stands behind others"
        log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
    if moved:
        detail = f"{STREAM} has messages {', '.join(map(str, moved))} here"
        log.lose(LossCode.MESSAGE, f"/messages/{len(messages)}", detail, Severity.LAYOUT)


def _moved(order: Sequence[int]) -> Sequence[int]:
    """Of the messages in their new order, those behind the first that changed places."""
    stay = next((at for at, (one, other) in enumerate(pairwise(order), 1) if other < one), len(order))
    return order[stay:]


def _reason(message: Message) -> str:
    if message.role != "assistant":
        return f"{STREAM} is one answer: it has no place for messages of others"
    if message.content and is_private(message):
        return f"{STREAM} was not to tell of it: it is hidden from end users"
    if message.content:
        return f"nothing of it came to {STREAM} that it has a place for"
    return f"{STREAM} has no place for a message without text"
