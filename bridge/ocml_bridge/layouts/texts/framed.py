"""Read texts of chat templates whose turns are between tokens. `frames` lists the tokens of each template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ...json_values import jsontext
from ...model import Json
from .. import calls, thoughts
from ..declared import tools_of
from ..fitting import members_of, objects_of
from ..layout import Document, Object, Wording, misshapen, parsed
from ..messages import message, request

TEXT: Final = "text"
DECLARES: Final = "tools"
"""The role of a turn that declares tools."""
SETS: Final = "settings"
"""The role of a turn with settings of the request, as JSON."""
Called = Callable[[str, str], list[Object] | None]
"""Returns the messages of an answer that calls tools, by its text and the role of the next turn; None without calls."""
Replied = Callable[[str, str], list[Object] | None]
"""Returns the messages of a turn with results of tools, by its role and text; None for a turn without results."""
Declared = Callable[[str], tuple[str, list[Json]]]
"""Returns the text of the system without the tools that it declares, and the tools."""


def calling(before: str, calls: list[Json]) -> list[Object]:
    """Return the message of an answer with calls, and with the text before them."""
    return [{"role": "assistant", "content": before.strip() or None, "tool_calls": calls}]


class Frames(NamedTuple):
    """The tokens around the turns of a template.

    Attributes:
        whose: the name of the model, or models, in messages.
        opens: the pattern of the text before a turn; the group that matches is a key of `roles`.
        end: the pattern of a token after a turn. The last turn of an unfinished text has none.
        roles: the role for each word in `opens`.
        shown: the first token of a turn, in messages.
        begins: the token that begins a conversation; a text may hold several. None for templates without one.
        called: finds the calls of an answer; None for a template without calls.
        declared: finds the tools in the system's text; None if they are in tags that other templates have, too.
        ended: whether each turn ends with a token; otherwise it ends where the next one begins.
        headed: whether the text before the first turn is a system message.
        replied: finds the results of tools in a turn; None if they are in tags that other templates have, too.
        thinks: whether the template writes reasoning in `<think>` or `<|thought_start|>` before an answer.
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
    replied: Replied | None = None
    thinks: bool = False

    @property
    def ends(self) -> re.Pattern[str]:
        """Return the pattern of the tokens after a turn: its end, and a token that ends the text."""
        return re.compile(rf"(?:(?:{self.end.pattern})\s*){{1,3}}\Z")


def is_framed(frames: Frames, fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a text of a template."""
    return bool(_conversations(frames, fields.get(TEXT)))


def has_calls(frames: Frames, marks: Sequence[str], fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a text of a template with calls; texts without any of `marks` have none."""
    text = fields.get(TEXT)
    if not isinstance(text, str) or not any(mark in text for mark in marks) or not is_framed(frames, fields, wording):
        return False
    values = [members_of(each.value) for each in read_framed(frames, fields, wording)]
    return any(each.get("tool_calls") for value in values for each in objects_of(value.get("messages")))


def read_framed(frames: Frames, fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversations of a text.

    Raises:
        BridgeError: OCB-SHAPE if the text is not of the template, or if declared tools are not tools.
    """
    found = _conversations(frames, fields[TEXT])
    if not found:
        raise misshapen(f"/{TEXT}", f"a text in which each turn begins with {frames.shown}")
    return [_document(turns, frames, wording) for turns in found]


_Turn = tuple[str, str]
"""The role of a turn, and its text."""


def _conversations(frames: Frames, text: Json) -> list[list[_Turn]]:
    """Return the turns of each conversation of a text; none for any other text."""
    if not isinstance(text, str):
        return []
    ends = frames.ends
    parts = [text] if frames.begins is None else frames.begins.split(text)
    found = [_turns(frames, ends, each) for each in parts if each.strip()]
    turns = [each for each in found if each is not None]
    return _joined(turns) if len(turns) == len(found) else []


def _joined(conversations: list[list[_Turn]]) -> list[list[_Turn]]:
    """Join conversations of only a system message with the next: some repeat the first token after that message."""
    joined: list[list[_Turn]] = []
    for turns in conversations:
        if joined and turns[0][0] not in _UNANSWERED and all(role in _UNANSWERED for role, _ in joined[-1]):
            joined[-1] += turns
        else:
            joined.append(turns)
    return joined


_UNANSWERED: Final = ("system", DECLARES, SETS)
"""The roles of turns that are not a conversation by themselves."""


def _turns(frames: Frames, ends: re.Pattern[str], text: str) -> list[_Turn] | None:
    """Return the turns of a conversation; None for any other text."""
    first = frames.opens.search(text) if frames.headed else frames.opens.match(text.lstrip())
    if first is None:
        return None
    opens = list(frames.opens.finditer(text))
    head = ends.sub("", text[: opens[0].start()]).strip()
    turns: list[_Turn] = [("system", head)] if head else []
    for label, end in zip(opens, [*(each.start() for each in opens[1:]), len(text)], strict=True):
        body = text[label.end() : end]
        end_token = ends.search(body)
        body = body if end_token is None else body[: end_token.start()]
        role = frames.roles.get(label[label.lastindex or 0])
        unclosed = end_token is None and frames.ended and (end < len(text) or role in _UNANSWERED)
        if role is None or unclosed or frames.end.search(body):
            return None
        turns.append((role, body.strip()))
    return turns


def _document(turns: list[_Turn], frames: Frames, wording: Wording) -> Document:
    next_roles = [*(role for role, _ in turns[1:]), ""]
    if len(turns) > 1 and turns[-1] in _OPEN_TURNS:
        turns = turns[:-1]
    tools: list[Json] | None = None
    messages: list[Object] = []
    settings: Object = {}
    for (role, text), after in zip(turns, next_roles, strict=False):
        if role == SETS:
            settings |= members_of(parsed(text, f"/{TEXT}"))
            continue
        if role == DECLARES:
            tools = tools_of(_values(text), f"/{TEXT}")
            continue
        if role == "system" and frames.declared is not None:
            text, found = frames.declared(text)
            tools = found or tools
        replies = None if frames.replied is None else frames.replied(role, text)
        if replies is not None:
            messages += replies
            continue
        called = frames.called(text, after) if role == "assistant" and frames.called is not None else None
        if called is not None:
            messages += called
        elif text or role != "system":  # templates write an empty system turn, too
            messages.append(message(role, text))
    if frames.thinks:
        messages = [thoughts.split(each, _THINK) for each in messages]
    tools, messages, findings = calls.extract_tools(messages, tools)
    return Document({**settings, **request(messages, tools)}, findings)


_THINK: Final = Wording(thoughts=("think", "thought_start"))


def _values(text: str) -> Json:
    """Return the JSON values of a text that holds several; any other text unchanged."""
    values: list[Json] = []
    at = 0
    while (found := jsontext.value_at(text, at)) is not None:
        values.append(found[0])
        at = found[1]
    return values if len(values) > 1 and not text[at:].strip() else text


_OPEN_TURNS: Final = (("assistant", ""), ("assistant", "<think>"), ("tool", ""))
"""The last turns of texts whose next turn is still to be generated."""
