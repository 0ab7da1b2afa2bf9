"""Declared tools beside empty developer's messages: the place of the tools is distinguished from a message."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any, Final, cast

import pytest

from ocml_bridge import (
    LossClass,
    LossCode,
    Message,
    Settings,
    Severity,
    Tool,
    Transcript,
    convert,
    formats,
    read,
    write,
)
from ocml_bridge.model import Media, Text, Tools
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws
from sampling import sweep

TOOLS: Final = (Tool("look", "Looks.", {"type": "object", "properties": {}}),)
EMPTY: Final = Message("developer", "")
USER: Final = Message("user", "Hi.")

BEFORE: Final[dict[str, tuple[Message, ...]]] = {
    "one": (EMPTY,),
    "two": (EMPTY, EMPTY),
    "two, and one later": (EMPTY, EMPTY, USER, EMPTY),
    "before one with a text": (Message("system", "Hi."), EMPTY, Message("developer", "Be brief.")),
    "with a name that a header cannot represent": (Message("developer", "", name="a b"), USER),
    "with a name that is too long": (Message("developer", "", name="x" * 40_000),),
    "with extras of another format": (Message("developer", "", extras={"elsewhere": {"a": 1}}), EMPTY),
    "cut off before another": (Message("developer", "", end=None), USER),
    "cut off": (Message("developer", "", end=None),),
}


@pytest.mark.sweep
@pytest.mark.parametrize(("case", "target"), sweep(product(BEFORE, formats()), 3))
def test_messages_before_declared_tools_keep_the_laws(case: str, target: str) -> None:
    all_laws(Transcript(BEFORE[case], TOOLS), target)


ADDING: Final = (
    "# Tools\n\n## functions\n\nnamespace functions {\n\n// Adds.\ntype add = () => any;\n\n} // namespace functions"
)
TEXTS: Final = {
    "a section": ADDING,
    "a section with more empty lines": ADDING.replace("\n\n", "\n\n\n"),
    "a section with another indentation": ADDING.replace("type", "  type"),
    "a text, and a section": f"Be brief.\n\n{ADDING}",
    "a section, and a text": f"{ADDING}\n\nBe brief.",
    "a heading": "# Tools",
    "a heading, and a text": "# Tools\n\nUse them.",
}
"""Texts of a developer that read as a declaration of tools, or nearly."""


@pytest.mark.parametrize("target", ["ocm-2.2", "ocm-2.2-json", "harmony"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_reads_as_tools_keeps_the_laws(text: str, target: str) -> None:
    for tools in (None, TOOLS, (Tool("add", "Adds."),)):
        all_laws(Transcript((Message("developer", TEXTS[text]), USER), tools), target)


@pytest.mark.parametrize("target", ["ocm-2.2", "ocm-2.2-json", "harmony"])
def test_other_members_of_a_message_whose_tools_move_are_reported_once(target: str) -> None:
    tools = Message("developer", (Tools(TOOLS),), name="a b", weight=1, extras={"elsewhere": {"a": 1}})
    more = replace(tools, content=(Text("Be brief."), Tools((Tool("add", "Adds."),))))
    read_as_tools = Message("developer", (Text(ADDING), Media("image", url="https://example.org/a.png")))
    asking = Message("user", (Text("Hi."), Tools(TOOLS)))
    for messages in ((tools, USER), (tools, more, USER), (more, tools, USER), (read_as_tools, asking)):
        losses = all_laws(Transcript(messages), target).result.losses
        assert len({(loss.code, loss.path) for loss in losses}) == len(losses)


def test_a_text_that_becomes_tools_is_a_loss_of_content() -> None:
    result = write(Transcript((Message("developer", ADDING), USER)), "ocm-2.2")
    assert isinstance(result.image, Transcript)
    assert (result.image.messages, result.image.tools) == ((USER,), (Tool("add", "Adds."),))
    loss = next(loss for loss in result.losses if loss.path == "/messages/0")
    assert (loss.code, loss.loss_class, loss.severity) == (LossCode.MESSAGE, LossClass.CONTENT, Severity.CHANGED)


def test_its_other_members_are_reported() -> None:
    losses = write(Transcript((Message("developer", "", name="a b"), USER), TOOLS), "ocm-2.2").losses
    assert [(loss.code, loss.severity, loss.path) for loss in losses] == [
        (LossCode.NAME, Severity.LOST, "/messages/0/name"),
        (LossCode.TOOLS_MOVED, Severity.LAYOUT, "/messages/0"),
    ]


@pytest.mark.parametrize("target", ["ocm-2.2", "ocm-2.2-json"])
def test_nothing_but_tools_before_system_messages_goes_behind_them(target: str) -> None:
    section = write(Transcript((USER,), tools=TOOLS), "ocm-2.2-json").output[0]["content"]  # type: ignore[index, call-overload]
    written = write(Transcript((Message("developer", section), Message("system", "Be brief."), USER)), target)
    document = read(written.output, target).transcript
    assert document == written.image
    assert isinstance(document, Transcript)
    assert document.tools == TOOLS
    assert [(message.role, message.content) for message in document.messages] == [
        ("system", "Be brief."),
        ("user", "Hi."),
    ]
    spelled = written.data.decode()
    assert spelled.index("Be brief.") < spelled.index("namespace functions") < spelled.index("Hi.")


@pytest.mark.parametrize("target", ["harmony", "ocm-2.2"])
def test_an_empty_one_is_left_out_without_loss(target: str) -> None:
    losses = write(Transcript((EMPTY, USER), TOOLS), target).losses
    assert [(loss.path, loss.severity) for loss in losses] == [("/messages/0", Severity.LAYOUT)]


def test_one_that_has_a_name_is_changed() -> None:
    losses = write(Transcript((Message("developer", "", name="bob"), USER), TOOLS), "harmony").losses
    assert ("/messages/0", Severity.CHANGED) in [(loss.path, loss.severity) for loss in losses]


TEMPLATE = """# Instructions

