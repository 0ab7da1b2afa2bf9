"""Similar conversations are written by one plan, with the same result as without plans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from corpus import corpus_cases
from ocml_bridge import BridgeError, Message, Settings, Tool, Transcript, convert, formats, write
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans import conversations
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.engine.reading import Reader
from ocml_bridge.engine.writing import Writer
from ocml_bridge.formats.adapter import Kind
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import CacheMark, Json, Media, Signature, Text, replace
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import strategies
from ocml_bridge.units.conversation import Conversation
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples, sweep

pytestmark = pytest.mark.usefixtures("all_plans_learned")

MEETINGS: Final = 3
TIMES: Final = MEETINGS + 3
"""The number of conversions after which plans write all similar conversations."""

TURNS: Final = (
    *("system", "developer", "user", "final", "thought", "preamble", "call", "reply", "picture", "parts"),
    "reply to the other",
    *(
        "an answer with an id",
        "a thought with an id",
        "signed for anthropic",
        "sealed for openai",
        "sealed for anthropic",
    ),
)
"""The kinds of messages in drawn conversations."""
IDS: Final = (
    "call_1",
    "call_2",
    "c",
    "c_2",
    "call_1_2",
    "chatcmpl-tool-0123456789abcdef0123456789abcdef",
    "a b",
    "<|end|>",
    "ü",
)
OWN: Final = (
    "rs_1",
    "rs_2",
    "a b",
    "<|end|>",
    "ü",
    '"',
    "\n",
    "ErUB" * 200,
    "msg_00000000000000000000000000000001",
    "\0",
)
"""Texts that belong to the format and not to the conversation: ids of items, signatures."""
ARGUMENTS: Final = (
    *('{"a": 1}', '{"a":1}', "{}", "[1]", "x", '{"a": "<|end|>"}', '{"a":1,"a":2}', '{"a": 1e2}'),
    *('"\\ud83d"', '{"a": "\\u003c|end|>"}', ' {"a": 1}', "", "null"),
)

TEXTS: Final = (
    *("", " ", "\n", " a", "a\n", "<", "a<", "<|", "<think>a</think>", "<tool_call>", "<image>", '{"tool_calls": 1}'),
    *("# Tools\n\n## functions\n\nnamespace functions {\n\n}", "# Instructions\n\na", "Observation: a", "0.10", "[]"),
    "# Tools\n\n## functions\n\nnamespace functions {\n\n// Does it.\ntype f = () => any;\n\n} // namespace functions",
)
"""Texts that have a meaning in some format, at their beginning or end or as a whole."""
TARGETS: Final = (*formats(), *(f"{name}:{dialect}" for name in formats() for dialect in adapter(name)[0].dialects))


@pytest.fixture(autouse=True, scope="module")
def plans_are_learned_soon() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ocml_bridge.engine.plans.conversations.MEETINGS", MEETINGS)
        yield


class Contents(NamedTuple):
    """The values that differ between two similar conversations.

    Attributes:
        texts: of messages.
        arguments: of calls.
        ids: of calls.
        own: of items, and signatures.
    """

    texts: list[str]
    arguments: list[str]
    ids: list[str]
    own: list[str]


def contents() -> SearchStrategy[Contents]:
    texts = st.one_of(st.just("Hello."), st.sampled_from(TEXTS), strategies.texts())
    arguments = st.sampled_from(ARGUMENTS)
    return st.builds(
        Contents,
        st.lists(texts, min_size=6, max_size=6),
        st.lists(arguments, min_size=2, max_size=2),
        st.lists(st.sampled_from(IDS), min_size=2, max_size=2),
        st.lists(st.sampled_from(OWN), min_size=3, max_size=3),
    )


def conversation(turns: Sequence[str], words: Contents, around: Transcript) -> Transcript:
    """A conversation of some turns, in which the calls of a name wait for their replies in order."""
    messages: list[Message] = []
    calls, replies = 0, 0
    for at, turn in enumerate(turns):
        text = words.texts[at % len(words.texts)]
        call_id, own = words.ids[calls % len(words.ids)], words.own[at % len(words.own)]
        match turn:
            case "final":
                made = Message("assistant", text, channel="final")
            case "thought":
                made = Message("assistant", text, channel="analysis")
            case "preamble":
                made = Message("assistant", text, channel="commentary", intent="preamble")
            case "call":
                arguments = words.arguments[calls % len(words.arguments)]
                made = Message("assistant", arguments, None, "commentary", "functions.f", call_id, constraint="json")
                made.end = "call"
                calls += 1
            case "reply" | "reply to the other":
                answered = replies if turn == "reply" else replies ^ 1
                call_id = words.ids[answered % len(words.ids)]
                made = Message("tool", text, "functions.f", "commentary", "assistant", call_id)
                replies += 1
            case "an answer with an id" | "a thought with an id":
                made = Message("assistant", text, channel="final" if turn.startswith("an") else "analysis")
                made.extras = {"openai-responses": {"id": own}}
            case "signed for anthropic" | "sealed for openai" | "sealed for anthropic":
                how, _, vendor = turn.split()
                made = Message("assistant", "" if how == "sealed" and at % 2 else text, channel="analysis")
                made.signature = Signature(own, vendor, how == "sealed")
            case "picture":
                made = Message("user", (Text(text), Media("image", url="https://example.org/a.png"), Text("Look.")))
            case "parts":
                other = words.texts[(at + 1) % len(words.texts)]
                made = Message("system", (Text(text, cache=CacheMark("1h")), Text(other)))
            case _:
                made = Message(turn, text)
        messages.append(made)
    return Transcript(tuple(messages), around.tools, settings=around.settings)


AROUND: Final = (
    Transcript(),
    Transcript(settings=Settings(model="m", temperature=0.5)),
    Transcript(tools=(Tool("f", "Does it.", {"type": "object", "properties": {"a": {}}}),)),
)


def check(before: bytes, data: bytes, source: str, targets: Sequence[str]) -> None:
    for target in targets:
        for _ in range(TIMES):
            outcome(before, source, target, PLANNED)
        assert outcome(data, source, target, PLANNED) == outcome(data, source, target, PLAIN), (source, target)


def written(document: Transcript, target: str) -> bytes:
    return write(document, target, options=PLAIN, policy=LENIENT).encode()


PARTED: Final = ("user", "parts", "picture", "system", "final", "call", "reply")


@examples(40)
@given(
    st.lists(st.sampled_from(PARTED), min_size=1, max_size=4),
    contents(),
    contents(),
    st.sampled_from(AROUND),
    st.lists(st.sampled_from(TARGETS), min_size=3, max_size=3, unique=True),
)
def test_texts_among_parts_are_written_as_without_plans(
    turns: list[str], one: Contents, other: Contents, around: Transcript, targets: list[str]
) -> None:
    before, data = (written(conversation(turns, words, around), "openai") for words in (one, other))
    check(before, data, "openai", targets)


@examples(60)
@given(
    st.lists(st.sampled_from(TURNS), min_size=1, max_size=6),
    contents(),
    contents(),
    st.sampled_from(AROUND),
    st.sampled_from(formats()),
    st.lists(st.sampled_from(TARGETS), min_size=3, max_size=3, unique=True),
)
def test_similar_conversations_are_written_as_without_plans(
    turns: list[str], one: Contents, other: Contents, around: Transcript, source: str, targets: list[str]
) -> None:
    before, data = (written(conversation(turns, words, around), source) for words in (one, other))
    check(before, data, source, targets)


WEATHER: Final = ("system", "user", "call", "reply", "final", "user", "final")
WORDS: Final = Contents(["You help.", "How is it?", "Sunny.", "It is sunny."], ['{"a": 1}'], ["call_1"], ["rs_1"])
OTHER_WORDS: Final = Contents(["Help.", "And there?", "Rain.", "It rains."], ['{"a": "Rome"}'], ["call_9"], ["rs_9"])
WITHOUT_PLANS: Final = frozenset({"harmony-tokens", "internlm2-tokens"})
"""Formats whose conversations have no plans, because their units have none or are token ids."""


def read_in(source: str, data: bytes) -> Conversation:
    return read_by(reader_for(adapter(source)[0], PLANNED), data, adapter(source)[0].kind)


def read_by(reader: Reader, data: bytes, kind: Kind = Kind.JSON) -> Conversation:
    read = reader.read(decode(data, kind, Log()), Log())
    assert isinstance(read, Conversation)
    return read


@pytest.mark.parametrize("source", sorted(set(formats()) - WITHOUT_PLANS))
@pytest.mark.parametrize("around", AROUND[1:], ids=["settings", "tools"])
def test_a_similar_conversation_is_read_by_a_plan_and_written_by_a_plan_of_the_output(
    around: Transcript, source: str
) -> None:
    one, other = (written(conversation(WEATHER, words, around), source) for words in (WORDS, OTHER_WORDS))
    for target in ("harmony", "openai", "ocm-2.2-json", "sharegpt"):
        for _ in range(TIMES):
            convert(one, source=source, target=target, options=PLANNED)
        writer = writer_for(adapter(target)[0], PLANNED)
        assert isinstance(writer.fill(read_in(source, other)), Filled), target


CROSSED: Final = ("user", "call", "call", "reply to the other", "reply to the other", "final")
"""Two calls of one tool, with their results in the opposite order."""


@pytest.mark.parametrize("target", ["harmony", "anthropic", "ocm-0.1", "gemini"])
def test_messages_are_moved_by_a_plan(target: str) -> None:
    """Formats without ids have results in the order of their calls, and some APIs require this order."""
    words = WORDS._replace(ids=["call_1", "call_2"]), OTHER_WORDS._replace(ids=["x", "y"])
    one, other = (written(conversation(CROSSED, each, Transcript()), "openai-responses") for each in words)
    for _ in range(TIMES):
        convert(one, source="openai-responses", target=target, options=PLANNED)
    made = writer_for(adapter(target)[0], PLANNED).fill(read_in("openai-responses", other))
    assert isinstance(made, Filled), target
    assert made.order == (0, 1, 2, 4, 3, 5)
    check(one, other, "openai-responses", [target])


STRAY: Final = ("user", "reply", "final", "user", "call", "reply", "final")
"""A result without its call, as after the beginning of a conversation was cut off."""


@pytest.mark.parametrize("source", ["openai", "anthropic", "openai-responses"])
def test_findings_of_similar_conversations_are_reported_for_each(source: str) -> None:
    words = [WORDS._replace(ids=["call_1", "call_2"]), OTHER_WORDS._replace(ids=["x", "y"])]
    one, other = (written(conversation(STRAY, each, Transcript()), source) for each in words)
    for _ in range(TIMES):
        convert(one, source=source, target="harmony", options=PLANNED)
    assert read_in(source, other).plan is not None
    plain = convert(other, source=source, target="harmony", options=PLAIN)
    for _ in range(2):
        planned = convert(other, source=source, target="harmony", options=PLANNED)
        assert planned.findings == plain.findings
        assert [finding.code for finding in planned.findings] == [FindingCode.REPLY_UNPAIRED] * 2
    check(one, other, source, formats())


NOTED: Final[dict[str, dict[str, Json]]] = {
    "a tool of another kind": {"tools": [{"type": "x:advisor", "parameters": {"model": "m"}}]},
    "a tool that is none": {"tools": [3]},
}


@pytest.mark.parametrize("beside", NOTED.values(), ids=NOTED)
def test_findings_around_messages_are_reported_for_each_conversation(beside: dict[str, Json]) -> None:
    one, other = (
        orjson.dumps(
            {**beside, "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": text}]}
        )
        for text in ("Hello.", "Good morning.")
    )
    check(one, other, "openai", formats())
    assert read_in("openai", other).plan is not None
    assert convert(other, source="openai", target="harmony", options=PLANNED).findings


@given(texts=st.lists(st.text(max_size=3), min_size=2, max_size=2), target=st.sampled_from(TARGETS))
def test_any_long_text_of_an_unknown_member_is_written_as_without_plans(texts: Sequence[str], target: str) -> None:
    """Agents store thoughts in such members."""
    one, other = (
        orjson.dumps(
            {
                "messages": [
                    {"role": "user", "content": "Go on."},
                    {"role": "assistant", "content": "Yes.", "thought": text, "agent": "primary"},
                    {"role": "assistant", "content": "Done.", "thought": f"{text} again"},
                ]
            }
        )
        for text in (f"So {'I think ' * 40}.", f"{texts[0]}{'x' * 300}{texts[1]}")
    )
    check(one, other, "openai", [target])
    assert read_in("openai", other).plan is not None


def of_an_agent(source: str, words: Contents) -> bytes:
    """A request as agents send it, with what its API asks to have back: ids of items, signatures, callers, cache marks.

    Some clients sort the keys, and leave out an empty result.
    """
    mark: Json = {"type": "ephemeral", "ttl": "1h"}
    instructions, question, answer, more = words.texts[:4]
    made: Json
    match source:
        case "openai-responses":
            made = [
                {"role": "user", "content": question},
                {"id": words.own[0], "type": "reasoning", "summary": []},
                {"id": words.own[1], "type": "message", "role": "assistant", "content": answer, "status": "completed"},
                {"role": "user", "content": more},
            ]
            return orjson.dumps({"model": "m", "instructions": instructions, "input": made})
        case "gemini":
            call: Json = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": words.own[0]}
            made = [
                {"role": "user", "parts": [{"text": question}]},
                {"role": "model", "parts": [{"text": more, "thought": True, "thought_signature": words.own[1]}, call]},
                {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"output": answer}}}]},
            ]
            return orjson.dumps(
                {"system_instruction": {"role": "user", "parts": [{"text": instructions}]}, "contents": made}
            )
        case "bedrock-converse":
            thought: Json = {"reasoningContent": {"reasoningText": {"text": more, "signature": words.own[0]}}}
            sealed: Json = {"reasoningContent": {"redactedContent": words.own[1]}}
            call = {"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {}}}
            result: Json = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"json": {"a": 1}}]}}
            point: Json = {"cachePoint": {"type": "default"}}
            made = [
                {"role": "user", "content": [{"text": question}, point]},
                {"role": "assistant", "content": [thought, sealed, {"text": answer}, call]},
                {"content": [result, point], "role": "user"},
            ]
            return orjson.dumps({"modelId": "m", "system": [{"text": instructions}, point], "messages": made})
        case _:
            made = [
                {"type": "thinking", "thinking": more, "signature": words.own[0]},
                {"type": "redacted_thinking", "data": words.own[1]},
                {"type": "text", "text": answer, "cache_control": mark},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "caller": {"type": "direct"}},
            ]
            turns: Json = [
                {"role": "user", "content": [{"type": "text", "text": question}, {"type": "text", "text": more}]},
                {"role": "assistant", "content": made},
                {"content": [{"type": "tool_result", "tool_use_id": "toolu_1"}], "role": "user"},
            ]
            system: Json = [
                {"type": "text", "text": instructions},
                {"type": "text", "text": more, "cache_control": mark},
            ]
            return orjson.dumps({"model": "m", "max_tokens": 9, "system": system, "messages": turns})


AGENTS: Final = ("openai-responses", "anthropic", "gemini", "bedrock-converse")


@pytest.mark.parametrize("source", AGENTS)
def test_ids_of_items_and_signatures_are_values_of_a_plan(source: str) -> None:
    """The id of an item and a signature differ in every request; one plan writes everything else."""
    one, other = (of_an_agent(source, words._replace(own=[*words.own, "gAAA"])) for words in (WORDS, OTHER_WORDS))
    for _ in range(TIMES):
        convert(one, source=source, target="harmony", options=PLANNED)
    filled = writer_for(adapter("harmony")[0], PLANNED).fill(read_in(source, other))
    assert isinstance(filled, Filled)
    assert outcome(other, source, "harmony", PLANNED) == outcome(other, source, "harmony", PLAIN)


@given(words=contents(), target=st.sampled_from(TARGETS), source=st.sampled_from(AGENTS))
def test_any_ids_of_items_and_signatures_are_written_as_without_plans(
    words: Contents, target: str, source: str
) -> None:
    before = of_an_agent(source, WORDS._replace(own=["rs_1", "gAAA"]))
    check(before, of_an_agent(source, words), source, [target])


def test_a_mark_that_looks_like_a_block_is_not_a_block() -> None:
    marked, text = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
    contents: list[Json] = [
        [{**marked, "cache_control": {}}, text],
        [{**marked, "cache_control": {"type": "text"}}],
    ]
    turns = [[{"role": "user", "content": content}] for content in contents]
    one, other = (orjson.dumps({"model": "m", "max_tokens": 9, "messages": each}) for each in turns)
    check(one, other, "anthropic", ["canonical", "openai"])


def test_different_conversations_have_different_plans() -> None:
    """The conversations differ in roles, in their envelope, or in which ids are equal, and not only in contents."""
    data = written(conversation(WEATHER, WORDS, AROUND[1]), "openai")
    for _ in range(TIMES):
        convert(data, source="openai", target="harmony", options=PLANNED)
    plan = read_in("openai", data).plan
    assert plan is not None
    for old, new in ((b'"user"', b'"system"'), (b'"m"', b'"n"'), (b'"tool_call_id":"call_1"', b'"tool_call_id":"c"')):
        assert old in data
        assert read_in("openai", data.replace(old, new)).plan is not plan


BASES: Final = (WEATHER, ("developer", "user", "final"), ("parts", "picture", "final"))


ODD: Final = {
    **{" ".join(turns): (turns, AROUND[1]) for turns in BASES},
    "tools": (("developer", "thought", "final"), AROUND[2]),
}
"""Turns of conversations, and the members around the messages."""


def places(turns: Sequence[str]) -> range:
    """Which of the texts are in a conversation of some turns: one for each, and another in a turn of parts."""
    return range(min(len(WORDS.texts), len(turns) + 1))


def with_odd_texts(turns: Sequence[str]) -> Iterator[Contents]:
    """Contents with one odd text, or one odd argument."""
    for odd, at in product(TEXTS, places(turns)):
        yield WORDS._replace(texts=[odd if number == at else text for number, text in enumerate(WORDS.texts)])
    if "call" in turns:
        yield from [WORDS._replace(arguments=[odd]) for odd in ARGUMENTS]


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("turns", "around"), ODD.values(), ids=ODD)
def test_an_odd_content_is_written_as_without_plans(turns: Sequence[str], around: Transcript, target: str) -> None:
    """Odd contents are those that a format reads: tokens, tags, ends of texts, sections of tools, notations."""
    for source in ("openai", "ocm-2.2-json"):
        before = written(conversation(turns, WORDS, around), source)
        for _ in range(TIMES):
            outcome(before, source, target, PLANNED)
        for words in sweep(with_odd_texts(turns), 13):
            data = written(conversation(turns, words, around), source)
            assert outcome(data, source, target, PLANNED) == outcome(data, source, target, PLAIN), words


EDGES: Final = (
    *(
        "\na",
        "a\r",
        "\r\na",
        "a\n\n",
        "\u3000",
        "{",
        "[",
        "```",
        "\n\n# Tools\n\n## functions\n\na",
        "# Instructions\n\n",
    ),
    *(
        "<|end_reason|>",
        "<|start_reason|>a<|end_reason|>",
        "<|function_list|>\n{}",
        "\n<|function_call|>\n{}",
        "<|im_end|>",
    ),
    *('{"output": "a"}', "<|action_start|>", "[UNUSED_TOKEN_146]", "<tool_response>\na\n</tool_response>"),
)
"""Further texts that have a meaning for some reader, in addition to the tokens, tools and thoughts of its format."""
READ: Final = (
    *BASES,
    ("system", "user", "thought", "preamble", "call", "reply", "thought", "final"),
    ("user", "thought"),
)


@pytest.mark.sweep
@pytest.mark.parametrize("source", formats())
@pytest.mark.parametrize("turns", READ, ids=" ".join)
def test_an_odd_content_is_read_as_without_plans(turns: Sequence[str], source: str) -> None:
    """The texts follow declared tools, also in the message that declares them."""
    try:
        before = written(conversation(turns, WORDS, AROUND[2]), source)
    except BridgeError:  # ids of tokens may want a vocabulary
        pytest.skip(f"{source} cannot be written here")
    for _ in range(TIMES):
        outcome(before, source, "canonical", PLANNED)
    edges = [
        WORDS._replace(texts=[odd if at == number else "a" for number in range(8)])
        for odd, at in product(EDGES, places(turns))
    ]
    for words in sweep((*with_odd_texts(turns), *edges), 13):
        data = written(conversation(turns, words, AROUND[2]), source)
        assert outcome(data, source, "canonical", PLANNED) == outcome(data, source, "canonical", PLAIN), words


def test_half_of_a_surrogate_pair_is_written_as_without_plans() -> None:
    before = written(conversation(WEATHER, WORDS, AROUND[1]), "openai")
    check(before, before.replace(b"Sunny.", b"\\ud83d"), "openai", ("harmony", "chatml", "openai", "ocm-2.2"))


def test_a_repeated_thought_is_read_with_its_signature() -> None:
    """The signature of a block is that of the thought if both have the same text."""
    answer = {"role": "assistant", "reasoning": "Hm.", "content": "Yes."}
    details = [{"type": "reasoning.text", "text": "Hm.", "signature": "s"}]
    requests = [
        {
            "messages": [
                {"role": "user", "content": "Well?"},
                {**answer, "reasoning": text, "reasoning_details": details},
            ]
        }
        for text in ("Hum.", "Hm.")
    ]
    for before, after in (requests, requests[::-1]):
        check(json.dumps(before).encode(), json.dumps(after).encode(), "openai", ("openai", "anthropic", "harmony"))


@pytest.mark.parametrize(
    "member",
    [{"unknown": [{"text": "Help."}]}, {"unknown": "x"}, {"content": "", "refusal": "No."}, {"content": []}],
    ids=["text", "word", "refusal", "parts"],
)
def test_text_under_unknown_keys_is_reported_as_without_plans(member: dict[str, Json]) -> None:
    """A message whose reader finds no text may have one under an unknown key."""
    message: dict[str, Json] = {"role": "assistant", **member}
    request = {"messages": [{"role": "user", "content": "Well?"}, message, {"role": "user", "content": "So?"}]}
    data = json.dumps(request).encode()
    check(data, data.replace(b"Well?", b"How?"), "openai", formats())


def test_members_of_a_call_are_not_counted_as_text() -> None:
    """They are not in the number of characters either."""
    call = {"id": "call_1", "content": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    request = {"messages": [{"role": "user", "content": "Well?"}, {"role": "assistant", "tool_calls": [call]}]}
    data = json.dumps(request).encode()
    check(data, data.replace(b"Well?", b"How?"), "openai", formats())


def test_a_finding_at_declared_tools_has_their_path() -> None:
    """The frame with the tools does not become a message."""
    data = written(conversation(("user", "final"), WORDS, AROUND[2]), "ocm-0.1").replace(
        b"<|im_start|>", b"!<|im_start|>", 1
    )
    check(data, data.replace(WORDS.texts[0].encode(), b"Hm."), "ocm-0.1", formats())


@pytest.mark.parametrize("source", ["openai", "ocm-2.2", "anthropic"])
def test_a_generated_id_differs_from_the_ids_of_the_conversation(source: str) -> None:
    """The second of two calls with one id gets another id, which must differ from all others."""
    turns = ("user", "call", "reply", "call", "reply", "call", "reply", "final")
    words = WORDS._replace(ids=["c", "c", "d"]), WORDS._replace(ids=["c", "c", "c_2"])
    before, data = (written(conversation(turns, each, Transcript()), source) for each in words)
    check(before, data, source, formats())


@pytest.mark.parametrize("source", ["openai", "openai-responses", "anthropic", "ocm-2.2-json"])
def test_equal_ids_in_place_of_different_ones_are_written_as_without_plans(source: str) -> None:
    """The earlier conversations have no two calls with one id; no call is answered."""
    before = written(
        conversation(("user", "call", "call"), WORDS._replace(ids=["call_1", "call_2"]), Transcript()), source
    )
    check(before, before.replace(b"call_2", b"call_1"), source, formats())


@pytest.mark.parametrize("source", ["openai", "ocm-2.2", "anthropic", "openai-responses", "gemini"])
def test_an_id_of_any_length_is_written_as_without_plans(source: str) -> None:
    """Sentences of losses show the beginning of a long id."""
    before = written(conversation(WEATHER, WORDS, Transcript()), source)
    for length in (1, 9, 40, 41, 64, 65):
        words = WORDS._replace(ids=["i" * length])
        check(before, written(conversation(WEATHER, words, Transcript()), source), source, formats())


def test_plans_that_are_rarely_used_are_learned_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many conversations are converted a few times each, and never again."""
    monkeypatch.setattr(conversations, "WINDOW", 10)
    data = [written(conversation(("user",) * count, WORDS, Transcript()), "openai") for count in range(1, 61)]
    read = Reader(adapter("openai")[0].reads_units(PLANNED))
    plans = {id(plan) for each in data for _ in range(MEETINGS + 2) if (plan := read_by(read, each).plan) is not None}
    assert len(plans) <= 20
    assert all(read_by(read, data[0]).plan is not None for _ in range(3)), "what was learned is used"


