"""Detect the format of a source, and check whether a source can be in the format that the caller named.

Each adapter's `sniff` rates a source from 0 to 3. `recognise` adds evidence of kinds of data that no format reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from . import registry
from .common.lazy import Lazy
from .errors import BridgeError, ErrorCode
from .formats.adapter import Adapter, Kind, Source
from .formats.source import decode, guess, might_be_text
from .json_values import jsontext
from .loss import Log
from .model import Json

if TYPE_CHECKING:
    from .recognise import Inside, Recognised

# Imported on first use, because the tables take long to import and most calls name the right format.
recognise: Final[Callable[[Source | bytes], Recognised | None]] = Lazy("ocml_bridge.recognise:recognise")
_sure_in: Final[Callable[[Json], Recognised | None]] = Lazy("ocml_bridge.recognise:sure_in")
_inside: Final[Callable[[Json], Inside | None]] = Lazy("ocml_bridge.recognise:inside")

_CERTAIN: Final = 3
"""What `Adapter.sniff` returns if it is certain."""
_UNRECOGNISED: Final = (
    "the format of the input is not recognised; name it with `source` (`ocml-convert formats` lists them)"
)


def detect(data: Source | bytes) -> str:
    """Return the id of the format that data is in.

    Args:
        data: text, bytes (UTF-8), or parsed JSON.

    Raises:
        BridgeError: OCB-FORMAT-AMBIGUOUS, with the candidates, if several formats are equally likely;
            OCB-FORMAT-UNKNOWN, with what the data looks like, if no format is likely; OCB-ENCODING and OCB-JSON if the
            data is neither text nor JSON.
    """
    return opened(data, Log())[0].id


def opened(data: Source | bytes, log: Log) -> tuple[Adapter, Source]:
    """Detect the format of data; return its adapter, and the text or JSON value that its reader takes.

    Raises:
        BridgeError: as for `detect`.
    """
    try:
        value = guess(data, log)
    except BridgeError as error:
        raise explain(error, data) from error.__cause__
    return registry.adapter(format_of(value))[0], value


def json_error(data: bytes) -> BridgeError | None:
    """Return the error of a record that begins as JSON and is not, although it has tokens of text formats; else None.

    Such a record is a line of JSON that is damaged. A text, which may begin in any way, is not detected in it.
    """
    if not might_be_text(data):
        return None
    try:
        decode(data, Kind.JSON, Log())
    except BridgeError as error:
        return explain(error, data)
    return None


def format_of(source: Source) -> str:
    """Return the id of the format of a decoded source: a text that is not JSON, or a JSON value.

    Raises:
        BridgeError: OCB-FORMAT-AMBIGUOUS or OCB-FORMAT-UNKNOWN, as for `detect`.
    """
    names, evidence, broken = _detect(source)
    if not names:
        evidence = evidence or recognise(source)
        what = _conversation_in(source) or (_unrecognised(source) if evidence is None else f"this {looks(evidence)}")
        what += "".join(f"; {error.message}" for error in broken)
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, what, path=None if evidence is None else evidence.path)
    if len(names) > 1:
        raise BridgeError(
            ErrorCode.FORMAT_AMBIGUOUS,
            f"the input can be read as {' or '.join(names)}; name the right one with `source`",
        )
    return names[0]


def surely(source: Source) -> str | None:
    """Return the id of the format of a decoded source, or None where `format_of` raises an error.

    It is faster than `format_of` for the rows of datasets, most of which are in no format.
    """
    names = _detect(source).names
    return names[0] if len(names) == 1 else None


class _Detected(NamedTuple):
    """The result of detection.

    Attributes:
        names: the ids of the most likely formats; more than one if they are equally likely.
        evidence: certain evidence of a kind of data, if there is any.
        broken: the errors of plug-ins that cannot be loaded.
    """

    names: Sequence[str]
    evidence: Recognised | None = None
    broken: Sequence[BridgeError] = ()


def _detect(source: Source) -> _Detected:
    """Find the most likely formats of a decoded source.

    If JSON has certain evidence of one kind of data, formats that are less than certain are ruled out. Plug-ins are
    tried only if no built-in format is certain, because finding them takes time.
    """
    evidence = None if isinstance(source, str) else _sure_in(source)
    named = None if evidence is None else evidence.kind.format
    if named in registry.BUILT_IN:
        adapter, _ = registry.adapter(named)
        if adapter.has_marks or adapter.sniff(source) > 0:
            return _Detected([named])
    scores = _sniff(_built_in(Kind.TEXT if isinstance(source, str) else Kind.JSON), source)
    if evidence is not None:
        scores = {name: score for name, score in scores.items() if score == _CERTAIN}
    broken: list[BridgeError] = []
    if max(scores.values(), default=0) < _CERTAIN:
        adapters, broken = registry.third_parties()
        scores |= _sniff_plugins(adapters, source)
    best = max(scores.values(), default=0)
    names = [name for name, score in scores.items() if score == best] if best else []
    return _Detected(names, evidence, broken)


def _unrecognised(source: Source) -> str:
    """Return the error message for a source without evidence of any kind of data."""
    if isinstance(source, str) and _FILE_NAME.fullmatch(source) is not None:
        return f"{source!r} looks like the name of a file; give the content of the file"
    if isinstance(source, str) and not source.strip():
        return "the input is empty, and no format can be recognised in it; name one with `source`"
    return _UNRECOGNISED


def _conversation_in(source: Source) -> str:
    """Return how to extract a conversation inside of JSON; "" if there is none, or if the JSON is of a known kind."""
    evidence = None if isinstance(source, str) else recognise(source)
    part = None if isinstance(source, str) or (evidence is not None and _reader(evidence) is None) else _inside(source)
    return (
        "" if part is None else f"the input has a conversation at {part.path}; take it out: jq -c '{part.query}' FILE"
    )


_FILE_NAME: Final = re.compile(r"[\w./\\:~ -]{1,200}\.[A-Za-z0-9]{1,8}")


@lru_cache(maxsize=2)
def _built_in(kind: Kind) -> Sequence[Adapter]:
    """Return the adapters of the built-in formats of a kind."""
    return [adapter for name in registry.BUILT_IN if (adapter := registry.adapter(name)[0]).kind is kind]


def _sniff(adapters: Iterable[Adapter], source: Source) -> dict[str, int]:
    """Return how likely a source is in each format of its kind, by format id."""
    kind = Kind.TEXT if isinstance(source, str) else Kind.JSON
    return {adapter.id: adapter.sniff(source) for adapter in adapters if adapter.kind is kind}


def _sniff_plugins(adapters: Iterable[Adapter], source: Source) -> dict[str, int]:
    """Return the same for plug-ins, without those whose sniffer raises an error or returns an invalid value."""
    scores: dict[str, int] = {}
    for adapter in adapters:
        with suppress(Exception):
            scores |= _sniff([adapter], source)
    return {name: score for name, score in scores.items() if score in range(_CERTAIN + 1)}


# --- what it is instead -----------------------------------------------------------------------------------------------


def doubt(adapter: Adapter, source: Source) -> BridgeError | None:
    """Return an error if a source is certainly not in the format that the caller named, else None.

    Only certain evidence counts. Text that the format's sniffer finds possible is not doubted: text that is cut off, or
    quotes another format's tokens, may be in any format. Nor is a source that the sniffer is certain of: a role may
    have the name of another format's speaker.

    Args:
        adapter: the format that the caller named.
        source: text, or parsed JSON.
    """
    certainty = adapter.sniff(source)
    if certainty == _CERTAIN:
        return None
    possible = certainty > 0
    if not isinstance(source, str):
        evidence = _sure_in(source) if possible else recognise(source)
    else:
        evidence = None if possible and source.lstrip()[:1] not in ("{", "[") else recognise(source)
    if evidence is None or evidence.kind.format == adapter.id:
        return None
    if not evidence.certain and not _is_record_of(adapter, source):
        return None
    # For a JSON format, JSON that no format reads is simply of the wrong shape.
    is_wrong_shape = adapter.kind is Kind.JSON and _reader(evidence) is None
    code = ErrorCode.SHAPE if is_wrong_shape else ErrorCode.FORMAT_DOUBT
    message = f"the input is not {adapter.id} but {evidence.kind.name} ({evidence.cited}); {_next(evidence)}"
    message += f"; to read it as {adapter.id} anyway, use `force_format`"
    return BridgeError(code, message, path=evidence.path)


def _is_record_of(adapter: Adapter, source: Source) -> bool:
    """Return whether a source is JSON lines whose first record has the format's text in `text`, as in server logs."""
    if not isinstance(source, str):
        return False
    try:
        record = jsontext.loads(source.lstrip().partition("\n")[0])
    except BridgeError:
        return False
    text = cast("dict[str, Json]", record).get("text") if isinstance(record, dict) else None
    return isinstance(text, str) and adapter.sniff(text) > 0


