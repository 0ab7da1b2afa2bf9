"""Ask the upstream for the answers to one request, and pass them on as they arrive. The routes and LiteLLM use it."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from ...errors import BridgeError, ErrorCode
from ...events import Answer
from ...formats.adapter import Options
from ...loss import CLASSES, Loss, LossClass, LossCode, Severity
from ...pipe import answer_ids
from ...stream.completions import Chunk, Piece
from .answers.answer import Answering, Choice
from .answers.turn_memory import OwnMemory
from .api import CHAT, Api
from .clients.upstream_request import understand
from .problems import ApiError, of_answer
from .settings import Settings
from .upstreams.upstream import Upstream
from .workers import LARGE, discard, uncollected

GUIDED: Final = frozenset(f"/settings/{name}" for name in ("response_format", "tool_choice", "parallel_tool_calls"))
"""The places of a request that a guide enforces."""


def today() -> str:
    """Return the date, as `YYYY-MM-DD`."""
    return datetime.now(UTC).date().isoformat()


class Conversation:
    """A parsed request, with its answers.

    Args:
        request: its body, parsed.
        settings: the settings of the gateway.
        upstream: completes the prompt.
        key: the client's `Authorization` header, or None.
        memory: remembers the reasoning before calls; None to remember nothing.
        api: the API of the request.

    Attributes:
        id: the id of the answer.
        asked: the parsed request.

    Raises:
        ApiError: if the request cannot be answered.
    """

    def __init__(
        self,
        request: Any,
        settings: Settings,
        upstream: Upstream,
        key: str | None,
        memory: OwnMemory | None = None,
        api: Api = CHAT,
    ) -> None:
        self.id: Final = f"{answer_ids(api.stream)}{uuid.uuid4().hex}"
        understood = understand(request, settings, today(), memory, api)
        # Only the text of the prompt is still needed: it may be large, and an answer may take long.
        self.request: Final = replace(understood, prompt=None)
        self._losses = () if understood.prompt is None else understood.prompt.losses
        self._upstream = upstream
        self._key = key
        self._usage: dict[str, object] | None = None
        self._error: str | None = None
        created = int(time.time())

        def answer(index: int) -> Answer:
            return Answer(
                *(self.id, self.request.model, created, index, _call_id),
                tools=understood.tools,
                freeform=understood.freeform,
            )

        stream = api.stream if self.request.stream else api.whole
        options = Options(
            special_tokens=settings.special_tokens,
            format_options={"reasoning": settings.reasoning} if settings.reasoning else (),
        )
        decoder = settings.model.answering(understood.prompt, options=options)
        discard(understood.prompt)
        source = decoder.copy if understood.wanted.count > 1 else lambda: decoder
        self._answering = Answering(
            source,
            stream,
            options,
            answer,
            understood.visibility,
            understood.stop,
            memory,
            settings.preambles,
            logprobs=understood.wanted.logprobs,
            legacy=understood.legacy,
            names_stop=bool(understood.stop) and api.names_stop,
        )

    async def losses(self) -> list[Loss]:
        """Return the losses of the prompt, without those of places that the upstream's guide enforces.

        Raises:
            ApiError: if the upstream cannot be asked.
        """
        losses = self._losses
        if self.request.wanted.guide is None or not await self._upstream.guides(self._key):
            return list(losses)
        return [loss for loss in losses if loss.path not in GUIDED]

    async def tokens(self) -> int:
        """Return the number of tokens of the prompt.

        Raises:
            ApiError: if the upstream cannot be asked.
        """
        return await self._upstream.count(self.request.wanted, self._key)

    def account(self) -> dict[str, Any]:
        """Return what the journal gets of it: numbers and codes, no content."""
        choices = self._answering.in_order()
        known: dict[str, Any] = {"finish": [choice.reason for choice in choices]}
        if self._usage is not None:
            known["usage"] = {name: value for name, value in self._usage.items() if isinstance(value, int)}
        if lost := codes(loss for choice in choices for loss in choice.target.losses):
            known["answer_losses"] = lost
        return known | ({"error": self._error} if self._error is not None else {})

    async def whole(self) -> bytes:
        """Return the whole response.

        Raises:
            ApiError: if there is no answer, or an incomplete one.
        """
        heard: list[Chunk] = []
        async with self._upstream.answer(self.request.wanted, self._key) as chunked:
            async for chunks in chunked:
                heard += chunks
        if sum(len(piece.text) for chunk in heard for piece in chunk.pieces) < LARGE:
            return self._response(heard)
        return await asyncio.to_thread(uncollected, self._response, heard)

    def _response(self, chunks: list[Chunk]) -> bytes:
        answering = self._answering
        for piece in self._pieces(chunks):
            choice = answering.choice(piece.index)
            try:
                choice.feed(piece)
                if piece.reason is not None:
                    choice.finish(piece.end)
            except BridgeError as error:
                raise of_answer(error.code, error.message) from error
        for choice in answering.in_order():
            choice.finish(None)
        if not answering.choices or answering.broken:
            raise of_answer(ErrorCode.STREAM_TRUNCATED, "the upstream's answer is cut off without a reason")
        return _merged([b"".join(choice.target.finish(self._usage)) for choice in answering.in_order()])

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the response in pieces. The first is empty: it is yielded when the upstream begins to answer.

        Raises:
            ApiError: before the first piece, if there is no answer. Later errors are part of the stream.
        """
        answering = self._answering
        try:
            async with self._upstream.answer(self.request.wanted, self._key) as chunked, aclosing(chunked):
                yield b""
                try:
                    async for chunks in chunked:
                        out, problem = self._written(chunks)
                        if out:
                            yield b"".join(out)
                        if problem is not None:
                            raise problem
                        if self._is_cut():
                            break
                except ApiError as problem:
                    self._error = problem.code
                    yield self._fail(problem)
            # Answers without an end broke off, which each reports itself.
            rest = [chunk for choice in self._choices() for chunk in choice.finish(None)]
            if not answering.broken:
                rest += answering.end(self._usage if self.request.wanted.usage else None)
            yield b"".join(rest)
        finally:
            answering.cancel()

    def _written(self, chunks: list[Chunk]) -> tuple[list[bytes], ApiError | None]:
        """Return the response for chunks of the upstream, and the error in one of them."""
        out: list[bytes] = []
        try:
            for piece in self._pieces(chunks):
                out += self._pass(piece)
        except ApiError as problem:
            return out, problem
        return out, None

    def _pieces(self, chunks: list[Chunk]) -> Iterator[Piece]:
        for chunk in chunks:
            if chunk.usage is not None:
                self._usage = chunk.usage
            for piece in chunk.pieces:
                if not 0 <= piece.index < self.request.wanted.count:
                    raise of_answer("upstream_shape", "the upstream sent more answers than were requested")
                yield piece

    def failed(self, problem: ApiError) -> bytes:
        """Return the event for a client that has a status already, and gets no answer."""
        self._error = problem.code
        return self._fail(problem)

    def _pass(self, piece: Piece) -> list[bytes]:
        choice = self._answering.choice(piece.index)
        try:
            out = choice.feed(piece)
            return out + choice.finish(piece.end) if piece.reason is not None else out
        except BridgeError as error:
            return choice.fail(error)

    def _fail(self, problem: ApiError) -> bytes:
        error = BridgeError(ErrorCode.STREAM_TRUNCATED, problem.message)
        failures = [b"".join(choice.fail(error)) for choice in self._choices() if choice.reason is None]
        return failures[0] if failures else b""

    def _choices(self) -> list[Choice]:
        """Return the answers; the first one if none has begun yet."""
        return list(self._answering.choices.values()) or [self._answering.choice(0)]

    def _is_cut(self) -> bool:
        """Return whether stop strings ended every answer, so that the upstream's usage is not waited for."""
        choices = self._answering.choices.values()
        return len(choices) == self.request.wanted.count and all(choice.is_cut for choice in choices)


def _call_id(_: int) -> str:
    """Return a unique id for a call."""
    return f"call_{uuid.uuid4().hex[:24]}"


def _merged(made: list[bytes]) -> bytes:
    """Return several answers as one response."""
    if len(made) == 1:
        return made[0]
    responses = [orjson.loads(data) for data in made]
    return orjson.dumps({**responses[0], "choices": [choice for one in responses for choice in one["choices"]]})


def codes(losses: Iterable[Loss]) -> list[str]:
    """Return the codes of losses except layout, each with its severity."""
    return sorted({f"{loss.severity} {loss.code}" for loss in losses if loss.severity is not Severity.LAYOUT})


RETURNING: Final = frozenset({LossCode.CALL_ID})
"""Losses of the prompt that reading the answer restores; they are not reported to clients."""


def classes(losses: Iterable[Loss]) -> str:
    """Return the value of a response header for losses: each class with its codes, the worst first."""
    found = {loss.code for loss in losses if loss.severity is not Severity.LAYOUT} - RETURNING
    each = ((kind, sorted(code for code in found if CLASSES[code] is kind)) for kind in LossClass)
    return ", ".join(f"{kind}={'+'.join(some)}" for kind, some in each if some)
