"""Offer Chat Completions in front of a plain completions server. Extra: `gateway`."""

from __future__ import annotations

from .app import create_app
from .service import Service, TurnMemorySettings
from .settings import Settings

__all__ = ["Service", "Settings", "TurnMemorySettings", "create_app"]
