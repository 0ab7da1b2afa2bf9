"""Draw any canonical document for the laws, with contents that are hard to write and to read."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..model import (
    Alternative,
    CacheMark,
    Completion,
    Content,
    Document,
    FileBreak,
    Flags,
    Foreign,
    Header,
    Infill,
    Media,
    Message,
    Part,
    Refusal,
    Signature,
    Text,
    Thought,
    Tool,
    Tools,
    Transcript,
)
from .citations import citations, marks, passages, vendors
from .schemas import schemas_of
from .settings import settings

FORMATS = (
    *("ocm-0.1", "ocm-2.2", "ocm-2.2-json", "harmony", "internlm2", "chatml"),
    *("openai", "openai-responses", "canonical"),
)
"""Keys of extras and layout; `harmony-tokens` and `chatml-json` share those of `harmony` and `chatml`."""

TOKENS = (
    *("<|start|>", "<|channel|>", "<|message|>", "<|call|>", "<|constrain|>", "<|return|>", "<|end|>"),
    *("<|literal|>", "<|endliteral|>", "<|start_reflect|>", "<|start_introspect|>", "<|start_reason|>"),
    *("<|end_reflect|>", "<|end_introspect|>", "<|end_reason|>", "<|reflect|>", "<|introspect|>", "<|reason|>"),
    *("<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_separator|>"),
    *("<|function_list|>", "<|function_call|>", "<|function_output|>", "[BOS]", "[EOS]", "<s>", "</s>"),
    *("<|action_start|>", "<|action_end|>", "<|plugin|>", "<|interpreter|>"),
    *("[UNUSED_TOKEN_146]", "[UNUSED_TOKEN_145]", "[UNUSED_TOKEN_144]", "[UNUSED_TOKEN_143]"),
    *("[UNUSED_TOKEN_142]", "[UNUSED_TOKEN_141]", "<|startofthought|>", "<|endofthought|>", "<|endoftext|>"),
)

_PIECES = (
    *TOKENS,
    *("<", "<<", "<<<", "|", "|>", "<|", "<|im_", "<|sta", "rt|>", "[", "[UNUSED_TOKEN_", "]"),
    *("\u200b", "<\u200b|end|>", "<\u200b\u200b|im_end|>", "<\u200b|start|>", "[\u200bUNUSED_TOKEN_145]"),
    *("\n", "\r\n", "\r", "\n\n", " ", "\t", "\0", "\u2028", "\u2029", "\x85", "\ufeff", "\u00a0"),
    *(
        '{"a": 1}',
        "{}",
        "[]",
        "null",
        '"x"',
        "{",
        "}",
        '{"name": "f", "arguments": {}}',
        '{"content": 1}',
        "1e5",
        "0.10",
    ),
    *("user", "assistant", "system\n", "tool", "final", "analysis", "commentary", "assistantfinal", " to=functions.f "),
    *("name=x", "call_id=c1", "json", "```python\nx\n```", "```", "# Instructions\n\n", "# Tools\n\n## functions\n\n"),
    *("namespace functions {\n\n", "} // namespace functions", "// a comment\n", "type f = () => any;\n\n", "---\n"),
    *("Reasoning: high", "version: 2.2", "<think>", "</think>", "<tool_call>", "你好", "😀", "é", "word", "word " * 20),
)


@cache
def texts(*, surrogates: bool = False) -> SearchStrategy[str]:
    """Draw texts from pieces that are hard to write and to read, and from any characters."""
    alphabet = st.characters(exclude_categories=() if surrogates else ("Cs",))
    piece = st.one_of(st.sampled_from(_PIECES), st.text(alphabet, max_size=8))
    if surrogates:
        piece = st.one_of(piece, st.sampled_from(["\ud800", "\udfff"]))
    return st.one_of(st.sampled_from(["", "hi", "plain text"]), st.lists(piece, max_size=6).map("".join))


_WORDS = st.one_of(
    st.sampled_from(
        ["x", "bob", "call_1", "c1", "functions.f", "python", "browser.search", "assistant", "user", "json"]
    ),
    st.text("abcXYZ019_-.", min_size=1, max_size=8),
)


@cache
def words() -> SearchStrategy[str]:
    """Draw header values: mostly valid ones, sometimes any text."""
    return st.one_of(_WORDS, _WORDS, _WORDS, texts())


@cache
def optional(strategy: SearchStrategy[str]) -> SearchStrategy[str | None]:
    """Draw a value, or None."""
    return st.one_of(st.none(), strategy)


@cache
def json_values() -> SearchStrategy[Any]:
    """Draw small JSON values."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(), inner, max_size=3)),
        max_leaves=6,
    )


_KEYS = (
    *("x", "header", "body", "gap", "tail", "order", "empty", "shape", "mentions", "weight", "content", "raw", "end"),
    *("tool", "tools", "tool_choice", "plain", "start", "newline", "name", "fence", "key", "bos", "eos", "pad"),
    *("model", "temperature", "stop", "reasoning", "usage", "settings", "generation_settings", "tool_choice"),
    *("object", "merged", "nulls", "call_id", "front", "before", "attributes", "keys", "templates"),
    *("tools_message", "tools_apart"),
    *("type", "types", "kind", "form", "parts", "id", "status", "phase", "place", "input", "output", "summary", "role"),
)


