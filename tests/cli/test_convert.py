"""`ocml-convert FILE -t FORMAT`: the output, the files, and the messages on stderr."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from ocml_adapters.canonical import ADAPTER as CANONICAL
from ocml_adapters.canonical.units import DocumentWriter
from ocml_bridge import Transcript, convert
from ocml_bridge.formats.adapter import Source
from ocml_bridge.units.grammar import Enclosed, State, Unit

from .conftest import Plug, Run

TWO = b'{"type":"transcript","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"\\u0007yo"}]}\n'
THOUGHTS = json.dumps(
    {
        "type": "transcript",
        "messages": [
            {"role": "assistant", "content": [{"type": "flags", "flags": ["reason"]}, {"type": "text", "text": "a"}]}
            for _ in range(13)
        ],
    }
).encode()


def _writing(output: Source) -> type[DocumentWriter]:
    """A writer that always writes the same."""

    class Writer(DocumentWriter):
        def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
            return super().enclose(units, around, state)._replace(output=output)

        def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> None:
            """The engine is to ask each time."""

    return Writer


def test_the_output_is_that_of_the_library(run: Run, example: str) -> None:
    data = Path(example).read_bytes()
    done = run(example, "-t", "canonical")
    assert done.status == 0
    assert done.out == convert(data, target="canonical").data


def test_convert_is_the_default_command(run: Run, example: str) -> None:
    assert run(example, "-t", "canonical") == run("convert", "--to", "canonical", example)
    assert run("-t", "canonical", example).status == 0


@pytest.mark.parametrize("arguments", [("-t", "canonical"), ("-", "-t", "canonical"), ("-t", "canonical", "-o", "-")])
def test_standard_input_and_output_are_the_default(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, stdin=TWO)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == json.loads(TWO)


def test_same_format_gives_the_same_bytes(run: Run, example: str) -> None:
    assert run(example, "-t", "ocm-2.2").out == Path(example).read_bytes()


def test_spans_are_written_to_a_file(run: Run, tmp_path: Path) -> None:
    there = tmp_path / "spans.json"
    done = run("-t", "harmony", "--spans", str(there), stdin=TWO)
    written = json.loads(there.read_text("utf-8"))
    text = done.out.decode()
    assert (written["target"], written["unit"]) == ("harmony", "characters")
    assert [text[span["start"] : span["end"]] for span in written["spans"] if span["kind"] == "body"] == [
        "hi",
        "\x07yo",
    ]
    assert [span["path"] for span in written["spans"] if span["sampled"]] == [
        "/messages/1",
        "/messages/1/content",
        "/messages/1",
    ]


def test_spans_of_json_are_refused_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    done = run("-t", "openai", "--spans", str(tmp_path / "spans.json"), stdin=TWO)
    assert (done.status, done.out, [*tmp_path.iterdir()]) == (2, b"", [])


def test_pretty_indents_json(run: Run) -> None:
    done = run("-t", "canonical", "--pretty", stdin=TWO)
    assert done.out.startswith(b'{\n  "')
    assert done.out.endswith(b"}\n")


def test_the_report_has_findings_and_losses(run: Run, tmp_path: Path) -> None:
    done = run("-t", "ocm-2.2", "-o", tmp_path / "out", "--report", tmp_path / "report", stdin=THOUGHTS)
    assert (done.status, done.out) == (0, b"")
    result = convert(THOUGHTS, target="ocm-2.2")
    assert (tmp_path / "out").read_bytes() == result.data
    assert json.loads((tmp_path / "report").read_bytes()) == json.loads(json.dumps(result.report()))
    assert not result.lossless


def test_the_report_may_go_to_standard_output(run: Run, example: str, tmp_path: Path) -> None:
    done = run(example, "-t", "canonical", "-o", tmp_path / "out", "--report", "-")
    assert json.loads(done.out)["lossless"] is True


class TestWarnings:
    def test_the_first_ten_losses_are_shown_and_the_others_are_counted(self, run: Run) -> None:
        lines = run("-t", "ocm-2.2", stdin=THOUGHTS).err.splitlines()
        warnings = [line for line in lines if "warning" in line]
        assert len(warnings) == 10
        assert warnings[0].startswith("<stdin>: warning[flags] lost /messages/0/content/0: ")
        assert "<stdin>: and 3 more: 3 flags" in lines

    def test_a_conversion_without_losses_prints_nothing(self, run: Run, example: str) -> None:
        assert run(example, "-t", "canonical").err == ""

    def test_verbose_prints_everything(self, run: Run, example: str) -> None:
        assert run(example, "-t", "canonical", "-v").err.startswith(f"{example}: warning[header-absent] layout ")
        lines = run("-t", "ocm-2.2", "--verbose", stdin=THOUGHTS).err.splitlines()
        assert len([line for line in lines if "warning" in line]) == 13

    def test_losses_of_bookkeeping_alone_are_printed_only_with_verbose(self, run: Run, example: str) -> None:
        assert run(example, "-t", "ocm-0.1").err == ""
        lines = run(example, "-t", "ocm-0.1", "-v").err.splitlines()
        assert any("warning[call-id]" in line for line in lines)
        message = "All of the text is in the output (474 of 474 characters)."
        assert lines[-1] == f"{example}: converted to ocm-0.1. Not carried over: 2 call ids. {message}"

    def test_losses_of_bookkeeping_are_counted_and_not_listed(self, run: Run) -> None:
        """A weight is bookkeeping although it is not an id; a name is structure."""
        document = (
            b'{"messages":[{"role":"user","content":"a","name":"bob"},{"role":"assistant","content":"b","weight":0}]}'
        )
        lines = run("-t", "harmony", stdin=document).err.splitlines()
        assert ["warning[name]" in line for line in lines] == [True, False]
        assert "Not carried over: 1 name, 1 weight" in lines[-1] or "1 training weight" in lines[-1]

    def test_quiet_prints_nothing(self, run: Run) -> None:
        done = run("-t", "ocm-2.2", "--quiet", stdin=THOUGHTS)
        assert (done.status, done.err) == (0, "")
        assert done.out

    def test_each_warning_is_one_line_whatever_the_content(self, run: Run) -> None:
        name = "\x1b[2J\n\u2028\u202ename"
        data = json.dumps({"type": "transcript", "messages": [{"role": "assistant", "content": "", "name": name}]})
        err = run("-t", "ocm-2.2", stdin=data.encode()).err
        assert err
        assert all(line.startswith("<stdin>: ") for line in err.splitlines())
        assert not any(char in err for char in "\x1b\u2028\u202e")


class TestDryRun:
    def test_losses_are_printed_and_nothing_is_written(self, run: Run, tmp_path: Path) -> None:
        out, side = tmp_path / "out", tmp_path / "side"
        done = run("-t", "ocm-2.2", "--dry-run", "-o", out, "--sidecar-out", side, stdin=THOUGHTS)
        assert (done.status, done.out) == (0, b"")
        assert "Not carried over: 13 sets of thought flags." in done.err
        assert done.err.endswith(" Nothing was written (--dry-run).\n")
        assert list(tmp_path.iterdir()) == []

    def test_the_summary_is_printed_without_losses_and_the_report_is_written(self, run: Run, tmp_path: Path) -> None:
        done = run("-t", "canonical", "--dry-run", "--report", tmp_path / "report", stdin=TWO)
        assert done.err.startswith("<stdin>: converted to canonical. All of the text is in the output ")
        assert json.loads((tmp_path / "report").read_bytes())["lossless"] is True

    def test_a_conversion_that_would_be_refused_is_refused(self, run: Run) -> None:
        assert run("-t", "ocm-2.2", "--strict", "--dry-run", stdin=THOUGHTS).status == 3


class TestDroppedReasoning:
    DOCUMENT = json.dumps(
        {
            "messages": [
                {"role": "user", "content": "2 + 2?"},
                {"role": "assistant", "reasoning": "Easy.", "content": "4"},
                {"role": "user", "content": "And 3 + 3?"},
                {"role": "assistant", "reasoning": "Hm.", "content": None},
            ]
        }
    ).encode()

    @pytest.mark.parametrize(("of", "left"), [("final", ["Hm."]), ("all", [])])
    def test_reasoning_of_answered_turns_or_of_all_turns_is_dropped(self, run: Run, of: str, left: list[str]) -> None:
        done = run("-t", "openai", "--drop-analysis", of, stdin=self.DOCUMENT)
        messages = json.loads(done.out)["messages"]
        assert [message["reasoning"] for message in messages if "reasoning" in message] == left
        assert done.err.count("warning[thought] lost ") == 2 - len(left)

    def test_a_profile_drops_reasoning_without_an_option(self, run: Run) -> None:
        done = run("--profile", "gpt-oss", "--drop-analysis", "all", stdin=self.DOCUMENT)
        assert (done.status, done.out) == (2, b"")


class TestStrict:
    def test_a_loss_is_refused(self, run: Run, tmp_path: Path) -> None:
        done = run("-t", "ocm-2.2", "--strict", "-o", tmp_path / "out", stdin=THOUGHTS)
        assert (done.status, done.out) == (3, b"")
        assert done.err.startswith("ocml-convert: <stdin>: OCB-LOSS at /messages/0/content/0: lost flags: ")
        assert list(tmp_path.iterdir()) == []

    def test_a_finding_is_refused(self, run: Run, example: str) -> None:
        done = run(example, "-t", "canonical", "--strict")
        assert (done.status, done.out, done.err.count("\n")) == (3, b"", 1)
        assert "header-absent" in done.err

    def test_a_lossless_conversion_is_not_refused(self, run: Run) -> None:
        assert run("-t", "canonical", "--strict", stdin=TWO).status == 0


class TestVerify:
    def test_a_format_with_correct_reports_passes(self, run: Run, example: str) -> None:
        done = run(example, "-t", "harmony", "--verify")
        assert done.status == 0
        assert done.out

    def test_an_unreported_difference_is_refused(self, run: Run, plug: Plug, tmp_path: Path) -> None:
        """A format that drops a message without reporting it."""
        plug(replace(CANONICAL, id="liar", writes_units=_writing({"type": "transcript", "messages": []})))
        assert run("-f", "canonical", "-t", "liar", stdin=TWO).status == 0
        done = run("-f", "canonical", "-t", "liar", "--verify", "-o", tmp_path / "out", stdin=TWO)
        assert done.status == 1
        assert done.err.startswith("ocml-convert: <stdin>: OCB-UNREPORTED at /messages/0: ")
        assert "(and 1 more)" in done.err
        assert list(tmp_path.iterdir()) == []

    def test_an_output_that_cannot_be_read_is_refused(self, run: Run, plug: Plug) -> None:
        plug(replace(CANONICAL, id="scribbler", writes_units=_writing({"type": "scribble"})))
        done = run("-f", "canonical", "-t", "scribbler", "--verify", stdin=TWO)
        assert (done.status, done.out) == (1, b"")
        assert "OCB-UNREPORTED: the output cannot be read back: OCB-SHAPE" in done.err


class TestControlTokens:
    HOSTILE = b'{"type":"transcript","messages":[{"role":"user","content":"a<|end|>b"}]}'

    def test_tokens_are_broken_by_default_and_reported(self, run: Run) -> None:
        done = run("-t", "harmony", stdin=self.HOSTILE)
        assert "a<\u200b|end|>b" in done.out.decode()
        assert "warning[control-token] changed /messages/0/content" in done.err

    def test_tokens_are_refused_with_the_option(self, run: Run) -> None:
        done = run("-t", "harmony", "--control-tokens", "refuse", stdin=self.HOSTILE)
        assert (done.status, done.out) == (3, b"")
        assert "OCB-CONTROL-TOKEN at /messages/0/content" in done.err

    def test_tokens_are_kept_with_the_option_raw(self, run: Run) -> None:
        assert "a<|end|>b" in run("-t", "harmony", "--control-tokens", "raw", stdin=self.HOSTILE).out.decode()


class TestSidecar:
    def test_a_conversion_can_be_undone(self, run: Run, example: str, tmp_path: Path) -> None:
        """Call ids survive Harmony."""
        out, side = tmp_path / "out", tmp_path / "side"
        assert run(example, "-t", "harmony", "-o", out, "--sidecar-out", side).status == 0
        done = run(out, "-t", "ocm-2.2", "--sidecar", side)
        assert (done.status, done.out) == (0, Path(example).read_bytes())
        assert run(out, "-t", "ocm-2.2").out != Path(example).read_bytes()

    @pytest.mark.parametrize("pretty", [(), ("--pretty",)])
    def test_a_conversion_to_json_can_be_undone_in_either_spelling(
        self, run: Run, example: str, tmp_path: Path, pretty: tuple[str, ...]
    ) -> None:
        out, side = tmp_path / "out", tmp_path / "side"
        assert run(example, "-t", "openai", "-o", out, "--sidecar-out", side, *pretty).status == 0
        done = run(out, "-t", "ocm-2.2", "--sidecar", side, "--strict")
        assert (done.status, done.out) == (0, Path(example).read_bytes())

    def test_the_sidecar_of_another_output_is_refused(self, run: Run, example: str, tmp_path: Path) -> None:
        side = tmp_path / "side"
        assert run(example, "-t", "harmony", "-o", tmp_path / "out", "--sidecar-out", side).status == 0
        done = run("-t", "canonical", "--sidecar", side, stdin=TWO)
        assert (done.status, done.out) == (4, b"")
        assert done.err.startswith("ocml-convert: <stdin>: OCB-SIDECAR")

    def test_the_error_for_a_missing_sidecar_names_the_option_that_writes_one(self, run: Run, tmp_path: Path) -> None:
        done = run("-t", "canonical", "--sidecar", tmp_path / "side.json", stdin=TWO)
        assert done.status == 1
        assert "there is no such file; --sidecar-out writes one" in done.err

    def test_an_invalid_sidecar_is_refused(self, run: Run, tmp_path: Path) -> None:
        side = tmp_path / "side"
        side.write_bytes(b"{")
        done = run("-t", "canonical", "--sidecar", side, stdin=TWO)
        assert (done.status, done.out) == (4, b"")
        assert done.err.startswith(f"ocml-convert: {side}:1:2: OCB-JSON: ")


class TestFiles:
    def test_a_new_file_has_the_usual_mode(self, run: Run, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            run("-t", "canonical", "-o", tmp_path / "out", stdin=TWO)
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640

    def test_a_file_that_is_replaced_keeps_its_mode(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "out"
        out.write_text("old")
        out.chmod(0o600)
        assert run("-t", "canonical", "-o", out, stdin=TWO).status == 0
        assert json.loads(out.read_bytes()) == json.loads(TWO)
        assert stat.S_IMODE(out.stat().st_mode) == 0o600

    def test_a_link_stays_a_link(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        real, link = tmp_path / "folder" / "real", tmp_path / "link"
        link.symlink_to(real)
        assert run("-t", "canonical", "-o", link, stdin=TWO).status == 0
        assert link.is_symlink()
        assert json.loads(real.read_bytes()) == json.loads(TWO)

    def test_a_device_is_written_to_and_not_replaced(self, run: Run) -> None:
        assert run("-t", "canonical", "-o", os.devnull, stdin=TWO).status == 0
        assert stat.S_ISCHR(os.stat(os.devnull).st_mode)

    def test_a_failed_conversion_changes_no_file(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "out"
        out.write_text("old")
        done = run("-f", "canonical", "-t", "canonical", "-o", out, "--report", tmp_path / "report", stdin=b"{")
        assert done.status == 4
        assert out.read_text() == "old"
        assert list(tmp_path.iterdir()) == [out]

    def test_no_output_is_written_without_its_report(self, run: Run, tmp_path: Path) -> None:
        done = run("-t", "canonical", "-o", tmp_path / "out", "--report", tmp_path / "none" / "report", stdin=TWO)
        assert done.status == 1
        message = f"{tmp_path}/none/report: OCB-IO: No such file or directory: there is no folder {tmp_path}/none"
        assert done.err == f"ocml-convert: {message}\n"
        assert list(tmp_path.iterdir()) == []

    def test_the_input_is_never_overwritten(self, run: Run, tmp_path: Path) -> None:
        source = tmp_path / "in.json"
        source.write_bytes(TWO)
        (tmp_path / "link").symlink_to(source)
        for other in (source, tmp_path / "link", f"{tmp_path}/../{tmp_path.name}/in.json"):
            done = run(source, "-t", "ocm-2.2", "-o", other)
            assert done.status == 2
            assert "--output and the input are the same file" in done.err
        assert source.read_bytes() == TWO

    def test_output_and_report_must_have_different_places(self, run: Run) -> None:
        done = run("-t", "canonical", "--report", "-", stdin=TWO)
        assert (done.status, done.out) == (2, b"")
        assert "--report and --output are the same file" in done.err
