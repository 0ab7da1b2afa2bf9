"""ChatML as it arrives: the batch reader's scanner and reader, fed piece by piece."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.events import Decoder
from ocml_bridge.stream.decoder import LiveLog, TextDecoder
from ocml_bridge.stream.frames import Live, Saying
from ocml_bridge.stream.hold import Hold

from .reader import FrameReader, beginning
from .syntax import CONTROL, END, GRAMMAR, SPECIALS, TEXT

HOLD: Final = Hold(SPECIALS)


class Reading(Live):
    """The reading of a stream: whatever stands in a body is text.

    Args:
        log: takes the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._messages = (reader := FrameReader(log, TEXT)).messages
        super().__init__(log, GRAMMAR, reader)

    def saying(self, header: str) -> Saying:
        """What says the body of a frame with this header."""
        return Saying(self.log, len(self._messages), beginning(header), CONTROL.restore)

    def ending(self, start: str, saying: Saying) -> str:
        """The token that ends a frame."""
        return END


def decoder(_options: Options) -> Decoder:
    """A decoder of raw ChatML. Feed it the generation prompt first where the model's answer begins behind one."""
    log = LiveLog()
    return TextDecoder(Reading(log), HOLD, log)
