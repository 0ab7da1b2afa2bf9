"""Read rows with pairs: objects that hold what was asked and what was answered (ms-swift, XTuner, The Cauldron)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..declared import read_tools
from ..fitting import items_of, members_of
from ..layout import Document, Object, Wording, misshapen
from ..messages import message, request, system_of
from ..trees import NODES
from ..turns import SYSTEM, list_or_none, value_of

_SIDES: Final[dict[str, str]] = {
    "system": "system",
    "system response": "assistant",
    **dict.fromkeys(
        ("human", "user", "input", "question", "query", "instruction", "prompt", "q", "user utterance"), "user"
    ),
    **dict.fromkeys(("assistant", "gpt", "bot", "output", "answer", "response", "completion", "a"), "assistant"),
}
"""The roles of the members of a pair."""


def are_pairs(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold objects, each with a question and an answer."""
    items = items_of(list_or_none(fields, "pairs"))
    return bool(items) and all(_sides(members_of(item), wording) for item in items)


def _sides(pair: Object, wording: Wording) -> list[Object]:
    """Return the messages of a pair in the order of the roles; none if it holds anything else."""
    out: list[Object] = []
    for key, value in pair.items():
        if key in _METADATA or (key == _WEIGHT and isinstance(value, bool)):
            continue
        role = wording.roles.get(key.lower()) or _side(key)
        if role is None or (value is not None and not isinstance(value, str)):
            return []
        if value is not None:
            out.append(message(role, value))
            if role == "assistant" and isinstance(pair.get(_WEIGHT), bool):
                out[-1]["weight"] = int(pair[_WEIGHT])
    if not {"user", "assistant"} & {each["role"] for each in out}:
        return []
    order = ("system", "user", "assistant")
    return sorted(out, key=lambda each: order.index(each["role"]))


_METADATA: Final = frozenset(
    (
        *("source", "id", "turn", "turn_id", "language", "need_eos_token", "sep"),
        *("turn id", "dialog history", "original user side information", "original system side information"),
        *("dst", "dst accumulated", "external knowledge", "intent", "domain"),
    )
)
"""Members of a pair that are metadata."""
_WEIGHT: Final = "output_with_loss"
"""The member of a pair that says whether to train on its answer (XTuner)."""


def _side(key: str) -> str | None:
    """Return the role of a member, whose name may have a prefix, as in `toy_input`; None for other members."""
    word = key.lower()
    return _SIDES.get(word) or _SIDES.get(word.rpartition("_")[2])


def read_pairs(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of pairs, after the system message of another column."""
    messages = system_of(fields.get(SYSTEM), f"/{SYSTEM}")
    items = items_of(value_of(fields, "pairs"))
    metadata: list[Json] = []
    for at, item in enumerate(items):
        pair = members_of(item)
        sides = _sides(pair, wording)
        if not sides:
            raise misshapen(f"/pairs/{at}", "a pair of what was asked and what was answered")
        used = {_WEIGHT} if any("weight" in each for each in sides) else set[str]()
        metadata.append({key: each for key, each in pair.items() if key in {*_METADATA, _WEIGHT} - used})
        messages += [each for each in sides if each["role"] != "system" or each["content"]]
    return [Document(request(messages, read_tools(fields)), extra_columns={NODES: metadata} if any(metadata) else {})]
