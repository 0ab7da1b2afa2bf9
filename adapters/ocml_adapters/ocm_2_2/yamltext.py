"""Convert between YAML and JSON values; the only module that imports the YAML library."""

from __future__ import annotations

import math
from typing import Any, Final, cast

import yaml

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Json

_MAX_DEPTH: Final = 50


class _Loader(yaml.SafeLoader):
    """A loader without dates, so that all values are JSON, and without aliases, which can grow exponentially.

    It refuses nodes deeper than `_MAX_DEPTH` early, because the scanner's time grows with depth and length.
    """

    depth = -1

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node; refuse aliases and deep nesting."""
        if cast("Any", self).check_event(yaml.AliasEvent):
            raise _malformed("the header uses YAML aliases, which are not read")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _malformed("the header nests too deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(yaml.SafeDumper):
    """A dumper that quotes all strings, so that no text in them can begin a line."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return cast("Any", dumper).represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _quoted)


def _malformed(message: str) -> BridgeError:
    return BridgeError(ErrorCode.PARSE_HEADER, message, offset=0)


def load(text: str) -> tuple[dict[str, Json], dict[str, str]] | None:
    """Return a YAML mapping as JSON values, and the raw text of its scalars by key; None if the text is no mapping.

    Raises:
        BridgeError: E-PARSE-HEADER if it nests too deep, repeats a key, or uses YAML aliases.
    """
    try:
        node = _Loader(text).get_single_node()
    except RecursionError as error:
        raise _malformed("the header nests too deep") from error
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    try:
        values = cast("dict[str, Json]", _value(node))
    except (yaml.YAMLError, ValueError, OverflowError):
        return None
    return values, {key.value: value.value for key, value in node.value if isinstance(value, yaml.ScalarNode)}


def _value(node: yaml.Node) -> Json:
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        out = {str(key.value): _value(value) for key, value in pairs if isinstance(key, yaml.ScalarNode)}
        if len(out) != len(pairs):
            raise _malformed("the header has a key twice, or one that is not text")
        return out
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in cast("list[yaml.Node]", node.value)]
    return _scalar(cast("yaml.ScalarNode", node))


def _scalar(node: yaml.ScalarNode) -> Json:
    value = cast("Any", _Loader("")).construct_object(node)
    if not isinstance(value, (str, int, float, bool, type(None))) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        return cast("str", node.value)
    return value


def dump(value: Json) -> str:
    """Return a JSON value as YAML on one line."""
    write = cast("Any", yaml).dump  # some releases of its type stubs do not allow an infinite width
    text: str = write(value, Dumper=_Dumper, default_flow_style=True, width=math.inf, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")
