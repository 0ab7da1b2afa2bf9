"""The words of ShareGPT rows, as LLaMA-Factory, axolotl, FastChat and their likes read and write them."""

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
"""The keys of a row that the turns may stand under; the first is the one that we write."""
SPEAKERS: Final = ("from", "role")
"""The keys of a turn that say whose it is."""
TEXTS: Final = ("value", "content")
"""The keys of a turn that say what it says."""
SYSTEM: Final = "system"
"""The key of a row for what the system says before all turns."""
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
"""Whose a turn is, by what it says that it is from."""
CALLS: Final = ("function_call", "function-call", "tool_call")
"""Of turns of the assistant that are calls; the first is the one that we write."""
WORDS: Final[dict[str, str]] = {**ROLES, **dict.fromkeys(CALLS, "assistant")}
"""Whose a turn is by every word that the format knows: a role of such a name has no other place."""
WRITTEN: Final[dict[str, str]] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
"""What a turn that we write is from, by its role."""
WEIGHTS: Final = ("weight", "loss_weight", "train", "loss")
"""The keys of a turn that say whether it is trained on; the first is the one that we write."""
MEDIA: Final[dict[str, str]] = {"image": "images", "video": "videos", "audio": "audios"}
"""The columns of a row with the media that placeholders in texts stand for, in order."""
PLACEHOLDER: Final = re.compile(r"<(image|video|audio)>")
"""What stands in a text for the next entry of a column."""
BETWEEN_RESULTS: Final = "\n</tool_response>\n<tool_response>\n"
"""What stands between the results of parallel calls in one observation (LLaMA-Factory, `converter.py`)."""

APART: Final = "apart"
"""The key of the layout of a message that begins a turn although it could stand in the one before."""
COLUMN: Final = "column"
"""The key of the layout of what the system says in a column of the row and not in a turn."""
MARK_CHOSEN: Final = "\0chosen"
MARK_COLUMN: Final = "\0column"
MARK_MEDIA: Final = "\0media"
"""Keys of a turn that is about to be written: where it stands in the row, and what its placeholders stand for."""


def turns_of(source: Json) -> tuple[str | None, list[Json]] | None:
    """The key of the turns of a row, None for a bare list, and the turns; None for what is no row."""
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
    """Whether a value is a turn with one of some keys for whose it is, and one for what it says."""
    if not isinstance(turn, OBJECT):
        return False
    members = cast("Object", turn)
    if isinstance(members.get(SPEAKERS[0]), str) and isinstance(members.get(TEXTS[0]), str):
        return True  # these two are looked for everywhere, and first
    values = [members[key] for key in texts if key in members]
    whose = [members.get(key) for key in speakers]
    return (
        any(isinstance(each, str) for each in whose)
        and bool(values)
        and (values[0] is None or isinstance(values[0], str))
    )
