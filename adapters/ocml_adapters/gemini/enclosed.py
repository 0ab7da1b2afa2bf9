"""Read and write responses in the member `response` of an object: Code Assist, the API of Gemini CLI, encloses them.

| in | is in the document |
| --- | --- |
| the enclosed response | what it is by itself |
| the members next to it, such as `traceId` | extras, by key |
| the order of these members | layout |
"""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.errors import BridgeError
from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import items_of
from ocml_bridge.loss import Log
from ocml_bridge.model import Json
from ocml_bridge.units.envelopes import Body
from ocml_bridge.wires.documents import SHAPE, Shape, Surrounding
from ocml_bridge.wires.shell import Shell

from .syntax import ENCLOSED, is_enclosed

_AROUND: Final = "around"
"""The key of the layout with the keys of the object, in their order."""


def enclosed(shape: Shape) -> Shape:
    """Return the shape of objects that enclose a response.

    Args:
        shape: the shape of responses.
    """
    name = f"enclosed {shape.name}"

    def read(raw: Object, log: Log) -> Shell:
        try:
            shell = shape.read(cast("Object", raw[ENCLOSED]), log)
        except BridgeError as error:
            raise BridgeError(error.code, error.message, path=f"/{ENCLOSED}{error.path}") from None
        place = shell.place
        shell.place = lambda at: f"/{ENCLOSED}{place(at)}"
        for branch in shell.branches:
            branch.place = f"/{ENCLOSED}{branch.place}"
        shell.extras |= without(raw, ENCLOSED)
        shell.layout |= {SHAPE: name, _AROUND: list(raw)}
        return shell

    def write(surrounding: Surrounding, body: Body) -> Json | None:
        extras = surrounding.extras
        around = [key for key in items_of(surrounding.layout.get(_AROUND)) if isinstance(key, str)]
        own = {key: value for key, value in extras.items() if key not in around}
        response = shape.write(surrounding._replace(extras=own), body)
        members: Object = {**extras, ENCLOSED: response}
        return None if response is None else {key: members[key] for key in around if key in members}

    return Shape(name, is_enclosed, read, write)
