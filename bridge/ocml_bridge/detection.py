"""Which format a source is in, and whether it is what somebody says it is."""

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
from .formats.source import guess
from .json_values import jsontext
from .loss import Log
from .model import Json

if TYPE_CHECKING:
    from .recognise import Inside, Recognised

# Its tables take long to import, and most data is what it is said to be.
recognise: Final[Callable[[Source | bytes], Recognised | None]] = Lazy("ocml_bridge.recognise:recognise")
_sure_in: Final[Callable[[Json], Recognised | None]] = Lazy("ocml_bridge.recognise:sure_in")
_inside: Final[Callable[[Json], Inside | None]] = Lazy("ocml_bridge.recognise:inside")

_CERTAIN: Final = 3
_UNTOLD: Final = "the format of the input is not recognised; name it with `source` (`ocml-convert formats` lists them)"


def detect(data: Source | bytes) -> str:
    """The id of the format that data is surely in.

    Args:
        data: text, bytes (UTF-8), or parsed JSON.

    Raises:
        BridgeError: OCB-FORMAT-AMBIGUOUS naming the candidates; OCB-FORMAT-UNKNOWN, naming what it looks like, where no
            format fits; OCB-ENCODING and OCB-JSON where the data is neither text nor JSON.
    """
    return opened(data, Log())[0].id


def opened(data: Source | bytes, log: Log) -> tuple[Adapter, Source]:
    """Data whose format is not named: the adapter that reads it, and what that takes.

    Raises:
        BridgeError: as `detect`.
    """
    try:
        value = guess(data, log)
    except BridgeError as error:
        raise explain(error, data) from error.__cause__
    return registry.adapter(format_of(value))[0], value


def format_of(source: Source) -> str:
    """As `detect`, of text that is no JSON, or of a JSON value."""
    names, found, broken = _detect(source)
    if not names:
        found = found or recognise(source)
        what = _conversation_in(source) or (_untold(source) if found is None else f"this {looks(found)}")
        what += "".join(f"; {error.message}" for error in broken)
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, what, path=None if found is None else found.path)
    if len(names) > 1:
        raise BridgeError(
            ErrorCode.FORMAT_AMBIGUOUS,
            f"the input can be read as {' or '.join(names)}; name the right one with `source`",
        )
    return names[0]


def surely(source: Source) -> str | None:
    """The format that text that is no JSON, or a JSON value, is surely in; None where `format_of` says why it has none.

    Rows of datasets are asked one by one, and most have none.
    """
    names = _detect(source).names
    return names[0] if len(names) == 1 else None


class _Detected(NamedTuple):
    """What a source was told from: the formats that it is most surely in, its evidence, plug-ins that do not load."""

    names: Sequence[str]
    found: Recognised | None = None
    broken: Sequence[BridgeError] = ()


def _detect(source: Source) -> _Detected:
    """The formats that a source may be in.

    JSON with something in it that only one format has is of no format that only may have it. Formats of third parties
    are asked only where no built-in one is certain: they take time to find.
    """
    found = None if isinstance(source, str) else _sure_in(source)
    named = None if found is None else found.kind.format
    if named in registry.BUILT_IN:
        adapter, _ = registry.adapter(named)
        if adapter.has_marks or adapter.sniff(source) > 0:
            return _Detected([named])
    scores = _sniff(_built_in(Kind.TEXT if isinstance(source, str) else Kind.JSON), source)
    if found is not None:
        scores = {name: score for name, score in scores.items() if score == _CERTAIN}
    broken: list[BridgeError] = []
    if max(scores.values(), default=0) < _CERTAIN:
        adapters, broken = registry.third_parties()
        scores |= _sniff_plugins(adapters, source)
    best = max(scores.values(), default=0)
    names = [name for name, score in scores.items() if score == best] if best else []
    return _Detected(names, found, broken)


def _untold(source: Source) -> str:
    """What to do with a source that is like nothing that is known."""
    if isinstance(source, str) and _FILE_NAME.fullmatch(source) is not None:
        return f"{source!r} looks like the name of a file; give the content of the file"
    if isinstance(source, str) and not source.strip():
        return "the input is empty, and no format can be recognised in it; name one with `source`"
    return _UNTOLD


def _conversation_in(source: Source) -> str:
    """How to take a conversation out of JSON that no format reads; empty where there is none, or rows are read."""
    found = None if isinstance(source, str) else recognise(source)
    part = None if isinstance(source, str) or (found is not None and _reader(found) is None) else _inside(source)
    return (
        "" if part is None else f"the input has a conversation at {part.path}; take it out: jq -c '{part.query}' FILE"
    )


