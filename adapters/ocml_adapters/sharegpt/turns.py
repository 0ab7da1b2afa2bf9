"""A turn and its messages: a thought and a text, calls, or the results of calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, cast

from ocml_bridge.chat.turns import FUNCTIONS, content_of, is_call, parts_of
from ocml_bridge.chat.visibility import is_reasoning
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import OBJECT, Object, form_of, rest, shape
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Media, Message, Part, Text
from ocml_bridge.wires.noticing import note_role

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
from .thinking import ALONE, BESIDE, IN_ANSWERS, IN_RESULTS, IN_THOUGHTS, Tag, Thought, fence_of, thought_in

# The layout of the first message of a turn.
_FORM: Final = "form"
"""The order of its keys."""
_KEYS: Final = "keys"
"""The keys that say whose it is and what it says."""
_FROM: Final = "from"
"""What it says that it is from."""
_VALUE: Final = "value"
"""The value of calls."""
_OPAQUE: Final = "opaque"
"""Whether the value is none of calls, although it is from one."""
_WEIGHT: Final = "weight"
"""The key of its weight, and whether that is true or false."""
_THOUGHT: Final = "thought"
"""What stands around its thought."""

# --- reading ----------------------------------------------------------------------------------------------------------


def read_turn(turn: Json, path: str, media: Sequence[Media] = ()) -> list[Message]:
    """The messages of a turn.

    Args:
        turn: an object.
        path: JSON pointer to it.
        media: what the placeholders in its text stand for, in order; none where they are text.

    Raises:
        BridgeError: OCB-SHAPE for what is no turn.
    """
    speaker, key = keys_of(turn, path)
    members = cast("Object", turn)
    word: str = members[speaker]
    value = members[key]
    text = value if isinstance(value, str) else ""
    layout: Object = {}
    if (speaker, key) != (SPEAKERS[0], TEXTS[0]):
        layout[_KEYS] = f"{speaker} {key}"
    made, default = _read_value(word, text, media, layout)
    if word != default:
        layout[_FROM] = word
    weight = next((each for each in WEIGHTS if _is_number(members.get(each))), None)
    known = [speaker, key] if weight is None else [speaker, key, weight]
    if weight is not None:
        _weigh(made, weight, members[weight], layout)
    known_values = known if value == "" else [name for name in known if name != key]
    form = form_of(members, tuple(known), frozenset((speaker, key)), known_values)
    if form is not None:
        layout[_FORM] = form
    _keep(made[0], rest(members, known), layout)
    return made


def keys_of(turn: Json, path: str) -> tuple[str, str]:
    """The keys of a turn that say whose it is and what it says.

    Raises:
        BridgeError: OCB-SHAPE for what is no turn.
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


def _weigh(made: Sequence[Message], key: str, value: Any, layout: Object) -> None:
    for message in made:
        message.weight = int(value) if isinstance(value, bool) else value
    if key != WEIGHTS[0] or isinstance(value, bool):
        layout[_WEIGHT] = [key, isinstance(value, bool)]


def _keep(message: Message, extras: Object, layout: Object) -> None:
    """Put what a turn keeps beside what its first message keeps already."""
    if extras:
        message.extras = {HOME: {**extras, **NOTES.of(message.extras)}}
    if layout:
        message.layout = {HOME: {**layout, **NOTES.of(message.layout)}}


def _read_value(word: str, text: str, media: Sequence[Media], layout: Object) -> tuple[list[Message], str]:
    """The messages of a value, and what we would say that they are from."""
    if word in CALLS:
        return _read_calls(text, layout), CALLS[0]
    role = ROLES.get(word.lower(), word)
    if role == "tool":
        given = iter(media)
        results = [IN_RESULTS.restored(each) for each in text.split(BETWEEN_RESULTS)]
        contents = [with_media(each, list(islice(given, len(PLACEHOLDER.findall(each))))) for each in results]
        made = [Message("tool", each, channel="commentary", recipient="assistant") for each in contents]
        for message in made[1:]:
            message.continues = True
    elif role == "assistant":
        made = _read_answer(text, media, layout)
    else:
        made = [Message(role, with_media(text, media))]
    return made, WRITTEN.get(role, role)


def _read_answer(text: str, media: Sequence[Media], layout: Object) -> list[Message]:
    """A thought and a text, or one of them; a thought without a word is how the turn is spelled."""
    found = thought_in(text)
    if found is None:
        return [Message("assistant", with_media(IN_ANSWERS.restored(text), media), channel="final")]
    made = _thoughts(found, layout)
    if found.behind or found.fence == BESIDE or not made:
        made.append(Message("assistant", with_media(found.behind, media), channel="final", continues=bool(made)))
    return made


def _thoughts(found: Thought, layout: Object) -> list[Message]:
    if not found.text or found.fence != (BESIDE if found.behind or found.fence == BESIDE else ALONE):
        layout[_THOUGHT] = list(found.fence)
    return [Message("assistant", IN_THOUGHTS.restored(found.text), channel="analysis")] if found.text else []


def _read_calls(text: str, layout: Object) -> list[Message]:
    """The calls of a turn behind its thought; what cannot be understood is a call that names no tool."""
    found = thought_in(text)
    value = text if found is None else found.behind
    calls = read_calls(value)
    if calls is None:
        layout[_OPAQUE] = True
        return [_call(Call(FUNCTIONS, text, {}), continues=False)]
    made = [] if found is None else _thoughts(found, layout)
    for call in calls:
        made.append(_call(call, continues=bool(made)))
    if write_calls(made[-len(calls) :]) != value:
        layout[_VALUE] = value
    return made


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
    """A text with media in place of its placeholders."""
    if not media:
        return text
    parts: list[Part] = []
    at = 0
    for place, each in zip(PLACEHOLDER.finditer(text), media, strict=True):
        if place.start() > at:
            parts.append(Text(text[at : place.start()]))
        parts.append(each)
        at = place.end()
    if at < len(text):
        parts.append(Text(text[at:]))
    return content_of(parts)


