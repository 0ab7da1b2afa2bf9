"""Formats of third parties: an error names the package that caused it, and does not affect other formats."""

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
from ocml_bridge.bulk import Settings, Status, convert_batch
from ocml_bridge.formats.adapter import FormatOption, Options, Source
from ocml_bridge.pipe import streams
from ocml_bridge.split import read_all, split
from ocml_bridge.units.reader import UnitReader

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


def test_detection_skips_a_plugin_that_cannot_be_loaded(broken: str) -> None:
    assert broken in formats()
    assert detect(json.loads(REQUEST)) == "openai"
    assert convert(REQUEST, target="harmony").source == "openai"


def test_a_plugin_that_cannot_be_loaded_is_named_if_nothing_is_detected(broken: str) -> None:
    with pytest.raises(BridgeError, match=broken) as caught:
        detect("nothing that is known")
    assert caught.value.code is ErrorCode.FORMAT_UNKNOWN


def test_the_error_for_a_plugin_that_cannot_be_loaded_has_the_reason(broken: str) -> None:
    for _ in range(2):
        with pytest.raises(BridgeError, match=broken) as caught:
            convert(REQUEST, source=broken, target="harmony")
        assert caught.value.code is ErrorCode.DEPENDENCY
        assert isinstance(caught.value.__cause__, Exception)


def test_streams_of_other_formats_are_listed(broken: str) -> None:
    assert "harmony" in streams()[0]


@pytest.mark.parametrize("command", [("formats",), ("formats", "--json"), ("matrix",)])
def test_lists_of_formats_warn_and_contain_all_other_formats(run: Run, broken: str, command: tuple[str, ...]) -> None:
    done = run(*command)
    assert done.status == 0
    assert f"warning: the format '{broken}' cannot be loaded" in done.err
    assert b"chatml" in done.out


def test_the_command_converts_without_the_broken_plugin(run: Run, broken: str) -> None:
    done = run("-t", "harmony", stdin=REQUEST.encode())
    assert (done.status, done.out) == (0, b"<|start|>user<|message|>hi<|end|>")


def test_a_plugin_that_fails_in_detection_is_skipped(plugin: Callable[..., str]) -> None:
    def sniff(source: Source) -> int:
        raise KeyError(str(source))

    plugin("fails", sniff=sniff)
    assert detect(json.loads(REQUEST)) == "openai"


def test_a_plugin_gets_the_dialect_for_splitting_and_reading(plugin: Callable[..., str]) -> None:
    calls: list[tuple[str, str | None]] = []

    def divided(value: Source, options: Options) -> list[tuple[int, Source]]:
        calls.append(("split", options.dialect))
        return [(0, value)]

    def read_by(options: Options) -> UnitReader:
        calls.append(("read", options.dialect))
        return adapter("openai")[0].reads_units(options)

    name = plugin("own", dialects=("loud",), split=divided, reads_units=read_by)
    (reading,) = read_all(REQUEST, f"{name}:loud")
    assert reading.source == name
    assert calls == [("split", "loud"), ("read", "loud")]
    assert len(split(REQUEST, f"{name}:loud")) == 1
    assert calls[2:] == [("split", "loud")]


def test_a_format_of_a_plugin_is_detected(plugin: Callable[..., str]) -> None:
    def sniff(source: Source) -> int:
        return 3 if isinstance(source, dict) else 0

    name = plugin("certain", sniff=sniff)
    assert detect({"its": "own"}) == name


@pytest.mark.parametrize("answer", [None, "3", -1, 99, 2.5, float("nan")])
def test_a_plugin_with_an_invalid_result_of_detection_is_skipped(plugin: Callable[..., str], answer: object) -> None:
    def sniff(_source: Source) -> Any:
        return answer

    plugin(f"odd-{answer}", sniff=sniff)
    assert detect(json.loads(REQUEST)) == "openai"


# --- errors while a plugin reads or writes ----------------------------------------------------------------------------


class Failing:
    """A reader or a writer that fails at one of the things that it is asked."""

    def __init__(self, whole: Any, at: str, answer: object) -> None:
        self._whole, self._at, self._answer = whole, at, answer

    def __getattr__(self, name: str) -> Any:
        return self._answer if name == self._at else getattr(self._whole, name)


