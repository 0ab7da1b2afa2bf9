"""What a request asks for and a response tells of itself, as the settings of a conversation, both ways.

A member that says more than settings, such as `usage`, stays in the extras with null in the places of the settings. One
that was spelled otherwise than we would is remembered under `settings` in the layout, for as long as it says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

from ocml_bridge import jsontext
from ocml_bridge.form import Object
from ocml_bridge.model import AnswerFormat, Json, Settings, ToolChoice, Usage, replace
from ocml_bridge.model import settings as plain
from ocml_bridge.parameters import Read, as_it_is, members_of
from ocml_bridge.turns import name_of, recipient_of


class Member(NamedTuple):
    """One member of a request or response.

    Attributes:
        fields: of the settings, that it may say.
        read: the settings of a value, by field; none where it is not understood.
        write: the members of an object, or the value, that says settings; None where there is nothing to say.
        places: where in an object the settings stand, that may say more; None for a value that says nothing else.
    """

    fields: tuple[str, ...]
    read: Callable[[Json], Object]
    write: Callable[[Settings, Object], Json]
    places: tuple[str, ...] | None = None


def _plain(field: str, read: Callable[[Json], Any]) -> Member:
    """A value that is a setting."""

    def found(value: Json) -> Object:
        setting = read(value)
        return {} if setting is None else {field: setting}

    def written(settings: Settings, _: Object) -> Json:
        return as_it_is(getattr(settings, field))

    return Member((field,), found, written)


# --- tool choice ------------------------------------------------------------------------------------------------------

_MODES: Final = {"auto": "auto", "any": "required", "none": "none"}
_TYPES: Final = {mode: kind for kind, mode in _MODES.items()}
_ALONE: Final = "disable_parallel_tool_use"


def _read_choice(value: Json) -> Object:
    members = members_of(value)
    kind, name, alone = members.get("type"), members.get("name"), members.get(_ALONE)
    if members.keys() - {"type", "name", _ALONE} or not (alone is None or isinstance(alone, bool)):
        return {}
    if kind == "tool" and isinstance(name, str) and name:
        choice = ToolChoice("required", (recipient_of(name),))
    elif isinstance(kind, str) and kind in _MODES and "name" not in members:
        choice = ToolChoice(cast("Any", _MODES[kind]))
    else:
        return {}
    parallel = {} if alone is None else {"parallel_tool_calls": not alone}
    return {"tool_choice": choice, **parallel}


def _write_choice(settings: Settings, _: Object) -> Json:
    choice, parallel = settings.tool_choice, settings.parallel_tool_calls
    if choice is None and parallel is None:
        return None
    choice = choice or ToolChoice("auto")
    if choice.mode == "required" and len(choice.names) == 1:
        out: Object = {"type": "tool", "name": name_of(choice.names[0])}
    else:
        out = {"type": _TYPES[choice.mode]}
    return out if parallel is None or choice.mode == "none" else {**out, _ALONE: not parallel}


# --- effort and form of the answer ------------------------------------------------------------------------------------


def _read_format(value: Json) -> Object:
    members = members_of(value)
    if members.get("type") != "json_schema" or members.keys() != {"type", "schema"} or members["schema"] is None:
        return {}
    return {"response_format": AnswerFormat("json_schema", schema=members["schema"])}


def _write_format(settings: Settings, _: Object) -> Json:
    form = settings.response_format
    if form is None or form.type != "json_schema" or form.schema is None:
        return None
    return {"type": "json_schema", "schema": form.schema}


def _read_config(value: Json) -> Object:
    members = members_of(value)
    effort = members.get("effort")
    return {**({"reasoning_effort": effort} if isinstance(effort, str) else {}), **_read_format(members.get("format"))}


def _write_config(settings: Settings, _: Object) -> Json:
    members = {"effort": settings.reasoning_effort, "format": _write_format(settings, {})}
    return {key: value for key, value in members.items() if value is not None} or None


_EFFORTS: Final = {"minimal": "low", "none": None}
"""Words that others have for how much to reason, and the nearest that the API knows."""


# --- usage ------------------------------------------------------------------------------------------------------------

_INPUT, _OUTPUT, _CACHED, _WRITTEN = (
    *("input_tokens", "output_tokens"),
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
)
_DETAILS, _THOUGHT = "output_tokens_details", "thinking_tokens"


def _read_usage(value: Json) -> Object:
    """The numbers of tokens. Those of the input do not count here what stands in a cache, and do in the settings."""
    members = members_of(value)
    told = {key: plain.count(members.get(key)) for key in (_INPUT, _OUTPUT, _CACHED, _WRITTEN)}
    given, made = told[_INPUT], told[_OUTPUT]
    if given is None or made is None:
        return {}
    given += (told[_CACHED] or 0) + (told[_WRITTEN] or 0)
    details = members_of(members.get(_DETAILS))
    reasoned = plain.count(details.get(_THOUGHT)) if len(details) == 1 else None
    return {"usage": Usage(given, made, given + made, told[_CACHED], reasoned)}


def _write_usage(settings: Settings, others: Object) -> Json:
    usage = settings.usage
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cached_tokens
    given = usage.input_tokens - (cached or 0) - (plain.count(others.get(_WRITTEN)) or 0)
    if given < 0:
        return None
    reasoned = usage.reasoning_tokens
    return {
        _INPUT: given,
        **({} if cached is None else {_CACHED: cached}),
        _OUTPUT: usage.output_tokens,
        **({} if reasoned is None else {_DETAILS: {_THOUGHT: reasoned}}),
    }


def tells_usage(settings: Settings) -> bool:
    """Whether settings tell the tokens of the input and those of the answer; a response cannot say but one of them."""
    return _write_usage(settings, {}) is not None


# --- the table --------------------------------------------------------------------------------------------------------

MEMBERS: Final[dict[str, Member]] = {
    "model": _plain("model", plain.text),
    "max_tokens": _plain("max_tokens", plain.count),
    "temperature": _plain("temperature", plain.number),
    "top_p": _plain("top_p", plain.number),
    "top_k": _plain("top_k", plain.count),
    "stop_sequences": _plain("stop", plain.texts),
    "tool_choice": Member(("tool_choice", "parallel_tool_calls"), _read_choice, _write_choice),
    "output_config": Member(("reasoning_effort", "response_format"), _read_config, _write_config, ("effort", "format")),
    "output_format": Member(("response_format",), _read_format, _write_format),
    "usage": Member(("usage",), _read_usage, _write_usage, (_INPUT, _CACHED, _OUTPUT, _DETAILS)),
}
"""Each member that says settings; of two that say one the first is believed, and written."""


class _Parameters:
    """Reads and writes the members that say settings."""

    def read(self, document: Object) -> Read:
        """Take the settings out of a request or response."""
        found: Object = {}
        keys: list[str] = []
        spelled: Object = {}
        others: Object = {}
        for key, member in MEMBERS.items():
            if key not in document:
                continue
            raw: Json = document[key]
            said = member.read(raw)
            if not said or not found.keys().isdisjoint(said):
                continue
            found.update(said)
            keys.append(key)
            more = _others(members_of(raw), said, member)
            if more:
                others[key] = more
            if not _is_spelled(raw, _value(member, _nearest(Settings(**said)), more)) or _is_second(key, said):
                spelled[key] = raw
        return Read(Settings(**found) if found else None, keys, spelled, others)

    def write(self, settings: Settings | None, spelled: Json, extras: Object) -> Object:
        """The members that say settings.

        Args:
            settings: what to say.
            spelled: how it was spelled, from the layout.
            extras: what is said beside them, in which some have their place.
        """
        out: Object = {}
        if settings is None:
            return out
        spellings = members_of(spelled)
        for key in (*(key for key in MEMBERS if key in spellings), *MEMBERS):
            member = MEMBERS[key]
            if key in out or all(getattr(settings, field) is None for field in member.fields):
                continue
            others, raw = members_of(extras.get(key)), spellings.get(key)
            if key in spellings and _says(member, raw, settings) and others == _others_of(member, raw):
                value = raw
            else:
                value = _value(member, _nearest(settings), others)
            if value is not None:
                out[key] = value
                settings = replace(settings, **dict.fromkeys(member.read(value)))
        return out


PARAMETERS: Final = _Parameters()


def _is_second(key: str, said: Object) -> bool:
    """Whether we would say settings under another key."""
    return next(name for name, member in MEMBERS.items() if not said.keys().isdisjoint(member.fields)) != key


def _others(raw: Object, said: Object, member: Member) -> Object:
    """What an object says beside settings."""
    if member.places is None:
        return {}
    written = members_of(member.write(Settings(**said), raw))
    more = {key: None if key in written and value is not None else value for key, value in raw.items()}
    return more if any(value is not None or raw[key] is None for key, value in more.items()) else {}


def _value(member: Member, settings: Settings, others: Object) -> Json:
    """The member that says settings, and what it says beside them."""
    written = member.write(settings, others)
    if not others or not isinstance(written, dict):
        return written
    members = cast("Object", written)
    filled = {key: members.get(key) if value is None else value for key, value in others.items()}
    return {**filled, **{key: value for key, value in members.items() if key not in filled}}


def _is_spelled(raw: Json, written: Json) -> bool:
    """Whether a value is spelled as we would, the order of keys and the kind of number included."""
    return raw is written or (type(raw) is type(written) and jsontext.dumps(raw) == jsontext.dumps(written))


def _others_of(member: Member, raw: Json) -> Object:
    return _others(members_of(raw), member.read(raw), member)


def _says(member: Member, raw: Json, settings: Settings) -> bool:
    """Whether a value says just these settings."""
    said = member.read(raw)
    return bool(said) and all(_is_same(said.get(field), getattr(settings, field)) for field in member.fields)


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _nearest(settings: Settings) -> Settings:
    """Settings with values that the API knows."""
    effort, temperature, choice = settings.reasoning_effort, settings.temperature, settings.tool_choice
    if effort in _EFFORTS:
        settings = replace(settings, reasoning_effort=_EFFORTS[effort])
    if temperature is not None and temperature > 1:
        settings = replace(settings, temperature=1)
    if choice is not None and choice.mode == "auto" and choice.names:
        settings = replace(settings, tool_choice=ToolChoice("auto"))
    return settings
