"""The judge: what the official encoder, openai-harmony, writes. Skips the test where it is not installed."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge.model import Tool


def official_tools(tools: list[Tool], descriptions: dict[str, str] | None = None) -> str:
    """The section as the official encoder writes it."""
    library = pytest.importorskip("openai_harmony")
    described = descriptions or {}
    spaces: dict[str, list[Any]] = {name: [] for name in described}
    for tool in tools:
        entry = {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters}
        spaces.setdefault(tool.namespace or "functions", []).append(entry)
    content = library.DeveloperContent(
        tools={name: {"name": name, "description": described.get(name), "tools": t} for name, t in spaces.items()}
    )
    message = library.Message.from_role_and_content(library.Role.DEVELOPER, content)
    encoding = load_encoding()
    text: str = encoding.decode(encoding.render(message))
    return text.removeprefix("<|start|>developer<|message|>").removesuffix("<|end|>")


def official_signature(parameters: Any) -> str:
    before, _, after = official_tools([Tool("t", parameters=parameters)]).partition("type t = ")
    assert before.endswith("{\n\n")
    return after.removesuffix("\n\n} // namespace functions")