def fails(*_: object, **__: object) -> Any:
    raise KeyError("nobody thought of this")


def gives_nothing(*_: object, **__: object) -> None:
    return None


def failing_at(at: str, answer: object) -> Callable[[Options], Any]:
    return lambda options: Failing(adapter("openai")[0].reads_units(options), at, answer)


@pytest.mark.parametrize("at", ["split_units", "read_unit", "relate"])
@pytest.mark.parametrize("answer", [fails, gives_nothing])
def test_a_reader_that_fails_ends_only_its_own_conversions(
    run: Run, plugin: Callable[..., str], at: str, answer: object
) -> None:
    name = plugin(f"reads-ill-{at}-{answer is fails}", reads_units=failing_at(at, answer))
    outcomes = convert_batch([REQUEST, REQUEST], Settings("harmony", name))
    assert [(each.status, each.error.code) for each in outcomes if each.error] == [
        (Status.QUARANTINED, ErrorCode.INTERNAL),
        (Status.QUARANTINED, ErrorCode.INTERNAL),
    ]
    done = run("-f", name, "-t", "harmony", stdin=REQUEST.encode())
    assert (done.status, done.out) == (1, b"")
    assert done.err.count("\n") == 1


def test_the_error_names_the_package_that_failed(run: Run, plugin: Callable[..., str]) -> None:
    own: dict[str, Any] = {"__name__": "plugin_reads-other.reader"}
    exec("def fail(*_, **__):\n    return {}['missing']", own)
    plugin("reads-other", reads_units=failing_at("read_unit", own["fail"]))
    done = run("-f", "reads-other", "-t", "harmony", stdin=REQUEST.encode())
    assert done.err == (
        "ocml-convert: this is a bug in the format 'reads-other', a plug-in of ocml-convert: "
        "KeyError in fail, line 2: 'missing'\n"
    )


class Lying:
    """A writer whose image is the document that it got, although it writes something else."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def enclose(self, *arguments: Any, **options: Any) -> Any:
        output, *rest = self._whole.enclose(*arguments, **options)
        return type(arguments)((output.replace("yes", "no"), *rest)) if isinstance(output, str) else (output, *rest)


def test_a_writer_with_a_wrong_image_is_found(run: Run, plugin: Callable[..., str]) -> None:
    whole = adapter("chatml")[0]

    def writes(options: Options) -> Any:
        return Lying(whole.writes_units(options))

    name = plugin(
        "lies",
        kind=whole.kind,
        reads_units=whole.reads_units,
        writes_units=writes,
        dialects=(),
        dialect_of=None,
    )
    request = REQUEST.replace("hi", "yes").encode()
    done = run("-f", "openai", "-t", name, "--verify", stdin=request)
    assert (done.status, done.out) == (1, b"")
    assert "OCB-UNREPORTED at /messages/0/content" in done.err
    [outcome] = convert_batch([request], Settings(name, "openai", verify=True))
    assert outcome.error is not None
    assert outcome.error.code is ErrorCode.UNREPORTED


def test_the_command_takes_an_option_whose_name_has_a_hyphen(plugin: Callable[..., str], run: Run) -> None:
    loud = FormatOption("very-loud", "Whether all is written in capitals.", "no", ("no", "yes"))
    taken: list[str] = []

    def writes(options: Options) -> Any:
        taken.append(loud.of(options))
        return adapter("openai")[0].writes_units(options)

    name = plugin("loud", writes_units=writes, options=(loud,))
    done = run("-f", "openai", "-t", name, "--very-loud", "yes", stdin=REQUEST.encode())
    assert done.status == 0
    assert set(taken) == {"yes"}


@pytest.mark.parametrize("entry_point", ["of_theirs.format:ADAPTER", "of_theirs:ADAPTER", "of_theirs"])
def test_a_warning_of_a_plugin_s_module_names_its_format(entry_point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", lambda: {"theirs": entry_point})
    assert registry.third_party("of_theirs.reader") == "theirs"
    assert registry.third_party("of_others.reader") is None
