"""Read and write rows that hold the last exchange in columns: a prompt, its answer, and the history before them.

Alpaca's instructions, TRL's prompts and completions, preferences, and records of calls are of this kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final, cast

from ..json_values.jsontext import as_text
from ..loss import Finding
from ..model import Json
from . import calls, dialogue, thoughts
from .declared import TOOLS, read_tools
from .fitting import as_list, as_object, items_of, members_of, text_alone
from .history import is_asked_before, pair_of, read_history
from .layout import Document, Object, Wording, misshapen, noticed, parsed_or_none, unfit
from .messages import (
    are_messages,
    calls_of,
    is_message,
    is_text,
    message,
    preference,
    request,
    respelled,
    respelled_all,
    system_of,
)

SYSTEM: Final = "system"
HISTORY: Final = "history"
INSTRUCTION: Final = "instruction"
INPUT: Final = "input"
OUTPUT: Final = "output"
CHOSEN: Final = "chosen"
REJECTED: Final = "rejected"
CALLS: Final = "calls"
PARALLEL: Final = "parallel_tool_calls"


def is_exchange(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a question and its answer."""
    answer, given = fields.get(OUTPUT), fields.get(INPUT)
    if not (given is None or is_text_or_messages(given) or _texts_in(given)):
        return False
    answers = is_text_or_messages(answer) or is_number(answer) or is_message(answer, _ANY_WORDING)
    return is_text_or_messages(fields.get(INSTRUCTION, given)) and answers


