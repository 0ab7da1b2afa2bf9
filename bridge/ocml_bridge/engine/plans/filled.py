"""An output that was built by its plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...loss import Loss, LossCode
from ...model import Document
from ...units.conversation import Conversation

if TYPE_CHECKING:
    from ...spans.columns import Columns
    from ..written import Written
    from .output_plan import OutputPlan


class Filled:
    """An output that was built by its plan. What the plan does not have, such as the image, is found by `write`.

    Args:
        output: the text, or the JSON value.
        values: the values of the conversation, as `OutputPlan.output` returned them.
        broken: the losses of tokens that are broken in contents.
        plan: of the output.
        conversation: what was written.
        write: writes a conversation unit by unit.

    Attributes:
        output: as given.
        order: of the plan.
        spans: None: an output with spans is not written by a plan.
    """

    __slots__ = ("_broken", "_conversation", "_plan", "_values", "_whole", "_write", "order", "output", "spans")

    def __init__(
        self,
        output: Any,
        values: Sequence[str],
        broken: Sequence[Loss],
        plan: OutputPlan,
        conversation: Conversation,
        write: Callable[[Conversation], Written],
    ) -> None:
        self.output = output
        self._values = values
        self._broken = broken
        self.order = plan.order
        self.spans: Columns | None = None
        self._plan = plan
        self._conversation = conversation
        self._write = write
        self._whole: Written | None = None

    @property
    def whole(self) -> Written:
        """The conversation written unit by unit, when it is first needed."""
        if self._whole is None:
            self._whole = self._write(self._conversation)
        return self._whole

    @property
    def losses(self) -> Sequence[Loss]:
        """Every loss, in order."""
        losses, at = self._plan.losses.of(self._conversation.values), self._plan.losses_of_units
        return [*losses[:at], *self._broken, *losses[at:]] if self._broken else losses

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format reported, before the document was compared with the image."""
        return self.whole.logged

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """Return the losses with one of these codes."""
        if codes.isdisjoint(self._plan.losses.codes) and not (self._broken and LossCode.CONTROL_TOKEN in codes):
            return ()
        return [loss for loss in self.losses if loss.code in codes]

    @property
    def image(self) -> Document:
        """What the output reads as."""
        return self.whole.image

    @property
    def characters(self) -> int:
        """How many characters of content the output has (`chat.substance`)."""
        return self._plan.characters(self._values)
