"""Format id → adapter. Adapters are imported only when they are used; third parties add theirs by entry point."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, cast

from .adapter import Adapter, Kind, Source
from .errors import BridgeError, ErrorCode

ENTRY_POINTS: Final = "ocml_bridge.formats"
"""The entry point group: name = format id, value = an `Adapter`."""

BUILT_IN: Final[dict[str, str]] = {
    "ocm-0.1": "ocml_adapters.ocm_0_1:ADAPTER",
    "ocm-2.2": "ocml_adapters.ocm_2_2:ADAPTER",
    "ocm-2.2-json": "ocml_adapters.ocm_2_2_json:ADAPTER",
    "harmony": "ocml_adapters.harmony:ADAPTER",
    "harmony-tokens": "ocml_adapters.harmony:TOKENS",
    "internlm2": "ocml_adapters.internlm2:ADAPTER",
    "chatml": "ocml_adapters.chatml:ADAPTER",
    "chatml-json": "ocml_adapters.chatml:JSON",
    "openai": "ocml_adapters.openai:ADAPTER",
    "canonical": "ocml_adapters.canonical:ADAPTER",
}


def formats() -> tuple[str, ...]:
    """The ids of all formats: the built-in ones, then those of third parties by name."""
    return (*BUILT_IN, *sorted(set(_plugins()) - set(BUILT_IN)))


@cache
def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


@cache
def _load(format_id: str) -> Adapter:
    target = BUILT_IN.get(format_id) or _plugins().get(format_id)
    if target is None:
        raise BridgeError(
            ErrorCode.FORMAT_UNKNOWN, f"there is no format {format_id!r}; the formats are {', '.join(formats())}"
        )
    module, _, name = target.partition(":")
    return cast("Adapter", getattr(import_module(module), name))


def adapter(format_id: str) -> tuple[Adapter, str | None]:
    """The adapter for `id` or `id:dialect`, and the dialect where one is named.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN for an unknown id or dialect.
    """
    name, colon, dialect = format_id.partition(":")
    found = _load(name)
    if colon and dialect not in found.dialects:
        known = ", ".join(f"{name}:{known}" for known in found.dialects) or "none"
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"{name} has no dialect {dialect!r}; it has {known}")
    return found, dialect if colon else None


def detect(source: Source) -> str:
    """The id of the format that a source is surely in.

    Args:
        source: text, or parsed JSON.

    Raises:
        BridgeError: OCB-FORMAT-AMBIGUOUS naming the candidates, or OCB-FORMAT-UNKNOWN where none fits.
    """
    kind = Kind.TEXT if isinstance(source, str) else Kind.JSON
    scores = {name: found.sniff(source) for name in formats() if (found := _load(name)).kind is kind}
    best = max(scores.values(), default=0)
    names = [name for name, score in scores.items() if score == best]
    if best == 0:
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, "the format cannot be told from the input; name it with --from")
    if len(names) > 1:
        raise BridgeError(
            ErrorCode.FORMAT_AMBIGUOUS, f"the input may be any of {', '.join(names)}; name the one it is with --from"
        )
    return names[0]
