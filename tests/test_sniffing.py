"""The certainty of each wire that a document is its own: 3 for unique marks, less for marks that others may have."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge.registry import adapter

PARTS: list[Any] = [{"text": "Hi"}]
TYPED: list[Any] = [{"type": "text", "text": "Hi"}]

STARTED, ENDED = {"token": "<|im_start|>"}, {"token": "<|im_end|>"}
MESSAGES: list[Any] = [{"role": "user", "content": "Hi"}]
CLAUDES: dict[str, Any] = {"model": "claude-x", "max_tokens": 9, "messages": MESSAGES}
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
    ("gemini", {"candidates": [{"finish_reason": 1}]}, 3),
    ("gemini", {"output": "A", "candidates": [{"model": "m", "text": "A", "scores": {}}]}, 0),  # LLM-Blender
    ("gemini", {"candidates": ["Hi"]}, 0),
    ("gemini", {"usageMetadata": {}, "modelVersion": "m"}, 3),
    ("gemini", {"usage_metadata": {}, "prompt_feedback": {}}, 3),
    ("gemini", {"usageMetadata": {}}, 0),
    ("gemini", "Hi", 0),
    ("openai-responses", {"object": "response", "output": []}, 3),
    ("openai-responses", {"object": "response"}, 0),
    ("openai-responses", {"object": "list", "output": []}, 0),
    ("openai-responses", [{"object": "response", "output": []}], 0),
    ("anthropic", CLAUDES, 3),
    *(("anthropic", {**CLAUDES, key: []}, 3) for key in ("system", "tools", "thinking", "betas", "container")),
    ("anthropic", {**CLAUDES, "model": "gpt"}, 1),
    ("anthropic", {**CLAUDES, "model": None}, 1),
    ("anthropic", {**CLAUDES, "frequency_penalty": 1}, 1),
    ("anthropic", {"model": "claude-x", "messages": MESSAGES}, 1),
    ("anthropic", {"messages": MESSAGES}, 1),
    ("anthropic", MESSAGES, 1),
    ("anthropic", [{"role": "user", "content": TYPED}], 1),
    ("anthropic", [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], 0),
    ("anthropic", [{"role": "user", "content": [{"type": "thinking", "thinking": "Hm"}]}], 1),
    *(("anthropic", [*MESSAGES, {"role": role, "content": "Hi"}], 0) for role in ("tool", "function", "developer", 1)),
    *(("anthropic", [{**MESSAGES[0], key: []}], 0) for key in ("tool_calls", "tool_call_id", "function_call")),
    ("anthropic", [*MESSAGES, "Hi"], 0),
    ("anthropic", [], 0),
    ("anthropic", {"messages": []}, 0),
    ("anthropic", {**CLAUDES, "messages": [*MESSAGES, 1]}, 0),
    ("bedrock-converse", {"messages": [{"role": "user", "content": PARTS}]}, 3),
    ("bedrock-converse", [{"role": "user", "content": PARTS}, {"role": "assistant", "content": []}], 3),
    *(
        ("bedrock-converse", {"messages": [{"role": "user", "content": [{kind: {}}]}]}, 3)
        for kind in ("toolUse", "toolResult", "cachePoint", "reasoningContent", "searchResult")
    ),
    ("bedrock-converse", [{"role": "user", "content": [{"image": {"source": {"bytes": ""}}}]}], 3),
    ("bedrock-converse", [{"role": "user", "content": [{"image": {"url": "https://example.org/a.png"}}]}], 0),
    ("bedrock-converse", [{"role": "user", "content": [{"image": "https://example.org/a.png"}]}], 0),
    ("bedrock-converse", [{"role": "user", "content": [{"other": "Hi"}]}], 0),
    ("bedrock-converse", [{"role": "user", "content": [*PARTS, {"other": "Hi"}]}], 2),
    ("bedrock-converse", [{"role": "user", "content": PARTS}, {"role": "user", "content": [{"other": "Hi"}]}], 0),
    ("bedrock-converse", [{"role": "user", "content": TYPED}], 0),
    ("bedrock-converse", [{"role": "user", "content": ["Hi"]}], 0),
    ("bedrock-converse", [{"role": "user", "content": "Hi"}, {"role": "user", "content": PARTS}], 0),
    ("bedrock-converse", [{"content": PARTS}], 0),
    ("bedrock-converse", ["Hi"], 0),
    ("bedrock-converse", [], 0),
    *(
        ("bedrock-converse", {"messages": [], key: {}}, 1)
        for key in ("modelId", "toolConfig", "inferenceConfig", "guardrailConfig", "additionalModelRequestFields")
    ),
    ("bedrock-converse", {"messages": []}, 0),
    ("bedrock-converse", {"output": {"message": {}}, "stopReason": "end_turn"}, 3),
    ("bedrock-converse", {"output": {"message": {}}, "stopReason": None}, 0),
    ("bedrock-converse", {"output": {}, "stopReason": "end_turn"}, 0),
    ("bedrock-converse", {"output": "message", "stopReason": "end_turn"}, 0),
    ("openai", {"messages": MESSAGES}, 2),
    ("openai", MESSAGES, 2),
    ("openai", {"messages": []}, 1),
    ("openai", {"messages": [{"role": "user", "content": "Hi", "channel": "final"}]}, 1),
    ("openai", [{"messages": MESSAGES}], 1),
    ("openai", [{"content": "Hi"}], 0),
    ("openai", {"choices": [{"message": {}}]}, 3),
    ("openai", {"choices": [{"text": "Hi"}]}, 0),
    ("openai", {"choices": []}, 0),
    ("openai", {"input": {"messages": MESSAGES}, "preferred_output": []}, 3),
    ("openai", {"input": {"messages": MESSAGES}}, 0),
    ("openai", {"input": "messages", "preferred_output": []}, 0),
    ("openai", "Hi", 0),
    ("chatml-json", [STARTED, "user\nHi", ENDED], 3),
    ("chatml-json", ["Well. ", STARTED, "user\nHi", ENDED], 2),
    ("chatml-json", [[STARTED, "user\nHi", ENDED], [STARTED, "user\nSo?", ENDED]], 3),
    ("chatml-json", [[STARTED, "user\nHi", ENDED], ["Hi"]], 0),
    ("chatml-json", ["Hi", ENDED], 0),
    ("chatml-json", [], 0),
    ("chatml-json", "<|im_start|>user\nHi<|im_end|>", 0),
    ("chatml-json", {"token": "<|im_start|>"}, 0),
]


@pytest.mark.parametrize(("wire", "document", "level"), SURE)
def test_a_wire_returns_its_certainty_of_a_document(wire: str, document: Any, level: int) -> None:
    found, _ = adapter(wire)
    assert found.sniff(document) == level


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Well, yes.<|end|><|start|>user<|message|>Hi<|end|>", 2),  # what a model went on with
        ("Hello <|start|>user", 1),
        ("Well, yes.<|end|>", 0),
    ],
)
def test_text_that_does_not_begin_with_a_frame_may_be_harmony(text: str, level: int) -> None:
    assert adapter("harmony")[0].sniff(text) == level
