"""Read calls that are written as Python in brackets, of functions that the system's text lists as JSON (ToolACE)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...json_values import jsontext
from ...json_values.jsontext import as_text
from ...loss import Finding
from ...model import Json
from ..declared import tools_of
from ..fitting import items_of, members_of, objects_of
from ..layout import Document, Object, Wording, noticed
from ..messages import message, request, respelled_all
from ..pieces import function_call
from ..pythonic import Call, calls_in
from ..turns import CONVERSATIONS, SYSTEM, are_sharegpt


def are_bracketed(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold turns with a system text that lists functions, and with a call of one of them."""
    if not any(map(_may_call, items_of(fields.get(CONVERSATIONS)))) or not are_sharegpt(fields, wording):
        return False
    messages = _messages(fields, wording)
    names = _names(_listed(messages)[0])
    return bool(names) and any(_calls(each, names) for each in messages)


def _may_call(turn: Json) -> bool:
    if turn.__class__ is not dict:
        return False
    text = turn.get("value") or turn.get("content")
    return text.__class__ is str and text[:1] == "[" and text.rstrip()[-2:] == ")]"


def read_bracketed(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation with its calls, their results, and the tools, which leave the system's text.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a turn, or a listed function is none.
    """
    messages = _messages(fields, wording)
    functions, rest = _listed(messages)
    names = _names(functions)
    out: list[Object] = [message("system", rest)] if rest else []
    waiting: list[str] = []
    findings: list[Finding] = []
    for at, each in enumerate(messages[1:], 1):
        calls = _calls(each, names)
        results = _results(each, waiting)
        if calls:
            out.append({**each, "content": None, "tool_calls": [function_call(*call) for call in calls]})
        elif results is not None:
            out += [
                {**(message("tool", "") if at_result else each), "content": result}
                for at_result, result in enumerate(results)
            ]
        else:
            if each["role"] == "tool" and len(waiting) > 1:
                findings.append(noticed(f"/{CONVERSATIONS}/{at}", "the results of several calls are kept as one"))
            out.append(each)
        waiting = [name for name, _ in calls]
    return [Document(request(out, tools_of(functions, f"/{SYSTEM}")), tuple(findings))]


def _messages(fields: Object, wording: Wording) -> list[Object]:
    """Return the messages, the first of which is the system's."""
    messages = respelled_all(fields[CONVERSATIONS], wording, f"/{CONVERSATIONS}")
    text = fields.get(SYSTEM)
    if text:
        return [{"role": "system", "content": text}, *messages]
    return messages if messages and messages[0]["role"] == "system" else [message("system", ""), *messages]


def _listed(messages: Sequence[Object]) -> tuple[list[Json], str]:
    """Return the functions that the system's text lists, without nulls, and the text without the list."""
    text = messages[0].get("content")
    at = text.find("[{") if isinstance(text, str) else -1
    found = jsontext.value_at(str(text), at) if at >= 0 else None
    functions = objects_of(found[0]) if found is not None else []
    if found is None or not all(isinstance(each.get("name"), str) for each in functions):
        return [], str(text)
    bare = [{key: value for key, value in each.items() if value is not None} for each in functions]
    return list[Json](bare), f"{str(text)[:at]}{str(text)[found[1] :]}"


def _names(functions: Sequence[Json]) -> set[str]:
    return {str(members_of(each)["name"]) for each in functions}


def _calls(each: Object, names: Collection[str]) -> list[Call]:
    """Return the calls of a message that consists of nothing else; none for any other message."""
    text = each.get("content")
    if each["role"] != "assistant" or not isinstance(text, str):
        return []
    return calls_in(text, names)


def _results(each: Object, waiting: Sequence[str]) -> list[str] | None:
    """Return the results in a reply, one for each call before it; None if it is not a list of them."""
    if each["role"] != "tool" or not waiting or not isinstance(each.get("content"), str):
        return None
    found = jsontext.value_at(each["content"], 0)
    items = objects_of(found[0]) if found is not None else []
    if [item.get("name") for item in items] != [*waiting] or not all(
        item.keys() == {"name", "results"} for item in items
    ):
        return None
    return [item["results"] if isinstance(item["results"], str) else as_text(item["results"]) for item in items]
