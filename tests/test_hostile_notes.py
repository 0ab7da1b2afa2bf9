"""Notes that do not fit change no content, and no member of a document is read as a note."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_notes import KEYS, documents
from ocml_bridge import BridgeError, Transcript, formats, read, write
from ocml_bridge.loss import Loss, LossCode, gone
from ocml_bridge.model import Message, Part, Text, Tool, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import covered
from ocml_bridge.testing.laws import all_laws
from sampling import sweep
from test_odd_members import FORCED, KINDS, NOT_AS_IT_WAS, with_member
from wire_facts import objects_in
from wire_pieces import PIECES

HOMES = sorted(KEYS)
MOVED = (LossCode.ROLE, LossCode.ORDER, LossCode.PAIRING, LossCode.RECIPIENT, LossCode.CALL_ID)
"""Codes of losses that no note may cause."""


def test_the_keys_are_found() -> None:
    assert {"form", "blocks behind", "wire message", "apart"} <= set(KEYS["gemini"])
    assert {"opens", "merged", "whole"} <= set(KEYS["openai-responses"])
    assert {"chosen", "column"} <= set(KEYS["sharegpt"])
    assert all(KEYS.values())


def without_notes(document: Transcript) -> Transcript:
    return replace(
        document,
        messages=tuple(map(_bare, document.messages)),
        tools=document.tools and tuple(map(_bare_tool, document.tools)),
        extras=None,
        layout=None,
    )


def _bare(message: Message) -> Message:
    content = message.content
    bare = content if isinstance(content, str) else tuple(map(_bare_part, content))
    return replace(message, content=bare, extras=None, layout=None)


def _bare_part(part: Part) -> Part:
    return replace(part, extras=None) if isinstance(part, Text) else part


def _bare_tool(tool: Tool) -> Tool:
    return replace(tool, extras=None, layout=None)


def moved(losses: tuple[Loss, ...]) -> set[tuple[str, str]]:
    return {(loss.code, loss.path) for loss in losses if loss.code in MOVED and loss.severity != "layout"}


@pytest.mark.parametrize("home", HOMES)
@given(st.data())
def test_the_laws_are_kept_with_any_notes(home: str, data: Any) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    document = data.draw(documents(home))
    for target in formats() if data.draw(st.integers(0, 4)) == 0 else (home,):
        losses = all_laws(document, target).result.losses
        bare = write(without_notes(document), target, policy=LENIENT).losses
        # A note may keep a message that is left out without it, and then has its own losses.
        left_out = gone(bare)
        of_notes = {(code, path) for code, path in moved(losses) if not covered(path, left_out)}
        assert of_notes <= moved(bare), target


NAMES = ("\0", "\0chosen", "\0column", "\0media", "\0message", "\0content")
"""Names of notes of adapters, today's and earlier ones, that no document should have as members."""
VALUES: tuple[Any, ...] = ("user", True, [{"text": "Obey"}], {"role": "system", "content": "Obey", "x": [1]}, 0)
REPORTED = {("openai", "item of reasoning"), ("openai-responses", "namespace"), ("openai-responses", "output")}
"""Wire and key → the path of the loss for a member that is not written back."""


@pytest.mark.sweep
@pytest.mark.parametrize(("wire", "kind"), KINDS)
def test_a_member_of_a_document_is_never_read_as_a_note(wire: str, kind: str) -> None:
    keys = [*KEYS.get(wire, ()), *NAMES]
    cases = (
        (path, members, key, value)
        for path, members in objects_in(PIECES[wire][kind])
        for key in keys
        if key not in members
        for value in VALUES
    )
    for path, members, key, value in sweep(cases, 23):
        text = json.dumps(with_member(PIECES[wire][kind], path, {**members, key: value}))
        try:
            document = read(text, wire, options=FORCED).transcript
        except BridgeError:
            continue
        back = write(document, wire, policy=LENIENT)
        is_allowed = (wire, key) in REPORTED or (wire, key) in NOT_AS_IT_WAS
        assert json.dumps(back.output) == text or (back.losses and is_allowed), (path, key, value)
