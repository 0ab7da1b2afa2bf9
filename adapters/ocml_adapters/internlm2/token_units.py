"""InternLM2-Chat as token ids: the same text, in which only the tokens' own ids are tokens.

Ids are the text in which whatever ordinary pieces spell of a token is broken by U+200B, as our writer of text breaks it
and our reader undoes it. So there is one grammar, and content needs no escape.
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
from ocml_bridge.units.grammar import Enclosed, Parted, State, Unit
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
_SPELLED: Final = re.compile("(" + "|".join(map(re.escape, IM)) + ")")
_EDGE: Final = re.compile("(" + "|".join(map(re.escape, _EDGE_IDS)) + ")")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


# --- ids ↔ text -------------------------------------------------------------------------------------------------------


def to_text(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """The text that ids are, with each token spelled out and what else looks like one broken."""
    return "".join(text for _, text in _spelled(ids, vocabulary))


def _spelled(ids: Sequence[int], vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """The text of ids in pieces, each with the index of the first id behind it."""
    inside = False
    begin = 0
    for index in compress(count(), map(_SPECIAL.__contains__, ids)):
        number = ids[index]
        inside = number == IDS[IM.start] or (inside and number != IDS[IM.end])
        yield index, CONTROL.neutralise(vocabulary.decode(ids[begin:index]))
        # What begins and ends a text is text inside of a message.
        token = _SPECIAL[number]
        yield index + 1, CONTROL.neutralise(token) if inside and number in _EDGES else token
        begin = index + 1
    yield len(ids), CONTROL.neutralise(vocabulary.decode(ids[begin:]))


def to_ids(text: str, vocabulary: Vocabulary) -> list[int]:
    """The ids of a text as `to_text` gives it. BOS and EOS are tokens between messages, and only there."""
    return _placed_ids(text, vocabulary)[0]


def _placed_ids(text: str, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """The same with the places behind all tokens that end a message."""
    ids: list[int] = []
    ends: list[int] = []
    between = True
    for at, piece in enumerate(_SPELLED.split(_SURROGATE.sub("\ufffd", text))):
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
    """Reads the frames that ids spell."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a list of ids; around them are the ids, where the encoder would choose others.

        Raises:
            BridgeError: OCB-SHAPE with the path of what is not an id; OCB-NO-FRAMES where no message begins;
                OCB-SEVERAL where another conversation begins; OCB-DEPENDENCY or OCB-VOCABULARY without SentencePiece or
                the vocabulary.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        vocabulary = load_vocabulary()
        ids = _checked(source, vocabulary)
        parts = _cut(ids, vocabulary)
        if len(parts) > 1:
            raise several(path=f"/{parts[1]}")
        text = to_text(ids, vocabulary)
        try:
            parted = super().part(text, log)
        except BridgeError as error:
            raise BridgeError(error.code, error.message, path="") from error
        _note_unusual(ids, vocabulary, log)
        layout: dict[str, Json] = {} if to_ids(text, vocabulary) == ids else {"ids": [*ids]}
        around = Transcript(layout=NOTES.by_format(layout))
        return parted._replace(around=around, envelope=None if layout else parted.envelope)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation of the text, with the ids."""
        conversation = super().relate(items, parted, log)
        conversation.around = _with_layout(conversation.around, NOTES.together(parted.around.layout))
        return conversation


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """The conversations of a list of ids, or of a list of such lists, each with its index.

    Raises:
        BridgeError: OCB-SHAPE, OCB-DEPENDENCY or OCB-VOCABULARY as `IdsReader.part`.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    vocabulary = load_vocabulary()
    ids = _checked(source, vocabulary)
    cuts = _cut(ids, vocabulary)
    return [(at, [*ids[at:end]]) for at, end in zip(cuts, (*cuts[1:], len(ids)), strict=True)]


def _cut(ids: Sequence[int], vocabulary: Vocabulary) -> list[int]:
    """The indices where conversations begin."""
    if not any(number in _EDGES for number in ids):
        return [0]
    # Text is cut beside its tokens alone, and these have their places among the ids.
    pieces = list(_spelled(ids, vocabulary))
    offsets, indices = [0, *accumulate(len(text) for _, text in pieces)], [0, *(index for index, _ in pieces)]
    parts = GRAMMAR.split("".join(text for _, text in pieces))
    return [indices[bisect_right(offsets, at) - 1] for at, _ in parts]


def _checked(source: Json, vocabulary: Vocabulary) -> list[int]:
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, "internlm2-tokens must be a JSON array of token ids", path="")
    for at, number in enumerate(cast("list[Any]", source)):
        if type(number) is not int or not 0 <= number < vocabulary.size:
            message = f"not a token id of InternLM2 (0 to {vocabulary.size - 1}): {number!r:.40}"
            raise BridgeError(ErrorCode.SHAPE, message, path=f"/{at}")
    return cast("list[int]", source)


