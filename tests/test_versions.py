"""Promises are listed, and a release announces its changes of them (docs/versioning.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from promises import (
    Change,
    Kind,
    Section,
    announced,
    changed_bytes,
    changes,
    next_version,
    promises,
    releases,
    written_bytes,
)
from release_files import promised_now, promised_of_files
from sources import ROOT

LIST = ROOT / "docs" / "promises.json"
FRAGMENTS = ROOT / "changes"


def last_release(name: str) -> dict[str, Any]:
    return json.loads((releases()[-1] / name).read_bytes())


@cache
def now() -> dict[str, Section]:
    return promised_now()


PARTS = pytest.mark.parametrize("part", [promises, promised_of_files], ids=["code", "files"])
"""Promises of the code are compared even if the files cannot be written, for instance without an optional library."""


def test_the_list_has_every_kind_of_promise(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--accept"):
        LIST.write_text(json.dumps(now(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert json.loads(LIST.read_bytes()).keys() == now().keys()


@PARTS
def test_the_list_equals_the_promises_of_the_code(part: Callable[[], dict[str, Section]]) -> None:
    listed = json.loads(LIST.read_bytes())
    assert {name: listed[name] for name in part()} == part(), "pytest tests/test_versions.py --accept writes it"


@PARTS
def test_changes_since_the_last_release_are_announced(part: Callable[[], dict[str, Section]]) -> None:
    """A fragment in `changes/` announces it by its name: `+words.minor.md`."""
    sections = part()
    old = {name: section for name, section in last_release("promises.json").items() if name in sections}
    assert_announced(changes(old, sections))


def test_changed_bytes_since_the_last_release_are_announced() -> None:
    assert_announced(changed_bytes(last_release("bytes.json"), written_bytes()))


def assert_announced(found: list[Change]) -> None:
    unannounced = [str(each) for each in found if each.kind > announced()]
    assert not unannounced, "announce it by a file changes/+words.minor.md (or .major.md): see changes/README.md"


def test_every_fragment_has_a_kind_and_a_text() -> None:
    for path in FRAGMENTS.glob("*.md"):
        if path.name != "README.md":
            assert path.name.startswith("+"), path.name
            assert path.suffixes[-2][1:].upper() in Kind.__members__, path.name
            assert path.read_text("utf-8").strip(), path.name


# --- what a difference is ---------------------------------------------------------------------------------------------

REMOVED = (
    ("error codes", "OCB-JSON"),
    ("exit statuses", "SOME_FAILED"),
    ("loss codes", "channel"),
    ("finding codes", "earlier-form"),
    ("formats", "harmony:oss"),
    ("formats", "openai stream openai-sse"),
    ("commands", "batch --resume"),
    ("library", "ocml_bridge.convert"),
    ("library", "ocml_bridge.convert target"),
    ("ledger", "/sha256"),
    ("report", "/losses/*/path"),
)


@pytest.mark.parametrize(("section", "name"), REMOVED)
def test_a_removal_is_breaking_and_an_addition_is_not(section: str, name: str) -> None:
    less = deepcopy(now())
    del less[section][name]
    [gone] = changes(now(), less)
    assert (gone.kind, name in gone.what) == (Kind.MAJOR, True)
    [new] = changes(less, now())
    assert new.kind is (Kind.MAJOR if "required" in str(now()[section][name]) else Kind.MINOR)


@pytest.mark.parametrize(
    ("section", "name", "value", "kind"),
    [
        ("error codes", "OCB-JSON", 1, Kind.MAJOR),
        ("loss codes", "channel", "bookkeeping", Kind.MAJOR),
        ("exit statuses", "SOME_FAILED", 7, Kind.MAJOR),
        ("ledger", "/id", "number", Kind.MAJOR),
        ("library", "ocml_bridge.convert target", "at 0, required", Kind.MAJOR),
        ("library", "ocml_bridge.Adapter home", "at 3", Kind.MINOR),
        ("commands", "batch --ledger", "one of, jsonl", Kind.MAJOR),
        ("commands", "batch --ledger", "one of, jsonl, parquet, csv", Kind.MINOR),
        ("commands", "batch --ledger", "a value", Kind.MAJOR),
        ("commands", "batch --id", "one of, id", Kind.MAJOR),
        ("commands", "batch --id", "values", Kind.MINOR),
        ("commands", "batch --seconds", "a value, else 30.0", Kind.MINOR),
        ("formats", "openai option reasoning", "else reasoning_content", Kind.MINOR),
    ],
)
def test_a_change_is_breaking_unless_it_only_allows_more(section: str, name: str, value: object, kind: Kind) -> None:
    other = deepcopy(now())
    assert name in other[section]
    other[section][name] = value
    [change] = changes(now(), other)
    assert change.kind is kind


def test_a_new_command_may_have_required_options() -> None:
    more = deepcopy(now())
    more["commands"] |= {"mend": "command", "mend --how": "a value, required"}
    assert {change.kind for change in changes(now(), more)} == {Kind.MINOR}


def test_other_bytes_of_the_same_input_are_a_minor_change() -> None:
    old = {"chatml/a": {"input.txt": "1", "openai.json": "2", "canonical.json": "3"}}
    assert changed_bytes(old, deepcopy(old)) == []
    [change] = changed_bytes(old, {"chatml/a": {"input.txt": "1", "openai.json": "x", "canonical.json": "3"}})
    assert (change.kind, change.what) == (Kind.MINOR, "golden/chatml/a/openai.json has other bytes")
    assert changed_bytes(old, {"chatml/a": {"input.txt": "y", "openai.json": "x"}}) == []


@pytest.mark.parametrize(
    ("version", "kind", "following"),
    [
        ("0.1.0", Kind.PATCH, "0.1.1"),
        ("0.1.3", Kind.MINOR, "0.1.4"),
        ("0.1.3", Kind.MAJOR, "0.2.0"),
        ("1.2.3", Kind.PATCH, "1.2.4"),
        ("1.2.3", Kind.MINOR, "1.3.0"),
        ("1.2.3", Kind.MAJOR, "2.0.0"),
    ],
)
def test_the_next_version_follows_from_the_kind_of_change(version: str, kind: Kind, following: str) -> None:
    assert next_version(version, kind) == following
