"""Check law 10: end users do not see private messages in an output, whatever the channel is called."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..chat.visibility import exposed_messages, is_private, seen_text, text_of
from ..model import Content, Message, Part, Text, Thought, Transcript
from .strategies import optional, plausible_messages, words
from .trial import Trial

SECRET = "a secret plan, number "
"""The beginning of all drawn private texts, and of no other text."""


def visibility(trial: Trial) -> None:
    """Law 10: end users see no text of a private message in the output.

    Raises:
        LawBrokenError: with the private messages.
    """
    document, back = trial.document, trial.back
    exposed = [f"/messages/{index} is shown" for index in exposed_messages(document, back, trial.result.origins)]
    if isinstance(document, Transcript) and isinstance(back, Transcript):
        seen = "\0".join(map(seen_text, back.messages))
        public = "\0".join(text_of(message) for message in document.messages if not is_private(message))
        private = (text_of(message) for message in document.messages if is_private(message))
        secrets = [text for text in private if text.startswith(SECRET) and text not in public]
        exposed += [f"{text!r} is shown" for text in secrets if text in seen]
    if exposed:
        raise trial.broken("visibility", exposed)


CHANNELS = (
    *("analysis", "commentary", "final", "thoughts", "notes", "bash", "??", ""),
    *(
        "analysis??",
        "Analysis",
        " analysis",
        "commentary?",
        "commentary?commentary?",
        "analysisfinal",
        "final analysis",
    ),
    *("analysis<|channel|>final", "final<|channel|>analysis", "to=functions.f", "fi nal", "a<|end|>b", "c" * 300),
)
"""Channels as models and people write them; messages on a few of them are visible."""
INTENTS = (None, None, "status", "debug", "Debug", "preamble", "bogus", "sta tus")
ROLES = ("assistant", "assistant", "assistant", "Assistant", "narrator", "model")


def _secret(number: int) -> str:
    return f"{SECRET}{number:03}"


def _marked(text: str) -> tuple[Part, ...]:
    return (Thought("reason"), Text(text))


def _contents() -> SearchStrategy[Content]:
    texts = st.integers(0, 999).map(_secret)
    return st.one_of(texts, texts, texts.map(_marked))


def private_messages() -> SearchStrategy[Message]:
    """Draw messages that end users must not see, with different texts."""
    return st.builds(
        Message,
        role=st.sampled_from(ROLES),
        content=_contents(),
        name=optional(words()),
        channel=st.one_of(st.none(), st.sampled_from(CHANNELS), words()),
        recipient=st.sampled_from([None, None, None, "user", "assistant", "all"]),
        intent=st.sampled_from(INTENTS),
        content_type=optional(words()),
        constraint=optional(words()),
        end=st.sampled_from(["end", "end", "return", None]),
        continues=st.booleans(),
    ).filter(is_private)


def documents() -> SearchStrategy[Transcript]:
    """Draw conversations with private messages, with channels and intents of any spelling."""
    messages = st.lists(st.one_of(private_messages(), plausible_messages()), min_size=1, max_size=5)
    return st.builds(Transcript, messages=messages.map(tuple))
