"""Read and write media that stand beside the text of a message: a sound with its transcript, and images."""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.chat.turns import parts_of, text_or_parts
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import image_of
from ocml_bridge.json_values.form import ARRAY, Object, add, shape
from ocml_bridge.json_values.parameters import members_of, nonempty_text
from ocml_bridge.model import Content, Json, Media, Part, Text

from .parts import can_hold, read_parts, write_part
from .syntax import AUDIO, NOTES, VENDOR

# --- a sound beside a text --------------------------------------------------------------------------------------------


_SOUND_ORDER: Final = ("id", "data", "transcript")
_TRANSCRIPT: Final = "transcript"
"""The member with the text of a sound; in the layout, whether the text before the sound is written there."""


def sound_in(value: Json, *, is_alone: bool) -> tuple[Part, ...]:
    """Return the text and the sound in a value of `audio`, which has an id; none for any other value.

    Args:
        value: the value.
        is_alone: whether the message has no other content, so that the transcript is its text.
    """
    sound = members_of(value)
    name, data, transcript = (sound.get(key) for key in _SOUND_ORDER)
    if not isinstance(name, str) or not name:
        return ()
    data = nonempty_text(data)
    text = transcript if is_alone and isinstance(transcript, str) and transcript else None
    known = ("id", *(("data",) if data else ()), *((_TRANSCRIPT,) if text else ()))
    extras = {key: each for key, each in sound.items() if key not in known}
    layout: Object = {} if text is None else {_TRANSCRIPT: True}
    if list(sound) != [*known, *extras]:
        layout["form"] = list(sound)
    notes = NOTES.by_format({AUDIO: extras} if extras else {}), NOTES.by_format(layout)
    part = Media("audio", data=data, file_id=name, vendor=VENDOR, extras=notes[0], layout=notes[1])
    return (part,) if text is None else (Text(text), part)


def is_sound(part: Part) -> bool:
    """Return whether a part is a sound that the API made."""
    return isinstance(part, Media) and part.media == "audio" and not part.url and bool(media_for(part, VENDOR).file_id)


def without_sound(content: Content) -> tuple[Content, Object | None]:
    """Return content without the sound at its end that the API made, and the value of `audio` for it."""
    parts = parts_of(content)
    if not parts or not is_sound(parts[-1]):
        return content, None
    part, before = cast("Media", parts[-1]), parts[:-1]
    layout = NOTES.of(part.layout)
    out: Object = {"id": part.file_id}
    if part.data is not None:
        out["data"] = part.data
    first = before[0] if len(before) == 1 else None
    if layout.get(_TRANSCRIPT) is True and isinstance(first, Text) and first.is_bare and first.text:
        out[_TRANSCRIPT], before = first.text, ()
    return text_or_parts(before), shape(add(out, NOTES.of(part.extras).get(AUDIO)), layout.get("form"))


# --- images beside a text ---------------------------------------------------------------------------------------------


_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
"""Base64 data, which is not empty."""


def images_in(value: Json) -> tuple[Media, ...]:
    """Return the images in a value of `images`; none if one of them is not understood.

    A model generated them if they are parts (OpenRouter); they are base64 data alone if they are given to one (Ollama).
    """
    items = cast("list[Json]", value) if isinstance(value, ARRAY) else []
    if items and all(isinstance(item, str) and _BASE64.fullmatch(item) for item in items):
        return tuple(image_of(cast("str", item)) for item in items)
    parts, orders = read_parts(items)
    images = tuple(part for part in parts if isinstance(part, Media) and part.media == "image")
    return images if len(images) == len(parts) and not orders else ()


def images_of(content: Content) -> list[Json]:
    """Return the images of content as the value of `images`."""
    images = [part for part in parts_of(content) if isinstance(part, Media) and part.media == "image"]
    return [write_part(image) for image in images if can_hold(image)]


def without_images(content: Content, count: Json, *, bare: bool) -> tuple[Content, list[Json]]:
    """Return content without the images at its end that are written under `images`, and these.

    Args:
        content: the content of a message.
        count: the number of these images, from the layout.
        bare: whether images were read as data alone, from the layout; others are written as parts.
    """
    parts = parts_of(content)
    start = len(parts) - count if type(count) is int and 0 < count <= len(parts) else len(parts)
    images = parts[start:]
    if not images or not all(isinstance(part, Media) and part.media == "image" and can_hold(part) for part in images):
        return content, []
    remaining = text_or_parts(parts[:start])
    if bare and all(isinstance(part, Media) and part.data and part == image_of(part.data) for part in images):
        return remaining, [cast("Media", part).data for part in images]
    return remaining, [write_part(part) for part in images]
