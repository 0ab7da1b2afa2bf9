"""A message as a Harmony frame of token ids, for plans."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript
from ocml_bridge.text.unicode import is_unicode
from ocml_bridge.units.grammar import ByDocument, Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Item

from .message import body_of, header_of
from .syntax import DEVELOPER, ENDS, HOME, IDS, MESSAGE, START
from .tokens import encode, encode_header
from .units import Frames, declared, state_behind


class TokenFrames(Frames):
    """Writes frames as token ids: a unit is the text of its header, its body, and the token that ends it."""

    target = "harmony-tokens"
    mark = None

    def inert(self, text: str) -> bool:
        """Tokens in a body are ordinary text, which is encoded as such."""
        return True

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """As for text; ids that came with a message are looked at with those of all others."""
        if any(not head.bare and not head.local(HOME).bare for head, _, _ in items):
            raise ByDocument
        return super().relate(items, around)

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The parts of a frame."""
        made = self.image(group[0], state, paths[0], log, last=last)
        end = ENDS[made.end] if made.end is not None else ""
        return Spelled([f"{header_of(made, prompted=False)}{MESSAGE}", body_of(made), end], [made], state_behind(made))

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The ids of all frames, with the tools in a frame of their own.

        Raises:
            ByDocument: for a text that UTF-8 cannot hold.
        """
        image = Transcript()
        if around.tools is not None:
            section, tools = declared(around.tools)
            units.insert(at, [f"{START}{DEVELOPER}{MESSAGE}", section, ENDS["end"]])
            image = Transcript((), tools)
        out: list[int] = []
        for header, body, end in units:
            if not is_unicode(body):
                raise ByDocument
            out += encode_header(header)
            out += encode(body)
            if end:
                out.append(IDS[end])
        return Enclosed(out, image)
