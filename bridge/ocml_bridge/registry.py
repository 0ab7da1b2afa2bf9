"""Format id → adapter. Adapters are imported only when they are used; third parties add theirs by entry point."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from .common.lazy import find
from .common.suggestions import did_you_mean, with_choices
from .errors import BridgeError, ErrorCode
from .formats.adapter import Adapter, FormatOption, Options

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
    "openai-responses": "ocml_adapters.openai_responses:ADAPTER",
    "gemini": "ocml_adapters.gemini:ADAPTER",
    "anthropic": "ocml_adapters.anthropic:ADAPTER",
    "bedrock-converse": "ocml_adapters.bedrock_converse:ADAPTER",
    "sharegpt": "ocml_adapters.sharegpt:ADAPTER",
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
def _find(format_id: str) -> Adapter | Exception:
    """An adapter, or why it cannot be loaded: what its author did wrong ends nothing else."""
    target = BUILT_IN.get(format_id) or _plugins()[format_id]
    try:
        found = find(target)
    except Exception as error:
        return error
    return found if isinstance(found, Adapter) else TypeError(f"{target} is not an adapter")


def _load(format_id: str) -> Adapter:
    if format_id not in BUILT_IN and format_id not in _plugins():
        raise _unknown(format_id)
    found = _find(format_id)
    if isinstance(found, Exception):
        why = f"{type(found).__name__}: {found}"
        raise BridgeError(ErrorCode.DEPENDENCY, f"the format {format_id!r} cannot be loaded: {why}") from found
    return found


def third_party(module: str) -> str | None:
    """The format whose code a module is, where that is a third party's.

    Args:
        module: its dotted name.
    """
    package = module.partition(".")[0]
    return next(
        (name for name, value in _plugins().items() if value.partition(":")[0].partition(".")[0] == package), None
    )


def load_all() -> tuple[list[Adapter], list[BridgeError]]:
    """The adapters of all formats, in their order, and one error for each plug-in that cannot be loaded."""
    return _loaded(formats())


def third_parties() -> tuple[list[Adapter], list[BridgeError]]:
    """As `load_all`, without the built-in formats."""
    return _loaded(formats()[len(BUILT_IN) :])


def _loaded(names: Iterable[str]) -> tuple[list[Adapter], list[BridgeError]]:
    adapters: list[Adapter] = []
    errors: list[BridgeError] = []
    for name in names:
        try:
            adapters.append(_load(name))
        except BridgeError as error:
            errors.append(error)
    return adapters, errors


ALIASES: Final[dict[str, str]] = {
    **dict.fromkeys(("gpt-oss", "gptoss", "hip-1", "oss-harmony", "openai-harmony"), "harmony"),
    **dict.fromkeys(("qwen", "qwen2", "qwen2.5", "qwen3", "hermes"), "chatml:hermes"),
    "im": "chatml",
    **dict.fromkeys(("chat-completions", "chatcompletions", "messages", "chatgpt", "gpt"), "openai"),
    **dict.fromkeys(("responses", "open-responses", "openresponses"), "openai-responses"),
    **dict.fromkeys(("share-gpt", "vicuna", "llama-factory", "llamafactory"), "sharegpt"),
    **dict.fromkeys(("google", "generate-content", "generatecontent", "vertex", "google-genai"), "gemini"),
    **dict.fromkeys(("bedrock", "converse", "aws"), "bedrock-converse"),
    **dict.fromkeys(("openchatml", "ocm", "openchatml-2.2"), "ocm-2.2"),
    **dict.fromkeys(("openchatml-0.1",), "ocm-0.1"),
    **dict.fromkeys(("internlm", "internlm2-chat"), "internlm2"),
    **dict.fromkeys(("claude", "messages-api", "anthropic-messages"), "anthropic"),
}
"""Names of models and of specifications → the format that they write."""


def _unknown(format_id: str) -> BridgeError:
    """The error for an id that no format has, with the one that was probably meant."""
    known, name = formats(), format_id.casefold()
    if name not in known and any(name in (*adapter.decoders, *adapter.encoders) for adapter in load_all()[0]):
        detail = f"{name} is a stream; convert it with `ocml-convert stream`, or ocml_bridge.decoder and encoder"
        return BridgeError(ErrorCode.FORMAT_UNKNOWN, detail)
    near = f"; did you mean {ALIASES[name]}?" if name in ALIASES else did_you_mean(name, known)
    choices = with_choices(near, f"the formats are {', '.join(known)}")
    return BridgeError(ErrorCode.FORMAT_UNKNOWN, f"there is no format {format_id!r}{choices}")


def format_options() -> dict[str, FormatOption[str] | FormatOption[None]]:
    """The options that the formats declare for themselves, by name."""
    return {option.name: option for adapter in load_all()[0] for option in adapter.options}


@cache
def _built_in_options() -> frozenset[str]:
    """The names of those of built-in formats, which every conversion may look for."""
    return frozenset(option.name for name in BUILT_IN for option in _load(name).options)


def check_format_options(options: Options, *formats: str | Adapter | None) -> None:
    """Refuse options that no format declares: they would be passed over without a word.

    Args:
        options: the options of a conversion.
        formats: its formats, among which may be adapters that are not registered.

    Raises:
        BridgeError: OCB-OPTION for the first of them, with the one that was probably meant.
    """
    if not options.format_options:
        return
    own = {option.name for adapter in formats if isinstance(adapter, Adapter) for option in adapter.options}
    for name, _ in options.format_options:
        if name not in own and name not in _built_in_options() and name not in (known := format_options()):
            choices = with_choices(did_you_mean(name, known), f"there are {', '.join(known)}")
            raise BridgeError(ErrorCode.OPTION, f"no format has an option {name!r}{choices}")


def adapter(format_id: str | Adapter) -> tuple[Adapter, str | None]:
    """The adapter for `id` or `id:dialect`, and the dialect where one is named; an adapter stands for itself.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN for an unknown id or dialect, OCB-DEPENDENCY for one that cannot be
            loaded.
    """
    return (format_id, None) if isinstance(format_id, Adapter) else _named(format_id)


@cache
def _named(format_id: str) -> tuple[Adapter, str | None]:
    """As `adapter`; what is no name of a format is not remembered."""
    if ":" not in format_id:
        return _load(format_id), None
    name, _, dialect = format_id.partition(":")
    found = _load(name)
    if dialect not in found.dialects:
        known = ", ".join(f"{name}:{known}" for known in found.dialects)
        there = f"the dialects are {known}" if known else "the format has none"
        choices = with_choices(did_you_mean(dialect, found.dialects), there)
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"{name} has no dialect {dialect!r}{choices}")
    return found, dialect
