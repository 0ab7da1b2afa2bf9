"""The commands that are advised for data without a layout are run, and their output is read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.recognise.apps import APPS
from ocml_bridge.recognise.people import PEOPLE
from ocml_bridge.recognise.texts import TEXTS
from recognised_examples import EXAMPLES

COMMAND = re.compile(r"((?:jq|sed|awk) (?:-\w+ )?'.+?') ?FILE", re.DOTALL)
ADVICE = {kind.name: COMMAND.findall(kind.advice or "") for kind in (*APPS, *PEOPLE, *TEXTS)}


def done(command: str, example: Any, folder: Path) -> str:
    """The output of an advised command for an example; nothing if it cannot be run on it."""
    path = folder / "example"
    path.write_text(example if isinstance(example, str) else json.dumps(example), "utf-8")
    ran = subprocess.run(["/bin/sh", "-c", f"{command} '{path}'"], capture_output=True, text=True, check=False)
    return ran.stdout if ran.returncode == 0 else ""


def is_read(row: dict[str, Any]) -> bool:
    try:
        return bool(read_row(Plan((AUTO,)), row).documents)
    except BridgeError:
        return False


@pytest.mark.parametrize("name", [name for name, commands in ADVICE.items() if commands])
def test_the_advised_commands_make_rows_that_are_read(name: str, tmp_path: Path) -> None:
    if shutil.which(ADVICE[name][0].split()[0]) is None:
        pytest.skip("the command is not installed")
    made = [done(ADVICE[name][0], example, tmp_path) for example in EXAMPLES[name]]
    is_text = all(isinstance(example, str) for example in EXAMPLES[name])
    rows = (
        [{"text": text} for text in made]
        if is_text
        else [json.loads(line) for text in made for line in text.splitlines()]
    )
    assert any(map(is_read, rows)), made


@pytest.mark.parametrize(
    ("name", "example", "messages"),
    [
        (
            "a channel of Slack",
            [
                {"type": "message", "subtype": "channel_join", "user": "U2", "text": "joined", "ts": "1.1"},
                {"type": "message", "user": "U1", "text": "Hi", "ts": "1.2"},
                {"type": "message", "subtype": "bot_message", "username": "CI", "text": "Done", "ts": "1.3"},
            ],
            [{"role": "U1", "content": "Hi"}, {"role": "CI", "content": "Done"}],
        ),
        (
            "a thread of Zed",
            {
                "messages": [
                    {"User": {"content": [{"Text": "Hi"}]}},
                    {"Agent": {"content": [{"Thinking": {"text": "Hm"}}, {"Text": "Yes"}]}},
                    "Resume",
                ]
            },
            [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}],
        ),
    ],
)
def test_the_advised_command_makes_messages(name: str, example: Any, messages: Any, tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("the command is not installed")
    assert json.loads(done(ADVICE[name][0], example, tmp_path)) == {"messages": messages}


def test_the_advised_command_makes_texts(tmp_path: Path) -> None:
    chat = "[1/12/24, 10:00:00\u202fPM] Ann: Hi\n[1/12/24, 10:01:00\u202fPM] Bob: Yes: 3\n"
    assert done(ADVICE["a chat of WhatsApp"][0], chat, tmp_path) == "USER: Hi\nASSISTANT: Yes: 3\n"
    chat = "12.01.24, 10:00 - Ann: Hi\n12.01.24, 10:01 - Bob: Yes\n"
    assert done(ADVICE["a chat of WhatsApp"][0], chat, tmp_path) == "USER: Hi\nASSISTANT: Yes\n"
    chat = (
        "# aider chat started at 2024\n\n> Aider\n\n#### make it\n#### blue\n\nSure.\n\nDone.\n\n#### thanks\n\nWell.\n"
    )
    made = done(ADVICE["a chat of Aider"][0], chat, tmp_path)
    assert [line for line in made.splitlines() if line] == [
        *("USER: make it", "blue", "ASSISTANT: Sure.", "Done.", "USER: thanks", "ASSISTANT: Well."),
    ]
