"""What starting the command costs: CPU time of whole processes, the best of several, interleaved."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
SMALL_FILE: Final = ROOT / "golden" / "ocm-2.2" / "function-call" / "input.ocm"
COMMAND: Final = "command"

STARTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    COMMAND: (
        "`ocml-convert FILE -t openai`, the format detected",
        ("-c", "from ocml_bridge.cli import main; main()", str(SMALL_FILE), "-q", "-t", "openai"),
    ),
    "import-pydantic": ('`python -c "import pydantic"`', ("-c", "import pydantic")),
    "python": ('`python -c ""`', ("-c", "")),
}
"""What is started: what it is called, and the interpreter's arguments."""


class Start(NamedTuple):
    """CPU seconds of one process, at best and in the median."""

    best: float
    median: float


def measure_starts(times: int) -> dict[str, Start]:
    """Start each of `STARTS` so many times, in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in STARTS}
    for lap in range(times + 1):
        for name, (_, arguments) in STARTS.items():
            taken = _cpu_seconds(arguments)
            if lap:  # the first time it writes what it compiles
                seconds[name].append(taken)
    return {name: Start(min(taken), median(taken)) for name, taken in seconds.items()}


def _cpu_seconds(arguments: Sequence[str]) -> float:
    # As users have it: compiled modules are kept.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    packages = [str(ROOT / "bridge"), str(ROOT / "adapters")]
    environment["PYTHONPATH"] = os.pathsep.join([*packages, *filter(None, [os.environ.get("PYTHONPATH")])])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run((sys.executable, *arguments), env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
