"""The `# Tools` section: out as the official encoder writes it, in as far as that can be read, also written by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies_schema as some
from corpus import corpus_path
from ocml_bridge.model import Tool
from ocml_bridge.text.typescript import ParsedTools, parse_schema, parse_tools, render_schema, render_tools
from official import official_tools
from sampling import examples

STRING = {"type": "string"}


def an_object(schema: Any) -> dict[str, Any]:
    """Parameters with the one property `p`."""
    return {"type": "object", "properties": {"p": schema}}


class TestToolsAreWritten:
    def test_with_namespaces_in_order_of_name_and_functions_for_those_without(self) -> None:
        tools = [Tool("b"), Tool("open", namespace="browser"), Tool("a", namespace="functions")]
        assert render_tools(tools) == official_tools(tools)
        assert re.findall(r"^(?:## |type )(\w+)", render_tools(tools), re.MULTILINE) == [
            *("browser", "open"),
            *("functions", "b", "a"),
        ]

    def test_with_descriptions_of_namespaces(self) -> None:
        tools = [Tool("open", "Opens.", an_object(STRING), "browser")]
        descriptions = {"browser": "Tool for browsing.\n\nCite it.", "python": "Runs code.\nAs it is."}
        text = render_tools(tools, descriptions)
        assert text == official_tools(tools, descriptions)
        assert "## browser\n\n// Tool for browsing.\n// \n// Cite it.\nnamespace browser {\n\n// Opens.\n" in text
        assert text.endswith("\n\n## python\n\nRuns code.\nAs it is.")

    def test_as_a_heading_where_a_namespace_has_none(self) -> None:
        assert (
            render_tools([], {"functions": ""}) == "# Tools\n\n## functions\n" == official_tools([], {"functions": ""})
        )

    @examples(150)
    @given(
        some.tools(some.schemas | st.none(), some.hostile_text), st.dictionaries(st.just("python"), some.hostile_text)
    )
    def test_whatever_they_are(self, tools: list[Tool], descriptions: dict[str, str]) -> None:
        if tools or descriptions:
            assert render_tools(tools, descriptions) == official_tools(tools, descriptions)


class TestToolsAreRead:
    @examples(100)
    @given(some.tools(st.none() | some.kept_schemas, st.text(st.characters(exclude_characters="\r"), min_size=1)))
    def test_exactly_where_typescript_keeps_everything(self, tools: list[Tool]) -> None:
        found = parse_tools(render_tools(tools))
        assert found is not None
        assert found.descriptions == {}
        # An empty last line is not written.
        kept = [Tool(t.name, t.description and visible(t.description), t.parameters, t.namespace) for t in tools]
        assert [*found.tools] == sorted(kept, key=lambda tool: tool.namespace or "functions")

    @pytest.mark.parametrize(
        "description",
        [
            *("}", "{", "type x = () => any;", "// no", ") => any;", "} // namespace functions", "", "# Tools"),
            *("a\n\nb", "a\n} // namespace functions\n\n## python\n", "\n", "\n\nx", " x", "x ", "<|end|>"),
        ],
    )
    @pytest.mark.parametrize("name", ["t", "a b", "x-y", "日本", "t = 5", "t: {", ""])
    def test_with_any_names_and_descriptions(self, name: str, description: str) -> None:
        tools = (Tool("first"), Tool(name, description or None, an_object({**STRING, "description": "D"})))
        found = parse_tools(render_tools(tools))
        assert found is not None
        assert [tool.name for tool in found.tools] == ["first", name]
        assert found.tools[1].description == (visible(description) if description else None)

    def test_without_a_description_where_it_is_empty(self) -> None:
        found = parse_tools(render_tools([Tool("t", "")]))
        assert found == ParsedTools((Tool("t", None),), {})

    def test_with_descriptions_of_namespaces(self) -> None:
        tools = (Tool("open", "Opens.", an_object(STRING), "browser"), Tool("f"))
        descriptions = {"browser": "For browsing.\nCarefully.", "python": "Runs code.\n\nAs it is.", "z": ""}
        assert parse_tools(render_tools(tools, descriptions)) == ParsedTools(tools, descriptions)

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "Tools",
                "# Tools\n",
                "# Tools\n\nSome text",
                "# Tools\n\n## a\n\n\n\n## b\n\n",
                "# Tools\n\n## b\n\n\n## a\n",
            ),
            "# Tools\n\n## f\n\nnamespace g {\n\n} // namespace g",
            "# Tools\n\n## f\n\nnamespace f {\n\ntype t = () => string;\n\n} // namespace f",
            "# Tools\n\n## f\n\nnamespace f {\n\ntype t = () => any;\n\n} // namespace f\n\nMore",
            "# Tools\n\n## f\n\nnamespace f {\n\n// A comment\n\ntype t = () => any;\n\n} // namespace f",
        ],
    )
    def test_only_where_they_are_what_the_official_encoder_writes(self, text: str) -> None:
        assert parse_tools(text) is None


def visible(description: str) -> str:
    """What is left of a description: an empty last line is not written, unless it is all there is."""
    lines = description.split("\n")
    if not lines[-1]:
        lines.pop()
    return "\n".join(lines) if lines[-1] else "\n".join(lines) + "\n"


HAND_WRITTEN = """\
# Tools

