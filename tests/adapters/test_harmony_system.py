"""System and developer messages as values: rendered as the official encoder renders them, and read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus import corpus_path
from harmony_judge import library
from ocml_adapters.harmony.system import (
    DeveloperContent,
    ResponseFormat,
    SystemContent,
    parse_developer,
    parse_system,
    render_developer,
    render_system,
)
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge.model import Tool
from ocml_bridge.testing.strategies import schemas, texts
from ocml_bridge.text.typescript import ParsedTools

run = settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

EXAMPLE = """You are a robot.
Knowledge cutoff: 2024-06
Current date: 2025-06-28

Reasoning: high

# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'."""


def test_a_system_message_as_values() -> None:
    content = SystemContent(
        "You are a robot.",
        "2024-06",
        "2025-06-28",
        "high",
        channels=("analysis", "commentary", "final"),
        channel_required=True,
        functions_line=True,
    )
    assert parse_system(EXAMPLE) == content
    assert render_system(content) == EXAMPLE


@pytest.mark.parametrize("text", ["", "You are helpful.", "reasoning: high", "Reasoning: extreme", "a\n\nb"])
def test_a_text_of_another_form_has_no_values(text: str) -> None:
    assert parse_system(text) is None


def test_a_developer_message_as_values() -> None:
    text = (
        "# Instructions\n\nBe brief.\n\n# Response Formats\n\n## list\n\n// what to buy\n"
        '{"type":"array"}\n\n## other\n\n{}\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n'
        "// Looks it up.\ntype look = () => any;\n\n} // namespace functions"
    )
    content = DeveloperContent(
        "Be brief.",
        (ResponseFormat("list", {"type": "array"}, "what to buy"), ResponseFormat("other", {})),
        ParsedTools((Tool("look", "Looks it up."),)),
    )
    assert parse_developer(text) == content
    assert render_developer(content) == text


def test_formats_behind_the_tools_stay_there() -> None:
    content = DeveloperContent("x", (ResponseFormat("f", {}),), ParsedTools((Tool("look"),)), formats_last=True)
    assert parse_developer(render_developer(content)) == content


@pytest.mark.parametrize("text", ["", "Be brief.", "# Instructions\nBe brief."])
def test_a_developer_text_of_another_form_has_no_values(text: str) -> None:
    assert parse_developer(text) is None


def test_every_system_message_of_the_fixtures_has_values() -> None:
    files = sorted(corpus_path("harmony", "openai_harmony_testdata").glob("*.txt"))
    count = 0
    for file in files:
        text = file.read_text("utf-8")
        if text.startswith("<|start|>system<|message|>"):
            body = text.removeprefix("<|start|>system<|message|>").partition("<|end|>")[0]
            content = parse_system(body)
            assert content is not None
            assert content.channels[0] == "analysis"
            assert render_system(content) == body
            count += 1
    assert count >= 13


# --- the official encoder as the judge --------------------------------------------------------------------------------

_LINES = st.one_of(st.none(), st.sampled_from(["", "2024-06", "You are ChatGPT."]), texts())


def _builtins(names: list[str], schema: Any, note: str) -> ParsedTools:
    tools = tuple(Tool(name, "does it", schema, "browser") for name in names)
    return ParsedTools(tools, {"browser": note, "python": "Runs code.\nx"})


_TOOLS = st.builds(
    _builtins,
    st.lists(st.sampled_from(["search", "open", "find"]), min_size=1, max_size=3),
    st.one_of(st.none(), schemas().filter(lambda schema: isinstance(schema, dict))),
    st.sampled_from(["Tool for browsing.", "one\ntwo"]),
)
_SYSTEMS = st.builds(
    SystemContent,
    identity=_LINES,
    cutoff=_LINES,
    date=_LINES,
    effort=st.sampled_from([None, "low", "medium", "high"]),
    tools=st.one_of(st.none(), st.none(), _TOOLS),
    channels=st.sampled_from([(), ("analysis", "final"), ("analysis", "commentary", "final"), ("final",)]),
    channel_required=st.booleans(),
    functions_line=st.booleans(),
)


def _namespaces(tools: ParsedTools) -> dict[str, Any]:
    h = library()
    spaces: dict[str, list[Any]] = {name: [] for name in tools.descriptions}
    for tool in tools.tools:
        entry = h.ToolDescription(name=tool.name, description=tool.description or "", parameters=tool.parameters)
        spaces.setdefault(tool.namespace or "functions", []).append(entry)
    return {
        name: h.ToolNamespaceConfig(name=name, description=tools.descriptions.get(name), tools=listed)
        for name, listed in spaces.items()
    }


def _official(role: str, content: Any, *, has_functions: bool = False) -> str:
    h = library()
    message = h.Message.from_role_and_content(h.Role(role), content)
    ids = load_encoding().render(message, h.RenderOptions(conversation_has_function_tools=has_functions))
    text: str = load_encoding().decode(ids)
    return text.removeprefix(f"<|start|>{role}<|message|>").removesuffix("<|end|>")


@run
@given(_SYSTEMS)
def test_system_messages_are_rendered_as_by_the_official_encoder(content: SystemContent) -> None:
    h = library()
    channels = h.ChannelConfig(valid_channels=list(content.channels), channel_required=content.channel_required)
    efforts = {None: None, "low": h.ReasoningEffort.LOW, "medium": h.ReasoningEffort.MEDIUM}
    official = h.SystemContent(
        model_identity=content.identity,
        knowledge_cutoff=content.cutoff,
        conversation_start_date=content.date,
        reasoning_effort=efforts.get(content.effort, h.ReasoningEffort.HIGH),
        channel_config=channels if content.channels else None,
        tools=None if content.tools is None else _namespaces(content.tools),
    )
    text = render_system(content)
    assert text == _official("system", official, has_functions=content.functions_line)
    found = parse_system(text)
    assert found is None or render_system(found) == text
    if found is None:
        assert not content.channels
        assert content.effort is None or not text.endswith(f"\n\nReasoning: {content.effort}")


@run
@given(st.one_of(st.none(), texts()), st.one_of(st.none(), _TOOLS))
def test_developer_messages_are_rendered_as_by_the_official_encoder(
    text: str | None, tools: ParsedTools | None
) -> None:
    h = library()
    content = DeveloperContent(text, tools=tools)
    official = h.DeveloperContent(instructions=text, tools=None if tools is None else _namespaces(tools))
    rendered = render_developer(content)
    assert rendered == _official("developer", official)
    found = parse_developer(rendered)
    assert found is None or render_developer(found) == rendered
    assert found is not None or text is None
