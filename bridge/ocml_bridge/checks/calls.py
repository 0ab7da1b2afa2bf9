"""Check the calls of a document against the tools that it declares (OpenChatML 2.2 §14, E-CALL-SCHEMA)."""

from __future__ import annotations

from typing import NamedTuple, cast

from ..chat.turns import FUNCTIONS, full_name, is_call, parts_of, recipient_of, with_namespace
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Log, Severity
from ..model import Document, Json, Message, Tool, Tools, Transcript
from ..stream.schema import Schemas


class _Declared(NamedTuple):
    """A declared tool and its path."""

    tool: Tool
    path: str


def check_calls(document: Document) -> tuple[Finding, ...]:
    """Check each call against the tools that are declared anywhere in its document.

    A function must be declared, and its arguments must be an object that matches its parameters. Parameters are checked
    only if the extra `schema` is installed, and not if a schema refers to another document; a finding `call-unchecked`
    reports what was not checked. Calls that are cut off are skipped. Without declared tools, nothing is checked.

    Args:
        document: the document.

    Returns:
        The findings, with paths into the canonical form: `E-CALL-SCHEMA` at a call's recipient or content.
    """
    log = Log()
    if isinstance(document, Transcript):
        declared = _declared(document)
        if declared:
            comparison = _Comparison(declared, log)
            for index, message in enumerate(document.messages):
                if message.end is not None and is_call(message):
                    comparison.call(message, f"/messages/{index}")
    return tuple(log.findings)


def _declared(document: Transcript) -> dict[str, _Declared]:
    """Return the declared tools by recipient; the first of several with one name."""
    by_recipient: dict[str, _Declared] = {}

    def declare(tools: tuple[Tool, ...], path: str) -> None:
        for index, tool in enumerate(tools):
            by_recipient.setdefault(recipient_of(full_name(tool)), _Declared(tool, f"{path}/{index}"))

    declare(document.tools or (), "/tools")
    for index, message in enumerate(document.messages):
        for at, part in enumerate(parts_of(message.content)):
            if isinstance(part, Tools):
                declare(part.tools, f"/messages/{index}/content/{at}/tools")
    return by_recipient


class _Comparison:
    """Checks the calls of one document. The parameters of a tool are compiled when it is first called.

    Args:
        declared: the declared tools by recipient.
        log: gets the findings.
    """

    def __init__(self, declared: dict[str, _Declared], log: Log) -> None:
        self._declared = declared
        self._log = log
        self._compiled: dict[str, Schemas | None] = {}
        self._is_missing = False

    def call(self, call: Message, path: str) -> None:
        """Check one call.

        Args:
            call: the call.
            path: its path.
        """
        name = with_namespace(call.recipient or "")
        declared = self._declared.get(name)
        if declared is None:
            if name.startswith(FUNCTIONS):
                self._log.find(FindingCode.CALL_SCHEMA, f"{path}/recipient", f"no tool {name[:80]!r} is declared")
            return
        if _takes_object(declared.tool, call) and not _is_object(call):
            self._log.find(FindingCode.CALL_SCHEMA, f"{path}/content", "the arguments are not a JSON object")
            return
        schemas = self._schemas(name, declared)
        if schemas is None:
            return
        try:
            schemas.check(call)
        except BridgeError as error:
            where = f"{error.path}: " if error.path else ""
            is_mismatch = error.code is ErrorCode.CALL_SCHEMA
            code = FindingCode.CALL_SCHEMA if is_mismatch else FindingCode.CALL_UNCHECKED
            self._log.find(code, f"{path}/content", f"{where}{error.message}")

    def _schemas(self, name: str, declared: _Declared) -> Schemas | None:
        """Return the compiled parameters of a tool, or None if they cannot be compiled, which is reported once."""
        if name not in self._compiled:
            try:
                self._compiled[name] = Schemas([declared.tool])
            except BridgeError as error:
                self._compiled[name] = None
                self._remark(error, declared)
        return self._compiled[name]

    def _remark(self, error: BridgeError, declared: _Declared) -> None:
        if error.code is not ErrorCode.DEPENDENCY:
            path = declared.path + (error.path or "").removeprefix("/tools/0")
            detail = f"calls are not checked against these parameters: {error.message}"
            self._log.find(FindingCode.CALL_UNCHECKED, path, detail)
        elif not self._is_missing:
            self._is_missing = True
            detail = f"calls are checked against the names of tools only: {error.message}"
            self._log.find(FindingCode.CALL_UNCHECKED, "/tools", detail, Severity.LAYOUT)


def _takes_object(tool: Tool, call: Message) -> bool:
    """Return whether a call must have an object as arguments.

    It need not if the parameters have another type, or if there are none and the call has no JSON constraint.
    """
    schema = tool.parameters
    if schema is None:
        return call.constraint == "json"
    return not isinstance(schema, dict) or cast("dict[str, Json]", schema).get("type", "object") == "object"


def _is_object(call: Message) -> bool:
    """Return whether a call's arguments are an object; empty arguments are an empty object."""
    text = call.content
    if not isinstance(text, str):
        return False
    parsed = jsontext.parse(text)
    return not text.strip() or (parsed is not None and isinstance(parsed.value, dict))
