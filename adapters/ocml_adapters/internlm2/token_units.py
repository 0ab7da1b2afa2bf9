"""Define the unit reader and the unit writer of InternLM2-Chat as token ids.

Ids are converted to text, in which whatever ordinary ids spell of a token is broken by U+200B, as the text writer
breaks it and the text reader restores it. So both forms share one grammar, and content of ids needs no escape.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, count
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import is_list_of_lists, several, several_documents
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.text.control import BREAK
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Enclosed, SplitDocument, State, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.tokens import Tokens

from .frames import Unit as Messages
from .reader import FramesReader
from .syntax import BOS, CONTROL, EOS, GRAMMAR, HOME, IDS, IM, NOTES
from .units import Frames
from .vocabulary import Vocabulary, load_vocabulary

_TOKENS: Final = {number: token for token, number in IDS.items()}
_EDGES: Final = {BOS: "<s>", EOS: "</s>"}
_SPECIAL: Final = {**_EDGES, **_TOKENS}
_EDGE_IDS: Final = {text: number for number, text in _EDGES.items()}
_TOKEN: Final = re.compile("(" + "|".join(map(re.escape, IM)) + ")")
_EDGE: Final = re.compile("(" + "|".join(map(re.escape, _EDGE_IDS)) + ")")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


# --- ids ↔ text -------------------------------------------------------------------------------------------------------


def to_text(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """Return the text of ids: tokens are spelled, and any other text that looks like a token is broken."""
    return "".join(text for _, text in _pieces(ids, vocabulary))


def _pieces(ids: Sequence[int], vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Yield the text of ids in pieces, each with the index of the first id after it."""
    in_message = False
    begin = 0
    for index in compress(count(), map(_SPECIAL.__contains__, ids)):
        number = ids[index]
        in_message = number == IDS[IM.start] or (in_message and number != IDS[IM.end])
        yield index, CONTROL.neutralise(vocabulary.decode(ids[begin:index]))
        # Tokens that begin and end a text are text inside of a message.
        token = _SPECIAL[number]
        yield index + 1, CONTROL.neutralise(token) if in_message and number in _EDGES else token
        begin = index + 1
    yield len(ids), CONTROL.neutralise(vocabulary.decode(ids[begin:]))


def to_ids(text: str, vocabulary: Vocabulary) -> list[int]:
    """Return the ids of a text as `to_text` returns it. BOS and EOS are tokens only between messages."""
    return _encode_with_ends(text, vocabulary)[0]


def _encode_with_ends(text: str, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """Return the ids of a text, and the index after each token that ends a message."""
    ids: list[int] = []
    ends: list[int] = []
    between = True
    for at, piece in enumerate(_TOKEN.split(_SURROGATE.sub("\ufffd", text))):
        if at % 2:
            ids.append(IDS[piece])
            between = piece == IM.end or (between and piece != IM.start)
            if piece == IM.end:
                ends.append(len(ids))
        else:
            for part in _EDGE.split(piece) if between else (piece,):
                ids += [_EDGE_IDS[part]] if between and part in _EDGE_IDS else vocabulary.encode(CONTROL.restore(part))
    return ids, ends


# --- reading ----------------------------------------------------------------------------------------------------------


class IdsReader(FramesReader):
    """The unit reader; a unit is a frame of the text of the ids."""

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a list of ids into frames; the layout stores the ids if the encoder would choose others.

        Raises:
            BridgeError: OCB-SHAPE with the path of a value that is not an id; OCB-NO-FRAMES if there is no message;
                OCB-SEVERAL if another conversation begins; OCB-DEPENDENCY without SentencePiece; OCB-VOCABULARY without
                the vocabulary.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        vocabulary = load_vocabulary()
        ids = _check(source, vocabulary)
        parts = _cuts(ids, vocabulary)
        if len(parts) > 1:
            raise several(path=f"/{parts[1]}")
        text = to_text(ids, vocabulary)
        try:
            split = super().split_units(text, log)
        except BridgeError as error:
            raise BridgeError(error.code, error.message, path="") from error
        _report_unusual(ids, vocabulary, log)
        layout: dict[str, Json] = {} if to_ids(text, vocabulary) == ids else {"ids": [*ids]}
        around = Transcript(layout=NOTES.by_format(layout))
        return split._replace(around=around, envelope=None if layout else split.envelope)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation of the text, with the stored ids."""
        conversation = super().relate(items, split, log)
        conversation.around = _with_layout(conversation.around, NOTES.together(split.around.layout))
        return conversation


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """Split a list of ids, or a list of such lists, into its conversations, each with its index.

    Raises:
        BridgeError: OCB-SHAPE, OCB-DEPENDENCY or OCB-VOCABULARY as `IdsReader.part`.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    vocabulary = load_vocabulary()
    ids = _check(source, vocabulary)
    cuts = _cuts(ids, vocabulary)
    return [(at, [*ids[at:end]]) for at, end in zip(cuts, (*cuts[1:], len(ids)), strict=True)]


def _cuts(ids: Sequence[int], vocabulary: Vocabulary) -> list[int]:
    """Return the indices at which conversations begin."""
    if not any(number in _EDGES for number in ids):
        return [0]
    # Conversations begin only next to tokens, whose indices among the ids are known.
    pieces = list(_pieces(ids, vocabulary))
    offsets, indices = [0, *accumulate(len(text) for _, text in pieces)], [0, *(index for index, _ in pieces)]
    parts = GRAMMAR.split("".join(text for _, text in pieces))
    return [indices[bisect_right(offsets, at) - 1] for at, _ in parts]


def _check(source: Json, vocabulary: Vocabulary) -> list[int]:
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, "internlm2-tokens must be a JSON array of token ids", path="")
    for at, number in enumerate(cast("list[Any]", source)):
        if type(number) is not int or not 0 <= number < vocabulary.size:
            message = f"not a token id of InternLM2 (0 to {vocabulary.size - 1}): {number!r:.40}"
            raise BridgeError(ErrorCode.SHAPE, message, path=f"/{at}")
    return cast("list[int]", source)


