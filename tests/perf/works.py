"""The table of what is measured, and of what the measurements should be.

One more thing to measure is one more entry in `OURS_MEASURED` or in the `works()` of a peer, and one more goal one more
entry in `GOALS`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Result, convert, read, write

from .work import OURS, Work

JOBS: Final[dict[str, str]] = {
    "limit": "parse and write the JSON, nothing else",
    "harmony": "OpenAI request → Harmony text",
    "from-harmony": "Harmony text → OpenAI messages",
    "tokens": "conversation in memory → Harmony token ids",
    "chatml": "OpenAI request → ChatML text",
    "provider": "OpenAI request → another vendor's JSON",
    "round": "OpenAI request → own form → OpenAI request",
}
"""What is done, in the order of the tables. Input is bytes and output is what a caller gets, unless a row says other."""


def harmony_of(data: bytes) -> str:
    """A conversation as Harmony text."""
    output = convert(data, source="openai", target="harmony").output
    assert isinstance(output, str)
    return output


def _transcript(data: bytes) -> Any:
    return read(data, "openai").transcript


def _output(result: Result) -> Any:
    return result.output


def _losses(result: Result) -> Any:
    return result.losses


def _bpe(text: str) -> list[int]:
    return load_encoding().encode(text, allowed_special=_SEVEN, disallowed_special=())


_SEVEN: Final = {f"<|{name}|>" for name in ("start", "message", "channel", "constrain", "end", "call", "return")}


def _token_text(result: Result) -> str:
    return load_encoding().decode(result.output)


def _ours(id: str, job: str, does: str, run: Any, text: Any = _output, **more: Any) -> Work:
    return Work(id, job, OURS, does, run, text=text, says=_losses, **more)


OURS_MEASURED: Final = (
    _ours(
        "ours-harmony",
        "harmony",
        "`convert`: read, fit, write, report",
        lambda data: convert(data, source="openai", target="harmony"),
    ),
    _ours(
        "ours-from-harmony",
        "from-harmony",
        "`convert`: read, fit, write, report",
        lambda text: convert(text, source="harmony", target="openai"),
        prepare=harmony_of,
    ),
    _ours(
        "ours-tokens",
        "tokens",
        "`write`: fit, write, report",
        lambda transcript: write(transcript, "harmony-tokens"),
        prepare=_transcript,
        text=_token_text,
        sample=10,
    ),
    _ours(
        "ours-chatml",
        "chatml",
        "`convert`: read, fit, write, report",
        lambda data: convert(data, source="openai", target="chatml"),
    ),
    _ours(
        "ours-provider",
        "provider",
        "`convert` to OpenChatML 2.2 in JSON: read, fit, write, report",
        lambda data: convert(data, source="openai", target="ocm-2.2-json"),
    ),
    _ours(
        "ours-round",
        "round",
        "`convert`: read, fit, write, report",
        lambda data: convert(data, source="openai", target="openai"),
    ),
)
"""What of ours is measured."""

BPE: Final = Work(
    "bpe",
    "tokens",
    "openai-harmony",
    "plain encoding of the finished text by the same vocabulary",
    _bpe,
    prepare=harmony_of,
    sample=10,
)


class Goal(NamedTuple):
    """What a ratio should be.

    Attributes:
        ours: the work of ours.
        peer: the work it is compared with.
        says: the goal in words.
        at_least: how many times faster than the peer ours should be.
        at_most: how many times the peer's time ours may take; a goal without either is only measured.
        aim: whether it is wished for rather than demanded.
    """

    ours: str
    peer: str
    says: str
    at_least: float | None = None
    at_most: float | None = None
    aim: bool = False


GOALS: Final = (
    Goal("ours-harmony", "official-render-text", "the official library: objects, render, decode", at_least=30),
    Goal("ours-harmony", "rosetta-anthropic", "llm-rosetta, OpenAI → Anthropic", at_least=8),
    Goal("ours-harmony", "transformers-harmony", "transformers with a gpt-oss-like template", at_least=3),
    Goal("ours-harmony", "minijinja-harmony", "orjson.loads and minijinja with that template", at_most=1.3),
    Goal("ours-harmony", "orjson", "orjson loads and dumps of the same bytes (an aim)", at_most=3, aim=True),
    Goal("ours-from-harmony", "official-parse-text", "the official library: encode, parse", at_least=30),
    Goal("ours-tokens", "bpe", "plain BPE encoding of the same text", at_most=1.3),
    Goal("ours-tokens", "official-render", "the official render", at_least=1.5),
    Goal("ours-round", "babel-openai", "llm-babel, OpenAI → own form → OpenAI", at_least=3),
    Goal("ours-round", "langchain-openai", "langchain-core's convert_to_openai_messages", at_least=1),
    Goal("command", "import-pydantic", "a Python that only imports pydantic"),
)
