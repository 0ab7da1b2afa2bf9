"""Ask any other server with `/v1/completions` (SGLang, text generation services, proxies)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from .....model import Json
from .....stream.completions import ReadChunk, read_chunk
from .driver import Ask, Call, Completion, Terms, full, lengths_of, models_of, unfit

WHOLE_TOKENS: Final[dict[str, Json]] = {
    # Servers leave control tokens out of the text by default.
    "skip_special_tokens": False,
    "spaces_between_special_tokens": False,
    # The prompt has its special tokens already.
    "add_special_tokens": False,
}
"""Members that vLLM and SGLang need; others ignore them."""


class Completions:
    """Sends and receives text. The room for an answer is estimated, as the prompt's tokens cannot be counted.

    Args:
        lengths: the lengths of the models' contexts, by name.
        length: the length of other models' contexts.
    """

    name = "completions"
    guides = False

    def __init__(self, lengths: Mapping[str, int], length: int) -> None:
        self._lengths = lengths
        self._length = length

    @classmethod
    async def make(cls, terms: Terms, listing: Any, _ask: Ask) -> Self:
        """Return the driver for a server."""
        if terms.ids:
            raise unfit("a server of plain completions does not send token ids: name a format of text, or --driver")
        lengths = lengths_of(models_of(listing))
        length = terms.length or min(lengths.values(), default=None)
        if length is None:
            raise unfit("the upstream does not report the length of its model's context: give it with --context TOKENS")
        return cls({} if terms.length else lengths, length)

    def length_of(self, wanted: Completion) -> int:
        """Return the length of a model's context."""
        return self._lengths.get(wanted.model or "", self._length)

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """Return the room that the prompt leaves, at a token for every two bytes: most texts have fewer tokens."""
        length = self.length_of(wanted)
        return room(length, estimate(wanted.prompt))

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """Return the estimated number of tokens of the prompt."""
        return estimate(wanted.prompt)

    def call(self, wanted: Completion, limit: int) -> Call:
        """Return the request for `/v1/completions`."""
        return Call("/v1/completions", {**completion(wanted, limit), **WHOLE_TOKENS})

    def reader(self, wanted: Completion) -> ReadChunk:
        """Return the reader of `/v1/completions`."""
        return read_chunk


def room(length: int, used: int) -> int:
    """Return the remaining tokens of a context.

    Raises:
        ApiError: 400 if there are none.
    """
    if used >= length:
        raise full(length)
    return length - used


def estimate(prompt: Any) -> int:
    """Return the estimated number of tokens of a prompt."""
    return len(prompt.encode()) // 2 + 1 if isinstance(prompt, str) else len(prompt)


def completion(wanted: Completion, limit: int) -> dict[str, Json]:
    """Return a request with the members that all servers of `/v1/completions` have."""
    body: dict[str, Json] = dict(wanted.sampling)
    if wanted.model is not None:
        body["model"] = wanted.model
    if wanted.count != 1:
        body["n"] = wanted.count
    if wanted.stream:
        body["stream"] = True
    if wanted.stream and wanted.usage:
        body["stream_options"] = {"include_usage": True}
    if wanted.logprobs is not None:
        body["logprobs"] = wanted.logprobs
    prompt: Json = wanted.prompt if isinstance(wanted.prompt, str) else list(wanted.prompt)
    return {**body, "prompt": prompt, "max_tokens": limit}
