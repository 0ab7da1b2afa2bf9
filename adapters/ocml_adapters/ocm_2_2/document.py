"""The document header (§2): YAML in front of the first frame. What is plain in it needs no YAML library."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeGuard, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Header, Json, Settings, replace
from ocml_bridge.model.codec import to_json
from ocml_bridge.model.settings import READERS, settings_of

from .syntax import MAX_HEADER, VERSION

FIELDS: Final = ("capabilities", "profiles")
MODEL: Final = "model"
GENERATION: Final = "generation_settings"
"""The keys of a header whose values are the settings of the conversation."""
_OPENING: Final = re.compile(r"(?:---|```ya?ml)[ \t]*\n")
_CLOSINGS: Final = ("---", "...", "```")


REMEMBERED: Final = 1000
"""The longest header that is remembered, in characters."""
values_of: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*Settings.__match_args__)
"""What settings are made of, for what remembers them: in the order in which they take it."""


class DocumentHeader(NamedTuple):
    """What a header says.

    Attributes:
        header: the header itself.
        settings: the model, and what of `generation_settings` has a field.
        others: the generation settings that have none.
    """

    header: Header
    settings: Settings | None = None
    others: dict[str, Json] | None = None


PLAIN: Final = DocumentHeader(Header(version=VERSION))
"""The header that every transcript gets, and that says nothing more."""


def parse_header(text: str) -> DocumentHeader | None:
    """The header that a text is; None where it is no YAML mapping.

    Raises:
        BridgeError: E-PARSE-HEADER where it is too long, nests too deep, or uses YAML's aliases.
    """
    if len(text) > MAX_HEADER:
        raise too_long()
    # Imported here, as below: YAML takes longer to import than most texts take to convert.
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
    """A header without the lines around it that YAML or Markdown fence it with."""
    text = text.strip()
    opening = _OPENING.match(text)
    text = text if opening is None else text[opening.end() :]
    last = text.rfind("\n") + 1
    return text[:last] if text[last:] in _CLOSINGS else text


def _header_of(version: str | None, values: dict[str, Json]) -> DocumentHeader:
    """The header with a version and some more values, which are taken from."""
    settings, others = _settings(values)
    known = {name: values.pop(name) for name in FIELDS if name in values}
    return DocumentHeader(Header(version=version, extras=values or None, **known), settings, others)


def _settings(values: dict[str, Json]) -> tuple[Settings | None, dict[str, Json] | None]:
    """Take the settings out of a header's values; what is none stays there, or is another generation setting."""
    generation: Json = values.pop(GENERATION, None)
    if generation is not None and not isinstance(generation, dict):
        values[GENERATION] = generation
        generation = None
    settings, others = settings_of(
        {key: value for key, value in cast("_Values", generation or {}).items() if key != MODEL}
    )
    if isinstance(generation, dict) and MODEL in generation:
        others[MODEL] = cast("_Values", generation)[MODEL]
    if isinstance(values.get(MODEL), str):
        settings = replace(settings or Settings(), model=values.pop(MODEL))
    return settings, others or None


_Values = dict[str, Json]


def too_long() -> BridgeError:
    """The error of a header that is too long to be read."""
    return BridgeError(ErrorCode.PARSE_HEADER, f"the header is longer than {MAX_HEADER} characters", offset=0)


def render_header(document: DocumentHeader) -> str:
    """The header as YAML, one key a line, `version` first."""
    version = document.header.version
    lines = [] if version is None else [f"version: {_version(version)}"]
    lines += [f"{spell(key)}: {spell(value)}" for key, value in _values_of(document).items()]
    return "".join(f"{line}\n" for line in lines)


def read_back(document: DocumentHeader) -> DocumentHeader | None:
    """What `parse_header` makes of a header as `render_header` writes it; YAML is read only where values are not plain.

    Raises:
        BridgeError: as `parse_header`.
    """
    text, version, values = render_header(document), document.header.version, _values_of(document)
    if version is None or len(text) > MAX_HEADER or plain([version, values]) is None:
        return parse_header(text)
    return _header_of(version, values)


def _values_of(document: DocumentHeader) -> dict[str, Json]:
    """What a header says beside the version, in the order in which it is written."""
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
    """The generation settings, by the names of the canonical form; a tool choice that names no tool is a word."""
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
"""Keys that YAML writes on the line of their value."""
_TEXT: Final = re.compile(r"[ !#-\[\]-~]*")
"""Texts that stand in double quotes as they are."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?")
_RESERVED: Final = frozenset({"yes", "no", "y", "n", "on", "off", "true", "false", "null"})
"""Words that YAML does not read as text."""


def spell(value: Json) -> str:
    """A value as it stands in a header: a word bare, any other text quoted."""
    if isinstance(value, str) and value not in _RESERVED and _WORD.fullmatch(value):
        return value
    text = plain(value)
    if text is not None:
        return text
    # Imported here: YAML takes longer to import than most texts take to convert.
    from .yamltext import dump

    return dump(value)


def plain(value: Json, depth: int = 0) -> str | None:
    """A plain value as `yamltext.dump` writes it, of which `yamltext.load` makes the same; None for any other value."""
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
