"""Options that nobody knows are refused in the library as by the command: passed over, they would be believed in."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, Options, convert


@pytest.mark.parametrize("option", [{"control_tokens": "refuze"}, {"reasoning": "thinking"}, {"control_tokens": None}])
def test_a_word_that_an_option_does_not_know_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(BridgeError, match=next(iter(option))) as caught:
        Options(**option)
    assert caught.value.code is ErrorCode.OPTION


@pytest.mark.parametrize("target", ["harmony", "canonical"])
def test_a_dialect_that_the_target_does_not_have_is_refused(target: str) -> None:
    request = {"messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(BridgeError, match="no dialect 'nope'") as caught:
        convert(request, source="openai", target=target, options=Options(dialect="nope"))
    assert caught.value.code is ErrorCode.OPTION
