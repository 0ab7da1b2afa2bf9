"""Read and write the units of Harmony's token ids: frames.

Control tokens are recognised by their ids, not by their spelling, and bodies are encoded as ordinary tokens: the text
of a body is never read as a control token. All else is as in `units.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.common.unicode import is_unicode
from ocml_bridge.errors import BridgeError
from ocml_bridge.formats.adapter import DEFAULT, Options, Source
from ocml_bridge.formats.boundary import EDGES, is_list_of_lists, several, several_documents
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.model.codec import from_json, to_json
from ocml_bridge.units.grammar import ContentClass, SplitDocument, State, Unit, WrittenUnit
from ocml_bridge.units.heads import Head
from ocml_bridge.units.tokens import Tokens

from .frames import Frame, Scan, boundaries, scanned
from .header import header_of
from .reader import FrameReader
from .syntax import (
    CHANNEL,
    CONSTRAIN,
    EDGE_IDS,
    EDGE_TOKENS,
    END_OF_TEXT,
    ENDS,
    FIRST_SPECIAL,
    HOME,
    IDS,
    MENTIONABLE,
    MESSAGE,
    NOTES,
    START,
    STOPS,
    TOKENS,
)
from .tokens import checked, encode, encode_header, ends_of, specials, spelled, text_of, to_pieces, vocabulary
from .units import Around, Frames, FramesReader, as_units, informed, speaker

# --- reading ----------------------------------------------------------------------------------------------------------


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """Split a list of ids, or a list of such lists, into its conversations; return each with its index.

    Raises:
        BridgeError: as `TokenFramesReader.part` raises it.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    ids, text = checked(source)
    pieces, places = to_pieces(ids, text)
    cuts = [0]
    for frame, _ in boundaries(scanned(pieces)[0]):
        number = frame.at // 2
        begin, end = places[number - 1] + 1, places[number]
        at = EDGES.cut([text_of(one) or "\ufffd" for one in ids[begin:end]])
        cuts.append(begin + at if at >= 0 else end)
    return [(at, [*ids[at:end]]) for at, end in zip(cuts, (*cuts[1:], len(ids)), strict=True)]


class TokenFramesReader(FramesReader):
    """Reads frames of token ids."""

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a list of token ids of o200k_harmony into its frames.

        Raises:
            BridgeError: OCB-SHAPE with the path of a value that is not an id; OCB-SEVERAL for a list of lists;
                OCB-DEPENDENCY or OCB-VOCABULARY if the encoder is missing.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        ids, text = checked(source)
        units, at = cut(ids, text)
        if units and at == len(ids):
            return SplitDocument(informed(units), Transcript(), document=Around(ids), envelope=())
        reader = IdsReader(ids[at:], text[at:], log)
        return as_units([*units, *reader.frames], Around(ids, reader, reader.rest))

    def several(self, source: Any) -> BridgeError:
        """Return the error for a document with several conversations, with the path of the second."""
        return several(path=f"/{split(source, DEFAULT)[1][0]}")


