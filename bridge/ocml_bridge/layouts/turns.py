"""Read and write rows that hold a list of turns: messages, ShareGPT's turns, pairs, alternating texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..errors import BridgeError
from ..json_values.jsontext import as_text
from ..loss import Finding, FindingCode, Severity
from ..model import Json
from . import calls, exchange, people, thoughts
from .declared import TOOLS, read_tools, tools_of
from .exchange import HISTORY, INSTRUCTION, declared, messages_in
from .fitting import as_list, as_object, items_of, members_of, objects_of
from .layout import Document, Object, Wording, misshapen, noticed, parsed, parsed_or_none, unfit
from .media import unnamed, with_addresses
from .messages import CALLS, KNOWN, ROLES, THOUGHT_ROLES, are_messages, request, respelled_all, system_of

MESSAGES: Final = "messages"
SYSTEM: Final = "system"

SHAREGPT: Final = Wording(("from", "role"), ("value", "content"))
"""The keys and words of ShareGPT."""


def value_of(fields: Object, name: str) -> Json:
    """Return the value of a field that may be given as JSON text."""
    value = fields.get(name)
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        return parsed(value, f"/{name}")
    return value


# --- messages ---------------------------------------------------------------------------------------------------------


def are_requests(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages with roles."""
    return are_messages(list_or_none(fields, MESSAGES), wording)


def list_or_none(fields: Object, name: str) -> Json:
    """Return the value of a field as `_value` does; None if its text is not JSON."""
    value = fields.get(name)
    if isinstance(value, str) and value.lstrip()[:2] in ("[{", "[ ", "[\n"):
        return parsed_or_none(value)
    return value


