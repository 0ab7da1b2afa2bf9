"""What the drivers are called."""

from __future__ import annotations

from typing import Literal

DriverName = Literal["auto", "vllm", "llama.cpp", "completions"]
"""`auto` is none of them: the upstream is asked."""
