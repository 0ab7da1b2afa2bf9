"""What is fuzzed: a table of functions that take bytes, each with bytes to begin with.

A target fails by any exception. What it takes is read, or refused by an error with a code (law 6); what is read is
written, and checked against the laws of every document: nothing is lost in silence (2), nothing private is shown
(10), one conversation stays one (11). Streams give the same however they are cut (4), and conversions with plans.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from deltas import texts_of
from ocml_bridge import BridgeError, Options, decoder, encoder, formats, make_sidecar, read, write
from ocml_bridge.bulk.plan_rows import row_of
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.cli.output import CommandError
from ocml_bridge.cli.plans import plan_named
from ocml_bridge.events import End, Event
from ocml_bridge.hosts.gateway import Settings
from ocml_bridge.hosts.gateway.api import CHAT, MESSAGES, RESPONSES, Api
from ocml_bridge.hosts.gateway.clients.exchange import parsed
from ocml_bridge.hosts.gateway.clients.upstream_request import understand
from ocml_bridge.hosts.gateway.problems import ApiError
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.pipe import streams
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.boundary import one_conversation
from ocml_bridge.testing.golden import extension
from ocml_bridge.testing.streams import check_order, events_of
from ocml_bridge.testing.trial import Trial
from ocml_bridge.testing.visibility import visibility
from outcomes import PLAIN, PLANNED, outcome
from sources import ROOT

GOLDEN = ROOT / "golden"
QUOTED = 900
"""The most characters of an error: it quotes a little of the input, and not all of it."""
FORCED = Options(force_format=True)


class Target(NamedTuple):
    """One thing that takes bytes.

    Attributes:
        run: takes them.
        seeds: bytes to begin with.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]


# --- readers ----------------------------------------------------------------------------------------------------------


def read_by(name: str, data: bytes) -> None:
    """Read bytes, and write what was read: in its own format, and in another one that the bytes choose."""
    try:
        document = read(data, name, options=FORCED).transcript
    except BridgeError as error:
        check_error(error)
        return
    others = _targets()
    for target in {name, others[len(data) % len(others)]}:
        trial = Trial(document, target)
        trial.no_silent_loss()
        visibility(trial)
        one_conversation(trial)


def planned(data: bytes) -> None:
    """Convert bytes as often as plans need to be learned; their first byte selects the format."""
    names = _targets()
    source, data = names[(data[0] if data else 0) % len(names)], data[1:]
    for target in ("canonical", names[len(data) % len(names)]):
        plain = outcome(data, source, target, PLAIN)
        for _ in range(_MEETINGS):
            assert outcome(data, source, target, PLANNED) == plain


_MEETINGS = 6


def documents_of_all() -> Iterator[bytes]:
    """Golden inputs and outputs, each behind the byte of its format."""
    for number, name in enumerate(_targets()):
        yield from (bytes((number,)) + data for data in documents_in(name))


@cache
def _targets() -> tuple[str, ...]:
    """The formats to write: none of those that need a vocabulary, which take long for every text."""
    return tuple(name for name in formats() if not name.endswith("-tokens"))


def check_error(error: BridgeError) -> None:
    """An error has a code and a short message."""
    assert error.code
    _is_short(str(error))


def _is_short(line: str) -> None:
    assert len(line) < QUOTED, line


def documents_in(name: str) -> Iterator[bytes]:
    """Golden inputs and outputs of a format."""
    for path in sorted(GOLDEN.glob(f"{name}/*/input.*")):
        yield path.read_bytes()
    for path in sorted(GOLDEN.glob(f"*/*/{name}.{extension(name)}")):
        yield path.read_bytes()


# --- streams ----------------------------------------------------------------------------------------------------------


def decode(stream: str, data: bytes) -> None:
    """Decode a stream whole, and in pieces of a size that its first byte selects; events and messages agree."""
    size, data = (data[0] if data else 0) % 16 + 1, data[1:]
    whole = events_of(decoder(stream), [data])
    agree(whole.events)
    assert events_of(decoder(stream), [data[at : at + size] for at in range(0, len(data), size)]) == whole


def agree(events: Sequence[Event]) -> None:
    """Messages begin and end in order, and the deltas of each are its text, unless the whole is not understood."""
    check_order(events)
    texts = texts_of(events)
    for event in events:
        if isinstance(event, End):
            is_understood = all(part.type != "foreign" for part in parts_of(event.message.content))
            assert texts[event.number] == text_of(event.message) or not is_understood


def decode_ids(stream: str, data: bytes) -> None:
    """The same for token ids, of which three bytes each are one."""
    size, data = (data[0] if data else 0) % 16 + 1, data[1:]
    ids = [int.from_bytes(data[at : at + 3]) for at in range(0, len(data), 3)]
    whole = events_of(decoder(stream), [ids])
    agree(whole.events)
    assert events_of(decoder(stream), [ids[at : at + size] for at in range(0, len(ids), size)]) == whole


