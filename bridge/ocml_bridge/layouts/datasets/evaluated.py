"""Read the samples that lm-evaluation-harness logs: the arguments of a request to a model, and its response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..exchange import INSTRUCTION, OUTPUT, is_text_or_messages, read_exchange
from ..fitting import as_object, items_of
from ..layout import Document, Object, Wording, misshapen, parsed_or_none

ARGUMENTS: Final = "arguments"
RESPONSES: Final = "resps"


def is_sample(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold one request for a text, and its one response."""
    return _request(fields.get(ARGUMENTS)) is not None and _response(fields.get(RESPONSES)) is not None


def read_sample(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the request and its response; the settings of the request are an extra column."""
    request, answer = _request(fields.get(ARGUMENTS)), _response(fields.get(RESPONSES))
    if request is None or answer is None:
        raise misshapen(f"/{ARGUMENTS}", "one request for a text")
    prompt, settings = request
    documents = read_exchange({INSTRUCTION: prompt, OUTPUT: answer}, wording)
    return [each._replace(extra_columns={ARGUMENTS: settings} if settings else {}) for each in documents]


def _request(arguments: Json) -> tuple[Json, Object] | None:
    """Return the prompt and the settings of the only request; None for several, and for those of a likelihood."""
    named = as_object(arguments)
    requests = [*named.values()] if named is not None else items_of(arguments)
    if len(requests) != 1:
        return None
    given = as_object(requests[0])
    values = [*given.values()] if given is not None else items_of(requests[0])
    settings = as_object(values[1]) if len(values) == _WITH_SETTINGS else {}
    prompt = _prompt(values[0]) if 1 <= len(values) <= _WITH_SETTINGS else None
    return (prompt, settings) if settings is not None and is_text_or_messages(prompt) else None


_WITH_SETTINGS: Final = 2
"""The number of arguments of a request: a prompt and the settings."""


def _prompt(value: Json) -> Json:
    """Return a prompt; messages may be JSON text, which may be alone in a list."""
    only = items_of(value)
    text = only[0] if len(only) == 1 else value
    if not isinstance(text, str) or not text.startswith("[{"):
        return text if isinstance(text, str) else value
    found = parsed_or_none(text)
    return found if is_text_or_messages(found) else text


def _response(value: Json) -> str | None:
    """Return the only response, a text; None for several, and for likelihoods."""
    responses = items_of(value)
    texts = items_of(responses[0]) if len(responses) == 1 else []
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None
