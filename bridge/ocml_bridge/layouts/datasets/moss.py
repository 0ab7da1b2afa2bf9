"""Read MOSS: a mapping of turns, each with reasoning, commands and results before the answer; or one text of turns."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final, cast

from ...common.python_code import expression
from ...loss import Finding
from ...model import Json
from ..fitting import as_object, members_of
from ..layout import Document, Object, Wording, misshapen, noticed
from ..messages import message, request, system_of
from ..pieces import Pieces

TURNS: Final = "turns"
TEXT: Final = "text"
SYSTEM: Final = "system"
_HUMAN, _THOUGHTS, _COMMANDS, _RESULTS, _MOSS = "Human", "Inner Thoughts", "Commands", "Tool Responses", "MOSS"
_KEYS: Final = (_HUMAN, _THOUGHTS, _COMMANDS, _RESULTS, _MOSS)
_TURN: Final = re.compile(r"turn_(\d+)")
_BEGINS: Final = re.compile(r"\s*<\|[A-Za-z ]+\|>:?")
_END: Final = re.compile(r"<eo[a-z]>")
_SPEAKER: Final = re.compile(r"\[(Human|MOSS)\]: ?")
_ENDS: Final = re.compile(r"<eo[ha]>\s*")


def is_moss(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold turns of MOSS."""
    turns = as_object(fields.get(TURNS))
    if turns is None:
        return _messages_in(fields.get(TEXT)) is not None
    return bool(turns) and all(_TURN.fullmatch(name) and _is_turn(members_of(turn)) for name, turn in turns.items())


def _is_turn(turn: Object) -> bool:
    return _HUMAN in turn and turn.keys() <= {*_KEYS} and all(isinstance(each, str) for each in turn.values())


def read_moss(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the turns, after the meta instruction.

    Raises:
        BridgeError: OCB-SHAPE if the turns are not those of MOSS.
    """
    system = fields.get(SYSTEM)
    is_blank = isinstance(system, str) and not system.strip()
    messages = [] if is_blank else system_of(system, f"/{SYSTEM}")
    turns = as_object(fields.get(TURNS))
    if turns is None:
        found = _messages_in(fields.get(TEXT))
        if found is None:
            raise misshapen(f"/{TEXT}", "a text in which `[Human]:` and `[MOSS]:` take turns")
        return [Document(request([*messages, *found], None))]
    findings: list[Finding] = []
    for name in sorted(turns, key=_number):
        messages.append(message("user", _without_tokens(turns[name].get(_HUMAN)) or ""))
        messages += _answer(cast("Object", turns[name]), f"/{TURNS}/{name}", findings)
    return [Document(request(messages, None), tuple(findings))]


def _messages_in(text: Json) -> list[Object] | None:
    """Return the messages of a text in which each turn has a speaker and an end token; None for any other text."""
    if not isinstance(text, str) or not _SPEAKER.match(text):
        return None
    *turns, last = _ENDS.split(text)
    speakers = [_SPEAKER.match(turn) for turn in turns]
    if last or not turns or None in speakers:
        return None
    roles = {_HUMAN: "user", _MOSS: "assistant"}
    return [message(roles[each[1]], turn[each.end() :]) for each, turn in zip(speakers, turns, strict=True) if each]


def _number(name: str) -> int:
    found = _TURN.fullmatch(name)
    if found is None:
        raise misshapen(f"/{TURNS}/{name}", "a turn, as turn_1")
    return int(found[1])


def _without_tokens(text: Json) -> str | None:
    """Return the text between the tokens of a turn's member; None if it is empty."""
    if not isinstance(text, str):
        return None
    begins = _BEGINS.match(text)
    ended = text.rstrip()
    ended = ended[: -len("<eoh>")] if _END.fullmatch(ended[-len("<eoh>") :]) else ended
    bare = ended[0 if begins is None else begins.end() :].strip()
    return None if bare in ("", "None") else bare


def _answer(turn: Object, place: str, findings: list[Finding]) -> list[Object]:
    """Return the messages of MOSS in a turn: reasoning, commands, results and answer."""
    thought, commands, results, answer = (
        _without_tokens(turn.get(key)) for key in (_THOUGHTS, _COMMANDS, _RESULTS, _MOSS)
    )
    pieces = Pieces("assistant")
    if thought is not None:
        pieces.think(thought)
    if commands is not None:
        calls, replies = _calls_and_results(commands, results)
        if calls == [(_COMMANDS, commands)]:
            findings.append(noticed(f"{place}/{_COMMANDS}", "the commands cannot be distinguished; they are one call"))
        for name, text in calls:
            pieces.command(name, text)
        for reply in replies:
            pieces.result(reply)
    elif results is not None:
        pieces.result(results)
    if answer is not None:
        pieces.say(answer)
    return pieces.messages()


def _calls_and_results(commands: str, results: str | None) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the calls in a text of commands, and their results; one call if these cannot be separated."""
    calls = _calls(commands)
    replies = [] if results is None else _split_results(results, len(calls))
    if not calls or (replies and len(replies) != len(calls)):
        return [(_COMMANDS, commands)], [] if results is None else [results]
    return calls, replies


def _calls(text: str) -> list[tuple[str, str]]:
    """Return the name and arguments of each call in a Python text; none for any other text."""
    found = expression(f"[{text}]")
    nodes = found.elts if isinstance(found, ast.List) else []
    calls = [each for each in nodes if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    if len(calls) != len(nodes):
        return []
    data = f"[{text}]".encode()
    lines = [0, *(each.end() for each in _LINE_END.finditer(data))]
    return [_call(each, data, lines) for each in calls]


_LINE_END: Final = re.compile(rb"\r\n|\r|\n")


def _call(node: ast.Call, data: bytes, lines: Sequence[int]) -> tuple[str, str]:
    """Return the name of a call, and the text between its parentheses.

    Args:
        node: the call, with its byte offset in a line.
        data: the text in UTF-8.
        lines: the byte offsets of the lines.
    """
    begin = lines[(node.func.end_lineno or 1) - 1] + (node.func.end_col_offset or 0)
    end = lines[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    return cast("ast.Name", node.func).id, data[begin:end].decode().strip()[1:-1].strip()


_RESULT: Final = re.compile(r"^\w+\(.*\) =>[ \t]*$", re.MULTILINE)


def _split_results(results: str, count: int) -> list[str]:
    """Return the results of some calls, each of which begins with its call; one result if there is one call."""
    begins = [each.start() for each in _RESULT.finditer(results)]
    if count == 1 or not begins or results[: begins[0]].strip():
        return [results]
    return [results[begin:end].strip() for begin, end in zip(begins, [*begins[1:], len(results)], strict=True)]
