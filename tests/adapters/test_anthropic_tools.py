"""Tools that Anthropic's API has of its own: those that the client runs, and those that the server runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import LossCode, convert, make_sidecar, read

OTHERS = ("openai", "openai-responses", "gemini", "bedrock-converse", "harmony", "ocm-2.2")
FUNCTION: dict[str, Any] = {"name": "find", "input_schema": {"type": "object", "properties": {}}}
OF_SERVER: tuple[dict[str, Any], ...] = (
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    {"type": "code_execution_20260521", "name": "code_execution", "cache_control": {"type": "ephemeral"}},
    {"type": "tool_search_tool_regex", "name": "tool_search_tool_regex"},
    {"type": "mcp_toolset", "mcp_server_name": "files"},
    {"type": "unheard_20300101", "name": "unheard"},
)
OF_CLIENT: tuple[dict[str, Any], ...] = (
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9},
    {"type": "memory_20250818", "name": "memory"},
    {"type": "computer_20251124", "name": "computer", "display_width_px": 1, "display_height_px": 2},
    {"type": "custom", **FUNCTION},
)


def asking(*tools: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": [*tools], **more}


@pytest.mark.parametrize("tool", [*OF_SERVER, *OF_CLIENT], ids=lambda tool: tool["type"])
@pytest.mark.parametrize("choice", [{}, {"tool_choice": {"type": "any", "disable_parallel_tool_use": True}}])
def test_any_tool_is_written_back(tool: Any, choice: Any) -> None:
    for request in (asking(tool, **choice), asking(FUNCTION, tool, **choice), asking(tool, FUNCTION, **choice)):
        assert json.dumps(convert(request, source="anthropic", target="anthropic").output) == json.dumps(request)


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("tool", OF_SERVER, ids=lambda tool: tool["type"])
def test_tools_of_the_server_are_offered_to_no_other_api(tool: Any, target: str) -> None:
    result = convert(asking(FUNCTION, tool), source="anthropic", target=target)
    assert "find" in json.dumps(result.output)
    assert tool.get("name", "files") not in json.dumps(result.output)
    assert [(loss.code, loss.path) for loss in result.losses if "tools" in loss.path.split("/")[2:]] == [
        (LossCode.EXTRAS, "/extras/anthropic/tools")
    ]


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("tool", OF_CLIENT, ids=lambda tool: tool["type"])
def test_tools_of_the_client_are_offered(tool: Any, target: str) -> None:
    assert tool["name"] in json.dumps(convert(asking(tool), source="anthropic", target=target).output)


@pytest.mark.parametrize("target", ["openai", "openai-responses", "gemini", "bedrock-converse"])
@pytest.mark.parametrize("choice", [{"type": "auto"}, {"type": "any"}, {"type": "tool", "name": "web_search"}])
def test_a_choice_among_tools_of_the_server_goes_with_them(choice: Any, target: str) -> None:
    result = convert(asking(OF_SERVER[0], tool_choice=choice), source="anthropic", target=target)
    assert {"tools", "tool_choice", "toolConfig"}.isdisjoint(result.output)
    assert {"/extras/anthropic/tools", "/extras/anthropic/tool_choice"} <= {loss.path for loss in result.losses}


def test_a_choice_of_another_tool_stays() -> None:
    named = {"type": "tool", "name": "find"}
    written = convert(asking(*OF_SERVER, FUNCTION, tool_choice=named), source="anthropic", target="openai").output
    assert written["tool_choice"] == {"type": "function", "function": {"name": "find"}}


@pytest.mark.parametrize("target", OTHERS)
def test_a_sidecar_brings_tools_of_the_server_back(target: str) -> None:
    request = asking(*OF_SERVER, FUNCTION, tool_choice={"type": "tool", "name": "web_search"})
    document = read(request, source="anthropic").transcript
    result = convert(request, source="anthropic", target=target)
    back = read(result.output, source=target, sidecar=make_sidecar(result)).transcript
    assert back == document


@pytest.mark.parametrize("schema", [{}, {"properties": {"a": {"type": "string"}}}, {"anyOf": [{"required": ["a"]}]}])
def test_a_schema_without_a_type_gets_that_of_an_object_if_the_api_requires_it(schema: dict[str, Any]) -> None:
    """The API answers `tools.0.custom.input_schema.type: Field required` (opencodex#75, with tools of Codex)."""
    function = {"type": "function", "function": {"name": "find", "parameters": schema}}
    request = {"messages": [{"role": "user", "content": "Hi"}], "tools": [function]}
    typed: Any = {"type": "object", **schema}
    written: dict[str, Any] = {
        "anthropic": [{"name": "find", "input_schema": typed}],
        "bedrock-converse": {"tools": [{"toolSpec": {"name": "find", "inputSchema": {"json": typed}}}]},
    }
    for target, tools in written.items():
        result: Any = convert(request, source="openai", target=target)
        assert tools in (result.output.get("tools"), result.output.get("toolConfig"))
        assert [(loss.path, loss.severity) for loss in result.losses] == [("/tools/0/parameters/type", "layout")]
        untyped = json.dumps(result.output).replace(json.dumps(typed), json.dumps(schema))
        assert json.dumps(convert(untyped, source=target, target=target).output) == untyped


def test_the_type_of_a_function_is_layout() -> None:
    losses = convert(asking({"type": "custom", **FUNCTION}), source="anthropic", target="openai").losses
    assert [loss.severity for loss in losses if loss.path.startswith("/tools")] == ["layout"]
