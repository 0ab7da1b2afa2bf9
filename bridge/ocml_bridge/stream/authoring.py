"""Everything that the author of a format's streams imports: `from ocml_bridge.stream.authoring import *`."""

from ..events import Answer, Delta, End, Event, Start, Stop
from .buffer import Hold
from .decoder import LiveLog, TextDecoder
from .encoder import TextEncoder
from .frames import FrameEvents, Live

__all__ = [
    "Answer",
    "Delta",
    "End",
    "Event",
    "FrameEvents",
    "Hold",
    "Live",
    "LiveLog",
    "Start",
    "Stop",
    "TextDecoder",
    "TextEncoder",
]
