"""Look up adapters by format id.

An adapter is imported when it is first used. Third parties register theirs by entry point.
"""

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
    """Return the ids of all formats: the built-in ones, then those of third parties, sorted."""
    return (*BUILT_IN, *sorted(set(_plugins()) - set(BUILT_IN)))


@cache
def _plugins() -> dict[str, str]:
    # Imported here because its import takes as long as that of all the rest of the bridge.
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


@cache
def _find(format_id: str) -> Adapter | Exception:
    """Return an adapter, or the exception that its import raised, so that a broken plug-in stops nothing else."""
    target = BUILT_IN.get(format_id) or _plugins()[format_id]
    try:
        adapter = find(target)
    except Exception as error:
        return error
    return adapter if isinstance(adapter, Adapter) else TypeError(f"{target} is not an adapter")


def _load(format_id: str) -> Adapter:
    """Return an adapter by its id.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN if there is no such format, OCB-DEPENDENCY if it cannot be loaded.
    """
    if format_id not in BUILT_IN and format_id not in _plugins():
        raise _unknown(format_id)
    adapter = _find(format_id)
    if isinstance(adapter, Exception):
        why = f"{type(adapter).__name__}: {adapter}"
        raise BridgeError(ErrorCode.DEPENDENCY, f"the format {format_id!r} cannot be loaded: {why}") from adapter
    return adapter


def third_party(module: str) -> str | None:
    """Return the id of the third party's format that a module belongs to, or None if it belongs to none.

    Args:
        module: its dotted name.
    """
    package = module.partition(".")[0]
    return next(
        (name for name, value in _plugins().items() if value.partition(":")[0].partition(".")[0] == package), None
    )


def load_all() -> tuple[list[Adapter], list[BridgeError]]:
    """Return the adapters in the order of `formats`, and one error for each plug-in that cannot be loaded."""
    return _loaded(formats())


def has_third_parties() -> bool:
    """Return whether there are formats of third parties, without loading them."""
    return not _plugins().keys() <= BUILT_IN.keys()


def third_parties() -> tuple[list[Adapter], list[BridgeError]]:
    """Return what `load_all` returns, without the built-in formats."""
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
"""The format to suggest for the name of a model or of a specification that is given as a format id."""


def _unknown(format_id: str) -> BridgeError:
    """Return the error for an unknown id, with a suggestion if one is likely."""
    known, name = formats(), format_id.casefold()
    if name not in known and any(name in (*adapter.decoders, *adapter.encoders) for adapter in load_all()[0]):
        detail = f"{name} is a stream; convert it with `ocml-convert stream`, or ocml_bridge.decoder and encoder"
        return BridgeError(ErrorCode.FORMAT_UNKNOWN, detail)
    suggestion = f"; did you mean {ALIASES[name]}?" if name in ALIASES else did_you_mean(name, known)
    choices = with_choices(suggestion, f"the formats are {', '.join(known)}")
    return BridgeError(ErrorCode.FORMAT_UNKNOWN, f"there is no format {format_id!r}{choices}")


def format_options() -> dict[str, FormatOption[str] | FormatOption[None]]:
    """Return the options that formats declare (`Adapter.options`), by name."""
    return {option.name: option for adapter in load_all()[0] for option in adapter.options}


@cache
def _built_in_options() -> frozenset[str]:
    """Return the names of the options of built-in formats: looking them up does not load the plug-ins."""
    return frozenset(option.name for name in BUILT_IN for option in _load(name).options)


def check_format_options(options: Options, *formats: str | Adapter | None) -> None:
    """Refuse format options that no format declares; they would have no effect.

    Args:
        options: the options of a conversion.
        formats: the formats of the conversion; adapters among them need not be registered.

    Raises:
        BridgeError: OCB-OPTION for the first unknown option, with a suggestion.
    """
    if not options.format_options:
        return
    declared = {option.name for adapter in formats if isinstance(adapter, Adapter) for option in adapter.options}
    for name, _ in options.format_options:
        if name not in declared and name not in _built_in_options() and name not in (known := format_options()):
            choices = with_choices(did_you_mean(name, known), f"there are {', '.join(known)}")
            raise BridgeError(ErrorCode.OPTION, f"no format has an option {name!r}{choices}")


def adapter(format_id: str | Adapter) -> tuple[Adapter, str | None]:
    """Return the adapter for `id` or `id:dialect`, and the dialect or None; an adapter is returned as it is.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN for an unknown id or dialect, OCB-DEPENDENCY if the adapter cannot be loaded.
    """
    return (format_id, None) if isinstance(format_id, Adapter) else _named(format_id)


@cache
def _named(format_id: str) -> tuple[Adapter, str | None]:
    """Look up `id` or `id:dialect`. Unknown names raise, so they do not fill the cache."""
    if ":" not in format_id:
        return _load(format_id), None
    name, _, dialect = format_id.partition(":")
    adapter = _load(name)
    if dialect not in adapter.dialects:
        known = ", ".join(f"{name}:{known}" for known in adapter.dialects)
        listed = f"the dialects are {known}" if known else "the format has none"
        choices = with_choices(did_you_mean(dialect, adapter.dialects), listed)
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"{name} has no dialect {dialect!r}{choices}")
    return adapter, dialect
