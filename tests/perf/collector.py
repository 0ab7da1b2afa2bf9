"""What of the growth of time is the garbage collector's: a byte of a large document and of a small one.

    python tests/perf/collector.py [--megabytes N] [FORMAT…]

The collector reports its begin and its end. It looks through all objects of a program whenever these have grown by a
quarter, so its share grows with a document, whatever is done to it.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any, Final, NamedTuple

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ocml_bridge import read, write
from perf.corpus import conversations
from perf.scaling import document, readable

SMALL: Final = 100_000
_ROUNDS: Final = 3


class Cost(NamedTuple):
    """Nanoseconds for each byte: the work's own, the collector's, and the kernel's, which finds the memory."""

    own: float
    collector: float
    kernel: float


def cost(run: Callable[[], object], size: int, times: int) -> Cost:
    """The cheapest of some rounds of one work on so many bytes, done so often in each."""
    began = spent = 0.0

    def record(phase: str, _: dict[str, Any]) -> None:
        nonlocal began, spent
        if phase == "start":
            began = process_time()
        else:
            spent += process_time() - began

    rounds: list[Cost] = []
    each = 1e9 / times / size
    gc.callbacks.append(record)
    try:
        for _ in range(_ROUNDS):
            gc.collect()
            spent, before = 0.0, getrusage(RUSAGE_SELF)
            for _ in range(times):
                run()
            after = getrusage(RUSAGE_SELF)
            user, kernel = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
            rounds.append(Cost((user - spent) * each, spent * each, kernel * each))
    finally:
        gc.callbacks.remove(record)
    return min(rounds, key=sum)


def costs(name: str, drawn: Sequence[bytes], size: int, times: int) -> tuple[Cost, Cost]:
    """What reading and writing a document of about so many bytes costs."""
    made, data = document(drawn, size, name)
    return cost(lambda: read(data, name), len(data), times), cost(lambda: write(made, name).data, len(data), times)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format", nargs="*", help="only these")
    parser.add_argument("--megabytes", type=int, default=50)
    chosen = parser.parse_args(arguments)
    drawn = list(conversations(400))
    print("ns a byte, small → large")
    for name in chosen.format or readable():
        line = f"{name:18}"
        found = costs(name, drawn, SMALL, 20), costs(name, drawn, chosen.megabytes * 1_000_000, 1)
        for what, small, large in zip(("read", "write"), *found, strict=True):
            shares = [f"{one:4.1f} → {other:4.1f}" for one, other in zip(small, large, strict=True)]
            line += f"  {what} {shares[0]} ({large.own / small.own:.1f}×), collector {shares[1]}, kernel {shares[2]}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
