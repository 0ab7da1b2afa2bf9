"""Read and write a turn: a thought and a text, calls, or the results of calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, cast

from ocml_bridge.chat.turns import FUNCTIONS, content_of, is_call, parts_of
from ocml_bridge.chat.visibility import is_reasoning
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import OBJECT, Object, form_of, rest, shape, without
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Media, Message, Part, Text
from ocml_bridge.units.grammar import Unit
from ocml_bridge.wires.findings import report_role

from .calls import Call, extras_of, read_calls, write_calls
from .syntax import (
    BETWEEN_RESULTS,
    CALLS,
    COLUMN,
    HOME,
    MARK_CHOSEN,
    MARK_COLUMN,
    MARK_MEDIA,
    NOTES,
    PLACEHOLDER,
    ROLES,
    SPEAKERS,
    TEXTS,
    WEIGHTS,
    WRITTEN,
)
from .thinking import ALONE, BEFORE_TEXT, IN_ANSWERS, IN_RESULTS, IN_THOUGHTS, Tag, Thought, fence_of, thought_in

# The layout of the first message of a turn.
_FORM: Final = "form"
"""The order of the keys."""
_KEYS: Final = "keys"
"""The keys of the speaker and of the text."""
_FROM: Final = "from"
"""The speaker."""
_VALUE: Final = "value"
"""The value of a turn with calls."""
_OPAQUE: Final = "opaque"
"""Whether the value has no calls that are understood, although the speaker is one of calls."""
_WEIGHT: Final = "weight"
"""The key of the weight, and whether its value is true or false."""
_THOUGHT: Final = "thought"
"""The text around the thought."""

# --- reading ----------------------------------------------------------------------------------------------------------


def read_turn(turn: Json, path: str, media: Sequence[Media] = ()) -> list[Message]:
    """Return the messages of a turn.

    Args:
        turn: the turn.
        path: its JSON pointer.
        media: the media of the placeholders in its text, in order; none if they are text.

    Raises:
        BridgeError: OCB-SHAPE if the value is no turn.
    """
    speaker, key = keys_of(turn, path)
    members = cast("Object", turn)
    word: str = members[speaker]
    value = members[key]
    text = value if isinstance(value, str) else ""
    layout: Object = {}
    if (speaker, key) != (SPEAKERS[0], TEXTS[0]):
        layout[_KEYS] = f"{speaker} {key}"
    messages, default = _read_value(word, text, media, layout)
    if word != default:
        layout[_FROM] = word
    weight = next((each for each in WEIGHTS if _is_number(members.get(each))), None)
    known = [speaker, key] if weight is None else [speaker, key, weight]
    if weight is not None:
        _set_weight(messages, weight, members[weight], layout)
    known_values = known if value == "" else [name for name in known if name != key]
    form = form_of(members, tuple(known), frozenset((speaker, key)), known_values)
    if form is not None:
        layout[_FORM] = form
    NOTES.add_to(messages[0], rest(members, known), layout)
    return messages


def keys_of(turn: Json, path: str) -> tuple[str, str]:
    """Return the keys of a turn for its speaker and for its text.

    Raises:
        BridgeError: OCB-SHAPE if the value is no turn.
    """
    members = cast("Object", turn) if isinstance(turn, OBJECT) else {}
    speaker = next((key for key in SPEAKERS if isinstance(members.get(key), str)), None)
    if speaker is None:
        raise BridgeError(ErrorCode.SHAPE, "a turn must be an object with a 'from'", path=path)
    key = next((key for key in TEXTS if key in members), None)
    if key is None or not (members[key] is None or isinstance(members[key], str)):
        raise BridgeError(ErrorCode.SHAPE, "a turn must have a text under 'value'", path=f"{path}/{key or TEXTS[0]}")
    return speaker, key


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float))


def _set_weight(messages: Sequence[Message], key: str, value: Any, layout: Object) -> None:
    for message in messages:
        message.weight = int(value) if isinstance(value, bool) else value
    if key != WEIGHTS[0] or isinstance(value, bool):
        layout[_WEIGHT] = [key, isinstance(value, bool)]


def _read_value(word: str, text: str, media: Sequence[Media], layout: Object) -> tuple[list[Message], str]:
    """Return the messages of a value, and the speaker that is written for them by default."""
    if word in CALLS:
        return _read_calls(text, layout), CALLS[0]
    role = ROLES.get(word.lower(), word)
    if role == "tool":
        following = iter(media)
        results = [IN_RESULTS.restored(each) for each in text.split(BETWEEN_RESULTS)]
        contents = [with_media(each, list(islice(following, len(PLACEHOLDER.findall(each))))) for each in results]
        messages = [Message("tool", each, channel="commentary", recipient="assistant") for each in contents]
        for message in messages[1:]:
            message.continues = True
    elif role == "assistant":
        messages = _read_answer(text, media, layout)
    else:
        messages = [Message(role, with_media(text, media))]
    return messages, WRITTEN.get(role, role)


def _read_answer(text: str, media: Sequence[Media], layout: Object) -> list[Message]:
    """Return a thought and a text, or one of them; an empty thought is only layout."""
    thought = thought_in(text)
    if thought is None:
        return [Message("assistant", with_media(IN_ANSWERS.restored(text), media), channel="final")]
    messages = _read_thought(thought, layout)
    if thought.rest or thought.fence == BEFORE_TEXT or not messages:
        message = Message("assistant", with_media(thought.rest, media), channel="final", continues=bool(messages))
        messages.append(message)
    return messages


def _read_thought(thought: Thought, layout: Object) -> list[Message]:
    """Return the message of a thought, or none if it is empty; store its fence if the writer would write another."""
    default = BEFORE_TEXT if thought.rest or thought.fence == BEFORE_TEXT else ALONE
    if not thought.text or thought.fence != default:
        layout[_THOUGHT] = list(thought.fence)
    return [Message("assistant", IN_THOUGHTS.restored(thought.text), channel="analysis")] if thought.text else []


def _read_calls(text: str, layout: Object) -> list[Message]:
    """Return the thought and the calls of a turn; a value that is not understood is a call that names no tool."""
    thought = thought_in(text)
    value = text if thought is None else thought.rest
    calls = read_calls(value)
    if calls is None:
        layout[_OPAQUE] = True
        return [_call(Call(FUNCTIONS, text, {}), continues=False)]
    messages = [] if thought is None else _read_thought(thought, layout)
    for call in calls:
        messages.append(_call(call, continues=bool(messages)))
    if write_calls(messages[-len(calls) :]) != value:
        layout[_VALUE] = value
    return messages


def _call(call: Call, *, continues: bool) -> Message:
    extras = extras_of(call)
    return Message(
        "assistant",
        call.arguments,
        channel="commentary",
        recipient=call.recipient,
        constraint="json",
        end="call",
        continues=continues,
        extras={HOME: extras} if extras else None,
    )


def with_media(text: str, media: Sequence[Media]) -> Content:
    """Return a text with media in place of its placeholders."""
    if not media:
        return text
    parts: list[Part] = []
    at = 0
    for match, medium in zip(PLACEHOLDER.finditer(text), media, strict=True):
        if match.start() > at:
            parts.append(Text(text[at : match.start()]))
        parts.append(medium)
        at = match.end()
    if at < len(text):
        parts.append(Text(text[at:]))
    return content_of(parts)


def report_findings(messages: Sequence[Message], index: int, log: Log) -> None:
    """Report what is unusual in a turn, and kept as it is."""
    role, path = messages[0].role, f"/messages/{index}"
    report_role(role, WRITTEN, path, log, api="ShareGPT")
    if NOTES.of(messages[0].layout).get(_OPAQUE):
        log.find(
            FindingCode.SHAPE, f"{path}/content", "a call is not JSON with a name; it is kept without a tool's name"
        )


# --- writing ----------------------------------------------------------------------------------------------------------


def write_turn(group: Sequence[Message], paths: Sequence[str], log: Log, *, first: bool) -> Unit:
    """Return a turn, or a list of a turn and its marks.

    Args:
        group: its messages.
        paths: their JSON pointers in the document.
        log: receives the losses of contents.
        first: whether it may be written in the column of the system prompt.
    """
    layout = NOTES.of(group[0].layout)
    value, media = _write_value(group, paths, layout, log)
    word = _write_speaker(group, layout)
    pairs = {f"{speaker} {text}": (speaker, text) for speaker in SPEAKERS for text in TEXTS}
    speaker, key = pairs.get(f"{layout.get(_KEYS)}", (SPEAKERS[0], TEXTS[0]))
    turn: Object = {speaker: word, key: value}
    if group[0].weight is not None:
        name, weight = _write_weight(group[0].weight, layout)
        turn[name] = weight
    extras = without(NOTES.of(group[0].extras), *turn, "call")
    turn = shape({**turn, **extras}, layout.get(_FORM), fixed=(speaker, *((key,) if value else ())), implied=(key,))
    turn.setdefault(key, value)
    marks: Object = {}
    is_bare = key == TEXTS[0] and set(turn) == {speaker, key}
    if first and group[0].role == "system" and layout.get(COLUMN) and value and is_bare:
        marks[MARK_COLUMN] = True
    if layout.get(MARK_CHOSEN):
        marks[MARK_CHOSEN] = True
    if media:
        marks[MARK_MEDIA] = media
    return [turn, marks] if marks else turn


def turn_in(unit: Unit) -> Object:
    """Return the turn of a unit without its marks."""
    return unit[0] if unit.__class__ is list else unit


def marks_of(unit: Unit) -> Object:
    """Return the marks of a unit."""
    return unit[1] if unit.__class__ is list else {}


def _write_speaker(group: Sequence[Message], layout: Object) -> str:
    """Return the speaker of a turn."""
    message = group[-1]
    default = CALLS[0] if is_call(message) else WRITTEN.get(message.role, message.role)
    word = layout.get(_FROM)
    if not isinstance(word, str):
        return default
    same = word in CALLS if is_call(message) else ROLES.get(word.lower(), word) == message.role
    return word if same else default


def _write_weight(value: float, layout: Object) -> tuple[str, Json]:
    stored: Json = layout.get(_WEIGHT)
    if isinstance(stored, list) and len(cast("list[Json]", stored)) == 2:
        key, is_flag = cast("list[Json]", stored)
        if key in WEIGHTS:
            return key, bool(value) if is_flag and value in (0, 1) else value
    return WEIGHTS[0], value


def _write_value(group: Sequence[Message], paths: Sequence[str], layout: Object, log: Log) -> tuple[str, list[Media]]:
    """Return the text of a turn, and the media of its placeholders."""
    message = group[-1]
    if message.role == "tool":
        contents = [_with_placeholders(each.content) for each in group]
        results = [_break_tags(IN_RESULTS, text, path, log) for (text, _), path in zip(contents, paths, strict=True)]
        return BETWEEN_RESULTS.join(results), [each for _, media in contents for each in media]
    if message.role != "assistant":
        return _with_placeholders(message.content)
    fence, before = fence_of(layout.get(_THOUGHT)), ""
    if is_reasoning(group[0]):
        text, group = _break_tags(IN_THOUGHTS, _text(group[0]), paths[0], log), group[1:]
        default = BEFORE_TEXT if group else ALONE
        fence = default if fence is None or (not group and fence == BEFORE_TEXT) else fence
        before = f"{fence.opening}{text}{fence.closing}"
    elif fence is not None:
        before = fence.opening + fence.closing
    if not group:
        return before, []
    if is_call(message):
        return before + _write_value_of_calls(group, layout), []
    value, media = _with_placeholders(message.content)
    return before + value if before else _break_tags(IN_ANSWERS, value, paths[0], log), media


def _write_value_of_calls(calls: Sequence[Message], layout: Object) -> str:
    is_opaque = layout.get(_OPAQUE) and len(calls) == 1 and calls[0].recipient == FUNCTIONS
    if is_opaque and read_calls(text := _text(calls[0])) is None:
        return text
    value, written = layout.get(_VALUE), write_calls(calls)
    read = read_calls(value) if isinstance(value, str) else None
    if read is None:
        return written
    same = write_calls([_call(call, continues=False) for call in read]) == written
    return cast("str", value) if same else written


def _text(message: Message) -> str:
    return message.content if isinstance(message.content, str) else ""


def _break_tags(tag: Tag, text: str, path: str, log: Log) -> str:
    broken = tag.broken(text)
    if broken != text:
        detail = "the text contains markup of this format; it is broken up by U+200B, which the reader removes"
        log.lose(LossCode.CONTROL_TOKEN, f"{path}/content", detail, Severity.CHANGED)
    return broken


def _with_placeholders(content: Content) -> tuple[str, list[Media]]:
    media = [part for part in parts_of(content) if isinstance(part, Media)]
    pieces = [part.text if isinstance(part, Text) else f"<{cast('Media', part).media}>" for part in parts_of(content)]
    return "".join(pieces), media