class IdsReader(FrameReader):
    """Reads frames of token ids as messages, and stores ids that the encoder would not choose.

    Args:
        ids: the list that `checked` returned.
        text: the text that `checked` returned.
        log: receives the findings.

    Attributes:
        frames: the frames in the ids.
        rest: what follows the last frame.
    """

    def __init__(self, ids: Sequence[int], text: str, log: Log) -> None:
        super().__init__(log, restore=False)
        self._ids: Final = ids
        self._text: Final = text
        self._pieces, self._places = to_pieces(ids, text)
        self.frames, self.rest = scanned(self._pieces)
        self.over = bool(ids) and ids[-1] == EDGE_IDS[END_OF_TEXT]

    def spelling(self, frame: Frame) -> dict[str, Any]:
        """Return the ids of the header and the body as layout, if the encoder would choose others for the same text."""
        header = self._ids[self._begin(frame) : self._places[frame.middle // 2]]
        body = self._ids[self._places[frame.middle // 2] + 1 : self._end(frame)]
        members: dict[str, Any] = {}
        if header != [*encode_header(frame.header)]:
            members["header_ids"] = header
        if body != encode(frame.body or "", frame.mentions):
            members["body_ids"] = body
        return members

    def _begin(self, frame: Frame) -> int:
        """Return the index after the id that opens a frame."""
        return self._places[frame.at // 2] + 1 if frame.at >= 0 else 0

    def _end(self, frame: Frame) -> int:
        """Return the index of the id that ends a frame."""
        return self._places[frame.last // 2] if frame.last < len(self._pieces) else len(self._ids)

    def around(self, found: Scan) -> Transcript:
        """Return the transcript without its messages; report ids around them that the encoder would not write."""
        around = super().around(found)
        front, tail = (NOTES.of(around.layout).get(key, "") for key in ("front", "tail"))
        self._report_unusual({EDGE_IDS[token] for token in EDGE_TOKENS.findall(front + tail)})
        header = "" if around.open_turn is None else header_of(around.open_turn, prompted=False)
        usual = [*encode_edges(front), *encode_header(header), *encode_edges(tail)]
        if not self._log.findings and self._ids_around(opens=around.open_turn is not None) != usual:
            detail = "the token ids around the messages are not those that the encoder writes"
            self._log.find(FindingCode.MIXED_SPELLING, "", detail, Severity.LAYOUT)
        return around

    def _ids_around(self, *, opens: bool) -> Sequence[int]:
        """Return the ids before the first message and after the last, including the open turn (`opens`)."""
        if not self.frames:
            return self._ids
        first, last = self.frames[0], self.frames[-1]
        front = self._ids[: max(self._begin(first) - 1, 0)]
        return [*front, *self._ids[self._begin(last) - 1 if opens else self._end(last) + 1 :]]

    def _report_unusual(self, usual: set[int]) -> None:
        ids, places = self._ids, [*specials(self._text)]
        reserved = sorted({ids[at] for at in places} - set(TOKENS) - usual)
        if reserved:
            detail = f"the special tokens {', '.join(map(str, reserved[:5]))} are read as their text"
            self._log.find(FindingCode.STRAY_TOKEN, "", detail, Severity.LAYOUT)
        runs = zip((-1, *places), (*places, len(ids)), strict=True)
        replaced = any("\ufffd" in piece for piece in self._pieces)
        if replaced and not all(_is_utf8(ids[before + 1 : at]) for before, at in runs):
            self._log.find(FindingCode.SHAPE, "", "some token ids do not decode to UTF-8; they are read as U+FFFD")


def _is_utf8(ids: Sequence[int]) -> bool:
    try:
        vocabulary().decode(ids).decode()
    except UnicodeDecodeError:
        return False
    return True


def encode_edges(text: str) -> list[int]:
    """Return the ids of a text around the messages."""
    return encode(text, EDGE_TOKENS.findall(text))


def cut(ids: list[int], text: str) -> tuple[list[Any], int]:
    """Return the plain frames at the beginning of a list of ids, and the index after them.

    A frame is not plain if the encoder would choose other ids for it. This is the fast path, as in `units.py`.

    Args:
        ids: the list that `checked` returned.
        text: the text that `checked` returned.
    """
    units, at = list[Any](), 0
    while (found := _PLAIN.match(text, at)) is not None:
        header = _header(found[1])
        if header is None or speaker(header) is None:
            break
        first, last = found.span(2)
        key = found[2]
        body = _bodies.get(key)
        if body is None:
            body = _body(ids[first:last])
            if body is None:
                break
            if last - first <= _LONGEST:
                _bodies.keep(key, body, last - first + 1)
        units.append((header, body, TOKENS[ids[last]]))
        at = last + 1
    return units, at


_SIZE: Final = 200_000
"""How many ids the bodies in a cache have at most."""
_LONGEST: Final = 10_000
"""How many ids such a body has at most."""
_bodies: Final = Memo[str, str](_SIZE)
"""The texts of bodies by their ids, one character for each; most requests of a conversation repeat the one before."""


def _body(ids: list[int]) -> str | None:
    """Return the text of a body; None if it is not UTF-8, or if the encoder would choose other ids for it."""
    encoder = vocabulary()
    try:
        body = encoder.decode(ids).decode()
    except UnicodeDecodeError:
        return None
    return body if encoder.encode(body) == ids else None


def _one_of(*tokens: str) -> str:
    return f"[{''.join(chr(IDS[token]) for token in tokens)}]"


_ORDINARY: Final = f"\0-{chr(FIRST_SPECIAL - 1)}"
_IN_SHORT_HEADER: Final = f"[{_ORDINARY}{chr(IDS[CHANNEL])}{chr(IDS[CONSTRAIN])}]{{0,64}}"
_PLAIN: Final = re.compile(f"{_one_of(START)}({_IN_SHORT_HEADER}){_one_of(MESSAGE)}([{_ORDINARY}]*){_one_of(*STOPS)}")
"""A frame with a short header and no token in its body, in the text of `as_text`: one character for each id."""


@lru_cache(maxsize=2048)
def _header(text: str) -> str | None:
    """Return the header that ids spell; None if the encoder would choose other ids for it.

    Args:
        text: the ids, one character for each.
    """
    ids = tuple(map(ord, text))
    header = "".join(to_pieces(ids, text)[0])
    return header if encode_header(header) == ids else None


# --- writing ----------------------------------------------------------------------------------------------------------


class Ids(Tokens):
    """The token ids of frames. Header, body and end are encoded separately, so no id is part of two of them."""

    def text_of(self, unit: Unit) -> str:
        """Return the text that the parts of a frame spell."""
        return "".join(part if isinstance(part, str) else spelled(part) for part in unit)

    def spelled(self, output: Sequence[int]) -> str:
        """Return the text of ids, with the spelling of control tokens."""
        return spelled(output)

    def ends(self, output: Sequence[int]) -> Sequence[int]:
        """Return the offset in this text at which each id ends, in bytes."""
        return ends_of(output)

    def encode(self, text: str) -> Sequence[int]:
        """Return the ids of a header, or of an end token."""
        return (IDS[text],) if text in STOPS else encode_header(text)


class TokenFrames(Frames):
    """Writes frames as token ids, the same that the official encoder renders.

    A unit is a list of header, body and end. Header and body are lists of ids, or texts that `joined` encodes.
    """

    target = "harmony-tokens"
    mark = ""
    is_text = False
    tokens = Ids()
    embeds = True

    def inert(self, text: str) -> bool:
        """Return whether UTF-8 can encode a text; tokens in it need no change, because they are encoded as text."""
        return is_unicode(text)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return False also for a message with ids of its body in the layout: they fit one content only."""
        return super().depends_on_head_only(head) and not _has_ids(head)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class for text; None if the layout has ids of the body."""
        return None if _has_ids(head) else super().classify(head, content)

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Write the parts of a frame; halves of surrogate pairs become U+FFFD."""
        spelled = super().write_unit(group, state, last=last, paths=paths, log=log)
        if all(is_unicode(part) for part in spelled.unit if isinstance(part, str)):
            return spelled
        text = json.dumps(to_json(Transcript((group[0],))), ensure_ascii=False)
        clean = cast("Transcript", from_json(json.loads(_SURROGATE.sub("\ufffd", text))))
        return super().write_unit(clean.messages, state, last=last, paths=paths, log=log)

    def unit(self, made: Message, body: str, layout: dict[str, Any], path: str, log: Log, *, prompted: bool) -> Unit:
        """Return the parts of a frame; ids in the layout are written if they still spell the header or the body."""
        header, end = header_of(made, prompted=prompted), "" if made.end is None else ENDS[made.end]
        if not layout or not is_unicode(body):
            return [f"{header}{MESSAGE}", body, end]
        own, raw = {**NOTES.of(made.layout)}, header.removeprefix(START)
        # In token ids, only control tokens differ from their spelling as text.
        mentions = [token for token in own.pop("mentions", ()) if token in MENTIONABLE]
        if mentions:
            own["mentions"] = mentions
        header_ids = _remembered_ids(layout.get("header_ids"), raw, (CHANNEL, CONSTRAIN), [*encode_header(raw)])
        if header_ids:
            own["header_ids"] = header_ids
        body_ids = _remembered_ids(layout.get("body_ids"), body, mentions, encode(body, mentions))
        if body_ids:
            own["body_ids"] = body_ids
        made.layout = {HOME: own} if own else None
        start = [] if prompted else [IDS[START]]
        return [
            [*start, *header_ids, IDS[MESSAGE]] if header_ids else f"{header}{MESSAGE}",
            body_ids or (encode(body, mentions) if mentions else body),
            end,
        ]

    def joined(self, front: str, units: list[Unit], header: str, tail: str) -> tuple[Unit, Sequence[int]]:
        """Join the ids of all parts; return them, and the places of the frames (see `Enclosed.places`)."""
        out = encode_edges(front)
        places = [len(out)]
        for opening, body, end in units:
            out += encode_header(opening) if isinstance(opening, str) else opening
            out += _encoded(body) if isinstance(body, str) else body
            if end:
                out.append(IDS[end])
            places.append(len(out))
        out += encode_header(header)
        return out + encode_edges(tail), places


_ids: Final = Memo[str, list[int]](_SIZE)
"""The ids of bodies by their texts."""


def _encoded(body: str) -> list[int]:
    """Return the ids of a body, which must not be changed."""
    ids = _ids.get(body)
    if ids is None:
        ids = vocabulary().encode(body)
        if len(ids) <= _LONGEST:
            _ids.keep(body, ids, len(ids) + 1)
    return ids


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _has_ids(head: Head) -> bool:
    """Return whether the layout of a message has ids of its body, or tokens in it."""
    return not {"body_ids", "mentions"}.isdisjoint(NOTES.of(head.layout))


def _remembered_ids(ids: Any, text: str, special: Sequence[str], usual: list[int]) -> list[int] | None:
    """Return ids from the layout that are still to be written; None if they are not.

    Args:
        ids: the ids in the layout, or None.
        text: the text that they must spell.
        special: the control tokens that they may contain.
        usual: the ids that the encoder chooses: the layout does not store these.
    """
    if ids is None or ids == usual:
        return None
    try:
        pieces, _ = to_pieces(*checked(ids))
    except BridgeError:
        return None
    return ids if "".join(pieces) == text and set(pieces[1::2]) <= set(special) else None
