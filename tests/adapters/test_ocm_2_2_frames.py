"""Frames on lines of their own are those that the scanner finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.ocm_2_2.frames import frames, lines
from ocml_adapters.ocm_2_2.syntax import MESSAGE, START, TOKENS

WORDS = ("<", "<|", "|>", "\n", "user", " call_id=c", "a text", "\u200b", "end|>", "call|>")
PIECES = (*TOKENS, *(f"<{token}" for token in TOKENS), *WORDS)
REGULAR = [
    f"{START}{header}{MESSAGE}a < b<|{end}|>\n" for header in ("user", "a<|channel|>final") for end in ("end", "call")
]


@given(st.lists(st.sampled_from((*PIECES, *REGULAR)), max_size=12), st.integers(0, 3))
def test_lines_are_what_the_scanner_finds(pieces: list[str], regular: int) -> None:
    text = "".join((*REGULAR[:regular], START, *pieces))
    found = lines(text, 0)
    if found is not None:
        assert [*found, "\n"] == list(frames(text, 0))


def test_frames_on_lines_are_found_as_such() -> None:
    found = lines("".join(REGULAR), 0)
    assert found is not None
    assert len(found) == len(REGULAR)


def test_a_token_in_a_body_is_for_the_scanner() -> None:
    for body in ("<<|end|>", "<|literal|><|end|><|endliteral|>", "a<"):
        assert lines(f"{START}user{MESSAGE}{body}<|end|>\n", 0) is None


def test_the_name_of_a_token_ends_no_frame() -> None:
    """Found by fuzzing: a body that was cut off, and had nothing but `end|>`, was read as an empty one that ends."""
    text = f"{START}user{MESSAGE}end|>\n"
    assert lines(text, 0) is None
    [frame, tail] = frames(text, 0)
    assert not isinstance(frame, str)
    assert (frame.body, frame.end, tail) == ("end|>\n", "", "")
