"""Documents of the canonical form as it was: what stood in extras, and has a field of its own now, goes there.

Extras may still have such keys. A document of today that says nothing in the field then says so with null there, which
no earlier one has: it is not taken for one of them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, cast

from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json
from ocml_bridge.model.codec import to_json
from ocml_bridge.model.settings import READERS, settings_of
from ocml_bridge.wires.freeform import FORMAT, read_freeform

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
    if values.get("type") == "completion":
        return values
    values = _with_tools(_with_settings(values, log), "/tools", log)
    messages = values.get("messages")
    if not isinstance(messages, list):
        return values
    moved = [_message(message, f"/messages/{at}", log) for at, message in enumerate(cast("list[Json]", messages))]
    return {**values, "messages": moved}


def distinct(transcript: Object) -> None:
    """Put null where a transcript of today would be read as an earlier one; other than that it is not changed."""
    if "settings" not in transcript and _settings_of_openai(transcript):
        transcript["settings"] = None
    _distinct_tools(transcript)
    for message in cast("list[Object]", transcript["messages"]):
        if _has_weight_of_openai(message):
            message["weight"] = None
        if place_of_signature(message) is not None:
            message["signature"] = None
        content = message["content"]
        for part in cast("list[Object]", content) if isinstance(content, list) else []:
            _distinct_tools(part)


def _distinct_tools(values: Object) -> None:
    for tool in cast("list[Object]", values.get("tools") or []):
        if _home_of_strict(tool) is not None:
            tool["strict"] = None
        if home_of_custom(tool) is not None:
            tool["freeform"] = None


_MOVED: Final = ("model", "generation_settings")


def _with_settings(values: Object, log: Log) -> Object:
    """A document whose settings are its own, and neither its header's nor among the extras of Chat Completions."""
    header = _object(values.get("header"))
    inside = _object(header.get("generation_settings"))
    beside = _settings_of_openai(values)
    moved = [key for key in _MOVED if key in header]
    if "settings" in values or not (beside or moved):
        return values
    settings, others = settings_of({**beside, **inside, **({"model": header["model"]} if "model" in header else {})})
    members = {} if settings is None else _object(to_json(settings))
    unknown = {key: value for key, value in others.items() if key in inside}
    paths = [f"/header/{key}" for key in moved] + [f"/extras/openai/{key}" for key in beside if key in members]
    for path in paths:
        log.find(
            FindingCode.EARLIER_FORM,
            path,
            "the settings are stored in an earlier form of the canonical form",
            Severity.LAYOUT,
        )
    values = _without(values, members) if beside else values
    if unknown:
        extras = _object(values.get("extras"))
        own_extras = {**_object(extras.get("ocm-2.2")), "generation_settings": unknown}
        values = {**values, "extras": {**extras, "ocm-2.2": own_extras}}
    left = {key: value for key, value in header.items() if key not in _MOVED}
    return {**values, **({"header": left} if moved else {}), **({"settings": members} if members else {})}


def _message(message: Json, path: str, log: Log) -> Json:
    """A message whose training weight, whose signature, and what its tools say, are their own."""
    if not isinstance(message, dict):
        return message
    values = cast("Object", message)
    if isinstance(values.get("content"), list):
        parts = enumerate(cast("list[Json]", values["content"]))
        content = [_with_tools(part, f"{path}/content/{at}/tools", log) for at, part in parts]
        values = {**values, "content": content}
    if (place := place_of_signature(values)) is not None:
        detail = "the signature is stored in an earlier form of the canonical form"
        log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{'/'.join(place)}", detail, Severity.LAYOUT)
        values = with_signature(values, place)
    if not _has_weight_of_openai(values):
        return values
    log.find(
        FindingCode.EARLIER_FORM,
        f"{path}/extras/openai/weight",
        "the training weight is stored in an earlier form of the canonical form",
        Severity.LAYOUT,
    )
    return _without({**values, "weight": _extras_of_openai(values)["weight"]}, {"weight"})


