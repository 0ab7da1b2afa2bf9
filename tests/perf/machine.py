"""The machine that was measured on, in words that name nobody."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path


def describe() -> dict[str, str]:
    """Processor, cores, system and Python; no names of hosts, no paths."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} on {platform.machine()}",
        "python": f"{platform.python_implementation()} {sys.version.split()[0]}",
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
