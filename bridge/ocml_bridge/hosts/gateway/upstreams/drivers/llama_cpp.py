"""Ask llama.cpp's server by its own `/completion`, which takes and returns token ids, and prints chosen tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Self, cast

from .....errors import BridgeError, ErrorCode
from .....json_values.parameters import members_of
from .....model import Json
from .....stream.completions import Alternative, Chunk, Piece, ReadChunk, Sampled
from ...problems import ApiError
from .completions import room
from .driver import Ask, Call, Completion, Terms, unable, unfit
from .gbnf import grammar

ENDS: Final = {"eos": "stop", "word": "stop", "limit": "length"}
"""The finish reasons of Chat Completions for its `stop_type`."""
_NAMES: Final = {"repetition_penalty": "repeat_penalty"}
"""Its names for parameters that have other names."""
_UNKNOWN: Final = ("min_tokens",)
"""Parameters that it does not have."""


class LlamaCpp:
    """A llama.cpp server.

    Args:
        terms: what the gateway needs.
        length: the length of a conversation's context.
    """

    name = "llama.cpp"
    guides = True

    def __init__(self, terms: Terms, length: int) -> None:
        self._terms = terms
        self._length = length

    @classmethod
    async def make(cls, terms: Terms, _listing: Any, ask: Ask) -> Self:
        """Return the driver for a server, whose properties have the length of a conversation's context."""
        if terms.length is not None:
            return cls(terms, terms.length)
        try:
            properties = members_of(await ask(Call("/props")))
        except ApiError as problem:
            if problem.upstream_status is None:
                raise
            message = "the upstream's /props cannot be read: the driver llama.cpp needs the whole server, not /v1 alone"
            raise unfit(message) from problem
        length = members_of(properties.get("default_generation_settings")).get("n_ctx")
        if not isinstance(length, int):
            raise unfit("the upstream's /props has no n_ctx: give the length of its context with --context TOKENS")
        return cls(terms, length)

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """Return the room that token ids leave. Text is not counted: the server ends an answer with its context."""
        return self._length if isinstance(wanted.prompt, str) else room(self._length, len(wanted.prompt))

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """Return the number of tokens of the prompt; the server counts those of a text."""
        if not isinstance(wanted.prompt, str):
            return len(wanted.prompt)
        body: dict[str, Json] = {"content": wanted.prompt, "add_special": False, "parse_special": True}
        return len(members_of(await ask(Call("/tokenize", body))).get("tokens") or ())

    def call(self, wanted: Completion, limit: int) -> Call:
        """Return the request for `/completion`."""
        for param in _UNKNOWN:
            if wanted.sampling.get(param):
                raise unable("llama.cpp's server", param)
        body: dict[str, Json] = {_NAMES.get(name, name): value for name, value in wanted.sampling.items()}
        if wanted.model is not None:
            body["model"] = wanted.model
        if wanted.count != 1:
            body["n_cmpl"] = wanted.count
        if wanted.logprobs is not None:
            body["n_probs"] = max(wanted.logprobs, 1)
        if wanted.guide is not None:
            body["grammar"] = grammar(wanted.guide)
        if self._terms.ids:
            body["return_tokens"] = True
        if self._terms.tokens:
            body["preserved_tokens"] = list(self._terms.tokens)
        prompt: Json = wanted.prompt if isinstance(wanted.prompt, str) else list(wanted.prompt)
        # Always streamed: otherwise the server does not notice that the client has left, and has no probabilities for
        # some tokens.
        return Call("/completion", {**body, "stream": True, "prompt": prompt, "n_predict": limit})

    def reader(self, wanted: Completion) -> ReadChunk:
        """Return a new reader, which adds up the usage of several answers."""
        return _Answers(wanted, self._terms)


class _Answers:
    """Reads messages of `/completion` as chunks."""

    def __init__(self, wanted: Completion, terms: Terms) -> None:
        self._wanted = wanted
        self._terms = terms
        self._written = 0
        self._ids: dict[int, int] = {}
        """Number of each answer → how many of its tokens have come."""

    def __call__(self, message: object) -> Chunk:
        body = members_of(message)
        if "error" in body:
            return Chunk(error=body["error"])
        if "content" not in body:
            raise BridgeError(ErrorCode.SHAPE, "the upstream's answer is not a completion: it has no content")
        return Chunk((self._piece(body),), self._usage(body) if body.get("stop") is True else None)

    def _piece(self, body: Mapping[str, Any]) -> Piece:
        index, text, ids = (body.get(key) for key in ("index", "content", "tokens"))
        piece = Piece(
            index if isinstance(index, int) else 0,
            text if isinstance(text, str) else "",
            cast("list[int | str]", ids) if self._terms.ids and isinstance(ids, list) else None,
            ENDS.get(str(body.get("stop_type"))) if body.get("stop") is True else None,
            tuple(self._sampled(members_of(token)) for token in body.get("completion_probabilities") or ()),
        )
        if piece.ids is not None and self._misses(piece, body):
            # For a character of several tokens, a stream has only the last id, and the whole text.
            token = next((token for token in self._terms.tokens if piece.text.endswith(token)), "")
            text = piece.text.removesuffix(token)
            piece = replace(piece, ids=[text, *piece.ids] if token else [text])
        return piece

    def _misses(self, piece: Piece, body: Mapping[str, Any]) -> bool:
        """Return whether tokens were written that were in no message."""
        ids, written = piece.ids or (), body.get("tokens_predicted")
        before = self._ids.get(piece.index, 0)
        self._ids[piece.index] = written if isinstance(written, int) else before + len(ids)
        return bool(ids) and self._ids[piece.index] - before > len(ids)

    def _sampled(self, token: Mapping[str, Any]) -> Sampled:
        top = token.get("top_logprobs") or ()
        return Sampled(_alternative(token), tuple(_alternative(each) for each in top)[: self._wanted.logprobs])

    def _usage(self, body: Mapping[str, Any]) -> dict[str, object]:
        written, read = body.get("tokens_predicted"), body.get("tokens_evaluated")
        self._written += written if isinstance(written, int) else 0
        read = read if isinstance(read, int) else 0
        return {
            "prompt_tokens": read,
            "completion_tokens": self._written,
            "total_tokens": read + self._written,
        }


def _alternative(token: Mapping[str, Any]) -> Alternative:
    spelled = token.get("bytes")
    return Alternative(
        str(token.get("token", "")),
        float(token.get("logprob") or 0.0),
        tuple(cast("list[int]", spelled)) if isinstance(spelled, list) else None,
    )
