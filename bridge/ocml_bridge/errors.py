"""Define the one exception of the bridge, the closed list of its codes, and the exit status of each.

Codes that begin with ``E-`` are those of OpenChatML 2.2 §14, verbatim; ours begin with ``OCB-``.
Codes are never reused or renamed.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class ErrorCode(StrEnum):
    """Every code that a `BridgeError` can carry."""

    # OpenChatML 2.2 §14
    PARSE_HEADER = "E-PARSE-HEADER"
    PARSE_CHANNEL_MISSING = "E-PARSE-CHANNEL-MISSING"
    BODY_CONSTRAINT_VIOLATION = "E-BODY-CONSTRAINT-VIOLATION"
    CALL_SCHEMA = "E-CALL-SCHEMA"
    TOOL_TIMEOUT = "E-TOOL-TIMEOUT"
    TOOL_CANCELLED = "E-TOOL-CANCELLED"
    STREAM_TRUNCATED = "E-STREAM-TRUNCATED"
    PERM_VISIBILITY = "E-PERM-VISIBILITY"
    # ours: the input
    ENCODING = "OCB-ENCODING"
    JSON = "OCB-JSON"
    SHAPE = "OCB-SHAPE"
    LIMIT = "OCB-LIMIT"
    INCOMPLETE = "OCB-INCOMPLETE"
    NO_FRAMES = "OCB-NO-FRAMES"
    SEVERAL = "OCB-SEVERAL"
    # ours: the request
    FORMAT_UNKNOWN = "OCB-FORMAT-UNKNOWN"
    FORMAT_AMBIGUOUS = "OCB-FORMAT-AMBIGUOUS"
    FORMAT_DOUBT = "OCB-FORMAT-DOUBT"
    OPTION = "OCB-OPTION"
    DEPENDENCY = "OCB-DEPENDENCY"
    VOCABULARY = "OCB-VOCABULARY"
    IO = "OCB-IO"
    INTERNAL = "OCB-INTERNAL"
    # ours: the output
    CONTROL_TOKEN = "OCB-CONTROL-TOKEN"
    LOSS = "OCB-LOSS"
    EMPTIED = "OCB-EMPTIED"
    UNREPORTED = "OCB-UNREPORTED"
    SIDECAR = "OCB-SIDECAR"


class ExitCode:
    """The exit statuses of the command."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    INVALID = 4
    FORMAT = 5
    SOME_FAILED = 6
    INTERRUPTED = 130


EXIT_CODES: dict[ErrorCode, int] = {
    ErrorCode.FORMAT_UNKNOWN: ExitCode.FORMAT,
    ErrorCode.FORMAT_AMBIGUOUS: ExitCode.FORMAT,
    ErrorCode.FORMAT_DOUBT: ExitCode.FORMAT,
    ErrorCode.OPTION: ExitCode.USAGE,
    ErrorCode.DEPENDENCY: ExitCode.FAILED,
    ErrorCode.VOCABULARY: ExitCode.FAILED,
    ErrorCode.IO: ExitCode.FAILED,
    ErrorCode.INTERNAL: ExitCode.FAILED,
    ErrorCode.UNREPORTED: ExitCode.FAILED,
    ErrorCode.LOSS: ExitCode.REFUSED,
    ErrorCode.EMPTIED: ExitCode.REFUSED,
    ErrorCode.CONTROL_TOKEN: ExitCode.REFUSED,
}
"""The exit status for each code; for a code that is not listed, the input is invalid (4)."""


class BridgeError(Exception):
    """A document that cannot be read, or a conversion that was refused.

    Attributes:
        code: what went wrong, from the closed list.
        message: one sentence: what happened and, if known, what to do next.
        offset: the place in the input, in characters, or in bytes if it could not be decoded; or None.
        line: the line of that place, from 1; or None.
        column: the column of that place, from 1; or None.
        path: a JSON pointer to the place, for JSON input and for outputs; or None.
        refused: whether a policy or `strict` refused what would otherwise be possible.
        codes: if so, the codes of the losses or findings that it refused.
    """

    def __init__(self, code: ErrorCode, message: str, *, offset: int | None = None, path: str | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.offset = offset
        self.path = path
        self.line: int | None = None
        self.column: int | None = None
        self.refused = False
        self.codes: tuple[str, ...] = ()

    def locate(self, text: str | bytes) -> BridgeError:
        """Set `line` and `column` from `offset`; return the error itself.

        Args:
            text: the input.
        """
        if self.offset is not None and self.line is None:
            newline = "\n" if isinstance(text, str) else b"\n"
            self.line = text.count(newline, 0, self.offset) + 1  # type: ignore[arg-type]
            self.column = self.offset - text.rfind(newline, 0, self.offset)  # type: ignore[arg-type]
        return self

    @property
    def exit_code(self) -> int:
        """The exit status of the command for this error."""
        return ExitCode.REFUSED if self.refused else EXIT_CODES.get(self.code, ExitCode.INVALID)

    def to_json(self) -> dict[str, object]:
        """Return the error as JSON values, without the fields that are None."""
        fields = {
            "code": str(self.code),
            "message": self.message,
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
            "path": self.path,
        }
        return {key: value for key, value in fields.items() if value is not None}

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.code} at line {self.line}, column {self.column}: {self.message}"
        if self.path is not None:
            return f"{self.code} at {self.path or 'the top'}: {self.message}"
        return f"{self.code}: {self.message}"


_OPTIONS: Final = {"source": "--from", "force_format": "--force-format"}
"""The command's options for the library's arguments."""


def with_options(message: str) -> str:
    """Return a message with the command's options in place of the library's arguments, which it names in backticks."""
    for argument, option in _OPTIONS.items():
        message = message.replace(f"`{argument}`", option)
    return message
