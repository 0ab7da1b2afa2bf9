"""Check that the time of reading and writing grows no faster than the document."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time

from ..convert import read, write
from ..formats.adapter import Adapter
from ..model import Message, Transcript
from ..report.policy import LENIENT

_TURNS, _TIMES = 150, 8
_ALLOWED = 3 * _TIMES
"""What is linear takes `_TIMES` as long for a document `_TIMES` as large; what is quadratic, the square of that."""


def check_growth(adapter: str | Adapter) -> None:
    """Check law 6: the time of reading and writing grows no faster than the document.

    It measures the processor's time of this process for a document and for one that is eight times as large, and takes
    the least of several runs.

    Args:
        adapter: a format id, or an adapter that need not be registered.
    """
    documents = [_conversation(turns) for turns in (_TURNS, _TURNS * _TIMES)]
    outputs = [write(document, adapter, policy=LENIENT).encode() for document in documents]
    _linear("writer", *(lambda document=document: write(document, adapter, policy=LENIENT) for document in documents))
    _linear("reader", *(lambda output=output: read(output, adapter) for output in outputs))


def _linear(name: str, small: Callable[[], object], large: Callable[[], object]) -> None:
    seconds = _least(small, 3)
    growth = min(_least(large, 1) / seconds for _ in range(2))
    assert growth < _ALLOWED, (
        f"the {name} takes {growth:.0f} times as long for a document {_TIMES} times as large; "
        "look for a search, a slice or a copy of the rest of the document that is made again for each unit or character"
    )


def _least(run: Callable[[], object], times: int) -> float:
    """Return the least of the processor's seconds that a function takes."""
    found: list[float] = []
    for _ in range(times):
        gc.collect()
        begin = process_time()
        run()
        found.append(process_time() - begin)
    return max(min(found), 1e-4)


def _conversation(turns: int) -> Transcript:
    """Return a conversation of questions and answers, which all differ."""
    messages: list[Message] = []
    for number in range(turns):
        messages += (
            Message("user", f"Question {number}: is 1 < {number} | 2? " * 3),
            Message("assistant", f"Answer {number}.\n" * 5, channel="final"),
        )
    return Transcript(tuple(messages))
