"""Headers of plain words: a role, and attributes `key=value`, which a role must not look like."""

from __future__ import annotations

import pytest

from ocml_bridge import Message, Transcript, read, write
from ocml_bridge.report.policy import LENIENT


@pytest.mark.parametrize("target", ["ocm-0.1", "internlm2", "chatml"])
@pytest.mark.parametrize(
    ("role", "written"), [("critic", "critic"), ("a=b", "a_b"), ("a b", "a_b"), ("name=x", "name_x")]
)
def test_a_role_is_written_as_one_that_is_read_back(target: str, role: str, written: str) -> None:
    result = write(Transcript((Message(role, "Hi."),)), target, policy=LENIENT)
    document = read(result.output, target).transcript
    assert document == result.image
    assert isinstance(document, Transcript)
    assert [(message.role, message.name, message.content) for message in document.messages] == [(written, None, "Hi.")]
    assert [loss.path for loss in result.losses] == ([] if role == written else ["/messages/0/role"])
