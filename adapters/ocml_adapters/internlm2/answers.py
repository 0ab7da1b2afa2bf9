"""Replies that answer the calls of their turn in order, as those of `environment name=<|plugin|>` do."""

from __future__ import annotations

from ocml_bridge.units.grammar import ByDocument


class Calls:
    """The calls of a turn: `headings.Replies` for replies that name no tool.

    Attributes:
        is_open: whether what comes next may belong to the turn.
    """

    def __init__(self) -> None:
        self._recipients: list[str | None] = []
        self._answered = 0
        self.is_open = False

    def call(self, recipient: str | None) -> None:
        """Take a call."""
        if not self.is_open:
            self._recipients, self._answered, self.is_open = [], 0, True
        self._recipients.append(recipient)

    def text(self, *, continues: bool) -> None:
        """Take what is neither a call nor a reply: between two calls of one body it ends no turn."""
        self.is_open = self.is_open and continues

    def reply(self) -> str | None:
        """Take a reply: the recipient of the call that it answers.

        Raises:
            ByDocument: where no call waits for one.
        """
        if self._answered == len(self._recipients):
            raise ByDocument
        self._answered, self.is_open = self._answered + 1, False
        return self._recipients[self._answered - 1]
