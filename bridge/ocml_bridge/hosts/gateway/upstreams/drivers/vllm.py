"""Ask vLLM: `/v1/completions` with token ids both ways, and `/tokenize`, which counts."""

from __future__ import annotations

from typing import Any, Final, Self

from .....formats.guidance import OBJECT, Frame, Guide, Members, Several, Step, Text
from .....json_values.parameters import members_of
from .....model import Json
from .....stream.completions import ReadChunk, read_chunk
from ...problems import ApiError
from .completions import WHOLE_TOKENS, completion, estimate, room
from .driver import Ask, Call, Completion, Terms, lengths_of, models_of, unfit
from .structural import structural_tag

IDS: Final[dict[str, Json]] = {"return_token_ids": True}
"""The member that requests the ids of the output (vLLM 0.10.2)."""


class Vllm:
    """A vLLM server.

    Args:
        terms: what the gateway needs.
        lengths: the lengths of its models' contexts, by name.
    """

    name = "vllm"

    def __init__(self, terms: Terms, lengths: dict[str, int]) -> None:
        self._ids = terms.ids
        self._length = terms.length
        self._lengths = lengths
        self.guides = False

    @classmethod
    async def make(cls, terms: Terms, listing: Any, ask: Ask) -> Self:
        """Return the driver for a server. Features that only some versions have are tried with a few tokens."""
        models = models_of(listing)
        made = cls(terms, lengths_of(models))
        model = str(models[0].get("id")) if models else None
        if terms.ids:
            pieces = read_chunk(await ask(made.call(Completion([0], model), 1))).pieces
            if not pieces or pieces[0].ids is None:
                raise unfit("the upstream does not send token ids: vLLM does since 0.10.2; or name a format of text")
        made.guides = await made._guides(model, ask)
        return made

    async def _guides(self, model: str | None, ask: Ask) -> bool:
        """Return whether answers follow a guide from the first token on.

        If vLLM takes a model for a reasoning one, some versions apply the guide only after the reasoning, which is part
        of the guide.
        """
        self.guides = True
        tried = Completion([0], model, guide=_TRIED)
        try:
            pieces = read_chunk(await ask(self.call(tried, 8))).pieces
        except ApiError as problem:
            if problem.upstream_status is None:
                raise
            return False
        return bool(pieces) and pieces[0].text.startswith("guided")

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """Return the room that the prompt leaves: ids are counted here, text by the engine itself."""
        length = self._length or self._lengths.get(wanted.model or "")
        if isinstance(wanted.prompt, str) or length is None:
            prompt = wanted.prompt if isinstance(wanted.prompt, str) else ""
            try:
                counted = await _tokenized(prompt, wanted.model, ask)
            except ApiError as problem:
                if length is None or problem.upstream_status not in _ABSENT:
                    raise
                # A proxy may pass on only /v1.
                counted = {"count": estimate(wanted.prompt), "max_model_len": length}
            length = self._length or int(counted["max_model_len"])
            used = int(counted["count"]) if isinstance(wanted.prompt, str) else len(wanted.prompt)
        else:
            used = len(wanted.prompt)
        return room(length, used)

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """Return the number of tokens of the prompt; the engine counts those of a text."""
        if not isinstance(wanted.prompt, str):
            return len(wanted.prompt)
        try:
            return int((await _tokenized(wanted.prompt, wanted.model, ask))["count"])
        except ApiError as problem:
            if problem.upstream_status not in _ABSENT:
                raise
            return estimate(wanted.prompt)

    def call(self, wanted: Completion, limit: int) -> Call:
        """Return the request."""
        body = {**completion(wanted, limit), **WHOLE_TOKENS, **(IDS if self._ids else {})}
        if wanted.guide is not None and self.guides:
            body["response_format"] = structural_tag(wanted.guide)
        return Call("/v1/completions", body)

    def reader(self, wanted: Completion) -> ReadChunk:
        """Return the reader of `/v1/completions`."""
        return read_chunk


async def _tokenized(prompt: str, model: str | None, ask: Ask) -> dict[str, Any]:
    """Return the number of tokens of a text, as `count`, and the length of the model's context, as `max_model_len`."""
    body: dict[str, Json] = {"prompt": prompt, "add_special_tokens": False}
    return members_of(await ask(Call("/tokenize", body | ({"model": model} if model else {}))))


_ABSENT: Final = (403, 404, 405)
_TRIED: Final[Guide] = (
    Step((Several((Frame("guided", OBJECT, ";"),)), Frame("guided", OBJECT, ".", Members("", "=", between=", ")))),
    Step((Frame("<", end=">"),), optional=True),
    Step((Text("call", Several((Frame("call", OBJECT, ")"),))), Frame("", OBJECT))),
)
"""A guide with every kind of stretch, as some versions do not support all of them."""
