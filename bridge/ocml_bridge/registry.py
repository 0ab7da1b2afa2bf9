"""Format id → adapter. Adapters are imported only when they are used; third parties add theirs by entry point."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, cast

from .adapter import Adapter, Kind, Source
from .errors import BridgeError, ErrorCode
from .lazy import find

ENTRY_POINTS: Final = "ocml_bridge.formats"
"""The entry point group: name = format id, value = an `Adapter`."""

BUILT_IN: Final[dict[str, str]] = {
    "ocm-0.1": "ocml_adapters.ocm_0_1:ADAPTER",
    "ocm-2.2": "ocml_adapters.ocm_2_2:ADAPTER",
    "ocm-2.2-json": "ocml_adapters.ocm_2_2_json:ADAPTER",
    "harmony": "ocml_adapters.harmony:ADAPTER",
    "harmony-tokens": "ocml_adapters.harmony:TOKENS",
    "internlm2": "ocml_adapters.internlm2:ADAPTER",
    "internlm2-tokens": "ocml_adapters.internlm2:TOKENS",
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
    # Imported here: it takes as long to import as all the rest of the bridge.
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


@cache
def _load(format_id: str) -> Adapter:
    target = BUILT_IN.get(format_id) or _plugins().get(format_id)
    if target is None:
        raise BridgeError(
            ErrorCode.FORMAT_UNKNOWN, f"there is no format {format_id!r}; the formats are {', '.join(formats())}"
        )
    try:
        return cast("Adapter", find(target))
    except (ImportError, AttributeError) as error:
        raise BridgeError(ErrorCode.DEPENDENCY, f"the format {format_id!r} cannot be loaded: {error}") from error


def adapter(format_id: str | Adapter) -> tuple[Adapter, str | None]:
    """The adapter for `id` or `id:dialect`, and the dialect where one is named; an adapter stands for itself.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN for an unknown id or dialect.
    """
    if isinstance(format_id, Adapter):
        return format_id, None
    if ":" not in format_id:
        return _load(format_id), None
    name, _, dialect = format_id.partition(":")
    found = _load(name)
    if dialect not in found.dialects:
        known = ", ".join(f"{name}:{known}" for known in found.dialects) or "none"
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"{name} has no dialect {dialect!r}; it has {known}")
    return found, dialect


_CERTAIN: Final = 3


def _sniff(names: Iterable[str], source: Source) -> dict[str, int]:
    kind = Kind.TEXT if isinstance(source, str) else Kind.JSON
    return {name: found.sniff(source) for name in names if (found := _load(name)).kind is kind}


def detect(source: Source) -> str:
    """The id of the format that a source is surely in.

    Formats of third parties are asked only where no built-in one is certain: they take time to find.

    Args:
        source: text, or parsed JSON.

    Raises:
        BridgeError: OCB-FORMAT-AMBIGUOUS naming the candidates, or OCB-FORMAT-UNKNOWN where none fits.
    """
    scores = _sniff(BUILT_IN, source)
    best = max(scores.values(), default=0)
    if best < _CERTAIN:
        scores = _sniff(formats(), source)
        best = max(scores.values(), default=0)
    names = [name for name, score in scores.items() if score == best]
    if best == 0:
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, "the format cannot be told from the input; name it with --from")
    if len(names) > 1:
        raise BridgeError(
            ErrorCode.FORMAT_AMBIGUOUS, f"the input may be any of {', '.join(names)}; name the one it is with --from"
        )
    return names[0]
