"""JSON values as YAML on one line (its flow style). What is plain needs no YAML library, and surely reads as itself.

Plain are short ASCII texts, numbers without exponent, and lists and objects of these, as deep as settings are.
"""

from __future__ import annotations

import re
from typing import Final, TypeGuard, cast

from ocml_bridge.model import Json

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
