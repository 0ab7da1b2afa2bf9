"""An empty field is not a loss if a format leaves it out; a field with a value is."""

from __future__ import annotations

import pytest

from ocml_bridge import LossCode, Message, Severity, Transcript, write


@pytest.mark.parametrize("field", ["name", "call_id", "constraint", "content_type"])
def test_an_empty_field_that_a_format_leaves_out_is_not_a_loss(field: str) -> None:
    message = Message("user", "hi")
    setattr(message, field, "")
    result = write(Transcript((message,)), "chatml")
    assert result.lossless
    (loss,) = result.losses
    assert (loss.severity, loss.path) == (Severity.LAYOUT, f"/messages/0/{field}")


def test_a_field_with_a_value_that_a_format_leaves_out_is_a_loss() -> None:
    (loss,) = write(Transcript((Message("user", "hi", call_id="c1"),)), "chatml").losses
    assert (loss.code, loss.severity, loss.path) == (LossCode.CALL_ID, Severity.LOST, "/messages/0/call_id")
