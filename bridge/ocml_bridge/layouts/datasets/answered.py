"""Read rows that hold messages and, in another column, the answer to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...convert import read
from ...model import Json, Transcript
from ...model.codec import to_json
from ...report.result import Reading
from ..documents import format_of_row
from ..fitting import as_list, members_of, without_members
from ..layout import Document, Object, Wording, misshapen
from ..logged import RESPONSE, answer_in, differences, joined, request_in
from ..markup import separated
from ..messages import is_message, message, respelled, respelled_all
from ..turns import CONVERSATIONS, MESSAGES, SHAREGPT, are_requests, are_sharegpt, read_messages, read_turns

ANSWER: Final = "answer"
QUESTION: Final = "question"
"""The field of a question that is a text, or messages: only a response of a wire answers it here."""


def is_answered(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages that end without an answer, and an answer: a text or a document."""
    if QUESTION in fields:
        fields = _with_question(fields)
        if not fields:
            return False
    if not are_requests(fields, wording) or _answer(fields.get(ANSWER), wording) is None:
        return False
    return respelled_all(fields[MESSAGES], wording, f"/{MESSAGES}")[-1]["role"] != "assistant"


def _with_question(fields: Object) -> Object:
    """Return the fields with the question as messages; none if the answer is no response of a wire.

    A question that is the JSON text of a request is not a text of the user: `logged` reads it.
    """
    question, answer = fields[QUESTION], fields.get(ANSWER)
    if not isinstance(answer, dict) and not (isinstance(answer, str) and answer.lstrip().startswith("{")):
        return {}
    found = answer_in(answer)
    if found is None or "messages" in found[0] or (isinstance(question, str) and request_in(question) is not None):
        return {}
    messages: Json = [message("user", question)] if isinstance(question, str) else question
    return {MESSAGES: messages, **without_members(fields, QUESTION)}


def _answer(value: Json, wording: Wording) -> tuple[Object, Object] | None:
    """Return the answer as a document of a format, and the members around it; None if the field holds no answer."""
    if value.__class__ is list and len(value) == 1 and isinstance(value[0], str):  # ChatQA
        value = value[0]
    found = answer_in(respelled(value, wording, f"/{ANSWER}") if is_message(value, wording) else value)
    if found is None and isinstance(value, str):
        return {"messages": [message("assistant", value)]}, {}
    if found is None:
        return None
    messages = as_list(found[0].get("messages"))
    of_assistant = messages is None or all(members_of(each).get("role") == "assistant" for each in messages)
    return found if of_assistant else None


def read_answered(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the messages and the answer.

    Raises:
        BridgeError: OCB-SHAPE if a value is neither a message nor an answer, or as the format's reader raises it.
    """
    if QUESTION in fields:
        fields = _with_question(fields)
    found = _answer(fields.get(ANSWER), wording)
    if found is None:
        raise misshapen(f"/{ANSWER}", "the answer of the assistant")
    form = format_of_row(found[0])
    (request, beside), answer = _request(fields, wording), read(separated(found[0], str(form), wording), form)
    if not isinstance(request.transcript, Transcript) or not isinstance(answer.transcript, Transcript):
        raise misshapen(f"/{ANSWER}", "a conversation")
    around = {**found[1], **differences(request.transcript, answer.transcript)}
    whole = to_json(joined(request.transcript, answer.transcript))
    findings = (*request.findings, *answer.findings)
    return [Document(whole, findings, extra_columns={**beside, **({RESPONSE: around} if around else {})})]


def _request(fields: Object, wording: Wording) -> tuple[Reading, Mapping[str, Json]]:
    """Return the messages before the answer, which may be turns of ShareGPT, and what stays beside them."""
    prompt = without_members(fields, ANSWER)
    turns = {CONVERSATIONS if name == MESSAGES else name: value for name, value in prompt.items()}
    if are_sharegpt(turns, SHAREGPT):
        found = read_turns(turns, replace(wording, role=SHAREGPT.role, text=SHAREGPT.text))[0]
        return read(separated(found.value, "sharegpt", wording), "sharegpt"), found.extra_columns
    found = read_messages(prompt, wording)[0]
    return read(separated(found.value, "openai", wording), "openai"), found.extra_columns
