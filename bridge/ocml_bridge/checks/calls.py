"""Whether the calls of a document fit the tools that it declares (OpenChatML 2.2 §14, E-CALL-SCHEMA), in any format."""

from __future__ import annotations

from typing import NamedTuple, cast

from ..chat.turns import FUNCTIONS, full_name, is_call, parts_of, recipient_of, with_namespace
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Log, Severity
from ..model import Document, Json, Message, Tool, Tools, Transcript
from ..stream.schema import Schemas


class _Declared(NamedTuple):
    tool: Tool
    path: str


def check_calls(document: Document) -> tuple[Finding, ...]:
    """Compare each call with what is declared anywhere in its document; nothing is declared, nothing is compared.

    A function must be declared, and its arguments be an object that its parameters allow. Names and objects are looked
    at always; parameters with the extra `schema` alone, and never where a schema refers to elsewhere. What could not be
    compared is a finding, too (`call-unchecked`). Calls that broke off are passed over.

    Returns:
        Findings with paths into the canonical form: `E-CALL-SCHEMA` at a call's recipient or content.
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
    """The declared tools by recipient, with their places; of two with one name the first counts."""
    found: dict[str, _Declared] = {}

    def declare(tools: tuple[Tool, ...], path: str) -> None:
        for index, tool in enumerate(tools):
            found.setdefault(recipient_of(full_name(tool)), _Declared(tool, f"{path}/{index}"))

    declare(document.tools or (), "/tools")
    for index, message in enumerate(document.messages):
        for at, part in enumerate(parts_of(message.content)):
            if isinstance(part, Tools):
                declare(part.tools, f"/messages/{index}/content/{at}/tools")
    return found


class _Comparison:
    """Compares the calls of one document; each tool's parameters are compiled when it is first called."""

    def __init__(self, declared: dict[str, _Declared], log: Log) -> None:
        self._declared = declared
        self._log = log
        self._compiled: dict[str, Schemas | None] = {}
        self._is_missing = False

    def call(self, call: Message, path: str) -> None:
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
            fits = error.code is ErrorCode.CALL_SCHEMA
            code = FindingCode.CALL_SCHEMA if fits else FindingCode.CALL_UNCHECKED
            self._log.find(code, f"{path}/content", f"{where}{error.message}")

    def _schemas(self, name: str, declared: _Declared) -> Schemas | None:
        """What a tool's calls are compared with; None where they cannot be, which is found once."""
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
    """Whether a tool takes an object: parameters of another type say so; without any, the call's input may be text."""
    schema = tool.parameters
    if schema is None:
        return call.constraint == "json"
    return not isinstance(schema, dict) or cast("dict[str, Json]", schema).get("type", "object") == "object"


def _is_object(call: Message) -> bool:
    """Whether a call's arguments are an object; none at all are one without members."""
    text = call.content
    if not isinstance(text, str):
        return False
    found = jsontext.parse(text)
    return not text.strip() or (found is not None and isinstance(found.value, dict))
