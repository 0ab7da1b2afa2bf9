"""The table of what is measured, and of what the measurements should be.

One more thing to measure is one more entry in `OURS_MEASURED` or in the `works()` of a peer, and one more goal one more
entry in `GOALS`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Document, Result, Transcript, convert, decoder, encoder, read, write
from ocml_bridge.chat.visibility import DEBUG

from .work import OURS, Work

JOBS: Final[dict[str, str]] = {
    "limit": "parse and write the JSON, nothing else",
    "harmony": "OpenAI request → Harmony text",
    "from-harmony": "Harmony text → OpenAI messages",
    "tokens": "conversation in memory → Harmony token ids",
    "stream": "a model's Harmony, token by token → chunks of Chat Completions",
    "chatml": "OpenAI request → ChatML text",
    "provider": "OpenAI request → another vendor's JSON",
    "round": "OpenAI request → own form → OpenAI request",
}
"""What is done, in the order of the tables: from the bytes to what a caller gets, unless a row says other."""


def harmony_of(data: bytes) -> str:
    """A conversation as Harmony text."""
    output = convert(data, source="openai", target="harmony").output
    assert isinstance(output, str)
    return output


def _transcript(data: bytes) -> Document:
    return read(data, "openai").transcript


def answers_of(data: bytes) -> list[int]:
    """The assistant's messages of a conversation, as a model writes them: Harmony token ids."""
    document = read(data, "openai").transcript
    assert isinstance(document, Transcript)
    answers = tuple(message for message in document.messages if message.role == "assistant")
    output = write(Transcript(answers), "harmony-tokens").output
    assert isinstance(output, list)
    return cast("list[int]", output)


def _tokens(data: bytes) -> list[str]:
    encoding = load_encoding()
    return [encoding.decode((number,)) for number in answers_of(data)]


def _stream(tokens: list[str]) -> list[bytes]:
    """Each token is fed as it comes, and what it gives is sent."""
    source, target = decoder("harmony"), encoder("openai-sse", visibility=DEBUG)
    sent: list[bytes] = []
    for token in tokens:
        sent += target.encode(source.feed(token))
    return [*sent, *target.encode(source.finish()), *target.finish()]


def _bpe(text: str) -> list[int]:
    return load_encoding().encode(text, allowed_special=_SEVEN, disallowed_special=())


_SEVEN: Final = {f"<|{name}|>" for name in ("start", "message", "channel", "constrain", "end", "call", "return")}


def _conversion(source: str, target: str) -> Callable[[Any], Result]:
    return lambda data: convert(data, source=source, target=target)


def _writing(target: str) -> Callable[[Document], Result]:
    return lambda document: write(document, target)


def _token_text(result: Result) -> str:
    return load_encoding().decode(result.output)


_CONVERT: Final = "`convert`: read, fit, write, report"
_OURS: Final[dict[str, Any]] = {"by": OURS, "text": attrgetter("output"), "losses": attrgetter("losses")}
_IDS: Final[dict[str, Any]] = {**_OURS, "text": _token_text}

OURS_MEASURED: Final = (
    Work("ours-harmony", "harmony", does=_CONVERT, run=_conversion("openai", "harmony"), **_OURS),
    Work(
        "ours-from-harmony",
        "from-harmony",
        does=_CONVERT,
        run=_conversion("harmony", "openai"),
        prepare=harmony_of,
        **_OURS,
    ),
    Work(
        "ours-tokens",
        "tokens",
        does="`write`: fit, write, report",
        run=_writing("harmony-tokens"),
        prepare=_transcript,
        sample=10,
        **_IDS,
    ),
    Work(
        "ours-stream",
        "stream",
        OURS,
        "`decoder` and `encoder`: each token fed and sent",
        _stream,
        prepare=_tokens,
        sample=10,
        text=b"".join,
    ),
    Work("ours-chatml", "chatml", does=_CONVERT, run=_conversion("openai", "chatml"), **_OURS),
    Work(
        "ours-provider",
        "provider",
        does="`convert` to OpenChatML 2.2 in JSON: read, fit, write, report",
        run=_conversion("openai", "ocm-2.2-json"),
        **_OURS,
    ),
    Work("ours-round", "round", does=_CONVERT, run=_conversion("openai", "openai"), **_OURS),
)
"""What of ours is measured."""


def ours() -> tuple[Work, ...]:
    """Our works, in another process."""
    return OURS_MEASURED


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
        against: the peer's work, in words.
        at_least: how many times faster than the peer ours should be.
        at_most: how many times the peer's time ours may take; a goal without either is only measured.
        aim: whether it is wished for rather than demanded.
    """

    ours: str
    peer: str
    against: str
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
    Goal("ours-tokens", "bpe", "the official encoder's plain encoding of the same text", at_least=2),
    Goal("ours-tokens", "official-render", "the official render", at_least=5),
    Goal("ours-round", "babel-openai", "llm-babel, OpenAI → own form → OpenAI", at_least=3),
    Goal("ours-round", "langchain-openai", "langchain-core's convert_to_openai_messages", at_least=1),
    Goal("ours-stream", "official-stream", "the official StreamableParser alone", at_least=1),
    Goal("command", "import-pydantic", "a Python that only imports pydantic", at_most=1.5),
)
