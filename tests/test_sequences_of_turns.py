"""Any sequence of turns of any roles keeps the laws, in every dialect of every format.

Replies have names, ids or neither, so that only their order may determine the call they answer; turns go on from those
before them or begin anew.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Message, Options, Transcript, formats
from ocml_bridge.registry import adapter
from ocml_bridge.testing import laws
from sampling import sweep


def assistant(at: int, *, channel: str = "final", words: str = "w", continues: bool = False) -> Message:
    return Message("assistant", f"{words}{at}" if words.strip() else words, channel=channel, continues=continues)


def call(at: int, *, name: str, call_id: str | None = None, continues: bool = False) -> Message:
    arguments = f'{{"a":{at}}}'
    made = Message("assistant", arguments, channel="commentary", recipient=f"functions.{name}", continues=continues)
    made.end, made.constraint = "call", "json"
    made.call_id = None if call_id is None else f"{call_id}{at}"
    return made


def reply(at: int, *, name: str | None = None, call_id: str | None = None) -> Message:
    answered = None if call_id is None else f"{call_id}{at - 1}"
    return Message("tool", f"r{at}", name, channel=None if name is None else "commentary", call_id=answered)


TURNS: dict[str, Callable[[int], Message]] = {
    "user": lambda at: Message("user", f"u{at}"),
    "system": lambda at: Message("system", f"s{at}"),
    "text": assistant,
    "text going on": partial(assistant, continues=True),
    "thought": partial(assistant, channel="analysis"),
    "thought going on": partial(assistant, channel="analysis", continues=True),
    "preamble": partial(assistant, channel="commentary"),
    "preamble going on": partial(assistant, channel="commentary", continues=True),
    "blank text": partial(assistant, words=" \n"),
    "nothing": partial(assistant, words="", continues=True),
    "call": partial(call, name="f"),
    "another call": partial(call, name="g"),
    "another call at once": partial(call, name="g", continues=True),
    "call with an id": partial(call, name="f", call_id="c"),
    "reply": reply,
    "named reply": partial(reply, name="functions.f"),
    "reply with an id": partial(reply, name="functions.f", call_id="c"),
}
"""A turn of each kind, for its position in the conversation."""
DIALECTS = [(name, dialect) for name in formats() for dialect in adapter(name)[0].dialects or (None,)]


def conversation(*kinds: str) -> Transcript:
    return Transcript(tuple(TURNS[kind](at) for at, kind in enumerate(kinds)))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "dialect"), sweep(DIALECTS, 3))
@given(st.lists(st.sampled_from(sorted(TURNS)), max_size=6))
def test_any_sequence_of_turns_keeps_the_laws(name: str, dialect: str | None, kinds: list[str]) -> None:
    laws.all_laws(conversation(*kinds), name, Options(dialect=dialect))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "kinds",
    [
        ("system", "blank text", "system"),
        ("user", "blank text", "user"),
        ("call", "another call", "reply"),
        ("call", "another call", "reply", "reply"),
        ("call", "text", "another call", "reply"),
        ("call", "text", "another call", "reply", "reply"),
        ("call", "another call at once", "reply", "text", "reply"),
        ("call", "thought", "another call", "reply"),
        ("call", "reply", "call", "another call at once", "reply", "reply"),
        ("call with an id", "another call", "reply"),
        ("call", "preamble going on", "preamble going on", "another call at once", "named reply", "named reply"),
    ],
)
def test_a_reply_without_a_name_answers_the_same_call(kinds: tuple[str, ...]) -> None:
    for name, dialect in sweep(DIALECTS, 5):
        laws.all_laws(conversation("user", *kinds), name, Options(dialect=dialect))
