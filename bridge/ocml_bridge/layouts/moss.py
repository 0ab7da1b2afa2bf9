"""MOSS: a mapping of turns, each with what was thought, commanded and found before the answer; or one text of turns."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, cast

from ..loss import Finding
from ..model import Json
from .fitting import as_object
from .layout import Document, Object, Wording, misshapen, noticed
from .messages import message, request
from .pieces import Pieces

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
    """Whether turns of MOSS stand there."""
    turns = as_object(fields.get(TURNS))
    if turns is None:
        return _messages_in(fields.get(TEXT)) is not None
    return bool(turns) and all(
        _TURN.fullmatch(name) and _is_turn(as_object(turn) or {}) for name, turn in turns.items()
    )


def _is_turn(turn: Object) -> bool:
    return _HUMAN in turn and turn.keys() <= {*_KEYS} and all(isinstance(each, str) for each in turn.values())


def read_moss(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of the turns, behind the meta instruction.

    Raises:
        BridgeError: OCB-SHAPE for other turns.
    """
    system = fields.get(SYSTEM)
    messages = [message("system", system)] if isinstance(system, str) and system.strip() else []
    turns = as_object(fields.get(TURNS))
    if turns is None:
        found = _messages_in(fields.get(TEXT))
        if found is None:
            raise misshapen(f"/{TEXT}", "a text in which `[Human]:` and `[MOSS]:` take turns")
        return [Document(request([*messages, *found], None))]
    findings: list[Finding] = []
    for name in sorted(turns, key=_number):
        messages.append(message("user", _bare(turns[name].get(_HUMAN)) or ""))
        messages += _answered(cast("Object", turns[name]), f"/{TURNS}/{name}", findings)
    return [Document(request(messages, None), tuple(findings))]


def _messages_in(text: Json) -> list[Object] | None:
    """The messages of a text in which each turn has its speaker and its end; None for any other text."""
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


def _bare(text: Json) -> str | None:
    """What stands between the tokens of a text; None where that is nothing."""
    if not isinstance(text, str):
        return None
    begins = _BEGINS.match(text)
    ended = text.rstrip()
    ended = ended[: -len("<eoh>")] if _END.fullmatch(ended[-len("<eoh>") :]) else ended
    bare = ended[0 if begins is None else begins.end() :].strip()
    return None if bare in ("", "None") else bare


def _answered(turn: Object, place: str, findings: list[Finding]) -> list[Object]:
    """What MOSS thinks, commands, is given and says in a turn."""
    thought, commands, results, answer = (_bare(turn.get(key)) for key in (_THOUGHTS, _COMMANDS, _RESULTS, _MOSS))
    pieces = Pieces("assistant")
    if thought is not None:
        pieces.think(thought)
    if commands is not None:
        calls, replies = _exchanged(commands, results)
        if calls == [(_COMMANDS, commands)]:
            findings.append(noticed(f"{place}/{_COMMANDS}", "the commands cannot be told apart; they are one call"))
        for name, text in calls:
            pieces.command(name, text)
        for reply in replies:
            pieces.result(reply)
    elif results is not None:
        pieces.result(results)
    if answer is not None:
        pieces.say(answer)
    return pieces.messages()


def _exchanged(commands: str, results: str | None) -> tuple[list[tuple[str, str]], list[str]]:
    """The calls that commands make, and what each gave; one call where these cannot be told apart."""
    calls = _calls(commands)
    replies = [] if results is None else _apart(results, len(calls))
    if not calls or (replies and len(replies) != len(calls)):
        return [(_COMMANDS, commands)], [] if results is None else [results]
    return calls, replies


def _calls(text: str) -> list[tuple[str, str]]:
    """The calls that a text of Python makes, each with what stands in its parentheses; none for any other text."""
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        found = ast.parse(f"[{text}]", mode="eval").body
        nodes = found.elts if isinstance(found, ast.List) else []
        calls = [each for each in nodes if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
        if len(calls) == len(nodes):
            data = f"[{text}]".encode()
            lines = [0, *(each.end() for each in _LINE_END.finditer(data))]
            return [_call(each, data, lines) for each in calls]
    return []


_LINE_END: Final = re.compile(rb"\r\n|\r|\n")


def _call(node: ast.Call, data: bytes, lines: Sequence[int]) -> tuple[str, str]:
    """The name of a call, and the text between its parentheses.

    Args:
        node: the call, with its place in bytes of a line.
        data: the text that it stands in.
        lines: where its lines begin.
    """
    begin = lines[(node.func.end_lineno or 1) - 1] + (node.func.end_col_offset or 0)
    end = lines[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    return cast("ast.Name", node.func).id, data[begin:end].decode().strip()[1:-1].strip()


_RESULT: Final = re.compile(r"^\w+\(.*\) =>[ \t]*$", re.MULTILINE)


def _apart(results: str, count: int) -> list[str]:
    """What each of some calls gave, which begins with the call; all of it where there is one."""
    begins = [each.start() for each in _RESULT.finditer(results)]
    if count == 1 or not begins or results[: begins[0]].strip():
        return [results]
    return [results[begin:end].strip() for begin, end in zip(begins, [*begins[1:], len(results)], strict=True)]
