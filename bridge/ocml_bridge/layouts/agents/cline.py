"""Read histories of Cline and Roo Code whose calls are tags in the model's text, as they were before APIs' own calls.

The model calls a tool at the end of its text, `<read_file><path>a.py</path></read_file>`, and the user's next message
begins with what it gave: `[read_file for 'a.py'] Result:`. A call is read only if both agree.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from ...loss import Finding, FindingCode, Severity
from ..fitting import objects_of, without_members
from ..layout import Document, Object, Wording
from ..messages import respelled_all
from ..turns import MESSAGES, list_or_none

_CALL: Final = re.compile(r"(?:\A|\n)[ \t]*<(\w+)>([^<]*+(?:<(?!/\1>)[^<]*+)*+)</\1>\s*\Z")
_PARAMETER: Final = re.compile(r"\s*<(\w+)>([^<]*+(?:<(?!/\1>\s*(?:<\w+>|\Z))[^<]*+)*+)</\1>\s*")
_RESULT: Final = re.compile(r"\[(\w+)\b(?:(?!\] Result:).)*\] Result:[ \t]*\n*", re.DOTALL)
_DETAILS: Final = "<environment_details>"
"""The beginning of the text about the editor that the program adds behind a result."""
_LAST: Final = frozenset({"attempt_completion", "ask_followup_question", "plan_mode_respond", "new_task"})
"""Tools whose call ends a history, as only the user answers it."""


def is_cline(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages in which a call as tags has a result."""
    messages = objects_of(list_or_none(fields, MESSAGES))
    return any(_called(each, _answered(messages, at)) is not None for at, each in enumerate(messages))


def read_cline(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation, with calls and results as blocks."""
    messages = respelled_all(fields[MESSAGES], wording, f"/{MESSAGES}")
    out: list[Object] = []
    findings: list[Finding] = []
    identity: str | None = None
    for at, each in enumerate(messages):
        if identity is not None:
            each = _replied(each, identity)
        names = _answered(messages, at)
        call = _called(each, names)
        identity = None
        if call is not None:
            before, name, arguments = call
            made = f"call_{at}"
            identity = made if len(names) == 1 and at + 1 < len(messages) else None
            block: Object = {"type": "tool_use", "id": made, "name": name, "input": arguments}
            each = {**each, "content": [*before, block]}
        elif names and at + 1 < len(messages):
            detail = "the result names a call that is not at the end of the text before it; both are kept as text"
            findings.append(Finding(FindingCode.MARKUP, Severity.CHANGED, f"/{MESSAGES}/{at}/content", detail))
        out.append(each)
    rest = without_members(fields, MESSAGES)
    return [Document({**rest, MESSAGES: out}, tuple(findings))]


def _answered(messages: Sequence[Object], at: int) -> Collection[str]:
    """Return the name of the call that the message after the one at `at` answers; of the last one, all that may end."""
    if messages[at].get("role") != "assistant":
        return ()
    if at + 1 == len(messages):
        return _LAST
    blocks = _blocks(messages[at + 1])
    found = _RESULT.match(str(blocks[0].get("text"))) if blocks else None
    return () if found is None or messages[at + 1].get("role") != "user" else (found[1],)


def _blocks(each: Object) -> list[Object]:
    """Return the blocks of a message; a text is one."""
    content = each.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)


def _called(each: Object, names: Collection[str]) -> tuple[list[Object], str, Object] | None:
    """Return the blocks before the call at the end of a message, its name, and its arguments; None without that."""
    blocks = _blocks(each) if names else []
    text = blocks[-1].get("text") if blocks else None
    found = _CALL.search(text) if isinstance(text, str) else None
    if found is None or found[1] not in names:
        return None
    arguments, at, inner = Object(), 0, found[2]
    while (parameter := _PARAMETER.match(inner, at)) is not None and parameter[1] not in arguments:
        arguments[parameter[1]] = parameter[2].removeprefix("\n").removesuffix("\n")
        at = parameter.end()
    if inner[at:].strip():
        return None
    before = blocks[-1]["text"][: found.start()].strip()
    return [*blocks[:-1], *_left(blocks[-1], before)], found[1], arguments


def _replied(each: Object, identity: str) -> Object:
    """Return a message of the user with its result as a block, before the text about the editor."""
    blocks = _blocks(each)
    label = _RESULT.match(str(blocks[0]["text"]))
    rest = blocks[0]["text"][0 if label is None else label.end() :]
    end = next((at for at, block in enumerate(blocks) if str(block.get("text")).startswith(_DETAILS)), len(blocks))
    given = [*_left(blocks[0], rest), *blocks[1:end]]
    block: Object = {"type": "tool_result", "tool_use_id": identity, "content": given}
    return {**each, "content": [block, *blocks[end:]]}


def _left(block: Object, text: str) -> list[Object]:
    """Return a block with what is left of its text; none if nothing is left, and if it has no other members."""
    return [{**block, "text": text}] if text.strip() or not block.keys() <= {"type", "text"} else []
