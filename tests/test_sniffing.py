"""How sure each wire is that a document is its own: 3 of what no other has, less where another could mean it."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge.registry import adapter

PARTS: list[Any] = [{"text": "Hi"}]
TYPED: list[Any] = [{"type": "text", "text": "Hi"}]

SURE: list[tuple[str, Any, int]] = [
    ("gemini", {"contents": [{"parts": PARTS}]}, 3),
    ("gemini", {"contents": [{"role": "user", "parts": PARTS}], "model": "m"}, 3),
    ("gemini", {"contents": [], "systemInstruction": {"parts": PARTS}}, 3),
    ("gemini", {"contents": []}, 1),
    ("gemini", {"contents": [{"role": "user", "parts": TYPED}]}, 0),
    ("gemini", {"contents": [{"role": "user", "content": "Hi"}]}, 0),
    ("gemini", {"contents": [{"role": 1, "parts": PARTS}]}, 0),
    ("gemini", {"contents": ["Hi"]}, 0),
    ("gemini", {"contents": "Hi"}, 0),
    ("gemini", [{"role": "user", "parts": PARTS}], 2),
    ("gemini", [{"role": "user", "parts": TYPED}], 0),
    ("gemini", [], 0),
    ("gemini", {"candidates": [{"content": {"parts": PARTS}}]}, 3),
    ("gemini", {"candidates": []}, 1),
    ("gemini", {"candidates": ["Hi"]}, 1),
    ("gemini", {"usageMetadata": {}, "modelVersion": "m"}, 3),
    ("gemini", {"usage_metadata": {}, "prompt_feedback": {}}, 3),
    ("gemini", {"usageMetadata": {}}, 0),
    ("gemini", "Hi", 0),
    ("openai-responses", {"object": "response", "output": []}, 3),
    ("openai-responses", {"object": "response"}, 0),
    ("openai-responses", {"object": "list", "output": []}, 0),
]


@pytest.mark.parametrize(("wire", "document", "level"), SURE)
def test_a_wire_is_as_sure_as_it_can_be(wire: str, document: Any, level: int) -> None:
    found, _ = adapter(wire)
    assert found.sniff(document) == level
