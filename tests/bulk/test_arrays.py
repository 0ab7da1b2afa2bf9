"""A JSON array is split into its items as it is, so a fault in an item is that of this item alone."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.bulk.containers.unpacking import items
from ocml_bridge.errors import ExitCode

TEXTS = st.sampled_from(["", "a", "}", "},{", "}]", '"', '\\"}, {"', "[{", "\n"])
VALUES: Any = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ITEMS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=3) | VALUES, max_size=4)
SPELLINGS = st.fixed_dictionaries(
    {"indent": st.none() | st.just(1), "separators": st.sampled_from([(",", ":"), (" , ", ": ")])}
)


def split(text: str) -> list[Any]:
    return [json.loads(line) for line in items(io.BytesIO(text.encode()))]


@given(ITEMS, SPELLINGS)
def test_an_array_is_split_into_its_items(values: list[Any], spelling: dict[str, Any]) -> None:
    assert split(f" {json.dumps(values, **spelling)}\n") == values


@given(ITEMS, st.sampled_from([*',}]"x', ""]), st.data())
def test_a_broken_array_is_refused(values: list[Any], replacement: str, data: st.DataObject) -> None:
    text = json.dumps(values)
    at = data.draw(st.integers(0, len(text) - 1))
    broken = text[:at] + replacement + text[at + 1 :]
    try:
        expected = json.loads(broken)
    except json.JSONDecodeError:
        with pytest.raises((OSError, json.JSONDecodeError)):  # the array, or an item that is yielded as it is
            split(broken)
    else:
        assert split(broken) == (expected if isinstance(expected, list) else [expected])


@pytest.mark.parametrize("text", ["[", "[{}", "[{},]", "[{}]x", "[{}{}]", "[,{}]", "[1 2]", '"a"', "1", ""])
def test_what_is_no_array_is_refused(text: str) -> None:
    with pytest.raises(OSError, match=r"not JSON|not a JSON array"):
        split(text)


def test_brackets_in_texts_do_not_make_the_search_for_the_end_of_an_item_go_through_all_others() -> None:
    values = [{"text": "if (x) {"}, {"messages": [{"content": "}"}] * 100}] * 20_000
    assert sum(1 for _ in items(io.BytesIO(json.dumps(values).encode()))) == len(values)


def test_few_values_of_an_array_are_in_memory_at_once() -> None:
    content = io.BytesIO(json.dumps([{"messages": [{"role": "user", "content": "Hi"}] * 20}] * 2000).encode())
    tracemalloc.start()
    try:
        assert sum(1 for _ in items(content)) == 2000
        assert tracemalloc.get_traced_memory()[1] < 3 * len(content.getvalue())
    finally:
        tracemalloc.stop()


def test_an_item_that_is_not_json_is_quarantined_alone(batch: Callable[..., int], tmp_path: Path) -> None:
    request = '{"messages": [{"role": "user", "content": "Hi"}]}'
    source, out = tmp_path / "a.json", tmp_path / "out"
    source.write_text(f'[{request}, {{"messages": [], "score": NaN}}, {request}]')
    assert batch("-f", "openai", "-t", "harmony", source, "-o", out, "--into", "jsonl") == ExitCode.SOME_FAILED
    assert len((out / "a.jsonl").read_text().splitlines()) == 2
    [quarantined] = map(json.loads, (out / "a.quarantine.jsonl").read_text().splitlines())
    assert (quarantined["item"], quarantined["code"]) == (2, "OCB-JSON")


def test_nothing_is_written_of_a_truncated_array(batch: Callable[..., int], tmp_path: Path, capfd: Any) -> None:
    request = '{"messages": [{"role": "user", "content": "Hi"}]}'
    source, out = tmp_path / "a.json", tmp_path / "out"
    source.write_text(f"[{request}, {request}, {request[:-9]}")
    assert batch("-f", "openai", "-t", "harmony", source, "-o", out, "--into", "jsonl") != ExitCode.OK
    assert not (out / "a.jsonl").exists()
    assert "the array is broken after byte 103; nothing of it was written" in capfd.readouterr().err
