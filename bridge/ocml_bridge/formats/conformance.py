"""Check messages against the rules that both forms of OpenChatML 2.2 share (§4, §5, §6, §8, §12, §13).

Violations become findings. The readers of the text form and of the JSON form call `check_alone` for each message and
`check_together` for all of them. Rules about the spelling of one form are in its adapter.
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
"""The roles of §4; a tool's name in place of the role is read as the role `tool`."""
CHANNELS: Final = frozenset({"analysis", "commentary", "final"})
"""The channels of §5."""
INTENTS: Final = frozenset({"preamble", "status", "debug"})
"""The intents of §6."""
TOOL_CALLS: Final = "tool_calls"
"""The JSON field of §6, which is the other way to write calls than the envelope (header with recipient)."""


def check_heading(message: Message, path: str, log: Log) -> None:
    """Check the role, the channel and the intent of a message or of an open turn.

    Args:
        message: the message, as read.
        path: its path in the canonical form.
        log: gets the findings.
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
    """Check the fields of one message that do not depend on its body or on other messages.

    Args:
        message: the message, as read.
        path: its path in the canonical form.
        log: gets the findings.
    """
    check_heading(message, path, log)
    calls, replies = is_call(message), is_reply(message)
    if message.call_id is None and (calls or replies):
        log.find(FindingCode.CALL_ID_MISSING, f"{path}/call_id", "a call and its reply must carry an id (§8.2)")
    if calls and message.channel != "commentary" and (message.recipient or "").startswith(FUNCTIONS):
        log.find(FindingCode.CALL_CHANNEL, f"{path}/channel", "a function must be called on commentary (§8.3)")
    if replies and message.name is None:
        log.find(FindingCode.NAME_MISSING, f"{path}/name", "a tool's reply must name the tool (§4, §6)")


class _Together:
    """Checks the messages of one document in their order: their bodies, and their ids against earlier ones.

    Args:
        log: gets the findings.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._call_ids: set[str] = set()
        self._ways: set[bool] = set()
        """How the calls of the assistant's current turn are written: in the envelope, as `tool_calls`, or both."""

    def check(self, message: Message, path: str, *, alternate: bool) -> None:
        """Check the next message: its body, its call id, and whether its turn writes all calls in one way.

        Args:
            message: the message, as read.
            path: its path in the canonical form.
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
            detail = "no earlier call has this id (§8.2)"
            self._log.find(FindingCode.REPLY_UNPAIRED, f"{path}/call_id", detail)

    def _body(self, message: Message, path: str) -> None:
        """Check that the body is JSON, which the header promises."""
        text = message.content
        if not isinstance(text, str) or jsontext.parse(text) is None:
            promise = "<|constrain|>json" if message.constraint == "json" else "content_type=json"
            detail = f"the body is not JSON, which {promise} requires (§6)"
            self._log.find(FindingCode.CONSTRAINT_VIOLATION, f"{path}/content", detail)

    def _assistant(self, message: Message, path: str, *, alternate: bool) -> None:
        if is_call(message):
            call_id = message.call_id
            if call_id is not None and call_id in self._call_ids:
                detail = "an earlier call has the same id, and ids must be unique (§8.2)"
                self._log.find(FindingCode.CALL_ID_REPEATED, f"{path}/call_id", detail)
            elif call_id is not None:
                self._call_ids.add(call_id)
            self._turn(path, alternate=alternate)
        elif _has_tool_calls(message):
            self._turn(path, alternate=True)

    def _turn(self, path: str, *, alternate: bool) -> None:
        """Check that the current turn writes calls in one way: §6 forbids a mix of the envelope and `tool_calls`.

        Args:
            path: the path of a message with calls.
            alternate: whether it writes them as `tool_calls`.
        """
        if alternate not in self._ways:
            self._ways.add(alternate)
            if len(self._ways) > 1:
                detail = f"a turn must not write calls both in the envelope and as {TOOL_CALLS} (§6)"
                self._log.find(FindingCode.MIXED_CALLS, path, detail)


_QUOTED: Final = f'"{TOOL_CALLS}"'


def check_together(items: Sequence[Item], log: Log, alternates: Collection[int] = ()) -> None:
    """Check the messages of a document together, after `check_alone` has checked each one.

    Args:
        items: the messages.
        log: gets the findings.
        alternates: the indices of calls that are written in the JSON field `tool_calls`.
    """
    if not alternates and _is_regular(items):
        return
    together = _Together(log)
    for index, message in enumerate(messages_of(items)):
        together.check(message, f"/messages/{index}", alternate=index in alternates)


def _is_regular(items: Sequence[Item]) -> bool:
    """Return whether `_Together` would find nothing: the fast path.

    That is so if the ids of calls are unique, each reply has one of them, every body that has to be JSON is JSON, and
    no body contains the name of the field `tool_calls`.
    """
    call_ids: set[str | None] = set()
    for head, content, call_id in items:
        if head.calls:
            if call_id is not None and call_id in call_ids:
                return False
            call_ids.add(call_id)
        elif head.role == "tool" and call_id is not None and call_id not in call_ids:
            return False
        if head.promises_json if not isinstance(content, str) else not is_regular(head, content):
            return False
    return True


def is_regular(head: Head, content: str) -> bool:
    """Return whether the content of a message cannot cause a finding of `check_together`."""
    if head.promises_json and jsontext.parse(content) is None:
        return False
    return head.role != "assistant" or head.calls or _QUOTED not in content


def _has_tool_calls(message: Message) -> bool:
    """Return whether the body, which is read as text, is a JSON object with the field `tool_calls`."""
    text = message.content
    if not isinstance(text, str) or _QUOTED not in text:
        return False
    parsed = jsontext.parse(text)
    value: Json = None if parsed is None else parsed.value
    return isinstance(value, dict) and TOOL_CALLS in value
