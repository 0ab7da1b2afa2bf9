"""System and developer messages, made of values as the official encoder makes them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harmony_judge import library
from ocml_adapters.harmony.system import (
    ResponseFormat,
    SystemContent,
    declaration,
    render_developer,
    render_system,
)
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge.model import Tool
from ocml_bridge.testing.strategies import schemas, texts
from ocml_bridge.text.typescript import ParsedTools
from sampling import examples

run = examples(500)

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
    assert render_system(content) == EXAMPLE


def test_a_developer_message_as_values() -> None:
    formats = (ResponseFormat("list", {"type": "array"}, "what to buy"), ResponseFormat("other", {}))
    section = '# Response Formats\n\n## list\n\n// what to buy\n{"type":"array"}\n\n## other\n\n{}'
    assert render_developer("Be brief.", formats) == f"# Instructions\n\nBe brief.\n\n{section}"
    assert render_developer(None, formats) == section
    assert render_developer(None, ()) == ""


def test_the_model_s_own_tools_are_those_of_the_official_library() -> None:
    configs = library().ToolNamespaceConfig
    declared = declaration({"browser", "python"})
    assert declared is not None
    assert [(tool.name, tool.namespace, tool.description, _optional(tool.parameters)) for tool in declared.tools] == [
        (tool.name, "browser", tool.description, _optional(tool.parameters)) for tool in configs.browser().tools
    ]
    assert declared.descriptions == {each.name: each.description for each in (configs.browser(), configs.python())}


def _optional(parameters: Any) -> dict[str, Any]:
    """A schema with an explicit empty list of required members."""
    return {"required": [], **parameters}


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
    assert render_system(content) == _official("system", official, has_functions=content.functions_line)


@run
@given(st.one_of(st.none(), texts()))
def test_instructions_are_rendered_as_by_the_official_encoder(text: str | None) -> None:
    official = library().DeveloperContent(instructions=text)
    assert render_developer(text, ()) == _official("developer", official)
