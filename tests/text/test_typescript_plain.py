"""Tools written and read back in one step: where that is done, it is what writing them and reading the text gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import strategies_schema as some
from counting import forget
from ocml_bridge import BridgeError
from ocml_bridge.json_values.jsontext import dumps
from ocml_bridge.model import Tool
from ocml_bridge.model.codec import to_json
from ocml_bridge.text.typescript.plain import plain_tool
from ocml_bridge.text.typescript.tools import (
    _parse,  # pyright: ignore[reportPrivateUsage]
    _render,  # pyright: ignore[reportPrivateUsage]
    declare,
)
from sampling import examples
from weights import mostly

Tools = tuple[Tool, ...]
Declared = tuple[str, bytes] | str | None
"""A section and its tools as JSON, whose keys are ordered; the code of an error; or nothing."""


def spelled(found: tuple[str, Tools] | None) -> Declared:
    return None if found is None else (found[0], dumps(to_json(found[1])))


def with_care(tools: Tools) -> Declared:
    """What writing tools and reading the text gives."""
    try:
        section = _render(tools, None)
    except BridgeError as error:
        return error.code
    parsed = _parse(section, lenient=False)
    is_read = parsed is not None and len(parsed.tools) == len(tools) > 0 and not parsed.descriptions
    return spelled((section, parsed.tools)) if parsed is not None and is_read else None


def is_plain(*tools: Tool) -> bool:
    """Whether it is done in one step; where it is, it gives what the careful way gives."""
    found = [plain_tool(tool) for tool in tools]
    for tool, plain in zip(tools, found, strict=True):
        if plain is not None:
            text, read = plain
            section = f"# Tools\n\n## functions\n\nnamespace functions {{\n\n{text}\n}} // namespace functions"
            assert spelled((section, (read,))) == with_care((tool,))
    return None not in found


# --- what is plain ----------------------------------------------------------------------------------------------------

STRING: Any = {"type": "string"}
NO_ITEMS: Any = []
NO_MEMBERS: Any = {}


def an_object(**properties: Any) -> Any:
    return {"type": "object", "properties": properties}


def nested(levels: int) -> Any:
    """A schema of objects in objects, with so many levels."""
    return STRING if levels == 0 else an_object(p=nested(levels - 1))


PLAIN_TOOLS: tuple[Tool, ...] = (
    *(Tool("f"), Tool("get-weather_2", "Does."), Tool("_", ""), Tool("f", "} // namespace functions")),
    *(
        Tool("f", None, schema)
        for schema in (STRING, an_object(), {"type": "object"}, {"type": "array", "items": STRING})
    ),
    Tool("f", None, {"additionalProperties": False, "required": ["p", 1], **an_object(q=STRING, p=STRING)}),
)
PLAIN: tuple[Any, ...] = (
    *({"type": kind} for kind in ("string", "integer", "number", "boolean")),
    *({"type": "array", "items": items} for items in (STRING, an_object(q=STRING), {"type": "array", "items": STRING})),
    {"type": "string", "enum": ["a", "b | c", "", "// default: a"]},
    {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    {"description": "One line: // default: 5", "type": "string"},
    {"type": "array", "items": STRING, "description": "Examples:"},
    {"type": "integer", "minimum": 0, "maximum": 9, "format": "int32", "description": None},
    *({"type": "string", "default": default} for default in ("", "a", '"', '", // default: "', None, True, 5)),
    {"type": "string", "enum": ["a", "b"], "default": "b"},
    *({"type": "integer", "default": default} for default in (None, False, 0, -5, 2**53 - 1)),
    *({**an_object(q=STRING), "required": ["q"]}, nested(18)),
)
ODD: tuple[Any, ...] = (
    *(True, None, NO_MEMBERS, {"type": None}, {"type": "null"}, {"type": "any"}, {"type": ["string", "null"]}),
    *({"type": "string", key: value} for key, value in (("nullable", True), ("title", "T"), ("examples", ["a"]))),
    *(
        {"oneOf": [STRING]},
        {"anyOf": [STRING]},
        {"enum": ["a"]},
        {"type": "array"},
        {"type": "array", "items": NO_MEMBERS},
    ),
    *({"type": "string", "enum": values} for values in (NO_ITEMS, ["a", 1], [None], ['"'], ["a\nb"], None, "a")),
    {"type": "integer", "enum": [1, 2]},
    *({"type": "string", "description": about} for about in ("", "a\nb", 5)),
    {**an_object(q=STRING), "description": "An object."},
    *({"type": "string", "default": default} for default in ("a\nb", NO_ITEMS, NO_MEMBERS, 1.5, 2**53)),
    {"type": "number", "default": "a"},
    {"type": "string", "enum": ["a"], "default": "b"},
    *({"type": "object", "properties": {"q": STRING}, "required": names} for names in (None, "q", NO_MEMBERS)),
    *({"type": "object", "properties": properties} for properties in (None, NO_ITEMS, {"a b": STRING}, {"": STRING})),
    *({"type": "object", "properties": {name: STRING}} for name in ("a-b", "a?", "a:", "é", "a\n", "1")),
    nested(40),
)


@pytest.mark.parametrize("tool", PLAIN_TOOLS, ids=str)
def test_one_line_about_a_tool_is_plain(tool: Tool) -> None:
    assert is_plain(tool)
    assert is_plain(tool, tool)


@pytest.mark.parametrize("schema", PLAIN, ids=str)
def test_simple_types_are_plain(schema: Any) -> None:
    assert is_plain(Tool("f", None, an_object(p=schema)))


@pytest.mark.parametrize("schema", ODD, ids=str)
def test_types_that_a_section_does_not_represent_for_certain_are_not_plain(schema: Any) -> None:
    assert not is_plain(Tool("f", None, an_object(p=schema)))
    assert not is_plain(Tool("f"), Tool("f", None, an_object(p=schema)))


@pytest.mark.parametrize(
    "tool",
    [
        *(Tool(name) for name in ("", "a b", "a.b", "1", "é", "f\n", "f = () => any;")),
        *(Tool("f", about) for about in ("a\nb", "\n")),
        *(Tool("f", namespace=namespace) for namespace in ("functions", "browser", "")),
    ],
    ids=str,
)
def test_tools_of_other_names_and_namespaces_are_not(tool: Tool) -> None:
    assert not is_plain(tool)


SPELLED: dict[str, Any] = {"null": None, "true": True, "false": False, "5": 5, "-1": -1}
"""Values of an enum that other defaults are spelled like."""


@pytest.mark.parametrize(("value", "default"), SPELLED.items())
def test_a_default_that_is_spelled_like_a_value_of_the_enum_is_read_as_that_value(value: str, default: Any) -> None:
    schema = {"type": "string", "enum": ["a", value], "default": default}
    declared = declare((Tool("f", None, an_object(p=schema)),))
    assert declared is not None
    assert declared[1] == (Tool("f", None, an_object(p={**schema, "default": value})),)


# --- whatever they are ------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    (
        *("a", "city", " ", "  ", "\t", "\r", "\0", "é", "\u2028", "\u200b", "\ud800", "\\", "'", "#", "## functions"),
        *("//", "// ", "default: ", "// default: 5", " default: null", "Examples:", '- "x"', "null", "true", "5"),
        *("{", "}", "{}", "[", "]", "[],", ",", " | ", ' | "b"', "?", ":", ": ", "city: string,", "city?: {", "any"),
        *("type x = ", "type x = () => any;", " = (_: ", ") => any;", " = () => any;", "namespace functions {"),
        *("} // namespace functions", "<|end|>", "# Tools", '"', '"x"', '",', '", // default: "'),
    )
)
LINES = mostly(st.sampled_from(("The city.", "a", "b")), st.lists(PIECES, min_size=1, max_size=4).map("".join), share=1)
TEXTS = mostly(LINES, st.sampled_from(("", "a\nb", "\n")), share=12)
VALUES = st.one_of(
    st.sampled_from(("a", "b", "", "null", "true", "5", "-1", "b | c", "// default: a", "[]", ",", "{")),
    LINES.map(lambda text: text.replace('"', "")),
)
NUMBERS = st.integers(-5, 5) | st.sampled_from((2**53 - 1, 2**53, -(2**53), 2**63, 2**64))
DEFAULTS: SearchStrategy[Any] = mostly(
    st.one_of(LINES, VALUES, NUMBERS, st.sampled_from((None, True, False))),
    st.one_of(some.json_values, st.floats(), TEXTS),
    share=9,
)
TOOL_NAMES = mostly(st.sampled_from(("f", "get_weather", "f-2", "type", "_")), TEXTS, share=12)
NAMES = mostly(st.sampled_from(("a", "b", "city", "x_1", "null", "any", "string", "default", "type")), TEXTS, share=12)
IGNORED: dict[str, SearchStrategy[Any]] = {
    "minimum": st.just(1),
    "format": TEXTS,
    "additionalProperties": st.booleans(),
    "const": TEXTS,
}
"""Keys without a meaning here."""
RENDERED: dict[str, SearchStrategy[Any]] = {
    "nullable": st.booleans(),
    "title": TEXTS,
    "examples": st.lists(TEXTS, max_size=2),
    "enum": st.lists(TEXTS | st.none(), max_size=2),
    "oneOf": st.just([STRING]),
    "type": st.sampled_from(("null", "any", ["string", "null"], None)),
}
"""Keys that need a closer look."""


NOTHING: SearchStrategy[Any] = st.fixed_dictionaries({})


def _joined(*members: Any) -> Any:
    """One object of several."""
    return {key: value for each in members for key, value in each.items()}


def with_more(schemas: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Schemas with ignored keys, and at times with a rendered one; in any order."""
    rendered = st.one_of(*(st.fixed_dictionaries({key: value}) for key, value in RENDERED.items()))
    more = st.fixed_dictionaries({}, optional=IGNORED)
    return st.builds(_joined, mostly(NOTHING, more), schemas, mostly(NOTHING, rendered, share=15))


