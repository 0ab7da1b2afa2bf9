"""List the layouts of chats that apps export or keep, and that tools log."""

from __future__ import annotations

from typing import Final

from .. import columns, wrapped
from ..agents import adk, inspected, runs, simulations
from ..layout import Layout, Wording
from . import ai_studio, chainlit, chatgpt, claude, deepseek_chats, grok, librechat, lm_studio, open_webui, vscode

EXPORTS: Final[tuple[Layout, ...]] = (
    Layout(
        "deepseek-export",
        "DeepSeek's exported chats",
        "openai",
        {"mapping": ("mapping",)},
        deepseek_chats.is_deepseek,
        deepseek_chats.read_deepseek,
    ),
    Layout(
        "chatgpt-export",
        "ChatGPT's exported chats",
        "openai",
        {"mapping": ("mapping",), "current_node": ("current_node",)},
        chatgpt.is_chatgpt,
        chatgpt.read_chatgpt,
    ),
    Layout(
        "grok-export",
        "Grok's exported chats",
        "openai",
        {grok.CHATS: (grok.CHATS,)},
        grok.are_grok,
        grok.read_grok,
    ),
    Layout(
        "vscode-chat",
        "chats that VS Code exports",
        "openai",
        {vscode.REQUESTS: (vscode.REQUESTS,)},
        vscode.are_requests,
        vscode.read_requests,
        extra_columns=frozenset({vscode.REQUESTS}),
    ),
    Layout(
        "claude-export",
        "Claude's exported chats",
        "openai",
        {"chat_messages": ("chat_messages",)},
        claude.is_claude,
        claude.read_claude,
    ),
    Layout(
        "open-webui",
        "Open WebUI's exported chats",
        "openai",
        {open_webui.CHAT: ("chat",)},
        open_webui.is_open_webui,
        open_webui.read_open_webui,
    ),
    Layout(
        "librechat",
        "LibreChat's exported chats",
        "openai",
        {librechat.MESSAGES: ("messages", "messagesTree"), librechat.OPTIONS: ("options",)},
        librechat.is_librechat,
        librechat.read_librechat,
        extra_columns=frozenset({librechat.OPTIONS}),
    ),
    Layout(
        "lm-studio",
        "LM Studio's conversation files",
        "openai",
        {
            lm_studio.MESSAGES: ("messages",),
            lm_studio.SYSTEM: ("systemPrompt",),
            lm_studio.SETTINGS: ("perChatPredictionConfig",),
        },
        lm_studio.is_lm_studio,
        lm_studio.read_lm_studio,
        extra_columns=frozenset({lm_studio.SYSTEM, lm_studio.SETTINGS}),
    ),
    Layout(
        "ai-studio",
        "Google AI Studio's saved prompts",
        "gemini",
        {ai_studio.PROMPT: ("chunkedPrompt",), ai_studio.SYSTEM: ("systemInstruction",)},
        ai_studio.is_ai_studio,
        ai_studio.read_ai_studio,
    ),
    Layout(
        "chainlit",
        "threads of Chainlit",
        "openai",
        {chainlit.STEPS: ("steps",)},
        chainlit.is_thread,
        chainlit.read_thread,
    ),
    Layout(
        "adk",
        "sessions of Google's Agent Development Kit",
        "gemini",
        {adk.EVENTS: ("events", *columns.TURNS[:1])},
        adk.are_events,
        adk.read_events,
    ),
    Layout(
        "adk-evals",
        "eval sets of Google's Agent Development Kit",
        "gemini",
        {adk.CASES: (adk.CASES, "evalCases")},
        adk.are_cases,
        adk.read_cases,
    ),
    Layout(
        "langsmith-runs",
        "runs as tracers of LangSmith post them",
        "canonical",
        {runs.POST: (runs.POST,), runs.PATCH: (runs.PATCH,)},
        runs.are_runs,
        runs.read_runs,
    ),
    Layout(
        "tau2",
        "results of tau2-bench",
        "openai",
        {simulations.SIMULATIONS: (simulations.SIMULATIONS,)},
        simulations.are_simulations,
        simulations.read_simulations,
    ),
    Layout(
        "wrapped",
        "messages in records of their own, as sessions of agents keep them",
        "canonical",
        {wrapped.RECORDS: (*columns.TURNS, "history", "events")},
        wrapped.are_wrapped,
        wrapped.read_wrapped,
        wording=Wording(role=("role",)),
    ),
    Layout(
        "inspect",
        "messages as Inspect logs them",
        "openai",
        {inspected.MESSAGES: columns.TURNS[:3], inspected.TOOLS: columns.TOOLS},
        inspected.are_inspected,
        inspected.read_inspected,
    ),
)
