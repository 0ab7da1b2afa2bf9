"""`formats`, `check`, `matrix`, `schema`, `--help`, `--version`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.shell_completion import shell_complete

from ocml_bridge import __version__, adapter, formats
from ocml_bridge.checks.capabilities import Feature
from ocml_bridge.cli import command
from ocml_bridge.model.codec import json_schema

from .conftest import Run

CALL = {
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "required": ["a"]}}}],
    "messages": [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
    ],
}
EMPTY = b'{"type":"transcript","messages":[]}'


def test_formats_lists_every_format_with_its_dialects(run: Run) -> None:
    done = run("formats")
    assert done.status == 0
    lines = done.out.decode().splitlines()
    for name in formats():
        row = next(line for line in lines if line.split()[0] == name)
        assert adapter(name)[0].title in row
        assert " ".join(adapter(name)[0].dialects) in row


def test_formats_as_json(run: Run) -> None:
    listed = json.loads(run("formats", "--json").out)
    assert [entry["id"] for entry in listed] == list(formats())
    assert all(entry["kind"] in ("text", "json") and isinstance(entry["dialects"], list) for entry in listed)


class TestCheck:
    def test_each_finding_is_a_line_with_its_path(self, run: Run, example: str) -> None:
        done = run("check", example)
        assert done.status == 0
        lines = done.out.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith(f"{example}: warning[header-absent] layout /header: ")
        assert done.err == f"{example}: ocm-2.2, 6 messages, 1 finding\n"

    def test_strict_ends_with_3_if_there_is_a_finding(self, run: Run, example: str) -> None:
        assert run("check", "--strict", example).status == 3
        assert run("check", "--strict", stdin=EMPTY).status == 0

    def test_quiet_leaves_out_the_summary(self, run: Run, example: str) -> None:
        loud, quiet = run("check", example), run("check", "-q", example)
        assert (quiet.out, quiet.err) == (loud.out, "")

    def test_a_file_without_findings(self, run: Run) -> None:
        assert run("check", stdin=EMPTY) == (0, b"", "<stdin>: canonical, no messages, no findings\n")

    def test_calls_are_compared_with_the_tools_that_are_declared(self, run: Run) -> None:
        pytest.importorskip("jsonschema_rs")
        done = run("check", "--strict", stdin=json.dumps(CALL).encode())
        assert done.status == 3
        assert done.out.decode().startswith("<stdin>: warning[E-CALL-SCHEMA] changed /messages/1/content: ")
        assert done.err == "<stdin>: openai, 2 messages, 1 finding\n"

    def test_the_report_has_the_findings(self, run: Run, tmp_path: Path) -> None:
        pytest.importorskip("jsonschema_rs")
        report = tmp_path / "report.json"
        done = run("check", "--report", str(report), stdin=json.dumps(CALL).encode())
        written = json.loads(report.read_bytes())
        assert (done.status, written["source"]) == (0, "openai")
        assert [(note["code"], note["path"]) for note in written["findings"]] == [
            ("E-CALL-SCHEMA", "/messages/1/content")
        ]

    def test_the_report_is_not_the_input(self, run: Run, example: str) -> None:
        assert run("check", "--report", example, example).status == 2


def test_names_of_profiles_are_not_shortened_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    lines = re.sub(r"\x1b\[[\d;]*m", "", run("profiles").out.decode()).splitlines()
    named = {each["name"] for each in json.loads(run("profiles", "--json").out)}
    assert {line.split()[0] for line in lines[2:] if line[1:2].strip()} == named
    assert max(map(len, lines)) <= 80


class TestMatrix:
    def test_every_feature_and_every_format(self, run: Run) -> None:
        lines = [line.lstrip() for line in run("matrix").out.decode().splitlines()]
        assert lines[0].split() == list(formats())
        for feature in Feature:
            row = next(line for line in lines if line.startswith(f"{feature} "))
            assert len(row.removeprefix(feature).split()) == len(formats())

    @pytest.mark.parametrize("columns", [80, 120])
    def test_no_table_is_wider_than_the_terminal(self, run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = re.sub(r"\x1b\[[\d;]*m", "", run("matrix").out.decode()).splitlines()
        heads = [line.split() for line in lines if line.startswith(" " * 30) and line.strip()]
        assert [name for head in heads for name in head] == list(formats()), "every name, whole, once"
        assert len([line for line in lines if line.lstrip().startswith("tool calls ")]) == len(heads) > 1
        assert max(map(len, lines)) <= columns

    def test_as_json(self, run: Run) -> None:
        matrix = json.loads(run("matrix", "--json").out)
        assert list(matrix) == list(formats())
        assert set(matrix["canonical"].values()) == {"yes"}
        assert all(set(levels) == set(Feature) for levels in matrix.values())

    def test_as_markdown_it_is_the_table_of_the_documentation(self, run: Run, request: pytest.FixtureRequest) -> None:
        """`pytest --accept` writes it."""
        page = Path(__file__).parents[2] / "docs" / "matrix.md"
        before, _, _ = page.read_text("utf-8").partition("|  |")
        made = before + run("matrix", "--markdown").out.decode()
        if request.config.getoption("--accept"):
            page.write_text(made, "utf-8")
        assert page.read_text("utf-8") == made


def test_schema_is_that_of_the_canonical_form(run: Run) -> None:
    done = run("schema")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == json_schema()


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"ocml-convert {__version__}\n".encode(), "")


def test_help_names_every_command(run: Run) -> None:
    help_text = run("--help").out.decode()
    assert all(f"  {name}" in help_text for name in ("convert", "check", "formats", "matrix", "schema"))
    assert "Exit status" in help_text


def test_help_shows_each_example_on_a_line_of_its_own(run: Run) -> None:
    lines = run("--help").out.decode().splitlines()
    assert "  ocml-convert -f openai -t harmony in.json -o out.txt --report losses.json" in lines
    assert "  ocml-convert transcript.ocm -t openai" in lines
    assert not any("\\b" in line or len(line) > 80 for line in lines)


@pytest.mark.parametrize(("typed", "offered"), [("ba", "batch"), ("", "convert"), ("vi", "view"), ("chat", "file")])
def test_the_shell_completes_commands_and_files(
    typed: str, offered: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", f"ocml-convert {typed}")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert shell_complete(command, {}, "ocml-convert", "_OCML_CONVERT_COMPLETE", "bash_complete") == 0
    found = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert offered in {name if kind == "plain" else kind for kind, name in found}


def test_check_counts_what_it_finds_in_each_file_and_in_all(run: Run, tmp_path: Path) -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n"
    (tmp_path / "one.txt").write_text(text)
    (tmp_path / "two.jsonl").write_text("".join(json.dumps({"text": each}) + "\n" for each in (text, "Hi", "Ho")))
    (tmp_path / "none.txt").write_text("Hi")
    result = run("check", "-f", "chatml", *sorted(tmp_path.glob("*.txt")))
    assert result.err.splitlines()[-3:] == [
        f"{tmp_path / 'none.txt'}: 1 error",
        f"{tmp_path / 'one.txt'}: chatml, 1 message, no findings",
        "in all: 2 files, no findings, 1 error",
    ]
    result = run("check", "-f", "chatml", "--field", "text", tmp_path / "two.jsonl")
    assert result.err.splitlines()[-1].endswith(": chatml, 3 conversations, 1 message, no findings, 2 errors")


def test_json_is_indented(run: Run) -> None:
    assert run("formats", "--json").out.startswith(b'[\n  {\n    "id"')
