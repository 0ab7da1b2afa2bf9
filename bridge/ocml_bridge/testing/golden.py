"""Make golden files: the outputs and reports for a source, as files that people review and tests compare."""

from __future__ import annotations

from collections.abc import Iterable

from ..convert import read, write
from ..errors import BridgeError
from ..formats.adapter import Adapter, Kind
from ..json_values import jsontext
from ..registry import adapter as adapter_of
from ..report.policy import DEFAULT_POLICY, LossPolicy
from ..report.result import Result


def golden_files(
    adapter: str | Adapter, source: bytes, targets: Iterable[str], policy: LossPolicy = DEFAULT_POLICY
) -> dict[str, bytes]:
    """Convert a source to some formats; return the contents of golden files by file name.

    Args:
        adapter: the format of the source: its id, or an adapter that need not be registered.
        source: a document.
        targets: format ids.
        policy: which losses are allowed.

    Returns:
        `canonical.json`, and for each target `<id>.<extension>` and `<id>.loss.txt`, the report with one line for each
        finding and loss; or only `error.json` if the source cannot be read.
    """
    try:
        reading = read(source, adapter)
    except BridgeError as error:
        return {"error.json": _pretty(error.to_json())}
    files = {"canonical.json": write(reading.transcript, "canonical").encode(pretty=True)}
    for target in targets:
        result = write(reading.transcript, target, policy=policy)
        result.findings = reading.findings
        files[f"{target}.{extension(target)}"] = result.encode(pretty=not target.endswith("-tokens"))
        files[f"{target}.loss.txt"] = _report(result)
    return files


def extension(format_id: str) -> str:
    """Return the extension of a format's golden files."""
    if format_id == "ocm-2.2":
        return "ocm"
    return "txt" if adapter_of(format_id)[0].kind is Kind.TEXT else "json"


def _pretty(value: object) -> bytes:
    return jsontext.dumps(value, pretty=True) + b"\n"  # type: ignore[arg-type]


def _report(result: Result) -> bytes:
    """Return the report with one line for each finding and loss, so that changes are easy to see."""
    lines = [f"lossless: {str(result.lossless).lower()}"]
    lines += [f"finding {note.severity} {note.code} {note.path}: {note.detail}" for note in result.findings]
    lines += [f"loss {note.severity} {note.code} {note.path}: {note.detail}" for note in result.losses]
    return ("\n".join(lines) + "\n").encode()
