"""A thought without a kind is written as `reason` by formats that have kinds, and read back as one without a kind."""

from __future__ import annotations

import pytest

from ocml_bridge import LossCode, Message, Transcript, convert, write
from ocml_bridge.model import Text, Thought

REQUEST = '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","reasoning":"Hm.","content":"Yes."}]}\n'


def thoughts_lost(*content: Text | Thought, target: str, channel: str = "analysis") -> list[tuple[str, str]]:
    result = write(Transcript((Message("assistant", content, channel=channel),)), target)
    return [(loss.severity, loss.path) for loss in result.losses if loss.code is LossCode.THOUGHT]


def test_a_thought_is_restored_after_a_format_with_kinds() -> None:
    there = convert(REQUEST, source="openai", target="ocm-0.1", strict=True)
    back = convert(there.data, source="ocm-0.1", target="openai", strict=True)
    assert back.data.decode() == REQUEST


@pytest.mark.parametrize("target", ["openai", "harmony"])
def test_the_kind_reason_is_the_default(target: str) -> None:
    assert thoughts_lost(Thought("reason"), Text("Hm."), target=target) == [("layout", "/messages/0/content/0")]


@pytest.mark.parametrize("target", ["openai", "harmony"])
@pytest.mark.parametrize(
    "content",
    [(Thought("reflect"), Text("Hm.")), (Text("Hm."), Thought("reason"), Text("So."))],
)
def test_another_kind_or_a_partial_thought_is_a_loss(content: tuple[Text | Thought, ...], target: str) -> None:
    assert [severity for severity, _ in thoughts_lost(*content, target=target)] == ["lost"]