def _report_unusual(ids: Sequence[int], vocabulary: Vocabulary, log: Log) -> None:
    in_message, strays = False, set[int]()
    reserved = frozenset(vocabulary.reserved(set(ids)))
    for number in ids:
        in_message = number == IDS[IM.start] or (in_message and number != IDS[IM.end])
        if number in reserved and (in_message or number not in _EDGES):
            strays.add(number)
    if strays:
        detail = f"the special tokens {', '.join(map(str, sorted(strays)[:5]))} are read as their text"
        log.find(FindingCode.STRAY_TOKEN, "", detail, Severity.LAYOUT)
    if not vocabulary.is_utf8(ids):
        log.find(FindingCode.SHAPE, "", "some token ids do not decode to UTF-8; they are read as U+FFFD")


def _with_layout(around: Transcript, members: dict[str, Json]) -> Transcript:
    """Return a transcript with more members in its layout; the same transcript if there are none."""
    return replace(around, layout={HOME: {**NOTES.together(around.layout), **members}}) if members else around


# --- writing ----------------------------------------------------------------------------------------------------------


class Places(Tokens):
    """The conversion of ids to text and back, for spans.

    One id may cover the end of a header and the beginning of a body, because both are encoded together.
    """

    def text_of(self, unit: Unit) -> str:
        """Return the text of a unit; units are text until all of them are encoded."""
        return unit

    def spelled(self, output: Sequence[int]) -> str:
        """Return the text of ids."""
        return to_text(output, load_vocabulary())

    def ends(self, output: Sequence[int]) -> Sequence[int]:
        """Return where each id ends in the text, in bytes; for bytes that are not UTF-8, where their U+FFFD ends."""
        return self.read(output)[1]

    def read(self, output: Sequence[int]) -> tuple[str, Sequence[int]]:
        """Return the text of ids, and where each of them ends in it."""
        vocabulary, ends, at, first = load_vocabulary(), list[int](), 0, 0
        texts: list[str] = []
        for end, text in _pieces(output, vocabulary):
            texts.append(text)
            size, plain = len(text.encode()), CONTROL.restore(text)
            sizes = vocabulary.sizes(output[first:end])
            if sum(sizes) == len(plain.encode()) + 1 and sizes[0]:
                sizes[0] -= 1  # the space that the encoder puts before a text
            if plain != text:
                sizes = _with_breaks(sizes, plain, text)
            places = [*accumulate(sizes, initial=at)]
            if places[-1] > at + size:
                places = [min(place, at + size) for place in places]
            if places[1:2] == [at] and len(places) > 2:
                places[1] = places[2]  # that space is not part of the previous text
            ends += places[1:-1]
            ends += [at + size] * min(1, len(sizes))
            at, first = at + size, end
        return "".join(texts), ends

    def encode(self, text: str) -> Sequence[int]:
        """Return the ids of a text, encoded by itself."""
        return to_ids(text, load_vocabulary())


def _with_breaks(sizes: Sequence[int], text: str, broken: str) -> list[int]:
    """Return the sizes of pieces in a text that was broken.

    Args:
        sizes: the sizes of the pieces in the unbroken text, in bytes.
        text: the unbroken text.
        broken: the text with breaks.
    """
    breaks: list[int] = []
    at = 0
    for character in broken:
        is_break = at == len(text) or character != text[at]
        breaks += [len(BREAK.encode())] if is_break else [0] * len(character.encode())
        at += not is_break
    totals = list(accumulate(breaks))
    breaks_before = [totals[at] for at, size in enumerate(breaks) if not size]
    out: list[int] = []
    end = before = 0
    for size in sizes:
        end += size
        added = breaks_before[min(end, len(breaks_before)) - 1] if breaks_before and end else 0
        out.append(size + added - before)
        before = added
    return out


class IdFrames(Frames):
    """The unit writer. Text of contents never becomes a token, so that nothing needs a guard."""

    target = "internlm2-tokens"
    tokens = Places()

    def __init__(self, options: Options) -> None:
        super().__init__(dataclasses.replace(options, dialect="im", control_tokens="neutralise"))

    def inert(self, text: str) -> bool:
        """Return whether a text has no token, whole or broken, and no surrogates."""
        return super().inert(text) and _SURROGATE.search(text) is None

    def guard(self, unit: Messages, paths: Sequence[str], log: Log) -> None:
        """Report nothing, because nothing is broken."""

    def as_output(self, text: str) -> str:
        """Return a text as its ids spell it."""
        vocabulary = load_vocabulary()
        return to_text(to_ids(text, vocabulary), vocabulary)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the ids of all frames: the stored ones if they spell the same text."""
        text, read, *_ = super().enclose(units, around, state)
        vocabulary = load_vocabulary()
        ids, ends = _encode_with_ends(text, vocabulary)
        stored = _stored_ids(around, text, vocabulary)
        if stored is None or stored == ids:
            return Enclosed(ids, read, places=[0, *ends])
        return Enclosed(stored, _with_layout(read, {"ids": [*stored]}))


def _stored_ids(around: Transcript, text: str, vocabulary: Vocabulary) -> list[int] | None:
    """Return the stored ids of a document if they spell a text; else None."""
    try:
        ids = _check(NOTES.together(around.layout).get("ids"), vocabulary)
    except BridgeError:
        return None
    return [*ids] if to_text(ids, vocabulary) == text else None
