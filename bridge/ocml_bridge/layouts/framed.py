"""Texts as templates make them whose turns stand between tokens. `frames` has the tokens of each template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ..json_values import jsontext
from ..model import Json
from . import calls, thoughts
from .layout import Document, Object, Wording, misshapen
from .messages import message, request, tools_of

TEXT: Final = "text"
DECLARES: Final = "tools"
"""The role of a turn that declares tools."""
Called = Callable[[str, str], list[Object] | None]
"""The messages of an answer that calls tools, by its text and the role behind it; None where it calls none."""
Declared = Callable[[str], tuple[str, list[Json]]]
"""What the system says without the tools that it declares, and these."""


class Frames(NamedTuple):
    """How a template frames turns.

    Attributes:
        whose: the model, or models, for people.
        opens: what stands before a turn; the group that matches is whose it is.
        end: a token behind a turn. The last one of a text that goes on has none.
        roles: words for whose a turn is, and roles.
        shown: what a text of it looks like, for people.
        begins: the token that begins a conversation; a text may hold several. None where none does.
        called: finds the calls of an answer; None for a template without any.
        declared: finds the tools in what the system says; None where they stand in tags that others have too.
        ended: whether each turn ends with a token; else it ends where the next one begins.
        headed: whether what stands before the first turn is what the system says.
    """

    whose: str
    opens: re.Pattern[str]
    end: re.Pattern[str]
    roles: Mapping[str, str]
    shown: str
    begins: re.Pattern[str] | None = None
    called: Called | None = None
    declared: Declared | None = None
    ended: bool = True
    headed: bool = False

    @property
    def ends(self) -> re.Pattern[str]:
        """What stands behind a turn: a token, and one that ends the text."""
        return re.compile(rf"(?:(?:{self.end.pattern})\s*){{1,3}}\Z")


def is_framed(frames: Frames, fields: Object, wording: Wording) -> bool:
    """Whether a text of a template stands there."""
    return bool(_conversations(frames, fields.get(TEXT)))


def read_framed(frames: Frames, fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversations of such a text.

    Raises:
        BridgeError: OCB-SHAPE for another text, and for declared tools that are none.
    """
    found = _conversations(frames, fields[TEXT])
    if not found:
        raise misshapen(f"/{TEXT}", f"a text in which each turn begins with {frames.shown}")
    return [_document(turns, frames, wording) for turns in found]


_Turn = tuple[str, str]
"""Whose a turn is, and what it says."""


def _conversations(frames: Frames, text: Json) -> list[list[_Turn]]:
    """The turns of each conversation of a text; none for any other text."""
    if not isinstance(text, str):
        return []
    ends = frames.ends
    parts = [text] if frames.begins is None else frames.begins.split(text)
    found = [_turns(frames, ends, each) for each in parts if each.strip()]
    turns = [each for each in found if each is not None]
    return _joined(turns) if len(turns) == len(found) else []


def _joined(conversations: list[list[_Turn]]) -> list[list[_Turn]]:
    """Conversations, where what the system says may have the token that begins a text behind it, too."""
    joined: list[list[_Turn]] = []
    for turns in conversations:
        if joined and turns[0][0] not in _UNANSWERED and all(role in _UNANSWERED for role, _ in joined[-1]):
            joined[-1] += turns
        else:
            joined.append(turns)
    return joined


_UNANSWERED: Final = ("system", DECLARES)
"""The roles of turns that alone are no conversation."""


def _turns(frames: Frames, ends: re.Pattern[str], text: str) -> list[_Turn] | None:
    """The turns of a conversation; None for any other text."""
    first = frames.opens.search(text) if frames.headed else frames.opens.match(text.lstrip())
    if first is None:
        return None
    opens = list(frames.opens.finditer(text))
    head = ends.sub("", text[: opens[0].start()]).strip()
    turns: list[_Turn] = [("system", head)] if head else []
    for label, end in zip(opens, [*(each.start() for each in opens[1:]), len(text)], strict=True):
        body = text[label.end() : end]
        behind = ends.search(body)
        body = body if behind is None else body[: behind.start()]
        role = frames.roles.get(label[label.lastindex or 0])
        open_ended = behind is None and frames.ended and (end < len(text) or role in _UNANSWERED)
        if role is None or open_ended or frames.end.search(body):
            return None
        turns.append((role, body.strip()))
    return turns


def _document(turns: list[_Turn], frames: Frames, wording: Wording) -> Document:
    behind = [*(role for role, _ in turns[1:]), ""]
    if len(turns) > 1 and turns[-1] in _STILL_TO_COME:
        turns = turns[:-1]
    tools: list[Json] | None = None
    messages: list[Object] = []
    for (role, text), after in zip(turns, behind, strict=False):
        if role == DECLARES:
            tools = tools_of(_values(text), f"/{TEXT}")
            continue
        if role == "system" and frames.declared is not None:
            text, found = frames.declared(text)
            tools = found or tools
        called = frames.called(text, after) if role == "assistant" and frames.called is not None else None
        if called is not None:
            messages += called
        elif text or role != "system":  # templates write the turn of a system that says nothing
            messages.append(message(role, text))
    tools, messages, findings = calls.opened(messages, tools)
    return Document(request([thoughts.split(each, wording) for each in messages], tools), findings)


def _values(text: str) -> Json:
    """The JSON values of a text where several stand behind one another; any other text as it is."""
    values: list[Json] = []
    at = 0
    while (found := jsontext.value_at(text, at)) is not None:
        values.append(found[0])
        at = found[1]
    return values if len(values) > 1 and not text[at:].strip() else text


_STILL_TO_COME: Final = (("assistant", ""), ("assistant", "<think>"), ("tool", ""))
"""What a text ends with whose next turn is still to come."""
