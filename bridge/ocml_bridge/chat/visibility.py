"""Who may see what (OpenChatML 2.2 §4, §5, §6, §11), as data.

`RULES` says what is hidden from end users and why, the first rule that applies wins. Adapters, streams, hosts and views
ask it; there is no other place that decides. It fails closed: a channel that nobody knows is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..model import Document, Flags, Foreign, Message, Part, Text, Thought, Tools, Transcript, replace
from .turns import FUNCTIONS, as_text, is_call, is_reply, parts_of


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


def _is_tool_traffic(message: Message) -> bool:
    return is_call(message) or is_reply(message) or message.role.startswith(FUNCTIONS)


def is_preamble(message: Message) -> bool:
    """Whether it is commentary that the assistant means for the user (§5 rule 4)."""
    return message.role == "assistant" and message.channel == "commentary" and message.intent == "preamble"


def _is_private_commentary(message: Message) -> bool:
    return _plain(message.channel) == "commentary" and not is_preamble(message)


def _is_on(channel: str) -> Callable[[Message], bool]:
    return lambda message: _plain(message.channel) == channel


def _is_on_unknown_channel(message: Message) -> bool:
    return _plain(message.channel) not in {None, "final", "commentary"}


def _is_no_display(message: Message) -> bool:
    return _plain(message.intent) in {"status", "debug"}


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


PRIVATE: Final = frozenset({"analysis", "commentary", "other", "status"})
"""The rules that hide what the assistant says; the others hide who speaks, or what is said to and by tools."""


def is_private(message: Message) -> bool:
    """Whether a message is the assistant's text and end users must not see it: its reasoning, whatever it is called.

    So is the text of a role that nobody knows, and text with a thought marker in it (§7), all of it. Calls and what the
    tools reply are not meant. A format without a place for its channel writes such a message as reasoning or leaves it
    out, and never as what is visible.
    """
    content = message.content
    marked = not isinstance(content, str) and any(isinstance(part, Thought) for part in content)
    # Most messages are plain answers; they need not go through the rules.
    if not marked and message.channel in (None, "final") and message.intent is None:
        return False
    rule = hidden_by(message)
    return message.role != "user" and (marked if rule is None else rule.name in PRIVATE)


def is_reasoning(message: Message) -> bool:
    """Whether a message is private text of the assistant, which a format with one place for reasoning writes there."""
    return message.role == "assistant" and not is_call(message) and is_private(message)


def seen_text(message: Message) -> str:
    """The text of a message that end users see: none of one that is hidden, and none behind a thought marker (§7)."""
    if hidden_by(message) is not None:
        return ""
    return _text(takewhile(lambda part: not isinstance(part, Thought), parts_of(message.content)))


def text_of(message: Message) -> str:
    """All text of a message, whoever sees it."""
    return _text(parts_of(message.content))


def _text(parts: Iterable[Part]) -> str:
    return "".join(part.text if isinstance(part, Text) else as_text(part) or "" for part in parts)


def is_exposed(source: Message, image: Message) -> bool:
    """Whether a message is private, and its image is not hidden from end users."""
    return is_private(source) and not is_private(image) and hidden_by(image) is None


def closed(source: Message, image: Message) -> Message:
    """The image of a message, on `analysis` where it would show to end users what is private."""
    return replace(image, channel="analysis", intent=None) if is_exposed(source, image) else image


def channelled(message: Message) -> Message:
    """A message on a channel that hides it where a thought marker alone does, for formats that leave the marker out."""
    return replace(closed(message, replace(message, content="")), content=message.content)


def exposed_messages(document: Document, back: Document, origins: Sequence[int]) -> list[int]:
    """The indices of a document's private messages that end users see in what is read back of it.

    Args:
        document: what was written.
        back: what the output reads as.
        origins: for each message that is read, its index in the document.
    """
    if not isinstance(document, Transcript) or not isinstance(back, Transcript):
        return []
    sources = document.messages
    private = [index for index, message in enumerate(sources) if is_private(message)]
    if not private:
        return []
    images = dict(zip(origins, back.messages, strict=False))
    # What stands in another place is found by its text, unless others said the same.
    seen = {text for message in back.messages if (text := seen_text(message)).strip()}
    seen.difference_update(text_of(message) for message in sources if not is_private(message))
    return [
        index
        for index in private
        if text_of(sources[index]) in seen or (index in images and is_exposed(sources[index], images[index]))
    ]


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
APPLICATION: Final = Visibility(frozenset({"tool"}), debug=True)
"""What a program sees that runs the tools: calls too, but no private reasoning and nothing that it was instructed."""
REASONING: Final = Visibility(APPLICATION.show | PRIVATE, debug=True)
"""What a program sees that is shown private reasoning, too."""
DEBUG: Final = Visibility(NAMES, debug=True)
"""Everything."""
