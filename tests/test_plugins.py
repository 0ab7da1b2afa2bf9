"""Formats of third parties: what one of them does wrong is said of it, and is never the end of something else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.conftest import Run
from ocml_bridge import BridgeError, ErrorCode, adapter, convert, detect, formats, registry
from ocml_bridge.adapter import Source
from ocml_bridge.pipe import streams

pytest_plugins = ("cli.conftest",)

REQUEST = '{"messages":[{"role":"user","content":"hi"}]}'
BROKEN: dict[str, str] = {
    "no-module": "a_module_that_is_not_there:ADAPTER",
    "no-name": "json:ADAPTER",
    "no-adapter": "json:dumps",
    "bad-module": "bad_module:ADAPTER",
}


@pytest.fixture(params=BROKEN)
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The id of a format whose entry point does not give an adapter."""
    (tmp_path / "bad_module.py").write_text("raise ValueError('not today')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(registry, "_plugins", lambda: {request.param: BROKEN[request.param]})
    yield request.param
    sys.modules.pop("bad_module", None)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Adds a format of a third party, and gives its id."""

    def add(name: str, **fields: Any) -> str:
        made = replace(adapter("openai")[0], id=name, **fields)
        monkeypatch.setitem(sys.modules, f"plugin_{name}", SimpleNamespace(ADAPTER=made))
        monkeypatch.setattr(registry, "_plugins", lambda: {name: f"plugin_{name}:ADAPTER"})
        return name

    return add


def test_a_plugin_that_cannot_be_loaded_is_passed_over_by_detection(broken: str) -> None:
    assert broken in formats()
    assert detect(json.loads(REQUEST)) == "openai"
    assert convert(REQUEST, target="harmony").source == "openai"


def test_where_nothing_is_detected_it_is_named(broken: str) -> None:
    with pytest.raises(BridgeError, match=broken) as caught:
        detect("nothing that is known")
    assert caught.value.code is ErrorCode.FORMAT_UNKNOWN


def test_whoever_asks_for_it_is_told_why(broken: str) -> None:
    for _ in range(2):
        with pytest.raises(BridgeError, match=broken) as caught:
            convert(REQUEST, source=broken, target="harmony")
        assert caught.value.code is ErrorCode.DEPENDENCY
        assert isinstance(caught.value.__cause__, Exception)


def test_streams_are_those_of_the_others(broken: str) -> None:
    assert "harmony" in streams()[0]


@pytest.mark.parametrize("command", [("formats",), ("formats", "--json"), ("matrix",)])
def test_lists_of_formats_warn_and_have_all_others(run: Run, broken: str, command: tuple[str, ...]) -> None:
    done = run(*command)
    assert done.status == 0
    assert f"warning: the format '{broken}' cannot be loaded" in done.err
    assert b"chatml" in done.out


def test_the_command_converts_as_if_it_were_not_there(run: Run, broken: str) -> None:
    done = run("-t", "harmony", stdin=REQUEST.encode())
    assert (done.status, done.out) == (0, b"<|start|>user<|message|>hi<|end|>")


def test_a_plugin_that_fails_in_recognising_is_passed_over(plugin: Callable[..., str]) -> None:
    def sniff(source: Source) -> int:
        raise KeyError(str(source))

    plugin("fails", sniff=sniff)
    assert detect(json.loads(REQUEST)) == "openai"


def test_a_plugin_that_recognises_its_own_is_found(plugin: Callable[..., str]) -> None:
    def sniff(source: Source) -> int:
        return 3 if isinstance(source, dict) else 0

    name = plugin("certain", sniff=sniff)
    assert detect({"its": "own"}) == name
