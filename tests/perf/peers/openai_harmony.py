"""The official Harmony library. It knows objects and token ids; text is decoded from them."""

from __future__ import annotations

from typing import Any

import orjson

from ocml_adapters.harmony.vocabulary import load_encoding

from ..work import Work, library
from ..works import BPE, answers_of, harmony_of

PEER = "openai-harmony"


class _Builder:
    """From a request to the library's objects, as its documentation maps one to the other."""

    def __init__(self) -> None:
        self.h = library("openai_harmony")

    def conversation(self, data: bytes) -> Any:
        h = self.h
        request = orjson.loads(data)
        wires = request["messages"]
        tools = [self.tool(tool["function"]) for tool in request.get("tools", ())]
        messages = [h.Message.from_role_and_content(h.Role.SYSTEM, h.SystemContent.new())]
        names: dict[str, str] = {}
        if tools and wires[0]["role"] not in {"system", "developer"}:
            messages.append(self.developer(None, tools))
        for at, wire in enumerate(wires):
            if wire["role"] in {"system", "developer"}:
                messages.append(self.developer(wire["content"], [] if at else tools))
            elif wire["role"] == "assistant":
                messages += self.assistant(wire, names)
            elif wire["role"] == "tool":
                author = h.Author(role=h.Role.TOOL, name=names[wire["tool_call_id"]])
                reply = h.Message.from_author_and_content(author, wire["content"])
                messages.append(reply.with_recipient("assistant").with_channel("commentary"))
            else:
                author = h.Author(role=h.Role(wire["role"]), name=wire.get("name"))
                messages.append(h.Message.from_author_and_content(author, wire["content"]))
        return h.Conversation.from_messages(messages)

    def tool(self, function: dict[str, Any]) -> Any:
        return self.h.ToolDescription.new(
            function["name"], function.get("description", ""), parameters=function.get("parameters")
        )

    def developer(self, instructions: str | None, tools: list[Any]) -> Any:
        content = self.h.DeveloperContent.new()
        if instructions is not None:
            content = content.with_instructions(instructions)
        if tools:
            content = content.with_function_tools(tools)
        return self.h.Message.from_role_and_content(self.h.Role.DEVELOPER, content)

    def assistant(self, wire: dict[str, Any], names: dict[str, str]) -> list[Any]:
        calls = wire.get("tool_calls") or ()
        texts = [("analysis", wire.get("reasoning_content")), ("commentary" if calls else "final", wire["content"])]
        made = [self.of_assistant(text).with_channel(channel) for channel, text in texts if text is not None]
        for call in calls:
            function = call["function"]
            names[call["id"]] = f"functions.{function['name']}"
            made.append(
                self.of_assistant(function["arguments"])
                .with_channel("commentary")
                .with_recipient(names[call["id"]])
                .with_content_type("<|constrain|>json")
            )
        return made

    def of_assistant(self, text: str) -> Any:
        return self.h.Message.from_role_and_content(self.h.Role.ASSISTANT, text)


def works() -> tuple[Work, ...]:
    """Render and decode, render alone, encode and parse; and the vocabulary alone, which is the library's too."""
    builder, encoding = _Builder(), load_encoding()
    config = builder.h.RenderConversationConfig(auto_drop_analysis=False)

    def render(conversation: Any) -> list[int]:
        return encoding.render_conversation(conversation, config=config)

    def parse(text: str) -> Any:
        ids = encoding.encode(text, allowed_special="all")
        return encoding.parse_messages_from_completion_tokens(ids)

    def stream(ids: list[int]) -> None:
        parser = builder.h.StreamableParser(encoding, role=None)
        for number in ids:
            parser.process(number)

    return (
        Work(
            "official-render-text",
            "harmony",
            PEER,
            "`orjson.loads`, objects, `render_conversation`, `decode_utf8`",
            lambda data: encoding.decode_utf8(render(builder.conversation(data))),
            sample=10,
        ),
        Work(
            "official-parse-text",
            "from-harmony",
            PEER,
            "`encode`, `parse_messages_from_completion_tokens`",
            parse,
            prepare=harmony_of,
            sample=10,
            text=lambda messages: [message.to_dict() for message in messages],
        ),
        Work(
            "official-stream",
            "stream",
            PEER,
            "`StreamableParser.process` of each token id, nothing sent",
            stream,
            prepare=answers_of,
            sample=10,
        ),
        Work(
            "official-render",
            "tokens",
            PEER,
            "`render_conversation` of objects made beforehand",
            render,
            prepare=builder.conversation,
            sample=10,
            text=encoding.decode_utf8,
        ),
        BPE,
    )
