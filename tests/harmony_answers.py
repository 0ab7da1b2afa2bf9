"""Answers of models behind the generation prompt, and what a client of Chat Completions puts together of them."""

from __future__ import annotations

import json
from itertools import product
from typing import Any, cast

from corpus import corpus_path
from ocml_bridge.chat.visibility import Visibility
from ocml_bridge.events import Answer
from ocml_bridge.pipe import Pipe, encoder
from ocml_bridge.profiles import profile

PROMPT = "<|start|>assistant"
SECRET = "nobody is to see this"
ANSWER = "<|start|>assistant<|channel|>final<|message|>Four.<|return|>"

_NAMES = (
    *("analysis", "analysis??", "??analysis", "Analysis", "ANALYSIS", "analysis analysis", "analysis.", "analysis:"),
    *("thoughts", "thinking", "??", "final?analysis", "commentary?", "commentary??", "commentary?commentary?", "bash"),
    *("analysis we think first", "analysis json", "We need to think", "comment ary", "", " analysis", "analysisfinal"),
    *("analysis<|channel|>final", "final<|channel|>analysis", "analysis<|channel|>commentary", "analysis<|channel|>"),
    *("commentary<|channel|>analysis", "bash<|channel|>commentary", "<|channel|>final<|channel|>thoughts"),
    *("commentary to=assistant", "commentary to=user<|channel|>analysis", "analysis <|constrain|>final", "\u00a0"),
)
_BEFORE = ("", "assistant", " to=user", "assistant we think ")
_UNMARKED = (" analysis", " analysis??", "<|constrain|>analysis", " <|constrain|>analysis", "analysis we think")
"""Channels without their token."""
_BROKEN = ("<|start|>", "<|start|>assistant", "<|start|>assistant code", "<|end|>", "<|end|> code", "<|call|>")
"""What breaks a header in two."""
_NAMELESS = (
    *("<|channel|>commentary <|constrain|>json", "<|channel|>commentary json", "<|channel|>commentary code"),
    *(f"<|channel|>commentary to=functions.f <|constrain|>json{token}" for token in _BROKEN),
)
"""Headers of calls that name no function, or that are broken in two."""
PRIVATE = [f"{before}<|channel|>{name}" for before, name in product(_BEFORE, _NAMES)]
"""Headers behind which nothing is for a client: hidden channels, near misses of them, and what nobody knows."""

_FINAL = ("final", "final??", "Final", "final <|constrain|>json", "final json", " final", "final final")
SHOWN = [f"<|channel|>{name}" for name in _FINAL]
"""Headers of an answer."""


def private_answers() -> list[str]:
    """Answers with the secret where no client may see it, and `Four.` where it must."""
    whole = [f"{header}<|message|>{SECRET}<|end|>{ANSWER}" for header in PRIVATE]
    named = [header for header in PRIVATE if header.endswith(_NAMES[:8])]
    unended = [f"{header}<|message|>{SECRET}{ANSWER}" for header in named]
    headless = [f"{header} {SECRET}<|end|>{ANSWER}" for header in named]
    called = "<|channel|>commentary to=functions.f <|constrain|>"
    inside = [f"<|channel|>analysis<|message|>{SECRET}<|channel|>{name}<|message|>Four.<|return|>" for name in _FINAL]
    openings = [header for header in PRIVATE if header.startswith("<")]
    shown = "<|channel|>final<|message|>Four."
    behind = [f"{shown}{header}<|message|>{SECRET}<|end|>" for header in openings]
    begun = [f"{shown}{PROMPT}{header}<|message|>{SECRET}<|end|>" for header in openings]
    return [
        *(*whole, *unended, *headless, *inside, *behind, *begun),
        *(f"{called}{rest}<|end|>{ANSWER}" for rest in (f"f: {SECRET}", f"json {SECRET}", SECRET)),
        *(f"{name}<|message|>{SECRET}<|end|>{ANSWER}" for name in (*_NAMES[:8], *_UNMARKED)),
        *(f"<|channel|>analysis{token}<|message|>{SECRET}<|end|>{ANSWER}" for token in _BROKEN),
        *(f"{header}<|message|>{SECRET}<|call|>{ANSWER}" for header in _NAMELESS),
        f"{SECRET}<|end|>{ANSWER}",
        f"analysis{SECRET}assistantfinalFour.",
    ]


def recorded() -> list[dict[str, Any]]:
    """The malformed answers that were reported, with what a client should see; skips the test where there are none."""
    lines = corpus_path("harmony-malformed.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def declaring(*names: str) -> dict[str, Any]:
    """A request that declares functions."""
    parameters: Any = {"type": "object", "properties": {}}
    tools: Any = [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in names]
    return {"messages": [{"role": "user", "content": "Hi"}], **({"tools": tools} if tools else {})}


def chunks_of(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def piped(text: str, size: int, visibility: Visibility | None = None) -> bytes:
    """What a client of a pipe receives, the answer cut into chunks of a size."""
    source = profile("gpt-oss").answering()
    pipe = Pipe(source, encoder("openai-sse", answer=Answer("a", "m", 1), visibility=visibility))
    return b"".join([*map(pipe.feed, chunks_of(text, size)), pipe.finish("stop")])


def client_sees(stream: bytes) -> dict[str, Any]:
    """What a client puts together of a stream of chunks."""
    seen: dict[str, Any] = {"reasoning": "", "content": "", "tool_calls": [], "finish_reason": None}
    for line in stream.decode().splitlines():
        if not line.startswith("data: {"):
            continue
        for choice in json.loads(line.removeprefix("data: ")).get("choices", ()):
            _add(seen, choice)
    return seen


def fits(seen: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    """Whether a client sees what it should; of what has no one right answer, anything is."""
    if wanted is None:
        return True
    return all(value is None or _stripped(seen[key]) == _stripped(value) for key, value in wanted.items())


def _stripped(value: Any) -> Any:
    """White space around arguments does not count."""
    if not isinstance(value, list):
        return value
    return [{**call, "arguments": call["arguments"].strip()} for call in cast("list[Any]", value)]


def _add(seen: dict[str, Any], choice: dict[str, Any]) -> None:
    seen["finish_reason"] = choice.get("finish_reason") or seen["finish_reason"]
    delta = choice["delta"]
    for key in ("reasoning", "content"):
        seen[key] += delta.get(key) or ""
    for call in delta.get("tool_calls", ()):
        if call["index"] == len(seen["tool_calls"]):
            seen["tool_calls"].append({"name": "", "arguments": ""})
        for key, value in seen["tool_calls"][call["index"]].items():
            seen["tool_calls"][call["index"]][key] = value + (call["function"].get(key) or "")
