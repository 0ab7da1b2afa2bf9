"""Where the corpus of real transcripts is: data that is not part of the project."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def corpus_root() -> Path:
    return Path(os.environ.get("OCML_CORPUS") or _BESIDE_THE_CHECKOUT)


def corpus_path(*parts: str) -> Path:
    """A file or folder of the corpus; skips the test where there is none."""
    path = corpus_root().joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no corpus: {path} does not exist (OCML_CORPUS names its folder)", allow_module_level=True)
    return path


class Case(NamedTuple):
    """One real document: which it is, the format it is in, its bytes."""

    id: str
    format: str
    data: bytes


def corpus_cases() -> Iterator[Case]:
    """Every document of the corpus that is in one of our formats, in order."""
    for folder in ("openai", "chatml", "internlm2", "harmony"):
        for path in sorted(corpus_path(folder).rglob("*")):
            if path.suffix == ".txt":
                yield Case(f"{folder}/{path.name}", folder, path.read_bytes())
            elif path.suffix == ".jsonl":
                yield from _records(folder, path)


def _records(folder: str, path: Path) -> Iterator[Case]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        record = json.loads(line)
        where = f"{folder}/{path.name}:{number}"
        if isinstance(record.get("text"), str) and folder != "openai":
            yield Case(where, folder, record["text"].encode("utf-8", "surrogatepass"))
        if folder == "openai" and "messages" in record:
            known = {key: record[key] for key in ("messages", "tools") if key in record}
            yield Case(where, "openai", json.dumps(known, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if isinstance(record.get("response"), dict):
            yield Case(f"{where}/response", "openai", json.dumps(record["response"]).encode())


def rendered(family: str) -> list[dict[str, Any]]:
    """What a public chat template makes of requests: each with its `name`, `request`, `options` and `prompt`."""
    lines = corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines()
    cases: list[dict[str, Any]] = [case for line in lines if (case := json.loads(line))["family"] == family]
    return [case for case in cases if case.get("prompt") is not None]


# --- labels -----------------------------------------------------------------------------------------------------------

ANTHROPIC_PARTS = frozenset({"tool_use", "tool_result", "server_tool_use", "redacted_thinking"})
RESPONSES_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file"})


def other_wire(document: object) -> str | None:
    """Whose messages a document of the folder `openai` has, according to the vendors' own references.

    Returns:
        The vendor; None for Chat Completions, and for what may be anybody's.
    """
    record = _as_object(document)
    messages = _as_list(record.get("messages"))
    if messages and record.get("system"):
        return "Anthropic"
    for tool in map(_as_object, _as_list(record.get("tools"))):
        if "input_schema" in tool or re.fullmatch(r"\w+_20\d{6}", str(tool.get("type"))):
            return "Anthropic"
    for message in map(_as_object, messages):
        if message.get("type") == "message" and message.get("content"):
            return "Responses"
        for part in map(_as_object, _as_list(message.get("content"))):
            kind = part.get("type")
            if kind in RESPONSES_PARTS:
                return "Responses"
            if kind in ANTHROPIC_PARTS or (kind in ("image", "document") and "source" in part):
                return "Anthropic"
            if kind is not None and "value" in part and "text" not in part:
                return "LLaMA-Factory"
    return None


def _as_object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _as_list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
