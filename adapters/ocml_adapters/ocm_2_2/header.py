"""Parse and render the header of a frame (§6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import BUILTINS, is_call, with_namespace
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.model import Message
from ocml_bridge.text import attributes
from ocml_bridge.text.channels import chosen

from .syntax import ATTRIBUTES, CHANNEL, CONSTRAIN

_NO_VALUE: Final = re.compile(r"[\s\x00-\x1f\x7f\u200b\ufeff\ud800-\udfff]+|<(?=\|)|<\Z")


def is_value(value: str) -> bool:
    """Return whether a header can contain a value: visible characters (§15) of any script, and no part of a token."""
    return value != "" and _NO_VALUE.search(value) is None


def as_value(value: str) -> str:
    """Return a value with `_` for what a header cannot contain."""
    return _NO_VALUE.sub("_", value)


@dataclass(slots=True)
class Fields:
    """The parsed fields of a header, by the names of the canonical form.

    Attributes:
        values: role, name, channel, recipient, call_id, intent, content_type, constraint; those that are present.
        unknown: the attributes that the specification does not define.
        empty: the attributes without a value.
        channels: the name after each channel marker; "" if there is none.
        prose: whether a channel is followed by words that do not belong to a header.
    """

    values: dict[str, str]
    unknown: dict[str, str]
    empty: list[str]
    channels: list[str]
    prose: bool = False

    @property
    def is_mended(self) -> bool:
        """Whether the channel is not simply the name after a single marker, or prose follows it."""
        named = self.channels == [self.values.get("channel")] or not self.channels
        return not named or self.prose


def parse_header(text: str, offset: int) -> Fields:
    """Parse a header: the text between `<|start|>` and `<|message|>`.

    Args:
        text: the header.
        offset: the offset of its frame, for errors.

    Raises:
        BridgeError: E-PARSE-HEADER if it has no role, an unknown word, or an attribute with two different values.
    """
    head, *tails = text.split(CHANNEL)
    head, _, first = head.partition(CONSTRAIN)
    fields = Fields({}, {}, [], [])
    words = attributes.split(head)
    if not words:
        raise _malformed("the header names no role", offset)
    _role(fields, words[0])
    _words(fields, words[1:], "", offset)
    constraints = [first]
    for tail in tails:
        tail, _, constraint = tail.partition(CONSTRAIN)
        constraints.append(constraint)
        _channel(fields, attributes.split(tail), offset)
    for constraint in constraints:
        _words(fields, attributes.split(constraint), "constraint", offset)
    _settle(fields)
    return fields


def _channel(fields: Fields, words: list[str], offset: int) -> None:
    """Read the words after a channel marker: the channel, attributes, and the content type; other words are prose."""
    named = bool(words) and not _is_known(words[0])
    fields.channels.append(words[0] if named else "")
    rest = words[1:] if named else words
    bare = [word for word in rest if attributes.attribute(word) is None]
    if len(bare) > 1:
        fields.prose = True
        rest = [word for word in rest if word not in bare]
    _words(fields, rest, "channel", offset)


def _is_known(word: str) -> bool:
    pair = attributes.attribute(word)
    return pair is not None and pair[0] in ATTRIBUTES


def _settle(fields: Fields) -> None:
    """Choose the channel, from all channel markers."""
    values = fields.values
    message = Message(values["role"], "", recipient=values.get("recipient"))
    channel = chosen(fields.channels, answers=message.role == "assistant" and not is_call(message))
    if channel is not None:
        values["channel"] = channel


def _role(fields: Fields, word: str) -> None:
    """Read the first word: the role, or in the legacy form the name of a tool (§4, readings 8 and 12)."""
    if "." in word or word in BUILTINS:
        fields.values.update(role="tool", name=word)
    else:
        fields.values["role"] = word


def _words(fields: Fields, words: list[str], leading: str, offset: int) -> None:
    """Read attributes, in any order, and bare words: a leading constraint, or the content type after a channel."""
    for index, word in enumerate(words):
        pair = attributes.attribute(word)
        if leading == "constraint" and index == 0 and not (pair and pair[0] in ATTRIBUTES):
            _say(fields, leading, word, offset)
        elif pair is None:
            if leading != "channel":
                raise _malformed(f"{word[:40]!r} is not an attribute", offset)
            _say(fields, "content_type", word, offset)
        elif pair[0] not in ATTRIBUTES:
            fields.unknown[pair[0]] = pair[1]
        elif pair[1] == "":
            fields.empty.append(pair[0])
        else:
            _say(fields, ATTRIBUTES[pair[0]], pair[1], offset)


def _say(fields: Fields, name: str, value: str, offset: int) -> None:
    if name == "name" and fields.values["role"] == "tool":
        value = with_namespace(value)
    if fields.values.setdefault(name, value) != value:
        raise _malformed(f"the header says {name} twice, {fields.values[name][:40]!r} and {value[:40]!r}", offset)


def _malformed(message: str, offset: int) -> BridgeError:
    return BridgeError(ErrorCode.PARSE_HEADER, message, offset=offset)


def render_header(message: Message, unknown: dict[str, str] | None = None) -> str:
    """Return the header of a message in the order of §6; all values must be safe.

    Args:
        message: the message.
        unknown: attributes that the specification does not define, from its extras.
    """
    out = [message.role]
    out += [f" {key}={value}" for key, name in ATTRIBUTES.items() if (value := getattr(message, name)) is not None]
    out += [f" {key}={value}" for key, value in (unknown or {}).items()]
    if message.channel is not None:
        out += [CHANNEL, message.channel]
    if message.constraint is not None:
        out += [CONSTRAIN, message.constraint]
    return "".join(out)
