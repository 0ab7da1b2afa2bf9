"""List the kinds of recorded streams: lists, or lines, of the events of an API, with the commands that read them."""

from __future__ import annotations

from typing import Final

from .marks import Kind, Place, holding, listing, marked, words

_D: Final = Place.DOCUMENT

STREAMS: Final[tuple[Kind, ...]] = (
    Kind(
        "a recorded stream of Chat Completions chunks",
        (marked(_D, object=words("chat.completion.chunk")), marked(_D, choices=listing("delta"))),
        advice="`ocml-convert stream -f openai-sse` reads such chunks",
    ),
    Kind(
        "a recorded stream of Anthropic events",
        (
            marked(_D, type=words("message_start"), message=dict),
            marked(_D, type=words("content_block_start", "content_block_delta")),
        ),
        advice="`ocml-convert stream -f anthropic-sse` reads such events",
    ),
    Kind(
        "a recorded stream of Responses events",
        (marked(_D, type=words("response.created", "response.in_progress"), response=dict),),
        advice="`ocml-convert stream -f openai-responses-sse` reads such events",
    ),
    Kind(
        "a recorded stream of Bedrock events",
        (marked(_D, messageStart=dict), marked(_D, contentBlockDelta=dict)),
        advice="`ocml-convert stream -f bedrock-converse` reads such events",
    ),
    Kind(
        "a recorded stream of Bedrock's InvokeModel, whose events are in base64",
        (marked(_D, chunk=holding("bytes")),),
        advice="`ocml-convert stream -f FORMAT` reads such events, where FORMAT is the stream of the model's own API, "
        "such as anthropic-sse",
    ),
)
