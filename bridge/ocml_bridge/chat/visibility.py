"""Decide which messages and parts end users may see (OpenChatML 2.2 §4, §5, §6, §11).

`RULES` lists what is hidden and why; the first rule that applies wins. Adapters, streams, hosts and views all use it.
It fails closed: an unknown channel is hidden.
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
        name: the name of what is hidden, which `Visibility.show` uses.
        section: the section of OpenChatML 2.2.
        hides: returns whether the rule hides a message.
    """

    name: str
    section: str
    hides: Callable[[Message], bool]


def _plain(value: str | None) -> str | None:
    """Normalise a role or a channel, so that `System ` is hidden like `system`."""
    return None if value is None else value.strip().casefold()


def _has_role(role: str) -> Callable[[Message], bool]:
    return lambda message: _plain(message.role) == role


def _is_tool_traffic(message: Message) -> bool:
    return is_call(message) or is_reply(message) or message.role.startswith(FUNCTIONS)


def is_preamble(message: Message) -> bool:
    """Return whether a message is commentary of the assistant for the user (§5 rule 4)."""
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
    # Calls and replies are commentary (§8.1), even if they are on analysis (§8.3).
    Rule("tool", "§8.1, §11", _is_tool_traffic),
    Rule("analysis", "§5 rule 3", _is_on("analysis")),
    Rule("commentary", "§5 rule 4, §11", _is_private_commentary),
    # A message without a channel is on final (§5 rule 2); an unknown channel is hidden by default.
    Rule("other", "§5", _is_on_unknown_channel),
    Rule("status", "§6", _is_no_display),
)
NAMES: Final = frozenset(rule.name for rule in RULES)
"""The names of all rules."""


def hidden_by(message: Message) -> Rule | None:
    """Return the rule that hides a message from end users, or None if they see it."""
    return next((rule for rule in RULES if rule.hides(message)), None)


PRIVATE: Final = frozenset({"analysis", "commentary", "other", "status"})
"""The rules that hide texts of the assistant; the others hide system and developer messages, calls and replies."""


def is_private(message: Message) -> bool:
    """Return whether a message is private text of the assistant, such as reasoning, which end users must not see.

    This includes messages of unknown roles, and the whole of a message with a thought marker (§7). It excludes calls
    and replies. A format without the message's channel must write it as reasoning or leave it out, never as visible
    text.
    """
    content = message.content
    marked = not isinstance(content, str) and any(isinstance(part, Thought) for part in content)
    # Fast path: most messages are plain answers.
    if not marked and message.channel in (None, "final") and message.intent is None:
        return False
    rule = hidden_by(message)
    return message.role != "user" and (marked if rule is None else rule.name in PRIVATE)


def is_reasoning(message: Message) -> bool:
    """Return whether a message is private text of the assistant that a format can write as its reasoning."""
    return message.role == "assistant" and not is_call(message) and is_private(message)


def seen_text(message: Message) -> str:
    """Return the text that end users see: "" if the message is hidden, else the text before a thought marker (§7)."""
    if hidden_by(message) is not None:
        return ""
    return _text(takewhile(lambda part: not isinstance(part, Thought), parts_of(message.content)))


def text_of(message: Message) -> str:
    """Return all text of a message."""
    return _text(parts_of(message.content))


def _text(parts: Iterable[Part]) -> str:
    return "".join(part.text if isinstance(part, Text) else as_text(part) or "" for part in parts)


def is_exposed(source: Message, image: Message) -> bool:
    """Return whether a message is private but its image is visible to end users."""
    return is_private(source) and not is_private(image) and hidden_by(image) is None


def closed(source: Message, image: Message) -> Message:
    """Return the image of a message, moved to `analysis` if it would expose private text."""
    return replace(image, channel="analysis", intent=None) if is_exposed(source, image) else image


def channelled(message: Message) -> Message:
    """Return a message, moved to `analysis` if only a thought marker hides it, for formats without thought markers."""
    return replace(closed(message, replace(message, content="")), content=message.content)


def exposed_messages(document: Document, back: Document, origins: Sequence[int]) -> list[int]:
    """Return the indices of a document's private messages that end users would see in its output.

    Args:
        document: the document that was written.
        back: the document that the output reads as.
        origins: for each message of `back`, its index in the document.
    """
    if not isinstance(document, Transcript) or not isinstance(back, Transcript):
        return []
    sources = document.messages
    private = [index for index, message in enumerate(sources) if is_private(message)]
    if not private:
        return []
    images = dict(zip(origins, back.messages, strict=False))
    # A private text in another message is recognised by its text, unless the document shows the same text.
    seen = {text for message in back.messages if (text := seen_text(message)).strip()}
    seen.difference_update(seen_text(message) if is_private(message) else text_of(message) for message in sources)
    return [
        index
        for index in private
        if text_of(sources[index]) in seen or (index in images and is_exposed(sources[index], images[index]))
    ]


PART_RULES: Final[dict[type[Part], str]] = {
    Thought: "analysis",  # §7: neither the marker nor what follows it in the message is ever shown
    Flags: "system",
    Tools: "developer",
    Foreign: "other",
}
"""The rules for parts that are hidden in a visible message, by type."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """A selection of messages: those that end users see, and more.

    Attributes:
        show: the names of rules whose messages are shown although they are hidden from end users.
        debug: the explicit opt-in that §4 requires for `show`.

    Raises:
        BridgeError: E-PERM-VISIBILITY for `show` without `debug`; OCB-OPTION for an unknown name.
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
        """Return the name of the rule that hides a message, or None if it is shown."""
        rule = hidden_by(message)
        return None if rule is None or rule.name in self.show else rule.name

    def hides_part(self, part: Part) -> str | None:
        """Return the name of the rule that hides a part of a visible message, or None if it is shown."""
        name = PART_RULES.get(type(part))
        return None if name in self.show else name


END_USER: Final = Visibility()
"""What end users see."""
APPLICATION: Final = Visibility(frozenset({"tool"}), debug=True)
"""What a client that runs the tools sees: calls and replies, but no private reasoning, system or developer text."""
REASONING: Final = Visibility(APPLICATION.show | PRIVATE, debug=True)
"""What such a client sees if it may see private reasoning."""
DEBUG: Final = Visibility(NAMES, debug=True)
"""Everything."""
