"""Convert messages of rows into those of Chat Completions: other words for roles and keys, calls as JSON text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ..json_values import jsontext
from ..json_values.data_urls import data_url, image_format
from ..model import Json
from . import columns, languages
from .fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from .layout import Object, Wording, misshapen, parsed, parsed_or_none
from .media import part_of
from .parted import INVOCATIONS, is_call_with_reply, messages_of
from .pythonic import calls_in
from .results import RESPONSES, have_replies, replies_in, taken_out, with_error

ROLES: Final[dict[str, str]] = {
    **dict.fromkeys(("system",), "system"),
    **dict.fromkeys(("user", "human", "prompter", "question", "customer"), "user"),
    **dict.fromkeys(("seeker", "patient", "usermessage"), "user"),
    **dict.fromkeys(
        ("assistant", "gpt", "bot", "model", "chatgpt", "bing", "bard", "ai", "answer", "chatbot", "agent"), "assistant"
    ),
    **dict.fromkeys(("supporter", "doctor", "apimessage"), "assistant"),
    **dict.fromkeys(("tool", "observation", "function_response", "tool_response", "function response"), "tool"),
    **dict.fromkeys(("tool response", "environment", "ipython"), "tool"),
    **dict.fromkeys(("tool-response", "function-response", "tool_result", "tool-result"), "tool"),
    **languages.WORDS,
}
"""The role for each word that datasets have for one, in lower case."""


_GEMINI_CONTENT: Final = "parts"
"""The member that holds the content in Gemini's messages."""


def message(role: str, text: str) -> Object:
    """Return a message with a text."""
    return {"role": role, "content": text}


def is_message(value: Json, wording: Wording) -> bool:
    """Return whether a value is an object with a role, and not a message whose content is where Gemini has it."""
    found = as_object(value)
    if found is None:
        return False
    for key in wording.role:  # a generator takes twice as long
        if _word(found.get(key), wording) is not None:
            return _GEMINI_CONTENT not in found or any(key in found for key in wording.text)
    return False


def _word(value: Json, wording: Wording) -> str | None:
    """Return the word for a role; a number is one if the plan has a role for it."""
    if value.__class__ is int and str(value) in wording.roles:
        return str(value)
    return value if isinstance(value, str) else None


def are_messages(value: Json, wording: Wording) -> bool:
    """Return whether a value is a non-empty list of messages whose content is in members that are read."""
    items = as_list(value)
    role, text = wording.role[0], wording.text[0]
    for item in items or ():
        if item.__class__ is dict and text in item and item.get(role).__class__ is str:
            continue  # most messages; what follows takes longer
        if not is_message(item, wording) or not _has_readable_content(item, wording):
            return False
    return bool(items)


def _has_readable_content(value: Json, wording: Wording) -> bool:
    """Return whether the content of a message is in a member that is read, or whether it is empty."""
    found = members_of(value)
    for key in wording.text:
        if key in found:
            return True
    if is_call_with_reply(found):
        return True
    return not _CONTENT_MEMBERS.isdisjoint(found) or not any(found[key] for key in found if key not in wording.role)


_CONTENT_MEMBERS: Final = frozenset(
    (
        *("tool_calls", "toolCalls", "function_call", "refusal", "audio", "reasoning", "reasoning_content"),
        *columns.SYSTEM,
    )
)
"""Members of messages, other than texts, that hold content."""


