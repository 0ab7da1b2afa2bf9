"""Read rows of logs, as gateways, proxies and tracers write them: a request and its response, of any wire.

The lines of a provider's batch are such rows, too: the input has a request, the output a response or an error, and an
id shows which of them belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields as fields_of
from typing import Final

from ..convert import read
from ..detection import surely
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding
from ..model import Json, Settings, Transcript, replace
from ..model.codec import to_json
from .documents import format_of_row
from .fitting import as_list, as_object, members_of, objects_of, without_members
from .layout import Document, Object, Wording, misshapen, parsed, parsed_or_none
from .markup import separated
from .messages import are_messages, message

REQUEST: Final = "request"
RESPONSE: Final = "response"
ERROR: Final = "error"
ENDPOINT: Final = "url"
ID: Final = "id"
REQUESTS: Final = (
    *("request", "request_body", "requestBody", "inputs", "input", "body", "params"),
    *("modelInput", "responses_create_params", "full_request", "req_payload", "$ai_input"),
)
RESPONSES: Final = (
    *("response", "response_body", "responseBody", "outputs", "output", "result", "modelOutput"),
    *("full_response", "resp_payload", "$ai_output_choices"),
)
"""The columns of requests and responses.

`modelInput` is that of Bedrock's batches, `responses_create_params` NeMo Gym's; Vertex AI's tables have `full_request`,
OpenPipe's logs `req_payload`, PostHog's events `$ai_input`.
"""
METADATA_FIELDS: Final = frozenset({ERROR, ENDPOINT, ID})
"""The fields that are not part of the conversation."""
_BODIES: Final = ("body", "inputBodyJson", "outputBodyJson", "message")
"""Members of a logged value that hold the body, next to its headers and status."""
_OTHERS: Final = ("/embeddings", "/moderations")
"""The ends of addresses whose requests look like those of a conversation, and are not."""


def is_logged(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a request, with or without a response, each of a certain format.

    In a line of a batch's output, which has an id, there may be only the response, or the error in its place.
    """
    if REQUEST not in fields:
        if not isinstance(fields.get(ID), str):
            return False
        answer = _answer(fields)
        alone = answer is not None and "messages" not in answer
        return alone or _failure(fields) is not None
    if are_messages(fields[REQUEST], _MESSAGES) and not as_list(fields.get(RESPONSE)):
        return False  # messages in a column, with the answer in another
    if request_in(fields[REQUEST]) is None:
        return False
    return RESPONSE not in fields or _answer(fields) is not None or _failure(fields) is not None


