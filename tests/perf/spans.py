"""What spans cost: requests made into every format, dialect and profile that has them, with and without.

    python tests/perf/spans.py [--conversations N] [--rounds N] [TARGET…]

Times are CPU time, the best of the interleaved rounds for each request. Losses are looked at in both, spans where they
are asked for. Ids of InternLM2 are those of the vocabulary that `OCML_INTERNLM2_TOKENIZER` names; where it names none,
of the pieces of Mistral 7B that the package mistral-common ships.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, Final

import orjson

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from internlm2_vocabulary import VARIABLE, real_model
from ocml_bridge import BridgeError, Options, convert, formats, registry
from ocml_bridge.profiles import Profile, profiles_of
from ocml_bridge.report.policy import LENIENT
from perf.documents import third

Job = Callable[[bytes, bool], Any]
_TRAINING: Final = Options(training=True)


def jobs() -> Iterator[tuple[str, Job]]:
    """Every format and dialect that has spans, and every profile of one, by name."""
    for name in formats():
        adapter = registry.adapter(name)[0]
        if adapter.frame_marks is None:
            continue
        yield name, _conversion(name)
        for dialect in adapter.dialects[1:]:
            yield f"{name}:{dialect}", _conversion(f"{name}:{dialect}")
        for profile in profiles_of(adapter):
            yield f"{profile.name} ({name})", _line(profile)


def _conversion(target: str) -> Job:
    return lambda data, spans: convert(data, source="openai", target=target, policy=LENIENT, spans=spans)


def _line(profile: Profile) -> Job:
    return lambda data, spans: profile.prompt(data, options=_TRAINING, policy=LENIENT, spans=spans)


def _looked_at(job: Job, data: bytes, *, spans: bool) -> float:
    begun = process_time()
    result = job(data, spans)
    _ = result.losses, result.spans
    return process_time() - begun


def _is_taken(job: Job, data: bytes) -> bool:
    try:
        job(data, True)
    except BridgeError:
        return False
    return True


def cost(job: Job, requests: Sequence[bytes], rounds: int) -> tuple[float, float]:
    """Microseconds for a request without spans, and with them."""
    taken = [data for data in requests if _is_taken(job, data)]
    best = [[float("inf"), float("inf")] for _ in taken]
    for _ in range(rounds):
        for spans in (False, True):
            for times, data in zip(best, taken, strict=True):
                times[spans] = min(times[spans], _looked_at(job, data, spans=spans))
    without, with_them = (sum(times[at] for times in best) * 1e6 / max(1, len(taken)) for at in (0, 1))
    return without, with_them


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="*", help="only those whose name begins so")
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if VARIABLE not in os.environ and (model := real_model()) is not None:
            path = Path(folder, "tokenizer.model")
            path.write_bytes(model)
            os.environ[VARIABLE] = str(path)
        _measure(chosen)


def _measure(chosen: argparse.Namespace) -> None:
    thirds = {name: list(map(orjson.dumps, third(name, chosen.conversations))) for name in ("generated", "real")}
    print(f"{'':34}" + "".join(f"{name:>14} µs   with  times" for name in thirds))
    for name, job in jobs():
        if chosen.target and not any(map(name.startswith, chosen.target)):
            continue
        line = f"{name:34}"
        for requests in thirds.values():
            without, with_them = cost(job, requests, chosen.rounds)
            line += f"{without:17.1f} {with_them:6.1f} {with_them / (without or 1):6.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