@cache
def by_format() -> SearchStrategy[Any]:
    """Draw extras or layout: mostly None, else with any format's keys and any values."""
    inner = st.dictionaries(st.sampled_from(_KEYS), json_values(), min_size=1, max_size=2)
    some = st.dictionaries(st.sampled_from(FORMATS), inner, min_size=1, max_size=2)
    return st.one_of(st.none(), st.none(), st.none(), some)


@cache
def schemas() -> SearchStrategy[Any]:
    """Draw JSON Schemas of tools' parameters, mostly objects."""
    return schemas_of(words(), json_values())


@cache
def tools() -> SearchStrategy[Tool]:
    """Draw declared tools, with any name and schema."""
    return st.builds(
        Tool,
        name=words(),
        description=optional(texts()),
        parameters=st.one_of(st.none(), schemas()),
        namespace=st.one_of(st.none(), st.none(), words()),
        strict=st.sampled_from([None, None, None, True, False]),
        cache=st.one_of(st.none(), st.none(), st.builds(CacheMark)),
        extras=by_format(),
        layout=by_format(),
    )


_MARKS = marks()
_CITATIONS = st.one_of(st.none(), st.lists(citations(words(), texts(), by_format()), max_size=2).map(tuple))
_KINDS = st.sampled_from(["reflect", "introspect", "reason"])


@cache
def parts() -> SearchStrategy[Part]:
    """Draw parts of all types."""
    return st.one_of(
        st.builds(Text, texts(), extras=by_format()),
        st.builds(Text, texts(), cache=_MARKS, citations=_CITATIONS),
        st.builds(Text, texts()),
        st.builds(Thought, _KINDS),
        st.builds(Flags, st.lists(_KINDS, max_size=3).map(tuple)),
        st.builds(Tools, st.lists(tools(), max_size=2).map(tuple), layout=by_format()),
        st.builds(
            Media,
            st.sampled_from(["image", "video", "audio", "file"]),
            url=optional(texts()),
            data=optional(texts()),
            format=optional(words()),
            file_id=optional(words()),
            filename=optional(words()),
            detail=optional(words()),
            extras=by_format(),
            layout=by_format(),
            cache=st.one_of(st.none(), _MARKS),
            vendor=vendors(),
            context=optional(texts()),
            citable=st.sampled_from([None, None, True, False]),
        ),
        passages(texts(), by_format()),
        st.builds(Refusal, texts()),
        st.builds(Infill, texts(), optional(texts()), texts(), layout=by_format()),
        st.builds(FileBreak),
        foreign(),
    )


@cache
def foreign() -> SearchStrategy[Foreign]:
    """Draw parts that a reader did not understand, with and without text in them."""
    members: dict[str, SearchStrategy[Any]] = {"type": st.sampled_from(["speech", "input_text", "tool_use"])}
    for key in ("text", "value", "id"):
        members[key] = texts()
    spoken = st.fixed_dictionaries({}, optional=members)
    return st.builds(Foreign, st.sampled_from(FORMATS), json_values() | spoken)


@cache
def opaque() -> SearchStrategy[Document]:
    """Draw transcripts with messages that a reader understood partly or not at all."""
    parts = foreign() | foreign() | st.builds(Text, texts()) | st.just(Media("image", url="https://example.org/a.png"))
    content = st.lists(parts, min_size=1, max_size=3).map(tuple).map(normal) | texts()
    roles, channels = st.sampled_from(["system", "user", "assistant"]), st.sampled_from([None, "analysis", "final"])
    messages = st.lists(st.builds(Message, roles, content, channel=channels), max_size=4)
    return st.builds(Transcript, messages.map(tuple))


def normal(content: tuple[Part, ...]) -> Content:
    """Return content in its canonical form: a single bare text is a `str`."""
    if not content:
        return ""
    if len(content) == 1 and isinstance(content[0], Text) and content[0].is_bare:
        return content[0].text
    return content


def _content(drawn: list[Part]) -> Content:
    return normal(tuple(drawn))


@cache
def contents() -> SearchStrategy[Content]:
    """Draw contents: mostly texts, else parts."""
    return st.one_of(texts(), texts(), texts(), st.lists(parts(), max_size=4).map(_content))


_ROLES = st.one_of(
    st.sampled_from(["system", "developer", "user", "assistant", "assistant", "assistant", "tool", "tool"]), words()
)
_CHANNELS = st.one_of(st.none(), st.sampled_from(["analysis", "commentary", "final"]), words())
_INTENTS = st.one_of(st.none(), st.none(), st.sampled_from(["preamble", "status", "debug"]), words())
_FAILED = st.sampled_from([None, None, None, True, False])
_WEIGHTS = st.sampled_from([None, None, None, 0, 1, 0.5])
_SIGNED = st.builds(Signature, words(), st.sampled_from(["anthropic", "google", "openai", "x", None]), st.booleans())
_SIGNATURES = st.one_of(st.none(), _SIGNED)
_ENDINGS = st.sampled_from(["end", "end", "end", "call", "return", None])


