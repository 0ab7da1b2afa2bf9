"""Signatures where earlier documents had them: among the extras of the format that they were read from."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.model import Json

Object = dict[str, Json]

_PLACES: Final[dict[tuple[str, ...], tuple[str, bool]]] = {
    ("anthropic", "signature"): ("anthropic", False),
    ("anthropic", "redacted"): ("anthropic", True),
    ("bedrock-converse", "reasoningContent", "reasoningText", "signature"): ("anthropic", False),
    ("bedrock-converse", "reasoningContent", "redactedContent"): ("anthropic", True),
    ("gemini", "thoughtSignature"): ("google", False),
    ("openai-responses", "encrypted_content"): ("openai", True),
}
"""Where a signature stood among the extras of a message → whose it is, and whether the thought is sealed in it."""


def place_of_signature(message: Object) -> tuple[str, ...] | None:
    """Where the only signature of a thought or a call stands among its extras; None where there is none."""
    is_thought_or_call = message.get("channel") == "analysis" or message.get("recipient")
    if "signature" in message or message.get("role") != "assistant" or not is_thought_or_call:
        return None
    return next((place for place in _PLACES if _at(message.get("extras"), place)), None)


def with_signature(message: Object, place: tuple[str, ...]) -> Object:
    """A message with the signature that stands at a place among its extras."""
    vendor, sealed = _PLACES[place]
    signature: Object = {"value": _at(message["extras"], place), "vendor": vendor}
    if sealed:
        signature["sealed"] = True
    extras = _without(cast("Object", message["extras"]), place)
    others = {key: value for key, value in message.items() if key != "extras"}
    return {**others, **({"extras": extras} if extras else {}), "signature": signature}


def _at(value: Json, place: tuple[str, ...]) -> str | None:
    """The text at a place; None where there is no text, or an empty one."""
    for key in place:
        value = cast("Object", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def _without(value: Object, place: tuple[str, ...]) -> Object:
    """An object without what stands at a place, nor what would be empty then."""
    key, *deeper = place
    left = _without(cast("Object", value[key]), tuple(deeper)) if deeper else {}
    return {name: left if name == key else member for name, member in value.items() if name != key or left}
