"""Transcripts to begin with: cases of `golden/`, which the package brings along."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from ..model import Json

EXAMPLES: Final = (
    ("A question that needs a tool", "openai/tools", "harmony"),
    ("Thinking and tools, Anthropic", "anthropic/thinking-and-tools", "harmony"),
    ("A prompt for gpt-oss", "openai/reasoning", "profile:gpt-oss"),
    ("What gpt-oss sampled", "harmony/function-call", "openai"),
    ("Images that a text cannot hold", "openai/multimodal", "chatml"),
    ("Text that looks like tokens", "openai/control-tokens", "harmony"),
    ("OpenChatML 2.2, parallel calls", "ocm-2.2/fixture-3-parallel-calls", "openai"),
    ("OpenChatML 0.1, thoughts", "ocm-0.1/thoughts", "ocm-2.2"),
    ("Hermes, parallel calls", "chatml/hermes-parallel-thought", "openai-responses"),
    ("InternLM2 with a code interpreter", "internlm2/code-interpreter", "openai"),
    ("Gemini with tools", "gemini/tools", "anthropic"),
    ("Ids of tokens", "harmony-tokens/minimal", "openai"),
)
"""What each is called, its case, and what to convert it to."""


def examples() -> list[Json]:
    """The examples as JSON: title, text, target."""
    return [{"title": title, "text": _input(case), "target": target} for title, case, target in EXAMPLES]


def _input(case: str) -> str:
    folder: Traversable = files("ocml_bridge.playground").joinpath("golden", case)
    if not folder.is_dir():  # in a checkout
        folder = Path(__file__).parents[3] / "golden" / case
    return next(each for each in folder.iterdir() if each.name.startswith("input.")).read_text("utf-8")
