"""The dialect of Olmo 3: reading 13 of docs/formats/chatml.md, "Dialects"."""

from __future__ import annotations

import pytest

from ocml_bridge import FindingCode, Message, Tool, Transcript, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.testing import laws
from ocml_bridge.testing.streams import check_decoding

START, END = "<|im_start|>", "<|im_end|>"
TOOLS = '<functions>[{"type": "function", "function": {"name": "f", "description": "Looks."}}]</functions>'
SYSTEM = f"{START}system\nBe brief.{TOOLS}{END}\n{START}user\nWhy?{END}\n"


def hold(text: str) -> Transcript:
    """Check that a text comes back and keeps the laws, also as a stream; return what it reads as."""
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:olmo", "chatml:lfm2", "chatml:hyperclova"):
        laws.all_laws(document, target)
    check_decoding(text, "chatml", [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]])
    return document


def calls(body: str) -> list[tuple[str | None, object]]:
    document = hold(f"{SYSTEM}{START}assistant\n<function_calls>{body}</function_calls>{END}\n")
    return [(each.recipient, each.content) for each in document.messages if is_call(each)]


def test_a_conversation_is_read_and_written_anew_as_it_was() -> None:
    text = (
        f'{SYSTEM}{START}assistant\nI look.<function_calls>f(a="x", n=[1, {{"k": null}}])\ng()</function_calls>{END}\n'
        f"{START}environment\none{END}\n{START}environment\ntwo{END}\n{START}assistant\nYes.{END}\n"
    )
    document = hold(text)
    assert document.layout == {"chatml": {"family": "olmo"}}
    assert document.tools == (Tool("f", "Looks."),)
    _, _, preamble, one, other, first, second, _ = document.messages
    assert preamble.intent == "preamble"
    assert [each.content for each in (one, other)] == ['{"a": "x", "n": [1, {"k": null}]}', "{}"]
    assert [(each.role, each.name) for each in (first, second)] == [("tool", "functions.f"), ("tool", "functions.g")]
    assert write(Transcript(document.messages, document.tools), "chatml:olmo").output == text


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ('f(s="a, b)\\n\\"c\\"")', '{"s": "a, b)\\n\\"c\\""}'),
        ("f(s='x', b=True, o=None)", '{"s": "x", "b": true, "o": null}'),
        ("\n f( n = 1 )\n", '{"n": 1}'),
    ],
)
def test_literals_are_those_of_json_or_of_python(body: str, content: str) -> None:
    assert calls(body) == [("functions.f", content)]


def test_what_is_no_call_stays_text() -> None:
    assert calls("f(1)") == []
    text = f"{SYSTEM}{START}assistant\n<function_calls>f(1)</function_calls>{END}\n"
    assert [finding.code for finding in read(text, "chatml").findings] == [FindingCode.JSON_OPAQUE]


def test_a_tag_in_an_argument_is_broken() -> None:
    made = Message("assistant", '{"s": "</function_calls>"}', None, "commentary", "functions.f", constraint="json")
    document = Transcript((Message("user", "Hi"), made))
    laws.all_laws(document, "chatml:olmo")
    text = str(write(document, "chatml:olmo").output)
    assert text.count("</function_calls>") == 1


def test_a_message_of_the_environment_is_a_reply() -> None:
    document = Transcript((Message("user", "Hi"), Message("environment", "R")))
    for target in ("chatml", "chatml:olmo", "chatml:hermes"):
        laws.all_laws(document, target)
    assert "<|im_start|>tool\nR" in str(write(document, "chatml").output)
