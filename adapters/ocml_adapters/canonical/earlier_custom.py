"""Custom tools where earlier documents told them: among the extras of the wires of OpenAI."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.freeform import FORMAT, read_freeform
from ocml_bridge.model import Json
from ocml_bridge.model.codec import to_json

Object = dict[str, Json]

_OPENAI: Final = "openai"
_RESPONSES: Final = "openai-responses"
_CUSTOM: Final = "custom"


def home_of_custom(tool: Object) -> str | None:
    """The format whose extras alone say that a tool is a custom one."""
    extras = _object(tool.get("extras"))
    if "freeform" in tool:
        return None
    if isinstance(_object(extras.get(_OPENAI)).get(_CUSTOM), dict):
        return _OPENAI
    return _RESPONSES if _object(extras.get(_RESPONSES)).get("type") == _CUSTOM else None


def with_freeform(tool: Object, home: str) -> Object:
    """A tool that says itself what it takes."""
    extras = dict(cast("Object", tool["extras"]))
    own = dict(_object(extras.pop(home)))
    inside = dict(_object(own.pop(_CUSTOM))) if home == _OPENAI else own
    if home == _RESPONSES:
        del own["type"]
    freeform, spelled = read_freeform(inside.get(FORMAT), nested=home == _OPENAI)
    layout = tool.get("layout")
    if spelled is not None:
        del inside[FORMAT]
        own_layout = {**_object(_object(layout).get(home)), **({FORMAT: spelled} if spelled else {})}
        layout = {**_object(layout), **({home: own_layout} if own_layout else {})}
    if home == _OPENAI and inside:
        own[_CUSTOM] = inside
    extras |= {home: own} if own else {}
    others = {key: value for key, value in tool.items() if key not in ("extras", "layout")}
    made = {**others, **({"extras": extras} if extras else {}), **({"layout": layout} if layout else {})}
    return {**made, "freeform": to_json(freeform)}


def _object(value: Json) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}
