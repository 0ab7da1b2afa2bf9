"""Find calls, results and declared tools in texts, between the tags of Hermes, Glaive, GLM, Qwen, MiniMax and others.

Agents whose model has no tool calls (OpenHands, SWE-agent) write calls as tags, too, and the user sends the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.jsontext import as_text
from ..loss import Finding, FindingCode, Severity
from ..model import Json
from .declared import tools_of
from .edges import unended
from .fitting import as_list, as_object, items_of, members_of, without_members
from .layout import Object, noticed, parsed_or_none
from .messages import calls_of, message
from .pieces import function_call
from .pythonic import calls_in, literal_in
from .tagged import call_in_tags, call_of_function, calls_invoked, items_in, result_in


def _within(tag: str) -> str:
    """Return the pattern of a tag and its content without nested tags; unclosed tags are rejected in linear time."""
    return rf"<{tag}>([^<]*+(?:<(?!/?{tag}>)[^<]*+)*+)</{tag}>"


_OPENS_CALL: Final = ("<tool_call>", "<TOOLCALL>", "<minimax:tool_call>", "<|tool_call_start|>")
_CODE_OPENS: Final = "<|tool_call_start|>"
_CALL: Final = re.compile(
    rf"{_within('tool_call')}|{_within('TOOLCALL')}|{_within('minimax:tool_call')}|<functioncall>(.*)\Z"
    r"|<\|tool_call_start\|>([^<]*+(?:<(?!\|tool_call_(?:start|end)\|>)[^<]*+)*+)<\|tool_call_end\|>",
    re.DOTALL,
)
_CODE: Final = re.compile(r"```python\n(.*)```", re.DOTALL)
"""Calls as lines of Python (MiniCPM3)."""
_FUNCTION: Final = re.compile(
    r"^[ \t]*(<function=([^<>\n]+)>[^<]*+(?:<(?!/?function[=>])[^<]*+)*+</function>)", re.MULTILINE
)
"""A call without tags around the function."""
_LABEL: Final = re.compile(r"(?:EXECUTION RESULT of \[([^\]\n]+)\]|OBSERVATION):[ \t]*\n|FUNCTION RESPONSE:[ \t]*")
"""What the user says before a result: of a call by its name (OpenHands), or of the one before (SWE-agent, Glaive)."""
_RESULT: Final = re.compile(_within("tool_response"))
_EXAONE_RESULT: Final = re.compile(_within("tool_result"))
_RESULTS: Final = re.compile(rf"\s*{_within('TOOL_RESPONSE')}\s*")
_TOOLS: Final = re.compile(
    rf"(?<![ \t])[ \t]*+(?:(?!<tools>\s*</tools>){_within('tools')}|{_within('AVAILABLE_TOOLS')})\n?"
)
"""Declared tools; an empty pair of tags only mentions the tags, in a prompt."""
_TOOL: Final = re.compile(r"<tool>(\{[^<]*+(?:<(?!/?tool>)[^<]*+)*+)</tool>\n?")
"""A tool of EXAONE's."""
_QUOTED: Final = re.compile(r"""\A\{\s*"name":\s*"([^"]*)",\s*"arguments":\s*'(.*)'\s*\}\Z""", re.DOTALL)
"""A call of Glaive's, whose arguments are JSON in single quotes."""
_OBJECT: Final = re.compile(r"^\{", re.MULTILINE)
_INTRODUCE: Final = ("functions", "make calls in a single JSON array")
"""Words of a system text that lists tools as JSON at its end (Glaive, xLAM-2)."""


_ANSWERING: Final = ("tool", "user", "function")
"""The roles of messages that may be results between tags."""
_GLAIVE: Final = "<functioncall>"
"""The tag before a call of Glaive's; answers next to such calls end with the token of the template, too."""
_TAGS: Final = (*_OPENS_CALL, "<tool_response>", "<tools>", _GLAIVE, "<function=")


def has_tags(text: Json) -> bool:
    """Return whether a text has a tag of calls, results or tools."""
    if text.__class__ is not str or "<" not in text:
        return False
    return any(tag in text for tag in _TAGS)


