"""An error for a misspelt name suggests the nearest one: of a format, dialect, stream, profile, option or tool."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ocml_bridge import BridgeError, LossPolicy, adapter, decoder, encoder, profile
from ocml_bridge.common.suggestions import did_you_mean, nearest_name

MISSPELT: dict[str, tuple[Callable[[str], object], str]] = {
    "opnai": (adapter, "openai"),
    "Harmony": (adapter, "harmony"),
    "harmony:speck": (adapter, "spec"),
    "openai-see": (decoder, "openai-sse"),
    "antropic-sse": (encoder, "anthropic-sse"),
    "gptoss": (profile, "gpt-oss"),
    "strukture": (lambda name: LossPolicy(refuse=(name,)), "structure"),
}


@pytest.mark.parametrize("written", MISSPELT)
def test_the_nearest_name_is_offered(written: str) -> None:
    find, meant = MISSPELT[written]
    with pytest.raises(BridgeError) as caught:
        find(written)
    assert f"; did you mean {meant}?" in caught.value.message


def test_no_name_is_offered_if_none_is_similar() -> None:
    assert nearest_name("word", ["harmony", "openai"]) is None
    assert did_you_mean("word", ["harmony"]) == ""
    assert nearest_name("x" * 1_000_000, ["harmony"]) is None


def test_the_suggestion_comes_before_the_list() -> None:
    with pytest.raises(BridgeError, match=r"'opnai'; did you mean openai\? The formats are ocm-0\.1, "):
        adapter("opnai")
    with pytest.raises(BridgeError, match=r"'zzz'; the formats are ocm-0\.1, "):
        adapter("zzz")
