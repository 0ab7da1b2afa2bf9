"""Check law 13 (voice): no special token of the target's vocabulary comes from content.

The vocabularies here are those of published tokenizers, independent of the adapters' lists.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..convert import write
from ..model import Completion, Document, Message, Transcript, replace
from ..report.policy import LENIENT
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
    *("<think>", "</think>"),
)
LLAMA: Final = ("<s>", "</s>", "<unk>")
UNUSED: Final = tuple(f"[UNUSED_TOKEN_{number}]" for number in range(141, 147))
INTERNLM2: Final = (*LLAMA, *QWEN, *UNUSED, "<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>")
OCM: Final = (
    *("[BOS]", "[EOS]", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|function_call|>", "<|function_output|>"),
    *("<|function_list|>", "<|start_reason|>", "<|end_reason|>", "<|fim_prefix|>", "<|file_separator|>", "<|reason|>"),
)
VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    "harmony": HARMONY,
    "chatml": (*QWEN, *LLAMA),
    "internlm2": INTERNLM2,
    "ocm-0.1": OCM,
}
"""The special tokens of models that read a format, by format id."""
ALL: Final = tuple(sorted({token for tokens in VOCABULARIES.values() for token in tokens}))


def specials_in(text: str, target: str) -> Counter[str]:
    """Return the special tokens that a tokenizer of the target finds in a text, with their numbers."""
    tokens = sorted(VOCABULARIES[target], key=len, reverse=True)
    return Counter(re.findall("|".join(map(re.escape, tokens)), text))


def harmless(document: Document) -> Document:
    """Return a document with a letter in place of each special token in its contents."""
    if isinstance(document, Completion):
        return document
    return replace(document, messages=tuple(map(_harmless, document.messages)))


def _harmless(message: Message) -> Message:
    content = message.content
    return replace(message, content=_TOKEN.sub("x", content)) if isinstance(content, str) else message


_TOKEN: Final = re.compile("|".join(map(re.escape, sorted(ALL, key=len, reverse=True))))


def voice(trial: Trial) -> None:
    """Law 13: the output has the same special tokens as the output of the document with harmless contents."""
    target, output, document = trial.result.target, trial.result.output, trial.document
    if target not in VOCABULARIES or not isinstance(output, str) or trial.options.control_tokens == "raw":
        return
    if not isinstance(document, Transcript) or not all(map(_is_plain, document.messages)):
        return
    plain = write(harmless(document), trial.target, options=trial.options, policy=LENIENT)
    expected = specials_in(str(plain.output), target)
    actual = specials_in(output, target)
    if actual != expected:
        raise trial.broken("voice", [f"special tokens {dict(actual)}, where {dict(expected)} are meant"])


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
    """Draw conversations whose contents consist of special tokens."""
    spoken = st.builds(Message, st.sampled_from(["system", "developer", "user"]), contents())
    answers = st.builds(_answer, contents(), st.sampled_from(["final", "analysis"]))
    return st.lists(st.one_of(spoken, answers), max_size=5).map(_transcript)


def _answer(text: str, channel: str) -> Message:
    return Message("assistant", text, channel=channel)


def _transcript(messages: list[Message]) -> Transcript:
    return Transcript(tuple(messages))
