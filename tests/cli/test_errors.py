"""An error is one line on stderr, the documented exit status, and no output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from ocml_adapters.canonical import ADAPTER as CANONICAL
from ocml_bridge import registry
from ocml_bridge.formats.adapter import Adapter

from .conftest import Plug, Run

EMPTY = b'{"type":"transcript","messages":[]}'

INPUTS = {
    "not UTF-8": (b"hello\nw\xffrld", "ocm-2.2", 4, "<stdin>:2:2: OCB-ENCODING: not UTF-8: byte 0xff at byte 7"),
    "not JSON": (b'{"type":\n  nope}', "canonical", 4, "<stdin>:2:3: OCB-JSON: "),
    "JSON of another shape": (b'{"type":"transcript","messages":[{}]}', "canonical", 4, "<stdin>: OCB-SHAPE at /mess"),
    "a key twice": (b'{"type":"transcript","type":"transcript"}', "canonical", 4, "<stdin>: OCB-JSON: "),
    "too deep": (b"[" * 5000 + b"]" * 5000, "canonical", 4, "<stdin>: OCB-LIMIT: "),
    "no format that is known": (b"just a letter", None, 5, "<stdin>: OCB-FORMAT-UNKNOWN: "),
    "JSON of no format": (b'{"a": 1}', None, 5, "<stdin>: OCB-FORMAT-UNKNOWN: "),
    "nothing at all": (b"", None, 5, "<stdin>: OCB-FORMAT-UNKNOWN: "),
}


@pytest.mark.parametrize("case", INPUTS)
@pytest.mark.parametrize("command", ["convert", "check"])
def test_input_that_cannot_be_read(run: Run, tmp_path: Path, case: str, command: str) -> None:
    data, source, status, line = INPUTS[case]
    given = ["-f", source] if source else []
    target = ["-t", "canonical", "-o", tmp_path / "out"] if command == "convert" else []
    done = run(command, *given, *target, stdin=data)
    assert (done.status, done.out, done.err.count("\n")) == (status, b"", 1)
    assert done.err.startswith(f"ocml-convert: {line}")
    assert list(tmp_path.iterdir()) == []


def test_the_line_names_the_file(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"{\n\n]")
    assert run(bad, "-f", "canonical", "-t", "canonical").err.startswith(f"ocml-convert: {bad}:3:1: OCB-JSON: ")


USAGE = {
    "no target": ((), 2, "OCB-OPTION: name the format to write, such as -t openai; 'ocml-convert formats' lists them"),
    "an unknown option": (("-t", "canonical", "--colour"), 2, "OCB-OPTION: No such option"),
    "an unknown choice": (("-t", "canonical", "--control-tokens", "maybe"), 2, "OCB-OPTION: Invalid value for"),
    "two files": (
        ("a", "b", "-t", "canonical"),
        2,
        "OCB-OPTION: convert takes one file, not 2; this converts them all: ",
    ),
    "an option without its value": (("-t",), 2, "OCB-OPTION: Option '-t' requires an argument"),
    "an unknown target": (
        ("-t", "word"),
        5,
        "OCB-FORMAT-UNKNOWN: there is no format 'word'; the formats are ocm-0.1, ",
    ),
    "an unknown source": (("-t", "canonical", "-f", "word"), 5, "OCB-FORMAT-UNKNOWN: there is no format 'word'; "),
    "an unknown dialect": (
        ("-t", "canonical:new"),
        5,
        "OCB-FORMAT-UNKNOWN: canonical has no dialect 'new'; the format has none",
    ),
    "an unknown option of a command": (("matrix", "--yaml"), 2, "OCB-OPTION: No such option"),
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_options(run: Run, case: str) -> None:
    arguments, status, line = USAGE[case]
    done = run(*arguments, stdin=EMPTY)
    assert (done.status, done.out, done.err.count("\n")) == (status, b"", 1)
    assert done.err.startswith(f"ocml-convert: {line}")


def test_a_missing_file(run: Run) -> None:
    done = run("missing.ocm", "-t", "canonical")
    assert done == (1, b"", "ocml-convert: missing.ocm: OCB-IO: No such file or directory\n")


def test_an_output_that_is_a_folder(run: Run, tmp_path: Path) -> None:
    done = run("-t", "canonical", "-o", tmp_path, stdin=EMPTY)
    assert done == (1, b"", f"ocml-convert: {tmp_path}: OCB-IO: Is a directory; name a file\n")


def test_the_name_of_a_file_cannot_forge_lines(run: Run) -> None:
    done = run("a\nocml-convert: b\x1b[2J", "-t", "canonical")
    assert done.err == "ocml-convert: a\\nocml-convert: b\\x1b[2J: OCB-IO: No such file or directory\n"


def _raising(error: BaseException, name: str) -> Adapter:
    def read(_: object) -> NoReturn:
        raise error

    return replace(CANONICAL, id=name, reads_units=read)


@pytest.mark.parametrize("error", [ZeroDivisionError("oh\nno"), RecursionError(), MemoryError(), AssertionError("x")])
def test_an_internal_error_is_one_line(run: Run, plug: Plug, error: Exception) -> None:
    name = f"raises-{type(error).__name__}"
    plug(_raising(error, name))
    done = run("-f", name, "-t", "canonical", stdin=EMPTY)
    assert (done.status, done.out, done.err.count("\n")) == (1, b"", 1)
    assert type(error).__name__ in done.err
    assert "Traceback" not in done.err


def test_an_interrupt_is_130(run: Run, plug: Plug, tmp_path: Path) -> None:
    plug(_raising(KeyboardInterrupt(), "interrupted"))
    done = run("-f", "interrupted", "-t", "canonical", "-o", tmp_path / "out", stdin=EMPTY)
    assert (done.status, done.out, done.err.strip()) == (130, b"", "")
    assert list(tmp_path.iterdir()) == []


def test_the_error_for_a_format_that_cannot_be_loaded_has_the_reason(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "broken", "no_such_package_of_formats:ADAPTER")
    done = run("-t", "broken", stdin=EMPTY)
    assert done.status == 1
    assert done.err.startswith("ocml-convert: OCB-DEPENDENCY: the format 'broken' cannot be loaded: ")