def mended(text: str) -> str | None:
    """Return the JSON of a call that is Python, or that has quotes around its arguments; None for any other text."""
    quoted = _QUOTED.match(text.strip())
    if quoted is not None:
        return as_text({"name": quoted[1], "arguments": quoted[2]})
    if not text.lstrip().startswith("{"):
        return None
    with suppress(BridgeError):
        jsontext.loads(text)
        return None
    found = members_of(literal_in(text))
    return as_text(found) if isinstance(found.get("name"), str) else None


def have_tagged_calls(turns: Sequence[Object]) -> bool:
    """Return whether a message of the assistant has a call between tags in its text, and none beside it."""
    return any(_has_call(turn, turns[at + 1 : at + 2]) for at, turn in enumerate(turns))


def _has_call(turn: Object, after: Sequence[Object]) -> bool:
    text = turn.get("content")
    if turn.get("role") != "assistant" or turn.get("tool_calls") or not isinstance(text, str) or "<" not in text:
        return False
    tagged = any(tag in text for tag in _OPENS_CALL)
    return (tagged and _CALL.search(text) is not None) or bool(_functions(text, after, None))


def _functions(text: str, after: Sequence[Object], tools: list[Json] | None) -> list[re.Match[str]]:
    """Return the calls of functions without tags around them, if the next message or the tools show that they are."""
    found = list(_FUNCTION.finditer(text)) if "<function=" in text else []
    names = set(map(_name, tools or ()))
    answered = any(
        each.get("role") == "tool" or _labelled(each, [one[2] for one in found]) is not None for each in after
    )
    return found if answered or all(one[2] in names for one in found) else []


def _text_alone(each: Object) -> str | None:
    """Return the content of a message that is a text, or one part of text (SWE-agent); None for any other content."""
    content = each.get("content")
    parts = items_of(content)
    part = as_object(parts[0]) if len(parts) == 1 else None
    if part is not None and part.keys() == {"type", "text"}:
        content = part["text"]
    return content if isinstance(content, str) else None


def _labelled(each: Object, names: Sequence[str]) -> str | None:
    """Return the result that a message of the user has of the only call before it; None for any other message."""
    text = _text_alone(each)
    if each.get("role") != "user" or text is None or len(names) != 1:
        return None
    found = _LABEL.match(text)
    return text[found.end() :] if found is not None and found[1] in (None, *names) else None


def extract_tools(
    messages: Sequence[Object], tools: list[Json] | None = None, place: str = "/messages"
) -> tuple[list[Json] | None, list[Object], tuple[Finding, ...]]:
    """Move calls, results and tools out of the texts of messages.

    Args:
        messages: messages of Chat Completions.
        tools: tools that are declared elsewhere; None for none.
        place: the path of the messages, for findings.

    Returns:
        The declared tools, the messages, and findings about what was repaired or kept as text.
    """
    out: list[Object] = []
    findings: list[Finding] = []
    end = [message("tool", "")] if have_tagged_calls(messages) else []  # after others, the last call is one, too
    ended = any(_GLAIVE in (_text_alone(each) or "") for each in messages if each["role"] == "assistant")
    for at, each in enumerate(messages):
        text, path = _text_alone(each), f"{place}/{at}/content"
        if text is None:
            out.append(each)
        elif each["role"] == "system":
            declared, rest = _declared(text, path, findings)
            if declared is not None and tools and not all(tool in tools for tool in declared):
                findings.append(noticed(path, "the text declares other tools than the row; it is kept as it is"))
                rest = text
            elif declared is not None:
                tools = tools or declared
            out.append(each if rest == text else {**each, "content": rest})
        elif each["role"] == "assistant":
            answer = _called(each, text, path, findings, tools, messages[at + 1 : at + 2] or end)
            out.append(_without_end(each, text) if ended and answer is each and _GLAIVE not in text else answer)
        elif (result := _labelled(each, _names(messages[at - 1 : at], out))) is not None:
            out.append({**each, **message("tool", result)})
        elif each["role"] in _ANSWERING and (results := _results(each, text, out, path, findings)) is not None:
            other_members = without_members(each, "role", "content")
            out += [{**message("tool", result), **other_members} for result in results]
        else:
            out.append(each)
    return tools, out, tuple(findings)


