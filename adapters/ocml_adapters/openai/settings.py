"""The parameters of a request, and what a response tells of itself, as the settings of a conversation, both ways.

A setting is spelled under the first key that has it, as `Parameter.write` gives it. What was read otherwise (another
key, one text for a list of one) is remembered under `settings` in the layout, for as long as it is read as the same.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ocml_bridge import jsontext
from ocml_bridge.model import AnswerFormat, Json, Settings, ToolChoice, Usage
from ocml_bridge.model import settings as plain
from ocml_bridge.turns import name_of, recipient_of

from .form import Object

SETTINGS: Final = "settings"
"""The key of the layout that remembers the spelling of settings."""


class Parameter(NamedTuple):
    """One key of a request or response.

    Attributes:
        field: of the settings.
        read: the setting of a value; None where it is none.
        write: the value of a setting; None where it has no place here.
        places: of an object that says more than the setting, where in it the setting stands: name → keys.
    """

    field: str
    read: Callable[[Json], Any]
    write: Callable[[Any], Json]
    places: dict[str, tuple[str, ...]] | None = None


def _same(value: Any) -> Json:
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value


def _object(value: Json) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}


def _stop(value: Json) -> tuple[str, ...] | None:
    return (value,) if isinstance(value, str) else plain.texts(value)


# --- tool choice ------------------------------------------------------------------------------------------------------


def _tool_choice(value: Json) -> ToolChoice | None:
    if isinstance(value, str):
        return plain.tool_choice(value)
    members = _object(value)
    if members.get("type") == "allowed_tools" and len(members) == 2:
        return _allowed_tools(_object(members.get("allowed_tools")))
    name = _name(value)
    return None if name is None else ToolChoice("required", (name,))


def _allowed_tools(allowed: Object) -> ToolChoice | None:
    tools: Json = allowed.get("tools")
    names = [_name(tool) for tool in cast("list[Json]", tools)] if isinstance(tools, list) else []
    known = tuple(name for name in names if name is not None)
    if not known or len(known) != len(names) or allowed.get("mode") not in ("auto", "required") or len(allowed) != 2:
        return None
    return ToolChoice(allowed["mode"], known)


def _name(value: Json) -> str | None:
    """The recipient for a tool as `tool_choice` names one."""
    members = _object(value)
    kind = members.get("type")
    name = _object(members.get(kind)).get("name") if kind in ("function", "custom") else None
    return recipient_of(name) if isinstance(name, str) and name else None


def _write_tool_choice(choice: ToolChoice) -> Json:
    if not choice.names:
        return choice.mode
    tools = [{"type": "function", "function": {"name": name_of(name)}} for name in choice.names]
    if choice.mode == "required" and len(tools) == 1:
        return tools[0]
    return {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode, "tools": tools}}


def _function_call(value: Json) -> ToolChoice | None:
    """The deprecated `function_call`: a word, or the name of a function."""
    return _tool_choice(value if isinstance(value, str) else {"type": "function", "function": value})


def _write_function_call(choice: ToolChoice) -> Json:
    written = _write_tool_choice(choice)
    return written if isinstance(written, str) else _object(written).get("function")


# --- the form of the answer -------------------------------------------------------------------------------------------

_DESCRIBED: Final = ("name", "description", "schema", "strict")


def _response_format(value: Json) -> AnswerFormat | None:
    members = _object(value)
    described: Json = members.get("json_schema", {})
    if not isinstance(described, dict) or len(members) != 1 + ("json_schema" in members):
        return None
    inner = cast("Object", described)
    if ("json_schema" in members) is not (members.get("type") == "json_schema") or inner.keys() - set(_DESCRIBED):
        return None
    return plain.answer_format({"type": members.get("type"), **inner})


def _write_response_format(form: AnswerFormat) -> Json:
    if form.type != "json_schema":
        return {"type": form.type}
    described = {name: value for name in _DESCRIBED if (value := getattr(form, name)) is not None}
    return {"type": form.type, "json_schema": described}


# --- settings inside objects that say more ----------------------------------------------------------------------------

_EFFORT: Final = {"effort": ("effort",)}
_NUMBERS: Final[dict[str, tuple[str, ...]]] = {
    "input_tokens": ("prompt_tokens",),
    "output_tokens": ("completion_tokens",),
    "total_tokens": ("total_tokens",),
    "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


def _at(value: Json, keys: tuple[str, ...]) -> Json:
    for key in keys:
        value = _object(value).get(key)
    return value


def _effort(value: Json) -> str | None:
    """The effort in `reasoning`, as gateways have it beside what is about the answer."""
    return plain.text(_at(value, ("effort",)))


def _write_effort(effort: str) -> Json:
    return {"effort": effort}


def _usage(value: Json) -> Usage | None:
    numbers = {name: found for name, keys in _NUMBERS.items() if (found := plain.count(_at(value, keys))) is not None}
    return Usage(**numbers) if numbers else None


def _filled(value: Json, keys: tuple[str, ...], inner: Json) -> Object:
    """An object with a value at a place in it."""
    key, *deeper = keys
    members = _object(value)
    return {**members, key: _filled(members.get(key), tuple(deeper), inner) if deeper else inner}


def _write_usage(usage: Usage) -> Json:
    out: Object = {}
    for name, keys in _NUMBERS.items():
        if (number := getattr(usage, name)) is not None:
            out = _filled(out, keys, number)
    return out


def _without(value: Json, setting: Any, places: dict[str, tuple[str, ...]]) -> Object:
    """An object with null in place of each part of a setting that it says."""
    for name, keys in places.items():
        if _part(setting, name) is not None:
            value = _filled(value, keys, None)
    return _object(value)


def _with(value: Json, setting: Any, places: dict[str, tuple[str, ...]]) -> Object | None:
    """An object with each part of a setting in place of its null; None where one has no place."""
    for name, keys in places.items():
        if (part := _part(setting, name)) is None:
            continue
        around = _at(value, keys[:-1])
        if not isinstance(around, dict) or cast("Object", around).get(keys[-1], 0) is not None:
            return None
        value = _filled(value, keys, part)
    return _object(value)


def _part(setting: Any, name: str) -> Json:
    return setting if isinstance(setting, str) else getattr(setting, name)


def _says_more(value: Json) -> bool:
    """Whether there is anything but null in an object."""
    return any(_says_more(one) for one in _object(value).values()) if isinstance(value, dict) else value is not None


# --- all of them ------------------------------------------------------------------------------------------------------

PARAMETERS: Final[dict[str, Parameter]] = {
    **{
        name: Parameter(name, plain.READERS[name], _same)
        for name in plain.READERS
        if name not in ("stop", "response_format", "tool_choice")
    },
    "stop": Parameter("stop", _stop, _same),
    "response_format": Parameter("response_format", _response_format, _write_response_format),
    "tool_choice": Parameter("tool_choice", _tool_choice, _write_tool_choice),
    "usage": Parameter("usage", _usage, _write_usage, _NUMBERS),
    "max_completion_tokens": Parameter("max_tokens", plain.count, _same),
    "reasoning": Parameter("reasoning_effort", _effort, _write_effort, _EFFORT),
    "function_call": Parameter("tool_choice", _function_call, _write_function_call),
}
"""Key → the setting that it is. Of two for one setting the first is believed; the first is written."""
KEYS: Final[dict[str, tuple[str, ...]]] = {
    field: tuple(key for key, parameter in PARAMETERS.items() if parameter.field == field)
    for field in (parameter.field for parameter in PARAMETERS.values())
}
"""Setting → the keys that may say it."""
_settings: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*KEYS)


class Read(NamedTuple):
    """The settings of a document.

    Attributes:
        settings: None where it has none.
        keys: those that say them.
        spelled: values that we would spell otherwise, by key.
        others: what objects say beside a setting, by key, with null in the setting's place.
    """

    settings: Settings | None
    keys: list[str]
    spelled: Object
    others: Object


def read_settings(document: Object) -> Read:
    """Take the settings out of a request or response."""
    found: Object = {}
    keys: list[str] = []
    spelled: Object = {}
    others: Object = {}
    for key in [key for key in PARAMETERS if key in document]:
        parameter, raw = PARAMETERS[key], document[key]
        if parameter.field in found:
            continue
        setting = parameter.read(raw)
        if setting is None:
            continue
        found[parameter.field] = setting
        keys.append(key)
        if parameter.places is not None and _says_more(rest := _without(raw, setting, parameter.places)):
            others[key] = rest
        elif key != KEYS[parameter.field][0] or not _is_spelled(raw, parameter.write(setting)):
            spelled[key] = raw
    return Read(Settings(**found) if found else None, keys, spelled, others)


def _is_spelled(raw: Json, written: Json) -> bool:
    """Whether a value is spelled as we would, the order of keys and the kind of number included."""
    return raw is written or (type(raw) is type(written) and jsontext.dumps(raw) == jsontext.dumps(written))


def write_settings(settings: Settings | None, spelled: Json, extras: Object) -> Object:
    """The members that say settings.

    Args:
        settings: what to say.
        spelled: how it was spelled, from the layout.
        extras: what is said beside them, in which some have their place.
    """
    out: Object = {}
    if settings is None:
        return out
    spellings = _object(spelled)
    for keys, setting in zip(KEYS.values(), _settings(settings), strict=True):
        if setting is not None and (member := _member(setting, keys, spellings, extras)) is not None:
            out[member[0]] = member[1]
    return out


def _member(setting: Any, keys: tuple[str, ...], spelled: Object, extras: Object) -> tuple[str, Json] | None:
    for key in keys if spelled or extras else ():
        parameter = PARAMETERS[key]
        candidates = [spelled[key]] if key in spelled else []
        if parameter.places is not None and key in extras:
            candidates.append(_with(extras[key], setting, parameter.places))
        for raw in candidates:
            if raw is not None and _is_same(parameter.read(raw), setting):
                return key, raw
    first = PARAMETERS[keys[0]]
    written = first.write(setting)
    return (keys[0], written) if _is_same(first.read(written), setting) else None


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
