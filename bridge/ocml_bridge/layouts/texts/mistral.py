"""Read the calls and the results in texts of Mistral's templates; both may have ids, which pair them.

Calls and results are JSON (axolotl, `mistral_v2v3.jinja`, `mistral_v3_tekken.jinja`), or have tokens between their
fields (mistral-common, tokenizers v11 and v13).
"""

from __future__ import annotations

import re
from typing import Final

from ...errors import BridgeError
from ...json_values.jsontext import as_text
from ...model import Json
from ..fitting import as_list, members_of
from ..layout import Object, parsed, parsed_or_none
from ..messages import calls_of, message
from ..pieces import function_call
from .framed import calling

_CALLS: Final = "[TOOL_CALLS]"
_CALL: Final = re.compile(r"([\w.-]+)(?:\[CALL_ID\](\w+))?\[ARGS\](.*?)(?:\[TOOL_CALLS\]|\Z)", re.DOTALL)
_RESULT: Final = re.compile(r"(\w+)\[TOOL_CONTENT\](.*)", re.DOTALL)
_MEMBERS: Final = frozenset(("content", "call_id", "name"))
"""The members of a result in JSON."""


def called(text: str, _after: str) -> list[Object] | None:
    """Return the messages of an answer with calls; None if there are none."""
    before, token, rest = text.partition(_CALLS)
    calls = (_listed(rest) or _in_tokens(rest)) if token else None
    return calling(before, calls) if calls else None


def _listed(text: str) -> list[Json] | None:
    """Return the calls of a JSON list; None for any other text."""
    try:
        return calls_of(parsed(text.strip(), ""), "")
    except BridgeError:
        return None


def _in_tokens(text: str) -> list[Json] | None:
    """Return the calls whose name, id and arguments have tokens between them; None for any other text."""
    found = _CALL.findall(text)
    if not found or _CALL.sub("", text).strip():
        return None
    return [function_call(name, arguments.strip(), call_id or None) for name, call_id, arguments in found]


def replied(role: str, text: str) -> list[Object] | None:
    """Return the results of a turn of tools; None for another turn."""
    if role != "tool":
        return None
    in_tokens = _RESULT.fullmatch(text)
    if in_tokens is not None:
        return [{**message("tool", in_tokens[2]), "tool_call_id": in_tokens[1]}]
    value = parsed_or_none(text)
    results = [_result(members_of(each)) for each in as_list(value) or [value]]
    found = [each for each in results if each is not None]
    return found if len(found) == len(results) else [message("tool", text)]  # what a tool gave, without a wrapper


def _result(value: Object) -> Object | None:
    """Return the message of a result in JSON, which names its call or its tool; None for any other object."""
    if "content" not in value or not {"content"} < value.keys() <= _MEMBERS:
        return None
    content, call_id = value["content"], value.get("call_id")
    identity = {"tool_call_id": call_id} if isinstance(call_id, str) and call_id else {}
    name = {"name": value["name"]} if isinstance(value.get("name"), str) else {}
    return {**message("tool", content if isinstance(content, str) else as_text(content)), **name, **identity}
