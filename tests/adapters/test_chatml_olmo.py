"""The dialect of Olmo 3: reading 13 of docs/formats/chatml.md, "Dialects"."""

from __future__ import annotations

import pytest

from ocml_bridge import FindingCode, Message, Tool, Transcript, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.profiles import profile
from ocml_bridge.testing import laws
from ocml_bridge.testing.streams import check_decoding

START, END = "<|im_start|>", "<|im_end|>"
TOOLS = '<functions>[{"type": "function", "function": {"name": "f", "description": "Looks."}}]</functions>'
NO_TOOLS = "You do not currently have access to any functions. <functions></functions>"
"""The end of the default system text, if there are no tools."""
SYSTEM = f"{START}system\nBe brief.{TOOLS}{END}\n{START}user\nWhy?{END}\n"


def check_read(text: str) -> Transcript:
    """Check that a text comes back and keeps the laws, also as a stream; return what it reads as."""
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:olmo", "chatml:lfm2", "chatml:hyperclova"):
        laws.all_laws(document, target)
    check_decoding(text, "chatml", [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]])
    return document


def calls(body: str) -> list[tuple[str | None, object]]:
    document = check_read(f"{SYSTEM}{START}assistant\n<function_calls>{body}</function_calls>{END}\n")
    return [(each.recipient, each.content) for each in document.messages if is_call(each)]


def test_a_conversation_is_read_and_written_anew_as_it_was() -> None:
    text = (
        f'{SYSTEM}{START}assistant\nI look.<function_calls>f(a="x", n=[1, {{"k": null}}])\ng()</function_calls>{END}\n'
        f"{START}environment\none{END}\n{START}environment\ntwo{END}\n{START}assistant\nYes.{END}\n"
    )
    document = check_read(text)
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


def test_text_that_is_no_call_stays_text() -> None:
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


def test_a_list_without_tools_declares_none() -> None:
    document = check_read(f"{START}system\nBe brief. {NO_TOOLS}{END}\n{START}user\nHi{END}\n")
    assert document.tools == ()
    assert document.messages[0].content == "Be brief. You do not currently have access to any functions. "
    written = write(Transcript(document.messages, (Tool("f"),), layout=document.layout), "chatml").output
    assert str(written).endswith(f"</functions>{END}\n{START}user\nHi{END}\n")


# --- prompts, as the public chat templates render them ----------------------------------------------------------------

HELPFUL = "You are a helpful function-calling AI assistant. "
OLMO_3_1 = (
    "You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your model weights are "
    "available at https://huggingface.co/allenai. "
)
WITH_TOOLS = (
    "You are provided with function signatures within <functions></functions> XML tags. You may call one or more "
    "functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML "
    "tags. Do not make assumptions about what values to plug into functions."
)
HI = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "f", "description": "Looks."}}
ASKED = f"{START}user\nHi{END}\n{START}assistant\n"


@pytest.mark.parametrize(("name", "introduction"), [("olmo-3", HELPFUL), ("olmo-3.1", OLMO_3_1)])
def test_the_default_system_text_lists_the_tools(name: str, introduction: str) -> None:
    model = profile(name)
    plain = model.prompt({"messages": [HI]})
    assert plain.output == f"{START}system\n{introduction}{NO_TOOLS}{END}\n{ASKED}"
    assert plain.lossless
    tools = model.prompt({"messages": [HI], "tools": [TOOL]})
    assert tools.output == f"{START}system\n{introduction}{WITH_TOOLS}{TOOLS}{END}\n{ASKED}"


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_system_text_of_the_request_is_the_only_one(role: str) -> None:
    messages = [{"role": role, "content": "Be brief."}, HI]
    model = profile("olmo-3")
    assert model.prompt({"messages": messages}).output == f"{START}system\nBe brief.{END}\n{ASKED}"
    tools = model.prompt({"messages": messages, "tools": [TOOL]})
    assert tools.output == f"{START}system\nBe brief.{TOOLS}{END}\n{ASKED}"


def test_a_system_text_with_tags_declares_no_tools() -> None:
    messages = [{"role": "system", "content": NO_TOOLS}, HI]
    output = str(profile("olmo-3").prompt({"messages": messages}).output)
    assert "<functions></functions>" not in output


def test_calls_and_replies_of_a_request() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": "x", "n": 1}'}}
    messages = [
        {"role": "system", "content": "Be brief."},
        HI,
        {"role": "assistant", "content": "I look.", "reasoning": "Hm.", "tool_calls": [call, call | {"id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
    ]
    assert profile("olmo-3").prompt({"messages": messages, "tools": [TOOL]}).output == (
        f"{START}system\nBe brief.{TOOLS}{END}\n{START}user\nHi{END}\n"
        f'{START}assistant\nI look.<function_calls>f(a="x", n=1)\nf(a="x", n=1)</function_calls>{END}\n'
        f"{START}environment\none{END}\n{START}environment\ntwo{END}\n{START}assistant\n"
    )