@st.composite
def enums(draw: st.DrawFn) -> Any:
    """An enum, its default mostly one of its values, or what is spelled like one."""
    values = draw(st.lists(VALUES, min_size=1, max_size=3))
    schema = {"type": "string", "enum": values}
    if draw(st.booleans()):
        return schema
    alike = [SPELLED[value] for value in values if value in SPELLED]
    return {**schema, "default": draw(mostly(st.sampled_from([*values, *alike]), DEFAULTS))}


NOTES: dict[str, SearchStrategy[Any]] = {"description": TEXTS, "default": DEFAULTS}
SCALARS: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(("string", "integer", "number", "boolean"))}, optional=NOTES),
    st.builds(_joined, enums(), st.fixed_dictionaries({}, optional={"description": TEXTS})),
)


def containers(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    array = st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional=NOTES)
    return st.one_of(array, objects(inner))


def objects(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    properties = st.dictionaries(NAMES, inner, max_size=3)
    names = mostly(st.lists(NAMES, max_size=3), st.lists(NAMES | st.just(1), max_size=2), st.sampled_from((None, "a")))
    of_its_own = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": properties}, optional={"required": names, "default": DEFAULTS}
    )
    described = st.builds(_joined, of_its_own, st.fixed_dictionaries({"description": TEXTS}))
    return mostly(of_its_own, described, share=15)


