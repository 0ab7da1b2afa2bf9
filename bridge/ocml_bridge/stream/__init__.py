"""Decode and encode conversations as they arrive: the parts that all formats share. Events: `ocml_bridge.events`.

Everything here is sans-IO: data in, data out, without a clock, random numbers or waiting.
"""

from __future__ import annotations

from ..events import (
    Answer,
    Decoder,
    Delta,
    Encoder,
    End,
    Event,
    Named,
    PartEnd,
    Reason,
    RefusalDelta,
    Signed,
    Start,
    Stop,
)
from .accumulate import accumulate, joined, replay
from .ledger import Answered, Call, Failed, Fault, Ledger, Opened, Rejected
from .visible import Filter

__all__ = [
    "Answer",
    "Answered",
    "Call",
    "Decoder",
    "Delta",
    "Encoder",
    "End",
    "Event",
    "Failed",
    "Fault",
    "Filter",
    "Ledger",
    "Named",
    "Opened",
    "PartEnd",
    "Reason",
    "RefusalDelta",
    "Rejected",
    "Signed",
    "Start",
    "Stop",
    "accumulate",
    "joined",
    "replay",
]
