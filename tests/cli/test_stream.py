"""`ocml-convert stream`: an answer is converted while it arrives."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harmony_answers import SECRET, private_answers
from ocml_bridge import read, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.cli import byte_stream
from ocml_bridge.cli.byte_stream import Numbers, Utf8
from ocml_bridge.errors import BridgeError
from ocml_bridge.events import Stop
from ocml_bridge.model import Message, Transcript
from ocml_bridge.pipe import decoder, encoder, streams
from ocml_bridge.stream import replay
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.sse import Reader
from sampling import sweep

from .conftest import Run

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT: dict[str, str] = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters"))),
}
READABLE, WRITABLE = streams()
THINKING = b"<|channel|>analysis<|message|>Two and two.<|end|><|start|>assistant<|channel|>final<|message|>4"
ANSWER = THINKING + b"<|return|>"
CALL = b'<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>'
SSE: Final = ("-f", "harmony", "-t", "openai-sse")


def deltas(out: bytes) -> list[dict[str, Any]]:
    """The deltas of the chunks of Chat Completions, in order."""
    lines = [line.removeprefix("data: ") for line in out.decode().splitlines() if line]
    chunks: list[dict[str, Any]] = [json.loads(line) for line in lines if line != "[DONE]"]
    return [chunk["choices"][0]["delta"] if "choices" in chunk else chunk for chunk in chunks]


def joined(out: bytes, key: str) -> str:
    """The text that the deltas have under a key."""
    return "".join(delta.get(key) or "" for delta in deltas(out))


def example(stream: str) -> bytes:
    """A small answer, as a stream has it."""
    document = Transcript((Message("assistant", "It is 4.", channel="final"),))
    if stream in WRITABLE:
        made = encoder(stream, visibility=DEBUG)
        return b"".join((*made.encode(replay(document)), *made.finish()))
    return write(document, stream).data


@pytest.mark.sweep
@pytest.mark.parametrize(("source", "target"), sweep(product(READABLE, WRITABLE), 3))
def test_every_readable_stream_converts_to_every_writable_one(run: Run, source: str, target: str) -> None:
    done = run("stream", "-f", source, "-t", target, "--finish-reason", "stop", stdin=example(source))
    assert (done.status, "Traceback" in done.err) == (0, False), done.err
    if target == "ocm-2.2-events":  # only programs that show them read these events
        events = [json.loads(event.data) for event in Reader().feed(done.out)]
        assert "".join(event.get("delta", "") for event in events) == "It is 4."
        return
    if target not in READABLE:  # a whole response, which no stream begins with
        document = read(done.out, target).transcript
        assert isinstance(document, Transcript)
        assert text_of(document.messages[-1]) == "It is 4."
        return
    reading = decoder(target)
    *_, stop = [*reading.feed(done.out), *reading.finish()]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert (stop.reason, text_of(stop.document.messages[-1])) == ("stop", "It is 4.")


@pytest.mark.parametrize("size", [1, 2, 7])
def test_the_output_does_not_depend_on_the_chunks(run: Run, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    data = ANSWER.replace(b"4", "4 €𝄞".encode())
    whole = run("stream", "-f", "harmony", "-t", "ocm-2.2", stdin=data)
    monkeypatch.setattr(byte_stream, "CHUNK", size)
    assert run("stream", "-f", "harmony", "-t", "ocm-2.2", stdin=data) == whole


def test_a_file_is_a_stream_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(ANSWER)
    assert joined(run("stream", tmp_path / "in", *SSE).out, "content") == "4"
    done = run("stream", tmp_path / "none", *SSE)
    assert done == (1, b"", f"ocml-convert: {tmp_path}/none: OCB-IO: No such file or directory\n")


class TestTokens:
    IDS: Final[Sequence[int]] = (200005, 17196, 200008, 12194, 200002)

    @pytest.mark.parametrize("spelled", ["[{}, {},{},{} ,{}]", "{} {}\n{}\t{}\r\n{}\n", "[{},{}][{},{}]\n[{}]"])
    def test_ids_may_be_written_in_several_ways(self, run: Run, spelled: str) -> None:
        pytest.importorskip("openai_harmony")
        done = run("stream", "-f", "harmony-tokens", "-t", "openai-sse", stdin=spelled.format(*self.IDS).encode())
        assert (done.status, joined(done.out, "content")) == (0, "Hi")

    @given(st.lists(st.integers(0, 999_999)), st.lists(st.integers(1, 9), min_size=1))
    def test_numbers_may_be_divided_into_any_chunks(self, ids: list[int], sizes: list[int]) -> None:
        text, numbers, out = json.dumps(ids), Numbers(), list[int]()
        while text:
            for size in sizes:
                out += numbers.feed(text[:size])
                text = text[size:]
        assert [*out, *numbers.feed("", final=True)] == ids

    @pytest.mark.parametrize("text", ["1 2 x", "1.5", "-1", "12345678901", '["1"]', "{}", "1e5", "٣"])
    def test_text_that_is_not_a_number_is_refused(self, text: str) -> None:
        with pytest.raises(BridgeError, match=r"OCB-SHAPE: .* is not a token id"):
            Numbers().feed(text, final=True)


class TestPrompts:
    def test_the_stream_continues_the_generation_prompt_of_the_format(self, run: Run) -> None:
        done = run("stream", "-f", "chatml", "-t", "openai-sse", "--prompted", stdin=b"4<|im_end|>")
        assert (done.status, joined(done.out, "content")) == (0, "4")

    def test_a_prefix_is_read_and_not_written(self, run: Run) -> None:
        before = "<|start|>user<|message|>2+2?<|end|><|start|>assistant<|channel|>final<|message|>It"
        done = run("stream", *SSE, "--prefix", before, "-q", stdin=b" is 4<|return|>")
        assert (done.status, joined(done.out, "content"), done.err) == (0, " is 4", "")

    def test_an_answer_to_a_prompt_of_a_profile_is_read_with_its_request(self, run: Run, tmp_path: Path) -> None:
        days = {"type": "object", "properties": {"days": {"type": "integer"}}}
        tools = [{"type": "function", "function": {"name": "forecast", "parameters": days}}]
        asked = tmp_path / "request.json"
        asked.write_text(json.dumps({"messages": [{"role": "user", "content": "Hi"}], "tools": tools}))
        call = "<tool_call>\n<function=forecast>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
        answer = f"I look.\n</think>\n\n{call}<|im_end|>".encode()
        stream = ("stream", "-f", "chatml", "-t", "openai-sse", "--profile", "qwen3.5")
        for more, wanted in ((("--request", asked), {"days": 3}), ((), {"days": "3"})):
            done = run(*stream, *more, stdin=answer)
            assert done.status == 0
            assert joined(done.out, "content") == ""
            calls = [call for delta in deltas(done.out) for call in delta.get("tool_calls", ())]
            assert json.loads("".join(call["function"].get("arguments", "") for call in calls)) == wanted

    def test_a_call_has_the_name_that_its_request_declares(self, run: Run, tmp_path: Path) -> None:
        asked = tmp_path / "request.json"
        tools = [{"type": "function", "function": {"name": "weather.get"}}]
        asked.write_text(json.dumps({"messages": [{"role": "user", "content": "Hi"}], "tools": tools}))
        answer = b"<|channel|>commentary to=functions.weather.get <|constrain|>json<|message|>{}<|call|>"
        done = run("stream", *SSE, "--profile", "gpt-oss", "--request", asked, stdin=answer)
        (named,) = (call for delta in deltas(done.out) for call in delta.get("tool_calls", ()) if "id" in call)
        assert named["function"]["name"] == "weather.get"

    def test_a_request_is_answered_by_the_profile_of_the_format(self, run: Run, tmp_path: Path) -> None:
        asked = tmp_path / "request.json"
        asked.write_text('{"messages":[],"tools":[{"type":"function","function":{"name":"shell"}}]}')
        answer = b"<|channel|>commentary to=functions.shelljson<|message|>{}<|call|>"
        for more in ((), ("--prompted",)):
            done = run("stream", *SSE, "--request", asked, *more, stdin=answer)
            (named,) = (call for delta in deltas(done.out) for call in delta.get("tool_calls", ()) if "id" in call)
            assert named["function"]["name"] == "shell"

    def test_a_request_and_a_prefix_cannot_be_combined(self, run: Run, example: str) -> None:
        done = run("stream", *SSE, "--request", example, "--prefix", "x", stdin=ANSWER)
        assert done.err.startswith("ocml-convert: OCB-OPTION: --prefix and --request")

    def test_the_format_of_the_stream_is_required(self, run: Run) -> None:
        done = run("stream", "-t", "openai-sse", "--prompted", stdin=ANSWER)
        assert done.err.startswith("ocml-convert: OCB-OPTION: name the stream's format with --from")
        done = run("stream", "-t", "openai-sse", "--profile", "gpt-oss", stdin=ANSWER)
        assert done.status == 0

    def test_prompted_and_a_prefix_cannot_be_combined(self, run: Run) -> None:
        done = run("stream", *SSE, "--prompted", "--prefix", "<|start|>assistant", stdin=ANSWER)
        assert (done.status, done.out) == (2, b"")
        assert done.err.startswith("ocml-convert: OCB-OPTION: --prompted, --prefix and --profile")

    def test_a_framing_has_no_prompt(self, run: Run) -> None:
        done = run("stream", "-f", "openai-sse", "-t", "harmony", "--prompted", stdin=b"")
        assert (done.status, done.out) == (2, b"")


class TestVisibility:
    def test_calls_and_answers_are_shown_and_reasoning_is_not(self, run: Run) -> None:
        done = run("stream", *SSE, stdin=THINKING.replace(b"4", b"") + b"<|end|><|start|>assistant" + CALL)
        assert b"Two and two" not in done.out
        (call,) = [delta["tool_calls"][0] for delta in deltas(done.out) if "id" in delta.get("tool_calls", [{}])[0]]
        assert call["function"]["name"] == "f"

    def test_reasoning_is_shown_with_the_option(self, run: Run) -> None:
        done = run(
            "stream", *SSE, "--show", "analysis", "--debug-view", "--reasoning", "reasoning_content", stdin=ANSWER
        )
        assert joined(done.out, "reasoning_content") == "Two and two."

    def test_showing_reasoning_requires_debug_view(self, run: Run) -> None:
        done = run("stream", *SSE, "--show", "analysis", stdin=ANSWER)
        assert (done.status, done.out, done.err.count("\n")) == (4, b"", 1)
        assert done.err.startswith("ocml-convert: E-PERM-VISIBILITY: analysis")

    def test_an_unknown_kind_of_text_is_refused(self, run: Run) -> None:
        assert run("stream", *SSE, "--show", "everything", "--debug-view", stdin=ANSWER).status == 2

    def test_text_formats_get_everything(self, run: Run) -> None:
        assert b"Two and two." in run("stream", "-f", "harmony", "-t", "ocm-2.2", stdin=ANSWER).out
        done = run("stream", "-f", "harmony", "-t", "ocm-2.2", "--show", "analysis", "--debug-view", stdin=ANSWER)
        assert (done.status, done.out) == (2, b"")


class TestTheEnd:
    def test_a_truncated_stream_is_reported_to_the_client_and_on_stderr(self, run: Run) -> None:
        done = run("stream", *SSE, stdin=THINKING)
        assert (done.status, deltas(done.out)[-1]["error"]["code"]) == (4, "E-STREAM-TRUNCATED")
        assert b"[DONE]" not in done.out
        assert done.err.splitlines()[-1].startswith("ocml-convert: <stdin>: E-STREAM-TRUNCATED: ")

    @pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
    def test_the_finish_reason_of_the_engine_is_used(self, run: Run, reason: str) -> None:
        done = run("stream", *SSE, "--finish-reason", reason, stdin=THINKING)
        assert (done.status, done.out.endswith(b"data: [DONE]\n\n")) == (0, True)
        assert f'"finish_reason":"{reason}"'.encode() in done.out

    def test_invalid_input_is_reported_to_the_client_and_on_stderr(self, run: Run) -> None:
        done = run("stream", "-f", "harmony-tokens", "-t", "openai-sse", stdin=b"no ids")
        assert (done.status, done.err.count("\n")) == (4, 1)
        assert done.err.startswith("ocml-convert: <stdin>: OCB-SHAPE: ")
        assert deltas(done.out)[-1]["error"]["code"] == "OCB-SHAPE"

    def test_a_refused_token_ends_the_stream(self, run: Run) -> None:
        data = b"<|im_start|>assistant\nit is <|call|>!<|im_end|>\n"
        options = ("-f", "chatml", "-t", "harmony", "--control-tokens")
        done = run("stream", *options, "refuse", stdin=data)
        assert done.status == 3
        assert b"<|call|>" not in done.out
        assert "OCB-CONTROL-TOKEN" in done.err.splitlines()[-1]
        assert "<\u200b|call|>!" in run("stream", *options, "neutralise", stdin=data).out.decode()

    def test_invalid_utf8_is_reported_once(self, run: Run) -> None:
        done = run("stream", "-f", "harmony", "-t", "harmony", stdin=THINKING + b"\xff\xfe!<|return|>")
        assert done.status == 0
        assert "4\ufffd\ufffd!" in done.out.decode()
        assert done.err.count("warning[encoding]") == 1


class TestOutput:
    def test_ids_and_times_are_given_or_generated(self, run: Run) -> None:
        fixed = ("--id", "a", "--created", "7", "--model", "m")
        first = run("stream", *SSE, *fixed, stdin=CALL)
        assert first == run("stream", *SSE, *fixed, stdin=CALL)
        assert b'{"id":"a","object":"chat.completion.chunk","created":7,"model":"m"' in first.out
        assert b'"id":"call_1"' in first.out
        made_up = {run("stream", *SSE, stdin=CALL).out for _ in range(2)}
        assert len(made_up) == 2

    def test_the_report_has_the_reason_of_the_end(self, run: Run, tmp_path: Path) -> None:
        done = run("stream", *SSE, "--report", tmp_path / "report", "-q", stdin=THINKING + b"\xff")
        report = json.loads((tmp_path / "report").read_bytes())
        assert done.err.count("\n") == 1
        assert (report["source"], report["target"], report["reason"]) == ("harmony", "openai-sse", "truncated")
        assert [each["code"] for each in report["findings"]] == ["E-STREAM-TRUNCATED", "encoding"]
        assert report["lossless"] is False
        assert "/messages/0" in [loss["path"] for loss in report["losses"]]

    def test_the_report_cannot_go_to_the_output(self, run: Run) -> None:
        done = run("stream", *SSE, "--report", "-", stdin=ANSWER)
        assert (done.status, done.out) == (2, b"")
        assert "--report and standard output are the same file" in done.err

    def test_an_unknown_stream(self, run: Run) -> None:
        for arguments in (("-f", "word", "-t", "harmony"), ("-f", "harmony", "-t", "harmony-smoke")):
            done = run("stream", *arguments, stdin=ANSWER)
            assert (done.status, done.out, done.err.count("\n")) == (5, b"", 1)
            assert "OCB-FORMAT-UNKNOWN" in done.err


@given(st.binary(max_size=30), st.integers(1, 5))
def test_bytes_are_decoded_in_any_chunks(data: bytes, size: int) -> None:
    utf8 = Utf8()
    text = "".join(utf8.feed(data[at : at + size]) for at in range(0, len(data), size)) + utf8.feed(b"", final=True)
    assert text == data.decode("utf-8", "replace")
    try:
        data.decode()
    except UnicodeDecodeError:
        assert utf8.is_broken
    else:
        assert not utf8.is_broken


# --- as a process -----------------------------------------------------------------------------------------------------


@contextmanager
def started(*arguments: str, stdout: int = subprocess.PIPE) -> Generator[subprocess.Popen[bytes]]:
    line, pipe = (sys.executable, "-m", "ocml_bridge", "stream", *arguments), subprocess.PIPE
    with subprocess.Popen(line, env=ENVIRONMENT, stdin=pipe, stdout=stdout, stderr=pipe, bufsize=0) as process:
        yield process
        process.kill()


def heard(process: subprocess.Popen[bytes], until: bytes) -> bytes:
    """The output, up to a text, while the input stays open."""
    assert process.stdout is not None
    out = b""
    while until not in out:
        assert select.select([process.stdout], [], [], 60)[0], f"nothing more came behind {out!r}"
        more = os.read(process.stdout.fileno(), 65_536)
        assert more, f"it ended with {out!r}"
        out += more
    return out


class TestProcess:
    def test_output_is_written_before_the_input_ends(self) -> None:
        with started(*SSE) as process:
            assert process.stdin is not None
            process.stdin.write(THINKING)
            assert b'"content":"4"' in heard(process, b'"content":"4"')
            process.stdin.write(b"2")
            assert b'"content":"2"' in heard(process, b'"content":"2"')
            rest, err = process.communicate(b"<|return|>", timeout=60)
        assert (process.returncode, rest.endswith(b"[DONE]\n\n")) == (0, True)
        assert b"Traceback" not in err

    def test_an_interrupt(self) -> None:
        with started(*SSE) as process:
            assert process.stdin is not None
            process.stdin.write(THINKING)
            heard(process, b'"content":"4"')
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err.strip()) == (130, b"")

    def test_a_closed_pipe_is_not_an_error(self) -> None:
        reader, writer = os.pipe()
        with started(*SSE, stdout=writer) as process:
            os.close(writer)
            os.close(reader)
            _, err = process.communicate(ANSWER, timeout=60)
        assert (process.returncode, err) == (1, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_a_full_disk_is_reported_once(self) -> None:
        with open("/dev/full", "wb") as full, started(*SSE, stdout=full.fileno()) as process:
            _, err = process.communicate(ANSWER, timeout=60)
        assert (process.returncode, err) == (1, b"ocml-convert: <stdout>: OCB-IO: No space left on device\n")

    @pytest.mark.parametrize(("closed", "name"), [("<&-", "<stdin>"), (">&-", "<stdout>")])
    def test_a_closed_stream_is_reported_once(self, closed: str, name: str, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(ANSWER)
        source = "" if closed == "<&-" else str(tmp_path / "in")
        script = f'"$@" stream {source} {" ".join(SSE)} {closed}'
        line = ("sh", "-c", script, "sh", sys.executable, "-m", "ocml_bridge")
        done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"ocml-convert: {name}: OCB-IO: the stream is closed\n".encode())


def test_a_finding_at_the_end_has_its_own_code(run: Run) -> None:
    """ChatML allows no unfinished message of the user, which the decoder finds at the end of the input."""
    done = run("stream", "-f", "chatml", "-t", "openai-sse", stdin=b"<|im_start|>user\nHi")
    assert deltas(done.out)[-1]["error"]["code"] == "OCB-INCOMPLETE"
    assert (done.status, done.err.splitlines()[-1].split(": ")[2]) == (4, "OCB-INCOMPLETE")


def test_hidden_text_is_not_streamed_to_a_client_whatever_its_header(run: Run) -> None:
    for text in private_answers()[::5]:
        status, out, _ = run("stream", *SSE, "--prompted", "--finish-reason", "stop", stdin=text.encode())
        assert status == 0, text
        assert SECRET.encode() not in out, text
        assert joined(out, "content") == "Four.", text


def test_the_reasoning_of_any_channel_is_shown_with_the_option(run: Run) -> None:
    text = b"<|channel|>thoughts<|message|>Two and two.<|end|>" + ANSWER
    assert joined(
        run("stream", *SSE, "--prompted", "--show", "other", "--debug-view", stdin=text).out, "reasoning"
    ) == ("Two and two.")
