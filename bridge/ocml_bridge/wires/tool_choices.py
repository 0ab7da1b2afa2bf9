"""Read and write `tool_choice` as the APIs of OpenAI have it: a word, one tool, or a list of allowed tools."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, cast

from ..chat.turns import full_name, recipient_of
from ..json_values.form import Object, without
from ..json_values.jsontext import compact
from ..json_values.parameters import items_of, members_of
from ..model import Json, Tool, ToolChoice
from ..model.settings import tool_choice

ALLOWED: Final = "allowed_tools"


class ToolChoices:
    """The reader and writer of the member `tool_choice`.

    Args:
        recipient: returns the recipient of a tool that an object names, or declares again; None for any other object.
            `restates` checks a declaration.
        is_name: returns whether an object names a tool and has nothing else.
        named: returns the object that names a function, by its recipient.
        as_custom: turns an object that names a function into one that names a custom tool.
        nested: whether the list of allowed tools is in an object of its own (Chat Completions).
    """

    def __init__(
        self,
        *,
        recipient: Callable[[Object], str | None],
        is_name: Callable[[Object], bool],
        named: Callable[[str], Object],
        as_custom: Callable[[Object], Object],
        nested: bool,
    ) -> None:
        self._recipient: Final = recipient
        self._is_name: Final = is_name
        self._named: Final = named
        self._as_custom: Final = as_custom
        self._nested: Final = nested

    def read(self, value: Json) -> ToolChoice | None:
        """Return the tool choice of a value; None if it is none."""
        if isinstance(value, str):
            return tool_choice(value)
        members = members_of(value)
        if members.get("type") == ALLOWED:
            if not self._nested:
                return self._allowed(without(members, "type"))
            return self._allowed(members_of(members.get(ALLOWED))) if len(members) == len(("type", ALLOWED)) else None
        name = self._recipient(members)
        return ToolChoice("required", (name,)) if name is not None and self._is_name(members) else None

    def _allowed(self, members: Object) -> ToolChoice | None:
        tools = items_of(members.get("tools"))
        names = tuple(name for tool in tools if (name := self._recipient(members_of(tool))) is not None)
        if not names or len(names) != len(tools) or members.keys() != {"mode", "tools"}:
            return None
        mode: Any = members["mode"]
        return ToolChoice(mode, names) if mode in ("auto", "required") else None

    def restates(self, value: Json, tools: Json) -> bool:
        """Return whether the allowed tools only name tools, or repeat their declarations.

        Args:
            value: the tool choice.
            tools: the list of declared tools of the request.
        """
        listed: Json = members_of(members_of(value).get(ALLOWED) if self._nested else value).get("tools")
        if not isinstance(listed, list):
            return True
        declared = items_of(tools)
        return all(
            self._is_name(members_of(tool)) or any(_is_part(tool, whole) for whole in declared)
            for tool in cast("list[Json]", listed)
        )

    def write(self, choice: ToolChoice) -> Json:
        """Return the value of a tool choice in which all tools are functions."""
        if not choice.names:
            return choice.mode
        tools = [self._named(name) for name in choice.names]
        if choice.mode == "required" and len(tools) == 1:
            return tools[0]
        allowed: Object = {"mode": choice.mode, "tools": tools}
        return {"type": ALLOWED, **({ALLOWED: allowed} if self._nested else allowed)}

    def with_custom(self, choice: Json, tools: Sequence[Tool]) -> Json:
        """Return the value of a tool choice in which the custom ones of these tools are named as custom."""
        custom = {recipient_of(full_name(tool)) for tool in tools if tool.freeform is not None}
        return self._with_custom(cast("Object", choice), custom) if custom and isinstance(choice, dict) else choice

    def _with_custom(self, members: Object, custom: Collection[str]) -> Object:
        if members.get("type") != ALLOWED:
            return self._as_custom(members) if self._recipient(members) in custom else members
        allowed = members_of(members[ALLOWED]) if self._nested else members
        listed = {**allowed, "tools": [self._with_custom(tool, custom) for tool in allowed["tools"]]}
        return {**members, ALLOWED: listed} if self._nested else listed


def _is_part(value: Json, whole: Json) -> bool:
    """Return whether all members of an object are in another one, recursively; other values must be equal."""
    if not isinstance(value, dict) or not isinstance(whole, dict):
        return compact(value) == compact(whole)
    members, others = cast("Object", value), cast("Object", whole)
    return all(key in others and _is_part(member, others[key]) for key, member in members.items())
