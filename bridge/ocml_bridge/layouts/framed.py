"""Texts as templates make them whose turns stand between tokens: Llama 3's headers, Gemma's turns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..errors import BridgeError
from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen, parsed
from .messages import calls_of, message, request
from .pieces import Pieces

TEXT: Final = "text"


class Frames(NamedTuple):
    """How a template frames turns.

    Attributes:
        begins: the token that begins a conversation; a text may hold several.
        opens: what stands before a turn; its group is the role.
        end: a token behind a turn. The last one of a text that goes on has none.
        roles: words for whose a turn is, and roles.
        calls: the token that stands before a call; None for a template without one.
        shown: what a text of it looks like, for people.
    """

    begins: str
    opens: re.Pattern[str]
    end: re.Pattern[str]
    roles: Mapping[str, str]
    calls: str | None
    shown: str

    @property
    def ends(self) -> re.Pattern[str]:
        """What stands behind a turn: a token, and one that ends the text."""
        return re.compile(rf"(?:(?:{self.end.pattern})\s*){{1,3}}\Z")


_ROLES: Final = {"system": "system", "user": "user", "assistant": "assistant"}
LLAMA_3: Final = Frames(
    "<|begin_of_text|>",
    re.compile(r"<\|(?:start_header_id|header_start)\|>([a-z]+)<\|(?:end_header_id|header_end)\|>"),
    re.compile(r"<\|(?:eot_id|eom_id|eot|eom|end_of_text)\|>"),
    {**_ROLES, **dict.fromkeys(("ipython", "tool", "environment"), "tool")},
    "<|python_tag|>",
    "`<|start_header_id|>`",
)
GEMMA: Final = Frames(
    "<bos>",
    re.compile(r"<start_of_turn>([a-z]+)(?:\n|\Z)"),
    re.compile(r"<end_of_turn>|<eos>"),
    {**_ROLES, "model": "assistant", "developer": "developer"},
    None,
    "`<start_of_turn>`",
)


def is_framed(frames: Frames, fields: Object, wording: Wording) -> bool:
    """Whether a text of a template stands there."""
    return bool(_conversations(frames, fields.get(TEXT)))


def read_framed(frames: Frames, fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversations of such a text.

    Raises:
        BridgeError: OCB-SHAPE for another text.
    """
    found = _conversations(frames, fields[TEXT])
    if not found:
        raise misshapen(f"/{TEXT}", f"a text in which each turn begins with {frames.shown}")
    return [Document(request(_messages(turns, frames), None)) for turns in found]


_Turn = tuple[str, str]
"""Whose a turn is, and what it says."""


def _conversations(frames: Frames, text: Json) -> list[list[_Turn]]:
    """The turns of each conversation of a text; none for any other text."""
    if not isinstance(text, str):
        return []
    ends = frames.ends
    found = [_turns(frames, ends, each) for each in text.split(frames.begins) if each.strip()]
    turns = [each for each in found if each is not None]
    return turns if len(turns) == len(found) else []


def _turns(frames: Frames, ends: re.Pattern[str], text: str) -> list[_Turn] | None:
    """The turns of a conversation; None for any other text."""
    opens = list(frames.opens.finditer(text))
    if not opens or text[: opens[0].start()].strip():
        return None
    turns: list[_Turn] = []
    for label, end in zip(opens, [*(each.start() for each in opens[1:]), len(text)], strict=True):
        said = text[label.end() : end]
        behind = ends.search(said)
        said = said if behind is None else said[: behind.start()]
        role = frames.roles.get(label[1])
        if role is None or (behind is None and end < len(text)) or frames.end.search(said):
            return None
        turns.append((role, said.strip()))
    return turns


def _messages(turns: list[_Turn], frames: Frames) -> list[Object]:
    if len(turns) > 1 and turns[-1] == ("assistant", ""):  # the answer that is still to come
        turns = turns[:-1]
    behind = [*(role for role, _ in turns[1:]), ""]
    read = [_read_turn(turn, after, frames) for turn, after in zip(turns, behind, strict=True)]
    return [said for each in read for said in each]


def _read_turn(turn: _Turn, after: str, frames: Frames) -> list[Object]:
    role, text = turn
    if role != "assistant" or frames.calls is None:
        return [message(role, text)]
    before, token, call = text.rpartition(frames.calls)
    if not token and not (after == "tool" and call.startswith(("{", "["))):
        return [message(role, text)]
    calls = _calls(call)
    if calls is not None:
        return [{"role": role, "content": before.strip() or None, "tool_calls": calls}]
    if not token:
        return [message(role, text)]
    pieces = Pieces(role)
    pieces.say(before.strip())
    named = _NAMED.fullmatch(call.strip())
    if named is None:
        pieces.command(_CODE, call.strip())
    else:
        pieces.command(named[1], named[2])
    return pieces.messages()


_NAMED: Final = re.compile(r"(\w+)\.call\((.*)\)", re.DOTALL)
"""A call of one of the tools that Llama knows: `brave_search.call(query="…")`."""
_CODE: Final = "ipython"
"""Who runs code behind the token of calls, and answers."""


def _calls(text: str) -> list[Json] | None:
    """The calls that a JSON text makes; None for any other text."""
    try:
        value = parsed(text.strip(), "")
        listed = as_list(value) or [value]
        named = [as_object(each) or {} for each in listed]
        return calls_of(value, "") if all("name" in each and each.keys() & {*_ARGUMENTS} for each in named) else None
    except BridgeError:
        return None


_ARGUMENTS: Final = ("parameters", "arguments")
