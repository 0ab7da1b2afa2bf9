"""What OpenChatML 2.2 asks of messages in both of its forms (§4, §5, §6, §8, §12, §13), as findings.

A form's reader has each message checked alone, and all together; what only its own spelling can break, it finds itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ..chat.turns import FUNCTIONS, is_call, is_reply
from ..json_values import jsontext
from ..loss import FindingCode, Log
from ..model import Json, Message
from ..units.heads import Head, Item, messages_of

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
"""§4; a tool's name in place of the role is read as the role `tool`."""
CHANNELS: Final = frozenset({"analysis", "commentary", "final"})
"""§5."""
INTENTS: Final = frozenset({"preamble", "status", "debug"})
"""§6."""
TOOL_CALLS: Final = "tool_calls"
"""The JSON field that §6 names: what writes calls in another way than the envelope does."""


def check_heading(message: Message, path: str, log: Log) -> None:
    """Check the words of a message's header; an open turn has no more.

    Args:
        message: as it was read.
        path: where it is in the canonical form.
        log: takes the findings.
    """
    find = log.find
    if message.role not in ROLES:
        find(
            FindingCode.UNKNOWN_ROLE, f"{path}/role", f"§4 has no role {message.role[:40]!r}; the role is kept as it is"
        )
    if message.channel is not None and message.channel not in CHANNELS:
        find(
            FindingCode.UNKNOWN_CHANNEL,
            f"{path}/channel",
            f"§5 has no channel {message.channel[:40]!r}; the channel is kept as it is",
        )
    if message.intent is not None and message.intent not in INTENTS:
        find(
            FindingCode.UNKNOWN_INTENT,
            f"{path}/intent",
            f"§6 has no intent {message.intent[:40]!r}; the intent is kept as it is",
        )
    if message.intent == "preamble" and message.channel == "final":
        find(FindingCode.UNKNOWN_CHANNEL, f"{path}/channel", "a preamble belongs on commentary, not on final (§5)")


def check_alone(message: Message, path: str, log: Log) -> None:
    """Check what a message says of itself: all but its body, and what its id is to other messages.

    Args:
        message: as it was read.
        path: where it is in the canonical form.
        log: takes the findings.
    """
    check_heading(message, path, log)
    called, answers = is_call(message), is_reply(message)
    if message.call_id is None and (called or answers):
        log.find(FindingCode.CALL_ID_MISSING, f"{path}/call_id", "a call and its reply must carry an id (§8.2)")
    if called and message.channel != "commentary" and (message.recipient or "").startswith(FUNCTIONS):
        log.find(FindingCode.CALL_CHANNEL, f"{path}/channel", "a function must be called on commentary (§8.3)")
    if answers and message.name is None:
        log.find(FindingCode.NAME_MISSING, f"{path}/name", "a tool's reply must name the tool (§4, §6)")


class _Together:
    """Checks the messages of one document together, one after the other.

    Args:
        log: takes the findings.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._call_ids: set[str] = set()
        self._ways: set[str] = set()
        """How the calls of the assistant's turn under way are written: in the envelope, as `tool_calls`, or both."""

    def check(self, message: Message, path: str, *, alternate: bool) -> None:
        """Check the next message's body, and what its id and its way of calling are to the messages before it.

        Args:
            message: as it was read.
            path: where it is in the canonical form.
            alternate: whether it is a call that is written in the JSON field `tool_calls`.
        """
        if message.constraint == "json" or message.content_type == "json":
            self._body(message, path)
        if message.role == "assistant":
            self._assistant(message, path, alternate=alternate)
            return
        if self._ways:
            self._ways = set()
        if is_reply(message) and message.call_id is not None and message.call_id not in self._call_ids:
            detail = f"no earlier call has the id {message.call_id[:40]!r} (§8.2)"
            self._log.find(FindingCode.REPLY_UNPAIRED, f"{path}/call_id", detail)

    def _body(self, message: Message, path: str) -> None:
        """JSON that the header promises."""
        text = message.content
        if not isinstance(text, str) or jsontext.parse(text) is None:
            promise = "<|constrain|>json" if message.constraint == "json" else "content_type=json"
            detail = f"the body is not JSON, which {promise} requires (§6)"
            self._log.find(FindingCode.CONSTRAINT_VIOLATION, f"{path}/content", detail)

    def _assistant(self, message: Message, path: str, *, alternate: bool) -> None:
        if is_call(message):
            call_id = message.call_id
            if call_id is not None and call_id in self._call_ids:
                detail = f"an earlier call has the id {call_id[:40]!r}, and ids must be unique (§8.2)"
                self._log.find(FindingCode.CALL_ID_REPEATED, f"{path}/call_id", detail)
            elif call_id is not None:
                self._call_ids.add(call_id)
            self._turn(TOOL_CALLS if alternate else "envelope", path)
        elif _has_tool_calls(message):
            self._turn(TOOL_CALLS, path)

    def _turn(self, way: str, path: str) -> None:
        """A turn must not mix the envelope of calls with any `tool_calls` (§6)."""
        if way not in self._ways:
            self._ways.add(way)
            if len(self._ways) > 1:
                detail = f"a turn must not write calls both in the envelope and as {TOOL_CALLS} (§6)"
                self._log.find(FindingCode.MIXED_CALLS, path, detail)


_QUOTED: Final = f'"{TOOL_CALLS}"'


def check_together(items: Sequence[Item], log: Log, alternates: Collection[int] = ()) -> None:
    """Check messages of which each was checked alone.

    Args:
        items: the messages.
        log: takes the findings.
        alternates: the indices of calls that are written in the JSON field `tool_calls`.
    """
    if not alternates and _is_regular(items):
        return
    together = _Together(log)
    for index, message in enumerate(messages_of(items)):
        together.check(message, f"/messages/{index}", alternate=index in alternates)


def _is_regular(items: Sequence[Item]) -> bool:
    """Whether nothing is to be found of messages together.

    So it is where the ids of calls are all different, each reply has one of them, bodies are the JSON that they promise
    to be, and none names the JSON field of calls.
    """
    known: set[str | None] = set()
    for head, content, call_id in items:
        if head.calls:
            if call_id is not None and call_id in known:
                return False
            known.add(call_id)
        elif head.role == "tool" and call_id is not None and call_id not in known:
            return False
        if head.promises_json if not isinstance(content, str) else not is_regular(head, content):
            return False
    return True


def is_regular(head: Head, content: str) -> bool:
    """Whether nothing is to be found of a message among others for what it says."""
    if head.role == "assistant" and not head.calls and _QUOTED in content:
        return False
    return not head.promises_json or jsontext.parse(content) is not None


def _has_tool_calls(message: Message) -> bool:
    """Whether a body is a JSON object with the field `tool_calls`; it is read as text."""
    text = message.content
    if not isinstance(text, str) or _QUOTED not in text:
        return False
    found = jsontext.parse(text)
    value: Json = None if found is None else found.value
    return isinstance(value, dict) and TOOL_CALLS in value
