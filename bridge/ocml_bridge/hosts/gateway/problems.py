"""Errors as Chat Completions has them: `{"error": {"message", "type", "param", "code"}}` with a status."""

from __future__ import annotations

from typing import Any, Final, cast

from ...errors import BridgeError, ErrorCode

_TYPES: Final = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"} | {
    404: "not_found_error",
    408: "timeout_error",
    413: "invalid_request_error",
    429: "rate_limit_error",
}
"""By status; all others are `api_error`."""


class ApiError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: the HTTP status.
        code: what went wrong, in a word.
        message: one sentence.
        param: the part of the request that it is about, or None.
    """

    def __init__(self, status: int, code: str, message: str, param: str | None = None) -> None:
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.param = param

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


def of_upstream(status: int, body: Any) -> ApiError:
    """The upstream's refusal, with its status and in its own words where it has any."""
    error = members(body).get("error", body)
    message, code, param = (members(error).get(key) for key in ("message", "code", "param"))
    if isinstance(error, str):
        message = error
    # What the gateway itself asks for, such as a path, is not the client's fault.
    status = 502 if status in (404, 405) or status < 400 else status
    return ApiError(
        status,
        code if isinstance(code, str) else "upstream_error",
        message if isinstance(message, str) and message else "the upstream refused the request without a reason",
        param if isinstance(param, str) else None,
    )
