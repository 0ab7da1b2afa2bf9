"""Make errors in the form of Chat Completions: `{"error": {"message", "type", "param", "code"}}` with a status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from ...errors import BridgeError, ErrorCode
from ...json_values.parameters import members_of
from ...model import Json

_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "invalid_request_error",
    415: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
}
"""The types of errors by status; all others are `api_error`."""


LONGEST: Final = 2_000
"""The maximal number of characters of an upstream's message that are passed on."""
LONGEST_CODE: Final = 100
"""The maximal number of characters of an upstream's code."""


TOO_LONG: Final = "context_length_exceeded"
"""The code for a request that the model's context has no room for: clients then shorten the conversation."""
_TOO_LONG: Final = re.compile(
    "maximum context length|maximum model length|model's context length|available context size", re.IGNORECASE
)
"""The words of vLLM, SGLang and llama.cpp for such a request."""


class ApiError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: the HTTP status.
        code: the code of the error.
        message: one sentence.
        param: the part of the request with the error, or None.
        headers: further headers of the response.
        upstream_status: the status of the upstream's refusal; None if it did not refuse.
        details: what clients of Messages need to know to ask in another way; None if there is nothing.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.headers = dict(headers or {})
        self.upstream_status: int | None = None
        self.details = details

    def body(self) -> dict[str, Any]:
        """Return the response body."""
        kind = _TYPES.get(self.status, "api_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


_OTHER_API: Final = (
    "the request is in the format of another API, as this member shows: Messages are read at /v1/messages, Responses at"
    " /v1/responses, and Chat Completions at /v1/chat/completions"
)
"""The message for such a request: the library's own one names options that a client does not have."""


def of_request(error: BridgeError, param: str | None = None) -> ApiError:
    """Return the error for a request that cannot be read, or written as a prompt.

    Args:
        error: the error.
        param: the part of the request with the error; None for the path of the error.
    """
    if error.code is ErrorCode.PERM_VISIBILITY:
        return ApiError(403, error.code, error.message)
    path = param or (error.path.strip("/").replace("/", ".") if error.path else None)
    message = _OTHER_API if error.code is ErrorCode.FORMAT_DOUBT else error.message
    if error.code is ErrorCode.LOSS and error.codes:
        message += f"; leave it out, or ask the operator of the gateway for --allow {','.join(error.codes)}"
    return ApiError(400, error.code, message, path)


def of_answer(code: str, message: str) -> ApiError:
    """Return the error for an answer of the upstream that cannot be read."""
    return ApiError(502, code, message)


def of_upstream(status: int, body: Any, *, retry_after: str | None = None, own_key: bool = False) -> ApiError:
    """Return the error for the upstream's refusal, with its status and its message if it has one.

    Args:
        status: the status of its response.
        body: the parsed body of its response; any value if it is not JSON.
        retry_after: its header `Retry-After`.
        own_key: whether the gateway's key was used, which the client must not learn about.
    """
    error = members_of(body).get("error", body)
    code, param = (members_of(error).get(key) for key in ("code", "param"))
    message, answered = _words(error), status
    if not isinstance(code, str):
        code = TOO_LONG if 400 <= status < 500 and _TOO_LONG.search(message) else "upstream_error"
    if status < 400 or (status in (401, 403) and own_key) or (status in (404, 405) and not _is_of_model(error)):
        # An error in what the gateway adds, such as a path or its own key, is not the client's.
        status = 502
    problem = ApiError(
        status,
        code[:LONGEST_CODE],
        message or f"the upstream refused the request with status {answered}, without a reason",
        param[:LONGEST_CODE] if isinstance(param, str) else None,
        {"retry-after": retry_after[:LONGEST_CODE]} if retry_after else None,
    )
    problem.upstream_status = answered
    return problem


def _words(error: Any) -> str:
    """Return the message of an error: OpenAI's `message`, FastAPI's `detail`, or the value itself."""
    fields = members_of(error)
    text = error if isinstance(error, str) else fields.get("message", fields.get("detail"))
    if isinstance(text, list):
        # FastAPI's list of validation errors.
        details = [members_of(each) for each in cast("list[Any]", text)[:10]]
        text = "; ".join(f"{_place(each.get('loc'))}: {str(each.get('msg'))[:LONGEST]}" for each in details)
    return text[:LONGEST] if isinstance(text, str) else ""


def _place(steps: Any) -> str:
    return (
        ".".join(str(step)[:LONGEST_CODE] for step in cast("list[Any]", steps)[:10]) if isinstance(steps, list) else ""
    )


def _is_of_model(error: Any) -> bool:
    """Return whether the model was not found, and not the path that the gateway requested."""
    fields = members_of(error)
    message = fields.get("message")
    return (
        fields.get("param") == "model"
        or fields.get("code") == "model_not_found"
        or (isinstance(message, str) and "model" in message.lower())
    )
