"""Harmony text as models, people and attackers write it: tokens, halves of them, headers, and anything else."""

from __future__ import annotations

from hypothesis import strategies as st

from adapters.test_harmony_malformed import MALFORMED
from ocml_bridge.testing.strategies import texts

PIECES = st.sampled_from(
    (
        *("<|start|>", "<|start|>", "<|message|>", "<|message|>", "<|end|>", "<|end|>", "<|call|>", "<|return|>"),
        *("<|channel|>", "<|constrain|>", "<|channel|>final", "<|channel|>analysis", "<|constrain|>json"),
        *("<|start|>assistant<|channel|>final<|message|>", "<|start|>user<|message|>", "<|end|><|start|>assistant"),
        *("<|start|>functions.f to=assistant<|channel|>commentary<|message|>", "<|start|>developer<|message|>"),
        *("<\u200b|end|>", "<\u200b\u200b|end|>", "<\u200b", "<", "<|", "<|e", "nd|>", "|>", "\u200b", "<<|end|>"),
        *("user", "assistant", "final", "assistantfinal", "analysis", " to=functions.f", " json", "hello", "\n", " "),
        *("\r\n", "{}", "é", "😀", "\ufffd", "\ufeff", "\0", "# Tools\n\n## functions\n", "# Instructions\n\n"),
    )
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=14).map("".join),
    st.lists(PIECES, max_size=14).map("".join),
    texts(surrogates=True),
    st.sampled_from([text for text, _ in MALFORMED.values()]),
)
STOPPED = (
    ("<|channel|>final<|message|>Hi", "return", "stop"),
    ("<|channel|>commentary<|message|>I will.", "end", "stop"),
    ("<|channel|>analysis<|message|>hm", "end", "stop"),
    ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}", "call", "tool_calls"),
)
"""How an answer begins, how its last message ends when the engine took the stop token away, and why it stopped."""
