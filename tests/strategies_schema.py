"""JSON Schemas: any at all, for rendering; and those that TypeScript keeps whole, for reading back."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ocml_bridge.model import Tool

Schema = Any

_PIECES = (
    *("a", "b", "city", "null", "null_a", " ", "  ", "\n", "\r", "\r\n", "\t", "\0", "é", "日本", "\u2028", '"', "\\"),
    *(
        "//",
        "// ",
        "// default: ",
        "default: ",
        " default: ",
        "Examples:",
        '- "',
        "type x = ",
        "() => any;",
        ") => any;",
    ),
    *("{", "}", "{\n", "\n}", "[]", "[],", ",", ", ", " | ", "\n | ", "?", ":", ": ", "?: string,", "any", "string"),
    *("namespace functions {", "} // namespace functions", "\n\n## python\n", "<|end|>", "<|start|>"),
)

hostile_text: SearchStrategy[str] = st.one_of(
    st.sampled_from(("", "a", "b", "x y")),
    st.lists(st.sampled_from(_PIECES), max_size=5).map("".join),
    st.text(st.characters(codec="utf-8"), max_size=8),
)

exact_floats: SearchStrategy[float] = st.tuples(st.integers(-(10**13), 10**13), st.integers(-22, 9)).map(
    lambda parts: float(f"{parts[0]}e{parts[1]}")
) | st.sampled_from((0.0, -0.0, 1.0, 1e15, 1e16, 1e21, 1e-4, 1e-5, -1.5e-5, 1e-6, 1e-7, 123456789012345.0))
"""Floats that the official encoder's JSON reader takes in without an error in the last place."""

integers: SearchStrategy[int] = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.integers(-10, 10),
    st.sampled_from((2**63, 2**64 - 1, 2**64, 10**20, 10**21, -(2**63), -(2**63) - 1)),
)

json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | integers | exact_floats | hostile_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile_text, inner, max_size=3),
    max_leaves=5,
)

_KINDS = ("string", "integer", "number", "boolean", "object", "array", "null", "any", "date", "")


def _any_schema(inner: SearchStrategy[Schema]) -> SearchStrategy[Schema]:
    properties = st.dictionaries(hostile_text, inner, max_size=4)
    keywords: dict[str, SearchStrategy[Any]] = {
        "type": st.sampled_from(_KINDS) | st.lists(st.sampled_from((*_KINDS, 5)), max_size=3),
        "title": hostile_text,
        "description": hostile_text | st.just(5),
        "enum": st.lists(hostile_text | st.sampled_from((None, 1)), max_size=3),
        "default": json_values,
        "examples": st.lists(hostile_text | st.just(1), max_size=3),
        "nullable": st.booleans() | st.just(1),
        "properties": properties,
        "required": st.lists(hostile_text | st.just(1), max_size=3),
        "items": inner | st.lists(inner, max_size=2),
        "oneOf": st.lists(inner, max_size=3) | inner,
        "anyOf": st.lists(inner, max_size=2),
        "const": hostile_text,
        "minimum": st.just(1),
    }
    common = {key: keywords[key] for key in ("title", "description", "nullable", "required")}
    focused: tuple[dict[str, SearchStrategy[Any]], ...] = (
        {"type": st.just("object"), "properties": properties},
        {"type": st.just("string"), "enum": keywords["enum"], "default": hostile_text},
        {"type": st.just("array"), "items": inner},
        {"oneOf": st.lists(inner, max_size=3)},
    )
    return st.one_of(
        st.fixed_dictionaries({}, optional=keywords),
        *(st.fixed_dictionaries(fixed, optional=common) for fixed in focused),
    )


_LEAVES: tuple[Schema, ...] = ({}, {"type": "string"}, True, 5, None)

schemas: SearchStrategy[Schema] = _any_schema(st.recursive(st.sampled_from(_LEAVES), _any_schema, max_leaves=8))
"""Objects whose keywords have the right values, or wrong ones."""