def _without_end(each: Object, text: str) -> Object:
    """Return a message without the token that ends its text; unchanged if there is none."""
    bare = unended(text)
    return each if bare == text.strip() else {**each, "content": bare}


def _names(before: Sequence[Object], out: Sequence[Object]) -> list[str]:
    """Return the names of the calls that were taken out of the text of the message before; none for other calls."""
    if not before or before[0].get("tool_calls"):
        return []
    return list(map(_name, items_of(out[-1].get("tool_calls")) if out else ()))


def _name(tool: Json) -> str:
    """Return the name of a function in a declared tool or in a call; "" for any other value."""
    name = members_of(members_of(tool).get("function")).get("name")
    return name if isinstance(name, str) else ""


def _called(
    each: Object, text: str, path: str, findings: list[Finding], tools: list[Json] | None, after: Sequence[Object]
) -> Object:
    """Return a message of the assistant with its calls; the message unchanged if its text has none, or is kept."""
    pattern, found = _CALL, list(_CALL.finditer(text))
    if not found:
        pattern, found = _FUNCTION, _functions(text, after, tools)
    if not found:
        if (listed := _listed(text, tools)) is not None:
            return {**each, "content": None, "tool_calls": listed}
        if "<function=" in text and _FUNCTION.search(text):
            findings.append(Finding(FindingCode.MARKUP, Severity.CHANGED, path, "nothing answers the call in the text"))
        return each
    text = unended(text)
    found = list(pattern.finditer(text))
    before, rest = text[: found[0].start()], pattern.sub("", text[found[0].start() :])
    about_calls: list[Finding] = []
    try:
        made = [call for one in found for call in _call(_inside(one), path, about_calls, tools)]
    except BridgeError:
        findings.append(
            Finding(FindingCode.JSON_OPAQUE, Severity.CHANGED, path, "a call is not JSON; it is kept as text")
        )
        return each
    if not made:
        return each  # an empty list of calls: the text says that there is none (SmolTalk)
    if rest.strip() and found[0][0].startswith(_CODE_OPENS) and not before.strip():
        before, rest = rest, ""  # the template writes the text of the message after its calls
    if rest.strip():
        findings.append(noticed(path, "there is text after the calls; the calls and the text are kept as one text"))
        return each
    findings += about_calls
    content = before.strip()
    return {**each, "content": content or None, "tool_calls": made}


def _listed(text: str, tools: list[Json] | None) -> list[Json] | None:
    """Return the calls of a text that is a JSON list of calls of declared tools (xLAM-2); None for any other text."""
    if not tools or not text.startswith("[{"):
        return None
    items = items_of(parsed_or_none(text))
    if not items or not all(members_of(item).keys() == {"name", "arguments"} for item in items):
        return None
    made = calls_of(items, "")
    return made if {*map(_name, made)} <= {*map(_name, tools)} else None


def answered(messages: list[Object], tools: list[Json] | None) -> list[Object]:
    """Return messages in which texts are calls if they are nothing but calls of declared tools, and a tool answers.

    Such a text is JSON, or the name of the tool with the arguments on the next line (GLM-4).
    """
    names = set(map(_name, tools or ())) - {""}
    if not names:
        return messages
    out = list(messages)
    for at, (each, after) in enumerate(pairwise(messages)):
        text = each.get("content")
        if after.get("role") != "tool" or each.get("role") != "assistant" or not isinstance(text, str):
            continue
        if not each.get("tool_calls") and (made := _alone_in(text, names)):
            out[at] = {**each, "content": None, "tool_calls": made}
    return out


def _alone_in(text: str, names: set[str]) -> list[Json]:
    """Return the calls that a text consists of; none for any other text."""
    head, line_break, rest = text.strip().partition("\n")
    name = head.strip() if line_break else ""
    with suppress(BridgeError):
        value = jsontext.loads(rest if name in names else text)
        if name in names:
            value = {"name": name, "arguments": value} if as_object(value) is not None else None
        listed = as_list(value)
        items = list(map(members_of, [value] if listed is None else listed))
        if all(each.keys() in _CALL_MEMBERS and str(each["name"]) in names for each in items):
            return calls_of(items, "")
    return []


