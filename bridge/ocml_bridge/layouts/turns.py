"""Rows that hold a list of turns: messages, ShareGPT's turns, parts with values, pairs, exported chats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from ..json_values import jsontext
from ..model import Json
from . import calls, thoughts
from .exchange import declared, messages_in
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen, parsed
from .messages import ROLES, are_messages, calls_of, message, request, respelled_all, tools_of
from .trees import NODES

MESSAGES: Final = "messages"
TOOLS: Final = "tools"
SYSTEM: Final = "system"

SHAREGPT: Final = Wording(("from", "role"), ("value", "content"))
"""The words of ShareGPT."""


def _value(fields: Object, name: str) -> Json:
    """A list that may be given as its JSON text."""
    value = fields.get(name)
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        return parsed(value, f"/{name}")
    return value


# --- messages ---------------------------------------------------------------------------------------------------------


def are_requests(fields: Object, wording: Wording) -> bool:
    """Whether messages stand there that say whose they are."""
    return are_messages(_quiet(fields, MESSAGES), wording)


def _quiet(fields: Object, name: str) -> Json:
    value = fields.get(name)
    if isinstance(value, str) and value.lstrip()[:2] in ("[{", "[ ", "[\n"):
        try:
            return jsontext.loads(value)
        except Exception:  # a text that is no JSON is no list of messages
            return None
    return value


def are_spoken(fields: Object, wording: Wording) -> bool:
    """Whether messages stand there whose speakers are those of every conversation, under keys of other data."""
    messages = as_list(_quiet(fields, MESSAGES)) if are_requests(fields, wording) else None
    return bool(messages) and all(_is_spoken(as_object(each) or {}, wording) for each in messages or ())


def _is_spoken(each: Object, wording: Wording) -> bool:
    words = [str(each[key]).lower() for key in wording.role if key in each]
    known = all(word in wording.roles or word in ROLES for word in words)
    return known and any(key in each for key in wording.text)


def read_spoken(fields: Object, wording: Wording) -> Sequence[Document]:
    """As `read_messages`; a system that answers, where nobody else does, is the assistant (MultiWOZ)."""
    spoken = [as_object(each) or {} for each in as_list(_value(fields, MESSAGES)) or []]
    words = [str(each[key]).lower() for each in spoken for key in wording.role if key in each]
    roles = [wording.roles.get(word) or ROLES.get(word) for word in words]
    if "assistant" not in roles and "user" in roles and "system" in roles[roles.index("user") :]:
        wording = replace(wording, roles={**wording.roles, "system": "assistant"})
    return read_messages(fields, wording)


def read_messages(fields: Object, wording: Wording) -> Sequence[Document]:
    """The messages as they stand, behind what the system says in its column, with the tools beside them."""
    value = _value(fields, MESSAGES)
    messages = respelled_all(value, wording, f"/{MESSAGES}")
    if wording.thoughts:
        messages = [thoughts.split(each, wording) for each in messages]
    messages = [_with_calls(each, f"/{MESSAGES}/{at}") for at, each in enumerate(messages)]
    system = fields.get(SYSTEM)
    if system is not None and not isinstance(system, str):
        raise misshapen(f"/{SYSTEM}", "a text")
    if system:
        messages.insert(0, message("system", system))
    tools = tools_of(fields[TOOLS], f"/{TOOLS}") if TOOLS in fields else None
    document = request(messages, tools)
    for name in fields.keys() - {MESSAGES, TOOLS, SYSTEM}:
        document[name] = fields[name]
    return [Document(document)]


def _with_calls(each: Object, path: str) -> Object:
    """A message whose calls are those of Chat Completions, where they are given as JSON text, or without a wrapper."""
    given = each.get("tool_calls")
    if given is None:
        return each
    if isinstance(given, str):
        return {**each, "tool_calls": calls_of(given, f"{path}/tool_calls") if given.strip() else None}
    calls = [as_object(call) or {} for call in as_list(given) or []]
    if calls and all(isinstance(call.get("name"), str) and "function" not in call for call in calls):
        return {**each, "tool_calls": calls_of(given, f"{path}/tool_calls")}
    return each


def write_messages(document: Json, wording: Wording) -> Object:
    """The fields of a request."""
    messages = messages_in(document, MESSAGES, tools=True)
    messages = [thoughts.joined(each, wording) for each in messages] if wording.thoughts else messages
    return {MESSAGES: messages, **declared(document)}


# --- ShareGPT ---------------------------------------------------------------------------------------------------------

CONVERSATIONS: Final = "conversations"
_BESIDE: Final = (SYSTEM, TOOLS, "images", "videos", "audios", "chosen", "rejected")


def are_sharegpt(fields: Object, wording: Wording) -> bool:
    """Whether turns stand there that say from whom they are or have a value, or messages with calls or beside media."""
    turns = _quiet(fields, CONVERSATIONS)
    if turns == []:
        return CHOSEN in fields
    if not are_messages(turns, wording):
        return False
    if wording.role != SHAREGPT.role:
        return True
    if not all(any(key in (as_object(turn) or {}) for key in wording.text) for turn in as_list(turns) or []):
        return False
    listed = [as_object(turn) or {} for turn in as_list(turns) or []]
    if not all(map(is_text_turn, listed)):
        return False
    spoken = any("from" in turn or "value" in turn or turn.get("role") in CALLS for turn in listed)
    return spoken or any(fields.get(name) for name in _MEDIA_COLUMNS)


def is_text_turn(turn: Object) -> bool:
    """Whether a turn is all in its text, as ShareGPT's are: without parts, and without calls beside it."""
    return as_list(turn.get("content")) is None and "tool_calls" not in turn


