"""Draw documents and texts from pieces of a format's own output, so that its tokens occur, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import registry
from ..convert import write
from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Document, Ending, Message, Transcript, replace
from ..report.policy import LENIENT
from . import strategies
from .damage import TOKEN
from .shown import shown
from .tokens import own_tokens

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


def text_of(document: Document, adapter: str | Adapter, options: Options = DEFAULT) -> str:
    """Return the output of a document as text; an exception of the writer names the document."""
    try:
        return write(document, adapter, options=options, policy=LENIENT).encode().decode()
    except Exception as error:
        error.add_note(f"writing a document fails\ndocument: {shown(document)}\noptions: {options}")
        raise


def _pieces(adapter: str | Adapter) -> SearchStrategy[str]:
    """Draw pieces of the output of a conversation, and whole outputs, of one that is cut off and of one that is not."""
    text, whole = text_of(TALK, adapter), text_of(replace(TALK, messages=TALK.messages[:-1]), adapter)
    places = st.tuples(st.integers(0, len(text)), st.integers(0, 60))
    return st.one_of(places.map(lambda place: text[place[0] : sum(place)]), st.sampled_from([text, whole]))


def conversations(adapter: str | Adapter) -> Iterator[Document]:
    """Yield conversations whose contents are what stands between the tokens of the format's output, and the tokens."""
    text = text_of(TALK, adapter)
    for piece in sorted({*TOKEN.split(text)}):
        yield Transcript(
            (
                Message("system", piece),
                Message("user", piece),
                Message("assistant", piece, channel="analysis"),
                Message("assistant", piece, None, "commentary", "python", end="call"),
                Message("tool", piece, "python", "commentary", "assistant"),
                Message("assistant", piece, channel="final"),
            )
        )


def with_tokens(adapter: str | Adapter, options: Options) -> Iterator[str]:
    """Yield outputs with one of the format's tokens in a question and in an answer, where they mean nothing."""
    raw = Options(dialect=options.dialect, control_tokens="raw")
    for token in own_tokens(registry.adapter(adapter)[0]):
        asked, answered = Message("user", f"a{token}b"), Message("assistant", f"a{token}", channel="final")
        for messages in ((asked, answered), (asked, Message("user", token)), (answered, asked)):
            yield text_of(Transcript(messages), adapter, raw)


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
    return strategies.documents().map(lambda document: text_of(document, adapter, options))
