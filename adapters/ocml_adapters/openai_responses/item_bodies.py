"""Read and write the inputs and results of calls of the API's own tools: texts, JSON, outputs, images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.data_urls import image_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Content, Json, Media, Text
from ocml_bridge.model.settings import text

from .parts import read_parts, write_parts
from .syntax import INPUT_TEXT


class Body(NamedTuple):
    """How the value of a member is read as a content, and written.

    Attributes:
        read: returns the content of a value; None if it is not understood.
        write: returns the value of a content; None if the member has no place for it.
        types: the types that the value, an object, may have; the first is the API's own, which is read and written.
        order: the members of the value in the order in which they are written.
        is_json: whether the content is JSON.
    """

    read: Callable[[Json], Content | None]
    write: Callable[[Content], Json]
    types: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    is_json: bool = False

    def plain(self, value: Json) -> Json:
        """Return a value with the first type, and with its members in order, if it has one of the types."""
        members = members_of(value)
        if members.get("type") not in self.types:
            return value
        first = {key: members[key] for key in self.order if key in members}
        return first | members | {"type": self.types[0]}

    def respelled(self, value: Json, spelling: Json) -> Json:
        """Return a value as it was spelled, with its type and the order of its members.

        Args:
            value: the value with the first type.
            spelling: what is in the layout: the members of the value that was read, with null for all but the type.
        """
        members, spelled = members_of(value), members_of(spelling)
        if spelled.get("type") not in self.types or spelled.keys() != members.keys():
            return value
        return {key: spelled["type"] if key == "type" else members[key] for key in spelled}


def _read_json(value: Json) -> Content | None:
    return jsontext.text_of(value) if isinstance(value, (dict, list)) else None


def _write_json(content: Content) -> Json:
    span = jsontext.parse(content) if isinstance(content, str) else None
    return None if span is None or jsontext.text_of(span.value) != content else span.value


def _read_flag(value: Json) -> Content | None:
    return jsontext.text_of(value) if isinstance(value, bool) else None


def _write_flag(content: Content) -> Json:
    return {"true": True, "false": False}.get(content) if isinstance(content, str) else None


def _read_outputs(value: Json) -> Content | None:
    """Return the texts and images that a program printed."""
    parts: list[Text | Media] = []
    for item in cast("list[Json]", value) if isinstance(value, list) else [None]:
        output = members_of(item)
        kind, keys = output.get("type"), tuple(output)
        if kind == "logs" and keys == ("type", "logs") and isinstance(output["logs"], str):
            parts.append(Text(output["logs"]))
        elif kind == "image" and keys == ("type", "url") and isinstance(output["url"], str) and output["url"]:
            parts.append(Media("image", output["url"]))
        else:
            return None
    return parts[0].text if len(parts) == 1 and isinstance(parts[0], Text) else tuple(parts)


def _write_outputs(content: Content) -> Json:
    out: list[Json] = []
    for part in (Text(content),) if isinstance(content, str) else content:
        if isinstance(part, Text) and part.is_bare:
            out.append({"type": "logs", "logs": part.text})
        elif part == Media("image", getattr(part, "url", None)) and cast("Media", part).url is not None:
            out.append({"type": "image", "url": cast("Media", part).url})
        else:
            return None
    return out


def _read_image(value: Json) -> Content | None:
    return (image_of(value),) if isinstance(value, str) else None


def _write_image(content: Content) -> Json:
    image = content[0] if isinstance(content, tuple) and len(content) == 1 else None
    return image.data if isinstance(image, Media) and image == image_of(image.data or "") else None


def _read_screenshot(value: Json) -> Content | None:
    parts, spelling = read_parts([value], INPUT_TEXT)
    return parts if isinstance(parts[0], Media) and spelling == _SCREENSHOT else None


def _write_screenshot(content: Content) -> Json:
    image = content[0] if isinstance(content, tuple) and len(content) == 1 else None
    return write_parts((image,), INPUT_TEXT, _SCREENSHOT)[0] if isinstance(image, Media) else None


_SCREENSHOT: Final[Object] = {"types": {"0": "computer_screenshot"}}
TEXT: Final = Body(text, text)
ARGUMENTS: Final = Body(text, text, is_json=True)
"""A text of JSON, as a function's arguments are."""
JSON: Final = Body(_read_json, _write_json, is_json=True)
FLAG: Final = Body(_read_flag, _write_flag, is_json=True)
OUTPUTS: Final = Body(_read_outputs, _write_outputs)
IMAGE: Final = Body(_read_image, _write_image)
SCREENSHOT: Final = Body(
    _read_screenshot, _write_screenshot, ("computer_screenshot", "input_image"), ("type", "file_id", "image_url")
)
