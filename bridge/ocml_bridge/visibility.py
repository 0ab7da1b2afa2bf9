"""Who may see what (OpenChatML 2.2 §4, §5, §6, §11), as data.

`RULES` says what is hidden from end users and why, the first rule that applies wins. Whatever is drawn is asked of it;
there is no other place that decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from .errors import BridgeError, ErrorCode
from .model import Flags, Foreign, Message, Part, Thought, Tools
from .turns import FUNCTIONS, is_call, is_reply


class Rule(NamedTuple):
    """One reason to hide a message from end users.

    Attributes:
        name: what is hidden, in a word; `Visibility.show` asks for it by this name.
        section: where OpenChatML 2.2 says so.
        hides: whether it hides a message.
    """

    name: str
    section: str
    hides: Callable[[Message], bool]


def _plain(value: str | None) -> str | None:
    """A role or channel however it is spelled: `System ` hides as `system` does."""
    return None if value is None else value.strip().casefold()


def _has_role(role: str) -> Callable[[Message], bool]:
    return lambda message: _plain(message.role) == role


def _is_on(channel: str) -> Callable[[Message], bool]:
    return lambda message: _plain(message.channel) == channel


def _is_tool_traffic(message: Message) -> bool:
    return is_call(message) or is_reply(message) or message.role.startswith(FUNCTIONS)


def is_preamble(message: Message) -> bool:
    """Whether it is commentary that the assistant means for the user (§5 rule 4)."""
    return message.role == "assistant" and message.channel == "commentary" and message.intent == "preamble"


def _is_private_commentary(message: Message) -> bool:
    return _plain(message.channel) == "commentary" and not is_preamble(message)


def _is_on_unknown_channel(message: Message) -> bool:
    return _plain(message.channel) not in {None, "final", "commentary"}


def _is_no_display(message: Message) -> bool:
    return message.intent in {"status", "debug"}


RULES: Final = (
    Rule("system", "§4", _has_role("system")),
    Rule("developer", "§4", _has_role("developer")),
    # Wherever it stands: what is said between the model and a tool is commentary (§8.1), on analysis too (§8.3).
    Rule("tool", "§8.1, §11", _is_tool_traffic),
    Rule("analysis", "§5 rule 3", _is_on("analysis")),
    Rule("commentary", "§5 rule 4, §11", _is_private_commentary),
    # No channel is the final one (§5 rule 2); one that the specification does not know is not shown unasked.
    Rule("other", "§5", _is_on_unknown_channel),
    Rule("status", "§6", _is_no_display),
)
NAMES: Final = frozenset(rule.name for rule in RULES)
"""Everything that is hidden from end users."""


def hidden_by(message: Message) -> Rule | None:
    """The rule that hides a message from end users; None where they see it."""
    return next((rule for rule in RULES if rule.hides(message)), None)


PART_RULES: Final[dict[type[Part], str]] = {
    Thought: "analysis",  # §7: never shown, and neither is what follows it in its message
    Flags: "system",
    Tools: "developer",
    Foreign: "other",
}
"""Parts that are hidden in a message that is shown, and the rule that they fall under."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """What is to be seen.

    Attributes:
        show: names of rules whose messages are wanted although they are hidden from end users.
        debug: the explicit opt-in that §4 asks for.

    Raises:
        BridgeError: E-PERM-VISIBILITY for whoever asks for something hidden without the opt-in; OCB-OPTION for a name
            that no rule has.
    """

    show: frozenset[str] = frozenset()
    debug: bool = False

    def __post_init__(self) -> None:
        if unknown := sorted(self.show - NAMES):
            raise BridgeError(ErrorCode.OPTION, f"nothing is hidden as {unknown[0]!r}; it is one of {sorted(NAMES)}")
        if self.show and not self.debug:
            wanted = ", ".join(sorted(self.show))
            raise BridgeError(
                ErrorCode.PERM_VISIBILITY, f"{wanted}: hidden from end users (OpenChatML 2.2 §4); ask with debug"
            )

    def hides(self, message: Message) -> str | None:
        """The name of the rule that hides a message here; None where it is shown."""
        rule = hidden_by(message)
        return None if rule is None or rule.name in self.show else rule.name

    def hides_part(self, part: Part) -> str | None:
        """The name of the rule that hides a part of a message that is shown."""
        name = PART_RULES.get(type(part))
        return None if name in self.show else name


END_USER: Final = Visibility()
"""What end users see."""
DEBUG: Final = Visibility(NAMES, debug=True)
"""Everything."""
