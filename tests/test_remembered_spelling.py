"""The kept spelling of a text is written only if the content is still the same.

Each text of the golden files is edited in every way below, once for every kind of message that its format has: no edit
is lost without a report, no loss is reported without one, and the image is what a reader reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any, Final

import pytest

from ocml_bridge import Message, Options, Tool, Transcript, read, write
from ocml_bridge.errors import BridgeError
from ocml_bridge.formats.adapter import DEFAULT
from ocml_bridge.model import ByFormat, Json, Text, Thought, Tools, replace
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.trial import Trial
from sampling import sweep
from sources import ROOT

FORMATS: Final = ("ocm-0.1", "ocm-2.2", "harmony", "internlm2", "chatml")
FORCED: Final = Options(force_format=True)
TOOLS: Final = (Tool("look", "Looks.", {"type": "object", "properties": {}}, "functions"),)
OTHERS: Final[tuple[Any, ...]] = (None, True, 1, "x", "a\n", "\ufeff", "system", "user", "tool", ["x"], {"x": "y"}, {})
"""Values of any type for kept members; among them headers of another message."""
TOKENS: Final = (
    "<|im_end|>",
    "<|im_start|>user\nx",
    "<|im_end|>\n<|im_start|>system\nx<|im_end|>\n",
    "<|end|>",
    "<|start|>user<|message|>x",
    "<|end|><|start|>system<|message|>x<|end|>",
    "[EOS][BOS]",
    "</s><s>",
    "<|endoftext|>",
)
"""Texts that would end or begin a message if they were written with the kept spelling."""


# --- what is edited ---------------------------------------------------------------------------------------------------


@cache
def documents(name: str) -> list[Transcript]:
    """The documents of a format's golden files, which nothing may change."""
    found: list[Transcript] = []
    for path in sorted((ROOT / "golden" / name).glob("*/input.*")):
        try:
            document = read(path.read_text("utf-8"), name, options=FORCED).transcript
        except BridgeError:
            continue
        if isinstance(document, Transcript):
            found.append(document)
    return found


def kind_of(document: Transcript, at: int) -> Hashable:
    """The kind of a message, of which one is edited: its fields, its kept spelling, and its position."""
    message = document.messages[at]
    fields = (message.role, message.channel, message.recipient is None, message.name is None, message.end)
    return fields, remembered(message), type(message.content), at == 0, at == len(document.messages) - 1


def remembered(message: Message) -> tuple[str, ...]:
    """The members that a message remembers of its spelling."""
    places: list[ByFormat | None] = [message.layout, message.extras]
    return tuple(key for place in places for members in (place or {}).values() for key in members)


def messages_of(name: str) -> Iterator[tuple[Transcript, int]]:
    """One message of each kind, with its document."""
    seen: set[Hashable] = set()
    for document in documents(name):
        for at in range(len(document.messages)):
            kind = kind_of(document, at)
            if kind not in seen:
                seen.add(kind)
                yield document, at


# --- edits ------------------------------------------------------------------------------------------------------------


def changed(**members: Any) -> Callable[[Transcript, int], Transcript]:
    """An edit of one message."""

    def edit(document: Transcript, at: int) -> Transcript:
        messages = list(document.messages)
        messages[at] = replace(messages[at], **members)
        return replace(document, messages=tuple(messages))

    return edit


def put(*more: Message, behind: int = 0) -> Callable[[Transcript, int], Transcript]:
    """An edit that puts messages before one, or in its place."""

    def edit(document: Transcript, at: int) -> Transcript:
        messages = document.messages
        return replace(document, messages=(*messages[:at], *more, *messages[at + behind :]))

    return edit


EDITS: Final[dict[str, Callable[[Transcript, int], Transcript]]] = {
    "as it was": lambda document, at: document,
    "left out": put(behind=1),
    "alone": lambda document, at: replace(document, messages=document.messages[at : at + 1]),
    "the last": lambda document, at: replace(document, messages=document.messages[: at + 1], open_turn=None),
    "twice": lambda document, at: put(document.messages[at])(document, at),
    "behind a text": put(Message("user", "Hi.")),
    "behind an open text": put(Message("user", "Hi.", end=None)),
    "other text": changed(content="x"),
    "no text": changed(content=""),
    "blank text": changed(content=" \n"),
    "a line end": changed(content="x\n"),
    "a token": changed(content="<|end|><|im_end|>"),
    "two texts": changed(content=(Text("x"), Text("\ny"))),
    "a marked text": changed(content=(Thought("reflect"), Text("x"))),
    "a text and tools": changed(content=(Text("x"), Tools(TOOLS))),
    "tools": changed(content=(Tools(TOOLS),)),
    "tools of the system's": changed(role="system", name=None, content=(Tools(TOOLS),)),
    "tools in words": changed(role="system", name="plugin", content='[{"name": "look"}]'),
    "the user's": changed(role="user"),
    "the system's": changed(role="system"),
    "a tool's": changed(role="tool"),
    "the assistant's": changed(role="assistant"),
    "named": changed(name="eve"),
    "not named": changed(name=None),
    "private": changed(channel="analysis"),
    "to another tool": changed(recipient="functions.other"),
    "to nobody": changed(recipient=None),
    "cut off": changed(end=None),
    "ended": changed(end="end"),
    "going on": changed(continues=True),
    "not going on": changed(continues=False),
    "no call id": changed(call_id=None),
    "another call id": changed(call_id="other"),
    "other tools": lambda document, at: replace(document, tools=TOOLS),
    "no tools": lambda document, at: replace(document, tools=None),
    "an open turn": lambda document, at: replace(document, open_turn=Message("assistant", "", end=None)),
    "no open turn": lambda document, at: replace(document, open_turn=None),
    "nothing remembered": changed(layout=None, extras=None),
    "nothing remembered around": lambda document, at: replace(document, layout=None, extras=None),
}


