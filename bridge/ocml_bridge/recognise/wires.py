"""List the kinds of JSON, with their marks. The first kind that an object has a mark of wins.

The marks of `SPECIFIC` kinds are certain. Those of `GENERAL` kinds also occur in other kinds; they are tried if no
specific kind was recognised.
"""

from __future__ import annotations

from typing import Final

from .marks import Check, Kind, Mark, Place, anything, holding, like, listing, something, words

_D, _M, _P, _PIECE, _T = Place.DOCUMENT, Place.MESSAGE, Place.PART, Place.PIECE, Place.TOOL


def _mark(place: Place, *without: str, certain: bool = True, **members: Check) -> Mark:
    return Mark(place, members, frozenset(without), certain)


_PLANNED: Final = "`ocml-convert batch --plan auto` reads such rows"


SPECIFIC: Final[tuple[Kind, ...]] = (
    # --- formats that are read ----------------------------------------------------------------------------------------
    Kind(
        "a document in the canonical form",
        (_mark(_D, type=words("transcript"), messages=list), _mark(_D, type=words("completion"), content=something)),
        format="canonical",
    ),
    Kind(
        "OpenChatML 2.2 JSON",
        (
            _mark(_M, "tool_calls", channel=words("analysis", "commentary", "final"), role=str),
            _mark(_M, "tool_calls", tool_call=dict, role=str),
        ),
        format="ocm-2.2-json",
    ),
    Kind(
        "ChatML as a list of tokens and strings",
        (_mark(_M, "role", token=words("<|im_start|>")),),
        format="chatml-json",
    ),
    # --- recorded streams ---------------------------------------------------------------------------------------------
    Kind(
        "a recorded stream of Chat Completions chunks",
        (_mark(_D, object=words("chat.completion.chunk")), _mark(_D, choices=listing("delta"))),
        advice="`ocml-convert stream -f openai-sse` reads such chunks as Server-Sent Events",
    ),
    Kind(
        "a recorded stream of Anthropic events",
        (
            _mark(_D, type=words("message_start"), message=dict),
            _mark(_D, type=words("content_block_start", "content_block_delta")),
        ),
        advice="`ocml-convert stream -f anthropic-sse` reads such events as Server-Sent Events",
    ),
    Kind(
        "a recorded stream of Responses events",
        (_mark(_D, type=words("response.created", "response.in_progress"), response=dict),),
        advice="`ocml-convert stream -f openai-responses-sse` reads such events",
    ),
    Kind(
        "a recorded stream of Bedrock events",
        (_mark(_D, messageStart=dict), _mark(_D, contentBlockDelta=dict)),
        advice="`ocml-convert stream -f bedrock-converse` reads such events",
    ),
    # --- other servers' requests and answers --------------------------------------------------------------------------
    Kind(
        "a Bedrock Converse request",
        (
            _mark(_D, system=listing("text", "guardContent", "cachePoint", without="type"), messages=list),
            _mark(_D, modelId=str, messages=list),
            _mark(_D, modelId=str, promptVariables=dict),
            _mark(_D, inferenceConfig=dict, messages=list),
            _mark(_D, toolConfig=dict, messages=list),
            _mark(_P, "type", text=str),
            _mark(_P, "type", toolUse=dict),
            _mark(_P, "type", toolResult=dict),
            _mark(_P, "type", reasoningContent=dict),
            _mark(_P, "type", image=holding("format", "source")),
            _mark(_P, "type", document=holding("format", "source")),
            _mark(_P, "type", video=holding("format", "source")),
        ),
        format="bedrock-converse",
    ),
    Kind(
        "a Bedrock Converse response",
        (_mark(_D, output=holding("message"), stopReason=str),),
        format="bedrock-converse",
    ),
    Kind(
        "an Anthropic Messages request",
        (
            _mark(_D, system=something, messages=list),
            _mark(_D, anthropic_version=str, messages=list),
            _mark(_P, type=words("tool_use", "server_tool_use", "mcp_tool_use"), name=str),
            _mark(_P, type=words("tool_result", "web_search_tool_result", "mcp_tool_result"), tool_use_id=str),
            _mark(_P, type=words("thinking"), signature=str),
            _mark(_P, type=words("redacted_thinking"), data=str),
            _mark(_P, type=words("image", "document"), source=dict),
            _mark(_P, type=words("search_result"), content=list),
            _mark(_P, type=words("container_upload"), file_id=str),
            _mark(_T, "function", input_schema=dict),
            _mark(_T, "function", type=like(r"\w+_20\d{6}"), name=str),
        ),
        format="anthropic",
    ),
    Kind(
        "an Anthropic Messages response",
        (_mark(_D, type=words("message"), role=words("assistant"), content=list),),
        format="anthropic",
    ),
    Kind(
        "an answer of the Responses API",
        (
            _mark(_D, object=words("response"), output=list),
            _mark(_D, request=holding("input"), response=holding("output")),
        ),
        format="openai-responses",
    ),
    Kind(
        "items of the Responses API",
        (
            _mark(_P, type=words("input_text", "output_text", "input_image", "input_file", "summary_text")),
            _mark(_M, type=words("function_call", "custom_tool_call"), name=str, call_id=str),
            _mark(_M, type=words("function_call_output", "custom_tool_call_output"), call_id=str),
            _mark(_M, type=words("reasoning"), summary=list),
            _mark(_M, type=words("message"), role=str, content=something),
            _mark(_M, type=words("item_reference", "compaction", "mcp_list_tools", "mcp_approval_request"), id=str),
            _mark(_M, type=words("additional_tools"), tools=list),
            _mark(_M, type=words("web_search_call", "file_search_call", "image_generation_call", "mcp_call"), id=str),
            _mark(_M, type=words("code_interpreter_call"), id=str),
            _mark(_M, type=words("computer_call", "shell_call", "local_shell_call", "apply_patch_call"), call_id=str),
            _mark(_M, type=words("program", "program_output"), call_id=str),
        ),
        format="openai-responses",
    ),
    Kind(
        "a request of the Responses API",
        (
            _mark(_D, "messages", "instruction", "preferred_output", input=something, model=str),
            _mark(_D, "messages", "preferred_output", input=something, instructions=str),
            _mark(_D, "messages", "preferred_output", input=something, previous_response_id=str),
            _mark(_D, "messages", "preferred_output", input=something, prompt=holding("id")),
            _mark(_D, "messages", "preferred_output", input=something, max_output_tokens=int),
        ),
        format="openai-responses",
    ),
    Kind("a saved prompt of Google AI Studio", (_mark(_D, chunkedPrompt=holding("chunks")),), advice=_PLANNED),
    Kind(
        "a Gemini request",
        (
            _mark(_D, contents=listing("parts")),
            _mark(_D, systemInstruction=dict),
            _mark(_D, system_instruction=dict),
        ),
        format="gemini",
    ),
    Kind(
        "a Gemini response",
        (_mark(_D, candidates=listing("content", "finishReason")), _mark(_D, usageMetadata=dict, modelVersion=str)),
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
            _mark(_PIECE, type=words("text", "reasoning"), content=str),
            _mark(_PIECE, type=words("tool_call"), name=str),
            _mark(_PIECE, type=words("tool_call_response")),
            _mark(_PIECE, type=words("blob", "uri", "file"), modality=str),
        ),
        format="otel-genai",
        advice="`ocml-convert batch --plan spans` reads them in attributes: jq -c '{attributes: "
        '{"gen_ai.input.messages": (.input? // .), "gen_ai.output.messages": (.output? // [])}}\' FILE',
    ),
    Kind(
        "messages of Vercel's AI SDK (UIMessage)",
        (
            _mark(_PIECE, type=words("text", "reasoning"), text=str),
            _mark(_PIECE, type=words("step-start", "dynamic-tool", "tool-invocation", "source-url")),
            _mark(_PIECE, type=like(r"tool-[\w-]+"), state=str),
        ),
        format="ui-messages",
    ),
    Kind(
        "messages of Gemini",
        (
            _mark(_PIECE, "type", text=str),
            _mark(_PIECE, "type", functionCall=dict),
            _mark(_PIECE, "type", functionResponse=dict),
            _mark(_PIECE, "type", function_call=dict),
            _mark(_PIECE, "type", inlineData=dict),
        ),
        format="gemini",
    ),
    Kind(
        "messages of Gemini or Gemma, which call the assistant `model`",
        (_mark(_M, role=words("model")),),
        advice="rename the role to `assistant`",
    ),
    # --- training data ------------------------------------------------------------------------------------------------
    Kind(
        "messages of LLaMA-Factory, whose parts have a `value`",
        (_mark(_P, "text", value=str, type=str),),
        advice=_PLANNED,
    ),
    Kind(
        "a preference record (chosen and rejected)",
        (_mark(_D, chosen=something, rejected=something), _mark(_D, chosen=dict, rejected=dict)),
        advice=_PLANNED,
    ),
    Kind(
        "a ShareGPT record",
        (
            _mark(_D, conversations=listing("from", "value")),
            _mark(_D, conversation=listing("from", "value")),
            Mark(_M, {"from": str, "value": str}, frozenset({"role"})),
        ),
        format="sharegpt",
    ),
    Kind("pairs of what a person and an assistant say", (_mark(_D, conversation=listing("human")),), advice=_PLANNED),
    Kind(
        "an Alpaca record",
        (_mark(_D, "messages", instruction=str, output=str),),
        advice=_PLANNED,
    ),
    Kind(
        "a record of a prompt and its completion (TRL)",
        (_mark(_D, "messages", prompt=listing("role")),),
        advice=_PLANNED,
    ),
    Kind("a Glaive record", (_mark(_D, chat=str, system=str),), advice=_PLANNED),
    Kind(
        "a message of Open Assistant, out of its tree",
        (_mark(_D, "prompt", "replies", message_tree_id=str, message_id=str),),
        advice="read the file of trees, where each row has `prompt` with all replies",
    ),
    Kind(
        "a message tree of Open Assistant",
        (_mark(_D, message_tree_id=str), _mark(_D, "content", replies=list, role=str, text=str)),
        advice=_PLANNED,
    ),
    # --- exports and dumps --------------------------------------------------------------------------------------------
    Kind(
        "a dump of LangChain messages",
        (
            _mark(_D, lc=int, type=words("constructor", "not_implemented")),
            _mark(_M, lc=int, type=words("constructor", "not_implemented")),
            _mark(_M, "role", type=words("human", "ai", "system", "tool"), data=holding("content")),
            _mark(_M, "role", type=words("human", "ai"), content=something),
        ),
        format="langchain",
        advice=_PLANNED,
    ),
    Kind("a ChatGPT export", (_mark(_D, mapping=dict),), advice=_PLANNED),
    Kind("a Claude export", (_mark(_D, chat_messages=list),), advice=_PLANNED),
    Kind(
        "an Open WebUI export",
        (_mark(_D, chat=holding("history")), _mark(_D, chat=holding("messages", "models"))),
        advice=_PLANNED,
    ),
    Kind(
        "a LibreChat export",
        (_mark(_D, conversationId=str, messages=listing("isCreatedByUser")), _mark(_D, messagesTree=list)),
        advice=_PLANNED,
    ),
    Kind("a conversation file of LM Studio", (_mark(_D, messages=listing("versions")),), advice=_PLANNED),
    Kind(
        "turns of MOSS",
        (_mark(_D, chat=holding("turn_1")), _mark(_D, plain_text=like(r"(?s)\[Human\]:.*"))),
        advice=_PLANNED,
    ),
    Kind(
        "a session of Claude Code",
        (_mark(_D, sessionId=str, message=holding("role")),),
        advice="take the messages out: jq -sc 'map(.message | values)' FILE",
    ),
    Kind(
        "a session of Codex",
        (_mark(_D, type=words("session_meta", "response_item"), payload=dict),),
        advice="take the items out: jq -sc 'map(select(.type == \"response_item\").payload)' FILE",
    ),
    Kind(
        "a chat of SillyTavern, with a message in each line",
        (_mark(_D, mes=str, is_user=bool), _mark(_D, chat_metadata=dict, user_name=str)),
        advice="put the messages into a list: jq -sc '{messages: map(select(.mes) | "
        '{role: (if .is_user then "user" else "assistant" end), name, content: .mes})}\' FILE',
    ),
    Kind(
        "a line of a provider's batch",
        (
            _mark(_D, custom_id=str, body=dict),
            _mark(_D, custom_id=str, response=dict),
            _mark(_D, custom_id=str, params=dict),
            _mark(_D, custom_id=str, result=dict),
        ),
        advice="`ocml-convert batch --plan auto` reads the lines of conversations",
    ),
    Kind(
        "a Jupyter notebook",
        (_mark(_D, cells=list, nbformat=int),),
        advice="copy the conversation from its cells into a file",
    ),
)