_CALL_MEMBERS: Final = ({"name", "arguments"}, {"name", "parameters"})
"""The members of a call that is a text of its own."""


def _inside(found: re.Match[str]) -> str:
    return found[1] if found.re is _FUNCTION else found[found.lastindex or 0]


def _call(text: str, path: str, findings: list[Finding], tools: list[Json] | None) -> list[Json]:
    """Return the calls in the content of a tag.

    Raises:
        BridgeError: OCB-JSON or OCB-SHAPE if the content is not a call.
    """
    text = text.strip()
    tagged = call_in_tags(text, tools)
    if tagged is not None:
        return [tagged]
    if (invoked := calls_invoked(text, tools)) is not None:
        return invoked
    code = _CODE.fullmatch(text)
    if written := calls_in(text if code is None else f"[{code[1].strip()}]", None):
        return [function_call(name, arguments) for name, arguments in written]
    if (function := call_of_function(text, tools)) is not None:
        if function[1]:
            detail = f"no tool gives a type for {', '.join(function[1])}; the value is read as text"
            findings.append(noticed(path, detail))
        return [function[0]]
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return [function_call(quoted[1], quoted[2])]
    try:
        value: Json = jsontext.loads(text)
    except BridgeError:
        value = literal_in(text)
        if as_object(value) is None:
            raise
        findings.append(Finding(FindingCode.JSON_REPAIRED, Severity.CHANGED, path, "a call is written as Python code"))
    return calls_of(value, path)


def _results(each: Object, text: str, before: Sequence[Object], path: str, findings: list[Finding]) -> list[str] | None:
    """Return the results in the text of a message; None if the text holds anything else."""
    if (together := _RESULTS.fullmatch(text)) is not None:
        calls = items_of(before[-1].get("tool_calls")) if before else []
        items = items_in(together[1], len(calls))
        if len(items) < len(calls):
            findings.append(noticed(path, "the results of several calls cannot be distinguished; they are kept as one"))
        return items
    if each["role"] == "tool" and (found := _alone(_EXAONE_RESULT, text)):
        return [result_in(one) for one in found]
    return _alone(_RESULT, text)


def _alone(pattern: re.Pattern[str], text: str) -> list[str] | None:
    """Return the contents of the tags in a text; None if the text has no such tags, or other text too."""
    found = pattern.findall(text)
    return [one.strip() for one in found] if found and not pattern.sub("", text).strip() else None


def _declared(text: str, path: str, findings: list[Finding]) -> tuple[list[Json] | None, str]:
    """Return the tools that a system text declares, and the text without them; None if it declares none."""
    found = _TOOLS.search(text)
    one_by_one = _TOOL.findall(text) if found is None else []
    if found is not None:
        inner = found[found.lastindex or 0]
        values = _objects("\n".join(_TOOL.findall(inner)) if "<tool>" in inner else inner)
        before, after = text[: found.start()], text[found.end() :]
        inline = "\n" if before.strip() and not before.endswith("\n") else ""  # text follows the tools in their line
        rest = f"{before}{inline}{after}" if after.strip() else before.rstrip()
    elif one_by_one:
        values, rest = _objects("\n".join(one_by_one)), _TOOL.sub("", text)
    else:
        first = _OBJECT.search(text) if any(word in text for word in _INTRODUCE) else None
        if first is None:
            return None, text
        values, rest = _objects(text[first.start() :]), text[: first.start()].rstrip()
    with suppress(BridgeError):
        if values:
            return tools_of(values, path), rest
    findings.append(
        Finding(FindingCode.TOOLS_OPAQUE, Severity.CHANGED, path, "the tools are not JSON; they are kept as text")
    )
    return None, text


def _objects(text: str) -> list[Json] | None:
    """Return the items of a JSON list, or successive JSON values; None for any other text."""
    with suppress(BridgeError):
        value = jsontext.loads(text.strip())
        return as_list(value) or ([value] if as_object(value) is not None else None)
    pieces = re.split(r"\n\s*\n|(?<=\})\s*\n(?=\{)", text.strip())
    with suppress(BridgeError):
        return [jsontext.loads(piece) for piece in pieces if piece.strip()]
    return as_list(literal_in(text))
