"""Open turns of any role, after any messages: text formats write them, or report the loss."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from ocml_bridge import Message, Options, Transcript, read, write
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws
from ocml_bridge.testing.plans import plans_change_nothing

TEXTS: Final = ("ocm-2.2", "ocm-0.1", "harmony", "internlm2", "chatml")
ROLES: Final = (
    *("assistant", "user", "system", "developer", "tool", "environment", "critic"),
    *("python", "functions.f", "browser.search", "a b", "<|end|>", ""),
)
NAMES: Final = (None, "bob", "functions.f", "f", "python", "a b", "<|im_end|>")
CALL: Final = Message("assistant", "{}", None, "commentary", "functions.f", "c1", constraint="json", end="call")
BEFORE: Final = ((), (Message("user", "Hi."),), (Message("user", "Hi.", end=None),), (CALL,))


@pytest.mark.parametrize("target", TEXTS)
@pytest.mark.parametrize("role", ROLES)
def test_an_open_turn_is_written_or_its_loss_is_reported(role: str, target: str) -> None:
    for name, before in product(NAMES, BEFORE):
        document = Transcript(before, open_turn=Message(role, "", name, end=None))
        result = write(document, target, policy=LENIENT)
        assert read(result.output, target, options=Options(force_format=True)).transcript == result.image
    unnamed = Transcript(BEFORE[1], open_turn=Message(role, "", end=None))
    all_laws(unnamed, target)
    plans_change_nothing(unnamed, target)


@pytest.mark.parametrize("target", TEXTS)
@pytest.mark.parametrize("channel", ["analysis", "commentary", "final", "notes", None])
def test_the_channel_of_an_open_turn_is_written_or_its_loss_is_reported(channel: str | None, target: str) -> None:
    for recipient in (None, "functions.f", "user"):
        turn = Message("assistant", "", channel=channel, recipient=recipient, end=None)
        all_laws(Transcript((Message("user", "Hi."),), open_turn=turn), target)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("target", TEXTS)
def test_a_message_of_any_role_is_read_back_as_its_image(role: str, target: str) -> None:
    for name, end in product(NAMES, ("end", None)):
        document = Transcript((Message("user", "Hi."), Message(role, "Yes.", name, end=end)))
        result = write(document, target, policy=LENIENT)
        assert read(result.output, target, options=Options(force_format=True)).transcript == result.image
    all_laws(Transcript((Message("user", "Hi."), Message(role, "Yes.", "bob"))), target)
