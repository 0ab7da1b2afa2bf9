"""List the kinds of JSON, with their marks. The first kind that an object has a mark of wins.

The marks of `SPECIFIC` kinds are certain. Those of `GENERAL` kinds also occur in other kinds; they are tried if no
specific kind was recognised.
"""

from __future__ import annotations

from typing import Final

from .apps import APPS
from .frameworks import FRAMEWORKS
from .marks import (
    PREVIEWED,
    Kind,
    Mark,
    Place,
    anything,
    holding,
    like,
    listing,
    marked,
    planned,
    something,
    words,
)
from .people import PEOPLE
from .streams import STREAMS

_D, _M, _P, _PIECE, _T = Place.DOCUMENT, Place.MESSAGE, Place.PART, Place.PIECE, Place.TOOL
_GEMINI: Final = {"request": "contents", "response": "candidates"}
"""The members of records of Gemini's calls, and a member of each."""

SPECIFIC: Final[tuple[Kind, ...]] = (
    # --- formats that are read ----------------------------------------------------------------------------------------
    Kind(
        "a document in the canonical form",
        (marked(_D, type=words("transcript"), messages=list), marked(_D, type=words("completion"), content=something)),
        format="canonical",
    ),
    Kind(
        "OpenChatML 2.2 JSON",
        (
            marked(_M, "tool_calls", channel=words("analysis", "commentary", "final"), role=str),
            marked(_M, "tool_calls", tool_call=dict, role=str),
        ),
        format="ocm-2.2-json",
    ),
    Kind(
        "ChatML as a list of tokens and strings",
        (marked(_M, "role", token=words("<|im_start|>")),),
        format="chatml-json",
    ),
    *STREAMS,
    *FRAMEWORKS,
    *APPS,
    *PEOPLE,
    # --- other servers' requests and answers --------------------------------------------------------------------------
    Kind(
        "a Bedrock Converse request",
        (
            marked(_D, system=listing("text", "guardContent", "cachePoint", without="type"), messages=list),
            marked(_D, modelId=str, messages=list),
            marked(_D, modelId=str, promptVariables=dict),
            marked(_D, inferenceConfig=dict, messages=list),
            marked(_D, toolConfig=dict, messages=list),
            marked(_P, "type", text=str),
            marked(_P, "type", toolUse=dict),
            marked(_P, "type", toolResult=dict),
            marked(_P, "type", reasoningContent=dict),
            marked(_P, "type", image=holding("format", "source")),
            marked(_P, "type", document=holding("format", "source")),
            marked(_P, "type", video=holding("format", "source")),
        ),
        format="bedrock-converse",
    ),
    Kind(
        "a Bedrock Converse response",
        (marked(_D, output=holding("message"), stopReason=str),),
        format="bedrock-converse",
    ),
    Kind(
        "an Anthropic Messages request",
        (
            marked(_D, system=something, messages=list),
            marked(_D, anthropic_version=str, messages=list),
            marked(_M, type=words("message"), role=str, stop_reason=str),
            marked(_P, type=words("tool_use", "server_tool_use", "mcp_tool_use"), name=str),
            marked(_P, type=words("tool_result", "web_search_tool_result", "mcp_tool_result"), tool_use_id=str),
            marked(_P, type=words("thinking"), signature=str),
            marked(_P, type=words("redacted_thinking"), data=str),
            marked(_P, type=words("image", "document"), source=dict),
            marked(_P, type=words("search_result"), content=list),
            marked(_P, type=words("container_upload"), file_id=str),
            marked(_T, "function", input_schema=dict),
            marked(_T, "function", type=like(r"\w+_20\d{6}"), name=str),
        ),
        format="anthropic",
    ),
    Kind(
        "an Anthropic Messages response",
        (marked(_D, type=words("message"), role=words("assistant"), content=list),),
        format="anthropic",
    ),
    Kind(
        "an answer of the Responses API",
        (
            marked(_D, object=words("response"), output=list),
            marked(_D, request=holding("input"), response=holding("output")),
        ),
        format="openai-responses",
    ),
    Kind(
        "items of the Responses API",
        (
            marked(_P, type=words("input_text", "output_text", "input_image", "input_file", "summary_text")),
            marked(_M, type=words("function_call", "custom_tool_call"), name=str, call_id=str),
            marked(_M, type=words("function_call_output", "custom_tool_call_output"), call_id=str),
            marked(_M, type=words("reasoning"), summary=list),
            marked(_M, "stop_reason", type=words("message"), role=str, content=something),
            marked(_M, type=words("agent_message"), author=str),
            marked(_M, type=words("item_reference", "compaction", "mcp_list_tools", "mcp_approval_request"), id=str),
            marked(_M, type=words("additional_tools"), tools=list),
            marked(_M, type=words("web_search_call", "file_search_call", "image_generation_call", "mcp_call"), id=str),
            marked(_M, type=words("code_interpreter_call", "x_search_call"), id=str),
            marked(_M, type=words("computer_call", "shell_call", "local_shell_call", "apply_patch_call"), call_id=str),
            marked(_M, type=words("program", "program_output", "multi_agent_call"), call_id=str),
        ),
        format="openai-responses",
    ),
    Kind(
        "a request of the Responses API",
        (
            marked(_D, "messages", "instruction", "preferred_output", input=something, model=str),
            marked(_D, "messages", "preferred_output", input=something, instructions=str),
            marked(_D, "messages", "preferred_output", input=something, previous_response_id=str),
            marked(_D, "messages", "preferred_output", input=something, prompt=holding("id")),
            marked(_D, "messages", "preferred_output", input=something, max_output_tokens=int),
            marked(_D, "messages", "preferred_output", input=listing("role"), tools=listing("name")),
        ),
        format="openai-responses",
    ),
    planned("a saved prompt of Google AI Studio", (marked(_D, chunkedPrompt=holding("chunks")),)),
    Kind(
        "a Gemini request",
        (
            marked(_D, contents=listing("parts")),
            marked(_D, systemInstruction=dict),
            marked(_D, system_instruction=dict),
        ),
        format="gemini",
    ),
    Kind(
        "a Gemini response",
        (
            marked(_D, candidates=listing("content", "finishReason")),
            marked(_D, usageMetadata=dict, modelVersion=str),
            marked(_D, "request", "key", response=holding("candidates")),
        ),
        format="gemini",
    ),
    Kind(
        "attributes of an OpenTelemetry span (gen_ai)",
        (Mark(_D, {"gen_ai.input.messages": anything}), Mark(_D, {"gen_ai.output.messages": anything})),
        format="otel-genai",
        advice="`ocml-convert batch --plan spans` reads them as a column: jq -c '{attributes: .}' FILE",
    ),
    Kind(
        "OpenTelemetry messages (gen_ai)",
        (
            marked(_PIECE, type=words("text", "reasoning"), content=str),
            marked(_PIECE, type=words("tool_call"), name=str),
            marked(_PIECE, type=words("tool_call_response")),
            marked(_PIECE, type=words("blob", "uri", "file"), modality=str),
        ),
        format="otel-genai",
        advice="`ocml-convert batch --plan spans` reads them in attributes: jq -c '{attributes: "
        '{"gen_ai.input.messages": (.input? // .), "gen_ai.output.messages": (.output? // [])}}\' FILE',
    ),
    Kind(
        "messages of Gemini",
        (
            marked(_PIECE, "type", text=str),
            marked(_PIECE, "type", functionCall=dict),
            marked(_PIECE, "type", functionResponse=dict),
            marked(_PIECE, "type", function_call=dict),
            marked(_PIECE, "type", inlineData=dict),
        ),
        format="gemini",
    ),
    Kind(
        "messages of Gemini or Gemma with the role `model` for the assistant",
        (marked(_M, role=words("model")),),
        advice="rename the role to `assistant`",
    ),
    # --- training data ------------------------------------------------------------------------------------------------
    planned("messages of LLaMA-Factory, whose parts have a `value`", (marked(_P, "text", value=str, type=str),)),
    planned(
        "a preference record (chosen and rejected)",
        (marked(_D, chosen=something, rejected=something), marked(_D, chosen=dict, rejected=dict)),
    ),
    Kind(
        "a ShareGPT record",
        (
            marked(_D, conversations=listing("from", "value")),
            marked(_D, conversation=listing("from", "value")),
            Mark(_M, {"from": str, "value": str}, frozenset({"role"})),
        ),
        format="sharegpt",
    ),
    planned("pairs of texts of a user and an assistant", (marked(_D, conversation=listing("human")),)),
    planned("an Alpaca record", (marked(_D, "messages", instruction=str, output=str),)),
    planned("a record of a prompt and its completion (TRL)", (marked(_D, "messages", prompt=listing("role")),)),
    planned("a Glaive record", (marked(_D, chat=str, system=str),)),
    Kind(
        "a message of Open Assistant, out of its tree",
        (marked(_D, "prompt", "replies", message_tree_id=str, message_id=str),),
        advice="read the file of trees, where each row has `prompt` with all replies",
    ),
    planned(
        "a message tree of Open Assistant",
        (marked(_D, message_tree_id=str), marked(_D, "content", replies=list, role=str, text=str)),
    ),
    # --- exports and dumps --------------------------------------------------------------------------------------------
    planned(
        "a dump of LangChain messages",
        (
            marked(_D, lc=int, type=words("constructor", "not_implemented")),
            marked(_M, lc=int, type=words("constructor", "not_implemented")),
            marked(_M, "role", type=words("human", "ai", "system", "tool"), data=holding("content")),
            marked(_M, "role", type=words("human", "ai"), content=something),
        ),
        format="langchain",
    ),
    planned("a ChatGPT export", (marked(_D, mapping=dict),)),
    planned("a Claude export", (marked(_D, chat_messages=list),)),
    planned(
        "an Open WebUI export", (marked(_D, chat=holding("history")), marked(_D, chat=holding("messages", "models")))
    ),
    planned(
        "a LibreChat export",
        (marked(_D, conversationId=str, messages=listing("isCreatedByUser")), marked(_D, messagesTree=list)),
    ),
    planned("a conversation file of LM Studio", (marked(_D, messages=listing("versions")),)),
    planned("turns of MOSS", (marked(_D, chat=holding("turn_1")), marked(_D, plain_text=like(r"(?s)\[Human\]:.*")))),
    Kind("a session of Claude Code", (marked(_D, sessionId=str, message=holding("role")),), advice=PREVIEWED),
    Kind(
        "a session of Codex", (marked(_D, type=words("session_meta", "response_item"), payload=dict),), advice=PREVIEWED
    ),
    Kind("a session of pi", (marked(_D, type=words("session"), version=int, id=str, cwd=str),), advice=PREVIEWED),
    Kind(
        "a chat of SillyTavern, with a message in each line",
        (marked(_D, mes=str, is_user=bool), marked(_D, chat_metadata=dict, user_name=str)),
        advice="put the messages into a list: jq -sc '{messages: map(select(.mes) | "
        '{role: (if .is_user then "user" else "assistant" end), name, content: .mes})}\' FILE',
    ),
    Kind(
        "a line of a provider's batch",
        (
            *(Mark(_D, {"custom_id": str, name: dict}) for name in ("body", "response", "params", "result")),
            Mark(_D, {name: holding(has) for name, has in _GEMINI.items()}),
            *(Mark(_D, {"key": str, name: holding(has)}) for name, has in _GEMINI.items()),
            marked(_D, modelInput=dict, recordId=str),
        ),
        advice="`ocml-convert batch --plan auto` reads the lines of conversations",
    ),
)

