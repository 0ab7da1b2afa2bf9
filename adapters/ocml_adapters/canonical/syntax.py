"""Define what a canonical document has: its `type`, and the member that goes with it."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "canonical"
MESSAGES: Final = "messages"
REQUIRED: Final[dict[str, str]] = {"transcript": MESSAGES, "completion": "content"}
"""The member that a document must have, by its `type`."""
