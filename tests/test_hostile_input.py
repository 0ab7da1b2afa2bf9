"""Any bytes give a document or a `BridgeError` with a code and a place, in linear time (law 6)."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, formats, read
from ocml_bridge.registry import adapter
from sampling import sweep

pytestmark = pytest.mark.usefixtures("settled_heap")


@pytest.fixture
def collector_rests() -> Iterator[None]:
    """Only the reader is timed: the time of the cyclic collector depends on all objects of the process."""
    gc.disable()
    yield
    gc.enable()


INPUTS = sorted((Path(__file__).parents[1] / "golden").glob("*/*/input.*"))
TEXTS = [path.read_bytes() for path in INPUTS if path.suffix != ".json"]
JSONS = [path.read_bytes() for path in INPUTS if path.suffix == ".json"]
READERS = [name for name in formats() if name != "harmony-tokens"]
SIZE = 500_000

KILLERS: dict[str, bytes] = {
    "half a megabyte of <": b"<" * SIZE,
    "half a megabyte of <|": b"<|" * (SIZE // 2),
    "half a megabyte of < before a token": b"<|start|>user<|message|>" + b"<" * SIZE + b"|end|>",
    "half a megabyte of < before none": b"<|start|>user<|message|>" + b"<" * SIZE + b"x<|end|>",
    "half a megabyte of < in thoughts": b"<|start|>assistant<|channel|>analysis<|message|>" + b"<" * SIZE + b"|<|end|>",
    "broken tokens": b"<\xe2\x80\x8b|im_end|" * (SIZE // 14),
    "breaks without end": b"<" + b"\xe2\x80\x8b" * (SIZE // 3),
    "50,000 literal blocks opened": b"<|start|>user<|message|>" + b"<|literal|>" * 50_000,
    "20,000 messages opened": b"<|im_start|>" * 20_000,
    "50,000 frames opened": b"<|start|>" * 50_000,
    "50,000 ends": b"<|im_start|>user\nx" + b"<|im_end|>" * 50_000,
    "50,000 calls opened": b"<|im_start|>assistant\n" + b"<|action_start|><|plugin|>" * 50_000,
    "50,000 function calls": b"<|im_start|>assistant\n" + b'<|function_call|>{"name":"f"' * 50_000,
    "50,000 function lists": b"[BOS]<|im_start|>system\n" + b"<|function_list|>[" * 50_000,
    "50,000 thoughts": b"<|im_start|>assistant\n" + b"<|start_reason|>" * 50_000,
    "30,000 sections of CDATA": b'<|im_start|>assistant\n<function name="f"><param name="k">'
    + b"<![CDATA[x]]>" * 30_000,
    "10,000 declared tools": b"<|im_start|>system\n# Tools\n\n<tools>\n"
    + b'{"type":"function","function":{"name":"f"}}\n' * 10_000,
    "50,000 infills": b"<|fim_prefix|><|fim_middle|>" * 50_000,
    "50,000 files": b"<|file_separator|>" * 50_000,
    "a header without end": b"<|start|>assistant " + b"x" * SIZE,
    "a header of attributes": b"<|start|>assistant " + b"a=b " * (SIZE // 4) + b"<|message|>x<|end|>",
    "channels without end": b"<|start|>assistant" + b"<|channel|>final" * 30_000,
    "words without tokens": b"analysisassistantfinal" * 50_000,
    "white space between frames": b"<|im_start|>user\nx<|im_end|>" + b" " * SIZE,
    "JSON nested 50,000 deep": b"[" * 50_000,
    "JSON nested and closed": b"[" * 50_000 + b"]" * 50_000,
    "objects nested 50,000 deep": b'{"a":' * 50_000,
    "a call nested 50,000 deep": b'<|im_start|>assistant\n<|function_call|>\n{"name":"f","arguments":' + b"[" * 50_000,
    "tools nested 50,000 deep": b"<|im_start|>system name=<|plugin|>\n" + b"[" * 50_000 + b"<|im_end|>",
    "tools of parentheses": b"<|im_start|>system name=<|plugin|>\n" + b"(" * 50_000 + b"<|im_end|>",
    "an array of 50,000 numbers": b"[" + b"200006," * 50_000 + b"1]",
    "a YAML bomb": b"a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nversion: [*c,*c]\n<|start|>user<|message|>x<|end|>",
    "deep YAML": b"a: " + b"[" * 50_000 + b"\n<|start|>user<|message|>x<|end|>",
    "long YAML": b"a: b\n" * 10_000 + b"<|start|>user<|message|>x<|end|>",
    "white space in YAML": b"version: 2.2 #" + b" " * 60_000 + b"x\n<|start|>user<|message|>x<|end|>",
    "a number of 10,000 digits": b'{"messages":[{"role":"user","content":"x","n":' + b"9" * 10_000 + b"}]}",
    "duplicate keys": b'{"messages":[],"messages":[{"role":"user","content":"x"}]}',
    "NaN": b'{"messages":[{"role":"user","content":"x","n":NaN}]}',
    "half a surrogate": b'{"messages":[{"role":"user","content":"\\ud800"}]}',
    "NUL": b"\0" * 1000,
    "not UTF-8": b"<|im_start|>user\n\xff\xfe<|im_end|>",
    "half a character": "<|im_start|>user\né".encode()[:-1],
    "a byte order mark": b"\xef\xbb\xbf<|im_start|>user\nx<|im_end|>",
    "nothing": b"",
    "a space": b" ",
    "null": b"null",
    "a number": b"5",
    "a string": b'"x"',
    "an empty list": b"[]",
    "an empty object": b"{}",
    "JSON lines, the second broken": b'{"role":"user","content":"x"}\n{"role":\n',
    "50,000 messages of nothing": b"[" + b"{}," * 50_000 + b"{}]",
}


def attempt(data: bytes, name: str) -> BridgeError | None:
    try:
        read(data, name)
    except BridgeError as error:
        return error
    return None


@pytest.mark.sweep
@pytest.mark.usefixtures("collector_rests")
@pytest.mark.parametrize(("killer", "name"), sweep(product(KILLERS, READERS), 7))
def test_documents_that_break_parsers_are_read_or_refused_quickly(name: str, killer: str) -> None:
    begun = time.process_time()
    error = attempt(KILLERS[killer], name)
    # Most take milliseconds, the slowest a second or two; what is not linear would take minutes. The limit leaves
    # room for a machine that is busy with other things.
    assert time.process_time() - begun < 6.0
    if error is not None:
        assert error.code
        assert len(str(error)) < 500, "an error quotes a little of the input, not all of it"


@pytest.mark.parametrize("name", READERS)
def test_numbers_that_json_readers_round_and_keys_that_they_drop_are_errors(name: str) -> None:
    if adapter(name)[0].kind.value == "json":
        for killer in ("a number of 10,000 digits", "duplicate keys", "NaN"):
            assert attempt(KILLERS[killer], name) is not None


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes taken out, put in, doubled, or swapped with another place's."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, to = sorted((chance.randrange(len(out) + 1), chance.randrange(len(out) + 1)))
        to = min(to, at + chance.choice((1, 2, 8, 64)))
        kind = chance.randrange(4)
        if kind == 0:
            del out[at:to]
        elif kind == 1:
            out[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 3)))
        elif kind == 2:
            out[at:at] = out[at:to] * chance.randint(1, 3)
        else:
            out[at:to] = chance.choice((b"<|", b"|>", b'"', b"{", b"}", b"\n", b"<|end|>", b"<|im_end|>", b"\\", b","))
        if not out:
            break
    return bytes(out)


@given(st.integers(0, 2**32))
def test_mutated_documents_are_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    text, value = mutated(chance.choice(TEXTS), chance), mutated(chance.choice(JSONS), chance)
    for name in READERS:
        attempt(text, name)
        attempt(value, name)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for name in READERS:
        attempt(data, name)
