"""Functions that are given by their names, as in the table of an adapter."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields

import pytest

from ocml_bridge import formats
from ocml_bridge.common.lazy import Lazy, find
from ocml_bridge.registry import adapter


def test_a_function_is_found_by_its_name() -> None:
    assert find("ocml_bridge.common.lazy:find") is find
    assert Lazy("operator:sub")(3, 1) == 2
    assert repr(Lazy("operator:sub", 3, "x")) == "Lazy('operator:sub', 3, 'x')"


def test_nothing_is_imported_before_the_call() -> None:
    missing = Lazy("no_such_package_of_functions:f")
    with pytest.raises(ImportError):
        missing()
    with pytest.raises(AttributeError):
        Lazy("operator:no_such_function")()


def test_a_lazy_function_can_be_sent_to_another_process() -> None:
    used = Lazy("operator:sub")
    used(3, 1)
    assert pickle.loads(pickle.dumps(used))(3, 1) == copy.copy(used)(3, 1) == 2
    assert repr(used) == "Lazy('operator:sub')"


@pytest.mark.parametrize("name", formats())
def test_every_name_in_an_adapter_exists(name: str) -> None:
    found, _ = adapter(name)
    values = [getattr(found, each.name) for each in fields(found)]
    values += [*found.decoders.values(), *found.encoders.values(), *found.profiles.values()]
    named = [value for value in values if isinstance(value, Lazy)]
    assert len(named) >= 4
    assert all(callable(find(value.name)) for value in named)