def respelled(value: Json, wording: Wording, path: str) -> Object:
    """Return a message in the words of Chat Completions; unchanged if it is so already.

    Raises:
        BridgeError: OCB-SHAPE if the value is not a message.
    """
    found = as_object(value)
    if found is None:
        raise misshapen(path, f"a message, an object with {wording.role[0]!r}")
    if _is_spelled(found) and wording.has_words_of_chat:
        return found
    role, word = next(
        ((key, word) for key in wording.role if (word := _word(found.get(key), wording)) is not None), (None, "")
    )
    if role is None:
        raise misshapen(path, f"a message with {wording.role[0]!r}, the role")
    text = _text_key(found, wording, word)
    known = wording.roles.get(word.lower())
    names = {role: "role", text: "content", **(_CAMEL if _TOOL_CALLS not in found else {})}
    out = {names.get(key, key): each for key, each in found.items()}
    out["role"] = known or ROLES.get(word.lower(), word)
    if word.lower() in THOUGHT_ROLES and known is None and isinstance(out.get("content"), str):
        rest = without_members(out, "role", "content")
        return {"role": "assistant", "reasoning": out["content"], "content": None, **rest}
    content = members_of(out.get("content"))
    if content.keys() == _ANSWER and isinstance(content["answer"], str):
        return {**out, "content": content["answer"]}
    parts = [content] if isinstance(content.get("type"), str) else as_list(out.get("content"))
    if parts is None:
        return out
    styled = _styled(parts)
    return {**out, "content": [_part(each) for each in parts] if styled is None else styled}


_ANSWER: Final = {"answer"}
"""The member of a content that is an object with an answer (Arena-Hard)."""


def _styled(parts: Sequence[Json]) -> str | None:
    """Return the text of texts and styled pieces (Telegram); None for texts alone, and for other parts."""
    texts = [part if isinstance(part, str) else _styled_text(part) for part in parts]
    if all(isinstance(part, str) for part in parts) or None in texts:
        return None
    return "".join(cast("list[str]", texts))


def _styled_text(part: Json) -> str | None:
    found = members_of(part)
    kind, text = found.get("type"), found.get("text")
    known = found.keys() == {"type", "text"} and isinstance(kind, str) and kind in _STYLES
    return text if known and isinstance(text, str) else None


_STYLES: Final = frozenset(
    (
        *("bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "blockquote", "link", "email"),
        *("phone", "mention", "hashtag", "cashtag", "bot_command"),
    )
)
"""The types of pieces of a text whose style, or whose address in the text, is all that they have besides."""


THOUGHT_ROLES: Final = frozenset({"thinking", "thought", "reasoning"})
"""Words for the role of a message that is a thought of the assistant (Continue)."""
CALLS: Final = ("tool_call", "function_call", "function-call")
"""Words for the role of a message that is a call."""
KNOWN: Final = frozenset((*ROLES, *CALLS, "developer", "function"))
"""Words for roles that are read, in lower case."""
_TOOL_CALLS: Final = "tool_calls"
_CAMEL: Final = {"toolCalls": _TOOL_CALLS, "toolCallId": "tool_call_id"}
"""Names of members in AG-UI's messages."""


def _part(value: Json) -> Json:
    """Return a part as Chat Completions has it, without nulls.

    Oumi has the text, or the address of an image, under `content`; processors of transformers have an address under
    the type of the part, `url` or `path`, or data under `base64`; XTuner has an object with `url` there.
    """
    given = as_object(value)
    part = {key: each for key, each in (given or {}).items() if each is not None}
    value = value if given is None else part
    kind = part.get("type")
    if kind in _MEDIA and len(part) == 2:
        address = next((part[key] for key in (str(kind), f"{kind}_url", "url", "path") if key in part), None)
        if kind == "image" and isinstance(data := part.get("base64"), str) and (known := image_format(data)):
            address = data_url(data, f"image/{known}")
        if isinstance(address, str):
            return part_of(str(kind), address)
        if "url" in members_of(address):
            return {"type": f"{kind}_url", f"{kind}_url": address}
    content = part.get("content")
    if not isinstance(content, str) or not part.keys() <= {"type", "content", "binary"} or part.get("binary"):
        return value
    if part.get("type") == "text":
        return {"type": "text", "text": content}
    return part_of("image", content) if part.get("type") in _IMAGES else value


_MEDIA: Final = ("image", "video", "audio")
_IMAGES: Final = ("image_url", "image_path")


def _text_key(found: Object, wording: Wording, word: str) -> str | None:
    """Return the key of a message's content: the first that is not null; a system message may have a prompt's name."""
    keys = (*wording.text, *columns.SYSTEM) if word.lower() in _SYSTEM else wording.text
    present = [key for key in keys if key in found]
    return next((key for key in present if found[key] is not None), present[0] if present else None)


_SYSTEM: Final = frozenset({"system", "developer"})


def _is_spelled(found: Object) -> bool:
    """Return whether a message is one of Chat Completions already, without parts and odd members."""
    if not found.keys() <= _SPELLED_MEMBERS:
        return False
    role, content = found.get("role"), found.get("content")
    return (content.__class__ is str or content is None) and role.__class__ is str and role in _SPELLED


_SPELLED: Final = frozenset({"system", "user", "assistant", "tool"})
_SPELLED_MEMBERS: Final = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "weight"})


