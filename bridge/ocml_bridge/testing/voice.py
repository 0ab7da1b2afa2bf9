"""Check law 13 (voice): no special token of the target's vocabulary comes from content.

The vocabularies here are those of published tokenizers, independent of the adapters' lists.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import registry
from ..convert import write
from ..formats.adapter import Adapter
from ..loss import Severity
from ..model import Completion, Document, Message, Transcript, replace
from ..model.codec import to_json
from ..report.policy import LENIENT
from ..text.control import BREAK
from .trial import Trial

HARMONY: Final = (
    *("<|startoftext|>", "<|endoftext|>", "<|reserved_200000|>", "<|reserved_200013|>", "<|reserved_201087|>"),
    *("<|return|>", "<|constrain|>", "<|channel|>", "<|start|>", "<|end|>", "<|message|>", "<|call|>"),
)
QWEN: Final = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>"),
    *("<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"),
    *("<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>"),
    *("<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>"),
    *("<think>", "</think>", "<|audio_bos|>", "<|AUDIO|>", "<|audio_start|>"),
)
LFM2: Final = (
    "<|startoftext|>",
    "<|pad|>",
    "<|fim_pre|>",
    "<|tool_list_start|>",
    "<|tool_call_start|>",
)
MINICPM: Final = ("<|thought_begin|>", "<|tool_call|>", "<|execute_start|>")
LLAMA: Final = ("<s>", "</s>", "<unk>")
UNUSED: Final = tuple(f"[UNUSED_TOKEN_{number}]" for number in range(141, 147))
INTERNLM2: Final = (*LLAMA, *QWEN, *UNUSED, "<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>")
OCM: Final = (
    *("[BOS]", "[EOS]", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|function_call|>", "<|function_output|>"),
    *("<|function_list|>", "<|start_reason|>", "<|end_reason|>", "<|fim_prefix|>", "<|file_separator|>", "<|reason|>"),
)
VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    "harmony": HARMONY,
    "chatml": (*QWEN, *LFM2, *MINICPM, *LLAMA),
    "internlm2": INTERNLM2,
    "ocm-0.1": OCM,
}
"""The special tokens of models that read a format, by format id."""
ALL: Final = tuple(sorted({token for tokens in VOCABULARIES.values() for token in tokens}))


def vocabulary_of(target: str | Adapter) -> tuple[str, ...]:
    """Return the special tokens that content must not make in a format: those listed here, or those of its frames.

    None are known of a format that escapes them, or names neither `frame_tokens` nor `frame_marks`.
    """
    found, _ = registry.adapter(target)
    if found.id in VOCABULARIES:
        return VOCABULARIES[found.id]
    if found.added_tokens is None:
        return ()
    if found.frame_tokens is not None:
        return tuple(found.frame_tokens())
    return () if found.frame_marks is None else (*found.frame_marks.starts, *found.frame_marks.ends)


def specials_in(text: str, vocabulary: tuple[str, ...]) -> Counter[str]:
    """Return the special tokens that a tokenizer finds in a text, with their numbers."""
    return Counter(_any_of(vocabulary).findall(text))


@cache
def _any_of(tokens: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(tokens, key=len, reverse=True))))


def harmless(document: Document, tokens: tuple[str, ...] = ()) -> Document:
    """Return a document with a letter in place of each special token in its contents, names and channels."""
    if isinstance(document, Completion):
        return document
    token = _any_of((*ALL, *tokens))
    return replace(document, messages=tuple(_harmless(message, token) for message in document.messages))


def _harmless(message: Message, token: re.Pattern[str]) -> Message:
    values = {field: getattr(message, field) for field in _TEXTS}
    return replace(message, **{key: token.sub("x", text) for key, text in values.items() if isinstance(text, str)})


_TEXTS: Final = ("content", "name", "recipient", "channel", "constraint", "content_type", "call_id")
"""The fields of a message that may be any text."""


def voice(trial: Trial) -> None:
    """Law 13: the output has the same special tokens as the output of the document with harmless contents."""
    output, document = trial.result.output, trial.document
    if not isinstance(output, str) or trial.options.control_tokens == "raw":
        return
    if not isinstance(document, Transcript) or not all(map(_is_plain, document.messages)):
        return
    if not (vocabulary := vocabulary_of(trial.target)):
        return
    plain = write(harmless(document, vocabulary), trial.target, options=trial.options, policy=LENIENT)
    meant = specials_in(str(plain.output), vocabulary)
    found = specials_in(output, vocabulary)
    if found != meant:
        raise trial.broken("voice", [f"special tokens {dict(found)}, where {dict(meant)} are meant"])


def breaks_are_reported(trial: Trial) -> None:
    """Law 2: a U+200B that the output has and the document has not is reported."""
    output, document = trial.result.output, trial.document
    if not isinstance(output, str) or not isinstance(document, Transcript):
        return
    added = output.count(BREAK) - json.dumps(to_json(document), ensure_ascii=False).count(BREAK)
    if added > 0 and not any(loss.severity is not Severity.LAYOUT for loss in trial.result.losses):
        raise trial.broken("voice", [f"{added} U+200B are in the output and not in the document, and no loss says so"])


def _is_plain(message: Message) -> bool:
    """Return whether a message is one text without layout and extras, whose raw texts may contain tokens."""
    return isinstance(message.content, str) and message.layout is None and message.extras is None


def contents() -> SearchStrategy[str]:
    """Draw contents from special tokens of all vocabularies: whole, broken and cut."""
    token = st.sampled_from(ALL)
    cut = st.builds(_cut, token, st.integers(0, 40))
    piece = st.one_of(token, token, token.map(_broken), cut, st.sampled_from([" ", "\n", "a", "<", "["]))
    return st.lists(piece, max_size=6).map("".join)


def _broken(token: str) -> str:
    return f"{token[0]}\u200b{token[1:]}"


def _cut(token: str, at: int) -> str:
    return token[: at % len(token)]


def conversations() -> SearchStrategy[Transcript]:
    """Draw conversations whose contents, and the names of whose tools, consist of special tokens."""
    spoken = st.builds(Message, st.sampled_from(["system", "developer", "user"]), contents())
    answers = st.builds(_answer, contents(), st.sampled_from(["final", "analysis"]))
    turns = st.lists(st.one_of(spoken, answers, st.builds(_call, st.sampled_from(ALL) | contents())), max_size=5)
    return turns.map(_transcript)


def _answer(text: str, channel: str) -> Message:
    return Message("assistant", text, channel=channel)


def _call(name: str) -> Message:
    return Message(
        "assistant", "{}", channel="commentary", recipient=f"functions.f{name}", constraint="json", end="call"
    )


def _transcript(messages: list[Message]) -> Transcript:
    return Transcript(tuple(messages))
