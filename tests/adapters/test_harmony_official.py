"""Harmony against the official encoder: what we write is what it renders, what it reads we read alike.

It judges with whichever library is installed: `openai-harmony` (dialect `spec`) or `oss-harmony` (dialect `oss`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harmony_judge import (
    DIALECT,
    Record,
    decode,
    library,
    official_end,
    parse,
    records,
    render,
    render_for_training,
)
from ocml_adapters.harmony import ADAPTER, TOKENS, header
from ocml_adapters.harmony.official import compare
from ocml_adapters.harmony.syntax import CONTROL, IDS, NOTES
from ocml_adapters.harmony.tokens import encode
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import FindingCode, Message, Reading, Tool, Transcript, read, write
from ocml_bridge.formats.adapter import Options
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.split import split
from ocml_bridge.testing.strategies import texts, tools, transcripts

library()

OPTIONS = Options(dialect=DIALECT)
RAW = Options(dialect=DIALECT, control_tokens="raw")

at_length = settings(max_examples=3 * settings().max_examples)

MENDED = {FindingCode.HEADER_RECOVERED, FindingCode.END_MISSING}
"""Findings that go with every documented deviation from the official parser."""


# --- documented deviations --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deviation:
    """A text that the official parser reads as something that was not meant; docs/formats/harmony.md lists them."""

    name: str
    text: str
    ours: list[Record]
    theirs: list[Record]


DEVIATIONS = (
    Deviation(
        "a constraint without a recipient is not read as a recipient",
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>",
        [{"role": "assistant", "channel": "final", "content_type": "<|constrain|>json", "content": "{}"}],
        [{"role": "assistant", "channel": "final", "recipient": "<|constrain|>json", "content": "{}"}],
    ),
    Deviation(
        "a content type without a recipient is not read as a recipient",
        "<|start|>assistant<|channel|>analysis code<|message|>x<|end|>",
        [{"role": "assistant", "channel": "analysis", "content_type": "code", "content": "x"}],
        [{"role": "assistant", "channel": "analysis", "recipient": "code", "content": "x"}],
    ),
    Deviation(
        "attributes of OpenChatML 2.2 are not read as recipients",
        "<|start|>assistant intent=status<|channel|>commentary<|message|>x<|end|>",
        [{"role": "assistant", "channel": "commentary", "content": "x"}],
        [{"role": "assistant", "channel": "commentary", "recipient": "intent=status", "content": "x"}],
    ),
    Deviation(
        "attributes of OpenChatML 2.2 are not read as content types",
        "<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|message|>{}<|call|>",
        [{"role": "assistant", "channel": "commentary", "recipient": "functions.f", "content": "{}"}],
        [
            {
                "role": "assistant",
                "channel": "commentary",
                "recipient": "functions.f",
                "content_type": "call_id=c1",
                "content": "{}",
            }
        ],
    ),
    Deviation(
        "`name=` names a tool",
        "<|start|>tool name=functions.f<|message|>x<|end|>",
        [{"role": "tool", "name": "functions.f", "content": "x"}],
        [{"role": "tool", "name": "tool", "recipient": "name=functions.f", "content": "x"}],
    ),
    Deviation(
        "`to=` instead of the speaker is a call of the assistant",
        "<|start|>to=functions.f<|channel|>commentary<|message|>{}<|call|>",
        [{"role": "assistant", "channel": "commentary", "recipient": "functions.f", "content": "{}"}],
        [{"role": "tool", "name": "to=functions.f", "channel": "commentary", "content": "{}"}],
    ),
    Deviation(
        "a speaker's name, as the official encoder writes it",
        "<|start|>user:bob to=assistant<|message|>x<|end|>",
        [{"role": "user", "name": "bob", "recipient": "assistant", "content": "x"}],
        [{"role": "tool", "name": "user:bob", "recipient": "assistant", "content": "x"}],
    ),
    Deviation(
        "a stop token ends a header",
        "<|start|>assistant<|channel|>final hello<|end|><|start|>user<|message|>x<|end|>",
        [
            {"role": "assistant", "channel": "final", "content": "hello"},
            {"role": "user", "content": "x"},
        ],
        [{"role": "assistant", "channel": "final", "recipient": "hello<|end|><|start|>user", "content": "x"}],
    ),
    Deviation(
        "a message that begins inside a body ends the message before it",
        "<|start|>user<|message|>hi<|start|>assistant<|channel|>final<|message|>Hello!<|end|>",
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "channel": "final", "content": "Hello!"},
        ],
        [{"role": "user", "content": "hi<|start|>assistant<|channel|>final<|message|>Hello!"}],
    ),
)


@pytest.mark.parametrize("case", DEVIATIONS, ids=lambda case: case.name)
def test_each_documented_deviation_is_one_and_is_found(case: Deviation) -> None:
    assert parse(encode(case.text, tuple(IDS))) == case.theirs
    reading = read(case.text, "harmony")
    assert isinstance(reading.transcript, Transcript)
    assert records(reading.transcript) == case.ours
    assert MENDED & {finding.code for finding in reading.findings}


@pytest.mark.skipif(DIALECT != "spec", reason="oss-harmony leaves the second channel out")
def test_a_second_channel_marker_counts_in_place_of_the_first() -> None:
    text = "<|start|>assistant<|channel|>commentary to=assistant<|channel|>analysis<|message|>x<|end|>"
    theirs = parse(encode(text, tuple(IDS)))
    assert isinstance(theirs, list)
    assert theirs[0]["recipient"] == "assistant<|channel|>analysis"
    reading = read(text, "harmony")
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.messages[0].channel == "analysis"
    assert reading.transcript.messages[0].recipient == "assistant"


# --- writing ----------------------------------------------------------------------------------------------------------


def _as_rendered(document: Transcript) -> Transcript:
    """The image of a transcript, ended as the official encoder ends messages."""
    image = write(document, "harmony", options=OPTIONS, policy=LENIENT).image
    assert isinstance(image, Transcript)
    ended = replace(
        image,
        messages=tuple(replace(message, end=official_end(message), layout=None) for message in image.messages),
        open_turn=Message(image.open_turn.role, "") if image.open_turn else None,
        layout=None,
    )
    image = write(ended, "harmony", options=OPTIONS, policy=LENIENT).image
    assert isinstance(image, Transcript)
    return image


@at_length
@given(transcripts())
def test_text_tokens_and_parse_are_those_of_the_official_encoder(document: Transcript) -> None:
    image = _as_rendered(document)
    expected = render(image)
    assert write(image, "harmony", options=RAW).output == decode(expected)
    result = write(image, "harmony-tokens", options=OPTIONS)
    ids = result.output
    assert ids == expected
    back = read(ids, "harmony-tokens").transcript
    assert isinstance(back, Transcript)
    assert records(back) == records(image)
    if image.open_turn is None:
        assert parse(expected) == records(image)


@given(transcripts())
def test_training_ends_the_last_final_message_as_the_official_encoder_does(document: Transcript) -> None:
    image = replace(_as_rendered(document), open_turn=None)
    options = replace(OPTIONS, training=True)
    assert write(image, "harmony-tokens", options=options).output == render_for_training(image)


@given(transcripts())
def test_the_official_parser_reads_the_image_in_neutralised_text(document: Transcript) -> None:
    """No content can make a frame: the parser sees the messages that were meant, tokens in bodies broken."""
    image = write(document, "harmony", options=OPTIONS, policy=LENIENT).image
    assert isinstance(image, Transcript)
    image = replace(image, open_turn=None)
    expected = [{**record, "content": CONTROL.neutralise(record["content"])} for record in records(image)]
    text = write(image, "harmony", options=OPTIONS).output
    assert isinstance(text, str)
    assert parse(encode(text, tuple(IDS))) == expected


@given(texts(), st.lists(tools(), max_size=4))
def test_structured_developer_messages_are_written_alike(text: str, declared: list[Tool]) -> None:
    h = library()
    image = write(
        Transcript((Message("developer", text),), tuple(declared)), "harmony", options=OPTIONS, policy=LENIENT
    ).image
    assert isinstance(image, Transcript)
    if image.tools is None or any(tool.extras for tool in image.tools):
        return
    spaces: dict[str, list[object]] = {} if image.tools else {"functions": []}
    for tool in image.tools:
        entry = h.ToolDescription(name=tool.name, description=tool.description or "", parameters=tool.parameters)
        spaces.setdefault("functions" if tool.namespace is None else tool.namespace, []).append(entry)
    content = h.DeveloperContent(
        instructions=image.messages[0].content if image.messages else None,
        tools={name: h.ToolNamespaceConfig(name=name, tools=listed) for name, listed in spaces.items()},
    )
    rendered = h.Conversation(messages=[h.Message.from_role_and_content(h.Role.DEVELOPER, content)])
    expected = load_encoding().decode(load_encoding().render_conversation(rendered))
    assert write(image, "harmony", options=RAW).output == expected


# --- reading ----------------------------------------------------------------------------------------------------------

_HEADER_PIECES = (
    *("user", "assistant", "tool", "system", "developer", "functions.f", "functions.f to=assistant", "bob", "all"),
    *(
        " ",
        "  ",
        "\n",
        "\t",
        "\x0b",
        "\x0c",
        "\u00a0",
        "\u2003",
        "\x1c",
        "\x85",
        "\u200b",
        "\x00",
        "é",
        "<",
        "|",
        ":",
        "?",
    ),
    *(" to=", "to=", " to=functions.f", " json", "code", " name=x", " call_id=1"),
    *("<|channel|>", "<|channel|>final", "<|channel|>commentary", "<|constrain|>", "<|constrain|>json"),
)
_RAW_HEADERS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "assistant", "assistant", "user", "functions.f"]),
        st.lists(st.sampled_from(_HEADER_PIECES), max_size=5).map("".join),
    ),
)


@given(st.lists(st.tuples(_RAW_HEADERS, st.booleans()), min_size=10, max_size=20))
@example([("tool to=", False), ("tool to=x", False), ("tool", False)])
def test_the_official_grammar_of_headers(drawn: list[tuple[str, bool]]) -> None:
    """`header.parse` is the official parser; what `header.regular` reads is what that parser reads, or a bare reply."""
    for raw, prompted in drawn:
        start = "" if prompted else "<|start|>"
        theirs = parse(encode(f"{start}{raw}<|message|>x<|end|>", tuple(IDS)), prompted=prompted)
        if DIALECT == "spec" or raw.count("<|channel|>") < 2:
            parsed = header.parse(raw, prompted=prompted)
            assert (parsed is None) == isinstance(theirs, str)
            assert parsed is None or [_record(parsed.fields)] == theirs
        fields = header.regular(raw, prompted)
        if fields is not None and fields.role == "tool" and fields.name is None:
            fields = fields._replace(name="tool")  # their parser takes the role for a name
        if fields is not None and not (fields.role == "tool" and fields.recipient is None):
            assert [_record(fields)] == theirs


def _record(fields: header.Fields) -> Record:
    kind = fields.content_type if fields.constraint is None else f"<|constrain|>{fields.constraint}"
    record = {"role": fields.role, "name": fields.name, "channel": fields.channel, "recipient": fields.recipient}
    record |= {"content_type": kind, "content": "x"}
    return {field: value for field, value in record.items() if value is not None}


_WIRE_PIECES = (
    *("<|start|>", "<|start|>", "<|message|>", "<|message|>", "<|end|>", "<|end|>", "<|call|>", "<|return|>"),
    *("<|channel|>", "<|constrain|>", "<|channel|>final", "<|channel|>analysis", "<|constrain|>json"),
    *("<|start|>assistant<|channel|>final<|message|>", "<|start|>user<|message|>", "<|end|><|start|>assistant"),
    *("<|start|>functions.f to=assistant<|channel|>commentary<|message|>", "<|endoftext|>", "<\u200b|end|>"),
    *("user", "assistant", "final", " to=functions.f", " json", "hello", "\n", " ", "{}", "é", "\ufffd"),
)


@at_length
@given(st.lists(st.sampled_from(_WIRE_PIECES), max_size=12).map("".join))
def test_any_text_is_read_as_the_official_parser_reads_it_or_with_a_finding(text: str) -> None:
    assume(len(split(text, "harmony")) == 1)
    reading = read(text, "harmony")
    transcript = reading.transcript
    assert isinstance(transcript, Transcript)
    kept = _text_in(transcript)
    assert all(word in kept for word in ("hello", "{}", "é") if word in text)
    theirs = parse(encode(text, tuple(IDS)), prompted=_is_prompted(transcript))
    if not reading.findings:
        assert write(transcript, "harmony").output == text
    if isinstance(theirs, list):
        ours = records(transcript)
        broken = [{**record, "content": record["content"].replace("<\u200b|end|>", "<|end|>")} for record in theirs]
        assert ours == broken or _is_mended(reading)
    else:
        # A token that ends a whole text is layout also where a text begins with it.
        behind_edge = "front" in NOTES.of(transcript.layout)
        assert reading.findings or transcript.open_turn is not None or text.endswith("\n") or behind_edge


def _is_mended(reading: Reading) -> bool:
    """Whether the official parser is known to read it otherwise: it takes tokens that belong nowhere for words."""
    stray = [f for f in reading.findings if f.code is FindingCode.STRAY_TOKEN and "in the body" not in f.detail]
    return stray != [] or any(finding.code in MENDED for finding in reading.findings)


def _is_prompted(transcript: Transcript) -> bool:
    """Whether the text begins behind a generation prompt."""
    return NOTES.of(transcript.layout).get("prompted", False)


def _text_in(transcript: Transcript) -> str:
    """All texts of a transcript, in any field."""
    return repr(transcript)


@given(st.lists(st.one_of(st.integers(0, 201_088), st.sampled_from(sorted(IDS.values()))), max_size=12))
def test_any_ids_are_read_as_the_official_parser_reads_them_or_with_a_finding(ids: list[int]) -> None:
    reading = read(ids, "harmony-tokens")
    transcript = reading.transcript
    assert isinstance(transcript, Transcript)
    if not reading.findings:
        assert write(transcript, "harmony-tokens").output == ids
    theirs = parse(ids, prompted=_is_prompted(transcript))
    if isinstance(theirs, list):
        assert records(transcript) == theirs or _is_mended(reading)


# --- both, side by side -----------------------------------------------------------------------------------------------


def test_the_comparison_shows_by_message_where_the_official_parser_differs() -> None:
    text = (
        "<|start|>user<|message|>hi<|end|>"
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|end|>"
        "<|start|>functions.f<|message|>1<|end|>"
        "<|start|>user<|message|>bye<|end|>"
        "<|start|>assistant"
    )
    assert [(entry.index, entry.verdict) for entry in compare(text)] == [
        (0, "same"),
        (1, "differs"),
        (2, "refused"),
        (3, "same"),
        (None, "only-ours"),
    ]


def test_the_comparison_of_a_text_without_a_frame_has_what_we_read_of_it() -> None:
    (entry,) = compare("Hi")
    assert (entry.index, entry.ours, entry.verdict) == (0, {"role": "assistant", "content": "Hi"}, "refused")
    assert compare("") == []


@given(transcripts())
def test_the_comparison_of_what_we_write_finds_no_difference(document: Transcript) -> None:
    ids = write(document, "harmony-tokens", options=OPTIONS, policy=LENIENT).output
    assert {entry.verdict for entry in compare(cast("list[int]", ids)) if entry.index is not None} <= {"same"}


def test_the_adapters_share_the_dialects() -> None:
    assert ADAPTER.dialects == TOKENS.dialects == ("spec", "oss", "hf")