## functions
namespace functions {
// Gets the weather.
//
// Of a city.
type get_weather = (_: {
  // Where
  city: string,

  unit?: "celsius" | "fahrenheit",  // default: celsius
  more?: {
    days: number,
  },
}) => any;
} // namespace functions"""


class TestHandWrittenTools:
    """Other indentation and blank lines, as in OpenChatML 2.2 §16.2, are read where that is asked for."""

    def test_are_read_if_lenient(self) -> None:
        found = parse_tools(HAND_WRITTEN, lenient=True)
        assert found is not None
        (tool,) = found.tools
        assert tool.description == "Gets the weather.\n\nOf a city."
        assert tool.parameters == {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
                "more": {"type": "object", "properties": {"days": {"type": "number"}}, "required": ["days"]},
            },
            "required": ["city"],
        }

    def test_are_text_if_not(self) -> None:
        assert parse_tools(HAND_WRITTEN) is None

    @pytest.mark.parametrize(
        ("this", "that"),
        [("city: string", "city: String"), ("  // Where", "  city: any, // Where"), ("any;\n}", "any;\n} //")],
    )
    def test_are_text_if_anything_else_differs(self, this: str, that: str) -> None:
        assert parse_tools(HAND_WRITTEN.replace(this, that), lenient=True) is None

    @examples(100)
    @given(some.kept_schemas, st.sampled_from(("", "  ", "        ")))
    def test_may_be_indented_in_any_way(self, schema: dict[str, Any], margin: str) -> None:
        text = "\n\n".join(margin + line for line in render_schema(schema).split("\n"))
        found = parse_schema(text, lenient=True)
        assert found is None or " ".join(render_schema(found).split()) == " ".join(text.split())


_SECTIONS = {
    "test_browser_and_function_tool.txt": 4,
    "test_browser_and_python_tool.txt": 3,
    "test_browser_tool_only.txt": 3,
    "test_render_functions_with_parameters.txt": 4,
}


@pytest.mark.parametrize("name", _SECTIONS)
def test_the_official_fixtures_are_read_and_written_back(name: str) -> None:
    text = corpus_path("harmony", "openai_harmony_testdata", name).read_text("utf-8")
    sections = re.findall(r"# Tools.*?(?=<\|end\|>|\n\n# Valid)", text, re.DOTALL)
    found = [parse_tools(section) for section in sections]
    assert [render_tools(f.tools, f.descriptions) for f in found if f] == sections
    assert sum(len(f.tools) for f in found if f) == _SECTIONS[name]
