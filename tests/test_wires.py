"""Documents of JSON formats, recognised by their shapes: invalid ones are refused with a path, odd ones have findings.

The places of the messages and of the system prompt before them are known without reading the request as a whole.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final, NamedTuple

import pytest

from ocml_bridge import BridgeError, ErrorCode, FindingCode, Message, Options, Tool, Transcript, read, read_all, write
from ocml_bridge.engine.reading import Reader
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Settings, ToolChoice
from ocml_bridge.model.codec import to_json
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.units.conversation import whole
from ocml_bridge.wires.tool_alphabet import Alphabet, Spelling
from test_learned import counted

Object = dict[str, Any]
FORCED: Final = Options(force_format=True)


class Wire(NamedTuple):
    """The members of the requests of a format.

    Attributes:
        items: the member that has the messages.
        item: a message by its role and text.
        called: what the format calls one.
        prompt: the member for the system prompt, and the prompt; None if it is in a message.
    """

    items: str
    item: Callable[[str, str], Object]
    called: str = "message"
    prompt: tuple[str, Any] | None = None


def message_of(role: str, text: str) -> Object:
    return {"role": role, "content": text}


def in_blocks(role: str, text: str) -> Object:
    return {"role": role, "content": [{"text": text}]}


def in_parts(role: str, text: str) -> Object:
    return {"role": role, "parts": [{"text": text}]}


WIRES: Final = {
    "openai": Wire("messages", message_of),
    "anthropic": Wire("messages", message_of, prompt=("system", "Be brief.")),
    "openai-responses": Wire("input", message_of, "item", ("instructions", "Be brief.")),
    "gemini": Wire("contents", in_parts, "content", ("systemInstruction", {"parts": [{"text": "Be brief."}]})),
    "bedrock-converse": Wire("messages", in_blocks, prompt=("system", [{"text": "Be brief."}])),
}
each_wire = pytest.mark.parametrize("name", WIRES)


def request(name: str, *items: Any, prompted: bool = False) -> Object:
    wire = WIRES[name]
    return {**(dict([wire.prompt]) if prompted and wire.prompt else {}), wire.items: list(items)}


def user(name: str, text: str = "Hi.") -> Object:
    return WIRES[name].item("user", text)


def value_at(document: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        document = document[int(key) if isinstance(document, list) else key]
    return document


# --- what is no document ----------------------------------------------------------------------------------------------


def refusal(source: Any, name: str) -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        read(source, name, options=FORCED)
    return caught.value


@each_wire
def test_a_list_with_a_conversation_among_messages_is_refused(name: str) -> None:
    error = refusal([request(name, user(name)), user(name)], name)
    assert (error.code, error.path) == (ErrorCode.SHAPE, "")
    assert error.message.startswith(
        f"this is a list of conversations, not of {WIRES[name].called}s; to convert several conversations of one "
        "file, use 'ocml-convert batch'"
    )


@each_wire
def test_lines_that_are_not_all_messages_are_not_a_conversation(name: str) -> None:
    error = refusal(f"{json.dumps(user(name))}\n[]\n".encode(), name)
    assert (error.code, error.path) == (ErrorCode.SHAPE, "")
    assert error.message.startswith(
        f"these JSON lines are not one {WIRES[name].called} each; to convert several conversations of one file, use "
        "'ocml-convert batch'"
    )


@each_wire
@pytest.mark.parametrize("listed", [False, True])
def test_the_second_of_several_conversations_is_named(name: str, *, listed: bool) -> None:
    one: Any = [user(name)] if listed else request(name, user(name))
    error = refusal([one, one], name)
    assert (error.code, error.path) == (ErrorCode.SEVERAL, "/1")
    assert [reading.place.path for reading in read_all([one, one], name)] == ["/0", "/1"]


@each_wire
@pytest.mark.parametrize("source", [{}, {"x": 1}, 1, None])
def test_a_document_without_any_of_the_shapes_is_refused(name: str, source: Any) -> None:
    error = refusal(source, name)
    assert (error.code, error.path) == (ErrorCode.SHAPE, "")
    assert error.message.startswith("expected a ")


@each_wire
@pytest.mark.parametrize("prompted", [False, True])
def test_a_message_that_is_not_an_object_is_refused_with_its_path(name: str, *, prompted: bool) -> None:
    error = refusal(request(name, user(name), user(name), 1, prompted=prompted), name)
    assert (error.code, error.path) == (ErrorCode.SHAPE, f"/{WIRES[name].items}/2")
    assert refusal([user(name), 1], name).path == "/1"


@each_wire
@pytest.mark.parametrize("prompted", [False, True])
def test_the_place_of_each_unit_points_to_it(name: str, *, prompted: bool) -> None:
    source = request(name, user(name, "One."), user(name, "Two."), prompted=prompted)
    grammar: Any = adapter(name)[0].reads_units(Options())
    shell = grammar.documents.read(source, Log())
    prompt = WIRES[name].prompt if prompted else None
    expected = [*([prompt[1]] if prompt else []), *source[WIRES[name].items]]
    assert [value_at(source, tuple(shell.place(at)[1:].split("/"))) for at in range(len(shell.units))] == expected


# --- what is odd ------------------------------------------------------------------------------------------------------


@each_wire
@pytest.mark.parametrize(
    ("role", "advice"),
    [
        *((other, "; did you mean 'user'?") for other in ("human", "person", "Human")),
        *((other, "; did you mean 'assistant'?") for other in ("ai", "bot", "gpt", "AI")),
        ("critic", ""),
    ],
)
def test_a_role_of_other_programs_is_kept_with_a_suggestion(name: str, role: str, advice: str) -> None:
    found = read(request(name, user(name), WIRES[name].item(role, "Hi.")), name, options=FORCED).findings
    assert [(finding.code, finding.path) for finding in found] == [(FindingCode.UNKNOWN_ROLE, "/messages/1/role")]
    assert found[0].detail.endswith(f" has no role {role!r}; the role is kept as it is{advice}")


@pytest.mark.parametrize("name", ["openai", "anthropic", "openai-responses"])
def test_a_role_in_other_letters_is_kept_with_a_suggestion(name: str) -> None:
    found = read(request(name, WIRES[name].item("USER", "Hi.")), name, options=FORCED).findings
    assert [finding.code for finding in found] == [FindingCode.UNKNOWN_ROLE]
    assert found[0].detail.endswith(" has no role 'USER'; the role is kept as it is; did you mean 'user'?")


@pytest.mark.parametrize("name", ["gemini", "bedrock-converse"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_message_without_a_role_is_the_users(name: str, *, listed: bool) -> None:
    wire = {key: value for key, value in user(name).items() if key != "role"}
    source: Any = [wire] if listed else request(name, wire)
    transcript = read(source, name, options=FORCED).transcript
    assert isinstance(transcript, Transcript)
    assert [(message.role, message.content) for message in transcript.messages] == [("user", "Hi.")]
    assert write(transcript, name).output == source


# --- requests without being read --------------------------------------------------------------------------------------


@each_wire
@pytest.mark.parametrize("prompted", [False, True])
def test_the_third_request_with_the_same_envelope_is_divided_without_calling_the_format(
    name: str, *, prompted: bool
) -> None:
    grammar: Any = adapter(name)[0].reads_units(Options())
    counts = Counter[str]()
    counted(counts, grammar, "split_units")
    reader = Reader(grammar)
    for text in ("One.", "Two.", "Three."):
        source = request(name, *(user(name, text) for _ in text), prompted=prompted) | {"model": "m"}
        counts.clear()
        found = whole(reader.read(deepcopy(source), Log()))
        assert found == read(source, name, options=Options(plans=False, force_format=True)).transcript
    assert counts["split_units"] == 0


@each_wire
def test_requests_with_and_without_a_system_prompt_are_not_confused(name: str) -> None:
    reader = Reader(adapter(name)[0].reads_units(Options()))
    for _ in range(4):
        for prompted in (False, True):
            source = request(name, user(name), prompted=prompted)
            found = whole(reader.read(deepcopy(source), Log()))
            assert found == read(source, name, options=Options(plans=False, force_format=True)).transcript


# --- names of tools ---------------------------------------------------------------------------------------------------

WORDS: Final = Alphabet("a-z0-9_", 8, "a-z_")


@pytest.mark.parametrize(
    ("word", "taken", "nearest"),
    [
        ("look", (), "look"),
        ("look up", (), "look_up"),
        ("1st", (), "_1st"),
        ("look_for_it", (), "look_for"),
        ("look up", ("look_up",), "look_u_2"),
        ("look up", ("look_up", "look_u_2"), "look_u_3"),
        ("a b", ("a_b",), "a_b_2"),
        ("aü", (), "a_"),
        ("ü", (), "_"),
    ],
)
def test_a_written_name_has_only_letters_of_the_wire_and_is_unique(
    word: str, taken: tuple[str, ...], nearest: str
) -> None:
    assert WORDS.nearest(word, taken) == nearest


@pytest.mark.parametrize("word", ["look", "a", "_a1", "abcdefgh"])
def test_a_valid_name_is_not_changed(word: str) -> None:
    assert WORDS.takes(word)
    assert Spelling(WORDS)(word) == word


@pytest.mark.parametrize("word", ["", "1a", "A", "a b", "abcdefghi"])
def test_a_name_in_other_letters_is_not_valid(word: str) -> None:
    assert not WORDS.takes(word)


def test_equal_names_are_written_alike_and_different_ones_differently() -> None:
    spelling = Spelling(WORDS, ("a b", "a_b", "a.b", "a-b"), ("a-b",))
    spelled = [spelling(word) for word in ("a b", "a.b", "a_b", "a-b", "a b", "new", "n w", "n_w")]
    assert spelled == ["a_b_2", "a_b_3", "a_b", "a-b", "a_b_2", "new", "n_w", "n_w_2"]


def called(name: str, call_id: str) -> tuple[Message, Message]:
    """A call of a tool, and the reply."""
    return (
        Message("assistant", "{}", None, "commentary", name, call_id, constraint="json", end="call"),
        Message("tool", "1", name, "commentary", "assistant", call_id),
    )


ODD: Final = "functions.look up"
DECLARED: Final = (Tool("look up", "Looks.", {"type": "object", "properties": {}}, "functions"),)
ASKED: Final = Message("user", "Now?")
DOCUMENTS: Final = {
    "called": Transcript((ASKED, called(ODD, "c1")[0])),
    "answered": Transcript((ASKED, *called(ODD, "c1"))),
    "declared": Transcript((ASKED,), DECLARED),
    "chosen": Transcript((ASKED,), DECLARED, settings=Settings(tool_choice=ToolChoice("required", (ODD,)))),
    "called in another answer": Transcript((ASKED,), alternatives=(Alternative((called(ODD, "c1")[0],), 1, "choice"),)),
}
"""Documents with the name of a tool that is invalid on some wires."""


@pytest.mark.parametrize("name", ["anthropic", "gemini", "bedrock-converse"])
@pytest.mark.parametrize("place", DOCUMENTS)
def test_an_invalid_name_is_in_no_document_of_the_wire(name: str, place: str) -> None:
    result = write(DOCUMENTS[place], name, policy=LENIENT)
    assert "look up" not in json.dumps(result.output)
    image = json.dumps(to_json(result.image))
    assert "look up" not in image
    assert ("look_up" in image) is (place != "called in another answer")
