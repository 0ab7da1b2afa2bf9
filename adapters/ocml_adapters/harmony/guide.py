"""What an answer of gpt-oss looks like that an engine is to hold the model to: behind `<|start|>assistant`."""

from __future__ import annotations

from ocml_bridge.guidance import Frame, Guide, Step, Wanted

from .syntax import CHANNEL, CONSTRAIN, ENDS, MESSAGE, START

_NEXT = f"{ENDS['end']}{START}assistant"


def gpt_oss(wanted: Wanted) -> Guide:
    """A thought, where the model wants one; a preamble before calls; then a call, or the answer."""
    calls = [
        Frame(f"{CHANNEL}commentary to=functions.{name} {CONSTRAIN}json{MESSAGE}", schema)
        for name, schema in wanted.calls
    ]
    answer = [] if wanted.must_call else [Frame(f"{CHANNEL}final{MESSAGE}", wanted.answer)]
    thought = Step((Frame(f"{CHANNEL}analysis{MESSAGE}", end=_NEXT),), optional=True)
    preamble = Step((Frame(f"{CHANNEL}commentary{MESSAGE}", end=_NEXT),), optional=True)
    last = Step((*calls, *answer))
    return (thought, preamble, last) if calls else (thought, last)