def _with_tools(values: Json, path: str, log: Log) -> Json:
    """A document, or a part, whose tools say themselves whether they are strict, and not in extras of a format."""
    tools = _object(values).get("tools")
    if not isinstance(tools, list):
        return values
    moved = [_tool(tool, f"{path}/{at}", log) for at, tool in enumerate(cast("list[Json]", tools))]
    return {**values, "tools": moved}


def _tool(tool: Json, path: str, log: Log) -> Json:
    """A tool that says itself whether it is strict, and what it takes in place of arguments."""
    values = _object(tool)
    if (home := home_of_custom(values)) is not None:
        log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{home}", _FREEFORM, Severity.LAYOUT)
        tool = values = with_freeform(values, home)
    home = _home_of_strict(values)
    if home is None:
        return tool
    log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{home}/function/strict", _STRICT, Severity.LAYOUT)
    extras, inside = dict(_object(values["extras"])), dict(_object(_object(values["extras"])[home]))
    function = dict(_object(inside.pop("function")))
    strict = function.pop("strict")
    inside |= {"function": function} if function else {}
    extras.pop(home)
    extras |= {home: inside} if inside else {}
    others = {key: value for key, value in values.items() if key != "extras"}
    return {**others, **({"extras": extras} if extras else {}), "strict": strict}


_FREEFORM: Final = "the tool's freeform input is stored in an earlier form of the canonical form"
_STRICT: Final = "the tool's strict flag is stored in an earlier form of the canonical form"
_DECLARING: Final = ("openai", "chatml", "ocm-0.1")
"""The formats that had what else a function object says among their extras of a tool."""


def _home_of_strict(tool: Object) -> str | None:
    """The format whose extras alone say whether a tool is strict."""
    extras = _object(tool.get("extras"))
    functions = {home: _object(_object(extras.get(home)).get("function")) for home in _DECLARING}
    homes = [home for home, function in functions.items() if type(function.get("strict")) is bool]
    return homes[0] if homes and "strict" not in tool else None


def _settings_of_openai(document: Object) -> Object:
    """What has a field of the settings now, among the extras of Chat Completions."""
    return {key: value for key, value in _extras_of_openai(document).items() if key in READERS}


def _has_weight_of_openai(message: Object) -> bool:
    """Whether the only weight of a message is among the extras of Chat Completions."""
    return "weight" not in message and type(_extras_of_openai(message).get("weight")) in (int, float)


def _extras_of_openai(values: Object) -> Object:
    return _object(_object(values.get("extras")).get("openai"))


def _object(value: Json) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}


def _without(values: Object, keys: Collection[str]) -> Object:
    """A message or document whose extras of Chat Completions lack some keys."""
    extras = cast("Object", values["extras"])
    openai = {key: value for key, value in cast("Object", extras["openai"]).items() if key not in keys}
    left = {**extras, "openai": openai} if openai else {home: more for home, more in extras.items() if home != "openai"}
    return {**values, "extras": left} if left else {key: value for key, value in values.items() if key != "extras"}


# --- custom tools, which stood among the extras of the wires of OpenAI ------------------------------------------------

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


# --- signatures, which stood among the extras of their formats --------------------------------------------------------

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
    extras = _without_place(cast("Object", message["extras"]), place)
    others = {key: value for key, value in message.items() if key != "extras"}
    return {**others, **({"extras": extras} if extras else {}), "signature": signature}


def _at(value: Json, place: tuple[str, ...]) -> str | None:
    """The text at a place; None where there is no text, or an empty one."""
    for key in place:
        value = cast("Object", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def _without_place(value: Object, place: tuple[str, ...]) -> Object:
    """An object without what stands at a place, nor what would be empty then."""
    key, *deeper = place
    left = _without_place(cast("Object", value[key]), tuple(deeper)) if deeper else {}
    return {name: left if name == key else member for name, member in value.items() if name != key or left}