def is_answered_by_any(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a question and a list of texts, each of which answers it."""
    return is_text_or_messages(fields.get(INSTRUCTION)) and bool(_texts_in(fields.get(OUTPUT)))


def _texts_in(value: Json) -> list[str]:
    """Return the texts of a list, or of the member `text` (SQuAD) or `value` (TriviaQA); none for other values.

    The items of a list may be objects with a `text`, too (NarrativeQA). Several `spans` are one answer (DROP).
    """
    found = members_of(value)
    if spans := items_of(found.get(_SPANS)):
        return [", ".join(map(str, spans))] if all(isinstance(each, str) for each in spans) else []
    if isinstance(found.get("value"), str):
        return [found["value"]]
    texts = [members_of(each).get("text", each) for each in items_of(found.get("text", value))]
    return cast("list[str]", texts) if all(isinstance(each, str) for each in texts) else []


_SPANS: Final = "spans"


def read_first_answer(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the question with the first of its answers."""
    [found] = read_exchange({**fields, OUTPUT: _texts_in(fields[OUTPUT])[0]}, wording)
    if len(items_of(members_of(fields[OUTPUT]).get(_SPANS))) < 2:
        return [found]
    joined = noticed(f"/{OUTPUT}/{_SPANS}", "the answer has several spans; they are read as one text, with commas")
    return [found._replace(findings=(*found.findings, joined))]


def is_task(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the definition of a task, an input, and its output."""
    return all(isinstance(fields.get(name), str) for name in (INSTRUCTION, INPUT, OUTPUT))


def is_history(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages, or pairs of a text and its answer, which may be null."""
    if are_messages(fields.get(HISTORY), wording):
        return True
    pairs = [pair_of(each) or [] for each in items_of(fields.get(HISTORY))]
    texts = all(len(pair) == 2 and all(each is None or isinstance(each, str) for each in pair) for pair in pairs)
    return texts and any(isinstance(each, str) for pair in pairs for each in pair)


def is_prompt(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt that asks something."""
    return fields.get(INSTRUCTION) != "" and is_text_or_messages(fields.get(INSTRUCTION))


def is_bfcl(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a list of messages for each turn, some of them empty; or messages and tools."""
    question = fields.get(INSTRUCTION)
    turns = [turn for turn in items_of(question) if turn != []]
    in_turns = bool(turns) and all(are_messages(turn, wording) for turn in turns)
    return in_turns or (TOOLS in fields and are_messages(question, wording))


def is_completion(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt and its completion."""
    return INSTRUCTION in fields and is_exchange(fields, wording)


def is_called(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a question, and calls as the answer; as their JSON text only with their tools."""
    is_asked = is_text_or_messages(fields.get(INSTRUCTION, fields.get(INPUT)))
    if not is_asked or CALLS not in fields or not isinstance(fields.get(INPUT, ""), str):
        return False
    calls = parsed_or_none(fields[CALLS]) if isinstance(fields[CALLS], str) else fields[CALLS]
    if TOOLS not in fields:
        return calls is fields[CALLS] and bool(calls) and all(map(_is_call, as_list(calls) or [None]))
    return all("name" in members_of(each) for each in as_list(calls) or [calls]) or calls == []


def _is_call(value: Json) -> bool:
    found = members_of(value)
    return isinstance(found.get("name"), str) and as_object(found.get("arguments")) is not None


def is_number(value: Json) -> bool:
    """Return whether a value is a number, which as an answer is a text (AIME)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_ANY_WORDING: Final = Wording()


def is_text_or_messages(value: Json, wording: Wording = _ANY_WORDING) -> bool:
    """Return whether a value is a text, or messages."""
    return isinstance(value, str) or are_messages(value, wording)


def is_preference(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a chosen and a rejected answer, and the prompt if it is in fields of its own."""
    fields = _with_first_answers(fields)
    prompt, answers = fields.get(INSTRUCTION, ""), [fields.get(key) for key in (CHOSEN, REJECTED)]
    if not all(is_text_or_messages(each, wording) or as_object(each) is not None for each in (prompt, *answers)):
        return False
    is_asked = any(key in fields for key in (INSTRUCTION, INPUT, HISTORY))
    if is_asked or not all(isinstance(each, str) for each in answers):
        return True
    return bool(_split_prompt(cast("list[str]", answers), wording)[0])  # otherwise the prompt is in an unknown column


def read_exchange(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that ends with the exchange."""
    messages = read_prompt(fields, wording)
    is_repeated = HISTORY in fields and is_asked_before(messages, answered=OUTPUT in fields)
    if is_repeated:
        del messages[-1]
    again = 0
    if OUTPUT in fields:
        answer = read_answer(fields[OUTPUT], wording, f"/{OUTPUT}")
        again = _repeated(messages, [answer])
        messages += answer[again:]
    turns = items_of(fields.get(INSTRUCTION))
    empty = [at for at, turn in enumerate(turns) if turn == []]
    findings = [noticed(f"/{INSTRUCTION}/{at}", "a turn without messages is left out") for at in empty]
    if is_number(fields.get(OUTPUT)):
        findings.append(noticed(f"/{OUTPUT}", "the answer is a number; it is read as its text"))
    if is_repeated:
        findings.append(noticed(f"/{INSTRUCTION}", "the earlier messages have the question; it is read once"))
    if again:
        findings.append(noticed(f"/{OUTPUT}", "the answer begins with the question; it is read once"))
    return [Document(request(messages, read_tools(fields)), tuple(findings))]


def read_earlier(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of earlier messages and a question, with the calls in tags in their texts."""
    [found] = read_exchange(fields, wording)
    messages = cast("list[Object]", members_of(found.value)["messages"])
    if not calls.have_tagged_calls(messages):
        return [found]
    tools, messages, findings = calls.extract_tools(messages, read_tools(fields))
    return [Document(request(messages, tools), (*found.findings, *findings))]


def read_calls(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that ends with calls; with the question if there are no calls."""
    messages = read_prompt(fields, wording)
    if calls := calls_of(fields.get(CALLS, []), f"/{CALLS}"):
        messages.append({"role": "assistant", "tool_calls": calls})
    return [Document(request(messages, read_tools(fields)))]


def read_preference(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation with the chosen answer and the rejected one.

    Without a prompt, the prompt is what both answers begin with. Of lists of texts, the first ones are the answers, and
    all of them stand beside (RewardBench 2).
    """
    listed, fields = fields, _with_first_answers(fields)
    prompt = read_prompt(fields, wording)
    given = [fields[CHOSEN], fields[REJECTED]]
    if all(isinstance(each, str) for each in given):
        if any(key in fields for key in (INSTRUCTION, INPUT, HISTORY)):
            answers = [read_answer(each, wording, f"/{CHOSEN}") for each in given]
        else:
            before, answers = _split_prompt(cast("list[str]", given), wording)
            prompt += before
    else:
        answers = [read_answer(each, wording, f"/{key}") for each, key in zip(given, (CHOSEN, REJECTED), strict=True)]
        turns = [each for each in prompt if each["role"] != "system"]
        whole = len(turns) == 1 and all(turns[0] in each[1:-1] for each in answers)
        if whole or turns == [message("user", "")]:  # each is the whole conversation
            prompt.remove(turns[0])
        start = _repeated(prompt, answers)
        end = start + shared(answers[0][start:], answers[1][start:])
        prompt += answers[0][start:end]
        answers = [each[end:] for each in answers]
    more = {key: listed[key] for key in (CHOSEN, REJECTED) if _texts_in(listed[key])[1:]}
    prompt, answers, tools, findings = _with_calls(prompt, answers, read_tools(fields))
    document = preference(prompt, answers[0], answers[1], tools)
    if PARALLEL in fields:
        document["input"][PARALLEL] = fields[PARALLEL]
    return [Document(document, findings, extra_columns=more)]


def _with_calls(
    prompt: list[Object], answers: list[list[Object]], tools: list[Json] | None
) -> tuple[list[Object], list[list[Object]], list[Json] | None, tuple[Finding, ...]]:
    """Return a prompt, its answers and the tools, with the calls in the texts of any of them (When2Call)."""
    if not any(map(calls.have_tagged_calls, (prompt, *answers))):
        return prompt, answers, tools, ()
    tools, prompt, findings = calls.extract_tools(prompt, tools, "/input/messages")
    read: list[list[Object]] = []
    for place, answer in zip(("/preferred_output", "/non_preferred_output"), answers, strict=True):
        _, messages, more = calls.extract_tools(answer, tools, place)
        read.append(messages)
        findings += more
    return prompt, read, tools, findings


def _with_first_answers(fields: Object) -> Object:
    first = {key: _texts_in(fields[key])[0] for key in (CHOSEN, REJECTED) if _texts_in(fields.get(key))}
    return {**fields, **first} if first else fields


def shared(one: Sequence[Json], other: Sequence[Json]) -> int:
    """Return the number of equal messages at the beginning of two answers; each keeps at least one message."""
    at = 0
    while at < min(len(one), len(other)) - 1 and one[at] == other[at]:
        at += 1
    return at


def _repeated(prompt: Sequence[Json], answers: Sequence[Sequence[Json]]) -> int:
    """Return the number of messages of both answers that repeat the end of the prompt, as in some datasets."""
    for start in range(len(prompt)):
        again = list(prompt[start:])
        if all(len(each) > len(again) and list(each[: len(again)]) == again for each in answers):
            return len(again)
    return 0


def _split_prompt(texts: Sequence[str], wording: Wording) -> tuple[list[Object], list[list[Object]]]:
    """Return the common beginning of two texts as the prompt, and the rest of both.

    Texts with labels of speakers are conversations. In other texts the prompt ends where they differ; a space before
    that belongs to the answers (TRL, `extract_prompt`).
    """
    one, other = (dialogue.read_labelled(text) for text in texts)
    if one is not None and other is not None:
        at = shared(one, other)
        return one[:at], [one[at:], other[at:]]
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    at -= at > 0 and texts[0][at - 1] == " "
    prompt = [message("user", texts[0][:at])] if at else []
    return prompt, [read_answer(text[at:], wording, f"/{CHOSEN}") for text in texts]


def read_prompt(fields: Object, wording: Wording) -> list[Object]:
    """Return the messages before the answer."""
    messages = system_of(fields.get(SYSTEM), f"/{SYSTEM}")
    if HISTORY in fields:
        messages += read_history(fields[HISTORY], wording, f"/{HISTORY}")
    instruction = fields.get(INSTRUCTION)
    listed = as_list(instruction)
    if listed and all(as_list(turn) is not None for turn in listed):  # turns of messages, as BFCL has them
        instruction = [each for turn in listed for each in items_of(turn)]
    given = fields.get(INPUT)
    if isinstance(instruction, str) and (prompt := _turns_in(instruction, given)) is not None:
        return [*messages, *prompt]
    if as_list(instruction) is not None:
        messages += respelled_all(instruction, wording, f"/{INSTRUCTION}")
        instruction = None
    if _texts_in(given):  # passages
        fields = {**fields, INPUT: wording.separator.join(_texts_in(given))}
    if instruction is None and are_messages(given, _ANY_WORDING):  # only the input holds the question
        return [*messages, *respelled_all(given, wording, f"/{INPUT}")]
    if as_object(instruction) is not None:
        messages.append(respelled(instruction, wording, f"/{INSTRUCTION}"))
        instruction = None
    texts = [instruction, fields.get(INPUT)]
    for name, text in zip((INSTRUCTION, INPUT), texts, strict=True):
        if text is not None and not isinstance(text, str):
            raise misshapen(f"/{name}", "a text")
    question = [text for text in cast("list[str | None]", texts) if text]
    if question or (texts[0] is not None and not listed):
        messages.append(message("user", wording.separator.join(question)))
    return messages


def _turns_in(instruction: str, given: Json) -> list[Object] | None:
    """Return the turns that a text has, with what is beside it as the last one; None for any other text."""
    if not given:
        return dialogue.read_prompt(instruction)
    return dialogue.read_with_input(instruction, given) if isinstance(given, str) else None


def read_answer(value: Json, wording: Wording, path: str) -> list[Object]:
    """Return an answer that is given as a text, a message, or a list of messages."""
    if is_number(value):
        value = as_text(value)
    if isinstance(value, str):
        return [thoughts.split(message("assistant", value), wording)]
    if as_object(value) is not None:
        return [thoughts.split(respelled(value, wording, path), wording)]
    return [thoughts.split(each, wording) for each in respelled_all(value, wording, path)]


# --- writing ----------------------------------------------------------------------------------------------------------


def write_alpaca(document: Json, wording: Wording) -> Object:
    """Return the fields of a conversation of texts that alternate and end with an answer."""
    messages = [thoughts.joined(each, wording) for each in messages_in(document, "alpaca")]
    texts = texts_of(messages, "alpaca")
    fields: Object = {}
    if texts and texts[0][0] == "system":
        fields[SYSTEM] = texts.pop(0)[1]
    roles = [role for role, _ in texts]
    if roles != ["user", "assistant"] * (len(roles) // 2) or not roles:
        raise unfit("alpaca", "the user and the assistant must take turns, and the assistant must be last")
    sides = [text for _, text in texts]
    fields |= {INSTRUCTION: sides[-2], INPUT: "", OUTPUT: sides[-1]}
    if len(sides) > 2:
        fields[HISTORY] = [list(pair) for pair in list(pairwise(sides))[:-2:2]]
    order = (INSTRUCTION, INPUT, OUTPUT, SYSTEM, HISTORY)
    return {key: fields[key] for key in order if key in fields}


def write_completion(document: Json, wording: Wording, name: str = "prompt-completion") -> Object:
    """Return the fields of a conversation that ends with a message of the assistant: the completion."""
    messages = messages_in(document, name, tools=True)
    if not messages or messages[-1].get("role") != "assistant":
        raise unfit(name, "the last message must be the assistant's")
    return {INSTRUCTION: messages[:-1], OUTPUT: messages[-1:], **declared(document)}


def write_preference(document: Json, wording: Wording) -> Object:
    """Return the fields of a conversation with the chosen answer and the rejected one."""
    found = members_of(document)
    given = as_object(found.get("input"))
    chosen, rejected = as_list(found.get("preferred_output")), as_list(found.get("non_preferred_output"))
    if given is None or not chosen or not rejected:
        raise unfit("preference", "a chosen answer without a rejected one does not fit")
    prompt = messages_in(given, "preference", tools=True)
    parallel = {PARALLEL: given[PARALLEL]} if PARALLEL in given else {}
    return {INSTRUCTION: prompt, CHOSEN: chosen, REJECTED: rejected, **declared(given), **parallel}


def declared(document: Json) -> Object:
    """Return the field of declared tools as JSON text: in a list, Arrow gives each tool the members of all others."""
    tools = members_of(document).get("tools")
    return {} if tools is None else {TOOLS: as_text(tools)}


def messages_in(document: Json, name: str, *, tools: bool = False) -> list[Object]:
    """Return the messages of a request that has no other members; tools only if the layout has a place for them."""
    found = as_object(document)
    messages = as_list(found.get("messages")) if found is not None else None
    if found is None or messages is None:
        raise unfit(name, "several answers do not fit")
    if not tools and found.get("tools") is not None:
        raise unfit(name, "declared tools do not fit")
    return [cast("Object", each) for each in messages]


def texts_of(messages: Sequence[Object], name: str) -> list[tuple[str, str]]:
    """Return messages as roles and texts."""
    messages = [{**each, "content": text_alone(each["content"])} if "content" in each else each for each in messages]
    odd = next((at for at, each in enumerate(messages) if not is_text(each)), None)
    if odd is not None:
        what = ", ".join(sorted(messages[odd].keys() - {"role", "content"})) or "content that is not a text"
        raise unfit(name, f"message {odd + 1}, of the {messages[odd].get('role')}, has {what}")
    return [(each["role"], each["content"]) for each in messages]
