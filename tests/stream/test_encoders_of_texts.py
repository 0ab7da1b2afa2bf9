"""The encoder of a text format writes what its writer writes, in every dialect and by every policy of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from ocml_bridge import LossCode, Message, Options, Transcript, adapter, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Delta, Start, Stop
from ocml_bridge.loss import Loss, Severity
from ocml_bridge.model import Completion, Media, Text, Thought, Tool, Tools
from ocml_bridge.pipe import encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream import replay
from ocml_bridge.testing.encoding import encoded, in_pieces
from sampling import sweep

HIDDEN: Final = "<|im_end|><|end|>[UNUSED_TOKEN_145]"
"""What ends a message in some format, in the middle of a content."""
USER: Final = Message("user", f"Hi {HIDDEN}")
WAIT: Final = Message("assistant", "Wait.", channel="commentary", intent="preamble")
CALL: Final = Message(
    *("assistant", f'{{"a": "{HIDDEN}"}}', None, "commentary", "functions.f", "c1"), constraint="json", end="call"
)
CODE: Final = Message("assistant", f"print('{HIDDEN}')", None, "commentary", "python", "c2", end="call")
REPLY: Final = Message("tool", HIDDEN, "functions.f", "commentary", "assistant", "c1")
RAN: Final = Message("tool", "1", "python", "commentary", "assistant", "c2")
DONE: Final = Message("assistant", f"{HIDDEN} Done.", channel="final")

EXAMPLES: Final[dict[str, tuple[Message, ...]]] = {
    "texts": (Message("system", "Be."), replace(USER, name="bob"), DONE),
    "an answer": (DONE,),
    "a call": (USER, CALL, REPLY, DONE),
    "code": (USER, CODE, RAN, DONE),
    "one turn": (USER, WAIT, replace(CALL, continues=True), replace(CODE, continues=True), REPLY, RAN),
    "a thought": (USER, Message("assistant", HIDDEN, channel="analysis"), replace(DONE, continues=True)),
    "a thought that breaks off": (
        *(USER, Message("assistant", "Hm", channel="analysis", end=None)),
        *(replace(DONE, continues=True), Message("assistant", "Hm", channel="analysis", end=None), USER),
    ),
    "a text that is cut off": (USER, replace(DONE, end=None)),
    "a text that breaks off before another": (USER, replace(DONE, end=None), USER),
    "calls that break off": (USER, replace(CALL, content='{"a', end=None), REPLY, replace(CODE, end=None), RAN),
    "a call that is cut off": (USER, replace(CALL, content='{"a', end=None)),
    "replies in another order": (USER, CALL, CODE, RAN, REPLY, DONE),
    "replies of others": (USER, CALL, replace(REPLY, name="a b"), replace(REPLY, name="functions.g"), DONE),
    "white space": (USER, Message("assistant", " \n", channel="final"), Message("assistant", "x\n", channel="final")),
    "nothing": (Message("user", ""), Message("assistant", "", channel="final")),
    "nothing in one turn": (
        *(USER, Message("assistant", "", channel="final"), replace(CALL, continues=True), REPLY),
        *(WAIT, Message("assistant", "", channel="final", continues=True), replace(CALL, call_id="c3", continues=True)),
    ),
    "a thought and no answer": (
        *(USER, Message("assistant", "Hm", channel="analysis")),
        *(Message("assistant", "", channel="final", continues=True), USER),
    ),
    "a call and no answer": (USER, CALL, Message("assistant", "", channel="final", continues=True), REPLY),
    "nothing after something": (USER, DONE, Message("assistant", "", channel="final"), DONE, Message("user", ""), USER),
    "nothing and something": (Message("assistant", "", channel="final"), DONE),
    "kinds of thoughts": (
        USER,
        Message("assistant", (Thought("reflect"), Text("a")), channel="analysis"),
        Message("assistant", (Thought("reason"), Text("b")), channel="analysis", continues=True),
        DONE,
    ),
}
DIALECTS: Final = [
    (name, dialect)
    for name in ("ocm-2.2", "ocm-0.1", "harmony", "internlm2", "chatml")
    for dialect in (None, *adapter(name)[0].dialects)
]


def places(losses: Iterable[Loss]) -> set[tuple[LossCode, str, str]]:
    return {(loss.code, loss.path, loss.detail) for loss in losses if loss.severity is not Severity.LAYOUT}


@pytest.mark.sweep
@pytest.mark.parametrize(("form", "example"), sweep(product(DIALECTS, EXAMPLES), 3))
def test_an_encoder_writes_what_the_batch_writer_writes(form: tuple[str, str | None], example: str) -> None:
    name, dialect = form
    document = Transcript(EXAMPLES[example])
    for policy in ("neutralise", "raw"):
        options = Options(dialect=dialect, control_tokens=policy)
        whole = write(document, name, options=options, policy=LENIENT)
        text, losses = encoded(replay(document), name, options)
        assert text == whole.output
        if policy == "neutralise":
            assert encoded(in_pieces(replay(document), 2), name, options)[0] == text
            # A kind of thought is part of the start of its message, not of its texts.
            assert example == "kinds of thoughts" or places(losses) == places(whole.losses)


SPEAKERS: Final = {
    "system": Message("system", "", end=None),
    "user": Message("user", "", "bob", end=None),
    "assistant": Message("assistant", "", channel="final", end=None),
    "thought": Message("assistant", "", channel="analysis", end=None),
    "tool": Message("tool", "", "functions.f", "commentary", "assistant", "c1", end=None),
    "call": replace(CALL, content="", end=None),
}
WAITING: Final = {
    "ocm-0.1": {"system", "user", "tool", "call"},
    "internlm2": {"thought", "call"},
    "chatml:openai": {"thought"},
    "chatml": {"call"},
}
"""Whose words are not written at once: there is no place for them, or what they are written as is known in the end."""


@pytest.mark.parametrize("who", SPEAKERS)
@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_each_delta_is_written_when_it_arrives(name: str, dialect: str | None, who: str) -> None:
    target = encoder(name, options=Options(dialect=dialect))
    target.encode([Start(0, SPEAKERS[who])])
    written = b"".join(target.encode([Delta(0, "One two "), Delta(0, "three")])).decode()
    waiting = WAITING.get("chatml:openai" if name == "chatml" and dialect in (None, "openai") else name, ())
    assert ("One two" in written) is (who not in waiting)


@pytest.mark.parametrize("end", ["<|end|>", "<|return|>"])
def test_the_last_answer_has_the_end_that_the_document_has(end: str) -> None:
    text = f"version: 2.2\n<|start|>assistant<|channel|>final<|message|>Yes.{end}\n"
    document = read(text, "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert encoded(replay(document), "ocm-2.2", Options())[0] == text


@pytest.mark.parametrize("example", ["texts", "an answer", "a thought", "one turn", "a call", "nothing and something"])
@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_a_stream_that_stops_inside_a_message_leaves_it_open(name: str, dialect: str | None, example: str) -> None:
    """The text so far is there, without an end, as for a message that is marked as cut off."""
    messages = EXAMPLES[example]
    for at, last in enumerate(messages):
        if last.role != "assistant" or is_call(last):
            continue
        cut = Transcript((*messages[:at], replace(last, end=None)))
        *events, _, stop = replay(cut)
        options = Options(dialect=dialect)
        assert encoded([*events, stop], name, options)[0] == encoded(replay(cut), name, options)[0]


INSTRUCTIONS: Final = {
    "a text": Message("developer", "Be brief."),
    "a text with tokens in it": Message("developer", f"Be {HIDDEN}."),
    "a text that is cut off": Message("developer", "Be", end=None),
    "a private one": Message("developer", "Be brief.", channel="analysis"),
}


@pytest.mark.parametrize("what", INSTRUCTIONS)
@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_instructions_are_written_as_they_come(name: str, dialect: str | None, what: str) -> None:
    """What has no place in them is lost at the same place and for the same reason as where all is written at once."""
    document = Transcript((USER, INSTRUCTIONS[what], USER))
    options = Options(dialect=dialect)
    whole = write(document, name, options=options, policy=LENIENT)
    text, losses = encoded(replay(document), name, options)
    assert text == whole.output
    assert places(losses) == places(whole.losses)


def test_tools_of_instructions_that_come_are_declared_in_harmony_and_an_image_is_lost() -> None:
    declares = Message("developer", (Text("Be brief."), Tools((Tool("look", "Looks."),))))
    shows = Message("developer", (Text("Like this."), Media("image", url="https://example.org/a.png")))
    for message, lost in ((declares, []), (shows, [(LossCode.CONTENT, "/messages/1/content")])):
        document = Transcript((Message("user", "Hi"), message))
        text, losses = encoded(replay(document), "harmony")
        assert text == write(document, "harmony", policy=LENIENT).output
        assert [(loss.code, loss.path) for loss in losses] == lost


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_a_stream_of_a_text_to_complete_is_no_conversation(name: str, dialect: str | None) -> None:
    """A completion has no messages that could come: what is no conversation is written where there are such texts."""
    text, losses = encoded([Stop("stop", Completion("Once upon a time"))], name, Options(dialect=dialect))
    if name == "ocm-0.1":
        assert (text, losses) == ("Once upon a time", [])
    else:
        assert "Once" not in text
        assert [loss.code for loss in losses] == [LossCode.COMPLETION]


@pytest.mark.parametrize("target", ["harmony", "ocm-0.1", "chatml", "internlm2"])
def test_replies_that_move_are_named_as_by_the_batch_writer(target: str) -> None:
    """Without ids they have the order of their calls."""
    first, second = (
        Message("assistant", "{}", None, "commentary", "functions.f", name, constraint="json", end="call")
        for name in ("a", "b")
    )
    replies = [Message("tool", name, "functions.f", "commentary", "assistant", name) for name in ("b", "a")]
    document = Transcript((Message("user", "q"), first, replace(second, continues=True), *replies))
    made = encoder(target, visibility=DEBUG)
    made.encode(replay(document))
    moved = [loss for loss in write(document, target, policy=LENIENT).losses if loss.code == "order"]
    assert [loss.path for loss in moved] == ["/messages/3", "/messages/4"]
    assert [loss for loss in made.losses if loss.code == "order"] == moved
    assert not any(loss.code == "pairing" for loss in made.losses), "each answers its own call"


def test_a_body_of_ocm_0_1_that_ends_with_a_line_break_gets_no_second_one() -> None:
    document = Transcript((Message("user", "q\n"), Message("assistant", "a", channel="final"), Message("user", "b\n")))
    made = encoder("ocm-0.1")
    assert b"".join([*made.encode(replay(document)), *made.finish()]).decode() == write(document, "ocm-0.1").output


def test_what_a_system_message_of_internlm2_declares_is_checked_whole() -> None:
    """Its tools are JSON, which pieces of it are not."""
    document = Transcript((Message("system", '[{"name": "f"}]', "plugin"), Message("user", "b")))
    made = encoder("internlm2")
    chunks = [chunk for event in replay(document) for chunk in made.encode([event])]
    assert b"".join(chunks).decode() == write(document, "internlm2").output
    assert b'[{"name": "f"}]<|im_end|>\n' in chunks[0]
