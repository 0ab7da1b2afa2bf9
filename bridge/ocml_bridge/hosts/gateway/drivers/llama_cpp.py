"""llama.cpp's server: its own `/completion`, which takes and gives token ids, and prints the tokens that it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Self, cast

from ....errors import BridgeError, ErrorCode
from ....model import Json
from ....stream.completions import Alternative, Chunk, Piece, ReadChunk, Sampled, members
from ..problems import ApiError
from .completions import room
from .driver import Ask, Call, Completion, Terms, unable, unfit
from .gbnf import grammar

ENDS: Final = {"eos": "stop", "word": "stop", "limit": "length"}
"""Its `stop_type`, in Chat Completions' words."""
_NAMES: Final = {"repetition_penalty": "repeat_penalty"}
"""What it calls otherwise."""
_UNKNOWN: Final = ("min_tokens",)
"""What it has no word for."""


class LlamaCpp:
    """A llama.cpp server.

    Args:
        terms: what is needed of it.
        length: of a conversation's context.
    """

    name = "llama.cpp"
    guides = True

    def __init__(self, terms: Terms, length: int) -> None:
        self._terms = terms
        self._length = length

    @classmethod
    async def make(cls, terms: Terms, _listing: Any, ask: Ask) -> Self:
        """The driver for a server, whose properties say how much one conversation may hold."""
        if terms.length is not None:
            return cls(terms, terms.length)
        try:
            properties = members(await ask(Call("/props")))
        except ApiError as problem:
            if problem.upstream_status is None:
                raise
            message = "the upstream's /props cannot be read: the driver llama.cpp needs the whole server, not /v1 alone"
            raise unfit(message) from problem
        length = members(properties.get("default_generation_settings")).get("n_ctx")
        if not isinstance(length, int):
            raise unfit("the upstream's /props has no n_ctx: give the length of its context with --context TOKENS")
        return cls(terms, length)

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """What a prompt of token ids leaves. Text is not counted: the server ends an answer where its context does."""
        return self._length if isinstance(wanted.prompt, str) else room(self._length, len(wanted.prompt))

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """How many tokens the prompt has: the server counts a text."""
        if not isinstance(wanted.prompt, str):
            return len(wanted.prompt)
        body: dict[str, Json] = {"content": wanted.prompt, "add_special": False, "parse_special": True}
        return len(members(await ask(Call("/tokenize", body))).get("tokens") or ())

    def call(self, wanted: Completion, limit: int) -> Call:
        """The request, in the words of `/completion`."""
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
        # Always as it is written: of a whole answer the server does not notice that nobody waits for it any more, and
        # has no probability for some of its tokens.
        return Call("/completion", {**body, "stream": True, "prompt": prompt, "n_predict": limit})

    def reader(self, wanted: Completion) -> ReadChunk:
        """One for this answer: it adds up what several answers took."""
        return _Answers(wanted, self._terms)


class _Answers:
    """Messages of `/completion` → chunks."""

    def __init__(self, wanted: Completion, terms: Terms) -> None:
        self._wanted = wanted
        self._terms = terms
        self._written = 0
        self._ids: dict[int, int] = {}
        """Number of each answer → how many of its tokens have come."""

    def __call__(self, message: object) -> Chunk:
        body = members(message)
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
            tuple(self._sampled(members(token)) for token in body.get("completion_probabilities") or ()),
        )
        if piece.ids is not None and self._misses(piece, body):
            # Of a character of several tokens, a stream has the last id alone, and the whole text.
            token = next((token for token in self._terms.tokens if piece.text.endswith(token)), "")
            text = piece.text.removesuffix(token)
            piece = replace(piece, ids=[text, *piece.ids] if token else [text])
        return piece

    def _misses(self, piece: Piece, body: Mapping[str, Any]) -> bool:
        """Whether tokens were written that no message has had."""
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
