"""A sidecar and an edited output: operations that fit are applied, and the others are reported as findings."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, FindingCode, Message, Severity, Tool, Transcript
from ocml_bridge.loss import Finding, Log
from ocml_bridge.model import Json, Media, Text, replace
from ocml_bridge.model.codec import to_json
from ocml_bridge.report import sidecar as sidecars


class Drawn(NamedTuple):
    """A conversation whose output has no weights and leaves some messages out, and the output after somebody's edits.

    Attributes:
        document: what was written.
        order: for each message of the output, its index in the document.
        removed: the messages that were taken out of the output, by their index in it.
        added: before which messages of the output there is a new one, by their index in it.
    """

    document: Transcript
    order: list[int]
    removed: set[int]
    added: set[int]

    @property
    def output(self) -> Transcript:
        messages = (replace(self.document.messages[at], weight=None) for at in self.order)
        return replace(self.document, messages=tuple(messages))

    @property
    def edited(self) -> Transcript:
        messages: list[Message] = []
        for at, message in enumerate(self.output.messages):
            messages += [Message("user", f"New {at}.")] if at in self.added else []
            messages += [message] if at not in self.removed else []
        return replace(self.document, messages=tuple(messages))


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    count = draw(st.integers(2, 8))
    messages = [Message("user", f"Number {at}.", weight=at / 8) for at in range(count)]
    hidden = draw(st.sets(st.integers(0, count - 1), max_size=count - 2))
    order = draw(st.permutations([at for at in range(count) if at not in hidden]))
    places = st.integers(0, len(order) - 1)
    removed = draw(st.sets(places, max_size=len(order) // 2))
    # A new message in the place of one is that message, edited.
    beside = {at + step for at in removed for step in (0, 1)}
    return Drawn(Transcript(tuple(messages)), list(order), removed, draw(st.sets(places, max_size=3)) - beside)


def applied(edited: Transcript, sidecar: Any) -> tuple[Transcript, list[Finding]]:
    log = Log()
    document = sidecars.apply(edited, sidecar, b"edited", "harmony", log)
    return cast("Transcript", document), log.findings


@given(drawn())
def test_present_messages_get_their_members_back_and_messages_that_were_left_out_are_restored(case: Drawn) -> None:
    made = sidecars.make(case.document, case.output, case.order, b"output", "harmony")
    document, findings = applied(case.edited, made)
    known = [message for message in document.messages if not str(message.content).startswith("New")]
    gone = {case.order[at] for at in case.removed}
    assert known == [message for at, message in enumerate(case.document.messages) if at not in gone]
    assert len(document.messages) - len(known) == len(case.added)
    assert sorted(finding.path for finding in findings) == sorted(f"/messages/{at}/weight" for at in gone)
    detail = "the output was edited here; add was not applied"
    assert {finding[:2] + finding[3:] for finding in findings} <= {(FindingCode.SIDECAR, Severity.CHANGED, detail)}


@given(drawn())
def test_an_unedited_output_restores_the_whole_document(case: Drawn) -> None:
    made = sidecars.make(case.document, case.output, case.order, b"output", "harmony")
    log = Log()
    assert sidecars.apply(case.output, made, b"output", "harmony", log) == case.document
    assert log.findings == []
    assert json.loads(json.dumps(made)) == made


FOUR = Transcript(tuple(Message("user", f"Number {at}.", "bob", weight=1) for at in range(4)))
BARE = replace(FOUR, messages=tuple(replace(message, name=None, weight=None) for message in FOUR.messages))
SIDECAR = sidecars.make(FOUR, BARE, range(4), b"output", "harmony")


def with_second(**fields: Any) -> Transcript:
    first, second, *rest = BARE.messages
    return replace(BARE, messages=(first, replace(second, **fields), *rest))


@pytest.mark.parametrize(
    ("fields", "kept", "found"),
    [
        ({"content": "Another."}, {"content": "Another.", "name": "bob", "weight": 1}, []),
        ({"weight": 0.5}, {"name": "bob", "weight": 0.5}, ["weight"]),
        ({"name": "eve", "weight": 0.5}, {"name": "eve", "weight": 0.5}, ["name", "weight"]),
    ],
)
def test_edits_are_not_overwritten(fields: dict[str, Any], kept: dict[str, Any], found: list[str]) -> None:
    document, findings = applied(with_second(**fields), SIDECAR)
    assert document.messages[1] == replace(BARE.messages[1], **kept)
    assert document.messages[2:] == FOUR.messages[2:]
    assert [finding.path for finding in findings] == [f"/messages/1/{name}" for name in found]


def test_settings_and_tools_of_an_edited_output_are_restored() -> None:
    tools = (Tool("f", "Does.", {"type": "object", "properties": {"b": {}, "a": {}}}), Tool("g"))
    document = replace(FOUR, tools=tools, extras={"openai": {"user": "u", "a": 1}})
    sorted_tools = (
        replace(tools[0], description=None, parameters={"properties": {"a": {}, "b": {}}, "type": "object"}),
    )
    output = replace(BARE, tools=sorted_tools)
    made = sidecars.make(document, output, range(4), b"output", "harmony")
    back, findings = applied(replace(output, messages=with_second(content="Another.").messages), made)
    assert findings == []
    assert json.dumps(to_json(replace(back, messages=()))) == json.dumps(to_json(replace(document, messages=())))


REFUSED: dict[str, tuple[Any, str]] = {
    "nothing": (None, "not a sidecar of version 1 to 2; --sidecar-out writes one"),
    "a later one": ({**SIDECAR, "sidecar": 3}, "not a sidecar of version 1 to 2; --sidecar-out writes one"),
    "a part": ({**SIDECAR, "anchors": None}, "the sidecar is damaged"),
    "patch": ({**SIDECAR, "patch": {}}, "the sidecar is damaged"),
    "order": ({**SIDECAR, "order": []}, "the sidecar is damaged"),
    "of another": ({**SIDECAR, "target": "chatml"}, "the sidecar belongs to chatml output, not to harmony"),
    "a member less": (
        {key: value for key, value in SIDECAR.items() if key != "anchors"},
        "not a sidecar of version 1 to 2; --sidecar-out writes one",
    ),
    "of the first version with a member of the second": (
        {**SIDECAR, "sidecar": 1},
        "not a sidecar of version 1 to 2; --sidecar-out writes one",
    ),
}


@pytest.mark.parametrize(("sidecar", "message"), REFUSED.values(), ids=REFUSED)
def test_a_sidecar_of_another_output_is_refused_with_the_reason(sidecar: Json, message: str) -> None:
    for data in (b"output", b"edited"):
        with pytest.raises(BridgeError) as caught:
            sidecars.apply(BARE, sidecar, data, "harmony", Log())
        assert (caught.value.code, caught.value.message) == (ErrorCode.SIDECAR, message)


def test_a_sidecar_whose_patch_gives_no_document_is_refused() -> None:
    broken = {**SIDECAR, "patch": [{"op": "replace", "path": "/messages/0", "value": 7}]}
    for data in (b"output", b"edited"):
        with pytest.raises(BridgeError) as caught:
            sidecars.apply(BARE, cast("Json", broken), data, "harmony", Log())
        message = "the sidecar's patch does not give a document; the sidecar may be damaged"
        assert (caught.value.code, caught.value.message) == (ErrorCode.SIDECAR, message)


def test_a_sidecar_of_another_conversation_is_refused() -> None:
    others = replace(BARE, messages=tuple(Message("user", f"Other {at}.") for at in range(4)))
    with pytest.raises(BridgeError) as caught:
        applied(others, SIDECAR)
    message = "the sidecar belongs to another output: fewer than half of its messages are here"
    assert (caught.value.code, caught.value.message) == (ErrorCode.SIDECAR, message)


def test_a_value_that_the_output_changed_is_restored_only_if_it_was_not_edited() -> None:
    before = replace(BARE, messages=(Message("user", "Hi", name="eve"), Message("user", "Ho")))
    after = replace(before, messages=(Message("user", "Hi", name="bob", weight=1), Message("user", "Ho")))
    made = sidecars.make(after, before, range(2), b"output", "harmony")
    patch = cast("list[dict[str, Json]]", made["patch"])
    assert [(each["op"], each["path"], "was" in each) for each in patch] == [
        ("add", "/messages/0/weight", False),
        ("replace", "/messages/0/name", True),
    ]
    for name, restored in (("eve", "bob"), ("ann", "ann"), (None, None)):
        edited = replace(before, messages=(Message("user", "Hey", name=name), Message("user", "Ho")))
        document, findings = applied(edited, made)
        assert document.messages[0] == Message("user", "Hey", name=restored, weight=1)
        detail = "the output was edited here; replace was not applied"
        found = Finding(FindingCode.SIDECAR, Severity.CHANGED, "/messages/0/name", detail)
        assert findings == ([found] if name != "eve" else [])


def test_a_part_that_was_left_out_is_restored_before_the_present_ones() -> None:
    image = Media("image", url="https://example.org/a.png")
    before = replace(BARE, messages=(Message("user", (Text("a"), Text("b"))), Message("user", "Ho")))
    after = replace(before, messages=(Message("user", (image, Text("a"), Text("b"))), Message("user", "Ho")))
    made = sidecars.make(after, before, range(2), b"output", "harmony")
    edited = replace(before, messages=(before.messages[0], Message("user", "Hey")))
    document, findings = applied(edited, made)
    assert document.messages == (after.messages[0], Message("user", "Hey"))
    assert findings == []
