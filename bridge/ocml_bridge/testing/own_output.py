"""Draw documents and texts from pieces of a format's own output, so that its tokens occur, whatever they are."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..convert import write
from ..formats.adapter import Adapter, Options
from ..model import Document, Ending, Message, Transcript
from ..report.policy import LENIENT
from . import strategies

TALK = Transcript(
    (
        Message("system", "Be brief."),
        Message("user", "How is it there?", name="bob"),
        Message("assistant", "I look.", channel="analysis"),
        Message("assistant", '{"a":1}', None, "commentary", "functions.f", "c1", constraint="json", end="call"),
        Message("tool", "Rain.", "functions.f", "commentary", "assistant", "c1"),
        Message("assistant", "It rains.", channel="final"),
        Message("user", "Thanks."),
        Message("assistant", "You are", channel="final", end=None),
    )
)


def _pieces(adapter: str | Adapter) -> SearchStrategy[str]:
    """Draw pieces of the output of a conversation."""
    text = write(TALK, adapter, policy=LENIENT).encode().decode()
    places = st.tuples(st.integers(0, len(text)), st.integers(0, 60))
    return st.one_of(places.map(lambda place: text[place[0] : sum(place)]), st.just(text))


def documents(adapter: str | Adapter) -> SearchStrategy[Document]:
    """Draw conversations whose contents are pieces of the format's output; messages may be cut off."""
    pieces = _pieces(adapter)
    contents = st.lists(st.one_of(pieces, pieces, st.sampled_from(["hi", "\n", " "])), max_size=3).map("".join)

    def speaking(role: str, channel: str | None = None) -> SearchStrategy[Message]:
        ends: SearchStrategy[Ending | None] = st.sampled_from(["end", "end", None])
        return st.builds(Message, st.just(role), contents, channel=st.just(channel), end=ends)

    final, thought = speaking("assistant", "final"), speaking("assistant", "analysis")
    messages = st.lists(st.one_of(speaking("system"), speaking("user"), final, thought), max_size=4)
    return messages.map(lambda drawn: Transcript(tuple(drawn)))


def texts(adapter: str | Adapter) -> SearchStrategy[str]:
    """Draw texts of several such pieces."""
    return st.lists(_pieces(adapter), min_size=1, max_size=4).map("".join)


def written(adapter: str | Adapter, options: Options) -> SearchStrategy[str]:
    """Draw the outputs of any documents."""
    return strategies.documents().map(lambda document: _text(document, adapter, options))


def _text(document: Document, adapter: str | Adapter, options: Options) -> str:
    return write(document, adapter, options=options, policy=LENIENT).encode().decode()
