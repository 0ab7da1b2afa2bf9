"""What is kept of the same input: one small conversation for each fact, and a look at whether the fact comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import orjson

from ocml_bridge import Loss, LossCode, Severity

from .work import Work

Wire = dict[str, Any]


class Fact(NamedTuple):
    """One fact of a conversation.

    Attributes:
        name: what it is.
        messages: a conversation with it.
        signs: texts in every output that still has it.
        tools: tools that are declared.
        codes: under which our own report may name its loss.
    """

    name: str
    messages: list[Wire]
    signs: tuple[str, ...]
    tools: list[Wire] | None = None
    codes: tuple[LossCode, ...] = ()


def _user(content: Any = "And now?", **more: Any) -> Wire:
    return {"role": "user", "content": content, **more}


def _answer(content: str | None = "It is so.", **more: Any) -> Wire:
    return {"role": "assistant", "content": content, **more}


def _call(call_id: str, name: str = "look", arguments: str = '{"at":"x"}') -> Wire:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _reply(call_id: str, content: str = "It lies there.") -> Wire:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _tool(name: str, **more: Any) -> Wire:
    parameters = {"type": "object", "properties": {"at": {"type": "string", "minLength": 4711}}}
    return {"type": "function", "function": {"name": name, "description": "Sees.", "parameters": parameters, **more}}


_LOOK: Final = [_tool("look"), _tool("listen")]
_FIRST, _SECOND = "call00001", "call00002"
_IMAGE: Final = "https://example.org/tower.png"

FACTS: Final = (
    Fact("system message", [{"role": "system", "content": "Be brief."}, _user(), _answer()], ("Be brief.",)),
    Fact(
        "system message later on",
        [_user(), _answer(), {"role": "system", "content": "Be slower now."}, _user(), _answer()],
        ("Be slower now.",),
    ),
    Fact("developer's instructions", [{"role": "developer", "content": "Say nay."}, _user(), _answer()], ("Say nay.",)),
    Fact(
        "reasoning before an answer",
        [_user(), _answer(reasoning_content="Let me think.")],
        ("Let me think.",),
        codes=(LossCode.MESSAGE,),
    ),
    Fact(
        "text before a call",
        [_user(), _answer("I shall look.", tool_calls=[_call(_FIRST)]), _reply(_FIRST), _answer()],
        ("I shall look.",),
        _LOOK,
    ),
    Fact(
        "two calls at once",
        [
            _user(),
            _answer(None, tool_calls=[_call(_FIRST), _call(_SECOND, "listen", '{"to":"y"}')]),
            _reply(_FIRST),
            _reply(_SECOND, "A hum."),
            _answer(),
        ],
        ("look", "listen", "It lies there.", "A hum."),
        _LOOK,
    ),
    Fact(
        "call ids",
        [_user(), _answer(None, tool_calls=[_call(_FIRST)]), _reply(_FIRST), _answer()],
        (_FIRST,),
        _LOOK,
        codes=(LossCode.CALL_ID,),
    ),
    Fact(
        "arguments byte for byte",
        [_user(), _answer(None, tool_calls=[_call(_FIRST, arguments='{ "at":1.0}')]), _reply(_FIRST), _answer()],
        ('{ "at":1.0}',),
        _LOOK,
    ),
    Fact(
        "arguments that are not JSON",
        [_user(), _answer(None, tool_calls=[_call(_FIRST, arguments='{"at": no')]), _reply(_FIRST), _answer()],
        ('{"at": no',),
        _LOOK,
    ),
    Fact("limits in a tool's schema", [_user(), _answer()], ("4711",), _LOOK, (LossCode.TOOL_SCHEMA, LossCode.TOOLS)),
    Fact("a speaker's name", [_user(name="Aldous"), _answer()], ("Aldous",), codes=(LossCode.NAME,)),
    Fact("a refusal", [_user(), _answer(None, refusal="That I will not.")], ("That I will not.",)),
    Fact(
        "an image",
        [_user([{"type": "text", "text": "See."}, {"type": "image_url", "image_url": {"url": _IMAGE}}]), _answer()],
        ("tower.png",),
        codes=(LossCode.MEDIA,),
    ),
    Fact("unknown members", [_user(weight_of_words="heavy"), _answer()], ("heavy",), codes=(LossCode.EXTRAS,)),
)

KEPT, LOST, REFUSED = "kept", "lost", "refused"
REPORTED: Final = "lost, reported"


def outcome(work: Work, fact: Fact) -> str:
    """What a work makes of a fact: kept, lost, lost and reported, or the whole conversation refused."""
    request: Wire = {"messages": fact.messages, **({"tools": fact.tools} if fact.tools else {})}
    try:
        made = work.run(work.prepare(orjson.dumps(request)))
    except Exception:  # whatever another's library raises
        return REFUSED
    output = "\n".join(_texts(work.text(made) if work.text else made))
    if all(sign in output for sign in fact.signs):
        return KEPT
    return REPORTED if work.losses is not None and _is_reported(work.losses(made), fact) else LOST


def outcomes(works: list[Work], report: Callable[[str], None] = lambda _: None) -> dict[str, dict[str, str]]:
    """For each fact what each work makes of it, by the work's id."""
    report("what is kept")
    return {fact.name: {work.id: outcome(work, fact) for work in works} for fact in FACTS}


def _is_reported(notes: Any, fact: Fact) -> bool:
    """Whether a report is about a lost fact: ours by its code; of others, any entry will do."""
    return any(
        note.code in fact.codes and note.severity is not Severity.LAYOUT if isinstance(note, Loss) else True
        for note in notes
    )


def _texts(value: Any) -> list[str]:
    """All texts and numbers in a value, keys too."""
    if isinstance(value, dict):
        found = [text for key, item in cast("Wire", value).items() for text in (*_texts(key), *_texts(item))]
    elif isinstance(value, (list, tuple)):
        found = [text for item in cast("list[Any]", value) for text in _texts(item)]
    else:
        found = [] if value is None else [str(value)]
    return found
