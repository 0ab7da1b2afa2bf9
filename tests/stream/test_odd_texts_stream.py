"""A text that is spelled oddly somewhere is read alike however it arrives."""

from __future__ import annotations

import pytest

from ocml_bridge.testing.streams import check_decoding
from odd_texts import FIELDS, SPELLINGS, odd_texts
from sampling import sweep


@pytest.mark.sweep
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", SPELLINGS)
def test_an_odd_text_in_pieces(name: str, field: str) -> None:
    for text in sweep(odd_texts(name, field, headers=5), 5):
        check_decoding(text, name, [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]], None)
