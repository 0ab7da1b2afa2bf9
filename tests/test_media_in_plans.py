"""Addresses and data of media are values of plans; the output is the same as without plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import convert, formats
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.media import of_address, of_data
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples

pytestmark = pytest.mark.usefixtures("all_plans_learned")

TIMES: Final = 6
"""The number of conversions after which plans write all similar conversations."""
PNG, JPEG, PDF = "iVBORw0KGgoAAAANSUhEUg", "/9j/4AAQSkZJRgABAQAAAQ", "JVBERi0xLjQKJcfsj6IK"
GIF, WORDS = "R0lGODlhIGlzIGEgdGV4dA==", "SGVsbG8sIEkgYW0gYSB0ZXh0"
ADDRESSES: Final = (
    *(
        "https://example.org/a.png",
        "https://example.org/b.png",
        "http://example.org/a.PNG?size=1#top",
        "https://a/b.jpeg",
    ),
    *("https://example.org/a", "https://example.org/v1.2/a", "https://example.org/film.webm", "https://example.org/"),
    *(
        "https://example.org/a b.png",
        'https://example.org/"',
        "https://example.org/<|end|>.png",
        "https://ü.example/a.png",
    ),
    "https://generativelanguage.googleapis.com/v1beta/files/a",
    *("s3://bucket/a.png", "gs://bucket/a.png", "file-1", "", " ", "https://", "HTTPS://EXAMPLE.ORG/A.PNG", "\0"),
    *(f"data:image/png;base64,{PNG}", f"data:image/png;base64,{JPEG}", f"data:image/jpeg;base64,{JPEG}"),
    *(f"data:text/plain;base64,{GIF}", f"data:text/plain;base64,{WORDS}", f"data:text/plain;base64,{PNG}"),
    *(f"data:;base64,{PNG}", f"data:application/pdf;base64,{PDF}", f"data:image/heic;base64,{PDF}", "data:,Hello"),
    *("data:image/png;base64,", "data:image/png;base64,a", f"data:image/png;base64,{PNG}<|end|>", f"data:{PNG}"),
)
"""Addresses that are values of plans, and addresses that are not."""
USUAL: Final = ADDRESSES[:5]


def source_of(address: str) -> dict[str, str]:
    """A source of Anthropic's for an address."""
    if not address.startswith("data:"):
        return {"type": "url", "url": address}
    kind, _, data = address.removeprefix("data:").partition(";base64,")
    return {"type": "base64", "media_type": kind, "data": data}


def part_of(address: str) -> dict[str, dict[str, str]]:
    """A part of Gemini's for an address."""
    if not address.startswith("data:"):
        return {"fileData": {"mimeType": "image/png", "fileUri": address}}
    kind, _, data = address.removeprefix("data:").partition(";base64,")
    return {"inlineData": {"mimeType": kind, "data": data}}


