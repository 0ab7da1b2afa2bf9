"""Conversations as they arrive: what the decoders and encoders of all formats share (`ocml_bridge.events` names them).

Everything here is sans-IO: data in, data out, no clock, no chance, no waiting.
"""

from __future__ import annotations

from ..events import Answer, Decoder, Delta, Encoder, End, Event, Reason, RefusalDelta, Start, Stop
from .accumulate import accumulate, joined, replay
from .visible import Filter

__all__ = [
    "Answer",
    "Decoder",
    "Delta",
    "Encoder",
    "End",
    "Event",
    "Filter",
    "Reason",
    "RefusalDelta",
    "Start",
    "Stop",
    "accumulate",
    "joined",
    "replay",
]
