"""The document header (§2): YAML in front of the first frame."""

from __future__ import annotations

import math
import re
from typing import Any, Final, cast

import yaml

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Header, Json

from .syntax import MAX_HEADER

FIELDS: Final = ("model", "generation_settings", "capabilities", "profiles")
_FENCE: Final = re.compile(
    r"\A\s*(?:---[ \t]*\n|```ya?ml[ \t]*\n)?(.*?)(?:^(?:---|\.\.\.|```)[ \t]*\n?)?\s*\Z", re.S | re.M
)
_MAX_DEPTH: Final = 50


class _Loader(yaml.SafeLoader):
    """YAML without dates, so that what is read is JSON, and without aliases, which can grow beyond all measure."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node that is there, not one that is referred to."""
        if cast("Any", self).check_event(yaml.AliasEvent):
            raise _malformed("the header uses YAML aliases, which are not read")
        return super().compose_node(parent, index)


def _malformed(message: str) -> BridgeError:
    return BridgeError(ErrorCode.PARSE_HEADER, message, offset=0)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(yaml.SafeDumper):
    """YAML on one line: strings are quoted, so that nothing in them can begin a line."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return cast("Any", dumper).represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _quoted)


def parse_header(text: str) -> Header | None:
    """The header that a text is; None where it is no YAML mapping.

    Raises:
        BridgeError: E-PARSE-HEADER where it is too long, nests too deep, or uses YAML's aliases.
    """
    if len(text) > MAX_HEADER:
        raise _malformed(f"the header is longer than {MAX_HEADER} characters")
    found = _FENCE.match(text)
    try:
        node = _Loader(found[1] if found else text).get_single_node()
    except RecursionError as error:
        raise _malformed("the header nests too deep") from error
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    try:
        values = cast("dict[str, Json]", _value(node, 0))
    except (yaml.YAMLError, ValueError, OverflowError):
        return None
    version = next((value.value for key, value in node.value if key.value == "version"), None)
    values.pop("version", None)
    known = {name: values.pop(name) for name in FIELDS if name in values}
    if not isinstance(known.get("model", ""), str):
        values["model"] = known.pop("model")
    return Header(version=cast("str | None", version), extras=values or None, **known)


def _value(node: yaml.Node, depth: int) -> Json:
    if depth > _MAX_DEPTH:
        raise _malformed("the header nests too deep")
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        out = {str(key.value): _value(value, depth + 1) for key, value in pairs if isinstance(key, yaml.ScalarNode)}
        if len(out) != len(pairs):
            raise _malformed("the header has a key twice, or one that is not text")
        return out
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, depth + 1) for item in cast("list[yaml.Node]", node.value)]
    return _scalar(cast("yaml.ScalarNode", node))


def _scalar(node: yaml.ScalarNode) -> Json:
    value = cast("Any", _Loader("")).construct_object(node)
    if not isinstance(value, (str, int, float, bool, type(None))) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        return cast("str", node.value)
    return value


def render_header(header: Header) -> str:
    """The header as YAML, one key a line, `version` first."""
    lines = [f"version: {_version(header.version)}"] if header.version is not None else []
    known = {name: getattr(header, name) for name in FIELDS}
    rest = {**{key: value for key, value in known.items() if value is not None}, **(header.extras or {})}
    lines += [f"{_flow(key)}: {_flow(value)}" for key, value in rest.items()]
    return "".join(f"{line}\n" for line in lines)


def _version(version: str) -> str:
    return version if re.fullmatch(r"[0-9]+\.[0-9]+", version) else _flow(version)


def _flow(value: Json) -> str:
    if isinstance(value, str) and re.fullmatch(r"[a-z]+(?:_[a-z]+)*", value) and value not in _WORDS:
        return value
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=math.inf, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


_WORDS: Final = frozenset({"yes", "no", "y", "n", "on", "off", "true", "false", "null"})
"""What YAML does not read as text."""
