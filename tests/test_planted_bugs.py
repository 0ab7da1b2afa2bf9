"""Bugs that are planted in the formats of the guide: each check of the test kit finds the bugs that are its subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from ocml_bridge.testing import check_adapter, check_bytes, check_samples
from sources import ROOT

GUIDE = (ROOT / "docs" / "adding-a-format.md").read_text("utf-8")
CODE = {
    name: next(code for code in re.findall(r"^```python\n(.*?)^```", GUIDE, re.M | re.S) if f'Adapter("{name}"' in code)
    for name in ("gemma", "ollama")
}
TALK = {
    "gemma": b"<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello.<end_of_turn>\n",
    "ollama": b'{"model":"m","messages":[{"role":"user","content":"Hi"},{"content":"Yes","role":"assistant"}],"x":1}',
}


@pytest.fixture(autouse=True)
def unshrunk() -> Iterator[None]:
    profile = settings.get_current_profile_name()
    settings.load_profile("no-shrinking")
    yield
    settings.load_profile(profile)


def with_bug(name: str, *changes: tuple[str, str]) -> Any:
    """The adapter of a format of the guide, with a bug in it."""
    code, names = CODE[name], dict[str, Any]()
    for right, wrong in changes:
        assert right in code
        code = code.replace(right, wrong)
    exec(code, names)
    return names["ADAPTER"]


@pytest.mark.parametrize(
    ("name", "right", "wrong", "message"),
    [
        ("ollama", "if key not in own}", "if False}", "was read without findings, and is written back as"),
        ("ollama", 'NOTES.by_format(layout)}', 'None}', "was read without findings, and is written back as"),
        ("ollama", "return 1 if", "return 3 if", "sniff gives 3 for what is certainly"),
        ("ollama", '(model=source["model"])', '(model=source["model"], stop=[])', "must be a tuple of str, not a list"),
    ],
)  # fmt: skip
def test_samples_reveal_a_planted_bug(name: str, right: str, wrong: str, message: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):
        check_samples(with_bug(name, (right, wrong)), [TALK[name]], examples=20)


def test_members_that_are_only_in_the_layout_are_lost_after_an_edit() -> None:
    """A message with an unknown member is written as it was read, until it is edited."""
    extras = "{key: value for key, value in members.items() if key not in own}\n    keys", "{}\n    keys"
    layout = '{"keys": [*members]}', '{"keys": [*members], "raw": members}'
    unit = (
        "return found if found == members else members",
        (
            "raw = NOTES.of(layout).get('raw')\n"
            "    return raw if isinstance(raw, dict) and members.items() <= raw.items() else members"
        ),
    )
    with pytest.raises(AssertionError, match=r"after an edit elsewhere, \['unheard_of'\] is gone without a loss"):
        check_samples(with_bug("ollama", extras, layout, unit), [TALK["ollama"]])


@pytest.mark.parametrize("name", CODE)
def test_a_thought_that_is_written_as_an_answer_is_noticed(name: str) -> None:
    with pytest.raises(AssertionError, match="law of"):
        check_adapter(with_bug(name, (" or is_private(message)", "")), examples=1)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "message"),
    [
        ("gemma", ", offset=turn.offset)", ")", "is refused without a place"),
        ("gemma", "turn.gap == self.gap and ", "", "was read without findings, and is written back as"),
        ("ollama", "if not isinstance(unit, dict) or", "if", "object has no attribute 'get'"),
    ],
)
def test_odd_sources_reveal_a_planted_bug(name: str, right: str, wrong: str, message: str) -> None:
    with pytest.raises((AssertionError, AttributeError), match=re.escape(message)):
        check_bytes(with_bug(name, (right, wrong)), examples=30)
