"""Errors as Chat Completions has them: `{"error": {"message", "type", "param", "code"}}` with a status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ...errors import BridgeError, ErrorCode

_TYPES: Final = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"} | {
    404: "not_found_error",
    408: "timeout_error",
    413: "invalid_request_error",
    415: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
}
"""By status; all others are `api_error`."""


LONGEST: Final = 2_000
"""The most characters of an upstream's words that are passed on."""
LONGEST_CODE: Final = 100
"""The same for what is one word."""


class ApiError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: the HTTP status.
        code: what went wrong, in a word.
        message: one sentence.
        param: the part of the request that it is about, or None.
        headers: more headers of the response.
        upstream_status: where the upstream refused, its own status.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.headers = dict(headers or {})
        self.upstream_status: int | None = None

    def body(self) -> dict[str, Any]:
        """The response body."""
        kind = _TYPES.get(self.status, "api_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def members(value: Any) -> dict[str, Any]:
    """The members of a JSON object; none of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def of_request(error: BridgeError) -> ApiError:
    """A request that cannot be read or written as a prompt."""
    if error.code is ErrorCode.PERM_VISIBILITY:
        return ApiError(403, error.code, error.message)
    return ApiError(400, error.code, error.message, None if not error.path else error.path.strip("/").replace("/", "."))


def of_answer(code: str, message: str) -> ApiError:
    """An answer of the upstream that is not one."""
    return ApiError(502, code, message)


def of_upstream(status: int, body: Any, *, retry_after: str | None = None, own_key: bool = False) -> ApiError:
    """The upstream's refusal, with its status and in its own words where it has any.

    Args:
        status: of its response.
        body: of its response, parsed; anything where it is not JSON.
        retry_after: its header of that name.
        own_key: whether it was asked with the gateway's key: which one is wrong then is not the client's affair.
    """
    error = members(body).get("error", body)
    code, param = (members(error).get(key) for key in ("code", "param"))
    message, answered = _words(error), status
    if status < 400 or (status in (401, 403) and own_key) or (status in (404, 405) and not _is_of_model(error)):
        # What the gateway itself asks for, such as a path or with a key of its own, is not the client's fault.
        status = 502
    problem = ApiError(
        status,
        code[:LONGEST_CODE] if isinstance(code, str) else "upstream_error",
        message or "the upstream refused the request without a reason",
        param[:LONGEST_CODE] if isinstance(param, str) else None,
        {"retry-after": retry_after[:LONGEST_CODE]} if retry_after else None,
    )
    problem.upstream_status = answered
    return problem


def _words(error: Any) -> str:
    """What an error says: OpenAI's `message`, FastAPI's `detail`, or itself."""
    fields = members(error)
    text = error if isinstance(error, str) else fields.get("message", fields.get("detail"))
    if isinstance(text, list):
        # FastAPI's account of a request that does not validate: where, and what.
        details = [members(each) for each in cast("list[Any]", text)[:10]]
        text = "; ".join(f"{_place(each.get('loc'))}: {str(each.get('msg'))[:LONGEST]}" for each in details)
    return text[:LONGEST] if isinstance(text, str) else ""


def _place(steps: Any) -> str:
    return (
        ".".join(str(step)[:LONGEST_CODE] for step in cast("list[Any]", steps)[:10]) if isinstance(steps, list) else ""
    )


def _is_of_model(error: Any) -> bool:
    """Whether what was not found is the model, and not the path that the gateway asked for."""
    fields = members(error)
    message = fields.get("message")
    return (
        fields.get("param") == "model"
        or fields.get("code") == "model_not_found"
        or (isinstance(message, str) and "model" in message.lower())
    )
