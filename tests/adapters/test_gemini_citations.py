"""The sources of texts in a candidate of Gemini: by parts and by bytes, in each of its members."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript, read, write
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.model import Text

A, B = "https://e.org/a", "https://e.org/b"
CHUNKS: list[Any] = [
    {"web": {"uri": A, "title": "A"}},
    {"retrievedContext": {"uri": B, "text": "Said."}},
    {"maps": {"title": "no address"}},
    {"web": {"uri": "https://e.org/c"}},
]
CALL: dict[str, Any] = {"functionCall": {"name": "f", "args": {}}}
SIGNATURE = {"text": "", "thoughtSignature": "s"}


def support(*sources: int, part: int | None = None, **segment: Any) -> dict[str, Any]:
    return {
        "segment": {**({} if part is None else {"partIndex": part}), **segment},
        "groundingChunkIndices": list(sources),
    }


def grounded(*supports: Any) -> dict[str, Any]:
    return {"groundingMetadata": {"groundingChunks": CHUNKS, "groundingSupports": list(supports)}}


Cited = list[list[tuple[str, str | None, int | None, int | None]]]
CASES: dict[str, tuple[list[Any], dict[str, Any], Cited]] = {
    "a whole text": (
        [{"text": "Hello"}],
        grounded(support(0, startIndex=0, endIndex=5, text="Hello")),
        [[(A, "A", None, None)]],
    ),
    "no start and no end": ([{"text": "Hello"}], grounded(support(0, text="Hello")), [[(A, "A", None, None)]]),
    "bytes, and no characters": (
        [{"text": "Süß ist es"}],
        grounded(support(0, startIndex=6, endIndex=9, text="ist")),
        [[(A, "A", 4, 7)]],
    ),
    "two sources, in their order": (
        [{"text": "Hello"}],
        grounded(support(1, 0, endIndex=2)),
        [[(B, None, 0, 2), (A, "A", 0, 2)]],
    ),
    "two places": (
        [{"text": "Hello"}],
        grounded(support(0, endIndex=2), support(1, startIndex=3, endIndex=5)),
        [[(A, "A", 0, 2), (B, None, 3, 5)]],
    ),
    "another part": (
        [{"text": "Hello"}, {"text": "there"}],
        grounded(support(0, part=1, endIndex=2), support(1, part=0, endIndex=3)),
        [[(B, None, 0, 3)], [(A, "A", 0, 2)]],
    ),
    "a part behind a thought and a call": (
        [{"text": "Hm", "thought": True}, {"text": "Hello"}, CALL, {"text": "there"}],
        grounded(support(0, part=1, endIndex=2), support(1, part=3, endIndex=3)),
        [[], [(A, "A", 0, 2)], [], [(B, None, 0, 3)]],
    ),
    "a part behind a signature": (
        [CALL, SIGNATURE, {"text": "Hello"}],
        grounded(support(0, part=2, endIndex=2)),
        [[], [(A, "A", 0, 2)]],
    ),
    "a text that is signed": (
        [{"text": "Hello", "thoughtSignature": "s"}],
        grounded(support(0, endIndex=2)),
        [[(A, "A", 0, 2)]],
    ),
    "a signature behind the text": (
        [{"text": "Hello"}, SIGNATURE],
        grounded(support(0, endIndex=2)),
        [[(A, "A", 0, 2)]],
    ),
    "a thought has no sources": ([{"text": "Hm", "thought": True}], grounded(support(0, endIndex=2)), [[]]),
    "other words": ([{"text": "Hello"}], grounded(support(0, endIndex=2, text="Ha")), [[]]),
    "half of a character": ([{"text": "ü"}], grounded(support(0, endIndex=1)), [[]]),
    "behind the end": ([{"text": "Hello"}], grounded(support(0, startIndex=2, endIndex=6)), [[]]),
    "the end before the start": ([{"text": "Hello"}], grounded(support(0, startIndex=3, endIndex=2)), [[]]),
    "a source without an address": (
        [{"text": "Hello"}],
        grounded(support(2, 3, endIndex=2)),
        [[("https://e.org/c", None, 0, 2)]],
    ),
    "no such source": ([{"text": "Hello"}], grounded(support(7, -1, endIndex=2)), [[]]),
    "no segment": ([{"text": "Hello"}], grounded({"groundingChunkIndices": [0]}), [[]]),
    "what is recited": (
        [{"text": "Hello"}],
        {
            "citationMetadata": {
                "citationSources": [{"uri": A, "startIndex": 1, "endIndex": 3}, {"uri": "", "endIndex": 2}]
            }
        },
        [[(A, None, 1, 3)]],
    ),
    "what is recited, as Vertex has it": (
        [{"text": "Hello"}],
        {"citationMetadata": {"citations": [{"uri": A, "title": "A", "endIndex": 3}]}},
        [[(A, "A", 0, 3)]],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_texts_have_the_sources_that_their_candidate_lists(name: str) -> None:
    parts, metadata, cited = CASES[name]
    response = {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", **metadata}]}
    document = read(response, "gemini").transcript
    assert isinstance(document, Transcript)
    found = [
        [(one.url, one.title, one.start, one.end) for one in part.citations or ()] if isinstance(part, Text) else []
        for message in document.messages
        for part in parts_of(message.content)
    ]
    assert found == cited
    there = write(document, "gemini")
    assert json.dumps(there.output) == json.dumps(response)
    assert there.losses == ()