def are_spoken(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages with known speakers, under keys that only other data has."""
    messages = items_of(list_or_none(fields, MESSAGES)) if are_requests(fields, wording) else []
    return bool(messages) and all(_is_spoken(members_of(each), wording) for each in messages)


def _is_spoken(each: Object, wording: Wording) -> bool:
    words = [str(each[key]).lower() for key in wording.role if key in each]
    known = all(word in wording.roles or word in KNOWN for word in words)
    return known and any(key in each for key in wording.text)


def read_spoken(fields: Object, wording: Wording) -> Sequence[Document]:
    """Read messages as `read_messages` does; a system that answers alone is the assistant (MultiWOZ)."""
    spoken = objects_of(value_of(fields, MESSAGES))
    words = [str(each[key]).lower() for each in spoken for key in wording.role if key in each]
    roles = [wording.roles.get(word) or ROLES.get(word) for word in words]
    if "assistant" not in roles and "user" in roles and "system" in roles[roles.index("user") :]:
        wording = replace(wording, roles={**wording.roles, "system": "assistant"})
    return read_messages(fields, wording)


def read_messages(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the messages with the system message and the tools of other columns."""
    value = value_of(fields, MESSAGES)
    messages = respelled_all(value, wording, f"/{MESSAGES}")
    if wording.thoughts:
        messages = [thoughts.split(each, wording) for each in messages]
    messages = [
        each if _is_plain(each) else _with_calls(_with_weight(_with_thought(each)), f"/{MESSAGES}/{at}")
        for at, each in enumerate(messages)
    ]
    messages, findings = people.as_texts(_with_ids_of_calls(messages), f"/{MESSAGES}")
    system = system_of(fields.get(SYSTEM), f"/{SYSTEM}")
    if system and messages and {key: messages[0].get(key) for key in system[0]} == system[0]:
        findings = (*findings, _repeated_system())
    else:
        messages = [*system, *messages]
    declared = fields.get(TOOLS)
    if declared is None:
        declared, messages = _declared_first(messages)
    tools = None if declared is None else tools_of(declared, f"/{TOOLS}")
    document = request(calls.answered(messages, tools), tools)
    for name in fields.keys() - {MESSAGES, TOOLS, SYSTEM}:
        document[name] = fields[name]
    return [Document(document, findings)]


def _is_plain(each: Object) -> bool:
    return each.keys() <= _PLAIN and each.get("content").__class__ is str


def read_earlier(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of earlier turns and a question; of messages alone as that of messages (SWE-agent)."""
    messages = fields.get(HISTORY)
    if INSTRUCTION in fields or not are_messages(messages, wording) or calls.have_tagged_calls(objects_of(messages)):
        return exchange.read_earlier(fields, wording)
    try:
        return read_messages({MESSAGES if name == HISTORY else name: value for name, value in fields.items()}, wording)
    except BridgeError as error:
        error.path = (error.path or "").replace(f"/{MESSAGES}", f"/{HISTORY}", 1)
        raise


_PLAIN: Final = frozenset({"role", "content", "name", "tool_call_id"})
"""Members of a message whose text is all that it holds."""


def _repeated_system() -> Finding:
    return noticed(f"/{SYSTEM}", "the first message says the same; it is read once")


_WEIGHTS: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("loss", "train", "training"), bool),
    "loss_weight": (int, float),
}
"""Members of messages, other than `weight`, that say whether to train on them, with the types of their values."""


def _with_thought(each: Object) -> Object:
    """Return a message whose thought is an object (LobeChat), with its text in the place of that."""
    thought = as_object(each.get(_REASONING))
    if thought is None or not isinstance(thought.get("content"), str):
        return each
    return {key: thought["content"] if key == _REASONING else value for key, value in each.items()} | {
        f"{_REASONING}_{key}": value for key, value in thought.items() if key != "content"
    }


_REASONING: Final = "reasoning"


def _with_weight(each: Object) -> Object:
    """Return a message with its weight under the name that Chat Completions has for it."""
    if each.keys().isdisjoint(_WEIGHTS):
        return each
    name = next((name for name, types in _WEIGHTS.items() if isinstance(each.get(name), types)), None)
    if name is None or each.get("weight") is not None:
        return each
    weight = int(each[name]) if isinstance(each[name], bool) else each[name]
    return {**{key: value for key, value in each.items() if key not in (name, "weight")}, "weight": weight}


def _declared_first(messages: list[Object]) -> tuple[Json, list[Object]]:
    """Return the tools that the first message declares, and the messages without them; None if it declares none.

    They are a text in `functions` (OLMo's data), or the `tools` of a system message, which may hold nothing else
    (GLM-4).
    """
    first = messages[0] if messages else {}
    name = _FUNCTIONS if isinstance(first.get(_FUNCTIONS), str) else TOOLS
    if name == TOOLS and (first.get("role") != SYSTEM or not all(objects_of(first.get(TOOLS)) or [{}])):
        return None, messages
    left = {key: each for key, each in first.items() if key != name}
    is_empty = name == TOOLS and left.keys() <= {"role", "content"} and not left.get("content")
    return first[name], messages[1:] if is_empty else [left, *messages[1:]]


_FUNCTIONS: Final = "functions"
_IDS: Final = "tool_call_ids"
"""The member of a reply for a list of the ids of calls."""


def _with_ids_of_calls(messages: list[Object]) -> list[Object]:
    """Return messages in which replies name their calls, whose ids are their own (tau2) or in a list (SWE-agent)."""
    named = [at for at, each in enumerate(messages) if each.get("role") == "tool" and "tool_call_id" not in each]
    if not any("id" in messages[at] or _IDS in messages[at] for at in named):
        return messages
    calls = [members_of(call) for each in messages for call in items_of(each.get("tool_calls"))]
    made = {call["id"] for call in calls if isinstance(call.get("id"), str)}
    for at in named:
        [identity, *others] = as_list(messages[at].get(_IDS)) or [None]
        if isinstance(identity, str) and identity in made and not others:
            messages[at] = {
                "tool_call_id" if key == _IDS else key: identity if key == _IDS else value
                for key, value in messages[at].items()
            }
        elif isinstance(messages[at].get("id"), str) and messages[at]["id"] in made:
            messages[at] = {"tool_call_id" if key == "id" else key: value for key, value in messages[at].items()}
    return messages


def _with_calls(each: Object, path: str) -> Object:
    """Return a message whose content is calls with these, and one with a result that is an object with its JSON."""
    content = each.get("content")
    if content.__class__ is str and "tool_calls" not in each:
        return each
    if each.get("role") == "tool" and as_object(content) is not None:
        return {**each, "content": as_text(content)}
    return each


def write_messages(document: Json, wording: Wording) -> Object:
    """Return the fields of a request."""
    messages = messages_in(document, MESSAGES, tools=True)
    messages = [thoughts.joined(each, wording) for each in messages] if wording.thoughts else messages
    return {MESSAGES: messages, **declared(document)}


# --- ShareGPT ---------------------------------------------------------------------------------------------------------

CONVERSATIONS: Final = "conversations"
_OTHER_FIELDS: Final = (SYSTEM, TOOLS, "images", "videos", "audios", "chosen", "rejected")


def are_sharegpt(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold turns with `from` or `value`, or messages with calls or with columns of media."""
    turns = list_or_none(fields, CONVERSATIONS)
    if REJECTED in fields and CHOSEN not in fields:
        return False  # the chosen answer has another name, or is the last turn
    if turns == []:
        return CHOSEN in fields
    if not are_messages(turns, wording):
        return False
    if wording.role != SHAREGPT.role:
        return True
    if not all(any(key in members_of(turn) for key in wording.text) for turn in items_of(turns)):
        return False
    listed = objects_of(turns)
    if not all(map(is_text_turn, listed)) or any(map(_is_thinking, listed)):
        return False
    spoken = any("from" in turn or "value" in turn or turn.get("role") in CALLS for turn in listed)
    return spoken or any(fields.get(name) for name in _MEDIA_COLUMNS)


def _is_thinking(turn: Object) -> bool:
    """Return whether a turn is a thought, or has one next to its text: ShareGPT has no place for it."""
    word = turn.get("from", turn.get("role"))
    is_thought = isinstance(word, str) and word.lower() in THOUGHT_ROLES
    return is_thought or any(isinstance(turn.get(key), str) and turn[key] for key in _THOUGHTS)


_THOUGHTS: Final = ("thinking", "reasoning", "reasoning_content")
"""Members of turns with a thought, which messages have, too."""


def is_text_turn(turn: Object) -> bool:
    """Return whether a turn is only a text, as ShareGPT's are: without parts and without calls beside it."""
    return as_list(turn.get("content")) is None and "tool_calls" not in turn and not turn.get("function_call")


CHOSEN: Final = "chosen"
REJECTED: Final = "rejected"
_MEDIA_COLUMNS: Final = ("images", "videos", "audios")


def read_turns(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a ShareGPT row, with the names of its format."""
    value = value_of(fields, CONVERSATIONS)
    turns = as_list(value)
    if turns is None:
        raise misshapen(f"/{CONVERSATIONS}", "a list of turns")
    fields, others = with_addresses(fields)
    row: Object = {CONVERSATIONS: [read_turn(each, wording) for each in turns]}
    texts = [text for each in objects_of(turns) for text in map(each.get, wording.text) if isinstance(text, str)]
    findings = (*_mend_calls(row[CONVERSATIONS]), *unnamed(texts, fields))
    document = row | {name: fields[name] for name in _OTHER_FIELDS if name in fields}
    if TOOLS in fields and any(isinstance(each, str) for each in items_of(fields[TOOLS])):
        document[TOOLS] = read_tools(fields)
    if CHOSEN in fields:
        document |= _without_prompt(turns, document)
    first = members_of(row[CONVERSATIONS][0] if turns else None)
    if fields.get(SYSTEM) and _text_of(first) == fields[SYSTEM] and SYSTEM in (first.get("from"), first.get("role")):
        del document[SYSTEM]
        findings = (*findings, _repeated_system())
    return [Document(document, findings, extra_columns=others)]


def _without_prompt(turns: list[Json], document: Object) -> Object:
    """Return both answers without the turns before them, if both are lists that begin with these."""
    answers = {name: items_of(document.get(name)) for name in (CHOSEN, REJECTED)}
    repeated = all(len(each) > len(turns) and each[: len(turns)] == turns for each in answers.values())
    return {name: each[len(turns) :] for name, each in answers.items()} if turns and repeated else {}


def _mend_calls(turns: list[Json]) -> tuple[Finding, ...]:
    """Replace the texts of calls that are not quite JSON; return findings about them."""
    findings: list[Finding] = []
    for at, each in enumerate(turns):
        turn = members_of(each)
        if (turn.get("from") or turn.get("role")) not in CALLS:
            continue
        key = next((key for key in SHAREGPT.text if isinstance(turn.get(key), str)), None)
        mended = calls.mended(turn[key]) if key else None
        if key is not None and mended is not None:
            turns[at] = {**turn, key: mended}
            detail = "the call is not quite JSON; it is repaired"
            findings.append(Finding(FindingCode.JSON_REPAIRED, Severity.CHANGED, f"/{CONVERSATIONS}/{at}", detail))
    return tuple(findings)


def read_turn(turn: Json, wording: Wording) -> Json:
    """Return a turn in the words of ShareGPT, from any wording."""
    found = as_object(turn)
    if found is None:
        return turn
    if wording.role[0] in SHAREGPT.role and wording.text[0] in SHAREGPT.text and not wording.roles:
        key = next((key for key in wording.role if isinstance(found.get(key), str)), None)
        role = None if key is None else _OTHER_WORDS.get(found[key].lower())
        return turn if key is None or role is None else {**found, key: _SPEAKERS[role]}
    out: Object = {}
    for key, value in found.items():
        if key in wording.role and isinstance(value, str):
            word = value.lower()
            out["from"] = _SPEAKERS.get(wording.roles.get(word) or _OTHER_WORDS.get(word, ""), value)
        else:
            out["value" if key in wording.text else key] = value
    return out


_OWN_WORDS: Final = frozenset(
    (
        *("system", "human", "user", "prompter", "gpt", "assistant", "bot", "model", "chatgpt", "bing", "bard"),
        *("observation", "tool", "function", "function-response", "tool_response", "function_response"),
    )
)
"""Words for roles that ShareGPT's format has."""
_OTHER_WORDS: Final = {word: role for word, role in ROLES.items() if word not in _OWN_WORDS}
"""Words for roles that ShareGPT's format does not have."""
_SPEAKERS: Final = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}


def in_words_of_sharegpt(document: Json) -> Json:
    """Return a ShareGPT row whose turns have `from` and `value`, as trainers expect them."""
    row = as_object(document)
    if row is None:
        return document
    answers = {name: _in_words(row[name]) for name in (CHOSEN, REJECTED) if as_object(row.get(name)) is not None}
    lists = {name: list(map(_in_words, items_of(row[name]))) for name in _LISTS if as_list(row.get(name)) is not None}
    return {**row, **answers, **lists}


_LISTS: Final = (CONVERSATIONS, CHOSEN, REJECTED)


def _in_words(turn: Json) -> Json:
    """Return a turn with ShareGPT's keys, and with its word for the role if the key was another one."""
    found = as_object(turn)
    if found is None or not {"role", "content"} & found.keys():
        return turn
    role, text = SHAREGPT.role[0], SHAREGPT.text[0]
    names = {old: new for old, new in (("role", role), ("content", text)) if new not in found}
    out = {names.get(key, key): value for key, value in found.items()}
    word = out.get(role)
    if "role" in names and isinstance(word, str):
        out[role] = CALLS[1] if word in CALLS else _SPEAKERS.get(ROLES.get(word.lower(), ""), word)
    return out


def write_turns(document: Json, wording: Wording) -> Object:
    """Return the columns of a ShareGPT row.

    Raises:
        BridgeError: OCB-SHAPE if an answer of a preference has several turns: LLaMA-Factory, which reads such rows,
            would train on the question instead, without a word (`SharegptDatasetConverter`).
    """
    row = as_object(document) or {CONVERSATIONS: document}
    if any(len(items_of(row.get(name))) > 1 for name in (CHOSEN, REJECTED)):
        raise unfit("sharegpt", "trainers read one turn as the chosen answer, and one as the rejected one")
    return dict(row)


def _text_of(turn: Json) -> Json:
    found = members_of(turn)
    first, second = SHAREGPT.text
    return found[first] if first in found else found.get(second)
