"""Law 11, boundary: two conversations never become one, and an output is exactly one."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..formats.boundary import BEGINS, ENDS
from ..split import split
from .trial import Trial


def one_conversation(trial: Trial) -> None:
    """An output reads back as one conversation, whatever the document keeps of the text around its messages."""
    parts = split(trial.data, trial.target)
    if len(parts) != 1:
        raise trial.broken("boundary", [f"{len(parts)} conversations: {[part.value for part in parts]}"])


def boundaries() -> SearchStrategy[str]:
    """Texts between two conversations: what ends the one, what begins the other, and white space."""
    space = st.sampled_from(["", "\n", " ", "\r\n", "\n\n"])
    begin, end = st.sampled_from(BEGINS), st.sampled_from(ENDS)
    return st.one_of(
        st.builds("{}{}{}{}{}".format, space, end, space, begin, space),
        st.builds("{}{}{}".format, space, end, space),
        st.builds("{}{}{}".format, space, begin, space),
    )
