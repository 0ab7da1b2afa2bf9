"""Draw documents for the law of pairing: calls and replies in every relation."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ..model import Message, Transcript

_TOOLS = st.sampled_from(("functions.f", "functions.f", "functions.functions.f", "functions.", "python"))
_IDS = ("a", "b", "c", "d")


@st.composite
def linked_transcripts(draw: DrawFn) -> Transcript:
    """Draw conversations whose replies are parallel, out of order, missing, foreign, repeated, or turns late.

    All contents are plain texts, and all are different.
    """
    messages: list[Message] = []
    late: list[Message] = []
    for _ in range(draw(st.integers(1, 3))):
        messages.append(Message("user", f"question {len(messages)}"))
        messages += _turn(draw, len(messages), late)
    return Transcript((*messages, *late))


def _turn(draw: DrawFn, number: int, late: list[Message]) -> list[Message]:
    """Draw the calls and replies of one turn.

    Args:
        draw: hypothesis' function that draws a value.
        number: the number of messages so far, for unique contents.
        late: replies of earlier turns that are still to come; late replies of this turn are added, and one may be used.
    """
    ids: tuple[str | None, ...] = draw(
        st.sampled_from((_IDS, tuple(f"{name}{number}" for name in _IDS), (None,) * 4, ("a", "a", "b", "b")))
    )
    ids = ids[: draw(st.integers(1, 4))]
    calls = [_call(draw(_TOOLS), number + at, call_id, at > 0) for at, call_id in enumerate(ids)]
    replies = [_reply(draw, call.recipient, call.call_id, f"{number}.{at}") for at, call in enumerate(calls)]
    replies = draw(st.permutations(replies))[: draw(st.integers(0, len(replies)))]
    for odd in draw(st.lists(st.sampled_from(("foreign", "repeated", "late", "text")), max_size=2)):
        place = draw(st.integers(0, len(replies)))
        match odd:
            case "foreign":
                replies.insert(place, _reply(draw, draw(_TOOLS), "z", f"foreign {number}.{place}.{len(replies)}"))
            case "repeated" if replies:
                again = replies[place - 1]
                content = f"again {number}.{place}.{len(replies)}"
                replies.insert(place, Message("tool", content, again.name, "commentary", "assistant", again.call_id))
            case "late" if replies:
                late.append(replies.pop(place - 1))
            case _:
                role = draw(st.sampled_from(("user", "assistant")))
                channel = "final" if role == "assistant" else None
                replies.insert(place, Message(role, f"meanwhile {number}.{place}.{len(replies)}", channel=channel))
    if late and draw(st.booleans()):
        replies.append(late.pop(0))
    if draw(st.booleans()):
        calls.insert(0, Message("assistant", f"thought {number}", channel="analysis"))
        calls[1].continues = True
    return [*calls, *replies]


def _call(tool: str, number: int, call_id: str | None, joined: bool) -> Message:
    content = f'{{"k":{number}}}'
    return Message("assistant", content, None, "commentary", tool, call_id, None, None, "json", "call", joined)


def _reply(draw: DrawFn, tool: str | None, call_id: str | None, number: str) -> Message:
    name = tool if draw(st.integers(0, 3)) else None
    return Message("tool", f"result {number}", name, "commentary", "assistant", call_id)
