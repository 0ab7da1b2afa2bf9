"""Open the events of Bedrock's InvokeModelWithResponseStream, which encloses those of the model's own API in base64."""

from __future__ import annotations

import base64
from typing import Final, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.form import Object
from ..json_values.parameters import members_of

_CHUNK: Final = "chunk"
_BYTES: Final = "bytes"


def opened(event: Object) -> Object:
    """Return the event that another one encloses, as SDKs give it (`chunk.bytes`) or as it is sent (`bytes`).

    Any other event is returned as it is, and so is one whose bytes are no JSON object.
    """
    if _CHUNK not in event and _BYTES not in event:
        return event
    data = members_of(event.get(_CHUNK, event)).get(_BYTES)
    if not isinstance(data, str):
        return event
    try:
        value = jsontext.loads(base64.b64decode(data, validate=True).decode())
    except (BridgeError, ValueError):
        return event
    return cast("Object", value) if isinstance(value, dict) else event