_words = st.sampled_from(("city", "The city, e.g. Paris", "a b", "x", "celsius", "Say: hello", "30 % [of] {it}"))
_names = st.sampled_from(("city", "unit", "x-y", "a b", "naïve", "with.dot", "$ref", "_"))
_line = st.one_of(
    _words, st.text(st.characters(codec="utf-8", exclude_characters='\n\r"/|[],:'), min_size=1, max_size=8)
)


def _noted(schemas: SearchStrategy[Schema], default: SearchStrategy[Any]) -> SearchStrategy[Schema]:
    """The same with comments."""
    notes = {"title": _line, "description": _line | st.builds("{}\n{}".format, _words, _words)}
    more = {"examples": st.lists(_line, min_size=1, max_size=2), "default": default}
    comments = st.fixed_dictionaries({}, optional={**notes, **more})
    return st.tuples(schemas, comments).map(lambda pair: {**pair[0], **pair[1]})


def _kept_object(inner: SearchStrategy[Schema]) -> SearchStrategy[Schema]:
    @st.composite
    def draw_object(draw: st.DrawFn) -> Schema:
        properties = draw(st.dictionaries(_names, inner, max_size=4))
        required = [name for name in properties if draw(st.booleans())]
        schema: Schema = {"type": "object", "properties": properties}
        return {**schema, "required": required} if required else schema

    return draw_object()


_numbers = st.one_of(st.integers(-100, 100), exact_floats)
_enums = st.lists(_words, min_size=1, max_size=3, unique=True).map(lambda values: {"type": "string", "enum": values})
_scalars = st.one_of(
    _noted(st.just({"type": "string"}), _line),
    _noted(st.just({"type": "number"}), _numbers),
    _noted(st.just({"type": "boolean"}), st.booleans()),
    _noted(st.just({}), st.none() | _line | st.lists(_line, max_size=2)),
    _noted(
        st.sampled_from((["string", "null"], ["number", "string"], ["object", "null"])).map(
            lambda kinds: {"type": kinds}
        ),
        _line,
    ),
    _enums,
    _enums.map(lambda schema: {**schema, "default": schema["enum"][0]}),
    _enums.map(lambda schema: {**schema, "nullable": True, "default": None}),
)
_items = st.one_of(
    st.sampled_from(({"type": "string"}, {"type": "number"}, {}, {"type": ["string", "null"]}, {"type": "array"})),
    _enums,
)


_VARIANTS: tuple[Schema, ...] = ({"type": "string", "default": "x"}, {"type": "number", "description": "a number"}, {})


def _kept_schema(inner: SearchStrategy[Schema]) -> SearchStrategy[Schema]:
    arrays = (_items | _kept_object(inner)).map(lambda items: {"type": "array", "items": items})
    scalars = st.lists(st.sampled_from(_VARIANTS), min_size=1, max_size=3)
    variants: SearchStrategy[list[Schema]] = st.one_of(
        # What describes a property that is a oneOf takes the place of what describes its first variant.
        scalars.map(lambda rest: [{"type": "boolean"}, *rest]),
        st.lists(_kept_object(inner), min_size=1, max_size=2),
    )
    return st.one_of(
        _noted(arrays, st.lists(_line, max_size=2)),
        _noted(_kept_object(inner), st.just({"a": [1, 2.5]})),
        variants.map(lambda several: {"oneOf": several, "description": "One of several", "default": 20}),
    )


kept_schemas: SearchStrategy[Schema] = _kept_object(st.recursive(_scalars, _kept_schema, max_leaves=6))
"""Schemas of tool parameters of which TypeScript keeps everything, written the way they are read back."""

_namespaces = st.sampled_from((None, None, "browser", "apps.mail"))


def tools(parameters: SearchStrategy[Any], text: SearchStrategy[str]) -> SearchStrategy[list[Tool]]:
    """Several tools, in several namespaces."""
    return st.lists(
        st.builds(Tool, name=_names, description=st.none() | text, parameters=parameters, namespace=_namespaces),
        max_size=4,
    )
