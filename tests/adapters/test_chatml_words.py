"""Texts of models that declare tools in other words than the first of their dialect, as their templates render them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import Transcript, read, write
from ocml_bridge.testing import laws

ROWS: Any = json.loads((Path(__file__).parents[2] / "golden/rows/chat_templates_of_chatml.json").read_text("utf-8"))
TEXTS = [case["row"]["text"] for case in ROWS["cases"]]
FAMILIES = (
    *("hermes/qwen2.5-json", "hermes/hermes-4", "hermes/falcon-h1", "hermes/falcon-h1r"),
    *("qwen-xml/nanbeige", "qwen-xml/iquest", "qwen-xml/mimo"),
)


@pytest.mark.parametrize(("family", "text"), [*zip(FAMILIES, TEXTS, strict=True)], ids=FAMILIES)
def test_a_text_comes_back_and_its_family_is_known(family: str, text: str) -> None:
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert (document.layout or {})["chatml"]["family"] == family
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:hermes", "chatml:qwen-xml"):
        laws.all_laws(document, target)
