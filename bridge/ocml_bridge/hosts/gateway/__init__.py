"""A gateway: Chat Completions in front of a plain completions server. Extra: `gateway`."""

from __future__ import annotations

from .app import create_app
from .settings import Settings

__all__ = ["Settings", "create_app"]
