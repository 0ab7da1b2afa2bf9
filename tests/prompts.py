"""Prompts in one line: of a request, by the name of a profile."""

from __future__ import annotations

from typing import Any

from ocml_bridge.profiles import Prompt
from ocml_bridge.profiles import profile as find


def prompt(request: Any, target: str | None = None, *, profile: str | None = None, **more: Any) -> Prompt:
    return find(profile, target).prompt(request, **more)
