"""Policies of loss: a code decides before its class."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ocml_bridge import (
    BridgeError,
    ErrorCode,
    Finding,
    FindingCode,
    Loss,
    LossCode,
    Message,
    Severity,
    Transcript,
    convert,
    write,
)
from ocml_bridge.loss import CLASSES, LossClass, worst_class
from ocml_bridge.model import Alternative, Foreign
from ocml_bridge.report.policy import DEFAULT_POLICY, LENIENT, LossPolicy, refusal

SPOKEN = Transcript((Message("user", (Foreign("openai", {"type": "speech", "text": "Hello"}),)),))
NAMED = Transcript((Message("user", "Hi", name="bob"),))


def lost(code: LossCode, severity: Severity = Severity.LOST) -> Loss:
    return Loss(code, severity, "/messages/0", "")


@pytest.mark.parametrize("code", LossCode)
def test_by_default_the_loss_of_whole_messages_and_answers_is_refused(code: LossCode) -> None:
    assert bool(DEFAULT_POLICY.refused([lost(code)])) == (code in {LossCode.EMPTIED, LossCode.ALTERNATIVES})


@pytest.mark.parametrize("code", LossCode)
def test_strict_refuses_every_loss_that_is_not_allowed(code: LossCode) -> None:
    assert DEFAULT_POLICY.refused([lost(code)], strict=True)
    assert not LossPolicy(allow=(code,)).refused([lost(code)], strict=True)
    assert not LossPolicy(allow=(CLASSES[code],)).refused([lost(code)], strict=True)
    assert not LENIENT.refused([lost(code)], strict=True)


@pytest.mark.parametrize("code", LossCode)
def test_layout_is_never_refused(code: LossCode) -> None:
    policy = LossPolicy(refuse=(code,))
    assert not policy.refused([lost(code, Severity.LAYOUT)], strict=True)


def test_a_code_decides_before_its_class() -> None:
    losses = [lost(LossCode.MEDIA), lost(LossCode.MESSAGE)]
    assert LossPolicy(allow=("media",), refuse=("content",)).refused(losses) == losses[1:]
    assert LossPolicy(allow=("content",), refuse=("media",)).refused(losses) == losses[:1]


def test_the_name_content_means_the_class() -> None:
    assert LossPolicy(refuse=("content",)).refused([lost(LossCode.CONTENT), lost(LossCode.MEDIA)]) != []
    assert LossPolicy(refuse=("content",)).refused([lost(LossCode.CALL_ID)]) == []


@pytest.mark.parametrize(("allow", "refuse"), [(("emptid",), ()), ((), ("contents",)), (("media",), ("media",))])
def test_a_contradictory_policy_is_an_error(allow: tuple[str, ...], refuse: tuple[str, ...]) -> None:
    with pytest.raises(BridgeError) as raised:
        LossPolicy(allow, refuse)
    assert raised.value.code is ErrorCode.OPTION
    assert (allow or refuse)[0] in raised.value.message


def test_the_error_for_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(BridgeError, match="content, structure, bookkeeping, message, "):
        LossPolicy(allow=("nothing",))


def test_an_emptied_message_is_refused_by_its_own_code() -> None:
    with pytest.raises(BridgeError) as raised:
        write(SPOKEN, "harmony")
    assert (raised.value.code, raised.value.path) == (ErrorCode.EMPTIED, "/messages/0/content")
    assert raised.value.exit_code == 3


def test_an_emptied_message_is_written_if_that_is_allowed() -> None:
    result = write(SPOKEN, "harmony", policy=LossPolicy(allow=("emptied",)))
    assert LossCode.EMPTIED in {loss.code for loss in result.losses}
    assert result.characters == (5, 0)


def test_a_refused_class_is_an_error_with_its_path() -> None:
    assert write(NAMED, "harmony", policy=LossPolicy(refuse=("content",))).losses
    with pytest.raises(BridgeError) as raised:
        write(NAMED, "harmony", policy=LossPolicy(refuse=("structure",)))
    assert (raised.value.code, raised.value.path) == (ErrorCode.LOSS, "/messages/0/name")


def test_strict_with_an_allowance() -> None:
    messages = {"messages": [{"role": "user", "content": "Hi", "name": "bob"}]}
    result = convert(messages, source="openai", target="harmony", strict=True, policy=LossPolicy(allow=("structure",)))
    assert result.losses[0].code is LossCode.NAME


def test_the_worst_class_ignores_layout() -> None:
    layout = lost(LossCode.CONTENT, Severity.LAYOUT)
    assert worst_class([layout]) is None
    assert worst_class([layout, lost(LossCode.CALL_ID)]) is LossClass.BOOKKEEPING
    assert worst_class([lost(LossCode.CALL_ID), lost(LossCode.ROLE)]) is LossClass.STRUCTURE
    assert worst_class([lost(LossCode.ROLE), lost(LossCode.MEDIA), lost(LossCode.CALL_ID)]) is LossClass.CONTENT


def test_several_answers_are_refused_if_only_one_can_be_written() -> None:
    choices = [{"index": index, "message": {"role": "assistant", "content": text}} for index, text in enumerate("ab")]
    with pytest.raises(BridgeError, match="--allow alternatives writes the rest") as raised:
        convert({"choices": choices}, source="openai", target="harmony")
    assert (raised.value.code, raised.value.path) == (ErrorCode.LOSS, "/alternatives/0")
    policy = LossPolicy(allow=("alternatives",))
    allowed = convert({"choices": choices}, source="openai", target="harmony", policy=policy)
    assert allowed.output == "<|start|>assistant<|channel|>final<|message|>a<|end|>"


def test_a_refusal_names_exactly_the_codes_that_must_be_allowed() -> None:
    other = replace(SPOKEN, alternatives=(Alternative(SPOKEN.messages, 0, "choice"),))
    with pytest.raises(BridgeError, match=r"--allow alternatives,emptied writes the rest\Z") as raised:
        write(other, "harmony")
    assert raised.value.code is ErrorCode.EMPTIED
    assert write(other, "harmony", policy=LossPolicy(allow=("alternatives", "emptied"))).losses
    with pytest.raises(BridgeError) as strict:
        write(other, "harmony", strict=True)
    assert "--allow" not in strict.value.message


@pytest.mark.parametrize(
    ("codes", "message", "error", "path"),
    [
        (("name",), "lost name: detail of name", ErrorCode.LOSS, "/0"),
        (("name", "role"), "lost name: detail of name (and 1 more)", ErrorCode.LOSS, "/0"),
        (("role", "name", "role"), "lost role: detail of role (and 2 more)", ErrorCode.LOSS, "/0"),
        (("name", "emptied"), "lost emptied: detail of emptied (and 1 more)", ErrorCode.EMPTIED, "/1"),
        (("emptied",), "detail of emptied; --allow emptied writes the rest", ErrorCode.EMPTIED, "/0"),
        (
            ("alternatives", "alternatives", "emptied"),
            "detail of emptied (and 2 more); --allow alternatives,emptied writes the rest",
            ErrorCode.EMPTIED,
            "/2",
        ),
    ],
)
def test_a_refusal_has_the_worst_loss_and_the_number_of_others(
    codes: tuple[str, ...], message: str, error: ErrorCode, path: str
) -> None:
    losses = [Loss(LossCode(code), Severity.LOST, f"/{at}", f"detail of {code}") for at, code in enumerate(codes)]
    refused = refusal(losses)
    assert (refused.message, refused.code, refused.path, refused.refused) == (message, error, path, True)


def test_a_repair_of_a_reader_is_refused_by_its_code() -> None:
    finding = Finding(FindingCode.CHANNEL_MISSING, Severity.CHANGED, "/messages/0", "no channel")
    refused = refusal([finding])
    assert (refused.code, refused.message) == (finding.code, f"changed {finding.code}: no channel")
    assert refusal([finding._replace(code=FindingCode.HEADER_VALUE)]).code is ErrorCode.LOSS