_BESIDE: Final = frozenset({INVOCATIONS, "tool_calls", "function_calls", RESPONSES})
"""Members of a message with a text that hold calls or results."""


def respelled_all(value: Json, wording: Wording, path: str) -> list[Object]:
    """Return a list of messages in the words of Chat Completions.

    Raises:
        BridgeError: OCB-SHAPE if the value is not a list of messages.
    """
    items = as_list(parsed(value, path))
    if items is None:
        raise misshapen(path, "a list of messages")
    out: list[Object] = []
    is_chat = wording.has_words_of_chat
    replied: bool | None = None
    for at, item in enumerate(items):
        found = as_object(item)
        if found is None or not is_chat or not _is_spelled(found):
            found = _with_calls_alone(respelled(item, wording, f"{path}/{at}"), f"{path}/{at}")
        if found.get("content").__class__ is str and _BESIDE.isdisjoint(found):
            out.append(with_error(found) if "error" in found else found)
            continue
        replies = replies_in(found, out[-1:]) if found.get("role") == "tool" else []
        if replies:
            out += replies
            continue
        if found.get(_TOOL_CALLS):
            replied = have_replies(items) if replied is None else replied
            found, replies = (found, replies) if replied else taken_out(found)
        out += [*messages_of(with_error(_with_calls(found, f"{path}/{at}"))), *replies]
    return out


def _with_calls_alone(each: Object, path: str) -> Object:
    """Return a message whose role is that of calls, and whose content is calls or their JSON, with these."""
    content = each.get("content")
    if content is None or each["role"].replace(" ", "_").lower() not in CALLS:
        return each
    given = parsed_or_none(content) if isinstance(content, str) else content
    if not all("name" in members_of(item) for item in as_list(given) or [given]):
        return each
    return {**each, "role": "assistant", "content": None, _TOOL_CALLS: calls_of(given, f"{path}/content")}


def _with_calls(each: Object, path: str) -> Object:
    """Return a message with its calls in the form of Chat Completions.

    They may be JSON text, or texts, or have no wrapper, or a name in its place (AgentDojo); be Python (OLMo's data); or
    be a list in the place of one call (ComplexFuncBench).
    """
    if as_list(each.get(_FUNCTION_CALL)) and each.get(_TOOL_CALLS) is None:
        each = {**without_members(each, _FUNCTION_CALL), _TOOL_CALLS: each[_FUNCTION_CALL]}
    given, code = each.get("tool_calls"), each.get(_FUNCTION_CALLS)
    if given is None and isinstance(code, str) and (made := calls_in(f"[{code.strip()}]", None)):
        each = without_members(each, _FUNCTION_CALLS)
        given = [{"name": name, "arguments": arguments} for name, arguments in made]
    if isinstance(given, str):
        return {**each, "tool_calls": calls_of(given, f"{path}/tool_calls") if given.strip() else None}
    calls = items_of(given)
    if calls and all(isinstance(call, str) or _is_bare(members_of(call)) for call in calls):
        return {**each, "tool_calls": calls_of(given, f"{path}/tool_calls")}
    return each