GENERAL: Final[tuple[Kind, ...]] = (
    Kind(
        "a single message",
        (
            _mark(_D, role=str, content=something),
            _mark(_D, role=str, tool_calls=list),
            _mark(_D, role=words("user", "assistant", "system"), message=str),
            _mark(_D, certain=False, message=holding("role")),
        ),
        advice="put messages into a list: [{…}, {…}]",
    ),
    Kind(
        "Chat Completions JSON",
        (
            _mark(_D, messages=listing("role")),
            _mark(_D, choices=listing("message")),
            _mark(_D, preferred_output=listing("role")),
            _mark(_M, "parts", role=words("system", "developer", "user", "assistant", "tool"), content=something),
        ),
        format="openai",
    ),
    Kind(
        "a record of a question and its answer",
        (
            _mark(_D, certain=False, question=something, answer=str),
            _mark(_D, certain=False, question=something, function=list),
            _mark(_D, certain=False, query=something, response=str),
            _mark(_D, certain=False, query=something, answers=something),
            _mark(_D, certain=False, prompt=something, completion=something),
            _mark(_D, certain=False, prompt=something, response=something),
            _mark(_D, certain=False, instruction=str),
            _mark(_D, certain=False, input=str, output=str),
            _mark(_D, certain=False, user=str, assistant=str),
        ),
        advice=_PLANNED,
    ),
    Kind(
        "a record with its messages as JSON in a text",
        (_mark(_D, certain=False, messages=str), _mark(_D, certain=False, conversations=str)),
        advice="parse the text: jq -c '.messages | fromjson' FILE",
    ),
    Kind(
        "messages with other keys",
        (
            _mark(_M, "content", "replies", certain=False, role=str, text=str),
            _mark(_M, "content", "role", certain=False, author=anything, text=str),
            _mark(_M, "content", "role", certain=False, sender=anything, text=str),
            _mark(_M, "content", "role", certain=False, speaker=anything, text=str),
            _mark(_M, "role", certain=False, author=anything, content=something),
            _mark(_M, "role", certain=False, sender=anything, content=something),
            _mark(_M, "role", certain=False, speaker=anything, content=something),
            _mark(_M, "role", "content", certain=False, user=str, text=str),
        ),
        advice="`ocml-convert plan` proposes how `ocml-convert batch` reads such messages",
    ),
    Kind(
        "a record with a text in it",
        (_mark(_D, certain=False, text=str),),
        advice="`ocml-convert batch` converts the field `text` of each record; `check --field text` checks it",
    ),
    Kind(
        "an error that a server answered with",
        (_mark(_D, certain=False, error=dict), _mark(_D, certain=False, error=str)),
        advice="the input has no conversation",
    ),
)
