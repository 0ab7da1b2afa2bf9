"""List the kinds of what agents and apps store and no layout reads, with the commands that make messages of them."""

from __future__ import annotations

from typing import Final

from ..model import Json
from .marks import Kind, Mark, Place, among, holding, listing, marked, words

_D, _M = Place.DOCUMENT, Place.MESSAGE


def _text_or_null(value: Json) -> bool:
    return value is None or isinstance(value, str)


def _list_or_null(value: Json) -> bool:
    return value is None or isinstance(value, list)


APPS: Final[tuple[Kind, ...]] = (
    Kind(
        "events of OpenHands",
        (
            marked(_D, action=str, args=dict, source=str),
            marked(_D, observation=str, extras=dict, source=str),
            marked(_D, history=listing("action"), instance_id=str),
            marked(_M, "role", action=str, args=dict, source=str),
        ),
        advice="make messages of them: jq -c '{messages: [(.history? // .)[] | "
        'if .action == "message" or .action == "system" then '
        '{role: (if .action == "system" then "system" elif .source == "user" then "user" else "assistant" end), '
        "content: .args.content} "
        'elif .action then {role: "assistant", content: (.args.thought // ""), tool_calls: [{id: "\\(.id)", '
        'type: "function", function: {name: .action, arguments: (.args | tostring)}}]} '
        'elif .cause then {role: "tool", tool_call_id: "\\(.cause)", content} else empty end]}\' FILE',
    ),
    Kind(
        "steps of an agent of smolagents",
        (
            marked(_D, step_number=int, model_output=_text_or_null),
            marked(_D, "role", task=str, task_images=_list_or_null),
            marked(_D, steps=listing("task_images")),
        ),
        advice="make messages of them: jq -c '{messages: [(.steps? // .)[] | "
        'if .task then {role: "user", content: .task} elif .system_prompt then {role: "system", content: '
        '.system_prompt} elif .step_number then {role: "assistant", content: .model_output}, '
        '((.observations // .error.message // empty) | {role: "user", content: "Observation:\\n\\(.)"}) '
        "else empty end]}' FILE",
    ),
    Kind(
        "a task of the Agent2Agent protocol",
        (marked(_D, kind=words("task"), contextId=str), marked(_M, kind=words("message"), messageId=str, parts=list)),
        advice='make messages of its texts: jq -c \'{messages: [(.history? // .)[] | {role: (if .role == "agent" then '
        '"assistant" else .role end), content: ([.parts[] | .text // empty] | join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a chat of Big-AGI",
        (marked(_M, role=str, fragments=listing("ft", "fId")),),
        advice="make messages of its texts: jq -c '(.conversations? // [.])[] | {messages: [.messages[] | {role, "
        'content: ([.fragments[].part.text // empty] | join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a chat of OpenRouter",
        (marked(_D, version=str, characters=dict, messages=dict),),
        advice="make messages of its texts: jq -c '{messages: [.messages[] | select(.content) | {role: (if "
        '.characterId == "USER" then "user" else "assistant" end), content}]}\' FILE',
    ),
    Kind(
        "the interface log of a task in Cline or Roo",
        (marked(_M, "role", say=str, ts=int), marked(_D, "role", say=str, ts=int)),
        advice="read `api_conversation_history.json` in the same folder, which has the messages",
    ),
    Kind(
        "a thread of Zed",
        (marked(_M, "role", User=holding("content")), marked(_M, "role", Agent=holding("content"))),
        advice='make messages of its texts: jq -c \'{messages: [.messages[] | objects | if .User then {role: "user", '
        'content: ([.User.content[].Text // empty] | join("\\n"))} else {role: "assistant", '
        'content: ([.Agent.content[].Text // empty] | join("\\n"))} end]}\' FILE',
    ),
    Kind(
        "a thread of an earlier Zed",
        (marked(_M, segments=listing("type"), role=str),),
        advice="make messages of its texts: jq -c '{messages: [.messages[] | {role, "
        'content: ([.segments[] | select(.type == "text").text] | join(""))}]}\' FILE',
    ),
    Kind(
        "a chat of Cursor",
        (marked(_D, conversation=listing("bubbleId")),),
        advice="make messages of its texts: jq -c '{messages: [.conversation[] | select(.text) | "
        '{role: (if .type == 1 then "user" else "assistant" end), content: .text}]}\' FILE',
    ),
    Kind(
        "chats of TypingMind",
        (marked(_D, data=holding("chats")),),
        advice="make a line of each, which `ocml-convert batch --plan auto` reads: jq -c '.data.chats[]' FILE",
    ),
    Kind(
        "chats of Qwen",
        (marked(_D, data=listing("chat"), success=bool),),
        advice="make a line of each, which `ocml-convert batch --plan auto` reads: jq -c '.data[]' FILE",
    ),
    Kind(
        "results of promptfoo",
        (marked(_D, evalId=str, results=holding("results")),),
        advice="make a line of each, which `ocml-convert batch --plan auto` reads: "
        "jq -c '.results.results[] | {prompt: .prompt.raw, response: .response.output}' FILE",
    ),
    Kind(
        "chats of Chatbox",
        (Mark(_D, {"chat-sessions-list": listing("id")}),),
        advice="make a line of each, which `ocml-convert batch --plan auto` reads: "
        """jq -c 'to_entries[] | select(.key | startswith("session:")).value' FILE""",
    ),
    Kind(
        "chats of Cherry Studio",
        (marked(_D, indexedDB=holding("topics", "message_blocks")),),
        advice="make messages of its texts: jq -c '.indexedDB | (.message_blocks | map({(.id): .}) | add) as $blocks | "
        ".topics[] | {messages: [.messages[] | {role, content: ([.blocks[] | $blocks[.] | "
        'select(.type == "main_text").content] | join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a chat of Character.AI",
        (marked(_D, turns=listing("turn_key")),),
        advice="make messages of its texts: jq -c '{messages: [.turns[] | {role: (if .author.is_human then "
        '"user" else "assistant" end), content: (.primary_candidate_id as $id | .candidates[] | '
        "select(.candidate_id == $id).raw_content)}]}' FILE; the service lists the latest first: `.turns | reverse`",
    ),
    Kind(
        "Google's activity log of chats with Gemini",
        (
            marked(_D, safeHtmlItem=list, header=str, title=str),
            marked(_M, "role", safeHtmlItem=list, header=str, title=str),
            marked(_D, activityControls=list, header=str, title=str),
        ),
        advice="make a line of each question, whose answer is HTML; an entry does not name its chat: jq -c "
        '\'reverse[] | select(.safeHtmlItem) | {prompt: (.title | sub("^Prompted "; "")), '
        'completion: ([.safeHtmlItem[].html] | join("\\n"))}\' FILE',
    ),
    Kind(
        "a message of a chat with Copilot",
        (marked(_D, Conversation=str, Author=str, Message=str),),
        advice="make JSON lines of the table, and a conversation of its messages: jq -sc 'group_by(.Conversation)[] | "
        '{messages: [sort_by(.Time)[] | {role: (if .Author == "AI" then "assistant" else "user" end), '
        "content: .Message}]}' FILE",
    ),
    Kind(
        "a page of a chat that ChatGPT shares",
        (marked(_D, "mapping", linear_conversation=list),),
        advice="make messages of its texts: jq -c '{messages: [.linear_conversation[].message | "
        "select(.content.parts?) | {role: .author.role, content: ([.content.parts[] | strings] | "
        'join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a trace of MLflow",
        (marked(_D, data=holding("spans"), info=dict), marked(_D, attributes=holding("mlflow.spanInputs"))),
        advice="make a line of each request with its answer, which `ocml-convert batch --plan auto` reads: jq -c "
        '\'(.data.spans? // [.])[].attributes | select(.["mlflow.spanType"] | . and test("CHAT_MODEL")) | '
        '{request: (.["mlflow.spanInputs"] | fromjson), response: (.["mlflow.spanOutputs"] | fromjson)}\' FILE',
    ),
    Kind(
        "chats of NextChat",
        (Mark(_D, {"chat-next-web-store": holding("sessions")}),),
        advice="make a line of each, which `ocml-convert batch --plan auto` reads: "
        """jq -c '.["chat-next-web-store"].sessions[]' FILE""",
    ),
    Kind(
        "a conversation of Intercom",
        (marked(_D, conversation_parts=holding("conversation_parts")),),
        advice="make messages of its texts, which are HTML, without the notes of the team: jq -c "
        "'{id, messages: [.source, .conversation_parts.conversation_parts[] | "
        'select(.body and .part_type != "note") | {role: (if .author.type == "admin" or .author.type == "bot" or '
        '.author.type == "team" then "assistant" else "user" end), content: .body}]}\' FILE',
    ),
    Kind(
        "a session of Copilot CLI",
        (
            marked(
                _D,
                data=dict,
                type=words("session.start", "user.message", "assistant.message", "tool.execution_complete"),
            ),
        ),
        advice="make messages of its events: jq -sc '{messages: [.[] | "
        'if .type == "user.message" then {role: "user", content: .data.content} '
        'elif .type == "assistant.message" then {role: "assistant", content: .data.content, '
        'tool_calls: [(.data.toolRequests // [])[] | {id: .toolCallId, type: "function", '
        "function: {name, arguments: (.arguments | tostring)}}]} | "
        "if .tool_calls == [] then del(.tool_calls) else . end "
        'elif .type == "tool.execution_complete" then {role: "tool", tool_call_id: .data.toolCallId, '
        'content: (.data.result.content // .data.error.message // "")} else empty end]}\' FILE',
    ),
    Kind(
        "a session of Kimi CLI",
        (marked(_D, role=words("_checkpoint", "_usage", "_system_prompt")),),
        advice="make messages of its lines, without the program's own: jq -sc '{messages: [.[] | "
        'if .role == "_system_prompt" then {role: "system", content} '
        'else select(.role | startswith("_") | not) end]}\' FILE',
    ),
    Kind(
        "a session of Qwen Code",
        (marked(_D, uuid=str, sessionId=str, message=holding("parts")),),
        advice="make contents of Gemini of its records: jq -sc "
        "'{contents: [.[].message | select(.parts?) | {role, parts}]}' FILE",
    ),
    Kind(
        "a conversation with several answers to each question, one of which was chosen (PRISM)",
        (marked(_D, conversation_history=among("if_chosen")),),
        advice="make messages of those that were chosen: jq -c '. + {messages: [.conversation_history[] | "
        "select(.if_chosen != false) | {role, content}]} | del(.conversation_history)' FILE",
    ),
    Kind(
        "requests and results of HELM",
        (
            marked(_D, instance=holding("input"), request=holding("prompt"), result=dict),
            marked(_D, adapter_spec=dict, request_states=list),
        ),
        advice="make a line of each request with its answer, which `ocml-convert batch --plan auto` reads: jq -c "
        "'(.request_states? // [.])[] | {prompt: (.request.messages // .request.prompt), "
        "completion: .result.completions[0].text}' FILE",
    ),
    Kind(
        "an output item of an eval run of OpenAI",
        (marked(_D, object=words("eval.run.output_item"), sample=dict),),
        advice="make a line of the messages of each, which `ocml-convert batch --plan auto` reads: jq -c "
        "'(.data? // [.])[].sample | {input, output}' FILE",
    ),
    Kind(
        "segments of a training text (axolotl)",
        (marked(_D, segments=listing("label")),),
        advice="segments have no turns; a text in the tokens of a template is read if you join them: jq -c "
        "'{text: ([.segments[].text] | join(\"\"))}' FILE",
    ),
    Kind(
        "a task of Label Studio",
        (marked(_D, annotations=list, data=dict),),
        advice="make a line of its data, with the selected answer, which `ocml-convert batch --plan auto` reads: "
        'jq -c \'(if type == "array" then .[] else . end) | '
        ".data + {comparison: .annotations[0]?.result[0]?.value.selected?}' FILE",
    ),
    Kind(
        "texts with questions about them, as SQuAD stores them",
        (marked(_D, data=listing("paragraphs")),),
        advice="make a line of each question, which `ocml-convert batch --plan auto` reads: jq -c "
        "'.data[].paragraphs[] | .context as $context | .qas[] | . + {context: $context}' FILE",
    ),
    Kind(
        "steps of an answer with ratings (PRM800K)",
        (marked(_D, label=holding("steps"), question=holding("problem")),),
        advice="make lines of a prompt and its steps, which `ocml-convert batch --plan auto` reads: jq -c "
        "'[.label.steps[] | .human_completion // .completions[.chosen_completion // 0]] as $steps | "
        "{prompt: .question.problem, completions: [$steps[].text], labels: [$steps[] | (.rating // 1) > 0]}' FILE",
    ),
    Kind(
        "a search of ToolBench for an answer",
        (marked(_D, answer_generation=holding("train_messages")),),
        advice="make a line of the messages of its last step, which `ocml-convert batch --plan auto` reads: jq -c "
        "'.answer_generation | {messages: .train_messages[-1], functions: .function}' FILE",
    ),
    Kind(
        "ids of tokens, as trainers prepare them",
        (marked(_D, input_ids=list, labels=list), marked(_D, input_ids=list, attention_mask=list)),
        advice="convert the data that they were made of, or decode them with the tokenizer of the model",
    ),
    Kind(
        "a browser's record of requests and responses (HAR)",
        (marked(_D, log=holding("creator", "entries")),),
        advice="make a line of each request that has messages; its answer, JSON or a stream, is in `.response.content."
        "text` of the same entry: jq -c '.log.entries[].request.postData.text? // empty | fromjson? | "
        "select(.messages? // .input? // .contents?)' FILE",
    ),
    Kind(
        "a Jupyter notebook",
        (marked(_D, cells=list, nbformat=int),),
        advice="copy the conversation from its cells into a file",
    ),
)
