"""Harmony frames of token ids and their messages, for plans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from ocml_bridge.adapter import DEFAULT
from ocml_bridge.boundary import is_list_of_lists, several
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.unicode import is_unicode
from ocml_bridge.units.grammar import ByDocument, Enclosed, Parted, Spelled, State, Unit
from ocml_bridge.units.heads import Item

from .frames import Frame
from .header import LONG
from .ids import checked
from .message import NOTHING, body_of, header_of
from .reader import FrameReader
from .syntax import CHANNEL, CONSTRAIN, DEVELOPER, ENDS, FIRST_SPECIAL, HOME, IDS, MESSAGE, ROLES, START, STOPS, TOKENS
from .tokens import encode, encode_header, split, to_pieces, vocabulary
from .units import Frames, FramesReader, Source, declared, speaker, state_behind


class TokenFramesReader(FramesReader):
    """Reads frames of token ids."""

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames of ids that the encoder would choose for the same text; None for any other ids.

        Raises:
            BridgeError: OCB-SHAPE with the path of what is not an id; OCB-DEPENDENCY or OCB-VOCABULARY without the
                encoder.
        """
        if is_list_of_lists(source):
            return None
        ids, text = checked(source)
        units, at = cut(ids, text)
        if at == len(ids):
            return Parted(units, NOTHING, document=Source(ids)) if units else None
        role = _header(text[at + 1 :]) if ids[at] == IDS[START] and at + LONG > len(ids) else None
        if role not in ROLES:
            return None
        opening = Frame("", True, role, 0, follows=False)
        return Parted([*units, opening], NOTHING, document=Source(ids, FrameReader(log, restore=False)))

    def several(self, value: Any) -> BridgeError:
        """The error of a document with a second conversation, which names its place."""
        return several(path=f"/{split(value, DEFAULT)[1][0]}")


def cut(ids: list[int], text: str) -> tuple[list[Any], int]:
    """The plain frames that ids begin with, as far as the encoder would choose these ids, and the index behind them.

    Args:
        ids: what `checked` gave: the list,
        text: and the text.
    """
    encoder, units, at = vocabulary(), list[Any](), 0
    while (found := _PLAIN.match(text, at)) is not None:
        header = _header(found[1])
        if header is None or speaker(header) is None:
            break
        first, last = found.span(2)
        body = ids[first:last]
        try:
            spelled = encoder.decode(body).decode()
        except UnicodeDecodeError:
            break
        if encoder.encode(spelled) != body:
            break
        units.append((header, spelled, TOKENS[ids[last]]))
        at = last + 1
    return units, at


def _one_of(*tokens: str) -> str:
    return f"[{''.join(chr(IDS[token]) for token in tokens)}]"


_ORDINARY: Final = f"\0-{chr(FIRST_SPECIAL - 1)}"
_IN_SHORT_HEADER: Final = f"[{_ORDINARY}{chr(IDS[CHANNEL])}{chr(IDS[CONSTRAIN])}]{{0,64}}"
_PLAIN: Final = re.compile(f"{_one_of(START)}({_IN_SHORT_HEADER}){_one_of(MESSAGE)}([{_ORDINARY}]*){_one_of(*STOPS)}")
"""In ids as a text: a frame with a short header and no token in its body."""


@lru_cache(maxsize=2048)
def _header(text: str) -> str | None:
    """The header of ids as a text; None where the encoder would choose others."""
    ids = tuple(map(ord, text))
    header = "".join(to_pieces(ids, text)[0])
    return header if encode_header(header) == ids else None


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
        image = Transcript(open_turn=self.opening(around, state))
        if around.tools is not None:
            section, image.tools = declared(around.tools)
            units.insert(at, [f"{START}{DEVELOPER}{MESSAGE}", section, ENDS["end"]])
        out: list[int] = []
        for header, body, end in units:
            if not is_unicode(body):
                raise ByDocument
            out += encode_header(header)
            out += encode(body)
            if end:
                out.append(IDS[end])
        if image.open_turn is not None:
            out += encode_header(header_of(image.open_turn, prompted=False))
        return Enclosed(out, image)