def explain(error: BridgeError, data: Source | bytes, adapter: Adapter | None = None) -> BridgeError:
    """Add to a reader's error what the data looks like, if that is not the format of the reader; return the error.

    Args:
        error: the error; its message is changed.
        data: the data.
        adapter: the format of the reader; None if the format was to be detected.
    """
    if error.code in _UNREADABLE:
        evidence = recognise(data)
        if error.code is ErrorCode.ENCODING and (evidence is None or not evidence.kind.signatures):
            error.message = (
                f"{error.message}; {_NOT_TEXT if isinstance(data, bytes) and _ZERO in data else _OTHER_ENCODING}"
            )
        elif evidence is not None and (adapter is None or evidence.kind.format != adapter.id):
            error.message = f"{error.message}; this {looks(evidence)}"
    return error


_ZERO: Final = b"\0"
_NOT_TEXT: Final = "the file is not a text; name the one with the transcript"
_OTHER_ENCODING: Final = "if it is text in another encoding, convert it first: iconv -f windows-1252 -t utf-8 FILE"
_UNREADABLE: Final = frozenset({ErrorCode.ENCODING, ErrorCode.JSON, ErrorCode.SHAPE, ErrorCode.NO_FRAMES})


def looks(evidence: Recognised) -> str:
    """Return the kind of data, the evidence, and what to do with it: a sentence without its subject."""
    return f"looks like {evidence.kind.name} ({evidence.cited}); {_next(evidence)}"


def _next(evidence: Recognised) -> str:
    """Return what to do with data of a kind."""
    reader = _reader(evidence)
    if reader is not None:
        return f"the format {reader} reads it (`source` {reader})"
    return evidence.kind.advice or "no format reads that: write its messages as JSON, each with `role` and `content`"


def _reader(evidence: Recognised) -> str | None:
    """Return the id of the format that reads data of a kind, or None if there is none."""
    return evidence.kind.format if evidence.kind.format in registry.formats() else None