def notice(made: Sequence[Message], index: int, log: Log) -> None:
    """Note what is kept of a turn although nobody else has it so."""
    role, path = made[0].role, f"/messages/{index}"
    note_role(role, WRITTEN, path, log, api="ShareGPT")
    if NOTES.of(made[0].layout).get(_OPAQUE):
        log.find(
            FindingCode.SHAPE, f"{path}/content", "a call is not JSON with a name; it is kept without a tool's name"
        )


# --- writing ----------------------------------------------------------------------------------------------------------


def write_turn(group: Sequence[Message], paths: Sequence[str], log: Log, *, first: bool) -> Object:
    """A turn, with marks of where it goes in the row.

    Args:
        group: its messages.
        paths: where they stand in the document.
        log: takes what is changed in contents.
        first: whether it may stand in the column of the system.
    """
    layout = NOTES.of(group[0].layout)
    value, media = _value(group, paths, layout, log)
    word = _word(group, layout)
    pairs = {f"{speaker} {text}": (speaker, text) for speaker in SPEAKERS for text in TEXTS}
    speaker, key = pairs.get(f"{layout.get(_KEYS)}", (SPEAKERS[0], TEXTS[0]))
    turn: Object = {speaker: word, key: value}
    if group[0].weight is not None:
        name, weight = _weight(group[0].weight, layout)
        turn[name] = weight
    extras = {name: item for name, item in NOTES.of(group[0].extras).items() if name not in (*turn, "call")}
    turn = shape({**turn, **extras}, layout.get(_FORM), fixed=(speaker, *((key,) if value else ())), implied=(key,))
    turn.setdefault(key, value)
    if first and group[0].role == "system" and layout.get(COLUMN) and set(turn) == {speaker, key}:
        turn[MARK_COLUMN] = True
    if layout.get(MARK_CHOSEN):
        turn[MARK_CHOSEN] = True
    if media:
        turn[MARK_MEDIA] = media
    return turn


def _word(group: Sequence[Message], layout: Object) -> str:
    """What a turn says that it is from."""
    message = group[-1]
    default = CALLS[0] if is_call(message) else WRITTEN.get(message.role, message.role)
    word = layout.get(_FROM)
    if not isinstance(word, str):
        return default
    same = word in CALLS if is_call(message) else ROLES.get(word.lower(), word) == message.role
    return word if same else default


def _weight(value: float, layout: Object) -> tuple[str, Json]:
    spelled: Json = layout.get(_WEIGHT)
    if isinstance(spelled, list) and len(cast("list[Json]", spelled)) == 2:
        key, is_flag = cast("list[Json]", spelled)
        if key in WEIGHTS:
            return key, bool(value) if is_flag and value in (0, 1) else value
    return WEIGHTS[0], value


def _value(group: Sequence[Message], paths: Sequence[str], layout: Object, log: Log) -> tuple[str, list[Media]]:
    """What a turn says, and the media that its placeholders stand for."""
    message = group[-1]
    if message.role == "tool":
        given = [_with_placeholders(each.content) for each in group]
        results = [_guarded(IN_RESULTS, text, path, log) for (text, _), path in zip(given, paths, strict=True)]
        return BETWEEN_RESULTS.join(results), [each for _, media in given for each in media]
    if message.role != "assistant":
        return _with_placeholders(message.content)
    fence, before = fence_of(layout.get(_THOUGHT)), ""
    if is_reasoning(group[0]):
        text, group = _guarded(IN_THOUGHTS, _text(group[0]), paths[0], log), group[1:]
        usual = BESIDE if group else ALONE
        fence = usual if fence is None or (not group and fence == BESIDE) else fence
        before = f"{fence.opening}{text}{fence.closing}"
    elif fence is not None:
        before = fence.opening + fence.closing
    if not group:
        return before, []
    if is_call(message):
        return before + _value_of_calls(group, layout), []
    value, media = _with_placeholders(message.content)
    return before + value if before else _guarded(IN_ANSWERS, value, paths[0], log), media


def _value_of_calls(calls: Sequence[Message], layout: Object) -> str:
    if layout.get(_OPAQUE) and calls[0].recipient == FUNCTIONS and read_calls(text := _text(calls[0])) is None:
        return text
    value, written = layout.get(_VALUE), write_calls(calls)
    read = read_calls(value) if isinstance(value, str) else None
    if read is None:
        return written
    same = write_calls([_call(call, continues=False) for call in read]) == written
    return cast("str", value) if same else written


def _text(message: Message) -> str:
    return message.content if isinstance(message.content, str) else ""


def _guarded(tag: Tag, text: str, path: str, log: Log) -> str:
    broken = tag.broken(text)
    if broken != text:
        detail = "the text contains markup of this format; it is broken up by U+200B, which the reader removes"
        log.lose(LossCode.CONTROL_TOKEN, f"{path}/content", detail, Severity.CHANGED)
    return broken


def _with_placeholders(content: Content) -> tuple[str, list[Media]]:
    media = [part for part in parts_of(content) if isinstance(part, Media)]
    pieces = [part.text if isinstance(part, Text) else f"<{cast('Media', part).media}>" for part in parts_of(content)]
    return "".join(pieces), media
