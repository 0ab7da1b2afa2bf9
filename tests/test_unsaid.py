"""A field that is empty says nothing: where a format leaves it out, nothing is lost."""

from __future__ import annotations

import pytest

from ocml_bridge import LossCode, Message, Severity, Transcript, write


@pytest.mark.parametrize("field", ["name", "call_id", "constraint", "content_type"])
def test_a_format_that_says_nothing_of_an_empty_field_loses_nothing(field: str) -> None:
    message = Message("user", "hi")
    setattr(message, field, "")
    result = write(Transcript((message,)), "chatml")
    assert result.lossless
    (loss,) = result.losses
    assert (loss.severity, loss.path) == (Severity.LAYOUT, f"/messages/0/{field}")


def test_one_that_says_something_is_lost() -> None:
    (loss,) = write(Transcript((Message("user", "hi", call_id="c1"),)), "chatml").losses
    assert (loss.code, loss.severity, loss.path) == (LossCode.CALL_ID, Severity.LOST, "/messages/0/call_id")
