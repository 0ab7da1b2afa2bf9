"""Findings of the readers of texts about repairs and assumptions: code, severity, path and sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from ocml_bridge import BridgeError, ErrorCode, FindingCode, Options, Transcript, read, read_all
from ocml_bridge.loss import Finding, Severity, without_message
from sources import ROOT

START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
CALL: Final = "<|action_start|><|plugin|>\n"
CALLED: Final = "<|action_end|>"
TOOLS: Final = "# Tools\n\n## functions\n\nnamespace functions {{\n\n{}\n\n}} // namespace functions"
UNREAD: Final = "// F.\ntype f = (_: ???) => any;"
LOOK: Final = TOOLS.format("// Looks.\ntype look = () => any;")


def of_2_2(*frames: str, header: str = "version: 2.2\n") -> str:
    return header + "".join(f"<|start|>{frame}\n" for frame in frames)


def of_harmony(*frames: str) -> str:
    return "".join(f"<|start|>{frame}" for frame in frames)


def chat(*frames: str) -> str:
    return "".join(f"{START}{frame}{END}\n" for frame in frames)


FINDINGS: Final[dict[str, list[tuple[str, list[str]]]]] = {
    "ocm-2.2": [
        (
            of_2_2("user<|message|>a<|end|>", header="version: two\n"),
            ["changed version /header/version: the version 'two' is not major.minor (§2); it is read as 2.2"],
        ),
        (
            of_2_2("user<|message|>a<|end|>", header="version: 2.3\n"),
            ["changed version /header/version: the version 2.3 is not specified; it is read as 2.2"],
        ),
        (
            of_2_2("user<|message|>a<|end|>", header="model: m\n"),
            ["layout header-absent /header/version: the header has no version, which §2 requires"],
        ),
        (
            of_2_2("user<|message|>a<|end|>", header=""),
            ["layout header-absent /header: the transcript has no YAML header, which §2 requires"],
        ),
        (
            of_2_2("user<|message|>a<|end|>", header="hello\n"),
            [
                (
                    "changed text-outside /extras/ocm-2.2/front: the text before the first message is not a YAML "
                    "header; it is kept as it is"
                )
            ],
        ),
        (
            of_2_2("developer<|message|>a<|end|>", "assistant<|channel|>final", header="version: 1.0\n").rstrip(),
            [
                f"changed version {path}: the header's version 1.x has neither channels nor a developer role (§13)"
                for path in ("/messages/0/role", "/open_turn/channel")
            ],
        ),
        (
            of_2_2("user<|message|>a<|end|>\nx", "user<|message|>b<|end|>\ny"),
            [
                "changed text-outside /messages/1/extras/ocm-2.2/before: there is text between messages; it is kept",
                "changed text-outside /extras/ocm-2.2/tail: there is text after the last message; it is kept",
            ],
        ),
        (
            of_2_2("assistant to=functions.f call_id=1<|channel|>commentary<|message|>{}<|end|>"),
            ["layout call-ending /messages/0/end: a call must end with <|call|> (§6)"],
        ),
        (
            of_2_2("user name=<|message|>a<|call|>"),
            [
                "layout header-value /messages/0: the attribute name= has no value",
                (
                    "changed E-CALL-SCHEMA /messages/0/recipient: a message that ends with <|call|> must name its tool "
                    "with to= (§6)"
                ),
            ],
        ),
    ],
    "ocm-0.1": [
        (
            f"[BOS]{START}user\na{END}{END}x\n{START}user\nb\n{START}assistant\nc",
            [
                (
                    f"changed end-missing /messages/1: {END} is missing; the message is read up to the next {START} or "
                    "the end"
                ),
                f"changed stray-token /messages/1: {END} ends no message",
                (
                    "changed text-outside /messages/1: there is text outside of any message; it is kept beside the "
                    "messages"
                ),
                f"changed E-STREAM-TRUNCATED /messages/2: the text ends before {END}",
            ],
        ),
        (
            f"{START}environment\na\n{END}\n{START}critic name=a<b x y\nb\n{END}[EOS]z",
            [
                (
                    "changed unknown-role /messages/0: 'environment' is not a role of OpenChatML 0.1; the role is read "
                    "as 'tool'"
                ),
                "changed unknown-role /messages/1: 'critic' is not a role of OpenChatML 0.1; the role is kept as it is",
                "changed header-value /messages/1: the name 'a<b' cannot be written as it is",
                "changed header-value /messages/1: 'x y' in the header is not understood; it is kept as it is",
                "changed text-outside : there is text outside of any message; it is kept beside the messages",
            ],
        ),
        (
            f"[BOS]{START}user\na\n{END}{END}\n{START}user\nb\n{END}{END}[EOS]",
            [f"changed stray-token {path}: {END} ends no message" for path in ("/messages/1", "")],
        ),
        (
            f"{START}critic",
            ["changed unknown-role /open_turn: 'critic' is not a role of OpenChatML 0.1; the role is kept as it is"],
        ),
        (
            f"{START}assistant\na<|end_reflect|><|start_reason|>b\n{END}",
            [
                "changed stray-token /messages/0: <|end_reflect|> closes no block; it is read as text",
                "changed end-missing /messages/1: a thought block is not closed; it is read to the end of the message",
            ],
        ),
        (
            f"{START}assistant\n<|function_call|>\n[]\n{END}\n{START}tool\n<|function_output|>\n{{}}\n{END}",
            [
                f"changed json-opaque /messages/{at}: {tag} is not followed by the JSON that it announces; it is read "
                "as text"
                for at, tag in enumerate(("<|function_call|>", "<|function_output|>"))
            ],
        ),
        (
            (
                f'{START}assistant\n<|function_call|>\n{{"arguments": {{}}}}\n{END}\n'
                f'{START}assistant\n<|function_call|>\n{{"name": "", "arguments": {{}}}}\n{END}\n'
                f'{START}assistant\n<|function_call|>\n{{"name": "f"}}\n{END}\n'
                f'{START}assistant\n<|function_call|>\n{{"name": "f", "parameters": [1]}}\n{END}'
            ),
            [
                "changed E-CALL-SCHEMA /messages/0: a call names no function (§8.2); it is read as text",
                "changed E-CALL-SCHEMA /messages/1: the name of a call is empty (§8.2)",
                "changed shape /messages/2: the call of f has no arguments (§8.2); the call is read without arguments",
                "changed shape /messages/3: the call of f has no arguments (§8.2); 'parameters' is read instead",
                "changed E-BODY-CONSTRAINT-VIOLATION /messages/3: the arguments of f are not an object",
            ],
        ),
        (
            (
                f'{START}assistant\na\n<|function_call|>\n{{"name": "f", "arguments": {{}}}}\n'
                f'<|function_call|>\n{{"name": ""}}\n<|function_call|>\n{{"name": "", "arguments": [1]}}\n'
                f"b<|end_reason|>\n{END}\n"
                f'{START}tool name=f\n<|function_output|>\n{{"name": "f", "content": 1}}\n'
                f'<|function_output|>\n{{"name": "g", "content": 1}}\n{END}'
            ),
            [
                "changed E-CALL-SCHEMA /messages/2: the name of a call is empty (§8.2)",
                "changed shape /messages/2: the call has no arguments (§8.2); the call is read without arguments",
                "changed E-CALL-SCHEMA /messages/3: the name of a call is empty (§8.2)",
                "changed E-BODY-CONSTRAINT-VIOLATION /messages/3: the arguments of the call are not an object",
                "changed stray-token /messages/4: <|end_reason|> closes no block; it is read as text",
                (
                    "changed header-value /messages/6: the header names functions.f and the output functions.g; the "
                    "output's name is read"
                ),
            ],
        ),
        (
            f"{START}user\n<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>c<|fim_prefix|>d\n{END}",
            ["changed stray-token /messages/0: <|fim_prefix|> lacks its two other tokens; it is read as text"],
        ),
        (
            "a<|fim_middle|>",
            [
                "changed stray-token /content: <|fim_middle|> lacks its two other tokens; it is read as text",
                f"changed shape : the input has no {START} and nothing to fill in; it is read as one text to complete",
            ],
        ),
    ],
    "internlm2": [
        (
            f"x{START}user\na{START}critic b c\nc{END}\n",
            [
                (
                    "changed text-outside /messages/0: there is text before this message, outside of any message; it "
                    "is kept beside the messages"
                ),
                f"changed end-missing /messages/0/end: the message has no {END}",
                "layout unknown-role /messages/1/role: 'critic' is not a role of InternLM2-Chat",
                "changed header-value /messages/1/name: 'b c' in the header is not understood; it is kept as it is",
            ],
        ),
        (
            chat("user\na") + END + chat("user\nb") + "x\n",
            [
                (
                    "changed stray-token /messages/1: there is text before this message, outside of any message; it is "
                    "kept beside the messages"
                ),
                "changed text-outside : there is text after the last message; it is kept beside the messages",
            ],
        ),
        (
            f"{START}user\na<|plugin|>[UNUSED_TOKEN_145]\n{START}assistant\na{CALL}{{}}",
            [
                "changed stray-token /messages/0: <|plugin|> inside a message is read as text",
                "changed json-opaque /messages/1: the call does not name its tool; it is kept as text",
                "changed stray-token /messages/1: <|action_start|> inside a message is read as text",
                f"changed E-STREAM-TRUNCATED /messages/1/end: the message has no {END}",
                f"layout mixed-spelling : the tokens are written in two ways: {START} and [UNUSED_TOKEN_146]",
            ],
        ),
        (
            chat("system name=<|plugin|>\nnone", "tool\nx"),
            [
                "changed json-opaque /messages/0: the tool declarations are not a list; they are kept as text",
                "changed reply-unpaired /messages/1/name: no call fits this reply; the reply is kept without one",
            ],
        ),
        (
            chat("system name=<|plugin|>\n[{'name': 'f'}]") + f"{START}critic",
            [
                "changed json-repaired /tools: the JSON of the tool declarations is repaired",
                "layout unknown-role /open_turn/role: 'critic' is not a role of InternLM2-Chat",
            ],
        ),
        (
            chat("user\na", "system name=<|plugin|>\n[{'name': 'f'}]"),
            ["changed json-repaired /messages/1: the JSON of the tool declarations is repaired"],
        ),
        (
            f'{START}system name=<|plugin|>\n[{{"name": "f"}}]{START}user\na',
            [
                f"changed end-missing /tools/end: the message has no {END}",
                f"changed E-STREAM-TRUNCATED /messages/0/end: the message has no {END}",
            ],
        ),
        (
            chat(f"assistant\na{CALL}{{'name': 'f', 'parameters': {{}}, 'x': 1}}{CALL}{{\"name\": \"f\"}}"),
            [
                "changed json-repaired /messages/1: the JSON of the call is repaired",
                "changed shape /messages/1: the call has further keys (x); only the same format keeps them",
                f"changed end-missing /messages/1: the call has no {CALLED}",
                "changed shape /messages/2: the call has no parameters; the call is read without arguments",
                f"changed E-STREAM-TRUNCATED /messages/2: the call has no {CALLED}",
            ],
        ),
    ],
    "chatml": [
        ("\ufeff" + chat("user\na"), ["layout byte-order-mark : the byte order mark at the beginning is left out"]),
        (
            f"x{START}user\na{START}critic b c\nb{END}\n{START}assistant\nc",
            [
                f"changed end-missing /messages/0/end: {END} is missing; the message is read up to the next {START}",
                (
                    "changed text-outside /messages/0: there is text before this message, outside of any message; it "
                    "is kept beside the messages"
                ),
                "layout unknown-role /messages/1/role: 'critic' is not a role of ChatML",
                "changed header-value /messages/1/name: 'b c' in the header is not understood; it is kept as it is",
                "changed E-STREAM-TRUNCATED /messages/2/end: the last message is cut off",
            ],
        ),
        (
            chat("user\na") + END + chat("user\nb") + "x\n",
            [
                f"changed stray-token /messages/1: {END} ends no message",
                "changed text-outside : there is text after the last message; it is kept beside the messages",
            ],
        ),
        (f"{START}critic", ["layout unknown-role /open_turn/role: 'critic' is not a role of ChatML"]),
        (
            chat(
                "assistant\n<tool_call>\n{'name': 'f', 'arguments': {}}\n</tool_call>",
                "user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response>",
            ),
            [
                "changed json-repaired /messages/0/content: the call is repaired",
                "changed reply-unpaired /messages/2/name: no call fits this reply; the reply is kept without one",
            ],
        ),
        (
            chat("assistant\na\n<tool_call>\n{}\n</tool_call>"),
            ["changed json-opaque /messages/0/content: the call does not name its tool; it is kept as text"],
        ),
        (
            chat(
                'assistant\n<tool_call>\n{"name": "f"}\n</tool_call>\n'
                '<tool_call>\n{"name": "g", "arguments": {}, "x": 1}'
            ),
            [
                "changed shape /messages/0/content: the call has no arguments; the call is read without arguments",
                "changed shape /messages/1/content: the call has further keys (x); only the same format keeps them",
                "changed end-missing /messages/1/content: the call has no end tag",
            ],
        ),
        (
            f'{START}assistant\n<tool_call>\n{{"name": "g", "arguments": {{}}}}',
            [
                "changed end-missing /messages/0/content: the call has no end tag",
                "changed E-STREAM-TRUNCATED /messages/0/end: the last message is cut off",
            ],
        ),
        (
            chat("assistant\n<think>a"),
            ["changed end-missing /messages/0/content: the thought has no </think>"],
        ),
        (
            chat("assistant\n<think>a\n<tool_call>\n{}\n</tool_call>"),
            [
                (
                    "changed end-missing /messages/0/content: the thought has no </think>, so the call in it is read "
                    "as a part of it"
                )
            ],
        ),
        (
            chat("assistant\na\n<think>b"),
            ["changed end-missing /messages/1/content: the thought has no </think>"],
        ),
        (
            chat("system\n<tools>\n[\n</tools>"),
            [
                (
                    "changed markup /messages/0/content: `<tools>` is read as text here, and so is the markup of chat "
                    "templates that follows it"
                )
            ],
        ),
    ],
    "harmony": [
        (
            of_harmony("user<|message|>a", "assistant<|channel|>final<|message|>b"),
            [
                "changed end-missing /messages/0: the end token is missing before the next message",
                "changed E-STREAM-TRUNCATED /messages/1: the text ends inside the message",
            ],
        ),
        (
            of_harmony("user<|message|>a<|end|>\nx", "user<|message|>b<|end|> ", "user<|message|>c<|end|>y"),
            [
                "changed text-outside /messages/1: there is text between messages: '\\nx'",
                "layout text-outside /messages/2: there is white space between messages; it is left out",
                "changed text-outside : there is text after the last message: 'y'",
            ],
        ),
        (
            of_harmony("user<|message|>a<|end|><|end|><|end|> \n"),
            [
                "layout text-outside : there is white space after the last message; it is left out",
                "layout stray-token : 2 stop tokens end no message; they are left out",
            ],
        ),
        (
            of_harmony("user<|message|>a<|end|>", ""),
            ["layout stray-token : <|start|> at the end has no message after it"],
        ),
        (
            of_harmony("user<|message|>a<|end|>x", "assistant<|channel|>fin"),
            [
                "changed text-outside : there is text between messages: 'x'",
                "changed E-STREAM-TRUNCATED /open_turn: the text ends inside the header 'assistant<|channel|>fin'",
                "layout unknown-channel /open_turn: Harmony has no channel 'fin'",
            ],
        ),
        (
            of_harmony("user<|message|>a<|channel|>b<|end|>", "assistant<|channel|>chatter<|message|>a<|end|>"),
            [
                "layout stray-token /messages/0: <|channel|> in the body is read as text",
                "layout unknown-channel /messages/1: Harmony has no channel 'chatter'",
            ],
        ),
        (
            of_harmony("assistant<|channel|>final hello<|end|>", "assistant<|channel|>final a b c<|message|>d<|end|>"),
            [
                "changed header-recovered /messages/0: <|message|> is missing: the header runs into the body",
                (
                    "changed header-recovered /messages/1: the header 'assistant<|channel|>final a b c' is read as "
                    "role assistant, channel final"
                ),
            ],
        ),
        (
            of_harmony("assistant to=functions.f<|channel|>analysis<|message|>{}<|end|>"),
            [
                "layout call-channel /messages/0: a call of a function should be on commentary, not on analysis",
                "layout call-ending /messages/0: a call should end with <|call|>, not with <|end|>",
            ],
        ),
        (
            of_harmony("assistant to=functions.f<|channel|>commentary<|end|>"),
            [
                (
                    "changed header-recovered : the header 'assistant to=functions.f<|channel|>commentary' is cut off: "
                    "no tool is called"
                ),
                (
                    "changed text-outside : there is text between messages: "
                    "'<|start|>assistant to=functions.f<|channel|>commentary<|e...'"
                ),
            ],
        ),
        (
            of_harmony("weather<|message|>1<|end|>"),
            [
                "changed header-recovered /messages/0: the header 'weather' is read as role tool, name weather",
                "layout unknown-role /messages/0: 'weather' is read as the name of a tool",
                "layout header-recovered /messages/0: the tool's reply has no to=assistant",
            ],
        ),
        (
            "analysisThe user asks.assistantfinalHello",
            ["changed header-recovered : the control tokens are missing: messages are recognised by their words"],
        ),
        (
            "Hello",
            ["changed text-outside : the text has no control tokens; it is read as an answer of the assistant"],
        ),
        (
            of_harmony("assistant<|channel|>final<|message|>hello<|endoftext|>"),
            [
                "changed end-missing /messages/0: the message ends with <|endoftext|> instead of its end token",
            ],
        ),
        (
            of_harmony(
                f"developer<|message|>{TOOLS.format('what')}<|end|>",
                f"developer<|message|>{TOOLS.format(UNREAD)}<|end|>",
            ),
            [
                (
                    "changed tools-opaque /messages/0: the section of tool declarations is not understood; it is kept "
                    "as text"
                ),
                "changed tools-opaque /messages/1: the parameters of 'f' are not understood; they are kept as text",
            ],
        ),
    ],
}


def in_words(finding: Finding) -> str:
    return f"{finding.severity} {finding.code} {finding.path}: {finding.detail}"


def findings(text: str, name: str) -> list[Finding]:
    return list(read(text, name, options=Options(force_format=True)).findings)


@pytest.mark.parametrize(
    ("name", "text", "expected"), [(name, *case) for name, cases in FINDINGS.items() for case in cases]
)
def test_repairs_and_assumptions_are_reported(name: str, text: str, expected: list[str]) -> None:
    assert [in_words(finding) for finding in findings(text, name)] == expected


# --- what is refused --------------------------------------------------------------------------------------------------

FIRST: Final = of_2_2("user<|message|>a<|end|>")
REFUSED: Final = [
    ("ocm-2.2", "hello", ErrorCode.NO_FRAMES, 0, "the input has no message: no line begins with <|start|>"),
    ("ocm-2.2", of_2_2("user what<|message|>a<|end|>"), ErrorCode.PARSE_HEADER, 13, "'what' is not an attribute"),
    ("ocm-2.2", of_2_2(" <|message|>a<|end|>"), ErrorCode.PARSE_HEADER, 13, "the header names no role"),
    (
        *("ocm-2.2", of_2_2("user name=a name=b<|message|>c<|end|>"), ErrorCode.PARSE_HEADER, 13),
        "the header says name twice, 'a' and 'b'",
    ),
    (
        *("ocm-2.2", of_2_2("user<|end|>"), ErrorCode.PARSE_HEADER, 13),
        "<|end|> is in a header, before its <|message|>",
    ),
    (
        *("ocm-2.2", f"{FIRST}<|start|>user<|message|>a <|start|> b<|end|>\n", ErrorCode.PARSE_HEADER, len(FIRST)),
        "<|start|> is in a body: end the message before it, or escape the token as <<|start|>",
    ),
    *(
        ("ocm-2.2", of_2_2("user<|message|>a<|end|>", header=header), ErrorCode.PARSE_HEADER, 0, message)
        for header, message in {
            "version: 2.2\na: &x 1\nb: *x\n": "the header uses YAML aliases, which are not read",
            f"version: 2.2\na: {'[' * 60}{']' * 60}\n": "the header nests too deep",
            "version: 2.2\na: 1\na: 2\n": "the header has a key twice, or one that is not text",
            "version: 2.2\n[a]: 1\n": "the header has a key twice, or one that is not text",
            f"version: 2.2\na: {'x' * 65_536}\n": "the header is longer than 65536 characters",
        }.items()
    ),
    (
        *("ocm-2.2", f"{FIRST}<|start|>{'x' * 16_385}", ErrorCode.PARSE_HEADER, len(FIRST)),
        "a header has no <|message|> within 16384 characters",
    ),
    (
        *("internlm2", "hello", ErrorCode.NO_FRAMES, 0),
        "the input has neither <|im_start|> nor [UNUSED_TOKEN_146], so it is not InternLM2-Chat",
    ),
    ("chatml", "hello", ErrorCode.NO_FRAMES, 0, "the input has no <|im_start|>, so it is not ChatML"),
    (
        *("chatml", f"{START}assistant\na{END}\n{START}user\na", ErrorCode.INCOMPLETE, 34),
        "the last message, of role 'user', has no <|im_end|>: ChatML does not allow half-finished messages",
    ),
]


@pytest.mark.parametrize(("name", "text", "code", "offset", "message"), REFUSED)
def test_an_invalid_text_is_refused_with_its_position(
    name: str, text: str, code: ErrorCode, offset: int, message: str
) -> None:
    with pytest.raises(BridgeError) as caught:
        read(text, name)
    assert (caught.value.code, caught.value.offset, caught.value.message) == (code, offset, message)


SEVERAL: Final = [
    ("ocm-2.2", FIRST, FIRST),
    ("ocm-0.1", f"[BOS]{START}user\na{END}[EOS]", f"[BOS]{START}user\nb{END}[EOS]"),
    ("harmony", of_harmony("user<|message|>a<|end|>") + "<|endoftext|>", of_harmony("user<|message|>b<|end|>")),
    ("internlm2", f"{START}user\na{END}</s>", f"<s>{START}user\nb{END}"),
    ("chatml", f"{START}user\na{END}</s>", f"<s>{START}user\nb{END}"),
]


@pytest.mark.parametrize(("name", "first", "second"), SEVERAL)
def test_a_second_conversation_is_refused_where_it_begins(name: str, first: str, second: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read(first + second, name)
    assert (caught.value.code, caught.value.offset) == (ErrorCode.SEVERAL, len(first))
    places = [reading.place.offset for reading in read_all(first + second, name)]
    assert places == [0, len(first)]


# --- places -----------------------------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(r"<\|[a-z_]+\|>")
_MESSAGE: Final = re.compile(r"/messages/(\d+)")


def broken(text: str) -> Iterator[str]:
    """A text that ends at each of some tokens, or has a letter there, or is without the token."""
    found = list(_TOKEN.finditer(text))
    for token in found[:: 1 + len(found) // 12]:
        yield text[: token.end()]
        yield f"{text[: token.end()]}x{text[token.end() :]}"
        yield text[: token.start()] + text[token.end() :]


@pytest.mark.parametrize("name", ["ocm-2.2", "ocm-0.1", "internlm2", "harmony", "chatml"])
def test_the_path_of_a_finding_exists_in_the_document(name: str) -> None:
    seen = 0
    for path in sorted((ROOT / "golden" / name).glob("*/input.*")):
        for text in broken(path.read_text("utf-8")):
            try:
                reading = read(text, name, options=Options(force_format=True))
            except BridgeError:
                continue
            seen += len(reading.findings)
            for finding in reading.findings:
                assert is_in(finding, reading.transcript), f"{text!r}: {finding}"
    assert seen > 10


def is_in(finding: Finding, document: object) -> bool:
    if not isinstance(document, Transcript):
        return not finding.path.startswith(("/messages", "/open_turn", "/tools"))
    found = _MESSAGE.match(finding.path)
    if found is None:
        absent = {"/open_turn": document.open_turn is None, "/tools": document.tools is None}
        return not any(finding.path.startswith(path) for path, is_absent in absent.items() if is_absent)
    rest = document.messages[int(found[1]) :]
    # What is cut off is cut off in its last message.
    return bool(rest) and (finding.code is not FindingCode.TRUNCATED or rest[0].end is None or len(rest) == 1)


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        (
            "ocm-2.2",
            of_2_2(f"developer name=<|message|>{LOOK}<|end|>", "critic<|message|>Hi.<|end|>"),
            ["/tools", "/messages/0/role"],
        ),
        (
            "harmony",
            of_harmony(f"developer<|message|>{LOOK}<|end|>x", "user<|message|>a<|channel|><|end|>"),
            ["/messages/0", "/messages/0"],
        ),
        (
            "ocm-0.1",
            chat('system\n<|function_list|>\n{"name": "look", "parameters": {}}\n', "critic\na\n") + "[EOS]",
            ["/messages/0"],
        ),
        (
            "internlm2",
            chat('system name=<|plugin|> x\n[{"name": "look"}]', "critic\na"),
            ["/tools/name", "/messages/0/role"],
        ),
    ],
)
def test_findings_after_a_message_that_declares_the_tools_have_the_paths_of_the_remaining_messages(
    name: str, text: str, places: list[str]
) -> None:
    """The document has the tools in place of the message: an oddity in the message is reported at the tools."""
    document = read(text, name, options=Options(force_format=True)).transcript
    assert isinstance(document, Transcript)
    assert len(document.messages) == 1
    assert [finding.path for finding in findings(text, name) if finding.path != "/header"] == places


def test_findings_in_a_message_that_declares_tools_have_the_path_of_the_tools() -> None:
    def at(path: str) -> Finding:
        return Finding(FindingCode.SHAPE, Severity.CHANGED, path, "")

    before = ["", "/messages/0", "/messages/1", "/messages/1/name", "/messages/2/content", "/messages/10", "/open_turn"]
    behind = ["", "/messages/0", "/tools", "/tools", "/messages/1/content", "/messages/9", "/open_turn"]
    assert without_message(map(at, before), 1) == list(map(at, behind))