GENERAL: Final[tuple[Kind, ...]] = (
    Kind(
        "an answer of Ollama",
        (
            marked(_D, certain=False, done=anything, message=holding("role")),
            marked(_M, certain=False, done=anything, message=holding("role")),
        ),
        advice='make a message of its pieces: jq -sc \'{messages: [map(.message) | {role: "assistant", '
        'reasoning: (map(.thinking // "") | add), content: (map(.content // "") | add), '
        "tool_calls: (map(.tool_calls // []) | add)}]}' FILE",
    ),
    Kind(
        "an answer of Cohere",
        (marked(_D, "index", certain=False, finish_reason=str, message=holding("role")),),
        advice="take the message out: jq -c '{messages: [.message]}' FILE",
    ),
    Kind(
        "a single message",
        (
            marked(_D, role=str, content=something),
            marked(_D, role=str, tool_calls=list),
            marked(_D, role=words("user", "assistant", "system"), message=str),
            marked(_D, certain=False, message=holding("role")),
        ),
        advice="put messages into a list: [{…}, {…}]",
    ),
    Kind(
        "Chat Completions JSON",
        (
            marked(_D, messages=listing("role")),
            marked(_D, choices=listing("message")),
            marked(_D, preferred_output=listing("role")),
            marked(_M, "parts", role=words("system", "developer", "user", "assistant", "tool"), content=something),
        ),
        format="openai",
    ),
    planned(
        "a record of a question and its answer",
        (
            marked(_D, certain=False, question=something, answer=str),
            marked(_D, certain=False, question=something, function=list),
            marked(_D, certain=False, query=something, response=str),
            marked(_D, certain=False, query=something, answers=something),
            marked(_D, certain=False, prompt=something, completion=something),
            marked(_D, certain=False, prompt=something, response=something),
            marked(_D, certain=False, instruction=str),
            marked(_D, certain=False, input=str, output=str),
            marked(_D, certain=False, user=str, assistant=str),
        ),
    ),
    Kind(
        "a completion",
        (
            marked(_D, certain=False, choices=listing("text")),
            marked(_D, certain=False, content=str, tokens_predicted=int),
        ),
        advice="read its text: jq -j '.content // .choices[0].text' FILE > NEW",
    ),
    Kind(
        "a request for a completion",
        (
            marked(_D, certain=False, prompt=str, max_tokens=int),
            marked(_D, certain=False, prompt=str, n_predict=int),
            marked(_D, certain=False, prompt=str, model=str),
        ),
        advice="read its prompt: jq -j '.prompt' FILE > NEW",
    ),
    Kind(
        "a record with its messages as JSON in a text",
        (marked(_D, certain=False, messages=str), marked(_D, certain=False, conversations=str)),
        advice="parse the text: jq -c '.messages | fromjson' FILE",
    ),
    Kind(
        "messages with other keys",
        (
            marked(_M, "content", "replies", certain=False, role=str, text=str),
            marked(_M, "content", "role", certain=False, author=anything, text=str),
            marked(_M, "content", "role", certain=False, sender=anything, text=str),
            marked(_M, "content", "role", certain=False, speaker=anything, text=str),
            marked(_M, "role", certain=False, author=anything, content=something),
            marked(_M, "role", certain=False, sender=anything, content=something),
            marked(_M, "role", certain=False, speaker=anything, content=something),
            marked(_M, "role", "content", certain=False, user=str, text=str),
        ),
        advice="`ocml-convert plan` proposes how `ocml-convert batch` reads such messages",
    ),
    Kind(
        "a record with a text in it",
        (marked(_D, certain=False, text=str),),
        advice="`ocml-convert batch` converts the field `text` of each record; `check --field text` checks it",
    ),
    Kind(
        "an error that a server answered with",
        (marked(_D, certain=False, error=dict), marked(_D, certain=False, error=str)),
        advice="the input has no conversation",
    ),
)
