"""Read and write the members around the units of one shape of documents: tools, settings, and all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from ..json_values.form import ARRAY, Object, add, form_of, in_order, rest, shape, without
from ..json_values.jsontext import compact
from ..json_values.parameters import SETTINGS, Parameters, Read, members_of
from ..model import Json, Settings, Tool
from .documents import Surrounding
from .shell import Shell
from .tool_choices import ToolChoices

FORM: Final = "form"
"""The key of the layout that stores the order of members, and the members without a meaning."""
TOOLS: Final = "tools"
_CHOICE: Final = "tool_choice"
OF_CALLS: Final = frozenset({_CHOICE, "parallel_tool_calls"})
"""The members with settings for the calls of tools."""


class ToolList(NamedTuple):
    """Functions that read and write a list of declared tools.

    Attributes:
        read: returns the tools in a list, and its other items, each with its index.
        write: returns a list of tools and other items.
        may_be_empty: whether an empty list means that no tools are declared; else it means nothing.
    """

    read: Callable[[list[Json]], tuple[tuple[Tool, ...], list[Object]]]
    write: Callable[[Sequence[Tool], Json], list[Json]]
    may_be_empty: bool = True


class Surroundings:
    """The reader and writer of the members around units.

    Args:
        settings: the table of the members with settings.
        order: the order in which members are written.
        required: the members that are always written.
        tools: how tools are declared; None if the shape declares none.
        choices: how a tool choice names custom tools; None if it does not.
        hosted: returns whether the tool choice of a document names a tool that the API runs; None if none can.
        switches: the members that say something although they are an empty object; any other empty member says nothing.
        needs_tools: whether the API refuses settings for the calls of tools if the document declares no tools. They are
            then written only if they were read so.
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
        switches: Collection[str] = (),
        needs_tools: bool = False,
    ) -> None:
        self._settings: Final = settings
        self._order: Final = order
        self._required: Final = frozenset(required)
        self._tools: Final = tools
        self._choices: Final = choices
        self._hosted: Final = hosted
        self._switches: Final = switches
        self._needs_tools: Final = needs_tools

    def read(self, shell: Shell, document: Object, known: list[str]) -> None:
        """Read tools, settings, extras and form of a document into its shell.

        Args:
            shell: receives them.
            document: the document.
            known: the members that the caller reads; the members that are read here are added.
        """
        others = self._read_tools(shell, document, known)
        if not document.keys() <= set(known):
            result = self._settings.read(self._of_settings(document, alone=bool(others) and not shell.tools))
            known += result.keys
        else:
            result = _NO_SETTINGS
        switched: Object = {key: {} for key in self._switches if document.get(key) == {}}
        known += switched
        if (form := form_of(document, self._order, self._required, known)) is not None:
            shell.layout[FORM] = form
        if self._choices is not None and _CHOICE in result.keys:
            self._note_choice(result, document[_CHOICE], shell.tools or (), self._choices)
        shell.settings = result.settings
        if self._needs_tools and not (shell.tools or others):
            result.spelled.update((key, document[key]) for key in result.keys if key in OF_CALLS)
        if result.spelled:
            shell.layout[SETTINGS] = result.spelled
        others_in_order = rest(document, known)
        if switched:
            unread = others_in_order.keys() | switched.keys()
            others_in_order = {key: value for key, value in document.items() if key in unread}
        shell.extras = {**others_in_order, **result.others}
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
        """Return a document without its tool choice, if that cannot be a setting.

        A setting has only the names of tools. So the choice goes to the extras if it declares tools otherwise than the
        document does, if it names a tool that the API runs, or if the document declares only such tools.

        Args:
            document: the document.
            alone: whether all declared tools are run by the API.
        """
        if alone:
            return without(document, *OF_CALLS)
        choices, choice = self._choices, document.get(_CHOICE)
        if not isinstance(choice, dict):
            return document
        is_hosted = self._hosted is not None and self._hosted(document)
        if not is_hosted and (choices is None or choices.restates(choice, document.get(TOOLS))):
            return document
        return without(document, _CHOICE)

    def _note_choice(self, result: Read, raw: Json, tools: Sequence[Tool], choices: ToolChoices) -> None:
        """Store the spelling of a tool choice, if it would be written otherwise with these tools."""
        if result.settings is None or all(tool.freeform is None for tool in tools):
            return
        written = self._settings.write(Settings(tool_choice=result.settings.tool_choice), None, {}).get(_CHOICE)
        if compact(choices.with_custom(written, tools)) == compact(raw):
            result.spelled.pop(_CHOICE, None)
        else:
            result.spelled[_CHOICE] = raw

    def write(self, units: Object, surrounding: Surrounding, implied: Collection[str] = ()) -> Object:
        """Return a document with units and the members around them, in the spelling that the layout stores.

        Args:
            units: the members with units, and others that only the caller knows, in order.
            surrounding: the document without its units.
            implied: the members that the stored form may omit.
        """
        around, extras, layout = surrounding
        out = units
        if self._tools is not None:
            others: Json = extras.get(TOOLS)
            if around.tools is not None or isinstance(others, list):
                out = {**units, TOOLS: self._tools.write(around.tools or (), others)}
        spelled: Json = layout.get(SETTINGS)
        members = {**out, **self._settings.write(around.settings, spelled, extras)}
        if self._needs_tools and not members.get(TOOLS):
            members = without(members, *(OF_CALLS - members_of(spelled).keys()))
        if self._choices is not None and _CHOICE in members and members[_CHOICE] != members_of(spelled).get(_CHOICE):
            members[_CHOICE] = self._choices.with_custom(members[_CHOICE], around.tools or ())
        ordered = in_order(members, self._order)
        fixed = members.keys() - implied
        return shape(add(ordered, extras, self._order), layout.get(FORM), fixed=fixed, implied=implied)


_NO_SETTINGS: Final = Read(None, [], {}, {})
"""The result for a document without other members."""