def request(source: str, addresses: Sequence[str], *, text: str = "What is it?") -> bytes:
    """A request with two images, one of which is in a tool's result if the API allows it."""
    first, second = addresses
    messages: list[Any]
    turns: list[Any]
    match source:
        case "openai":
            images = [
                {"type": "image_url", "image_url": {"url": first, "detail": "low"}},
                {"type": "text", "text": text},
            ]
            messages = [
                {"role": "user", "content": images},
                {"role": "assistant", "content": "A cat."},
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": second}}]},
            ]
        case "openai-responses":
            shown = [
                {"type": "input_text", "text": text},
                {"type": "input_image", "image_url": first, "detail": "auto"},
            ]
            taken = [{"type": "input_image", "image_url": second}]
            messages = [
                {"role": "user", "content": shown},
                {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call_1", "output": taken},
            ]
            return orjson.dumps({"model": "m", "input": messages})
        case "gemini":
            shown, taken = ([{"text": text}, part_of(address)] for address in addresses)
            turns = [{"role": "user", "parts": shown}, {"role": "model", "parts": [{"text": "A cat."}]}]
            return orjson.dumps({"contents": [*turns, {"role": "user", "parts": taken}]})
        case "bedrock-converse":
            image = {"format": "png", "source": {"bytes": first.rpartition(",")[2]}}
            turns = [{"role": "user", "content": [{"text": text}, {"image": image}]}]
            turns += [{"role": "assistant", "content": [{"text": second or "None."}]}]
            return orjson.dumps({"modelId": "m", "messages": turns})
        case _:
            given_back = [{"type": "text", "text": "Here."}, {"type": "image", "source": source_of(second)}]
            messages = [
                {
                    "role": "user",
                    "content": [{"type": "image", "source": source_of(first)}, {"type": "text", "text": text}],
                },
                {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": given_back}]},
            ]
    return orjson.dumps({"model": "m", "messages": messages})


SOURCES: Final = ("openai", "openai-responses", "anthropic", "gemini", "bedrock-converse")
pairs = st.lists(st.sampled_from(ADDRESSES), min_size=2, max_size=2)


@examples(120)
@given(st.sampled_from(SOURCES), pairs, pairs, st.sampled_from(formats()))
def test_any_address_is_written_as_without_plans(
    source: str, one: Sequence[str], other: Sequence[str], target: str
) -> None:
    for _ in range(TIMES):
        outcome(request(source, one), source, target, PLANNED)
    data = request(source, other, text="And this?")
    assert outcome(data, source, target, PLANNED) == outcome(data, source, target, PLAIN)


OURS: Final = {"addresses": USUAL[:2], "data": (f"data:image/png;base64,{PNG}", f"data:image/jpeg;base64,{JPEG}")}
CASES: Final = [pytest.param(source, ours, id=f"{source}-{kind}") for source in SOURCES for kind, ours in OURS.items()]


@pytest.mark.parametrize(("source", "ours"), CASES[:-2] + CASES[-1:])  # images of Converse have no addresses
@pytest.mark.parametrize(
    "target", ["harmony", "chatml", "openai", "openai-responses", "anthropic", "gemini", "ocm-2.2-json"]
)
def test_a_request_with_other_images_is_written_by_the_same_plan(source: str, target: str, ours: Sequence[str]) -> None:
    others = [f"{address}AAAA" if "base64" in address else address.replace("/", "/x/") for address in ours]
    others = [address.replace(":/x//x/", "://") for address in others]
    for _ in range(TIMES):
        convert(request(source, ours), source=source, target=target, options=PLANNED)
    data = request(source, others)
    read = reader_for(adapter(source)[0], PLANNED).read(decode(data, adapter(source)[0].kind, Log()), Log())
    assert isinstance(read, Conversation)
    assert isinstance(writer_for(adapter(target)[0], PLANNED).fill(read), Filled)


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_value_of_an_address_and_its_kind_are_the_address(address: str) -> None:
    medium = of_address(address)
    if medium is not None:
        kind, value = medium
        assert kind.before + kind.like(value) == address
        assert of_address(kind.before + kind.like("Words")) == (kind, kind.like("Words")) or address.startswith("data:")


def test_the_kind_of_an_address_is_its_last_ending() -> None:
    for name in ("a.png", "a.b.png", "b.x.png"):
        medium = of_address(f"https://example.org/{name}")
        assert medium is not None
        assert medium[0].end == ".png"


@pytest.mark.parametrize("address", ["https://example.org/a b.png", "s3://bucket/a.png", "", "data:image/png;base64,a"])
def test_an_address_that_may_be_written_differently_is_not_a_value_of_a_plan(address: str) -> None:
    assert of_address(address) is None


@pytest.mark.parametrize("value", [None, 1, ["https://example.org/a.png"], "a word", "s3://bucket/key-of-some-length"])
def test_data_that_do_not_look_like_data_are_not_a_value_of_a_plan(value: Any) -> None:
    assert of_data(value) is None


def test_a_plan_distinguishes_null_from_an_empty_list() -> None:
    """Both are the summary of items that are otherwise equal."""
    for summary in ("[]", "null"):
        item = f'{{"id": "rs_1", "type": "reasoning", "content": [], "summary": {summary}}}'
        data = f'{{"model": "m", "input": [{{"role": "user", "content": "Hello."}}, {item}]}}'.encode()
        made = [outcome(data, "openai-responses", "canonical", PLANNED) for _ in range(TIMES)]
        assert made[-1] == outcome(data, "openai-responses", "canonical", PLAIN)
