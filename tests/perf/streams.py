"""`python tests/perf/streams.py`: what a token of an answer costs in each stream, read and written.

An answer of a thousand tokens is read token by token, each in a chunk of its own, and written event by event. The unit
is the time in which orjson writes one chunk of Chat Completions, in the same process and round after round.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Final

import orjson

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bridge", "adapters", "tests")]
PAGE: Final = ROOT / "docs" / "speed.md"

from ocml_bridge import BridgeError, decoder, encoder  # noqa: E402
from ocml_bridge.chat.visibility import DEBUG  # noqa: E402
from ocml_bridge.events import Event  # noqa: E402
from ocml_bridge.pipe import streams  # noqa: E402
from perf.parts import with_part  # noqa: E402

TOKENS: Final = 1000
WORDS: Final = ("Hello", " world", " this", " is", " a", " token", ",", " and", " so", " on")
ANSWER: Final = (
    *("<|channel|>", "final", "<|message|>"),
    *(WORDS[at % len(WORDS)] for at in range(TOKENS)),
    "<|return|>",
)
DELTA: Final = {"index": 0, "delta": {"content": " world"}, "finish_reason": None}
CHUNK: Final = {
    "id": "chatcmpl-123",
    "object": "chat.completion.chunk",
    "created": 1_700_000_000,
    "model": "m",
    "choices": [DELTA],
}


def bound() -> None:
    for _ in range(TOKENS):
        orjson.dumps(CHUNK)


def events() -> list[list[Event]]:
    """The events of the answer, token by token."""
    made = decoder("harmony")
    return [*map(made.feed, ANSWER), made.finish()]


def written(stream: str, arrived: list[list[Event]]) -> list[bytes]:
    made = encoder(stream, visibility=DEBUG)
    out = [chunk for each in arrived for chunk in made.encode(each)]
    return [*out, *made.finish()]


def read(stream: str, chunks: list[bytes]) -> None:
    made = decoder(stream)
    for chunk in chunks:
        made.feed(chunk)
    made.finish()


def best(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The best time of each work, in seconds of CPU; they take turns."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = process_time()
            work()
            found[name] = min(found[name], process_time() - start)
    return found


def rows(rounds: int) -> list[str]:
    arrived = events()
    readable, writable = streams()
    works: dict[str, Callable[[], object]] = {"bound": bound}
    for stream in sorted({*readable, *writable}):
        chunks: list[bytes] = []
        if stream in writable:
            try:
                chunks = written(stream, arrived)
            except BridgeError:  # what it needs is not installed
                continue
            works[f"write {stream}"] = lambda stream=stream: written(stream, arrived)
        if stream in readable and len(chunks) > TOKENS:
            works[f"read {stream}"] = lambda stream=stream, chunks=chunks: read(stream, chunks)
    gc.freeze()
    found = best(works, rounds)
    unit = found.pop("bound")
    table = ["| stream | read | written |", "| --- | --: | --: |"]
    for stream in sorted({name.partition(" ")[2] for name in found}):
        cells = [found.get(f"{verb} {stream}") for verb in ("read", "write")]
        table.append(f"| `{stream}` | {' | '.join('' if cell is None else f'{cell / unit:.1f}' for cell in cells)} |")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a token costs in each stream.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each stream is timed")
    parser.add_argument("--write", action="store_true", help="write the table into docs/speed.md")
    given = parser.parse_args()
    table = "\n".join(rows(given.rounds))
    print(table)
    if given.write:
        PAGE.write_text(with_part(PAGE.read_text("utf-8"), "streams", table), "utf-8")


if __name__ == "__main__":
    main()
