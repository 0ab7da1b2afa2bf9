"""Rows of logs: a request beside what answered it, in any wire, as gateways, proxies and tracers write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields as fields_of
from typing import Final

from ..convert import read
from ..errors import BridgeError
from ..loss import Finding
from ..model import Json, Settings, Transcript, replace
from ..model.codec import to_json
from .documents import format_of_row
from .fitting import as_object
from .layout import Document, Object, Wording, misshapen, parsed
from .messages import message

REQUEST: Final = "request"
RESPONSE: Final = "response"
_BODIES: Final = ("body", "inputBodyJson", "outputBodyJson")
"""Members of what is logged that hold what was sent, beside its headers and status."""


def is_logged(fields: Object, wording: Wording) -> bool:
    """Whether a request stands there, with an answer where there is one, each of a format that is surely known."""
    if not isinstance(fields.get(REQUEST), (dict, str)):
        return False
    found = [_body(fields[name], f"/{name}")[0] for name in (REQUEST, RESPONSE) if name in fields]
    return all(each is not None and format_of_row(each) is not None for each in found)


def read_logged(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of a request, and what was answered behind it.

    Raises:
        BridgeError: OCB-SHAPE for what is neither, or what its reader raises.
    """
    asked, findings, around = _read(fields, REQUEST)
    beside = {REQUEST: around} if around else {}
    if RESPONSE in fields:
        answer, more, around = _read(fields, RESPONSE)
        around = {**around, **_about(asked, answer)}
        asked, findings = joined(asked, answer), (*findings, *more)
        beside |= {RESPONSE: around} if around else {}
    return [Document(to_json(asked), findings, beside=beside)]


def _read(fields: Object, name: str) -> tuple[Transcript, tuple[Finding, ...], Object]:
    body, around = _body(fields[name], f"/{name}")
    found = None if body is None else format_of_row(body)
    if body is None or found is None:
        raise misshapen(f"/{name}", "a request or an answer of a format that is known")
    reading = read(body, found)
    if not isinstance(reading.transcript, Transcript):
        raise misshapen(f"/{name}", "a conversation")
    return reading.transcript, reading.findings, around


def _body(value: Json, path: str) -> tuple[Object | None, Object]:
    """What was sent, and what is logged of it beside that; it may be JSON text, and a message that stands alone."""
    if isinstance(value, str) and path == f"/{RESPONSE}" and not value.lstrip().startswith(("{", "[")):
        return {"messages": [message("assistant", value)]}, {}
    try:
        found = as_object(parsed(value, path))
        name = next((each for each in _BODIES if each in (found or {})), None)
        if found is None or name is None:
            return _as_request(found), {}
        around = {key: each for key, each in found.items() if key != name}
        return _as_request(as_object(parsed(found[name], f"{path}/{name}"))), around
    except BridgeError:
        return None, {}


def _as_request(value: Object | None) -> Object | None:
    alone = value is not None and isinstance(value.get("role"), str) and value.keys() & {"content", "tool_calls"}
    return {"messages": [value]} if alone and "type" not in (value or {}) else value


def joined(asked: Transcript, answer: Transcript) -> Transcript:
    """A request and its answer as one conversation; an answer that repeats what was asked is all of it."""
    before = len(asked.messages)
    whole = answer.messages[:before] == asked.messages
    alternatives = None
    if answer.alternatives is not None:
        offset = 0 if whole else before
        alternatives = tuple([replace(each, at=each.at + offset) for each in answer.alternatives])
    return replace(
        asked,
        messages=answer.messages if whole else (*asked.messages, *answer.messages),
        tools=answer.tools if asked.tools is None else asked.tools,
        alternatives=alternatives,
        settings=_settings(asked.settings, answer.settings),
        open_turn=None,
    )


def _settings(asked: Settings | None, answered: Settings | None) -> Settings | None:
    """What was asked for; of what the answer says of itself, that which the request says nothing of."""
    if asked is None or answered is None:
        return asked or answered
    fields = {name: getattr(answered if getattr(asked, name) is None else asked, name) for name in _SETTINGS}
    return Settings(**fields)


_SETTINGS: Final = tuple(each.name for each in fields_of(Settings))


def _about(asked: Transcript, answer: Transcript) -> Object:
    """What an answer says that only its format can say, or otherwise than the request, as the version of a model."""
    own = {name: value for members in (answer.extras or {}).values() for name, value in members.items()}
    one, other = _declared(asked), _declared(answer)
    return {**own, **{name: value for name, value in other.items() if name in one and one[name] != value}}


def _declared(transcript: Transcript) -> Object:
    """Settings and tools, by name."""
    around = as_object(to_json(Transcript(settings=transcript.settings, tools=transcript.tools))) or {}
    tools = {} if transcript.tools is None else {"tools": around["tools"]}
    return {**(as_object(around.get("settings")) or {}), **tools}