@cache
def wild_messages() -> SearchStrategy[Message]:
    """Draw any messages: all fields are independent."""
    return st.builds(
        Message,
        role=_ROLES,
        content=contents(),
        name=optional(words()),
        channel=_CHANNELS,
        recipient=optional(words()),
        call_id=optional(words()),
        intent=_INTENTS,
        content_type=optional(words()),
        constraint=optional(words()),
        end=_ENDINGS,
        continues=st.booleans(),
        failed=_FAILED,
        weight=_WEIGHTS,
        signature=_SIGNATURES,
        cache=st.one_of(st.none(), st.none(), st.none(), _MARKS),
        extras=by_format(),
        layout=by_format(),
    )


def _call(name: str, arguments: str, call_id: str | None, joined: bool) -> Message:
    return Message(
        "assistant",
        arguments,
        channel="commentary",
        recipient=name,
        call_id=call_id,
        constraint="json",
        end="call",
        continues=joined,
    )


def _thought(text: str, signature: Signature | None) -> Message:
    return Message("assistant", text, channel="analysis", signature=signature)


def _preamble(text: str) -> Message:
    return Message("assistant", text, channel="commentary", intent="preamble")


def _answer(text: str, joined: bool) -> Message:
    return Message("assistant", text, channel="final", continues=joined)


def _reply(name: str, text: str, call_id: str | None) -> Message:
    return Message("tool", text, name=name, channel="commentary", recipient="assistant", call_id=call_id)


@cache
def plausible_messages() -> SearchStrategy[Message]:
    """Draw messages as they occur in conversations."""
    names = st.sampled_from(["functions.f", "functions.get_weather", "python", "browser.search"])
    values = json_values().map(json.dumps)
    arguments = st.one_of(st.sampled_from(["{}", '{"city":"Paris"}', '{"a":  1.0}', "not json"]), values)
    ids = st.one_of(st.none(), st.sampled_from(["c1", "c2", "call_1"]))
    speakers = st.sampled_from([None, None, "bob"])
    return st.one_of(
        st.builds(Message, st.sampled_from(["system", "developer", "user"]), texts(), speakers),
        st.builds(_thought, texts(), _SIGNATURES),
        st.builds(_preamble, texts()),
        st.builds(_answer, texts(), st.booleans()),
        st.builds(_call, names, arguments, ids, st.booleans()),
        st.builds(_reply, names, st.one_of(texts(), values), ids),
    )


@cache
def messages() -> SearchStrategy[Message]:
    """Draw mostly plausible messages, and any others."""
    return st.one_of(plausible_messages(), plausible_messages(), wild_messages())


@cache
def headers() -> SearchStrategy[Header]:
    """Draw document headers."""
    return st.builds(
        Header,
        version=optional(words()),
        capabilities=st.one_of(st.none(), json_values()),
        profiles=st.one_of(st.none(), json_values()),
        extras=st.one_of(st.none(), st.dictionaries(words(), json_values(), min_size=1, max_size=2)),
        layout=by_format(),
    )


@cache
def open_turns() -> SearchStrategy[Message]:
    """Draw open turns."""
    return st.builds(
        Message,
        role=_ROLES,
        content=st.just(""),
        name=optional(words()),
        channel=_CHANNELS,
        recipient=optional(words()),
        end=st.none(),
        failed=_FAILED,
        weight=_WEIGHTS,
        layout=by_format(),
    )


@cache
def alternatives() -> SearchStrategy[Alternative]:
    """Draw alternative continuations of a conversation."""
    return st.builds(
        Alternative,
        st.lists(messages(), max_size=3).map(tuple),
        st.integers(0, 3),
        st.sampled_from(["choice", "rejected", "rejected", "chosen", "x"]),
        by_format(),
        by_format(),
    )


@cache
def transcripts() -> SearchStrategy[Transcript]:
    """Draw any conversations."""
    return st.builds(
        Transcript,
        messages=st.lists(messages(), max_size=6).map(tuple),
        tools=st.one_of(st.none(), st.none(), st.lists(tools(), max_size=3).map(tuple)),
        header=st.one_of(st.none(), st.none(), headers()),
        settings=st.one_of(st.none(), st.none(), settings(words(), texts(), schemas())),
        open_turn=st.one_of(st.none(), st.none(), open_turns()),
        alternatives=st.one_of(st.none(), st.none(), st.none(), st.lists(alternatives(), max_size=2).map(tuple)),
        extras=by_format(),
        layout=by_format(),
    )


@cache
def documents() -> SearchStrategy[Document]:
    """Draw any documents, mostly conversations."""
    completions = st.builds(Completion, contents(), layout=by_format(), extras=by_format())
    return st.one_of(transcripts(), transcripts(), transcripts(), transcripts(), completions)