_FILE_NAME: Final = re.compile(r"[\w./\\:~ -]{1,200}\.[A-Za-z0-9]{1,8}")


@lru_cache(maxsize=2)
def _built_in(kind: Kind) -> Sequence[Adapter]:
    """The built-in formats of a kind."""
    return [found for name in registry.BUILT_IN if (found := registry.adapter(name)[0]).kind is kind]


def _sniff(adapters: Iterable[Adapter], source: Source) -> dict[str, int]:
    kind = Kind.TEXT if isinstance(source, str) else Kind.JSON
    return {found.id: found.sniff(source) for found in adapters if found.kind is kind}


def _sniff_plugins(adapters: Iterable[Adapter], source: Source) -> dict[str, int]:
    """As `_sniff`, of formats of third parties; one that fails, or is no number of those, has not recognised it."""
    scores: dict[str, int] = {}
    for found in adapters:
        with suppress(Exception):
            scores |= _sniff([found], source)
    return {name: score for name, score in scores.items() if score in range(_CERTAIN + 1)}


# --- what it is instead -----------------------------------------------------------------------------------------------


def doubt(adapter: Adapter, source: Source) -> BridgeError | None:
    """Why a source cannot be of the format that it is said to be; None where it may be.

    Only certain evidence counts, and none where the format's own sniffer thinks the source possible: text without
    frames, cut off, or that quotes another format's tokens may be of any format. Nor does any count where the sniffer
    is certain: a role may have the name that another format has for its speakers.

    Args:
        adapter: the format that was named.
        source: text, or parsed JSON.
    """
    certainty = adapter.sniff(source)
    if certainty == _CERTAIN:
        return None
    possible = certainty > 0
    if not isinstance(source, str):
        found = _sure_in(source) if possible else recognise(source)
    else:
        found = None if possible and source.lstrip()[:1] not in ("{", "[") else recognise(source)
    if found is None or found.kind.format == adapter.id:
        return None
    if not found.certain and not _is_record_of(adapter, source):
        return None
    # JSON that no format reads is as wrong for this one as any other JSON that it is not made of.
    wrong = adapter.kind is Kind.JSON and _reader(found) is None
    code = ErrorCode.SHAPE if wrong else ErrorCode.FORMAT_DOUBT
    message = f"the input is not {adapter.id} but {found.kind.name} ({found.cited}); {_next(found)}"
    message += f"; to read it as {adapter.id} anyway, use `force_format`"
    return BridgeError(code, message, path=found.path)


def _is_record_of(adapter: Adapter, source: Source) -> bool:
    """Whether a source is JSON lines whose first record has a text of the format, as servers log them."""
    if not isinstance(source, str):
        return False
    try:
        record = jsontext.loads(source.lstrip().partition("\n")[0])
    except BridgeError:
        return False
    text = cast("dict[str, Json]", record).get("text") if isinstance(record, dict) else None
    return isinstance(text, str) and adapter.sniff(text) > 0


def explain(error: BridgeError, data: Source | bytes, adapter: Adapter | None = None) -> BridgeError:
    """An error of a reader, told what the data looks like, where that is not what it was read as."""
    if error.code in _UNREADABLE:
        found = recognise(data)
        if error.code is ErrorCode.ENCODING and (found is None or not found.kind.signatures):
            error.message = (
                f"{error.message}; {_NOT_TEXT if isinstance(data, bytes) and _ZERO in data else _OTHER_ENCODING}"
            )
        elif found is not None and (adapter is None or found.kind.format != adapter.id):
            error.message = f"{error.message}; this {looks(found)}"
    return error


_ZERO: Final = b"\0"
_NOT_TEXT: Final = "the file is not a text; name the one with the transcript"
_OTHER_ENCODING: Final = "if it is text in another encoding, convert it first: iconv -f windows-1252 -t utf-8 FILE"
_UNREADABLE: Final = frozenset({ErrorCode.ENCODING, ErrorCode.JSON, ErrorCode.SHAPE, ErrorCode.NO_FRAMES})


def looks(found: Recognised) -> str:
    """What data looks like, by what, and what to do with it: a sentence without its subject."""
    return f"looks like {found.kind.name} ({found.cited}); {_next(found)}"


def _next(found: Recognised) -> str:
    """What to do with what was recognised."""
    reader = _reader(found)
    if reader is not None:
        return f"the format {reader} reads it (`source` {reader})"
    return found.kind.advice or "no format reads that: write its messages as JSON, each with `role` and `content`"


def _reader(found: Recognised) -> str | None:
    """The format that reads it, where there is one."""
    return found.kind.format if found.kind.format in registry.formats() else None
