"""What stands around the units of one shape of documents, as members of an object: tools, settings, and all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from ..json_values.form import ARRAY, Object, add, form_of, in_order, rest, shape
from ..json_values.jsontext import compact
from ..json_values.parameters import SETTINGS, Parameters, Read, members_of
from ..model import Json, Settings, Tool
from .documents import Surrounding
from .shell import Shell
from .tool_choices import ToolChoices

FORM: Final = "form"
"""The key of the layout that remembers the order of members, and those that say nothing."""
TOOLS: Final = "tools"
_CHOICE: Final = "tool_choice"
OF_CALLS: Final = frozenset({_CHOICE, "parallel_tool_calls"})
"""Members that say how the declared tools are called, and the settings that they are."""


class ToolList(NamedTuple):
    """How a list of declared tools is read and written.

    Attributes:
        read: the tools in a list, and what else is in it, each with its place.
        write: a list of tools, with what else was in it.
        may_be_empty: whether an empty list declares that there are no tools, rather than nothing.
    """

    read: Callable[[list[Json]], tuple[tuple[Tool, ...], list[Object]]]
    write: Callable[[Sequence[Tool], Json], list[Json]]
    may_be_empty: bool = True


class Surroundings:
    """Reads and writes the members around units.

    Args:
        settings: the members that say settings.
        order: that in which members are written.
        required: those that are always written.
        tools: how tools are declared; None where they are not.
        choices: tell in a tool choice which tools are custom ones; None where nothing does.
        hosted: whether the tool choice of a document names a tool that is not the client's; None where none does.
    """

    def __init__(
        self,
        settings: Parameters,
        order: tuple[str, ...],
        required: Collection[str],
        *,
        tools: ToolList | None = None,
        choices: ToolChoices | None = None,
        hosted: Callable[[Object], bool] | None = None,
    ) -> None:
        self._settings: Final = settings
        self._order: Final = order
        self._required: Final = frozenset(required)
        self._tools: Final = tools
        self._choices: Final = choices
        self._hosted: Final = hosted

    def read(self, shell: Shell, document: Object, known: list[str]) -> None:
        """Take tools, settings, extras and form from what stands around units.

        Args:
            shell: what they are added to.
            document: where they stand.
            known: the members that are taken from it otherwise; those that are taken here are added.
        """
        others = self._read_tools(shell, document, known)
        if not document.keys() <= set(known):
            found = self._settings.read(self._of_settings(document, alone=bool(others) and not shell.tools))
            known += found.keys
        else:
            found = _NOTHING
        if (form := form_of(document, self._order, self._required, known)) is not None:
            shell.layout[FORM] = form
        if self._choices is not None and _CHOICE in found.keys:
            self._note_choice(found, document[_CHOICE], shell.tools or (), self._choices)
        shell.settings = found.settings
        if found.spelled:
            shell.layout[SETTINGS] = found.spelled
        shell.extras = {**rest(document, known), **found.others}
        if others:
            shell.extras[TOOLS] = others

    def _read_tools(self, shell: Shell, document: Object, known: list[str]) -> list[Object]:
        raws: Any = document.get(TOOLS)
        if self._tools is None or not isinstance(raws, ARRAY) or not (raws or self._tools.may_be_empty):
            return []
        known.append(TOOLS)
        tools, others = self._tools.read(cast("list[Json]", raws))
        shell.tools = None if others and not tools else tools
        return others

    def _of_settings(self, document: Object, *, alone: bool) -> Object:
        """A document without its tool choice, if that is no setting.

        Only the names of tools are settings. A choice that declares tools otherwise than the document does would be
        said nowhere else, and no other API has the tools that are not the client's, or takes a choice of none.

        Args:
            document: with units, and what stands around them.
            alone: whether it has no tools but such as are not the client's.
        """
        if alone:
            return {key: value for key, value in document.items() if key not in OF_CALLS}
        choices, choice = self._choices, document.get(_CHOICE)
        if not isinstance(choice, dict):
            return document
        is_hosted = self._hosted is not None and self._hosted(document)
        if not is_hosted and (choices is None or choices.restates(choice, document.get(TOOLS))):
            return document
        return {key: value for key, value in document.items() if key != _CHOICE}

    def _note_choice(self, found: Read, raw: Json, tools: Sequence[Tool], choices: ToolChoices) -> None:
        """Say of a tool choice how it was spelled, as far as that is not how it is written beside some tools."""
        if found.settings is None or all(tool.freeform is None for tool in tools):
            return
        written = self._settings.write(Settings(tool_choice=found.settings.tool_choice), None, {}).get(_CHOICE)
        if compact(choices.with_custom(written, tools)) == compact(raw):
            found.spelled.pop(_CHOICE, None)
        else:
            found.spelled[_CHOICE] = raw

    def write(self, units: Object, surrounding: Surrounding, implied: Collection[str] = ()) -> Object:
        """An object with units and what stands around them, in the spelling that the layout remembers.

        Args:
            units: the members that have units, and what else is not said elsewhere, in order.
            surrounding: what stands around them.
            implied: those of the members that a form may leave out.
        """
        around, extras, layout = surrounding
        out = units
        if self._tools is not None:
            others: Json = extras.get(TOOLS)
            if around.tools is not None or isinstance(others, list):
                out = {**units, TOOLS: self._tools.write(around.tools or (), others)}
        spelled: Json = layout.get(SETTINGS)
        members = {**out, **self._settings.write(around.settings, spelled, extras)}
        if self._choices is not None and _CHOICE in members and members[_CHOICE] != members_of(spelled).get(_CHOICE):
            members[_CHOICE] = self._choices.with_custom(members[_CHOICE], around.tools or ())
        ordered = in_order(members, self._order)
        fixed = members.keys() - implied
        return shape(add(ordered, extras, self._order), layout.get(FORM), fixed=fixed, implied=implied)


_NOTHING: Final = Read(None, [], {}, {})
"""What a document says in which all members are known."""
