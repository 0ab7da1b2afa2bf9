"""Every ordered pair of formats, each third of the documents, against parsing and writing the same request's JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any, Final, NamedTuple

import orjson

from ocml_bridge import BridgeError, Options, convert, formats
from ocml_bridge.engine.instances import reader_for, writer_for

from .corpus import conversations
from .documents import SPELLINGS, THIRDS, Wire, third
from .features import FEATURES
from .scaling import readable

TARGETS: Final = ("harmony", "openai", "chatml", "ocm-2.2-json")
"""The targets that each spelling and each feature is measured with."""
SOURCE: Final = "openai"
_WITHOUT_PLANS: Final = Options(plans=False)
"""What prepares documents must not teach the readers and writers that are measured."""


class Ratio(NamedTuple):
    """How long a conversion takes, in units of `orjson.loads` and `dumps` of the same request.

    Attributes:
        third: which documents.
        spelling: how their JSON is spelled; "compact" for every source but `openai`.
        source: the format that is read.
        target: the format that is written.
        ratio: with the report complete as data.
        rendered: with every sentence of the report made.
        conversations: how many were measured.
    """

    third: str
    spelling: str
    source: str
    target: str
    ratio: float
    rendered: float
    conversations: int


class Cost(NamedTuple):
    """What a feature costs: how many times longer its conversations take than the same without it, by target."""

    feature: str
    times: dict[str, float]


Timed = Callable[[Any], object]


def _bound(data: bytes) -> bytes:
    return orjson.dumps(orjson.loads(data))


def _best(works: Sequence[tuple[Timed, Sequence[Any]]], rounds: int) -> list[float]:
    """CPU seconds of each work for all its inputs, the best of several interleaved rounds for each input."""
    best = [[float("inf")] * len(inputs) for _, inputs in works]
    for _ in range(rounds):
        for number, (run, inputs) in enumerate(works):
            for at, given in enumerate(inputs):
                begun = process_time()
                run(given)
                best[number][at] = min(best[number][at], process_time() - begun)
    return [sum(times) for times in best]


def _conversion(source: str, target: str) -> Timed:
    return lambda data: convert(data, source=source, target=target)


def _rendered(source: str, target: str) -> Timed:
    def run(data: Any) -> object:
        result = convert(data, source=source, target=target)
        return [note.detail for note in (*result.losses, *result.findings)]

    return run


def _forget() -> None:
    """Let nothing be learned as yet: what the conversations of one source taught does not change another's figures."""
    reader_for.cache_clear()
    writer_for.cache_clear()
    for name in ("_route", "_origin", "_target"):  # they have readers and writers, too
        vars(sys.modules["ocml_bridge.convert"])[name].cache_clear()


def all_pairs(count: int, rounds: int, report: Callable[[str], None]) -> list[Ratio]:
    """Measure every ordered pair on each third; a third without documents is left out."""
    names = [name for name in formats() if name in readable()]
    out: list[Ratio] = []
    for name in THIRDS:
        requests = [request for request in third(name, count) if _is_taken(request)]
        if not requests:
            report(f"{name}: there are no such documents here")
            continue
        report(f"every pair: {name}, {len(requests)} conversations")
        compact = [orjson.dumps(request) for request in requests]
        for source in names:
            inputs = compact if source == SOURCE else [_written(data, source) for data in compact]
            out += _ratios(name, "compact", source, names, inputs, compact, rounds)
        for spelling, spell in list(SPELLINGS.items())[1:]:
            inputs = [spell(request) for request in requests]
            out += _ratios(name, spelling, SOURCE, TARGETS, inputs, inputs, rounds)
    return out


def _ratios(
    name: str,
    spelling: str,
    source: str,
    targets: Sequence[str],
    inputs: Sequence[bytes],
    requests: Sequence[bytes],
    rounds: int,
) -> list[Ratio]:
    _forget()
    works: list[tuple[Timed, Sequence[Any]]] = [(_bound, requests)]
    for target in targets:
        works += [(_conversion(source, target), inputs), (_rendered(source, target), inputs)]
    bound, *times = _best(works, rounds)
    return [
        Ratio(name, spelling, source, target, times[2 * at] / bound, times[2 * at + 1] / bound, len(inputs))
        for at, target in enumerate(targets)
    ]


def _written(data: bytes, source: str) -> bytes:
    return convert(data, source=SOURCE, target=source, options=_WITHOUT_PLANS).data


def _is_taken(request: Wire) -> bool:
    """Whether every format takes a conversation: the same documents are measured for all."""
    data = orjson.dumps(request)
    try:
        for name in formats():
            if name in readable():
                convert(_written(data, name), source=name, target=SOURCE, options=_WITHOUT_PLANS)
    except BridgeError:
        return False
    return True


def all_features(count: int, rounds: int, report: Callable[[str], None]) -> list[Cost]:
    """Measure each feature on the same conversations with and without it."""
    plain = [data for data in conversations(4 * count) if b'"tools"' in data][: count // 2]
    plain += [data for data in conversations(4 * count) if b'"tools"' not in data][: count - len(plain)]
    out: list[Cost] = []
    report(f"{len(FEATURES)} features, {len(plain)} conversations")
    for feature in FEATURES:
        _forget()  # a feature is not to be slower because the plans of all others fill the caches
        with_it = [orjson.dumps(feature.add(orjson.loads(data))) for data in plain]
        works: list[tuple[Timed, Sequence[Any]]] = []
        for target in TARGETS:
            works += [(_conversion(SOURCE, target), plain), (_conversion(SOURCE, target), with_it)]
        times = _best(works, rounds)
        out.append(Cost(feature.name, {target: times[2 * at + 1] / times[2 * at] for at, target in enumerate(TARGETS)}))
    return out
