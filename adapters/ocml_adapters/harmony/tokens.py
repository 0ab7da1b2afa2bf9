"""Harmony as token ids: the same frames, found by the ids of the control tokens instead of by their spellings.

Bodies are encoded as ordinary tokens whatever they say, so nothing in them can be taken for a frame.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.boundary import EDGES, is_list_of_lists, several, several_documents
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Json, Transcript
from ocml_bridge.model.codec import from_json, to_json
from ocml_bridge.text.unicode import is_unicode

from .body import placed
from .fit import fit as fit_text
from .frames import Frame, boundaries, scanned
from .header import LONG
from .ids import checked, specials, spelling
from .message import body_of, header_of, is_prompted, layout_of
from .reader import read_pieces
from .syntax import (
    CHANNEL,
    CONSTRAIN,
    EDGE_IDS,
    EDGE_TOKENS,
    ENDS,
    FIRST_SPECIAL,
    IDS,
    MESSAGE,
    START,
    TOKENS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .encoder import Encoder

_IN_HEADER: Final = (START, MESSAGE, CHANNEL, CONSTRAIN)


# --- text to ids and back ---------------------------------------------------------------------------------------------


def vocabulary() -> Encoder:
    """What encodes and decodes text."""
    # Imported here: text never needs it, and what it takes to find a vocabulary is slow to import.
    from .encoder import load_encoder

    return load_encoder()


_SPECIAL_IDS: Final = {**IDS, **EDGE_IDS}


def encode(text: str, special: Sequence[str] = ()) -> list[int]:
    """Text as ids; of special tokens only those of `special` become tokens, wherever they stand."""
    encode = vocabulary().encode
    if not special:
        return encode(text)
    out: list[int] = []
    for part in re.split(f"({'|'.join(map(re.escape, special))})", text):
        if part in special:
            out.append(_SPECIAL_IDS[part])
        elif part:
            out += encode(part)
    return out


def encode_header(text: str) -> Sequence[int]:
    """A header with its control tokens as ids."""
    return _header(text) if len(text) < LONG else encode(text, _IN_HEADER)


@lru_cache(maxsize=2048)
def _header(text: str) -> tuple[int, ...]:
    return tuple(encode(text, _IN_HEADER))


@lru_cache(maxsize=32_768)
def bytes_of(number: int) -> bytes:
    """The bytes of one id's text, which may be part of a character."""
    return vocabulary().decode((number,)) if number < FIRST_SPECIAL else spelling(number).encode()


@lru_cache(maxsize=32_768)
def text_of(number: int) -> str | None:
    """The text of one id; None where that is a control token, or has part of a character."""
    if number in TOKENS:
        return None
    try:
        return bytes_of(number).decode()
    except UnicodeDecodeError:
        return None


def to_pieces(ids: Sequence[int], text: str) -> tuple[list[str], list[int]]:
    """Ids as pieces (text and control tokens in turn), and the index in `ids` of each control token.

    Args:
        ids: what `checked` gave: the list,
        text: and the text.
    """
    decode = vocabulary().decode
    pieces, places, said, start = list[str](), list[int](), list[str](), 0
    for at in specials(text):
        if at > start:
            said.append(decode(ids[start:at]).decode("utf-8", "replace"))
        token = TOKENS.get(ids[at])
        if token is None:
            said.append(spelling(ids[at]))
        else:
            pieces += ("".join(said), token)
            places.append(at)
            said = []
        start = at + 1
    said.append(decode(ids[start:]).decode("utf-8", "replace"))
    pieces.append("".join(said))
    return pieces, places


# --- reading ----------------------------------------------------------------------------------------------------------


