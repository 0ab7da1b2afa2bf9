"""How a family spells a conversation is the family's; what a text has otherwise comes back with the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from ocml_adapters.chatml.families import FAMILIES, ToolList
from ocml_bridge import Message, Options, Tool, Transcript, read, write
from ocml_bridge.model import replace
from ocml_bridge.report.policy import LENIENT
from sampling import sweep

DIALECTS: Final = ("hermes", "nous", "qwen-xml", "lfm2")
IN_ONE_FRAME: Final = [name for name, family in FAMILIES.items() if family.apart is None]
"""Families that write all of an assistant's turn into one frame, so that a text is known to come before calls."""
START, END = "<|im_start|>", "<|im_end|>"
TYPES: Final = {"s": "string", "b": "boolean", "l": "array"}
SCHEMA: Any = {"type": "object", "properties": {name: {"type": kind} for name, kind in TYPES.items()}}
TOOLS: Final = (Tool("f", "Looks.", SCHEMA), Tool("g", "Looks again.", SCHEMA))


def call(name: str) -> Message:
    arguments = '{"s": "a", "b": true, "l": ["a"]}'
    return Message(
        *("assistant", arguments, None, "commentary", f"functions.{name}"),
        constraint="json",
        end="call",
        continues=True,
    )


def reply(name: str, *, continues: bool = False) -> Message:
    return Message("tool", f"of {name}", f"functions.{name}", "commentary", "assistant", continues=continues)


MESSAGES: Final = (
    Message("system", "Be brief."),
    Message("user", "Why?"),
    Message("assistant", "Hm.", channel="analysis"),
    Message("assistant", "Wait.", channel="commentary", intent="preamble", continues=True),
    *(call("f"), call("g"), reply("f"), reply("g")),
    Message("assistant", "So.", channel="analysis"),
    Message("assistant", "Yes.", channel="final", continues=True),
)
OPEN: Final = Message("assistant", "", end=None)


def spelled(family: str) -> tuple[Transcript, str]:
    """What a family's text reads as, and the text."""
    document = Transcript(MESSAGES, TOOLS, open_turn=OPEN, layout={"chatml": {"family": family}})
    text = write(document, "chatml", policy=LENIENT).output
    back = read(text, "chatml").transcript
    assert isinstance(back, Transcript)
    assert isinstance(text, str)
    return back, text


def bare(message: Message) -> Message:
    return replace(message, layout=None, extras=None)


@pytest.mark.parametrize("family", FAMILIES)
def test_of_what_a_family_spells_nothing_is_remembered_but_whose_it_is(family: str) -> None:
    document, text = spelled(family)
    assert read(text, "chatml").findings == ()
    assert document.layout == {"chatml": {"family": family}}
    assert (document.extras, document.open_turn) == (None, OPEN)
    assert all(message.layout is message.extras is None for message in document.messages)


@pytest.mark.parametrize("family", IN_ONE_FRAME)
def test_contents_are_the_same_in_every_family(family: str) -> None:
    document, _ = spelled(family)
    contents = [(message.role, message.content, message.name, message.recipient) for message in MESSAGES]
    assert [(each.role, each.content, each.name, each.recipient) for each in document.messages] == contents
    assert [(each.channel, each.intent, each.end) for each in document.messages] == [
        (each.channel, each.intent, each.end) for each in MESSAGES
    ]
    assert document.tools == TOOLS


# --- what a text has otherwise ----------------------------------------------------------------------------------------

BETWEEN: Final = ("\n", "\n\n", " ", "x\n", END)
"""Text that may precede a frame, or follow the last."""


def otherwise(text: str) -> Iterator[str]:
    """A text with one thing in it that no family has: around each frame, in its header, and at its end."""
    for at in (match.start() for match in re.finditer(re.escape(START), text)):
        head = text[:at]
        yield from (f"{head}{gap}{text[at:]}" for gap in BETWEEN)
        if head.endswith(f"{END}\n"):
            yield head[:-1] + text[at:]
        if head.rstrip("\n").endswith(END):
            yield head.rstrip("\n").removesuffix(END) + text[at:]
        line = text.index("\n", at)
        yield from (f"{text[:line]}{more}{text[line:]}" for more in (" ", "\r", " x=1"))
        yield f"{text[: at + len(START)]} {text[at + len(START) :]}"
    yield from (f"{text}{tail}" for tail in ("", "\n"))
    whole = text[: text.rindex(START)]
    yield from (f"{whole}{tail}" for tail in ("", "</s>", *BETWEEN))
    yield from (whole.rstrip("\n"), whole.rstrip("\n").removesuffix(END), text[:-1])


def comes_back(text: str) -> bool:
    document = read(text, "chatml", options=Options(force_format=True)).transcript
    return write(document, "chatml", policy=LENIENT).output == text


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_comes_back_with_what_it_has_otherwise(family: str) -> None:
    texts = [*otherwise(spelled(family)[1])]
    assert [text for text in sweep(texts, 7) if not comes_back(text)] == []
    assert len(texts) > 60


BODY: Final = re.compile(r"<\|im_start\|>(?:assistant|user|tool|tool_response)\n(.*?<.*?)<\|im_end\|>", re.DOTALL)


@pytest.mark.sweep
@pytest.mark.parametrize("instead", ["\n\n", " \n", ""])
@pytest.mark.parametrize("family", FAMILIES)
def test_white_space_in_markup_comes_back_as_it_was(family: str, instead: str) -> None:
    text = spelled(family)[1]
    breaks = [body.start(1) + at.start() for body in BODY.finditer(text) for at in re.finditer(r"\n", body[1])]
    texts = [text[:at] + instead + text[at + 1 :] for at in breaks]
    assert [changed for changed in sweep(texts, 7) if not comes_back(changed)] == []
    assert texts or family.startswith("lfm2")


