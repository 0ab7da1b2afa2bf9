"""The layouts that are known by name. A further one is one more entry; the first that fits a row is believed."""

from __future__ import annotations

from functools import partial
from typing import Final

from ..loss import LossCode
from . import (
    answered,
    battles,
    dialogue,
    exchange,
    framed,
    frames,
    langchain,
    logged,
    moss,
    oasst,
    ranked,
    reasoned,
    rendered,
    scored,
    streams,
    templates,
    turns,
    valued,
)
from .exports import EXPORTS
from .layout import Layout, Wording

_SYSTEM: Final = ("system", "system_prompt", "system_message")
_TOOLS: Final = ("tools", "functions")
_MEDIA: Final = {"images": ("images", "image"), "videos": ("videos", "video"), "audios": ("audios", "audio")}
_HISTORY: Final = {"history": ("history",)}
_PROMPT: Final = {"system": _SYSTEM, "tools": _TOOLS}
_QUESTIONS: Final = (
    *("instruction", "question", "query", "problem", "prompt", "inputs", "message_1"),
    *("instructions", "user", "human", "input_text", "user_input", "user_message", "task", "goal", "q"),
)
_ANSWERS: Final = (
    *("output", "response", "solution", "completion", "answer", "targets", "outputs", "message_2"),
    *("generation", "assistant", "gpt", "bot", "output_text", "model_output", "model_response", "target", "a"),
)


_THOUGHTS: Final = (
    *("reasoning", "reasoning_content", "thinking", "thought", "thoughts", "chain_of_thought", "cot", "complex_cot"),
)
_TEXT: Final = ("text", "chat", "prompt", "conversation")
_TURNS: Final = (
    *("messages", "conversations", "conversation", "dialog", "dialogue", "chat", "turns", "trajectory", "utterances"),
)
_SEVERAL: Final = (
    *("responses", "generations", "completions", "candidates", "choices"),
    *(f"response{between}{which}" for between in ("", "_") for which in "012ab"),
)
"""Columns of several answers, of which no layout knows the one that is meant."""


