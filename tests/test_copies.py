"""Copies of model objects with changed fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Document, Message
from ocml_bridge.model import FileBreak, Settings, ToolChoice, replace
from ocml_bridge.testing.strategies import documents


def objects_in(value: Any) -> Iterator[Any]:
    """A model object, and all that it is made of."""
    if dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from objects_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in cast("tuple[Any, ...]", value):
            yield from objects_in(item)


@given(documents(), st.data())
def test_a_copy_equals_that_of_the_standard_library(document: Document, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(list(objects_in(document))))
    names = st.sampled_from([field.name for field in dataclasses.fields(value)])
    changes: dict[str, Any] = data.draw(st.dictionaries(names, st.none() | st.text(max_size=2)))
    before = deepcopy(value)
    assert replace(value, **changes) == dataclasses.replace(value, **changes)
    assert value == before


@pytest.mark.parametrize("value", [Message("user", ""), Settings(), FileBreak(), ToolChoice("auto")])
def test_a_copy_is_another_object(value: Any) -> None:
    assert replace(value) == value
    assert replace(value) is not value


@pytest.mark.parametrize("name", ["nothing", "__pydantic_config__"])
def test_an_unknown_field_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        replace(Message("user", ""), **{name: None})
