"""Read the calls that the Berkeley leaderboard accepts: with all accepted values of each argument, or as Python.

Calls as Python are those of one turn, or of each turn of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import as_list, as_object, items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen, noticed
from ..messages import calls_of, request
from ..pythonic import calls_in

TRUTH: Final = "truth"


def are_accepted(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold calls with all accepted values for each argument."""
    items = items_of(fields.get(TRUTH))
    if _is_python(items):
        return True
    return bool(items) and all(_is_accepted(members_of(item)) for item in items)


def _is_accepted(call: Object) -> bool:
    arguments = as_object(next(iter(call.values()), None))
    return len(call) == 1 and arguments is not None and all(as_list(each) for each in arguments.values())


def _is_python(items: list[Json]) -> bool:
    """Return whether a list holds calls as Python, or a list of them for each turn."""
    texts = [text for item in items for text in (as_list(item) if as_list(item) is not None else [item]) or ()]
    return bool(texts) and all(isinstance(text, str) and _CALL.fullmatch(text) for text in texts)


_CALL: Final = re.compile(r"[\w.]+\(.*\)", re.DOTALL)


def _read_python(items: list[Json]) -> Document:
    """Return a message with the calls of each turn; a turn without calls is left out.

    Raises:
        BridgeError: OCB-SHAPE if an argument has no name.
    """
    in_turns = [(f"/{TRUTH}/{at}", turn) for at, item in enumerate(items) if (turn := as_list(item)) is not None]
    turns = in_turns or [(f"/{TRUTH}", items)]
    messages: list[Json] = []
    for path, texts in turns:
        made: list[Json] = []
        for at, text in enumerate(texts):
            [*found] = calls_in(f"[{text}]", None)
            if len(found) != 1:
                raise misshapen(f"{path}/{at}", "a call whose arguments have names, as `f(a=1)`; write these names")
            made.append({"name": found[0][0], "arguments": found[0][1]})
        messages += [{"role": "assistant", "tool_calls": calls_of(made, path)}] if made else []
    empty = tuple([noticed(path, "a turn without calls is left out") for path, texts in turns if not texts])
    return Document(request(messages, None), empty)


def read_accepted(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the calls with the first accepted value of each argument, without the arguments that may be missing.

    Raises:
        BridgeError: OCB-SHAPE if an argument of a call as Python has no name.
    """
    items = items_of(fields[TRUTH])
    if _is_python(items):
        return [_read_python(items)]
    made: list[Json] = []
    for item in objects_of(fields[TRUTH]):
        [(name, arguments)] = item.items()
        first = {key: each[0] for key, each in arguments.items() if each[0] != ""}
        made.append({"name": name, "arguments": first})
    return [Document(request([{"role": "assistant", "tool_calls": calls_of(made, f"/{TRUTH}")}], None))]