SCHEMAS = with_more(st.recursive(with_more(SCALARS), lambda inner: with_more(containers(inner)), max_leaves=5))
PARAMETERS = mostly(with_more(objects(SCHEMAS)), st.none(), SCHEMAS, some.schemas)
TOOLS = st.lists(
    st.builds(
        Tool,
        TOOL_NAMES,
        mostly(LINES, st.none(), TEXTS),
        PARAMETERS,
        mostly(st.none(), st.sampled_from(("functions", "browser")), share=30),
    ),
    min_size=1,
    max_size=2,
).map(tuple)


def test_both_ways_give_the_same_and_the_short_one_is_often_taken() -> None:
    taken: list[bool] = []

    @examples(500)
    @given(TOOLS)
    def give_the_same(tools: Tools) -> None:
        taken.append(is_plain(*tools))

    give_the_same()
    assert sum(taken) > len(taken) / 3


# --- declared ---------------------------------------------------------------------------------------------------------


@examples(400)
@given(
    st.one_of(
        TOOLS,
        some.tools(some.schemas | st.none(), some.hostile_text).map(tuple),
        some.tools(some.kept_schemas | st.none(), some.hostile_text).map(tuple),
    )
)
def test_tools_are_declared_by_what_is_read_of_their_section_or_not_at_all(tools: Tools) -> None:
    expected = with_care(tools)
    for _ in range(2):
        # The second time the answer is remembered.
        try:
            found = spelled(declare(tools))
        except BridgeError as error:
            found = error.code
        assert found == expected


def test_tools_that_would_not_be_read_are_not_declared() -> None:
    assert declare(()) is None
    assert declare((Tool("f\n"),)) is None
    assert declare((Tool("f"), Tool("g", None, an_object(**{"a: b": STRING})))) is None


@pytest.mark.parametrize(
    "defaults",
    [(True, 1, 1.0, "1"), (None, float("inf"), "null"), (0, False, 0.0, -0.0), (2**64, float(2**64))],
    ids=str,
)
def test_remembered_sections_distinguish_similar_defaults(defaults: tuple[Any, ...]) -> None:
    declared = [(Tool("f", None, an_object(p={"type": "number", "default": default})),) for default in defaults]
    assert [spelled(declare(tools)) for tools in declared] == [with_care(tools) for tools in declared]


@pytest.mark.parametrize("key", ["default", "description", "type", "items", "enum", "title", "examples", "oneOf"])
@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_a_number_that_json_does_not_have_is_declared_as_null_is(key: str, number: float) -> None:
    """Sections are remembered by the JSON of their tools, in which the two are one."""

    def declared(value: float | None) -> object:
        forget()
        return declare((Tool("f", None, an_object(a={"type": "string", key: value})),))

    assert declared(number) == declared(None)
