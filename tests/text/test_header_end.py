"""A header ends with a line break, or with the text that a grammar names, wherever the text is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.text.im import Frame, Grammar, Scanner

START, END, HEADER_END = "<|start_header_id|>", "<|eot_id|>", "<|end_header_id|>\n\n"
GRAMMAR = Grammar((START,), (END,), header_end=HEADER_END)
PIECES = (START, END, HEADER_END, HEADER_END[:-1], "<|end_header_id|>", "\n", "\n\n", "user", "<s>", " ")


def in_pieces(pieces: list[str]) -> tuple[list[Frame], str]:
    scanner = Scanner(GRAMMAR)
    frames = [frame for piece in pieces for frame in scanner.feed(piece)]
    last, tail = scanner.finish()
    return [*frames, *last], tail


def test_the_text_before_it_is_the_header_and_the_text_after_it_the_body() -> None:
    [frame], _ = GRAMMAR.frames(f"{START}user{HEADER_END}\nHi{END}")
    assert (frame.header, frame.newline, frame.body) == ("user", True, "\nHi")


@pytest.mark.parametrize("cut", ["user", "user<|end_header_id|>", "user<|end_header_id|>\n"])
def test_a_header_without_its_end_has_no_body(cut: str) -> None:
    [frame], _ = GRAMMAR.frames(START + cut)
    assert (frame.header, frame.newline, frame.body, frame.last) == (cut, False, "", True)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_the_frames_do_not_depend_on_the_pieces(pieces: list[str]) -> None:
    """A piece ends inside a header's end, but not inside a start or an end token."""
    whole = in_pieces(["".join(pieces)])
    assert in_pieces(pieces) == whole
    assert all(frame.offset == "".join(pieces).find(START, frame.offset) for frame in whole[0])


def test_every_character_of_a_header_is_counted_while_it_waits() -> None:
    scanner = Scanner(GRAMMAR)
    for size, piece in enumerate((START, *"user<|end_header_id|>\n")):
        scanner.feed(piece)
        assert scanner.pending == size
    scanner.feed("\n")
    assert scanner.pending == 0