def answers_in(stream: str) -> Iterator[bytes]:
    """Streams to decode: the texts of a format, or golden answers as the stream's own encoder writes them."""
    if stream in formats():
        yield from (b"\x03" + data for data in documents_in(stream))
        return
    for path in sorted(GOLDEN.glob("harmony/*/input.txt")):
        made = encoder(stream)
        events = _events(path.read_text("utf-8"))
        yield b"\x07" + b"".join(made.encode(events))


def _events(text: str) -> list[Event]:
    return events_of(decoder("harmony"), [text]).events


def ids_in(stream: str) -> Iterator[bytes]:
    """Golden token ids, three bytes each."""
    for data in documents_in(stream):
        value: Any = json.loads(data)
        if all(isinstance(each, int) and 0 <= each < 1 << 24 for each in value):
            ids: list[int] = value
            yield b"\x03" + b"".join(number.to_bytes(3) for number in ids)


# --- sidecars, plans, requests ----------------------------------------------------------------------------------------


@cache
def _written() -> tuple[bytes, Any]:
    data = (GOLDEN / "openai" / "parallel-replies-out-of-order" / "input.json").read_bytes()
    result = write(read(data, "openai").transcript, "harmony", policy=LENIENT)
    return result.encode(), make_sidecar(result)


def sidecar(data: bytes) -> None:
    """Read an output with these bytes as its sidecar."""
    output, _ = _written()
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        document = read(output, "harmony", sidecar=value).transcript
    except BridgeError as error:
        check_error(error)
        return
    Trial(document, "canonical").no_silent_loss()


def sidecars() -> Iterator[bytes]:
    """One that fits, and one of each release."""
    yield json.dumps(_written()[1]).encode()
    for path in sorted(GOLDEN.glob("compat/*/sidecars/*.json")):
        yield path.read_bytes()


@cache
def _plan_file() -> Path:
    return Path(tempfile.mkdtemp(), "plan.yaml")


def plan(data: bytes) -> None:
    """Read a plan as the command reads it."""
    _plan_file().write_bytes(data)
    try:
        plan_named(os.fspath(_plan_file()))
    except CommandError as error:
        _is_short(error.line)
    except BridgeError as error:
        check_error(error)


def plans() -> Iterator[bytes]:
    """Plans as people write them."""
    yield from (path.read_bytes() for path in sorted(GOLDEN.glob("compat/*/plan.yaml")))
    yield b"layout: [alpaca, sharegpt]\ncolumns: {instruction: q, output: a}\nroles: {human: user}\nthoughts: [think]\n"


ROWS = Plan((AUTO,), preview=True)


def row(data: bytes) -> None:
    """Read a row of a dataset, previews among them, and write its conversations."""
    try:
        found = read_row(ROWS, row_of(data, text=True))
        for document in found.documents:
            transcript = read(document.value, found.layout.format, options=FORCED).transcript
            write(transcript, "openai", policy=LENIENT)
    except BridgeError as error:
        check_error(error)


def rows() -> Iterator[bytes]:
    """Rows of public datasets, and a session of each agent."""
    for path in sorted(GOLDEN.glob("rows/*.json")):
        yield from (json.dumps(case["row"]).encode() for case in json.loads(path.read_bytes())["cases"])
    user, assistant = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}
    session = [
        {"type": each["role"], "uuid": each["role"], "parentUuid": parent, "message": each}
        for each, parent in ((user, None), (assistant, "user"))
    ]
    items = [{"type": "response_item", "payload": {"type": "message", **each}} for each in (user, assistant)]
    yield json.dumps(session).encode()
    yield json.dumps([{"type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}}, *items]).encode()


SETTINGS = (Settings("http://upstream", profile="gpt-oss"), Settings("http://upstream", profile="qwen3"))


def request(api: Api, data: bytes) -> None:
    """Take a request to the gateway apart, and make its prompt."""
    try:
        understand(parsed(data), SETTINGS[len(data) % 2], "2026-01-01", api=api)
    except ApiError as error:
        _is_refusal(error)


def _is_refusal(error: ApiError) -> None:
    assert 400 <= error.status < 500, error


def requests_of(api: Api) -> Iterator[bytes]:
    """Golden requests, alone and with settings."""
    for data in documents_in(api.form):
        yield data
        value = json.loads(data) if data[:1] == b"{" else None
        if isinstance(value, dict):
            yield json.dumps({"model": "m", "stream": True, "max_tokens": 9, **value}).encode()


# --- the table --------------------------------------------------------------------------------------------------------


def table() -> dict[str, Target]:
    """All targets by name."""
    found: dict[str, Target] = {}
    for name in formats():
        found[f"reader-{name}"] = Target(partial(read_by, name), partial(documents_in, name))
    found["plans"] = Target(planned, documents_of_all)
    for name in streams()[0]:
        tokens = name.endswith("-tokens")
        run, seeds = (decode_ids, ids_in) if tokens else (decode, answers_in)
        found[f"stream-{name}"] = Target(partial(run, name), partial(seeds, name))
    found["sidecar"] = Target(sidecar, sidecars)
    found["plan"] = Target(plan, plans)
    found["row"] = Target(row, rows)
    for api in (CHAT, RESPONSES, MESSAGES):
        found[f"request-{api.form}"] = Target(partial(request, api), partial(requests_of, api))
    return found