def read(source: Source, options: Options, log: Log) -> Transcript:
    """Read token ids of o200k_harmony.

    Raises:
        BridgeError: OCB-SHAPE with the path of what is not an id; OCB-SEVERAL where another conversation begins;
            OCB-DEPENDENCY or OCB-VOCABULARY without the encoder.
    """
    if is_list_of_lists(source):
        raise several_documents(source)
    ids, text = checked(source)
    pieces, places = to_pieces(ids, text)
    # What is read is written again in the end, of which most is the same.
    encode_once = cache(encode)

    def layout(frame: Frame) -> dict[str, Any]:
        """The ids themselves, where the encoder would choose others for the same text."""
        first = places[frame.at // 2] + 1 if frame.at >= 0 else 0
        middle = places[frame.middle // 2]
        last = places[frame.last // 2] if frame.last < len(pieces) else len(ids)
        header, body = ids[first:middle], ids[middle + 1 : last]
        kept: dict[str, Any] = {}
        if header != [*encode_header(frame.header)]:
            kept["header_ids"] = header
        if body != encode_once(frame.body or "", frame.mentions):
            kept["body_ids"] = body
        return kept

    try:
        transcript = read_pieces(pieces, log, restore=False, spelling=layout)
    except BridgeError as error:
        raise several(path=f"/{split(ids, options)[1][0]}") from error
    own = layout_of(transcript.layout)
    around = EDGE_TOKENS.findall(own.get("front", "") + own.get("tail", ""))
    _note_unusual(ids, text, pieces, log, usual={EDGE_IDS[token] for token in around})
    if not log.findings and _written(transcript, encode_once) != ids:
        detail = "around the messages the ids are not those that the encoder chooses"
        log.find(FindingCode.MIXED_SPELLING, "", detail, Severity.LAYOUT)
    return transcript


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """The conversations of a list of ids, or of a list of such lists, each with its index.

    Raises:
        BridgeError: as `read`.
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


def _note_unusual(ids: Sequence[int], text: str, pieces: Sequence[str], log: Log, usual: set[int]) -> None:
    places = [*specials(text)]
    reserved = sorted({ids[at] for at in places} - set(TOKENS) - usual)
    if reserved:
        detail = f"the special tokens {', '.join(map(str, reserved[:5]))} are read as their text"
        log.find(FindingCode.STRAY_TOKEN, "", detail, Severity.LAYOUT)
    runs = zip((-1, *places), (*places, len(ids)), strict=True)
    if any("\ufffd" in piece for piece in pieces) and not all(_is_utf8(ids[before + 1 : at]) for before, at in runs):
        log.find(FindingCode.SHAPE, "", "the ids are not UTF-8 in places, which are read as U+FFFD")


def _is_utf8(ids: Sequence[int]) -> bool:
    try:
        vocabulary().decode(ids).decode()
    except UnicodeDecodeError:
        return False
    return True


# --- the image --------------------------------------------------------------------------------------------------------


def fit(document: Document, options: Options, log: Log) -> Transcript:
    """The image: as for text, with the ids of what was tokenised in its own way. UTF-8 has no halves of characters."""
    noted = len(log.losses)
    image = fit_text(document, options, log, _kept_ids)
    if not all(map(is_unicode, _spelled(image))):
        del log.losses[noted:]
        text = json.dumps(to_json(document), ensure_ascii=False)
        image = fit_text(from_json(json.loads(_SURROGATE.sub("\ufffd", text))), options, log, _kept_ids)
    return image


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _spelled(image: Transcript) -> Iterator[str]:
    """The headers and bodies of an image."""
    for _, message in placed(image):
        yield header_of(message, prompted=False)
        yield body_of(message)


def _kept_ids(layout: dict[str, Any], header: str, body: str, mentions: Sequence[str]) -> dict[str, Any]:
    """The ids that came with a message, as long as they still say what it says."""
    kept: dict[str, Any] = {}
    for key, text, special, usual in (
        ("header_ids", header, (CHANNEL, CONSTRAIN), lambda: [*encode_header(header)]),
        ("body_ids", body, mentions, lambda: encode(body, mentions)),
    ):
        ids = layout.get(key)
        if ids is not None and _says(ids, text, special) and ids != usual():
            kept[key] = ids
    return kept


def _says(ids: Any, text: str, special: Sequence[str]) -> bool:
    """Whether ids are those of a text, and of control tokens hold only some."""
    try:
        pieces, _ = to_pieces(*checked(ids))
    except BridgeError:
        return False
    return "".join(pieces) == text and set(pieces[1::2]) <= set(special)


# --- writing ----------------------------------------------------------------------------------------------------------


def write(document: Document, options: Options, log: Log) -> list[int]:
    """Write an image as ids: token for token what the official encoder renders."""
    return _written(cast("Transcript", document), encode)


def _written(image: Transcript, encode: Callable[[str, tuple[str, ...]], list[int]]) -> list[int]:
    front, tail = (layout_of(image.layout).get(key, "") for key in ("front", "tail"))
    out = [*encode(front, _edges(front))]
    prompted = is_prompted(image)
    for _, message in placed(image):
        layout = layout_of(message.layout)
        header = header_of(message, prompted=prompted)
        if "header_ids" in layout:
            out += ([] if prompted else [IDS[START]]) + layout["header_ids"] + [IDS[MESSAGE]]
        else:
            out += encode_header(header + MESSAGE)
        out += layout.get("body_ids") or encode(body_of(message), (*layout.get("mentions", ()),))
        if message.end is not None:
            out.append(IDS[ENDS[message.end]])
        prompted = False
    if image.open_turn is not None:
        out += encode_header(header_of(image.open_turn, prompted=prompted))
    return out + encode(tail, _edges(tail))


def _edges(text: str) -> tuple[str, ...]:
    return tuple(EDGE_TOKENS.findall(text))
