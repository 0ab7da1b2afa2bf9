"""Find the calls in answers of chat templates that mark them with tokens, or with the role of the next turn."""

from __future__ import annotations

import re
from typing import Final

from ...errors import BridgeError
from ...model import Json
from ..fitting import as_list, as_object, members_of, without_members
from ..layout import Object, parsed, parsed_or_none
from ..messages import calls_of, message
from ..pieces import Pieces, function_call
from . import dsml
from .framed import calling


def _calls(text: str) -> list[Json] | None:
    """Return the calls in a JSON text; None for any other text."""
    try:
        value = parsed(text.strip(), "")
        listed = as_list(value) or [value]
        named = [_normalized(members_of(each)) for each in listed]
        return calls_of(list[Json](named), "") if all(map(_is_call, named)) else None
    except BridgeError:
        return None


def _normalized(call: Object) -> Object:
    """Return a call with the usual member names, without its id or number, which no turn of a result has."""
    name = {"name": call["tool_name"]} if "tool_name" in call else {}
    return {**name, **without_members(call, "tool_name", "tool_call_id", "id")}


def _is_call(call: Object) -> bool:
    return "name" in call and not call.keys().isdisjoint(("parameters", "arguments"))


def after_token(token: re.Pattern[str], text: str, _after: str) -> list[Object] | None:
    """Return the messages of an answer whose calls are JSON after a token; None if there are none."""
    before, *rest = token.split(text, maxsplit=1)
    calls = _calls(rest[0]) if rest else None
    return None if calls is None else calling(before, calls)


def in_tokens(section: str, call: re.Pattern[str], close: str, text: str, _after: str) -> list[Object] | None:
    """Return the messages of an answer with calls after a token, in which further tokens mark names and arguments."""
    before, token, rest = text.partition(section)
    found = [[group for group in each.groups() if group is not None] for each in call.finditer(rest)]
    if not token or not found or call.sub("", rest).replace(close, "").strip():
        return None
    return calling(before, [function_call(name.strip(), arguments.strip()) for name, arguments in found])


def llama(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer of Llama 3 or 4 with calls; None if there are none."""
    framed = _PYTHON.match(text)
    if framed is not None:  # Llama 4: the call is between the tokens, or after them, with text between them
        inside, after_end = framed.groups()
        calls = _calls(after_end or inside)
        return None if calls is None else calling(inside if after_end else "", calls)
    before, token, call = text.rpartition("<|python_tag|>")
    if not token and not (after == "tool" and call.startswith(("{", "["))):
        return None
    calls = _calls(call)
    if calls is not None:
        return calling(before, calls)
    if not token:
        return None
    pieces = Pieces("assistant")
    pieces.say(before.strip())
    named = _COMMAND.fullmatch(call.strip())
    if named is None:
        pieces.command("ipython", call.strip())  # the role that runs the code and replies
    else:
        pieces.command(named[1], named[2])
    return pieces.messages()


_PYTHON: Final = re.compile(r"\s*<\|python_start\|>(.*?)<\|python_end\|>\s*(.*)", re.DOTALL)
_COMMAND: Final = re.compile(r"(\w+)\.call\((.*)\)", re.DOTALL)
"""A call of one of the tools that Llama knows: `brave_search.call(query="…")`."""


def command_r(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer of Command R with calls or reasoning; None if there are none."""
    thought = _THINKING.match(text)
    rest = text if thought is None else text[thought.end() :]
    called = after_token(_ACTION, _ACTION_ENDS.sub("", rest), after)
    if thought is None:
        return called
    first, *others = called or [message("assistant", rest.strip())]
    return [{"role": "assistant", "reasoning": thought[1].strip(), **first}, *others]


_THINKING: Final = re.compile(
    r"\s*<\|START_THINKING\|>(.*?)<\|END_THINKING\|>(?:<\|START_(?:RESPONSE|TEXT)\|>)?", re.DOTALL
)
_ACTION: Final = re.compile(r"Action:\s*```json\s*(?=\[)|<\|START_ACTION\|>")
_ACTION_ENDS: Final = re.compile(r"(?:(?<=\])\s*```|<\|END_ACTION\|>)\s*\Z")


def deepseek(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer of DeepSeek with calls; None if there are none."""
    found = in_tokens("<｜tool▁calls▁begin｜>", _DEEPSEEK_CALL, "<｜tool▁calls▁end｜>", text, after)
    return found or dsml.called(text)


_DEEPSEEK_CALL: Final = re.compile(
    r"<｜tool▁call▁begin｜>(?:\w+<｜tool▁sep｜>([^\n]+)\n```json\n(.*?)\n```|([^<\n]+)<｜tool▁sep｜>(.*?))"
    r"<｜tool▁call▁end｜>",
    re.DOTALL,
)


def glm(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer that calls a tool by name, with the arguments on the next line (GLM-4)."""
    found = _NAMED_CALL.fullmatch(text) if after == "tool" else None
    if found is None:
        return None
    return None if as_object(parsed_or_none(found[2])) is None else calling("", [function_call(found[1], found[2])])


_NAMED_CALL: Final = re.compile(r"\s*([\w.-]+)[ \t]*\n\s*(\{.*\})\s*", re.DOTALL)


def jamba(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer with calls in `<tool_calls>`; None if there are none."""
    return after_token(_TOOL_CALLS, _TOOL_CALLS_END.sub("", text), after)


_TOOL_CALLS: Final = re.compile(r"<tool_calls>(?=\s*\[)")
_TOOL_CALLS_END: Final = re.compile(r"</tool_calls>\s*\Z")


def minimax_replied(role: str, text: str) -> list[Object] | None:
    """Return the results of a turn, each in `<response>` (MiniMax M2); None for a turn without such results."""
    found = _RESPONSE.findall(text) if role == "tool" else []
    return [message("tool", each) for each in found] if found and not _RESPONSE.sub("", text).strip() else None


_RESPONSE: Final = re.compile(r"<response>([^<]*+(?:<(?!/?response>)[^<]*+)*+)</response>")
