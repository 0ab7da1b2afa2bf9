"""Split requests into units and envelope: their wire messages, the system prompt before them, and all other members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from ..errors import BridgeError, ErrorCode
from ..json_values.form import Object
from ..model import OUTSIDE, Json
from ..units.grammar import SplitEnvelope
from .shell import Place, Shell


class Prompt(NamedTuple):
    """The member of a request with the system prompt, which is read as the first unit.

    Attributes:
        key: the key of the member.
        unit: returns the unit of its value; None if it is empty or not understood.
        is_unit: returns whether a unit is a system prompt.
        value: returns the value for such a unit.
        stand_in: a value that is read as a unit, for the envelope.
        others: other spellings of the key.
    """

    key: str
    unit: Callable[[Any], Any]
    is_unit: Callable[[Any], bool]
    value: Callable[[Any], Json]
    stand_in: Json
    others: tuple[str, ...] = ()

    def key_in(self, request: Mapping[str, Any]) -> str | None:
        """Return the key of the member in a request; None if the request has no system prompt."""
        return next((key for key in (self.key, *self.others) if key in request), None)


_A_TEXT: Final = "text"
"""The stand-in for a text in place of the wire messages."""


class RequestUnits:
    """Take the units out of requests, and put others in.

    Args:
        key: the key of the member with the wire messages.
        prompt: the member with the system prompt; None if it is one of the wire messages.
        depends_on_units: returns whether the envelope of a request may depend on its units; None if it never does.
        last: returns stand-ins for the wire messages on which the envelope depends; None if it depends on none.
        understood: the members that the format knows, so that all others are labels; None if there are no labels.
        unit_of_text: returns the unit of a text in place of the wire messages; None if none may stand there.
    """

    def __init__(
        self,
        key: str,
        prompt: Prompt | None = None,
        *,
        depends_on_units: Callable[[Object], bool] | None = None,
        last: Callable[[list[Any]], list[Json]] | None = None,
        understood: frozenset[str] | None = None,
        unit_of_text: Callable[[str], Any] | None = None,
    ) -> None:
        self.key: Final = key
        self.prompt: Final = prompt
        self._depends_on_units: Final = depends_on_units
        self._last: Final = last
        self._unit_of_text: Final = unit_of_text
        self._understood: Final = None if understood is None else understood | OUTSIDE

    def shell(self, request: Object, base: str = "") -> tuple[Shell, list[str]]:
        """Return a shell with the units of a request, and the keys of the members that they are from.

        Args:
            request: the request.
            base: its JSON pointer.

        Raises:
            BridgeError: OCB-SHAPE if its wire messages are not a list.
        """
        wires = request[self.key]
        if not isinstance(wires, list):
            raise BridgeError(ErrorCode.SHAPE, f"{self.key!r} is not a list", path=f"{base}/{self.key}")
        return self.shell_of(request, cast("list[Json]", wires), base)

    def shell_of(self, request: Object, wires: list[Json], base: str = "") -> tuple[Shell, list[str]]:
        """Return the same as `shell`, with other wire messages than those in the request."""
        first = self._prompt_unit(request)
        if first is None or self.prompt is None:
            return Shell(wires, self.place(base)), [self.key]
        return Shell([first, *wires], self.place(base, prompted=True)), [self.prompt.key, self.key]

    def _prompt_unit(self, request: Object) -> Any:
        """Return the system prompt of a request as a unit, or None."""
        prompt = self.prompt
        key = None if prompt is None else prompt.key_in(request)
        return None if prompt is None or key is None else prompt.unit(request[key])

    def place(self, base: str = "", *, prompted: bool = False) -> Place:
        """Return a function that gives the JSON pointer of the unit at an index.

        Args:
            base: the JSON pointer of the request.
            prompted: whether the first unit is the system prompt.
        """
        wires = f"{base}/{self.key}/"
        if not prompted or self.prompt is None:
            return lambda at: f"{wires}{at}"
        first = f"{base}/{self.prompt.key}"
        return lambda at: f"{wires}{at - 1}" if at else first

    def split_envelope(self, source: Json) -> SplitEnvelope | None:
        """Split a request into its envelope and its units.

        None for a document of another shape, and for a request whose envelope depends on its units.
        """
        request = cast("Object", source) if source.__class__ is dict else {}
        wires: Any = request.get(self.key)
        stand_in: Json = None
        if wires.__class__ is str and self._unit_of_text is not None:
            wires, stand_in = [self._unit_of_text(wires)], _A_TEXT
        if wires.__class__ is not list:
            return None
        if self._depends_on_units is not None and self._depends_on_units(request):
            return None
        if stand_in is None:
            stand_in = [] if self._last is None else self._last(wires)
        envelope: Object = {**request, self.key: stand_in}
        labels = () if self._understood is None else [key for key in request if key not in self._understood]
        first = self._prompt_unit(request)
        key = None if first is None or self.prompt is None else self.prompt.key_in(request)
        if key is None or self.prompt is None:
            return SplitEnvelope(envelope, wires, labels)
        return SplitEnvelope({**envelope, key: self.prompt.stand_in}, [first, *wires], labels)

    def with_units(self, envelope: Object, units: list[Any]) -> Object:
        """Put units into an envelope, which is changed and returned."""
        envelope.update(self.members(units, envelope))
        return envelope

    def members(self, units: list[Any], request: Mapping[str, Any] = MappingProxyType({})) -> Object:
        """Return the members of a request that contain its units.

        Args:
            units: the units.
            request: what these members are put into; its spelling of the key of the system prompt is used.
        """
        prompt = self.prompt
        if prompt is None or not units or not prompt.is_unit(units[0]):
            return {self.key: units}
        return {prompt.key_in(request) or prompt.key: prompt.value(units[0]), self.key: units[1:]}
