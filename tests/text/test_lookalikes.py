"""Texts that a reader would take for something else are marked, and the mark is removed again."""

from __future__ import annotations

import pytest

from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.text.lookalikes import Lookalikes

CALLS = Lookalikes(lambda text: text.startswith("{"), "a call")
PATH = "/messages/0/content"


@pytest.mark.parametrize("text", ["{}", "\u200b{}", "\u200b\u200b{}", "no", "\u200bno", ""])
def test_what_is_marked_is_read_back(text: str) -> None:
    assert CALLS.restore(CALLS.guard(text, "neutralise", PATH, Log())) == text


@pytest.mark.parametrize("text", ["no", "\u200bno", ""])
def test_another_text_is_not_marked(text: str) -> None:
    log = Log()
    assert CALLS.is_free(text)
    assert CALLS.guard(text, "refuse", PATH, log) == text
    assert log.losses == []


def test_a_mark_is_reported() -> None:
    log = Log()
    assert CALLS.guard("{}", "neutralise", PATH, log) == "\u200b{}"
    assert [(loss.code, loss.path) for loss in log.losses] == [("control-token", PATH)]


def test_a_text_that_is_written_as_it_is_is_reported_for_the_whole_document() -> None:
    log = Log()
    assert CALLS.guard("{}", "raw", PATH, log) == "{}"
    assert [loss.path for loss in log.losses] == [""]


def test_such_a_text_can_be_refused() -> None:
    with pytest.raises(BridgeError, match="would be read as a call") as caught:
        CALLS.guard("{}", "refuse", PATH, Log())
    assert caught.value.path == PATH
