"""Find which call a reply answers, in formats whose calls have no ids."""

from __future__ import annotations

from ..chat.turns import is_call
from ..loss import FindingCode, Log
from ..model import Message
from ..units.pairing import Pairing


def report_unpaired(index: int, log: Log) -> None:
    """Report a reply that answers no call."""
    path = f"/messages/{index}/name"
    log.find(FindingCode.REPLY_UNPAIRED, path, "no call fits this reply; the reply is kept without one")


class Replies:
    """Pairs the replies of each turn with its calls: by the name of the tool if the reply has one, else in order."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._recipients: list[str] = []

    def __bool__(self) -> bool:
        """Return whether there was a call."""
        return bool(self._recipients)

    @property
    def waiting(self) -> str | None:
        """The recipient of the first call that has no reply yet; None if there is none."""
        call = self._pairing.find(Message("tool", ""))
        return None if call is None else self._recipients[call]

    def call(self, recipient: str) -> None:
        """Take a call."""
        self._pairing.feed(len(self._recipients), Message("assistant", "", recipient=recipient))
        self._recipients.append(recipient)

    def text(self, *, continues: bool) -> None:
        """Take a message that is neither; unless it stands in the frame of the calls, the turn ends."""
        self._pairing.feed(0, Message("assistant", "", continues=continues))

    def reply(self, name: str | None) -> str | None:
        """Take a reply of a tool, or of the next tool if it has no name; return the recipient of its call, or None."""
        call = self._pairing.feed(0, Message("tool", "", name))
        return None if call is None else self._recipients[call]

    def take(self, message: Message) -> str | None:
        """Take the next message; return the recipient of the call that it answers, or None."""
        if message.role == "tool":
            return self.reply(message.name)
        if is_call(message):
            self.call(message.recipient or "")
        else:
            self.text(continues=message.continues)
        return None
