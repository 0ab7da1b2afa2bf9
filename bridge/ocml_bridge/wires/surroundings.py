"""What stands around the units of one shape of documents, as members of an object: tools, settings, and all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple, Protocol, cast

from ..form import ARRAY, Object, add, form_of, in_order, rest, shape
from ..jsontext import compact
from ..model import Json, Settings, Tool
from ..parameters import SETTINGS, Read, members_of
from .documents import Surrounding
from .shell import Shell

FORM: Final = "form"
"""The key of the layout that remembers the order of members, and those that say nothing."""
TOOLS: Final = "tools"
_CHOICE: Final = "tool_choice"


class SettingsTable(Protocol):
    """Reads and writes the members that say settings, as `Parameters` does."""

    def read(self, document: Object) -> Read:
        """Take the settings out of a document."""
        ...

    def write(self, settings: Settings | None, spelled: Json, extras: Object) -> Object:
        """The members that say settings."""
        ...


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


Kinds = Callable[[Json, Sequence[Tool]], Json]
"""Makes of a tool choice that names functions one that names custom tools where they are such."""


class Surroundings:
    """Reads and writes the members around units.

    Args:
        settings: the members that say settings.
        order: that in which members are written.
        required: those that are always written.
        tools: how tools are declared; None where they are not.
        with_kinds: tells in a tool choice which tools are custom ones; None where nothing does.
    """

    def __init__(
        self,
        settings: SettingsTable,
        order: tuple[str, ...],
        required: Collection[str],
        *,
        tools: ToolList | None = None,
        with_kinds: Kinds | None = None,
    ) -> None:
        self._settings: Final = settings
        self._order: Final = order
        self._required: Final = frozenset(required)
        self._tools: Final = tools
        self._with_kinds: Final = with_kinds

    def read(self, shell: Shell, document: Object, known: list[str]) -> None:
        """Take tools, settings, extras and form from what stands around units.

        Args:
            shell: what they are added to.
            document: where they stand.
            known: the members that are taken from it otherwise; those that are taken here are added.
        """
        others = self._read_tools(shell, document, known)
        if not document.keys() <= set(known):
            found = self._settings.read(document)
            known += found.keys
        else:
            found = _NOTHING
        if (form := form_of(document, self._order, self._required, known)) is not None:
            shell.layout[FORM] = form
        if self._with_kinds is not None and _CHOICE in found.keys:
            self._note_kinds(found, document[_CHOICE], shell.tools or (), self._with_kinds)
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

    def _note_kinds(self, found: Read, raw: Json, tools: Sequence[Tool], with_kinds: Kinds) -> None:
        """Say of a tool choice how it was spelled, as far as that is not how it is written beside some tools."""
        if found.settings is None or all(tool.freeform is None for tool in tools):
            return
        written = self._settings.write(Settings(tool_choice=found.settings.tool_choice), None, {}).get(_CHOICE)
        if compact(with_kinds(written, tools)) == compact(raw):
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
        said = {**out, **self._settings.write(around.settings, spelled, extras)}
        if self._with_kinds is not None and _CHOICE in said and said[_CHOICE] != members_of(spelled).get(_CHOICE):
            said[_CHOICE] = self._with_kinds(said[_CHOICE], around.tools or ())
        ordered = in_order(said, self._order) if len(said) > len(out) else said
        fixed = said.keys() - implied if implied else said
        return shape(add(ordered, extras, self._order), layout.get(FORM), fixed=fixed, implied=implied)


_NOTHING: Final = Read(None, [], {}, {})
"""What a document says in which all members are known."""
