"""Tools that a request wants and that no client runs: `{"type": "code_interpreter"}`, `builtin_tools`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from ocml_bridge.form import Object
from ocml_bridge.model import Json, Transcript, replace
from ocml_bridge.prompting import HostedTool

from .syntax import HOME, NOTES

_TEMPLATE: str = "chat_template_kwargs"
_NAMES: str = "builtin_tools"


def hosted_tools(request: Transcript, kinds: Collection[str]) -> tuple[Transcript, tuple[HostedTool, ...]]:
    """Take the tools of some kinds out of a request.

    They stand in `tools`, each with its type; as the parameter `builtin_tools` of a chat template, they are names.

    Returns:
        The request without them, and what they are.
    """
    own: Object = dict(NOTES.of(request.extras))
    found: list[HostedTool] = []
    place = f"/extras/{HOME}"
    left: list[Json] = []
    for at, entry in enumerate(_list(own.get("tools"))):
        tool = _object(_object(entry).get("tool"))
        kind = tool.get("type")
        if isinstance(kind, str) and kind in kinds:
            says_more = any(value not in (None, {}, kind) for key, value in tool.items() if key != "type")
            found.append(HostedTool(kind, f"{place}/tools/{at}/tool", says_more=says_more))
        else:
            left.append(entry)
    if found:
        own["tools"] = left
    found += _named(own, kinds, place)
    arguments = dict(_object(own.get(_TEMPLATE)))
    of_template = _named(arguments, kinds, f"{place}/{_TEMPLATE}")
    if of_template:
        own[_TEMPLATE] = arguments
    found += of_template
    if not found:
        return request, ()
    for key in ("tools", _TEMPLATE):
        if not own.get(key):
            own.pop(key, None)
    extras = {**(request.extras or {}), HOME: own}
    if not own:
        del extras[HOME]
    return replace(request, extras=extras or None), tuple(found)


def _named(members: Object, kinds: Collection[str], place: str) -> list[HostedTool]:
    """Take the names of tools out of the parameter of a chat template, where it has no others."""
    names = _list(members.get(_NAMES))
    if not names or not all(isinstance(name, str) and name in kinds for name in names):
        return []
    del members[_NAMES]
    return [HostedTool(cast("str", name), f"{place}/{_NAMES}/{at}") for at, name in enumerate(names)]


def _list(value: Any) -> list[Json]:
    return cast("list[Json]", value) if isinstance(value, list) else []


def _object(value: Any) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}
