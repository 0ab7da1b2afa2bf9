"""What the `# Tools` section of a developer's message can represent (Harmony: `namespace functions`)."""

from __future__ import annotations

import pytest

from ocml_bridge.model import Tool
from ocml_bridge.text import tools_section

UNREADABLE = "Adds.\r\r\nAs it is."
"""A text whose lines do not read back as they were."""
UNSAYABLE = {"type": "object", "properties": {"two\nlines": {"type": "string"}}}
"""Parameters that TypeScript has no spelling for."""


@pytest.mark.parametrize("namespace", [None, "weather"])
def test_a_tool_whose_types_have_no_spelling_keeps_its_name_and_what_describes_it(namespace: str | None) -> None:
    tool = Tool("add", "Adds.", UNSAYABLE, namespace)
    assert tools_section.nearest_tools((tool,)) == (Tool("add", "Adds.", namespace=namespace),)


@pytest.mark.parametrize("namespace", [None, "weather"])
def test_one_that_has_no_comment_either_keeps_its_name(namespace: str | None) -> None:
    tool = Tool("add", UNREADABLE, UNSAYABLE, namespace)
    assert tools_section.nearest_tools((tool,)) == (Tool("add", namespace=namespace),)


def test_one_that_has_types_and_no_comment_keeps_its_types() -> None:
    types = {"type": "object", "properties": {"p": {"type": "string"}}}
    assert tools_section.nearest_tools((Tool("add", UNREADABLE, types),)) == (Tool("add", parameters=types),)


def test_the_other_tools_are_declared_whole() -> None:
    whole = Tool("subtract", description="Subtracts.", parameters={"type": "object", "properties": {}})
    assert tools_section.nearest_tools((Tool("add", parameters=UNSAYABLE), whole)) == (Tool("add"), whole)
