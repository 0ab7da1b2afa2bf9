"""The files that a release writes and that later ones read: golden/compat/<version>/.

    python tests/release_files.py           # keep those of the present version, which has none yet

`.ci/release` does it. What is kept is never written anew: it shows what a release wrote.
"""

from __future__ import annotations

import io
import json
import os
from contextlib import chdir, redirect_stderr
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ocml_bridge import __version__, make_sidecar, read, write
from ocml_bridge.cli import main
from ocml_bridge.report.policy import LENIENT
from promises import COMPAT, Section, promises, shape_of, written_bytes
from sources import ROOT

CASES = (
    *("anthropic/thinking-and-tools", "bedrock-converse/tools", "chatml/few-shot", "gemini/tools"),
    *("harmony/function-call", "internlm2/both-tools", "ocm-0.1/thoughts", "ocm-0.1/infill", "ocm-2.2/function-call"),
    *("openai/reasoning", "openai/choices", "openai/multimodal", "openai/signatures"),
    *("openai-responses/reasoning", "sharegpt/chosen-and-rejected"),
)
"""Golden cases whose documents are kept."""
SIDECARS = ("chatml", "harmony", "ocm-0.1", "openai")
PLAN = """\
layout: prompt-completion
options:
  to: harmony
  refuse: [content]
"""
SETTINGS = """\
profile: gpt-oss
read-timeout: 20
alias: {gpt-4o: large}
upstreams:
  - upstream: http://127.0.0.1:8000/v1
    model: [large, larger]
    name: one
  - upstream: http://127.0.0.1:8001/v1
    profile: qwen3
    driver: completions
"""
ROWS = (
    '{"id":1,"text":"<|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nHello!<|im_end|>\\n"}',
    '{"id":2,"text":"<|im_start|>system name=bob\\nHi<|im_end|>\\n<|im_start|>assistant\\nHel"}',
    '{"id":3,"te',
    '{"id":4,"text":"nothing"}',
)


def write_files(folder: Path) -> None:
    """Write what a release is to be remembered by, but for the lists of what it promises."""
    for name in ("canonical", "sidecars", "migration"):
        (folder / name).mkdir(parents=True)
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "settings.yaml").write_text(SETTINGS)
    for case in CASES:
        data = (ROOT / "golden" / case / "canonical.json").read_bytes()
        (folder / "canonical" / f"{case.replace('/', '.')}.json").write_bytes(data)
    _write_sidecars(folder / "sidecars")
    with chdir(folder):
        Path("rows.jsonl").write_text("".join(f"{row}\n" for row in ROWS))
        moved = ("-f", "chatml", "-t", "harmony", "rows.jsonl", "-o", "migration", "--ledger", "jsonl")
        _run("batch", "-q", "-j1", *moved, "--report", "counts.json")
        Path("lossy.json").write_text(json.dumps(_LOSSY))
        _run("convert", "-q", "lossy.json", "-f", "openai", "-t", "chatml", "-o", os.devnull, "--report", "report.json")
        Path("torn.txt").write_text(json.loads(ROWS[1])["text"])
        _run("check", "-q", "torn.txt", "-f", "chatml", "--report", "findings.json")
        for name in ("lossy.json", "torn.txt"):
            Path(name).unlink()


_LOSSY: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "2 + 3?"},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "add", "arguments": "{}"}}]},
        {"role": "tool", "content": "5"},
    ]
}


def _write_sidecars(folder: Path) -> None:
    document = read((ROOT / "golden" / "openai" / "reasoning" / "input.json").read_bytes(), "openai").transcript
    for target in SIDECARS:
        result = write(document, target, policy=LENIENT)
        (folder / f"{target}.output").write_bytes(result.encode())
        (folder / f"{target}.json").write_text(json.dumps(make_sidecar(result), ensure_ascii=False, indent=1) + "\n")
    (folder / "document.json").write_bytes(write(document, "canonical").encode())


def _run(*arguments: str) -> None:
    with redirect_stderr(io.StringIO()):
        main(arguments)


FILES = {
    "report": "report.json",
    "report of check": "findings.json",
    "report of batch": "counts.json",
    "ledger": "migration/rows.ledger.jsonl",
    "quarantine": "migration/rows.quarantine.jsonl",
}
"""The files that programs read, by the sections of the list with their shapes."""


def promised_of_files() -> dict[str, Section]:
    """The shapes of the files that the present version writes."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder, "files"))
        return {name: _shape(Path(folder, "files", file)) for name, file in FILES.items()}


def _shape(file: Path) -> Section:
    text = file.read_text("utf-8")
    return shape_of(*map(json.loads, text.splitlines() if file.suffix == ".jsonl" else [text]))


def promised_now() -> dict[str, Section]:
    """The list of the present version."""
    return promises() | promised_of_files()


def keep() -> str:
    """Keep the files of the present version; return a sentence that says where.

    Raises:
        FileExistsError: where that version has files.
    """
    folder = COMPAT / __version__
    write_files(folder)
    for name, value in (("promises", promised_now()), ("bytes", written_bytes())):
        (folder / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return str(folder)


if __name__ == "__main__":
    print(keep())
