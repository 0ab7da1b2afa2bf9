"""Sections of declared tools are remembered, and each document gets its own: what is declared, and nothing older."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_adapters.harmony.prepare import LARGEST, Sections
from ocml_bridge import Options, convert
from ocml_bridge.model import Freeform, Tool, Transcript

PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION: dict[str, Any] = {"name": "weather", "description": "Tells the weather.", "parameters": PARAMETERS}
CHANGES: list[dict[str, Any]] = [
    {"name": "climate"},
    {"description": "Tells it."},
    {"description": None},
    {"description": ""},
    {"strict": True},
    {"parameters": {**PARAMETERS, "required": []}},
    {"parameters": {**PARAMETERS, "properties": {"city": {"type": "integer"}}}},
    {"parameters": {**PARAMETERS, "properties": {"city": {"type": "string", "default": 1}}}},
    {"parameters": {**PARAMETERS, "properties": {"city": {"type": "string", "default": True}}}},
    {"parameters": {**PARAMETERS, "properties": {"city": {"type": "string", "default": 1.0}}}},
    {"parameters": None},
]


def request(change: dict[str, Any], *roles: str) -> dict[str, Any]:
    """A request whose one tool differs from `FUNCTION`."""
    messages = [{"role": role, "content": f"Said by {role}."} for role in roles or ("user",)]
    return {"messages": messages, "tools": [{"type": "function", "function": {**FUNCTION, **change}}]}


def all_of(data: Any, *, plans: bool = True) -> tuple[Any, ...]:
    """Everything that a conversion gives."""
    result = convert(data, source="openai", target="harmony", options=Options(plans=plans))
    return result.output, result.losses, result.image, result.characters


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_changed_tool_is_never_declared_as_it_was(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [{}, change, {}, change]
    remembered = [all_of(request(each)) for each in asked]
    anew: list[Any] = []
    for each in asked:
        monkeypatch.setattr("ocml_adapters.harmony.prepare._SECTIONS", Sections())
        anew.append(all_of(request(each), plans=False))
    assert remembered == anew
    assert remembered[0] == remembered[2] != remembered[1] == remembered[3]


@pytest.mark.parametrize("roles", [("system", "user"), ("system", "developer", "user"), ("developer",), ("user",)])
def test_the_place_of_a_section_does_not_change_what_is_remembered(
    roles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of(request({}))
    all_of(request({}, *roles))
    known = all_of(request({}, *roles))
    monkeypatch.setattr("ocml_adapters.harmony.prepare._SECTIONS", Sections())
    assert known == all_of(request({}, *roles), plans=False)


def test_what_is_given_can_be_changed_and_the_next_one_gets_it_as_it_was() -> None:
    first = convert(request({}), source="openai", target="harmony")
    before = all_of(request({}))
    for document in (first.image, first.transcript):
        parameters: Any = document.tools[0].parameters if isinstance(document, Transcript) and document.tools else {}
        assert parameters["properties"]
        parameters.clear()
    assert all_of(request({})) == before


def test_tools_that_differ_in_anything_have_different_keys() -> None:
    sections = Sections()
    tool = Tool("f", parameters={"enum": [1]})
    others = [Tool("f"), Tool("f", ""), Tool("f", parameters={"enum": [True]}), Tool("f", parameters={"enum": [1.0]})]
    others.append(Tool("f", freeform=Freeform()))
    keys = [sections.key((each,)) for each in (tool, *others, Tool("f", strict=True, parameters={"enum": [1]}))]
    assert len({*keys}) == len(keys)
    assert sections.key((Tool("f", parameters={"enum": [1]}),)) == keys[0]


def test_what_is_large_or_no_json_is_not_remembered() -> None:
    sections = Sections()
    assert sections.key((Tool("f", "x" * LARGEST),)) is None
    odd: Any = object()
    assert sections.key((Tool("f", parameters=odd),)) is None
    sections.keep(None, "section", (Tool("f"),))
    assert sections.get(None) is None