def test_plans_that_are_often_used_are_learned_as_early_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service always sends similar requests."""
    monkeypatch.setattr(conversations, "WINDOW", 10)
    data = [written(conversation(("user",) * count, WORDS, Transcript()), "openai") for count in range(1, 41)]
    read = Reader(adapter("openai")[0].reads_units(PLANNED))
    used = [[read_by(read, each).plan for _ in range(MEETINGS + 2 + conversations.SAVES)] for each in data]
    assert all(plans[MEETINGS] is not None for plans in used)


SAMPLE: Final = 40
"""One of so many real documents is checked."""


def test_real_documents_are_written_by_plans_of_documents_like_them() -> None:
    for case in list(corpus_cases())[::SAMPLE]:
        if adapter(case.format)[0].kind is Kind.JSON:
            before = case.data.replace(b'"content":"', b'"content":"So ').replace(b'"content": "', b'"content": "So ')
            check(before, case.data, case.format, ("harmony", "openai", "chatml"))


def test_a_format_that_looks_at_contents_has_no_plan_of_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """This is assumed of a format that declares nothing."""
    data = written(conversation(WEATHER, WORDS, AROUND[1]), "openai")
    grammar = adapter("openai")[0].writes_units(PLANNED)
    for looks in (False, True):
        monkeypatch.setattr(type(grammar), "looks_at_contents", looks)
        writer = Writer(grammar)
        outcomes = [writer.fill(read_in("openai", data)) for _ in range(2 * TIMES)]
        assert isinstance(outcomes[-1], Filled) is not looks


@pytest.mark.parametrize("roles", [("system", "system"), ("system", "developer"), ("system",) * 3])
@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse", "harmony"])
def test_instructions_of_several_messages_are_written_by_plans(target: str, roles: Sequence[str]) -> None:
    """Some formats have them in one prompt: each of its parts is the text of another message."""
    data = b""
    for number in range(TIMES + 1):
        turns = [{"role": role, "content": f"Rule {at} of {number}."} for at, role in enumerate((*roles, "user"))]
        data = json.dumps({"messages": turns}).encode()
        assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)
    reader, _ = adapter("openai")
    read = reader_for(reader, PLANNED).read(decode(data, reader.kind, Log()), Log())
    assert isinstance(read, Conversation)
    assert isinstance(writer_for(adapter(target)[0], PLANNED).fill(read), Filled)


LABELS: Final = st.one_of(
    st.sampled_from(("a", "", '"', "ü", "\n", "\0", "<|end|>", "<|im_start|>", "Probe0001Text", "i" * 41, "i" * 300)),
    st.integers(-3, 3),
    st.sampled_from((10**15, 10**16, 2**70, -(10**15), True, None, 0.5, [], {}, [1], {"id": 1})),
)
"""Values of unknown keys; the first of each kind is the one in all other documents."""


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=3))
@examples(60)
def test_an_id_of_the_request_is_a_value_of_the_plan(labels: list[tuple[Json, Json]]) -> None:
    """Members before and after the messages, such as an id, do not influence the conversion."""
    turns: list[Json] = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": "Yes."}]
    before, *requests = [
        json.dumps({"id": first, "model": "m", "messages": turns, "row": second}).encode()
        for first, second in ((labels[0]), *((first, second) for first, second in labels))
    ]
    for target in formats():
        for _ in range(TIMES):
            outcome(before, "openai", target, PLANNED)
        for request in requests:
            assert outcome(request, "openai", target, PLANNED) == outcome(request, "openai", target, PLAIN)


@pytest.mark.parametrize("target", ["harmony", "openai", "anthropic"])
def test_requests_that_differ_in_their_ids_are_written_by_one_plan(target: str) -> None:
    grammar = adapter("openai")[0]
    read: Conversation | None = None
    for number in range(TIMES):
        request = {"id": f"r{number}", "n_tokens": number, "messages": [{"role": "user", "content": f"{number}?"}]}
        read = read_in("openai", json.dumps(request).encode())
        filled = writer_for(adapter(target)[0], PLANNED).fill(read)
        if number == TIMES - 1:
            assert isinstance(filled, Filled), grammar.id
            assert read.around.extras == {"openai": {"id": f"r{number}", "n_tokens": number}}


@pytest.mark.parametrize("end", [b"<|im_end|>", b""])
def test_a_frame_after_one_that_is_not_closed_is_read_as_without_plans(end: bytes) -> None:
    """The state after a frame that is not closed differs from that after a closed one."""
    frames = b"<|im_start|>user\n<tool_response>\na\n</tool_response>%s<|im_start|>assistant\nb<|im_end|>\n"
    call = b'<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n'
    data = [call + frames % each for each in (b"<|im_end|>", b"")]
    before, after = data if end else data[::-1]
    check(before, after, "chatml", formats())


@pytest.mark.parametrize("text", ["", "Be brief."])
def test_tools_at_the_end_of_a_system_message_are_read_as_without_plans(text: str) -> None:
    """OpenChatML 0.1: the frame has the text and the tools, or only the tools."""
    data = b""
    for number in range(TIMES):
        messages = (*([Message("system", text)] if text else []), Message("user", f"{number}?"))
        data = written(replace(AROUND[2], messages=messages), "ocm-0.1")
        assert outcome(data, "ocm-0.1", "openai", PLANNED) == outcome(data, "ocm-0.1", "openai", PLAIN)
    assert read_in("ocm-0.1", data).plan is not None