def is_expected(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a request of a certain format, and an answer to it."""
    return RESPONSE in fields and is_logged(fields, wording)


def read_logged(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a request and its response.

    Raises:
        BridgeError: OCB-SHAPE if a value is neither, or for the error of a request in another row; or as the format's
            reader raises it.
    """
    fields = _unquoted(fields)
    endpoint = fields.get(ENDPOINT)
    if isinstance(endpoint, str) and endpoint.endswith(_OTHERS):
        raise misshapen(f"/{ENDPOINT}", "an address where conversations are asked for")
    failure = _failure(fields)
    if REQUEST not in fields:
        if failure is not None:
            raise BridgeError(ErrorCode.SHAPE, f"the request failed and has no answer: {failure}", path="")
        answer, findings, around = _read(fields, RESPONSE, wording)
        around |= {name: value for members in (answer.extras or {}).values() for name, value in members.items()}
        return [
            Document(
                to_json(replace(answer, extras=None)), findings, extra_columns={RESPONSE: around} if around else {}
            )
        ]
    instructions = (_answer(fields) or {}).get("instructions")
    if as_list(fields[REQUEST]) and isinstance(instructions, str):  # items alone: the response repeats what is around
        fields = {**fields, REQUEST: {"instructions": instructions, "input": fields[REQUEST]}}
    request, findings, around = _read(fields, REQUEST, wording)
    extra_columns: Object = {REQUEST: around} if around else {}
    if RESPONSE in fields and failure is not None:
        extra_columns |= {RESPONSE: fields[RESPONSE]}
    elif RESPONSE in fields:
        answer, more, around = _read(fields, RESPONSE, wording)
        around = {**around, **differences(request, answer)}
        request, findings = joined(request, answer), (*findings, *more)
        extra_columns |= {RESPONSE: around} if around else {}
    return [Document(to_json(request), findings, extra_columns=extra_columns)]


def _unquoted(fields: Object) -> Object:
    """Return the fields with a response that is a text in JSON, next to a request that is JSON text (MLflow)."""
    request, response = fields.get(REQUEST), fields.get(RESPONSE)
    if not isinstance(request, str) or not isinstance(response, str) or not response.startswith('"'):
        return fields
    answer = parsed_or_none(response)
    return {**fields, RESPONSE: answer} if isinstance(answer, str) else fields


def _answer(fields: Object) -> Object | None:
    """Return the response, if its format is certain; None otherwise."""
    found = answer_in(fields.get(RESPONSE))
    return None if found is None else found[0]


def answer_in(value: Json) -> tuple[Object, Object] | None:
    """Return a response of a certain format, and the members around it; None for any other value."""
    body, around = _body(value, f"/{RESPONSE}")
    return None if body is None or format_of_row(body) is None else (body, around)


def request_in(value: Json) -> Object | None:
    """Return a request of a certain format; None for any other value."""
    body, _ = _body(value, f"/{REQUEST}")
    return None if body is None or _format_of(body) is None else body


def _format_of(body: Object) -> str | None:
    """Return the format of a request or an answer, if it is certain.

    A request of the Responses API may have no member but its messages (NeMo Gym).
    """
    return format_of_row(body) or (_RESPONSES if are_messages(body.get("input"), _MESSAGES) else None)


def _failure(fields: Object) -> str | None:
    """Return the reason why a request has no response; None if it has one, or if no reason is given."""
    if _answer(fields) is not None:
        return None
    response = members_of(fields.get(RESPONSE))
    body = members_of(response.get("body"))
    error = next((each[ERROR] for each in (fields, response, body) if each.get(ERROR)), None)
    if error is not None:
        return jsontext.dumps(error).decode("utf-8", "replace")
    return response["type"] if response.get("type") in ("canceled", "expired") else None


def _read(fields: Object, name: str, wording: Wording) -> tuple[Transcript, tuple[Finding, ...], Object]:
    body, around = _body(fields[name], f"/{name}")
    found = None if body is None else _format_of(body)
    if body is None or found is None:
        raise misshapen(f"/{name}", "a request or an answer of a format that is known")
    reading = read(separated(body, found, wording), found)
    if not isinstance(reading.transcript, Transcript):
        raise misshapen(f"/{name}", "a conversation")
    return reading.transcript, reading.findings, around


def _body(value: Json, path: str) -> tuple[Object | None, Object]:
    """Return the body of a logged value, and the members around it; a value may be JSON text, or a single message."""
    if isinstance(value, str) and not value.lstrip().startswith(("{", "[")):
        return {"messages": [message("assistant", value)]} if path == f"/{RESPONSE}" else None, {}
    try:
        given = parsed(value, path)
        found = _listed(given) if as_list(given) else as_object(given)
        name = next((each for each in _BODIES if each in (found or {})), None)
        if found is None or name is None:
            return _as_request(found), {}
        around = without_members(found, name)
        return _as_request(as_object(parsed(found[name], f"{path}/{name}"))), around
    except BridgeError:
        return None, {}


_MESSAGES: Final = Wording(role=("role",))
_RESPONSES: Final = "openai-responses"


def _listed(value: Json) -> Object | None:
    """Return a list of messages or items as a request, or of choices as a response; None for any other list."""
    if are_messages(value, _MESSAGES):
        return {"messages": value}
    if surely(value) == _RESPONSES:
        return {"input": value}
    choices = objects_of(value)
    return {"choices": value} if all("message" in each for each in choices) else None


def _as_request(value: Object | None) -> Object | None:
    alone = value is not None and isinstance(value.get("role"), str) and value.keys() & {"content", "tool_calls"}
    return {"messages": [value]} if alone and "type" not in (value or {}) else value


def joined(request: Transcript, answer: Transcript) -> Transcript:
    """Return a request and its response as one conversation; a response that repeats the request is all of it."""
    before = len(request.messages)
    whole = answer.messages[:before] == request.messages
    alternatives = None
    if answer.alternatives is not None:
        offset = 0 if whole else before
        alternatives = tuple([replace(each, at=each.at + offset) for each in answer.alternatives])
    return replace(
        request,
        messages=answer.messages if whole else (*request.messages, *answer.messages),
        tools=answer.tools if request.tools is None else request.tools,
        alternatives=alternatives,
        settings=_settings(request.settings, answer.settings),
        open_turn=None,
    )


def _settings(request: Settings | None, answer: Settings | None) -> Settings | None:
    """Return the settings of the request, and those of the response that the request does not have."""
    if request is None or answer is None:
        return request or answer
    fields = {name: getattr(answer if getattr(request, name) is None else request, name) for name in _SETTINGS}
    return Settings(**fields)


_SETTINGS: Final = tuple(each.name for each in fields_of(Settings))


def differences(request: Transcript, answer: Transcript) -> Object:
    """Return the extras of a response, and settings that differ from the request's, as the version of a model."""
    extras = {name: value for members in (answer.extras or {}).values() for name, value in members.items()}
    one, other = _declared(request), _declared(answer)
    return {**extras, **{name: value for name, value in other.items() if name in one and one[name] != value}}


def _declared(transcript: Transcript) -> Object:
    """Return settings and tools, by name."""
    around = members_of(to_json(Transcript(settings=transcript.settings, tools=transcript.tools)))
    tools = {} if transcript.tools is None else {"tools": around["tools"]}
    return {**members_of(around.get("settings")), **tools}
