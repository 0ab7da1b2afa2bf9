"""Define the keys and speakers of ShareGPT rows, as LLaMA-Factory, axolotl, FastChat and similar programs use them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.json_values.form import ARRAY, OBJECT, Object
from ocml_bridge.model import Json
from ocml_bridge.model.notes import Notes

HOME: Final = "sharegpt"
NOTES: Final = Notes(HOME)

TURNS: Final = ("conversations", "conversation", "messages")
"""The keys of a row for its turns; the first one is written."""
SPEAKERS: Final = ("from", "role")
"""The keys of a turn for its speaker."""
TEXTS: Final = ("value", "content")
"""The keys of a turn for its text."""
SYSTEM: Final = "system"
"""The column with the system prompt before all turns."""
TOOLS: Final = "tools"
CHOSEN: Final = "chosen"
REJECTED: Final = "rejected"

ROLES: Final[dict[str, str]] = {
    "system": "system",
    **dict.fromkeys(("human", "user", "prompter"), "user"),
    **dict.fromkeys(("gpt", "assistant", "bot", "model", "chatgpt", "bing", "bard"), "assistant"),
    **dict.fromkeys(("observation", "tool", "function", "function-response", "tool_response"), "tool"),
    "function_response": "tool",
}
"""The roles by the names of speakers."""
CALLS: Final = ("function_call", "function-call", "tool_call")
"""The speakers of turns of the assistant that are calls; the first one is written."""
WORDS: Final[dict[str, str]] = {**ROLES, **dict.fromkeys(CALLS, "assistant")}
"""The roles by all names of speakers: a role with such a name is written as the role of that speaker."""
WRITTEN: Final[dict[str, str]] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
"""The speaker that is written for each role."""
WEIGHTS: Final = ("weight", "loss_weight", "train", "loss")
"""The keys of a turn for its weight in training; the first one is written."""
MEDIA: Final[dict[str, str]] = {"image": "images", "video": "videos", "audio": "audios"}
"""The columns with the media of the placeholders in texts, in order, by the kind of medium."""
PLACEHOLDER: Final = re.compile(r"<(image|video|audio)>")
"""The text that is replaced by the next entry of a column."""
BETWEEN_RESULTS: Final = "\n</tool_response>\n<tool_response>\n"
"""The text between the results of parallel calls in one observation (LLaMA-Factory, `converter.py`)."""

APART: Final = "apart"
"""The key of the layout of a message that begins a turn although it could be in the previous turn."""
COLUMN: Final = "column"
"""The key of the layout of a system prompt that is in a column, not in a turn."""
MARK_CHOSEN: Final = "\0chosen"
MARK_COLUMN: Final = "\0column"
MARK_MEDIA: Final = "\0media"
"""The marks of a turn while it is written: whether it belongs to the chosen answer or to a column, and its media.

The first is also in the layout of a message before it is written.
"""


def turns_of(source: Json) -> tuple[str | None, list[Json]] | None:
    """Return the key of the turns of a row, or None for a bare list, and the turns; None for anything else."""
    if isinstance(source, ARRAY):
        turns = cast("list[Json]", source)
        return (None, turns) if turns and all(is_turn(turn, SPEAKERS[:1], TEXTS[:1]) for turn in turns) else None
    if not isinstance(source, OBJECT):
        return None
    row = cast("Object", source)
    for key in TURNS:
        turns: Any = row.get(key)
        if isinstance(turns, ARRAY):
            speakers, texts = (SPEAKERS[:1], TEXTS) if key == TURNS[2] else (SPEAKERS, TEXTS)
            if all(is_turn(turn, speakers, texts) for turn in turns):
                return key, turns
    return None


def is_turn(turn: Json, speakers: Sequence[str] = SPEAKERS, texts: Sequence[str] = TEXTS) -> bool:
    """Return whether a value is a turn with one of these keys for its speaker, and one for its text."""
    if not isinstance(turn, OBJECT):
        return False
    members = cast("Object", turn)
    if isinstance(members.get(SPEAKERS[0]), str) and isinstance(members.get(TEXTS[0]), str):
        return True  # any keys include these two, and they come first
    values = [members[key] for key in texts if key in members]
    names = [members.get(key) for key in speakers]
    return (
        any(isinstance(each, str) for each in names)
        and bool(values)
        and (values[0] is None or isinstance(values[0], str))
    )
