"""One example of each loss code: a document, and a format that cannot represent it. `docs/loss.md` shows them run."""

from __future__ import annotations

from dataclasses import replace

from ocml_bridge import Completion, Document, LossCode, Message, Tool, Transcript
from ocml_bridge.model import (
    Alternative,
    CacheMark,
    Citation,
    FileBreak,
    Flags,
    Foreign,
    Header,
    Infill,
    Media,
    Refusal,
    Settings,
    Signature,
    Text,
    Thought,
    Tools,
)

USER = Message("user", "Hi")
CALL = Message(
    "assistant", '{"q":1}', channel="commentary", recipient="functions.f", call_id="c9", constraint="json", end="call"
)
REPLY = Message("tool", "2", name="functions.f", channel="commentary", recipient="assistant", call_id="c9")
OTHER_CALL = replace(CALL, content='{"q":2}', call_id="c10", continues=True)
OTHER_REPLY = replace(REPLY, content="4", call_id="c10")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}


def _talk(*messages: Message) -> Transcript:
    return Transcript(messages)


def _answer(text: str) -> Message:
    return Message("assistant", text, channel="final")


def _user(*parts: object) -> Transcript:
    return Transcript((Message("user", parts),))  # type: ignore[arg-type]


EXAMPLES: dict[LossCode, tuple[Document, str]] = {
    LossCode.MESSAGE: (_talk(USER, Message("assistant", "A greeting.", channel="analysis")), "chatml"),
    LossCode.ROLE: (_talk(Message("developer", "Be brief.")), "ocm-0.1"),
    LossCode.NAME: (_talk(Message("user", "Hi", name="bob")), "harmony"),
    LossCode.CHANNEL: (_talk(USER, Message("assistant", "Wait.", channel="commentary")), "openai"),
    LossCode.RECIPIENT: (_talk(USER, CALL), "chatml"),
    LossCode.CALL_ID: (_talk(USER, CALL, REPLY), "harmony"),
    LossCode.INTENT: (_talk(USER, Message("assistant", "50 %", channel="commentary", intent="status")), "harmony"),
    LossCode.CONTENT_TYPE: (_talk(Message("user", "*Hi*", content_type="markdown")), "openai"),
    LossCode.CONSTRAINT: (_talk(USER, Message("assistant", "{}", channel="final", constraint="json")), "openai"),
    LossCode.ENDING: (_talk(USER, Message("assistant", "Hel", channel="final", end=None)), "openai"),
    LossCode.GROUPING: (_talk(USER, CALL, Message("assistant", "Done.", channel="final", continues=True)), "harmony"),
    LossCode.ORDER: (_talk(USER, CALL, OTHER_CALL, OTHER_REPLY, REPLY), "harmony"),
    LossCode.PAIRING: (_talk(USER, CALL, OTHER_CALL, REPLY, replace(REPLY, content="3")), "ocm-0.1"),
    LossCode.FAILED: (_talk(USER, CALL, replace(REPLY, content="no such city", failed=True)), "openai"),
    LossCode.SIGNATURE: (
        _talk(USER, Message("assistant", "A greeting.", channel="analysis", signature=Signature("c2ln", "anthropic"))),
        "harmony",
    ),
    LossCode.CACHE: (_user(Text("A long text.", cache=CacheMark("1h")), Text("Why?")), "gemini"),
    LossCode.CITATIONS: (
        _talk(
            USER,
            Message(
                "assistant",
                (Text("It rains.", citations=(Citation("https://example.org/weather", "Weather"),)),),
                channel="final",
            ),
        ),
        "harmony",
    ),
    LossCode.WEIGHT: (_talk(USER, Message("assistant", "Hello.", channel="final", weight=0)), "harmony"),
    LossCode.CONTENT: (_user(Text("one"), Text("two")), "harmony"),
    LossCode.THOUGHT: (_talk(Message("assistant", (Thought("reflect"), Text("Hm.")), channel="analysis")), "harmony"),
    LossCode.FLAGS: (_talk(Message("system", (Text("Be brief."), Flags(("reason",))))), "openai"),
    LossCode.MEDIA: (_user(Text("What is this?"), Media("image", url="https://example.org/a.png")), "harmony"),
    LossCode.REFUSAL: (_talk(USER, Message("assistant", (Refusal("No."),), channel="final")), "ocm-2.2"),
    LossCode.INFILL: (_user(Text("Complete: "), Infill("a", None, "c")), "openai"),
    LossCode.FILE_BREAK: (_user(Text("one"), FileBreak()), "openai"),
    LossCode.FOREIGN_PART: (_user(Text("x"), Foreign("openai", {"type": "video", "id": 1})), "harmony"),
    LossCode.EMPTIED: (_user(Foreign("openai", {"type": "speech", "text": "Hi"})), "harmony"),
    LossCode.TOOLS: (Transcript((USER,), tools=(Tool("f"),)), "chatml"),
    LossCode.TOOLS_MOVED: (_talk(Message("system", (Text("Use: "), Tools((Tool("f"),)))), USER), "openai"),
    LossCode.TOOL_SCHEMA: (Transcript((USER,), tools=(Tool("f", "Does.", SCHEMA),)), "harmony"),
    LossCode.HEADER: (Transcript((USER,), header=Header(version="2.2", profiles={"harmony": {}})), "openai"),
    LossCode.SETTINGS: (Transcript((USER,), settings=Settings(model="m", temperature=0.5)), "harmony"),
    LossCode.OPEN_TURN: (Transcript((USER,), open_turn=Message("assistant", "", end=None)), "openai"),
    LossCode.ALTERNATIVES: (
        Transcript((USER, _answer("Hello.")), alternatives=(Alternative((_answer("Go away."),), 1, "rejected"),)),
        "harmony",
    ),
    LossCode.COMPLETION: (Completion((Infill("a", None, "c"),)), "openai"),
    LossCode.OUTSIDE: (_talk(Message("user", "Hi", extras={"chatml": {"gap": "By the way:"}})), "openai"),
    LossCode.EXTRAS: (_talk(Message("user", "Hi", extras={"openai": {"prompt_cache_breakpoint": True}})), "harmony"),
    LossCode.LAYOUT: (_talk(Message("user", "Hi", layout={"ocm-2.2": {"gap": "\n\n"}})), "harmony"),
    LossCode.CONTROL_TOKEN: (_talk(Message("user", "What is <|end|>?")), "harmony"),
    LossCode.SURROGATE: (_talk(Message("user", "half: \ud800")), "harmony"),
}
