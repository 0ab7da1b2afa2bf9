"""Read calls that are written as Python in brackets, of functions that the system's text lists as JSON (ToolACE)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from ..json_values import jsontext
from ..loss import Finding
from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, noticed
from .listed import closing
from .messages import message, request, respelled_all, tools_of
from .pieces import spelled
from .turns import CONVERSATIONS, SYSTEM, are_sharegpt

_WORDS: Final = {"true": True, "false": False, "null": None}
"""Words of JSON that are names in Python."""
Call = tuple[str, Object]
"""The name of a function, and its arguments."""


def are_bracketed(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold turns with a system text that lists functions, and with a call of one of them."""
    if not any(map(_may_call, as_list(fields.get(CONVERSATIONS)) or ())) or not are_sharegpt(fields, wording):
        return False
    messages = _messages(fields, wording)
    names = _names(_listed(messages)[0])
    return bool(names) and any(_calls(each, names) for each in messages)


def _may_call(turn: Json) -> bool:
    found = as_object(turn) or {}
    text = found.get("value") or found.get("content")
    return isinstance(text, str) and text.startswith("[") and text.rstrip()[-2:] == ")]"


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
            made = [
                {"type": "function", "function": {"name": name, "arguments": spelled(given)}} for name, given in calls
            ]
            out.append({**each, "content": None, "tool_calls": made})
        elif results is not None:
            out += [message("tool", result) for result in results]
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
    if isinstance(text, str):
        return [message("system", text), *messages]
    return messages if messages and messages[0]["role"] == "system" else [message("system", ""), *messages]


def _listed(messages: Sequence[Object]) -> tuple[list[Json], str]:
    """Return the functions that the system's text lists, without nulls, and the text without the list."""
    text = messages[0].get("content")
    at = text.find("[{") if isinstance(text, str) else -1
    found = jsontext.value_at(str(text), at) if at >= 0 else None
    functions = [as_object(each) or {} for each in as_list(found[0]) or []] if found is not None else []
    if found is None or not all(isinstance(each.get("name"), str) for each in functions):
        return [], str(text)
    bare = [{key: value for key, value in each.items() if value is not None} for each in functions]
    return list[Json](bare), f"{str(text)[:at]}{str(text)[found[1] :]}"


def _names(functions: Sequence[Json]) -> list[str]:
    """Return the names of functions, the longest first."""
    return sorted((str((as_object(each) or {})["name"]) for each in functions), key=len, reverse=True)


def _calls(each: Object, names: Sequence[str]) -> list[Call]:
    """Return the calls of a message that consists of nothing else; none for any other message."""
    text = each.get("content")
    if each["role"] != "assistant" or not isinstance(text, str) or not text.strip().startswith("["):
        return []
    text, at = text.strip(), 1
    calls: list[Call] = []
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        name = next((name for name in names if text.startswith(f"{name}(", at)), None)
        end = -1 if name is None else closing(text, at + len(name))
        arguments = None if name is None or end < 0 else _arguments(text[at + len(name) : end])
        if name is None or arguments is None:
            return []
        calls.append((name, arguments))
        rest = text[end:].lstrip()
        if rest == "]":
            return calls
        if not rest.startswith(","):
            return []
        at = len(text) - len(rest) + 1


class _Literals(ast.NodeTransformer):
    """Replaces the words of JSON by the literals of Python."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_WORDS[node.id]) if node.id in _WORDS else node


def _arguments(text: str) -> Object | None:
    """Return the arguments in parentheses, each with its name; None if one has none, or is not a literal."""
    try:
        call = ast.parse(f"f{text}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(each.arg is None for each in call.keywords):
            return None
        found = {str(each.arg): ast.literal_eval(_Literals().visit(each.value)) for each in call.keywords}
        return found if jsontext.loads(spelled(found)) == found else None
    except Exception:  # anything else than literals, or too much of it
        return None


def _results(each: Object, waiting: Sequence[str]) -> list[str] | None:
    """Return the results in a reply, one for each call before it; None if it is not a list of them."""
    if each["role"] != "tool" or not waiting or not isinstance(each.get("content"), str):
        return None
    found = jsontext.value_at(each["content"], 0)
    items = [as_object(item) or {} for item in as_list(found[0]) or []] if found is not None else []
    if [item.get("name") for item in items] != [*waiting] or not all(
        item.keys() == {"name", "results"} for item in items
    ):
        return None
    return [item["results"] if isinstance(item["results"], str) else spelled(item["results"]) for item in items]
