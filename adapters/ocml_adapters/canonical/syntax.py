"""What tells a canonical document from other JSON: its `type`, and what must stand beside it."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "canonical"
REQUIRED: Final[dict[str, str]] = {"transcript": "messages", "completion": "content"}
