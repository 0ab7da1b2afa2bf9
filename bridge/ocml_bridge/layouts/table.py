"""List the layouts by name, in the order in which they are tried; the first that fits a row is used."""

from __future__ import annotations

from functools import partial
from typing import Final

from ..loss import LossCode
from . import alternating, columns, dialogue, exchange, logged, markup, media, streams, turns
from .agents import key_values, langchain, spans
from .agents.previews import PREVIEWS
from .agents.sessions import SESSIONS
from .agents.table import FRAMEWORKS
from .answered_wires import ANSWERED_REQUEST
from .apps.table import EXPORTS
from .datasets import accepted, answered, bracketed, moss, oasst, pairs, reasoned, steps, summarized, swift, valued
from .datasets.agent_steps import AGENT_STEPS
from .datasets.compared import COMPARED
from .datasets.preferences import PREFERENCES, WON, is_labelled_completion
from .datasets.preferred import PREFERRED
from .datasets.questions import QUESTIONS
from .hermes import HERMES
from .layout import Layout, Wording
from .named import names_an_answer
from .texts import rendered
from .texts.prompted import PROMPTED
from .texts.table import TEXTS

_LAYOUTS: Final[tuple[Layout, ...]] = (
    *PREVIEWS,
    ANSWERED_REQUEST,
    *SESSIONS,
    *EXPORTS,
    *FRAMEWORKS,
    Layout(
        "moss",
        "MOSS's turns: reasoning, commands, results and answers",
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
        "the events of a streamed answer",
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
            "tools": columns.TOOLS,
        },
        valued.are_valued,
        valued.read_valued,
        valued.write_valued,
        unread={"messages": frozenset({"chosen", "rejected"})},
        drops={"tool_call_id": LossCode.CALL_ID, "name": LossCode.NAME},
    ),
    Layout(
        "source-target",
        "a source and its target, with the reason for it (CoT Collection)",
        "openai",
        {
            "instruction": ("source", "src"),
            "output": ("target", "tgt"),
            reasoned.THOUGHT: ("rationale",),
        },
        exchange.is_completion,
        reasoned.read_reasoned,
        without=frozenset((*columns.QUESTIONS, *columns.INPUTS, *columns.TURNS)) - {"task"},
    ),
    Layout(
        "reasoned",
        "a question, the thought before its answer, and the answer",
        "openai",
        {
            "instruction": (*columns.QUESTIONS, *columns.TURNS[:3]),
            "input": columns.INPUTS,
            "output": (*columns.ANSWERS, "content"),
            reasoned.THOUGHT: columns.THOUGHTS,
            **columns.HISTORY,
            **columns.PROMPT,
            **media.FIELDS,
        },
        reasoned.is_reasoned,
        partial(media.with_media, reasoned.read_reasoned),
        doubts=columns.INCOMPLETE,
    ),
    Layout(
        "answered",
        "messages, and their answer in its own column",
        "canonical",
        {
            answered.MESSAGES: (*columns.TURNS, "origin_prompt"),
            answered.QUESTION: (*columns.QUESTIONS, "input"),
            answered.ANSWER: (
                *("response", "output", "completion", "answer", "answers", "model_output", "prediction"),
                *("output_message", "generation", "generated_text", "model_response", "assistant_response"),
            ),
            **columns.PROMPT,
        },
        answered.is_answered,
        answered.read_answered,
        unread={answered.MESSAGES: frozenset({answered.QUESTION})},
    ),
    Layout(
        "toolace",
        "turns whose calls are Python in brackets, of functions that the system's text lists (ToolACE)",
        "openai",
        {"conversations": ("conversations", "conversation", "messages"), **columns.PROMPT},
        bracketed.are_bracketed,
        bracketed.read_bracketed,
        extra_columns=frozenset({"tools"}),
    ),
    HERMES,
    Layout(
        "ms-swift",
        "a conversation with its answer, and the one that was rejected (ms-swift)",
        "sharegpt",
        {
            "conversations": columns.TURNS[:3],
            "instruction": columns.QUESTIONS,
            "input": columns.INPUTS,
            "output": columns.ANSWERS,
            swift.REJECTED: ("rejected_response", "rejected_messages", "rejected_message"),
            **columns.HISTORY,
            **columns.PROMPT,
            **columns.MEDIA,
        },
        swift.is_rejecting,
        swift.read_rejecting,
        unread={"conversations": frozenset({"instruction", "input", "output", "history"})},
        wording=turns.SHAREGPT,
        without=frozenset({"chosen", "chosen_response", "chosen_messages", "rejected"}),
    ),
    Layout(
        "sharegpt",
        "ShareGPT rows, with tools, media and preferences",
        "sharegpt",
        {
            "conversations": ("conversations", "conversation", "messages", "dialog", "dialogue", "items"),
            **columns.PROMPT,
            **columns.MEDIA,
            "chosen": ("chosen",),
            "rejected": ("rejected",),
        },
        turns.are_sharegpt,
        turns.read_turns,
        turns.write_turns,
        turns.SHAREGPT,
        respells=turns.in_words_of_sharegpt,
        without=frozenset(columns.REJECTED) - {"rejected"},
    ),
    PREFERRED,
    rendered.RENDERED_PREFERENCE,
    *PREFERENCES,
    COMPARED,
    WON,
    Layout(
        "langchain",
        "LangChain's messages, and LangSmith's runs",
        "openai",
        {
            langchain.MESSAGES: ("messages", "user_input"),
            **{each: (each,) for each in (langchain.INPUTS, langchain.OUTPUTS, "tools", langchain.STATE)},
        },
        langchain.are_langchain,
        langchain.read_langchain,
        unread={
            langchain.MESSAGES: frozenset({langchain.INPUTS, langchain.OUTPUTS, langchain.STATE}),
            langchain.STATE: frozenset({langchain.INPUTS, langchain.OUTPUTS}),
        },
    ),
    Layout(
        "logged",
        "a request with its response, as gateways and tracers log them, and providers' batches",
        "canonical",
        {
            logged.REQUEST: logged.REQUESTS,
            logged.RESPONSE: logged.RESPONSES,
            logged.ERROR: ("error",),
            logged.ENDPOINT: ("url",),
            logged.ID: ("custom_id", "key", "recordId"),
        },
        logged.is_logged,
        logged.read_logged,
        extra_columns=logged.METADATA_FIELDS,
    ),
    Layout(
        "spans",
        "spans of tracing with messages in their attributes (OpenInference, OpenLLMetry, OpenTelemetry)",
        "openai",
        {
            spans.ATTRIBUTES: ("attributes", "span_attributes"),
            **{each: (f"attributes.{each}",) for each in (*spans.REQUESTS, *spans.RESPONSES)},
        },
        spans.is_span,
        spans.read_span,
        extra_columns=frozenset({spans.ATTRIBUTES, *spans.REQUESTS, *spans.RESPONSES}),
    ),
    Layout(
        "key-values",
        "inputs and outputs that are objects of texts (LangSmith, Langfuse)",
        "openai",
        {
            key_values.INPUTS: ("inputs", "input", "request"),
            key_values.OUTPUTS: (
                *("outputs", "output", "response"),
                *("expected_output", "expectedOutput", "expected", "expectations"),
            ),
        },
        key_values.are_key_values,
        key_values.read_key_values,
    ),
    Layout(
        "messages",
        "messages of Chat Completions, with tools beside them",
        "openai",
        {
            "messages": columns.TURNS,
            **columns.PROMPT,
            "parallel_tool_calls": ("parallel_tool_calls",),
            **media.FIELDS,
        },
        turns.are_requests,
        partial(media.with_media, turns.read_messages),
        turns.write_messages,
    ),
    Layout(
        "spoken",
        "messages with `speaker`, `author` or `sender` for `role`",
        "openai",
        {"messages": columns.TURNS, **columns.PROMPT, "system": (*columns.SYSTEM, "context")},
        turns.are_spoken,
        turns.read_spoken,
        wording=Wording(("speaker", "author", "sender"), ("content", "text", "utterance", "message", "value")),
    ),
    Layout(
        "pairs",
        "pairs of a question and its answer (ms-swift, XTuner)",
        "openai",
        {"pairs": ("conversation", "conversations", "messages", "history", "turns", "texts", "log"), **columns.PROMPT},
        pairs.are_pairs,
        pairs.read_pairs,
    ),
    Layout(
        "texts",
        "texts by turns (UltraChat)",
        "openai",
        {
            alternating.TEXTS: columns.ALTERNATING,
            alternating.SPEAKERS: (alternating.SPEAKERS,),
            "system": columns.SYSTEM,
        },
        alternating.are_alternating,
        alternating.read_alternating,
        extra_columns=frozenset({alternating.SPEAKERS}),
    ),
    Layout(
        "glaive",
        "Glaive's chats in a text",
        "openai",
        {"text": ("chat", "sample"), "system": ("system",)},
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
        {accepted.TRUTH: ("ground_truth",)},
        accepted.are_accepted,
        accepted.read_accepted,
        extra_columns=frozenset({accepted.TRUTH}),
    ),
    AGENT_STEPS,
    Layout(
        "xlam",
        "a query with the calls that answer it (xLAM)",
        "openai",
        {
            "instruction": ("query", "question", "instruction"),
            "input": ("input",),
            "calls": ("answers", "answer", "output"),
            **columns.PROMPT,
        },
        exchange.is_called,
        exchange.read_calls,
    ),
    Layout(
        "rendered",
        "a prompt in a template, and its answer",
        "openai",
        {rendered.PROMPT: (*columns.QUESTIONS, "input"), rendered.ANSWER: columns.ANSWERS},
        rendered.is_rendered,
        rendered.read_rendered,
    ),
    PROMPTED,
    Layout(
        "stepwise",
        "a prompt with an answer in steps (TRL)",
        "openai",
        {"instruction": ("prompt",), "steps": ("completions",), **columns.PROMPT},
        steps.is_stepwise,
        steps.read_steps,
        steps.write_steps,
    ),
    Layout(
        "summarized",
        "a text with its summary, or with two and the better one's number (learning to summarise)",
        "openai",
        {each: (each,) for each in (summarized.INFO, summarized.SUMMARIES, summarized.SUMMARY, summarized.CHOICE)},
        summarized.is_summarized,
        summarized.read_summarized,
        extra_columns=frozenset({summarized.INFO, summarized.SUMMARIES, summarized.SUMMARY, summarized.CHOICE}),
    ),
    Layout(
        "task",
        "the definition of a task, one input of it, and its output (Natural Instructions)",
        "openai",
        {
            "instruction": ("definition", "task_definition"),
            "input": ("inputs", "input"),
            "output": ("targets", "output", "target"),
        },
        exchange.is_task,
        exchange.read_exchange,
    ),
    Layout(
        "prompt-completion",
        "a prompt and its completion, as texts or messages (TRL)",
        "openai",
        {"instruction": ("prompt",), "output": ("completion", "content"), **columns.PROMPT, **media.FIELDS},
        exchange.is_completion,
        partial(media.with_media, exchange.read_exchange),
        partial(media.in_columns, exchange.write_completion),
    ),
    Layout(
        "kto",
        "a prompt and its completion, with a label for its quality (TRL; axolotl's argilla_chat)",
        "openai",
        {"instruction": ("prompt", "chosen"), "output": ("completion",), **columns.PROMPT, **media.FIELDS},
        is_labelled_completion,
        partial(media.with_media, exchange.read_exchange),
        partial(media.in_columns, exchange.write_completion),
        requires={"label": ("label", "kto_tag")},
    ),
    *QUESTIONS,
    Layout(
        "history",
        "earlier turns, as pairs or messages, and the question (Gradio, Cohere)",
        "openai",
        {
            "instruction": ("message", *columns.QUESTIONS[:5]),
            "history": ("history", "chatbot", "chat_history", *columns.TURNS[:3]),
            **columns.PROMPT,
        },
        exchange.is_history,
        turns.read_earlier,
    ),
    *TEXTS,
    Layout(
        "prompt",
        "a prompt without an answer (TRL)",
        "openai",
        {"instruction": ("prompt",), **columns.PROMPT, **media.FIELDS},
        exchange.is_prompt,
        partial(media.with_media, exchange.read_exchange),
        without=frozenset(
            (*columns.ANSWERS, *columns.SEVERAL, "answers", "chosen", "rejected", "messages", "conversations")
        ),
        doubts=columns.INCOMPLETE | {"label", "summary", "canonical_solution", "utterance", "text", "winner"},
        doubted_by=names_an_answer,
    ),
)
LAYOUTS: Final = tuple(map(markup.finding_thoughts, _LAYOUTS))
BY_NAME: Final = {layout.name: layout for layout in LAYOUTS}
