"""Check law 11 (boundary): an output is exactly one conversation."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..formats.boundary import BEGINS, ENDS
from ..split import split
from .trial import Trial


def one_conversation(trial: Trial) -> None:
    """Law 11: the output splits into one conversation, whatever text around messages the document has."""
    parts = split(trial.data, trial.target)
    if len(parts) != 1:
        raise trial.broken("boundary", [f"{len(parts)} conversations: {[part.value for part in parts]}"])


def boundaries() -> SearchStrategy[str]:
    """Draw texts between two conversations: EOS and BOS tokens, and white space."""
    space = st.sampled_from(["", "\n", " ", "\r\n", "\n\n"])
    begin, end = st.sampled_from(BEGINS), st.sampled_from(ENDS)
    return st.one_of(
        st.builds("{}{}{}{}{}".format, space, end, space, begin, space),
        st.builds("{}{}{}".format, space, end, space),
        st.builds("{}{}{}".format, space, begin, space),
    )
