"""Convert canonical documents of earlier versions: move values that were extras, and have fields now, to the fields.

Extras of a current document may also have such keys. Then the writer writes null in the field, which no earlier
version did, so that the document is not converted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, cast

from ocml_bridge.json_values.form import without
from ocml_bridge.json_values.parameters import items_of, members_of, nonempty_text
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json
from ocml_bridge.model.codec import to_json
from ocml_bridge.model.settings import READERS, settings_of
from ocml_bridge.wires.freeform import FORMAT, read_freeform

Object = dict[str, Json]


def to_current(document: Json, log: Log) -> Json:
    """Return a document whose own values are as in the current schema, with its messages unchanged.

    Args:
        document: canonical JSON of the current version or an earlier one; it is not changed.
        log: receives a finding for each value that was moved (`earlier-form`).
    """
    values = members_of(document)
    if values.get("type") in (None, "completion"):
        return document
    return _move_in_tools(_move_settings(values, log), "/tools", log)


def mark_as_current(transcript: Object) -> None:
    """Change what stands around messages: write null in the fields that `to_current` would fill from extras."""
    if "settings" not in transcript and _settings_in_openai(transcript):
        transcript["settings"] = None
    _mark_tools(transcript)


def mark_message_as_current(message: Object) -> None:
    """Change a message: write null in the fields that `message_to_current` would fill from its extras."""
    if _has_weight_in_openai(message):
        message["weight"] = None
    if _keys_of_signature(message) is not None:
        message["signature"] = None
    content = message["content"]
    for part in items_of(content):
        _mark_tools(part)


def _mark_tools(values: Object) -> None:
    for tool in cast("list[Object]", values.get("tools") or []):
        if _home_of_strict(tool) is not None:
            tool["strict"] = None
        if _home_of_custom(tool) is not None:
            tool["freeform"] = None


_MOVED: Final = ("model", "generation_settings")


def _move_settings(values: Object, log: Log) -> Object:
    """Return a document whose settings are neither in its header nor in the extras of Chat Completions."""
    header = members_of(values.get("header"))
    in_header = members_of(header.get("generation_settings"))
    in_extras = _settings_in_openai(values)
    moved = [key for key in _MOVED if key in header]
    if "settings" in values or not (in_extras or moved):
        return values
    model = {"model": header["model"]} if "model" in header else {}
    settings, others = settings_of({**in_extras, **in_header, **model})
    members = {} if settings is None else members_of(to_json(settings))
    unknown = {key: value for key, value in others.items() if key in in_header}
    paths = [f"/header/{key}" for key in moved] + [f"/extras/openai/{key}" for key in in_extras if key in members]
    for path in paths:
        log.find(
            FindingCode.EARLIER_FORM,
            path,
            "the settings are stored in an earlier form of the canonical form",
            Severity.LAYOUT,
        )
    values = _without_extras(values, members) if in_extras else values
    if unknown:
        extras = members_of(values.get("extras"))
        of_ocm = {**members_of(extras.get("ocm-2.2")), "generation_settings": unknown}
        values = {**values, "extras": {**extras, "ocm-2.2": of_ocm}}
    rest = without(header, *_MOVED)
    return {**values, **({"header": rest} if moved else {}), **({"settings": members} if members else {})}


def message_to_current(message: Json, path: str, log: Log) -> Json:
    """Return a message as in the current schema: with its weight, signature, and flags of tools in their fields.

    Args:
        message: JSON of a message of the current version or an earlier one; it is not changed.
        path: its JSON pointer in its document.
        log: receives a finding for each value that was moved (`earlier-form`).
    """
    if not isinstance(message, dict):
        return message
    values = cast("Object", message)
    if isinstance(values.get("content"), list):
        parts = enumerate(cast("list[Json]", values["content"]))
        content = [_move_in_tools(part, f"{path}/content/{at}/tools", log) for at, part in parts]
        values = {**values, "content": content}
    if (keys := _keys_of_signature(values)) is not None:
        detail = "the signature is stored in an earlier form of the canonical form"
        log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{'/'.join(keys)}", detail, Severity.LAYOUT)
        values = _move_signature(values, keys)
    if not _has_weight_in_openai(values):
        return values
    log.find(
        FindingCode.EARLIER_FORM,
        f"{path}/extras/openai/weight",
        "the training weight is stored in an earlier form of the canonical form",
        Severity.LAYOUT,
    )
    return _without_extras({**values, "weight": _openai_extras(values)["weight"]}, {"weight"})


def _move_in_tools(values: Json, path: str, log: Log) -> Json:
    """Return a document or a part whose tools have their values in their fields."""
    tools = members_of(values).get("tools")
    if not isinstance(tools, list):
        return values
    moved = [_move_in_tool(tool, f"{path}/{at}", log) for at, tool in enumerate(cast("list[Json]", tools))]
    return {**values, "tools": moved}


def _move_in_tool(tool: Json, path: str, log: Log) -> Json:
    """Return a tool whose strict flag and freeform input are in their fields."""
    values = members_of(tool)
    if (home := _home_of_custom(values)) is not None:
        log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{home}", _FREEFORM, Severity.LAYOUT)
        tool = values = _move_freeform(values, home)
    home = _home_of_strict(values)
    if home is None:
        return tool
    log.find(FindingCode.EARLIER_FORM, f"{path}/extras/{home}/function/strict", _STRICT, Severity.LAYOUT)
    extras, of_format = dict(members_of(values["extras"])), dict(members_of(members_of(values["extras"])[home]))
    function = dict(members_of(of_format.pop("function")))
    strict = function.pop("strict")
    of_format |= {"function": function} if function else {}
    extras.pop(home)
    extras |= {home: of_format} if of_format else {}
    others = without(values, "extras")
    return {**others, **({"extras": extras} if extras else {}), "strict": strict}


_FREEFORM: Final = "the tool's freeform input is stored in an earlier form of the canonical form"
_STRICT: Final = "the tool's strict flag is stored in an earlier form of the canonical form"
_WITH_FUNCTIONS: Final = ("openai", "chatml", "ocm-0.1")
"""The formats whose extras of a tool had the unknown members of its function."""


def _home_of_strict(tool: Object) -> str | None:
    """Return the format whose extras have the strict flag of a tool; None if the field has it, or nothing."""
    extras = members_of(tool.get("extras"))
    functions = {home: members_of(members_of(extras.get(home)).get("function")) for home in _WITH_FUNCTIONS}
    homes = [home for home, function in functions.items() if type(function.get("strict")) is bool]
    return homes[0] if homes and "strict" not in tool else None


def _settings_in_openai(document: Object) -> Object:
    """Return the settings among the extras of Chat Completions."""
    return {key: value for key, value in _openai_extras(document).items() if key in READERS}


def _has_weight_in_openai(message: Object) -> bool:
    """Return whether the weight of a message is only in the extras of Chat Completions."""
    return "weight" not in message and type(_openai_extras(message).get("weight")) in (int, float)


def _openai_extras(values: Object) -> Object:
    return members_of(members_of(values.get("extras")).get("openai"))


def _without_extras(values: Object, keys: Collection[str]) -> Object:
    """Return a message or a document without some keys of the extras of Chat Completions."""
    extras = cast("Object", values["extras"])
    openai = {key: value for key, value in cast("Object", extras["openai"]).items() if key not in keys}
    others = without(extras, "openai")
    rest = {**extras, "openai": openai} if openai else others
    return {**values, "extras": rest} if rest else without(values, "extras")


# --- custom tools, which were extras of both OpenAI formats -----------------------------------------------------------

_OPENAI: Final = "openai"
_RESPONSES: Final = "openai-responses"
_CUSTOM: Final = "custom"


def _home_of_custom(tool: Object) -> str | None:
    """Return the format whose extras show that a tool is a custom one; None if the field does, or nothing."""
    extras = members_of(tool.get("extras"))
    if "freeform" in tool:
        return None
    if isinstance(members_of(extras.get(_OPENAI)).get(_CUSTOM), dict):
        return _OPENAI
    return _RESPONSES if members_of(extras.get(_RESPONSES)).get("type") == _CUSTOM else None


def _move_freeform(tool: Object, home: str) -> Object:
    """Return a custom tool whose freeform input is in its field."""
    extras = dict(cast("Object", tool["extras"]))
    of_format = dict(members_of(extras.pop(home)))
    members = dict(members_of(of_format.pop(_CUSTOM))) if home == _OPENAI else of_format
    if home == _RESPONSES:
        del of_format["type"]
    freeform, spelled = read_freeform(members.get(FORMAT), nested=home == _OPENAI)
    layout = tool.get("layout")
    if spelled is not None:
        del members[FORMAT]
        layout_of_format = {**members_of(members_of(layout).get(home)), **({FORMAT: spelled} if spelled else {})}
        layout = {**members_of(layout), **({home: layout_of_format} if layout_of_format else {})}
    if home == _OPENAI and members:
        of_format[_CUSTOM] = members
    extras |= {home: of_format} if of_format else {}
    others = without(tool, "extras", "layout")
    notes: Object = {**({"extras": extras} if extras else {}), **({"layout": layout} if layout else {})}
    return {**others, **notes, "freeform": to_json(freeform)}


# --- signatures, which were extras of their formats -------------------------------------------------------------------

_SIGNATURES: Final[dict[tuple[str, ...], tuple[str, bool]]] = {
    ("anthropic", "signature"): ("anthropic", False),
    ("anthropic", "redacted"): ("anthropic", True),
    ("bedrock-converse", "reasoningContent", "reasoningText", "signature"): ("anthropic", False),
    ("bedrock-converse", "reasoningContent", "redactedContent"): ("anthropic", True),
    ("gemini", "thoughtSignature"): ("google", False),
    ("openai-responses", "encrypted_content"): ("openai", True),
}
"""By the keys of a signature in the extras of a message: its vendor, and whether it seals the thought."""


def _keys_of_signature(message: Object) -> tuple[str, ...] | None:
    """Return the keys of the signature of a thought or a call in its extras; None if the field has it, or nothing."""
    is_thought_or_call = message.get("channel") == "analysis" or message.get("recipient")
    if "signature" in message or message.get("role") != "assistant" or not is_thought_or_call:
        return None
    return next((keys for keys in _SIGNATURES if _text_at(message.get("extras"), keys)), None)


def _move_signature(message: Object, keys: tuple[str, ...]) -> Object:
    """Return a message with the signature that its extras have under these keys."""
    vendor, sealed = _SIGNATURES[keys]
    signature: Object = {"value": _text_at(message["extras"], keys), "vendor": vendor}
    if sealed:
        signature["sealed"] = True
    extras = _without_member(cast("Object", message["extras"]), keys)
    others = without(message, "extras")
    return {**others, **({"extras": extras} if extras else {}), "signature": signature}


def _text_at(value: Json, keys: tuple[str, ...]) -> str | None:
    """Return the text under keys, one inside the other; None if there is none, or it is empty."""
    for key in keys:
        value = cast("Object", value).get(key) if isinstance(value, dict) else None
    return nonempty_text(value)


def _without_member(value: Object, keys: tuple[str, ...]) -> Object:
    """Return an object without the member under keys, and without objects that would be empty then."""
    key, *deeper = keys
    rest = _without_member(cast("Object", value[key]), tuple(deeper)) if deeper else {}
    return {name: rest if name == key else member for name, member in value.items() if name != key or rest}