CALLS: Final = ("tool_call", "function_call", "function-call")
"""Words for whose a turn is that is a call, as ShareGPT has them."""
CHOSEN: Final = "chosen"
_MEDIA_COLUMNS: Final = ("images", "videos", "audios")


def read_turns(fields: Object, wording: Wording) -> Sequence[Document]:
    """A ShareGPT row, under the names that its format has."""
    value = _value(fields, CONVERSATIONS)
    turns = as_list(value)
    if turns is None:
        raise misshapen(f"/{CONVERSATIONS}", "a list of turns")
    row: Object = {CONVERSATIONS: [read_turn(each, wording) for each in turns]}
    return [Document(row | {name: fields[name] for name in _BESIDE if name in fields})]


def read_turn(turn: Json, wording: Wording) -> Json:
    """A turn as ShareGPT has it, in whatever words it is given."""
    return _thought(_turn(turn, wording), wording)


def _turn(turn: Json, wording: Wording) -> Json:
    """A turn in the words of ShareGPT, where it has others."""
    found = as_object(turn)
    if found is None or (wording.role[0] in SHAREGPT.role and wording.text[0] in SHAREGPT.text and not wording.roles):
        return turn
    out: Object = {}
    for key, value in found.items():
        if key in wording.role and isinstance(value, str):
            out["from"] = _SPEAKERS.get(wording.roles.get(value.lower(), ""), value)
        else:
            out["value" if key in wording.text else key] = value
    return out


def _thought(turn: Json, wording: Wording) -> Json:
    """A turn whose thought stands in the tags that its format has, where it stands in others."""
    found = as_object(turn) or {}
    key = next((key for key in SHAREGPT.text if isinstance(found.get(key), str)), None)
    if key is None or not wording.thoughts:
        return turn
    apart = thoughts.split(message("assistant", found[key]), wording)
    if thoughts.REASONING not in apart:
        return turn
    return {**found, key: thoughts.joined(apart, _THINK)["content"]}


_THINK: Final = Wording(thoughts=("think",))
_SPEAKERS: Final = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}


def write_turns(document: Json, wording: Wording) -> Object:
    """The columns of a ShareGPT row."""
    row = as_object(document) or {CONVERSATIONS: document}
    return dict(row)


# --- Hermes' function calling -----------------------------------------------------------------------------------------


def are_tagged_turns(fields: Object, wording: Wording) -> bool:
    """Whether turns stand there in which calls, results and tools stand between tags."""
    turns = as_list(_quiet(fields, CONVERSATIONS)) if are_sharegpt(fields, wording) else None
    return any(calls.stand_in(_text_of(turn)) for turn in turns or ())


