"""An answer to a prompt that has begun it: the prompt's text is no part of it, and it begins with a message."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from deltas import texts_of
from ocml_bridge import Message, Transcript, decoder
from ocml_bridge.events import End, Event, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.stream.answer import AnswerDecoder

CHAT: Final = "<|im_start|>user\nHi.\n<|im_end|>\n<|im_start|>assistant\n"
CALL: Final = '<|function_call|>\n{"arguments": {}, "name": "f"}'


class Case(NamedTuple):
    """A prompt and what is written behind it.

    Attributes:
        stream: the format.
        prompt: its end.
        begun: the beginning of the last message that is in the prompt.
        answer: what the model writes.
        texts: the text of each message of the answer.
    """

    stream: str
    prompt: str
    begun: str
    answer: str
    texts: tuple[str, ...]


CASES: Final = {
    "an answer": Case("ocm-0.1", CHAT, "", "a\n<|im_end|>\n", ("a",)),
    "a begun answer": Case("ocm-0.1", f"{CHAT}One ", "One ", "two.\n<|im_end|>\n", ("two.",)),
    "an answer begun behind a thought": Case(
        *("ocm-0.1", f"{CHAT}<|start_reason|>a<|end_reason|>One ", "One ", "two.\n<|im_end|>\n", ("two.",))
    ),
    "calls behind a begun text": Case(
        *("ocm-0.1", f"{CHAT}One ", "One ", f"two.\n{CALL}\n{CALL}\n<|im_end|>\n", ("two.", "{}", "{}"))
    ),
    "a thought and an answer": Case(
        "harmony",
        "<|start|>user<|message|>Hi.<|end|><|start|>assistant",
        "",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
        ("a", "b"),
    ),
    "a begun thought": Case(
        "harmony",
        "<|start|>user<|message|>Hi.<|end|><|start|>assistant<|channel|>analysis<|message|>One ",
        "One ",
        "two.<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
        ("two.", "b"),
    ),
    "a header that is begun": Case(
        *("ocm-2.2", "version: 2.2\n<|start|>user<|message|>Hi.<|end|>\n<|start|>assistant<|channel|>", ""),
        *("final<|message|>a<|return|>\n", ("a",)),
    ),
    "several messages in the prompt": Case(
        "internlm2",
        "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n",
        "",
        "d<|im_end|>\n",
        ("d",),
    ),
    "nothing": Case("internlm2", "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n", "", "", ("",)),
}


def events_of(case: Case, size: int) -> list[Event]:
    prefill = (Message("assistant", case.begun, end=None),) if case.begun else ()
    made = AnswerDecoder(decoder(case.stream), case.prompt, prefill)
    events: list[Event] = []
    for at in range(0, len(case.answer), size):
        copy, chunk = made.copy(), case.answer[at : at + size]
        more = made.feed(chunk)
        assert copy.feed(chunk) == more
        events += more
    return [*events, *made.finish("stop")]


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("name", CASES)
def test_only_text_after_the_prompt_becomes_messages(name: str, size: int) -> None:
    case = CASES[name]
    events = events_of(case, size)
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert tuple(map(text_of, stop.document.messages)) == case.texts
    starts = [event for event in events if isinstance(event, Start)]
    assert [start.number for start in starts] == list(range(len(case.texts)))
    ended = {event.number: event.message for event in events if isinstance(event, End)}
    assert texts_of(events) == {number: text_of(message) for number, message in ended.items()}
    for message in (starts[0].message, ended[0], stop.document.messages[0]) if starts else ():
        assert not message.continues


def text_of(message: Message) -> str:
    content = message.content
    return content if isinstance(content, str) else "".join(part.text for part in content if part.type == "text")


def test_findings_in_the_answer_have_the_paths_of_its_messages() -> None:
    prompt = "<|im_start|>critic\na<|im_end|>\n<|im_start|>assistant\n"
    made = AnswerDecoder(decoder("internlm2"), prompt, ())
    events = [*made.feed("b<|im_end|>\n<|im_start|>assistant loudly\nc"), *made.finish("stop")]
    found = [event.path for event in events if isinstance(event, Finding)]
    assert set(found) == {"/messages/1/name"}
