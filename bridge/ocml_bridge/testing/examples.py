"""List small documents, one for each thing that a conversation can hold: checks go through them before they draw any.

What a draw meets once in a thousand documents is met here at once, and the document that shows it is small already.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..model import (
    Alternative,
    AnswerFormat,
    CacheMark,
    Citation,
    Completion,
    Content,
    Document,
    Ending,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Header,
    Infill,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Settings,
    Signature,
    Text,
    Thought,
    Tool,
    ToolChoice,
    Tools,
    Transcript,
    Usage,
)

ASKED: Final = Message("user", "How is it there?")
PNG: Final = "iVBORw0KGgo="
URL: Final = "https://example.org/a.png"
SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: Final = Tool("get_weather", "The weather of a city.", SCHEMA)
SEARCH: Final = Tool("search", parameters={"type": "object", "properties": {}}, namespace="browser", strict=True)


def _call(
    content: Content, recipient: str = "functions.get_weather", call_id: str | None = "c1", joined: bool = False
) -> Message:
    return Message(
        "assistant", content, None, "commentary", recipient, call_id, constraint="json", end="call", continues=joined
    )


def _reply(content: Content, name: str | None = "functions.get_weather", call_id: str | None = "c1") -> Message:
    return Message("tool", content, name, "commentary", "assistant", call_id)


def _answer(content: Content, joined: bool = False, end: Ending | None = "end") -> Message:
    return Message("assistant", content, channel="final", end=end, continues=joined)


def _thought(content: Content, signature: Signature | None = None) -> Message:
    return Message("assistant", content, channel="analysis", signature=signature)


CALL: Final = _call('{"city":"Paris"}')
REPLY: Final = _reply("Rain.")
ANSWER: Final = _answer("It rains.")
PREAMBLE: Final = Message("assistant", "I look.", channel="commentary", intent="preamble")

PARTS: Final[tuple[Part, ...]] = (
    Text("with a mark", cache=CacheMark("5m")),
    Text("with a source", citations=(Citation(URL, "A page", "the words", start=0, end=4),)),
    Text("of a file", citations=(Citation(file_id="f1", filename="a.pdf", vendor="anthropic"),)),
    Media("image", url=URL, detail="low"),
    Media("image", data=PNG, format="image/png"),
    Media("image", data=PNG, format="png"),
    Media("image", file_id="file-1", vendor="openai"),
    Media("audio", data="UklGRg==", format="wav"),
    Media("audio", url="https://example.org/a.mp3"),
    Media("video", url="https://example.org/a.mp4", format="video/mp4"),
    Media("file", data="JVBERi0=", format="application/pdf", filename="a.pdf"),
    Media("file", url="https://example.org/a.pdf", context="From the shelf.", citable=True),
    Media("file", data="aGk=", format="text/plain", cache=CacheMark()),
    Passages(("one passage", "another"), "A book", context="Old.", citable=True),
    Passages(("a result",), "A page", "https://example.org"),
    Refusal("I will not."),
    Tools((WEATHER,)),
    Thought("reason"),
    Flags(("reason", "reflect")),
    Infill("def f(", "x", "): pass"),
    Infill("def f(", None, "): pass"),
    FileBreak(),
    Foreign("openai", {"type": "unheard_of", "text": "said"}),
)
"""A part of each kind."""

SETTINGS: Final[tuple[Settings, ...]] = (
    Settings("a-model", 0.5, 0.9, 40, 0.1, 0.2, 0.3, 1.1, 100, ("END",), 7, 2),
    Settings(temperature=0, stop=(), stream=True),
    Settings(reasoning_effort="high", verbosity="low", modalities=("text",), parallel_tool_calls=False),
    Settings(response_format=AnswerFormat("json_object")),
    Settings(response_format=AnswerFormat("json_schema", "answer", SCHEMA, "What to say.", True)),
    Settings(usage=Usage(10, 5, 15, 4, 2)),
    Settings(usage=Usage(10, 5, 15, 4, 2), filtered=True),
    Settings(metadata={"k": "v"}, store=False, service_tier="flex", safety_identifier="s", user="u"),
    Settings(prompt_cache_key="k", prompt_cache_retention="24h"),
)
CHOICES: Final = (
    *map(ToolChoice, ("none", "auto", "required")),
    ToolChoice("required", ("functions.get_weather",)),
    ToolChoice("auto", ("functions.get_weather", "browser.search")),
)
TOOLS: Final[tuple[tuple[Tool, ...], ...]] = (
    (),
    (Tool("bare"),),
    (WEATHER, SEARCH),
    (Tool("loose", "", {"type": "object"}, strict=False, cache=CacheMark()),),
    (Tool("free", "A text.", freeform=Freeform()), Tool("held", freeform=Freeform("lark", 'start: "a"'))),
)
CALLS: Final[tuple[tuple[Message, ...], ...]] = (
    (CALL, REPLY, ANSWER),
    (CALL,),
    (_call("{}", call_id=None), _reply("Rain.", call_id=None), ANSWER),
    (_call("{}", call_id=None), _reply("Rain.", None, None)),
    (
        _call('{"city": "Rome", "days": [1, 2.50]}'),
        _call("no object"),
        _call('["a list"]'),
        _call('"a text"'),
        _call(""),
    ),
    (CALL, _call("{}", "browser.search", "c2", True), _reply("Found.", "browser.search", "c2"), REPLY),
    (CALL, _call("{}", "browser.search", "c2"), _reply("Rain.", None), _reply("Found.", None, "c2")),
    (CALL, _reply("Rain.", "functions.other"), _reply("Nobody asked.", call_id="z"), REPLY),
    (_call("print(1)", "python"), _reply("1", "python"), _call("lo<o>k", "get weather!"), ANSWER),
    (PREAMBLE, _call("{}", joined=True), REPLY, _answer("It rains."), _answer("And snows.")),
    (PREAMBLE, CALL, REPLY, CALL, REPLY),
    (_thought("I look it up."), _call("{}", joined=True), REPLY, _thought("It rains."), _answer("Rain.", True)),
    (
        _answer("I look."),
        _call("{}", joined=True),
        Message("tool", "no", REPLY.name, "commentary", "assistant", "c1", failed=True),
    ),
    (CALL, _reply((Text("See:"), Media("image", url=URL)))),
    (CALL, _reply((Text("one"), Text("two"))), _answer((Text("three"), Text("four")))),
    (CALL, _reply(""), _answer("")),
    (Message("assistant", "{}", channel="commentary", recipient="functions.get_weather", end="end"), REPLY),
)
REASONING: Final[tuple[tuple[Message, ...], ...]] = (
    (_thought("Let me see."), ANSWER),
    (_thought("Let me see."), _thought("Well."), _answer("It rains.", True)),
    (_thought("Let me see.", Signature("c2ln", "anthropic")), _answer("It rains.", True)),
    (_thought("", Signature("c2VhbGVk", "openai", True)), _call("{}", joined=True), REPLY),
    (_thought(""), ANSWER),
    (ANSWER, _thought("Afterwards.")),
    (Message("assistant", (Thought("reflect"), Text("Was that right?"))), ANSWER),
    (Message("assistant", "Looking.", channel="commentary", intent="status"), ANSWER),
    (Message("assistant", "x = 1", channel="commentary", intent="debug"), Message("assistant", "?", channel="notes")),
)
"""Turns of the assistant that follow a question."""

SPOKEN: Final[tuple[tuple[Message, ...], ...]] = (
    (),
    (Message("system", "Be brief."), ASKED, ANSWER),
    (Message("system", "Be brief."), Message("developer", "Use tools."), ASKED, Message("system", "Now long."), ANSWER),
    (Message("user", "One."), Message("user", "Two."), ANSWER, _answer("And more.")),
    (_answer("Hello."), ASKED),
    (Message("user", "Hi", "bob"), Message("assistant", "Hi", "eve", "final"), Message("system", "Hi", "al")),
    (Message("narrator", "It was night."), Message("user", ""), Message("assistant", "Which?"), ANSWER),
    (ASKED, _answer("You are", end=None)),
    (ASKED, _answer("You are", end=None), Message("user", "cut", end=None), ANSWER),
    (ASKED, _answer("Bye.", end="return")),
    (Message("user", "no lesson", weight=0), Message("assistant", "a lesson", channel="final", weight=1)),
    (Message("user", " \n two\r\nlines \n"), _answer("\n\u2028\u00e9\0 ")),
    (Message("user", "<think>x</think> {\"a\": 1} <|x|> [INST] </s>"), _answer('{"name": "f", "arguments": {}}')),
    (Message("user", "for eve", recipient="eve"), _answer((Text("one"), Text("two")))),
    (Message("system", (Text("You have tools."), Tools((WEATHER,)))), Message("system", (Tools((SEARCH,)),)), ASKED),
)  # fmt: skip
"""Conversations of nothing but messages."""


CONTINUED: Final[tuple[Content, ...]] = (
    "def f(",
    (Infill("a", None, "b"),),
    (Text("a"), FileBreak(), Text("b")),
)
"""Texts that a model is to complete."""


def _documents() -> Iterable[Document]:
    yield from map(Transcript, SPOKEN)
    yield from (Transcript((ASKED, *turn)) for turn in (*CALLS, *REASONING))
    for part in PARTS:
        content = (Text("See:"), part)
        yield Transcript(
            (Message("system", (part,)), Message("user", content), _answer(content), CALL, _reply(content))
        )
    yield from (Transcript((ASKED, ANSWER), settings=settings) for settings in SETTINGS)
    yield from (Transcript((ASKED,), tools=tools) for tools in TOOLS)
    yield from (Transcript((ASKED,), TOOLS[2], settings=Settings(tool_choice=choice)) for choice in CHOICES)
    for turn in (Message("assistant", "", end=None), Message("assistant", "", None, "analysis", end=None)):
        yield Transcript((ASKED,), open_turn=turn)
    yield Transcript((ASKED, ANSWER), header=Header("2.2", ["tools"], {"p": 1}, {"title": "t"}))
    others = (Alternative((_answer("It snows."),), 1, label) for label in ("choice", "rejected"))
    yield Transcript((ASKED, ANSWER), alternatives=tuple(others))
    yield from map(Completion, CONTINUED)


EXAMPLES: Final[tuple[Document, ...]] = tuple(_documents())
"""The documents, in the order in which they are checked."""