Be brief.

# Tools

## functions

namespace functions {

// Search.
type search = (_: {
// how many
n?: number, // default: 5,
exact?: boolean, // default: false,
q: string,
}) => any;

} // namespace functions"""
"""What the chat template of gpt-oss writes: a comma behind each comment that names a default."""


def test_tools_as_the_chat_template_spells_them_are_tools_and_written_back_so() -> None:
    text = f"<|start|>developer<|message|>{TEMPLATE}<|end|>"
    reading = read(text, "harmony")
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.tools is not None
    (tool,) = reading.transcript.tools
    parameters = cast("dict[str, Any]", tool.parameters)
    assert parameters["properties"]["n"] == {"type": "number", "description": "how many", "default": 5}
    assert write(reading.transcript, "harmony").output == text
    assert "// default: 5\n" in str(write(replace(reading.transcript, layout=None, messages=()), "harmony").output)
    edited = replace(reading.transcript, tools=(replace(tool, name="find"),))
    assert "type find = (_: {" in str(write(edited, "harmony").output)


def test_a_section_of_tools_that_stays_text_is_found() -> None:
    section = TEMPLATE.replace("q: string,", "q: a string,")
    text = f"<|start|>developer<|message|>{section}<|end|>"
    reading = read(text, "harmony")
    assert [(finding.code, finding.path) for finding in reading.findings] == [("tools-opaque", "/messages/0")]
    assert write(reading.transcript, "harmony").output == text


TOOLS_INSIDE, TOOLS_APART = (None, (), (Tool("x"),)), (None, (), (Tool("y"),))


@pytest.mark.sweep
@pytest.mark.parametrize(("inside", "apart", "name"), sweep(product(TOOLS_INSIDE, TOOLS_APART, formats()), 5))
def test_tools_of_a_developer_before_a_system_message_keep_the_laws(inside: Any, apart: Any, name: str) -> None:
    system, developer = Message("system", ""), Message("developer", "" if inside is None else (Tools(inside),))
    for before in ((), (system,)):
        for after in ((), (system, system), (system, Message("developer", "b"))):
            all_laws(Transcript((*before, developer, *after), apart), name)


ODD = """type odd = (_: {
a: <anything>,
}) => any;"""
"""Parameters that no encoder writes."""
SECTION = f"""# Tools

## functions

namespace functions {{

// Search, in
several places.
type search = (_: {{
// how many
n?: number, // default: 5,
o?: {{
q:\x20
                string}},
x?: any// which                    // default: true,
}}) => any;

// Odd.
{ODD}

// Now.
type now = () => any;

}} // namespace functions"""


@pytest.mark.parametrize("before", ["# Instructions\n\nBe brief.\n\n", "Be brief.\n\n", ""])
def test_one_odd_tool_stays_text_and_the_others_are_read(before: str) -> None:
    text = f"<|start|>developer<|message|>{before}{SECTION}<|end|>"
    reading = read(text, "harmony")
    place = "/messages/0" if before else "/tools"  # a message of tools alone is no message
    assert [(finding.code, finding.path) for finding in reading.findings] == [("tools-opaque", place)]
    assert "'odd'" in reading.findings[0].detail
    assert write(reading.transcript, "harmony").output == text
    made: Any = convert(text, source="harmony", target="openai")
    declared = [tool["function"] for tool in made.output["tools"]]
    assert [tool["name"] for tool in declared] == ["search", "odd", "now"]
    assert declared[0]["description"] == "Search, in\nseveral places."
    assert declared[0]["parameters"]["properties"]["o"]["properties"] == {"q": {"type": "string"}}
    assert declared[1] == {"name": "odd", "description": "Odd."}
    assert any("extras" in loss.path and loss.severity is Severity.LOST for loss in made.losses)


