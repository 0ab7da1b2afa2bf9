"""A document of a wire that was read and edited is written with the edit, or a loss names what is not written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ocml_bridge import Message, Transcript, read, write
from ocml_bridge.model import Foreign, Media, Refusal, Text, replace
from ocml_bridge.report.policy import LENIENT
from sampling import sweep
from test_odd_members import FORCED, KINDS, in_silence, words
from wire_pieces import PIECES

NOW = "w200"
CONTENTS: tuple[Any, ...] = (
    *("", NOW, f'{{"a":"{NOW}"}}', f'["{NOW}"]', f" {NOW}\n"),
    (Text(NOW), Text("w201")),
    (Text(NOW), Media("image", url="https://e.org/w202")),
    (Media("image", data="aGVsbG8=", format="image/png", detail="w203"),),
    (Media("file", file_id="w204"), Text(NOW)),
    (Refusal(NOW),),
    (Text(NOW), Foreign("openai-responses", {"type": "w205"}), Text("w206")),
)
FIELDS: tuple[dict[str, Any], ...] = (
    *({"call_id": each} for each in (None, "w210", "w 211")),
    *({"name": each} for each in (None, "w212", "functions.w213")),
    *({"channel": each} for each in (None, "analysis", "final", "commentary")),
    *({"recipient": each} for each in (None, "functions.w214", "w215.w216", "python")),
    *({"role": each} for each in ("user", "assistant", "tool", "system")),
    *({"constraint": each} for each in (None, "json")),
    *({"end": each} for each in (None, "end", "call")),
    *({"failed": each} for each in (None, True)),
    {"content_type": "summary"},
    {"signature": None},
    {"extras": None},
    {"weight": 0.5},
)


def edited(message: Message) -> Iterator[tuple[str, Message]]:
    """The message with another content, or with other fields."""
    for content in CONTENTS:
        if content != message.content:
            yield f"content {content!r:.40}", replace(message, content=content)
    for fields in FIELDS:
        if any(getattr(message, name) != value for name, value in fields.items()):
            yield f"{fields}", replace(message, **fields)


@pytest.mark.sweep
@pytest.mark.parametrize(("wire", "kind"), KINDS)
def test_an_edit_is_written_or_reported_as_a_loss(wire: str, kind: str) -> None:
    document = read(json.dumps(PIECES[wire][kind]), wire).transcript
    assert isinstance(document, Transcript)
    for at, message in enumerate(document.messages):
        for name, now in sweep(edited(message), 5):
            messages = (*document.messages[:at], now, *document.messages[at + 1 :])
            changed = replace(document, messages=messages)
            there = write(changed, wire, policy=LENIENT)
            written = set(words(write(changed, "canonical").output))
            places = {(word, place) for word, place in written if "/layout/" not in place}
            assert in_silence(places, there) == [], (at, name)
            details = [loss.detail for loss in there.losses]
            others = [each for each in details if wire not in each]
            assert [each for each in others if "message moves" not in each and "follows in this" not in each] == []
            assert read(there.output, wire, options=FORCED).transcript == there.image, (at, name)
