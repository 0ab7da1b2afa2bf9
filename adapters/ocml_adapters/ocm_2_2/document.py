"""The document header (§2): YAML in front of the first frame."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Header, Json

from .syntax import MAX_HEADER, VERSION

FIELDS: Final = ("model", "generation_settings", "capabilities", "profiles")
_FENCE: Final = re.compile(
    r"\A\s*(?:---[ \t]*\n|```ya?ml[ \t]*\n)?(.*?)(?:^(?:---|\.\.\.|```)[ \t]*\n?)?\s*\Z", re.S | re.M
)


PLAIN: Final = Header(version=VERSION)
"""The header that every transcript gets, and that says nothing more."""


def parse_header(text: str) -> Header | None:
    """The header that a text is; None where it is no YAML mapping.

    Raises:
        BridgeError: E-PARSE-HEADER where it is too long, nests too deep, or uses YAML's aliases.
    """
    if len(text) > MAX_HEADER:
        raise too_long()
    # Imported here, as in `_flow`: YAML takes longer to import than most texts take to convert.
    from .yamltext import load

    found = _FENCE.match(text)
    loaded = load(found[1] if found else text)
    if loaded is None:
        return None
    values, spelled = loaded
    version = spelled.get("version")
    if version is not None:
        del values["version"]
    known = {name: values.pop(name) for name in FIELDS if name in values}
    if not isinstance(known.get("model", ""), str):
        values["model"] = known.pop("model")
    return Header(version=version, extras=values or None, **known)


def too_long() -> BridgeError:
    """The error of a header that is too long to be read."""
    return BridgeError(ErrorCode.PARSE_HEADER, f"the header is longer than {MAX_HEADER} characters", offset=0)


def render_header(header: Header) -> str:
    """The header as YAML, one key a line, `version` first."""
    lines = [f"version: {_version(header.version)}"] if header.version is not None else []
    known = {name: value for name in FIELDS if (value := getattr(header, name)) is not None}
    rest = {**known, **(header.extras or {}), **known}
    if lines:
        rest.pop("version", None)
    lines += [f"{_flow(key)}: {_flow(value)}" for key, value in rest.items()]
    return "".join(f"{line}\n" for line in lines)


def _version(version: str) -> str:
    return version if re.fullmatch(r"[0-9]+\.[0-9]+", version) else _flow(version)


def _flow(value: Json) -> str:
    if isinstance(value, str) and re.fullmatch(r"[a-z]+(?:_[a-z]+)*", value) and value not in _WORDS:
        return value
    from .yamltext import dump

    return dump(value)


_WORDS: Final = frozenset({"yes", "no", "y", "n", "on", "off", "true", "false", "null"})
"""What YAML does not read as text."""