def test_an_odd_tool_stays_as_it_is_when_others_change() -> None:
    reading = read(f"<|start|>developer<|message|># Instructions\n\nx\n\n{SECTION}<|end|>", "harmony")
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.tools is not None
    search, odd, now = reading.transcript.tools
    edited = write(replace(reading.transcript, tools=(replace(search, name="find"), odd, now)), "harmony")
    assert f"// Odd.\n{ODD}\n\n// Now.\ntype now" in str(edited.output)
    assert "type find = (_: {" in str(edited.output)
    again = read(edited.output, "harmony").transcript
    assert isinstance(again, Transcript)
    assert again.tools is not None
    assert [tool.extras for tool in again.tools] == [None, odd.extras, None]


@pytest.mark.parametrize("signature", ["", 7, "any", "(x) => any;\n\n} // namespace functions", None])
def test_any_signature_in_the_extras_keeps_the_laws(signature: Any) -> None:
    tool = Tool("f", "Does.", extras={"harmony": {"signature": signature}})
    for name in ("harmony", "harmony-tokens", "openai", "ocm-2.2"):
        all_laws(Transcript((USER,), (tool, Tool("g"))), name)


def test_a_comment_is_read_as_the_spelling_of_its_types_has_it() -> None:
    """The chat template puts slashes before the first line alone; the official library, before each."""
    types = {
        "template": "(_: {\no?: {\nq: \n                string},\n})",
        "official": "(_: {\n// Asked.\nq: string,\n})",
    }
    descriptions = {"template": "First.\n// Second.", "official": "First.\nSecond."}
    for spelling, signature in types.items():
        section = f"// First.\n// Second.\ntype f = {signature} => any;\n\n}} // namespace functions"
        text = f"# Tools\n\n## functions\n\nnamespace functions {{\n\n{section}"
        document = read(f"<|start|>developer<|message|>{text}<|end|>", "harmony").transcript
        assert isinstance(document, Transcript)
        assert document.tools is not None
        [tool] = document.tools
        assert tool.description == descriptions[spelling], spelling


@pytest.mark.parametrize("name", ["two\nlines", "a b\n}"])
def test_settings_beside_tools_that_no_section_declares_stay(name: str) -> None:
    settings = Settings(model="m", temperature=0.5)
    result = write(Transcript((USER,), (Tool(name),), settings=settings), "harmony", policy=LENIENT)
    assert result.output == "<|start|>user<|message|>Hi.<|end|>"
    assert {loss.path for loss in result.losses} == {"/tools", "/settings/model", "/settings/temperature"}


def test_a_default_may_have_several_lines_before_others() -> None:
    members = {
        "a": {"type": "string", "default": "x\ny\n"},
        "b": {"type": "string", "default": "z"},
        "c": {"type": "number"},
    }
    tool = Tool("f", parameters={"type": "object", "properties": members})
    written = write(Transcript((USER,), (tool,)), "harmony").output
    back = read(written, "harmony").transcript
    assert isinstance(back, Transcript)
    assert back.tools == (tool,)


OF_TWO: Final = {
    "harmony": "<|start|>developer<|message|>{}<|end|><|start|>developer<|message|>{}<|end|>",
    "ocm-2.2": "version: 2.2\n<|start|>developer<|message|>{}<|end|>\n<|start|>developer<|message|>{}<|end|>\n",
}


def of_two(target: str, first: str, second: str) -> str | list[dict[str, str]]:
    if target in OF_TWO:
        return OF_TWO[target].format(first, second)
    return [{"content": first, "role": "developer"}, {"role": "developer", "content": second}]


@pytest.mark.parametrize("target", [*OF_TWO, "ocm-2.2-json"])
@pytest.mark.parametrize("second", ["Be brief.", ADDING, f"Be brief.\n\n{ADDING}", ADDING.replace("add", "subtract")])
@pytest.mark.parametrize("first", [ADDING, f"Be kind.\n\n{ADDING}"])
def test_two_messages_of_the_developer_stay_two(first: str, second: str, target: str) -> None:
    """Also where the first one has declared tools and nothing else."""
    document = of_two(target, first, second)
    result = convert(document, source=target, target=target)
    assert json.dumps(result.output) == json.dumps(document)
    assert result.losses == ()
    all_laws(cast("Transcript", result.transcript), target)


@pytest.mark.parametrize("target", ["ocm-2.2", "ocm-2.2-json"])
def test_tools_that_were_apart_go_where_there_is_room_once_the_messages_change(target: str) -> None:
    document = cast("Transcript", read(of_two(target, ADDING, "Be brief."), target).transcript)
    for messages in ((), (USER,), (Message("system", "Hi."), *document.messages)):
        edited = replace(document, messages=messages)
        all_laws(edited, target)
        back = cast("Transcript", read(write(edited, target).output, target).transcript)
        assert back.tools == document.tools
    section = replace(document, messages=(Message("developer", ADDING),), tools=None)
    all_laws(section, target)
    assert LossCode.MESSAGE in {loss.code for loss in write(section, target, policy=LENIENT).losses}