LAYOUTS: Final[tuple[Layout, ...]] = (
    *EXPORTS,
    Layout(
        "moss",
        "MOSS's turns, with what was thought, commanded and found",
        "openai",
        {
            moss.TURNS: ("chat", "conversation"),
            moss.TEXT: ("plain_text",),
            moss.SYSTEM: ("meta_instruction", "prefix"),
        },
        moss.is_moss,
        moss.read_moss,
    ),
    Layout(
        "recorded-stream",
        "the events in which an answer came",
        "canonical",
        {"events": (streams.EVENTS,)},
        streams.is_stream,
        streams.read_stream,
    ),
    Layout("oasst", "Open Assistant's trees", "openai", {"prompt": ("prompt",)}, oasst.is_oasst, oasst.read_oasst),
    Layout(
        "llamafactory-v1",
        "LLaMA-Factory v1: messages whose parts have values",
        "openai",
        {
            "messages": ("messages",),
            "chosen": ("chosen_messages", "chosen"),
            "rejected": ("rejected_messages", "rejected"),
            "tools": _TOOLS,
        },
        valued.are_valued,
        valued.read_valued,
        valued.write_valued,
        drops={"tool_call_id": LossCode.CALL_ID, "name": LossCode.NAME},
    ),
    Layout(
        "reasoned",
        "a question, the thought before its answer, and the answer",
        "openai",
        {
            "instruction": (*_QUESTIONS, *_TURNS[:3]),
            "input": ("input", "context", "article"),
            "output": (*_ANSWERS, "content"),
            reasoned.THOUGHT: _THOUGHTS,
            **_HISTORY,
            **_PROMPT,
        },
        reasoned.is_reasoned,
        reasoned.read_reasoned,
    ),
    Layout(
        "answered",
        "messages with the answer to them in a column of its own",
        "canonical",
        {
            answered.MESSAGES: _TURNS,
            answered.ANSWER: ("response", "output", "completion", "answer"),
            **_PROMPT,
        },
        answered.is_answered,
        answered.read_answered,
    ),
    Layout(
        "hermes-functions",
        "Hermes' function calling: turns with calls in tags",
        "openai",
        {"conversations": ("conversations", "conversation", "messages"), **_PROMPT},
        turns.are_tagged_turns,
        turns.read_tagged_turns,
        wording=Wording(("from", "role"), ("value", "content"), thoughts=("think", "thinking", "scratch_pad")),
    ),
    Layout(
        "sharegpt",
        "ShareGPT rows, with tools, media and preferences",
        "sharegpt",
        {
            "conversations": ("conversations", "conversation", "messages", "dialog", "dialogue"),
            **_PROMPT,
            **_MEDIA,
            "chosen": ("chosen",),
            "rejected": ("rejected",),
        },
        turns.are_sharegpt,
        turns.read_turns,
        turns.write_turns,
        turns.SHAREGPT,
    ),
    Layout(
        "preference",
        "a prompt with an answer that was chosen and one that was rejected (TRL, LLaMA-Factory)",
        "openai",
        {
            "instruction": (*("prompt", "instruction", "question", "query"), *_TURNS[:3]),
            "input": ("input",),
            "chosen": (
                "chosen",
                "chosen_response",
                "response_chosen",
                "answer_chosen",
                "chosen_conversations",
                "response_j",
            ),
            "rejected": (
                *("rejected", "rejected_response", "response_rejected", "answer_rejected", "rejected_conversations"),
                "response_k",
            ),
            **_HISTORY,
            **_PROMPT,
        },
        exchange.is_preference,
        exchange.read_preference,
        exchange.write_preference,
    ),
    Layout(
        "arena",
        "the conversations of two models, and which one won (Chatbot Arena)",
        "openai",
        {**{side: (side,) for side in battles.SIDES}, battles.WINNER: (battles.WINNER,)},
        battles.is_battle,
        battles.read_battle,
        beside=frozenset({battles.WINNER}),
    ),
    Layout(
        "ranked",
        "a prompt with answers that are ranked or scored (Nectar, UltraFeedback)",
        "openai",
        {"instruction": ("prompt", "instruction", "question"), ranked.ANSWERS: ("answers", "completions"), **_PROMPT},
        ranked.is_ranked,
        ranked.read_ranked,
        beside=frozenset({ranked.ANSWERS}),
    ),
    Layout(
        "gemini-preference",
        "a request of Gemini with two answers and their scores (Vertex AI's preference tuning)",
        "canonical",
        {
            **{each: (each,) for each in (scored.CONTENTS, scored.COMPLETIONS, "tools")},
            "system_instruction": ("system_instruction", "systemInstruction"),
        },
        scored.are_scored,
        scored.read_scored,
    ),
    Layout(
        "langchain",
        "LangChain's messages, and LangSmith's runs",
        "openai",
        {each: (each,) for each in (langchain.MESSAGES, langchain.INPUTS, langchain.OUTPUTS, langchain.TOOLS)},
        langchain.are_langchain,
        langchain.read_langchain,
    ),
    Layout(
        "logged",
        "a request with what answered it, as gateways and tracers log them, and providers' batches",
        "canonical",
        {
            logged.REQUEST: ("request", "request_body", "requestBody", "inputs", "input", "body", "params"),
            logged.RESPONSE: ("response", "response_body", "responseBody", "outputs", "output", "result"),
            logged.ERROR: ("error",),
            logged.ENDPOINT: ("url",),
            logged.ID: ("custom_id", "key"),
        },
        logged.is_logged,
        logged.read_logged,
        beside=logged.BESIDE,
    ),
    Layout(
        "messages",
        "messages of Chat Completions, with tools beside them",
        "openai",
        {
            "messages": _TURNS,
            **_PROMPT,
            "parallel_tool_calls": ("parallel_tool_calls",),
        },
        turns.are_requests,
        turns.read_messages,
        turns.write_messages,
    ),
    Layout(
        "spoken",
        "messages with `speaker`, `author` or `sender` for `role`",
        "openai",
        {"messages": _TURNS, **_PROMPT, "system": (*_SYSTEM, "context")},
        turns.are_spoken,
        turns.read_messages,
        wording=Wording(("speaker", "author", "sender"), ("content", "text", "utterance", "message", "value")),
    ),
    Layout(
        "pairs",
        "pairs of what was asked and what was answered (ms-swift, XTuner)",
        "openai",
        {"pairs": ("conversation", "conversations", "messages", "history", "turns", "texts"), **_PROMPT},
        turns.are_pairs,
        turns.read_pairs,
    ),
    Layout(
        "texts",
        "texts by turns (UltraChat)",
        "openai",
        {"texts": ("data", "dialog", "turns", "conversations", "conversation", "messages")},
        turns.take_turns,
        turns.read_texts,
    ),
    Layout(
        "glaive",
        "Glaive's chats in a text",
        "openai",
        {"text": ("chat",), "system": ("system",)},
        dialogue.is_dialogue,
        dialogue.read_dialogue,
    ),
    Layout(
        "bfcl",
        "questions with functions of the Berkeley leaderboard",
        "openai",
        {"instruction": ("question",), "tools": ("function",)},
        exchange.is_bfcl,
        exchange.read_exchange,
    ),
    Layout(
        "bfcl-answers",
        "the calls that the Berkeley leaderboard accepts",
        "openai",
        {"truth": ("ground_truth",)},
        exchange.are_accepted,
        exchange.read_accepted,
        beside=frozenset({"truth"}),
    ),
    Layout(
        "xlam",
        "a query with the calls that answer it (xLAM)",
        "openai",
        {"instruction": ("query", "question", "instruction"), "calls": ("answers", "answer"), "tools": _TOOLS},
        exchange.is_called,
        exchange.read_calls,
    ),
    Layout(
        "rendered",
        "a prompt as a template wrote it, and its answer",
        "openai",
        {rendered.PROMPT: (*_QUESTIONS, "input"), rendered.ANSWER: _ANSWERS},
        rendered.is_rendered,
        rendered.read_rendered,
    ),
    Layout(
        "stepwise",
        "a prompt with an answer in steps (TRL)",
        "openai",
        {"instruction": ("prompt",), "steps": ("completions",), **_PROMPT},
        exchange.is_stepwise,
        exchange.read_steps,
        exchange.write_steps,
    ),
    Layout(
        "prompt-completion",
        "a prompt and its completion, as texts or messages (TRL)",
        "openai",
        {"instruction": ("prompt",), "output": ("completion",), **_PROMPT},
        exchange.is_completion,
        exchange.read_exchange,
        exchange.write_completion,
    ),
    Layout(
        "kto",
        "a prompt and its completion, and whether it is a good one (TRL)",
        "openai",
        {"instruction": ("prompt",), "output": ("completion",), **_PROMPT},
        exchange.is_completion,
        exchange.read_exchange,
        exchange.write_completion,
        requires={"label": ("label", "kto_tag")},
    ),
    Layout(
        "alpaca",
        "instruction, input and output, with history",
        "openai",
        {
            "instruction": _QUESTIONS,
            "input": ("input", "context", "article"),
            "output": _ANSWERS,
            **_HISTORY,
            **_PROMPT,
        },
        exchange.is_exchange,
        exchange.read_exchange,
        exchange.write_alpaca,
        drops={"name": LossCode.NAME, "weight": LossCode.WEIGHT},
    ),
    Layout(
        "history",
        "what was said before, in pairs or messages, and nothing else (Gradio)",
        "openai",
        {
            "history": ("history", "chatbot", "chat_history", *_TURNS[:3]),
            **_PROMPT,
        },
        exchange.is_history,
        exchange.read_exchange,
    ),
    Layout(
        "alpaca-text",
        "a text in Alpaca's template (`### Instruction:`)",
        "openai",
        {"text": _TEXT},
        templates.is_headed,
        templates.read_headed,
    ),
    Layout(
        "dialogue",
        "a text with the speaker before each turn",
        "openai",
        {
            "text": ("text", "chat", "dialogue", "dialog", "conversation", "example", "transcript", "messages_display"),
            "system": ("system",),
        },
        dialogue.is_dialogue,
        dialogue.read_dialogue,
    ),
    *(
        Layout(
            name,
            f"a text in the template of {tokens.whose} ({tokens.shown})",
            "openai",
            {framed.TEXT: _TEXT},
            partial(framed.is_framed, tokens),
            partial(framed.read_framed, tokens),
        )
        for name, tokens in frames.ALL.items()
    ),
    Layout(
        "vicuna",
        "a text in Vicuna's template (`USER:` in the line)",
        "openai",
        {"text": _TEXT},
        templates.is_vicuna,
        templates.read_vicuna,
    ),
    Layout(
        "prompt",
        "a prompt without an answer (TRL)",
        "openai",
        {"instruction": ("prompt",), **_PROMPT},
        exchange.is_prompt,
        exchange.read_exchange,
        without=frozenset((*_ANSWERS, *_SEVERAL, "answers", "chosen", "rejected", "messages", "conversations")),
    ),
)
BY_NAME: Final = {layout.name: layout for layout in LAYOUTS}