def _text_of(turn: Json) -> Json:
    found = as_object(turn) or {}
    return next((found[key] for key in SHAREGPT.text if key in found), None)


def read_tagged_turns(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation with calls, results and tools taken out of its texts."""
    messages = respelled_all(fields[CONVERSATIONS], wording, f"/{CONVERSATIONS}")
    if isinstance(fields.get(SYSTEM), str) and fields[SYSTEM]:
        messages.insert(0, message("system", fields[SYSTEM]))
    beside = tools_of(fields[TOOLS], f"/{TOOLS}") if TOOLS in fields else None
    messages = [thoughts.split(each, wording) for each in messages]
    tools, messages, findings = calls.opened(messages, beside)
    return [Document(request(messages, tools), findings)]


# --- pairs ------------------------------------------------------------------------------------------------------------

_SIDES: Final[dict[str, str]] = {
    "system": "system",
    **dict.fromkeys(("human", "user", "input", "question", "query", "instruction", "prompt", "q"), "user"),
    **dict.fromkeys(("assistant", "gpt", "bot", "output", "answer", "response", "completion", "a"), "assistant"),
}
"""The members of a pair: what is said, by whom."""


def are_pairs(fields: Object, wording: Wording) -> bool:
    """Whether objects stand there that each hold what was asked and what was answered."""
    items = as_list(_quiet(fields, "pairs"))
    return bool(items) and all(_sides(as_object(item) or {}, wording) for item in items or ())


def _sides(pair: Object, wording: Wording) -> list[Object]:
    """The messages of a pair, in the order of the roles; none where it holds something else."""
    out: list[Object] = []
    for key, value in pair.items():
        if key in _ABOUT:
            continue
        role = wording.roles.get(key.lower()) or _side(key)
        if role is None or (value is not None and not isinstance(value, str)):
            return []
        if value is not None:
            out.append(message(role, value))
    if not {"user", "assistant"} & {each["role"] for each in out}:
        return []
    order = ("system", "user", "assistant")
    return sorted(out, key=lambda each: order.index(each["role"]))


_ABOUT: Final = frozenset({"source", "id", "turn", "turn_id", "language"})
"""What a pair may say of itself."""


def _side(key: str) -> str | None:
    """The role of a member; a prefix in front of a word, as in `toy_input`, is passed over."""
    word = key.lower()
    return _SIDES.get(word) or _SIDES.get(word.rpartition("_")[2])


def read_pairs(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of pairs, behind what the system says in a column."""
    messages: list[Object] = []
    if isinstance(fields.get(SYSTEM), str) and fields[SYSTEM]:
        messages.append(message("system", fields[SYSTEM]))
    items = as_list(_value(fields, "pairs")) or []
    about = [{key: each for key, each in (as_object(item) or {}).items() if key in _ABOUT} for item in items]
    for at, item in enumerate(items):
        sides = _sides(as_object(item) or {}, wording)
        if not sides:
            raise misshapen(f"/pairs/{at}", "a pair of what was asked and what was answered")
        messages += [each for each in sides if each["role"] != "system" or each["content"]]
    messages = [thoughts.split(each, wording) for each in messages]
    tools = tools_of(fields[TOOLS], f"/{TOOLS}") if TOOLS in fields else None
    return [Document(request(messages, tools), beside={NODES: list[Json](about)} if any(about) else {})]


# --- one text after the other -----------------------------------------------------------------------------------------


def take_turns(fields: Object, wording: Wording) -> bool:
    """Whether a list of texts stands there, or of pairs of them, of a person and the assistant by turns."""
    texts = _texts(_quiet(fields, "texts"))
    return len(texts) > 1 and all(isinstance(text, str) for text in texts)


def _texts(value: Json) -> list[Json]:
    """The items of a list, or those of the pairs in it."""
    items = as_list(value) or []
    pairs = [as_list(item) or [] for item in items]
    return [text for pair in pairs for text in pair] if all(len(pair) == 2 for pair in pairs) else items


def read_texts(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of texts, the first of which is a person's (UltraChat)."""
    texts = cast("list[str]", _texts(_value(fields, "texts")))
    return [Document(request([message(("user", "assistant")[at % 2], text) for at, text in enumerate(texts)], None))]
