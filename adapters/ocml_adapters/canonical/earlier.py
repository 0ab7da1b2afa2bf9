"""Documents of the canonical form as it was: what stood in extras, and has a field of its own now, goes there."""

from __future__ import annotations

from typing import cast

from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json

Object = dict[str, Json]


def current(document: Json, log: Log) -> Json:
    """A document as today's schema has it; what was moved is found (`earlier-form`).

    Args:
        document: canonical JSON of today or before; it is not changed.
        log: where each move is noted.
    """
    if not isinstance(document, dict):
        return document
    values = cast("Object", document)
    messages = values.get("messages")
    if not isinstance(messages, list):
        return values
    moved = [_message(message, f"/messages/{at}", log) for at, message in enumerate(cast("list[Json]", messages))]
    return {**values, "messages": moved}


def _message(message: Json, path: str, log: Log) -> Json:
    """A message whose training weight is its own, and not among the extras of Chat Completions."""
    if not isinstance(message, dict):
        return message
    values = cast("Object", message)
    extras = _extras_of_openai(values)
    if type(extras.get("weight")) not in (int, float) or "weight" in values:
        return values
    log.find(
        FindingCode.EARLIER_FORM, f"{path}/extras/openai/weight", "a message has a weight of its own", Severity.LAYOUT
    )
    return _without({**values, "weight": extras["weight"]}, {"weight"})


def _extras_of_openai(values: Object) -> Object:
    extras: Json = values.get("extras")
    openai: Json = cast("Object", extras).get("openai") if isinstance(extras, dict) else None
    return cast("Object", openai) if isinstance(openai, dict) else {}


def _without(values: Object, keys: set[str]) -> Object:
    """A message or document whose extras of Chat Completions lack some keys."""
    extras = cast("Object", values["extras"])
    openai = {key: value for key, value in cast("Object", extras["openai"]).items() if key not in keys}
    left = {**extras, "openai": openai} if openai else {home: more for home, more in extras.items() if home != "openai"}
    return {**values, "extras": left} if left else {key: value for key, value in values.items() if key != "extras"}