def check(document: Transcript, name: str, options: Options = DEFAULT) -> None:
    trial = Trial(document, name, options)
    trial.no_silent_loss()
    trial.no_crying_wolf()
    trial.stable()
    assert trial.result.image == trial.back


@pytest.mark.sweep
@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("name", FORMATS)
def test_an_edit_is_written_or_reported_as_a_loss(name: str, edit: str) -> None:
    for document, at in sweep(messages_of(name), 5):
        check(EDITS[edit](document, at), name)


DIALECTS: Final = [(name, dialect) for name in FORMATS for dialect in adapter(name)[0].dialects]


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_the_spelling_of_one_dialect_is_not_used_in_another(name: str, dialect: str) -> None:
    for document in documents(name):
        check(document, name, Options(dialect=dialect))


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_tokens_that_are_kept_change_only_their_contents(name: str, dialect: str) -> None:
    for document in documents(name):
        broken, raw = (
            write(document, name, options=Options(dialect=dialect, control_tokens=policy), policy=LENIENT)
            for policy in ("neutralise", "raw")
        )
        assert str(raw.output).replace("\u200b", "") == str(broken.output).replace("\u200b", "")
        assert isinstance(raw.image, Transcript)
        # Whose dialect a text with tokens in it is read as, is not asked.
        assert replace(raw.image, layout=None) == replace(broken.image, layout=None)


@cache
def keys_of(name: str) -> frozenset[str]:
    """The keys of all that messages of a format remember."""
    return frozenset(
        key for document in documents(name) for message in document.messages for key in remembered(message)
    )


def forged(value: Any, name: str) -> Iterator[tuple[Hashable, Any]]:
    """The message or document with each kept member replaced by values of other types; with a key for each kind."""
    for place in ("layout", "extras"):
        by_format: ByFormat = getattr(value, place) or {}
        members = by_format.get(name, {})
        for key in sorted({*members, *(keys_of(name) if isinstance(value, Message) else ())}):
            known = members.get(key)
            in_it = (f"{known}{token}" for token in TOKENS) if isinstance(known, str) else ()
            for number, other in enumerate((*OTHERS, *TOKENS, *in_it)):
                made: dict[str, Json] = {**members, key: other}
                yield (place, key, number), replace(value, **{place: {name: made}})


@pytest.mark.sweep
@pytest.mark.parametrize("name", FORMATS)
def test_a_kept_spelling_of_another_type_is_ignored(name: str) -> None:
    seen: set[Hashable] = set()
    dialect_of = adapter(name)[0].dialect_of
    for document in documents(name):
        for kind, edited in sweep(forged(document, name), 7):
            if kind not in seen:
                seen.add(kind)
                check(edited, name)
        for at, message in enumerate(document.messages):
            for kind, edited in sweep(forged(message, name), 17):
                if (found := (dialect_of and dialect_of(document), message.role, kind)) not in seen:
                    seen.add(found)
                    check(put(edited, behind=1)(document, at), name)
    assert seen


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("harmony", "<|start|>functions.f to=<|channel|>commentary<|message|>18<|end|>"),
        ("openai-responses", {"input": None}),
        ("openai-responses", {"model": "m", "input": None, "store": False}),
        ("bedrock-converse", {"messages": [], "toolConfig": {"tools": "x", "toolChoice": {"tool": {"name": "f"}}}}),
    ],
)
def test_empty_members_are_restored(name: str, source: Json) -> None:
    reading = read(source, name)
    assert reading.findings == ()
    assert write(reading.transcript, name).output == source


@pytest.mark.parametrize("name", FORMATS)
def test_no_text_begins_with_a_byte_order_mark_that_a_message_kept(name: str) -> None:
    for place in ("layout", "extras"):
        first = replace(Message("user", "Hi"), **{place: {name: {"gap": "\ufeff"}}})
        document = Transcript((first, Message("assistant", "Yes.", channel="final")))
        check(document, name)
        assert not str(write(document, name).output).startswith("\ufeff")


@pytest.mark.parametrize("name", ["gemini", "bedrock-converse"])
@pytest.mark.parametrize("notes", ["extras", "layout"])
def test_members_of_a_message_that_is_joined_to_another_are_reported(name: str, notes: str) -> None:
    """A wire message has one set of members beside `parts`: those of the first of two messages."""
    member: Json = {"x": {"y": 1}} if notes == "extras" else {"keys": ["parts", "content", "role"]}
    reply = Message("tool", '{"a":1}', "functions.f", "commentary", "assistant", "c")
    second = replace(reply, **{notes: {name: {"wire message": member}}})
    trial = Trial(Transcript((Message("user", "Hi"), second)), name)
    trial.no_silent_loss()
    assert f"/messages/1/{notes}" in {"/".join(loss.path.split("/")[:4]) for loss in trial.result.losses}


def test_an_empty_system_prompt_is_not_written_into_a_column_that_is_not_read() -> None:
    empty = Message("system", "", layout={"sharegpt": {"column": True}})
    trial = Trial(Transcript((empty, Message("user", "Hi"))), "sharegpt")
    trial.no_silent_loss()
    assert isinstance(trial.back, Transcript)
    assert [message.role for message in trial.back.messages] == ["system", "user"]
