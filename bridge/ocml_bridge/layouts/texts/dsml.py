"""Read the tools, calls and results of DeepSeek V3.2 and V4, which their templates write in tags with `｜DSML｜`."""

from __future__ import annotations

import re
from typing import Final

from ...errors import BridgeError
from ...json_values import jsontext
from ...model import Json
from ..layout import Object
from ..messages import message
from ..pieces import function_call
from .framed import calling

_SECTION: Final = re.compile(r"<｜DSML｜(function|tool)_calls>\s*(.*?)\s*</｜DSML｜\1_calls>\s*\Z", re.DOTALL)
_INVOKE: Final = re.compile(r'<｜DSML｜invoke name="([^"]+)">\s*(.*?)\s*</｜DSML｜invoke>', re.DOTALL)
_PARAMETER: Final = re.compile(
    r'<｜DSML｜parameter name="([^"]+)" string="(true|false)">(.*?)</｜DSML｜parameter>', re.DOTALL
)
_TOOLS: Final = re.compile(
    r"(?:\A|\n\n)## Tools\n\nYou have access to a set of tools .*?"
    r"(?:\n<functions>\n(.*?)\n</functions>\n?"
    r"|\n### Available Tool Schemas\n\n(.*?)\n\nYou MUST strictly follow [^\n]*\n?)",
    re.DOTALL,
)
"""The words about tools at the end of the system's text, with the tools: those of V3.2, and those of V4."""
_RESULTS: Final = {
    "tool": re.compile(r"\s*<result>(.*?)</result>\s*", re.DOTALL),
    "user": re.compile(r"\s*<tool_result>(.*?)</tool_result>\s*", re.DOTALL),
}
"""The role of a turn with results → the pattern of one of them."""


def called(text: str) -> list[Object] | None:
    """Return the messages of an answer with calls; None if there are none, or if they cannot be distinguished."""
    section = _SECTION.search(text)
    if section is None or _INVOKE.sub("", section[2]).strip():
        return None
    calls: list[Json] = []
    for name, inner in _INVOKE.findall(section[2]):
        arguments = _arguments(inner)
        if arguments is None:
            return None
        calls.append(function_call(name, arguments))
    return calling(text[: section.start()], calls)


def _arguments(text: str) -> Object | None:
    """Return the arguments of a call: texts as they are, other values as their JSON; None for any other text."""
    if _PARAMETER.sub("", text).strip():
        return None
    arguments: Object = {}
    for name, is_text, value in _PARAMETER.findall(text):
        try:
            arguments[name] = value if is_text == "true" else jsontext.loads(value)
        except BridgeError:
            return None
    return arguments


def declared(text: str) -> tuple[str, list[Json]]:
    """Return the system's text without its tools and the words about them, and the tools."""
    found = _TOOLS.search(text)
    if found is None:
        return text, []
    try:
        functions = [jsontext.loads(line) for line in found[found.lastindex or 0].split("\n")]
    except BridgeError:
        return text, []
    around = f"{text[: found.start()]}{text[found.end() :]}"
    return around.strip(), [{"type": "function", "function": each} for each in functions]


def replied(role: str, text: str) -> list[Object] | None:
    """Return the results of a turn, and what a person says after them; None for a turn without results."""
    pattern, messages, at = _RESULTS.get(role), list[Object](), 0
    while pattern is not None and (found := pattern.match(text, at)) is not None:
        messages.append(message("tool", found[1]))
        at = found.end()
    if not messages or (text[at:] and role == "tool"):
        return None
    return [*messages, *([message(role, text[at:])] if text[at:] else [])]