# --- where tools are declared -----------------------------------------------------------------------------------------


def frame(role: str, body: str) -> str:
    return f"{START}{role}\n{body}{END}\n"


@pytest.mark.parametrize("family", FAMILIES)
def test_tools_come_back_where_they_were_declared(family: str) -> None:
    """In the frame of the system's text or in one of their own, in front of it or behind it."""
    section = str(write(Transcript((), TOOLS, layout={"chatml": {"family": family}}), "chatml").output)
    body = section.removeprefix(f"{START}system\n").rstrip("\n").removesuffix(END)
    conversation = spelled(family)[1]
    rest = conversation[conversation.index(f"{START}user") :]
    brief, gap, leads = frame("system", "Be brief."), *FAMILIES[family].declaration[3:5]
    texts = {
        "alone": frame("system", body) + rest,
        "before a text": frame("system", body) + brief + rest,
        "before a blank text": frame("system", body) + frame("system", "\n") + rest,
        "behind a text": brief + frame("system", body) + rest,
        "between two": brief + frame("system", body) + brief + rest,
        "with another header": frame("system ", body) + brief + rest,
        "behind a token": f"<s>{frame('system', body)}{brief}{rest}",
        "behind a line": f"\n{frame('system', body)}{rest}",
    }
    for beside in ("Be brief.", "", "\n", " "):
        texts[f"beside {beside!r}"] = (
            frame("system", f"{body}{gap}{beside}" if leads else f"{beside}{gap}{body}") + rest
        )
    for where, text in texts.items():
        document = read(text, "chatml").transcript
        assert isinstance(document, Transcript)
        assert document.tools == TOOLS, where
        assert [bare(each) for each in document.messages if each.role != "system"] == spelled_messages(family), where
        assert write(document, "chatml", policy=LENIENT).output == text, where


def spelled_messages(family: str) -> list[Message]:
    return [bare(message) for message in spelled(family)[0].messages[1:]]


@pytest.mark.parametrize("other", DIALECTS)
@pytest.mark.parametrize("family", IN_ONE_FRAME)
def test_another_dialect_spells_all_of_it_as_it_does(family: str, other: str) -> None:
    """But for a token that the text begins with, and what two families have alike, nothing of a spelling goes over."""
    document, expected = spelled(family)[0], spelled(other)[1]
    assert write(document, f"chatml:{other}", policy=LENIENT).output == expected


@pytest.mark.parametrize(
    "family", ["other", "hermes/other", "", "openai", None, 1, True, ["hermes"], {"name": "hermes"}]
)
def test_a_family_that_is_not_known_is_none(family: Any) -> None:
    """A document whose layout names an unknown family is written without markup."""
    document = Transcript(MESSAGES, TOOLS, open_turn=OPEN)
    remembering = replace(document, layout={"chatml": {"family": family}})
    plain, written = (write(each, "chatml", policy=LENIENT) for each in (document, remembering))
    assert written.output == plain.output
    assert "<tool" not in str(written.output)


@pytest.mark.parametrize("opening", ["<think>", "<think>\n", "<think>\n\n</think>\n\n"])
@pytest.mark.parametrize("content", ["Yes.", "Yes.\n</think>\n", " "])
def test_a_thought_that_was_begun_in_an_empty_answer_takes_in_no_answer_that_somebody_writes_there(
    opening: str, content: str
) -> None:
    text = frame("user", "Is it?") + frame("assistant", opening) + frame("user", "Well?")
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert write(document, "chatml").output == text
    first, empty, *rest = document.messages
    edited = replace(document, messages=(first, replace(empty, content=content, channel="final"), *rest))
    result = write(edited, "chatml", policy=LENIENT)
    back = read(str(result.output), "chatml").transcript
    assert isinstance(back, Transcript)
    answer = "".join(str(each.content) for each in back.messages[1:-1] if each.channel == "final")
    assert answer.strip() == content.strip()


WHOLE: Final = Tool("f", "Does.", {"type": "object"}, "acme")


@pytest.mark.parametrize(
    "shortened",
    [WHOLE, replace(WHOLE, description=None), Tool("f", namespace="acme"), None],
    ids=["all", "", "name", "none"],
)
def test_a_tool_that_a_list_cannot_represent_loses_its_description_then_its_parameters(shortened: Tool | None) -> None:
    other = Tool("g", "Too.")

    def written(tools: Sequence[Tool]) -> str:
        return ";".join(str(tool) for tool in tools)

    def read_back(text: str) -> tuple[Tool, ...]:
        return tuple(tool for tool in (shortened, other) if tool is not None and str(tool) in text.split(";"))

    tools = ToolList(read_back, written, written)
    assert list(tools.nearest((WHOLE, other))) == [tool for tool in (shortened, other) if tool is not None]
    assert list(ToolList(read_back, written).nearest((WHOLE, other))) == [WHOLE, other]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("form", ["chatml", "chatml:hermes"])
def test_a_message_that_had_no_end_and_has_one_by_now_is_written_with_it(role: str, form: str) -> None:
    text = f"{START}{role}\nIs it?{frame('user', 'Well?')}"
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    first, *rest = document.messages
    assert first.end is None
    assert write(document, form).output == text
    whole = replace(document, messages=(replace(first, end="end"), *rest))
    back = read(str(write(whole, form, policy=LENIENT).output), "chatml").transcript
    assert isinstance(back, Transcript)
    assert [message.end for message in back.messages] == ["end", "end"]
