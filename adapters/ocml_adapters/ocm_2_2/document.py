"""Read and write the document header (§2): YAML before the first frame.

Simple values are written without the YAML library, which takes long to import.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeGuard, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import without
from ocml_bridge.model import Header, Json, Settings, replace
from ocml_bridge.model.codec import to_json
from ocml_bridge.model.settings import READERS, settings_of

from .syntax import MAX_HEADER, VERSION

FIELDS: Final = ("capabilities", "profiles")
MODEL: Final = "model"
GENERATION: Final = "generation_settings"
"""The keys of a header with the settings of the conversation."""
_OPENING: Final = re.compile(r"(?:---|```ya?ml)[ \t]*\n")
_CLOSINGS: Final = ("---", "...", "```")


REMEMBERED: Final = 1000
"""The maximum length of a header that is cached, in characters."""
values_of: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*Settings.__match_args__)
"""Returns the fields of settings in order, for cache keys."""


class DocumentHeader(NamedTuple):
    """The contents of a document header.

    Attributes:
        header: the version and the members that are no settings.
        settings: the model, and the members of `generation_settings` that `Settings` has a field for.
        others: the other members of `generation_settings`.
    """

    header: Header
    settings: Settings | None = None
    others: dict[str, Json] | None = None


PLAIN: Final = DocumentHeader(Header(version=VERSION))
"""The default header, which has the version only."""


def parse_header(text: str) -> DocumentHeader | None:
    """Parse a document header; None if the text is no YAML mapping.

    Raises:
        BridgeError: E-PARSE-HEADER if it is too long, nests too deep, or uses YAML aliases.
    """
    if len(text) > MAX_HEADER:
        raise too_long()
    # Imported here, as in `spell`: YAML takes longer to import than most texts take to convert.
    from .yamltext import load

    loaded = load(_without_fences(text))
    if loaded is None:
        return None
    values, spelled = loaded
    version = spelled.get("version")
    if version is not None:
        del values["version"]
    return _header_of(version, values)


def _without_fences(text: str) -> str:
    """Return a header without the fences of YAML or Markdown around it."""
    text = text.strip()
    opening = _OPENING.match(text)
    text = text if opening is None else text[opening.end() :]
    last = text.rfind("\n") + 1
    return text[:last] if text[last:] in _CLOSINGS else text


def _header_of(version: str | None, values: dict[str, Json]) -> DocumentHeader:
    """Return the header with a version and other values; `values` is changed."""
    settings, others = _settings(values)
    known = {name: values.pop(name) for name in FIELDS if name in values}
    return DocumentHeader(Header(version=version, extras=values or None, **known), settings, others)


def _settings(values: dict[str, Json]) -> tuple[Settings | None, dict[str, Json] | None]:
    """Take the settings out of a header's values; return them, and the generation settings without a field."""
    generation: Json = values.pop(GENERATION, None)
    if generation is not None and not isinstance(generation, dict):
        values[GENERATION] = generation
        generation = None
    settings, others = settings_of(without(cast("_Values", generation or {}), MODEL))
    if isinstance(generation, dict) and MODEL in generation:
        others[MODEL] = cast("_Values", generation)[MODEL]
    if isinstance(values.get(MODEL), str):
        settings = replace(settings or Settings(), model=values.pop(MODEL))
    return settings, others or None


_Values = dict[str, Json]


def too_long() -> BridgeError:
    """Return the error for a header that is too long."""
    return BridgeError(ErrorCode.PARSE_HEADER, f"the header is longer than {MAX_HEADER} characters", offset=0)


def render_header(document: DocumentHeader) -> str:
    """Return a document header as YAML, one key per line, `version` first."""
    version = document.header.version
    lines = [] if version is None else [f"version: {_version(version)}"]
    lines += [f"{spell(key)}: {spell(value)}" for key, value in _values_of(document).items()]
    return "".join(f"{line}\n" for line in lines)


def read_back(document: DocumentHeader) -> DocumentHeader | None:
    """Return the result of `parse_header` for the header that `render_header` writes; simple values are not parsed.

    Raises:
        BridgeError: as `parse_header`.
    """
    text, version, values = render_header(document), document.header.version, _values_of(document)
    if version is None or len(text) > MAX_HEADER or plain([version, values]) is None:
        return parse_header(text)
    return _header_of(version, values)


def _values_of(document: DocumentHeader) -> dict[str, Json]:
    """Return the values of a header other than the version, in the order of writing."""
    header, settings = document.header, document.settings or Settings()
    known: dict[str, Json] = {} if settings.model is None else {MODEL: settings.model}
    if generation := {**_generation(settings), **(document.others or {})}:
        known[GENERATION] = generation
    known |= {name: value for name in FIELDS if (value := getattr(header, name)) is not None}
    rest = {**known, **(header.extras or {}), **known}
    if header.version is not None:
        rest.pop("version", None)
    return rest


def _generation(settings: Settings) -> dict[str, Json]:
    """Return the generation settings by the names of the canonical form; a tool choice without names is a word."""
    members = {name: to_json(getattr(settings, name)) for name in READERS if name != MODEL}
    choice = settings.tool_choice
    if choice is not None and not choice.names:
        members["tool_choice"] = choice.mode
    return {name: value for name, value in members.items() if value is not None}


def _version(version: str) -> str:
    return version if re.fullmatch(r"[0-9]+\.[0-9]+", version) else spell(version)


# --- values -----------------------------------------------------------------------------------------------------------

_DEPTH: Final = 8
_WORD: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""Keys that YAML writes on the same line as their value."""
_TEXT: Final = re.compile(r"[ !#-\[\]-~]*")
"""Texts that need no escape in double quotes."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?")
_RESERVED: Final = frozenset({"yes", "no", "y", "n", "on", "off", "true", "false", "null"})
"""Words that YAML does not read as text."""


def spell(value: Json) -> str:
    """Return a value as YAML on one line: a word bare, any other text quoted."""
    if isinstance(value, str) and value not in _RESERVED and _WORD.fullmatch(value):
        return value
    text = plain(value)
    if text is not None:
        return text
    # Imported here: YAML takes longer to import than most texts take to convert.
    from .yamltext import dump

    return dump(value)


def plain(value: Json, depth: int = 0) -> str | None:
    """Return a simple value as `yamltext.dump` writes it and `yamltext.load` reads it; None for any other value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value}"' if _TEXT.fullmatch(value) else None
    if isinstance(value, (int, float)):
        return text if _NUMBER.fullmatch(text := repr(value)) else None
    if depth == _DEPTH:
        return None
    if isinstance(value, list):
        items = [plain(item, depth + 1) for item in cast("list[Json]", value)]
        return f"[{', '.join(items)}]" if _are_plain(items) else None
    members = cast("dict[str, Json]", value)
    if not all(map(_KEY.fullmatch, members)):
        return None
    items = [plain(item, depth + 1) for item in members.values()]
    if not _are_plain(items):
        return None
    return "{" + ", ".join(f'"{key}": {item}' for key, item in zip(members, items, strict=True)) + "}"


def _are_plain(items: list[str | None]) -> TypeGuard[list[str]]:
    return None not in items
