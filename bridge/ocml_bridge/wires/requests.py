"""Requests as their units and their envelopes: where wire messages stand, and what the system says before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

from ..json_values.form import Object
from ..model import OUTSIDE, Json
from ..units.grammar import Emptied
from .shell import Place, Shell


class Prompt(NamedTuple):
    """What the system says before all wire messages, where a request has a member for it.

    Attributes:
        key: of the member.
        unit: the unit of a value; None where it says nothing, or nothing that is understood.
        is_unit: whether a unit is one of these.
        value: that of such a unit.
        stand_in: a value that is read as some unit.
    """

    key: str
    unit: Callable[[Any], Any]
    is_unit: Callable[[Any], bool]
    value: Callable[[Any], Json]
    stand_in: Json


class RequestUnits:
    """Takes units out of requests, and puts others in.

    Args:
        key: of the member that has the wire messages.
        prompt: what the system says before them; None where it is one of them.
        is_one_of_a_kind: whether the envelope of a request may depend on its units; None where it never does.
        last: stand-ins for wire messages, for those that matter to what stands around them; None where none does.
        understood: the members that the format knows; any other is a label. None where none is known to be one.
    """

    def __init__(
        self,
        key: str,
        prompt: Prompt | None = None,
        *,
        is_one_of_a_kind: Callable[[Object], bool] | None = None,
        last: Callable[[list[Any]], list[Json]] | None = None,
        understood: frozenset[str] | None = None,
    ) -> None:
        self.key: Final = key
        self.prompt: Final = prompt
        self._is_one_of_a_kind: Final = is_one_of_a_kind
        self._last: Final = last
        self._understood: Final = None if understood is None else understood | OUTSIDE

    def shell(self, request: Object, wires: list[Json], base: str = "") -> tuple[Shell, list[str]]:
        """The units of a request, and the members that they are from.

        Args:
            request: it.
            wires: its wire messages.
            base: JSON pointer to it.
        """
        first = self._first(request)
        if first is None or self.prompt is None:
            return Shell(wires, self.place(base)), [self.key]
        return Shell([first, *wires], self.place(base, prompted=True)), [self.prompt.key, self.key]

    def _first(self, request: Object) -> Any:
        """What the system says in a request, as a unit; None where it says nothing."""
        prompt = self.prompt
        return None if prompt is None or prompt.key not in request else prompt.unit(request[prompt.key])

    def place(self, base: str = "", *, prompted: bool = False) -> Place:
        """Index of a unit → JSON pointer to it.

        Args:
            base: pointer to the request.
            prompted: whether the first unit is what the system says.
        """
        wires = f"{base}/{self.key}/"
        if not prompted or self.prompt is None:
            return lambda at: f"{wires}{at}"
        first = f"{base}/{self.prompt.key}"
        return lambda at: f"{wires}{at - 1}" if at else first

    def emptied(self, source: Json) -> Emptied | None:
        """A request as its envelope and its units; None for a document of another shape, and one of a kind."""
        request = cast("Object", source) if source.__class__ is dict else {}
        wires: Any = request.get(self.key)
        if wires.__class__ is not list:
            return None
        if self._is_one_of_a_kind is not None and self._is_one_of_a_kind(request):
            return None
        envelope: Object = {**request, self.key: [] if self._last is None else self._last(wires)}
        labels = () if self._understood is None else [key for key in request if key not in self._understood]
        first = self._first(request)
        if first is None or self.prompt is None:
            return Emptied(envelope, wires, labels)
        return Emptied({**envelope, self.prompt.key: self.prompt.stand_in}, [first, *wires], labels)

    def refilled(self, envelope: Object, units: list[Any]) -> Object:
        """A request with other units in an envelope. It is changed."""
        envelope.update(self.members(units))
        return envelope

    def members(self, units: list[Any]) -> Object:
        """The members of a request that have its units."""
        prompt = self.prompt
        if prompt is None or not units or not prompt.is_unit(units[0]):
            return {self.key: units}
        return {prompt.key: prompt.value(units[0]), self.key: units[1:]}