def _is_bare(call: Object) -> bool:
    """Return whether the name and the arguments of a call are its own members."""
    if "function" not in call:
        return isinstance(call.get("name"), str)
    return isinstance(call["function"], str) and "name" not in call and any(key in call for key in _ARGUMENTS)


_FUNCTION_CALLS: Final = "function_calls"
_FUNCTION_CALL: Final = "function_call"


def system_of(value: Json, path: str) -> list[Object]:
    """Return the system message of a column, which may be parts of text, also Gemini's; none if the column is empty.

    Raises:
        BridgeError: OCB-SHAPE if the value is anything else.
    """
    if value is None or value == "" or value == []:
        return []
    if texts := _texts_of_gemini(as_object(value) or {}):
        value = texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]
    parts = [members_of(each) for each in as_list(value) or [None]]
    if not isinstance(value, str) and not all(map(_is_text_part, parts)):
        raise misshapen(path, "a text")
    return [{"role": "system", "content": value}]


def _texts_of_gemini(content: Object) -> list[str]:
    """Return the texts of a content of Gemini that has only texts; none of any other object."""
    parts = objects_of(content.get("parts")) if content.keys() <= {"role", "parts"} else []
    texts = [part["text"] for part in parts if part.keys() == {"text"} and isinstance(part["text"], str)]
    return texts if len(texts) == len(parts) else []


def _is_text_part(part: Object) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def calls_of(value: Json, path: str) -> list[Json]:
    """Return calls in the form of Chat Completions.

    Args:
        value: a call or a list of calls, or their JSON text: objects with `name` and `arguments`, or with wrappers.
        path: its JSON pointer, for errors.

    Raises:
        BridgeError: OCB-JSON if a text is not JSON; OCB-SHAPE if a value is not a call.
    """
    found = parsed(value, path)
    listed = as_list(found)
    items = [found] if listed is None else listed
    return [_call(parsed(item, f"{path}/{at}"), f"{path}/{at}") for at, item in enumerate(items)]


_ARGUMENTS: Final = ("arguments", "args", "parameters")
"""The names of the arguments of a call; `args` is LangChain's."""


def _call(value: Json, path: str) -> Object:
    found = as_object(value)
    if found is not None and "function" in found:
        if not _is_bare(found):
            return {"type": "function", **found}
        found = {"name" if key == "function" else key: each for key, each in found.items()}
    if found is None or not isinstance(found.get("name"), str):
        raise misshapen(path, "a call, an object with 'name' and 'arguments'")
    arguments_or_text: Json = next((found[key] for key in _ARGUMENTS if key in found), cast("Json", {}))
    arguments = arguments_or_text if isinstance(arguments_or_text, str) else jsontext.dumps(arguments_or_text).decode()
    more = without_members(found, "name", "id", "type", *_ARGUMENTS)
    identity = {"id": found["id"]} if isinstance(found.get("id"), str) else {}
    return {**identity, "type": "function", "function": {"name": found["name"], "arguments": arguments, **more}}


def request(messages: Sequence[Json], tools: list[Json] | None) -> Object:
    """Return a document of messages and tools."""
    return {"messages": list(messages), **({} if tools is None else {"tools": tools})}


def preference(
    prompt: Sequence[Json], chosen: Sequence[Json], rejected: Sequence[Json], tools: list[Json] | None
) -> Object:
    """Return a document of a preference."""
    answers = {"preferred_output": list(chosen), "non_preferred_output": list(rejected)}
    return {"input": request(prompt, tools), **answers}


def is_text(value: Json) -> bool:
    """Return whether a message has a text and no other members."""
    found = as_object(value)
    if found is None or found.keys() != {"role", "content"}:
        return False
    return isinstance(found["content"], str) and isinstance(found["role"], str)