def _note_unusual(ids: Sequence[int], vocabulary: Vocabulary, log: Log) -> None:
    inside, strays = False, set[int]()
    reserved = frozenset(vocabulary.reserved(set(ids)))
    for number in ids:
        inside = number == IDS[IM.start] or (inside and number != IDS[IM.end])
        if number in reserved and (inside or number not in _EDGES):
            strays.add(number)
    if strays:
        detail = f"the special tokens {', '.join(map(str, sorted(strays)[:5]))} are read as their text"
        log.find(FindingCode.STRAY_TOKEN, "", detail, Severity.LAYOUT)
    if not vocabulary.is_utf8(ids):
        log.find(FindingCode.SHAPE, "", "some token ids do not decode to UTF-8; they are read as U+FFFD")


def _with_layout(around: Transcript, more: dict[str, Json]) -> Transcript:
    """A transcript that remembers more of its ids; itself where there is no more."""
    return replace(around, layout={HOME: {**NOTES.together(around.layout), **more}}) if more else around


# --- writing ----------------------------------------------------------------------------------------------------------


class Places(Tokens):
    """Where ids stand in the text that they are. One may stand in a header and in a body: both are encoded together."""

    def text_of(self, unit: Unit) -> str:
        """Frames are texts until all are encoded."""
        return unit

    def spelled(self, output: Sequence[int]) -> str:
        """The text of ids."""
        return to_text(output, load_vocabulary())

    def ends(self, output: Sequence[int]) -> Sequence[int]:
        """Where each id ends in it, in bytes; of bytes that are no UTF-8, where what was made of them ends."""
        return self.read(output)[1]

    def read(self, output: Sequence[int]) -> tuple[str, Sequence[int]]:
        """Both."""
        vocabulary, ends, at, first = load_vocabulary(), list[int](), 0, 0
        texts: list[str] = []
        for behind, text in _spelled(output, vocabulary):
            texts.append(text)
            size, plain = len(text.encode()), CONTROL.restore(text)
            sizes = vocabulary.sizes(output[first:behind])
            if sum(sizes) == len(plain.encode()) + 1 and sizes[0]:
                sizes[0] -= 1  # the space that the encoder puts before a text
            if plain != text:
                sizes = _broken(sizes, plain, text)
            places = [*accumulate(sizes, initial=at)]
            if places[-1] > at + size:
                places = [min(place, at + size) for place in places]
            if places[1:2] == [at] and len(places) > 2:
                places[1] = places[2]  # that space is none of the text before
            ends += places[1:-1]
            ends += [at + size] * min(1, len(sizes))
            at, first = at + size, behind
        return "".join(texts), ends

    def encode(self, text: str) -> Sequence[int]:
        """The ids of a text by itself."""
        return to_ids(text, load_vocabulary())


def _broken(sizes: Sequence[int], text: str, broken: str) -> list[int]:
    """The sizes of pieces of a text, in which something is broken."""
    more: list[int] = []
    at = 0
    for character in broken:
        added = at == len(text) or character != text[at]
        more += [len(BREAK.encode())] if added else [0] * len(character.encode())
        at += not added
    places = list(accumulate(each for each in more))
    whole = [places[at] for at, each in enumerate(more) if not each]
    out: list[int] = []
    begin = before = 0
    for size in sizes:
        begin += size
        added = whole[min(begin, len(whole)) - 1] if whole and begin else 0
        out.append(size + added - before)
        before = added
    return out


class IdFrames(Frames):
    """Writes frames as ids. What of a text spells a token is none there, so nothing needs a guard."""

    target = "internlm2-tokens"
    tokens = Places()

    def __init__(self, options: Options) -> None:
        super().__init__(dataclasses.replace(options, dialect="im", control_tokens="neutralise"))

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken, and can be held as it is."""
        return super().inert(text) and _SURROGATE.search(text) is None

    def guard(self, unit: Messages, paths: Sequence[str], log: Log) -> None:
        """Nothing is broken."""

    def as_output(self, text: str) -> str:
        """A text as its ids spell it."""
        vocabulary = load_vocabulary()
        return to_text(to_ids(text, vocabulary), vocabulary)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The ids of all frames: those that the document came with, as long as they say the same."""
        text, read, *_ = super().enclose(units, around, state)
        vocabulary = load_vocabulary()
        ids, ends = _placed_ids(text, vocabulary)
        remembered = _remembered(around, text, vocabulary)
        if remembered is None or remembered == ids:
            return Enclosed(ids, read, places=[0, *ends])
        return Enclosed(remembered, _with_layout(read, {"ids": [*remembered]}))


def _remembered(around: Transcript, text: str, vocabulary: Vocabulary) -> list[int] | None:
    """The ids that a document came with, where they spell a text; else None."""
    try:
        ids = _checked(NOTES.together(around.layout).get("ids"), vocabulary)
    except BridgeError:
        return None
    return [*ids] if to_text(ids, vocabulary) == text else None
