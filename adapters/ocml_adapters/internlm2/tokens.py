"""InternLM2-Chat as token ids: the same text, in which only the tokens' own ids are tokens.

Ids are the text in which whatever ordinary pieces spell of a token is broken by U+200B, as our writer of text breaks it
and our reader undoes it. So there is one grammar, and content needs no escape.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.boundary import is_list_of_lists, several, several_documents
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Document, Json, Transcript, replace
from ocml_bridge.text.edges import by_format, kept_by

from . import fit as text_fit
from . import reader, writer
from .syntax import BOS, CONTROL, EOS, HOME, IDS, IM
from .vocabulary import Vocabulary, load_vocabulary

_TOKENS: Final = {number: token for token, number in IDS.items()}
_EDGES: Final = {BOS: "<s>", EOS: "</s>"}
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
    run: list[int] = []
    inside = False
    for index, number in enumerate(ids):
        token = _TOKENS.get(number) or _EDGES.get(number)
        if token is None:
            run.append(number)
            continue
        inside = number == IDS[IM.start] or (inside and number != IDS[IM.end])
        yield index, CONTROL.neutralise(vocabulary.decode(run))
        # What begins and ends a text is text inside of a message.
        yield index + 1, CONTROL.neutralise(token) if inside and number in _EDGES else token
        run = []
    yield len(ids), CONTROL.neutralise(vocabulary.decode(run))


def to_ids(text: str, vocabulary: Vocabulary) -> list[int]:
    """The ids of a text as `to_text` gives it. BOS and EOS are tokens between messages, and only there."""
    ids: list[int] = []
    between = True
    for at, piece in enumerate(_SPELLED.split(_SURROGATE.sub("\ufffd", text))):
        if at % 2:
            ids.append(IDS[piece])
            between = piece == IM.end or (between and piece != IM.start)
        else:
            for part in _EDGE.split(piece) if between else (piece,):
                ids += [_EDGE_IDS[part]] if between and part in _EDGE_IDS else vocabulary.encode(CONTROL.restore(part))
    return ids


# --- reading ----------------------------------------------------------------------------------------------------------


def read(source: Source, options: Options, log: Log) -> Document:
    """Read token ids of InternLM2.

    Raises:
        BridgeError: OCB-SHAPE with the path of what is not an id; OCB-NO-FRAMES where no message begins; OCB-SEVERAL
            where another conversation begins; OCB-DEPENDENCY or OCB-VOCABULARY without SentencePiece or the vocabulary.
    """
    if is_list_of_lists(source):
        raise several_documents(source)
    vocabulary = load_vocabulary()
    ids = _checked(source, vocabulary)
    parts = split(ids, options)
    if len(parts) > 1:
        raise several(path=f"/{parts[1][0]}")
    transcript = _read(ids, vocabulary, log)
    _note_unusual(ids, vocabulary, log)
    return _remembering(transcript, ids, vocabulary)


def split(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """The conversations of a list of ids, or of a list of such lists, each with its index.

    Raises:
        BridgeError: as `read`.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    vocabulary = load_vocabulary()
    ids = _checked(source, vocabulary)
    if not any(number in _EDGES for number in ids):
        return [(0, [*ids])]
    # Text is cut beside its tokens alone, and these have their places among the ids.
    pieces = list(_spelled(ids, vocabulary))
    offsets, indices = [0, *accumulate(len(text) for _, text in pieces)], [0, *(index for index, _ in pieces)]
    parts = reader.split("".join(text for _, text in pieces), options)
    cuts = [indices[bisect_right(offsets, at) - 1] for at, _ in parts]
    return [(at, [*ids[at:end]]) for at, end in zip(cuts, (*cuts[1:], len(ids)), strict=True)]


def _checked(source: Source, vocabulary: Vocabulary) -> list[int]:
    if not isinstance(source, list):
        raise BridgeError(ErrorCode.SHAPE, "internlm2-tokens is a JSON array of token ids", path="")
    for at, number in enumerate(cast("list[Any]", source)):
        if type(number) is not int or not 0 <= number < vocabulary.size:
            message = f"not a token id of InternLM2 (0 to {vocabulary.size - 1}): {number!r:.40}"
            raise BridgeError(ErrorCode.SHAPE, message, path=f"/{at}")
    return cast("list[int]", source)


def _read(ids: Sequence[int], vocabulary: Vocabulary, log: Log) -> Transcript:
    """What ids say; how they were chosen is not kept."""
    try:
        return cast("Transcript", reader.read(to_text(ids, vocabulary), Options(), log))
    except BridgeError as error:
        raise BridgeError(error.code, error.message, path="") from error


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
        log.find(FindingCode.SHAPE, "", "the ids are not UTF-8 in places, which are read as U+FFFD")


def _remembering(transcript: Transcript, ids: list[int], vocabulary: Vocabulary) -> Transcript:
    """A transcript with its ids, where the encoder would choose others."""
    if _ids_of(transcript, vocabulary) == ids:
        return transcript
    return replace(transcript, layout=by_format(HOME, {**kept_by(HOME, transcript.layout), "ids": list(ids)}))


# --- the image --------------------------------------------------------------------------------------------------------


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image: that of the text, which is spelled in one way here, as its ids are read back.

    The ids that the document came with are used again as long as they say the same.
    """
    vocabulary, noted = load_vocabulary(), len(log.losses)
    draft = cast("Transcript", text_fit.fit(document, _text_options(options), log))
    # Content that spells a token is broken in the text alone.
    log.losses[noted:] = [loss for loss in log.losses[noted:] if loss.code is not LossCode.CONTROL_TOKEN]
    ids = _ids_of(draft, vocabulary)
    image = _read(ids, vocabulary, Log())
    return _remembering(image, _kept(document, image, vocabulary) or ids, vocabulary)


def _kept(document: Document, image: Transcript, vocabulary: Vocabulary) -> list[int] | None:
    try:
        ids = _checked(
            kept_by(HOME, document.layout if isinstance(document, Transcript) else None).get("ids"), vocabulary
        )
        return ids if _read(ids, vocabulary, Log()) == image else None
    except BridgeError:
        return None


def _text_options(options: Options) -> Options:
    return dataclasses.replace(options, dialect="im", control_tokens="neutralise")


# --- writing ----------------------------------------------------------------------------------------------------------


def write(document: Document, options: Options, log: Log) -> Source:
    """Write an image as ids."""
    ids = kept_by(HOME, document.layout if isinstance(document, Transcript) else None).get("ids")
    return list(cast("list[Any]", ids)) if ids is not None else cast("list[Any]", _ids_of(document, load_vocabulary()))


def _ids_of(document: Document, vocabulary: Vocabulary) -> list[int]:
    return to_ids(cast("str", writer.write(document, _text_options(Options()), Log())), vocabulary)
