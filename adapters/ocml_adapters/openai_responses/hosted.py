"""Read and write calls of the API's own tools, and their results, by a table. Most of these the server runs.

One item may have both the call and its result: it is read as a call and a reply, which are written as one item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, is_empty
from ocml_bridge.json_values.parameters import items_of, members_of, nonempty_text
from ocml_bridge.model import Content, Json, Message
from ocml_bridge.model.notes import MERGED

from .item_bodies import ARGUMENTS, FLAG, IMAGE, JSON, OUTPUTS, SCREENSHOT, TEXT, Body
from .item_members import ItemNotes, finish_item
from .syntax import HOSTED_ORDER, NOTES

_ARGUMENTS: Final = "arguments"
"""The member with a call's input in a text of JSON, which the items of xAI have in place of the API's own member; and
the key of the layout that says so."""
_OUTPUT: Final = "output"
"""The key of the layout with how a reply's value was spelled, if the writer would do so otherwise."""


def _never(_extras: Object) -> bool:
    return False


def _always(_extras: Object) -> bool:
    return True


def _where_it_says_so(extras: Object) -> bool:
    return extras.get("execution") == "client"


def _outside_of_containers(extras: Object) -> bool:
    """Return whether the commands of a shell run where the client is: a container is the server's."""
    return members_of(extras.get("environment")).get("type") != "container_reference"


class Hosted(NamedTuple):
    """A type of item that is a call of one of the API's own tools.

    Attributes:
        tool: the recipient of the call.
        key: the member with its input; None if there is none.
        body: how the input is read and written.
        result: the member with the reply; None if the reply is another item.
        output: how the reply is read and written.
        id: the member with the call id.
        failure: the member with an error, which replaces the reply; None if there is none.
        several: the member with a list of inputs, which replaces `key`; None if there is none.
        named: the members with names that follow the tool's in the recipient.
        is_of_client: returns whether the client runs a call with these extras, and not the server.
    """

    tool: str
    key: str | None
    body: Body = JSON
    result: str | None = None
    output: Body = TEXT
    id: str = "id"
    failure: str | None = None
    several: str | None = None
    named: tuple[str, ...] = ()
    is_of_client: Callable[[Object], bool] = _never


CALLS: Final[dict[str, Hosted]] = {
    "web_search_call": Hosted("openai.web_search", "action"),
    "file_search_call": Hosted("openai.file_search", "queries", JSON, "results", JSON),
    "code_interpreter_call": Hosted("python", "code", TEXT, "outputs", OUTPUTS),
    "image_generation_call": Hosted("openai.image_generation", None, TEXT, "result", IMAGE),
    "computer_call": Hosted("openai.computer", "action", id="call_id", several="actions", is_of_client=_always),
    "local_shell_call": Hosted("openai.local_shell", "action", id="call_id", is_of_client=_always),
    "shell_call": Hosted("openai.shell", "action", id="call_id", is_of_client=_outside_of_containers),
    "apply_patch_call": Hosted("openai.apply_patch", "operation", id="call_id", is_of_client=_always),
    "tool_search_call": Hosted("openai.tool_search", "arguments", id="call_id", is_of_client=_where_it_says_so),
    "program": Hosted("openai.program", "code", TEXT, id="call_id"),
    "mcp_call": Hosted("mcp", "arguments", ARGUMENTS, "output", TEXT, failure="error", named=("server_label", "name")),
    "mcp_approval_request": Hosted(
        "openai.mcp_approval", "arguments", ARGUMENTS, named=("server_label", "name"), is_of_client=_always
    ),
    "multi_agent_call": Hosted("openai.multi_agent", "arguments", ARGUMENTS, id="call_id", named=("action",)),
    "x_search_call": Hosted("xai.x_search", "arguments", ARGUMENTS),
    "search_results": Hosted("perplexity.search_web", "queries", JSON, "results", JSON),
    "fetch_url_results": Hosted("perplexity.fetch_url", None, TEXT, "contents", JSON),
}
"""The calls by the types of their items. xAI's and Perplexity's APIs have items of their own."""
REPLIES: Final[dict[str, tuple[str, Body, tuple[str, ...]]]] = {
    "computer_call_output": ("output", SCREENSHOT, ("call_id",)),
    "local_shell_call_output": ("output", TEXT, ("call_id", "id")),
    "shell_call_output": ("output", JSON, ("call_id",)),
    "apply_patch_call_output": ("output", TEXT, ("call_id",)),
    "tool_search_output": ("tools", JSON, ("call_id",)),
    "program_output": ("result", TEXT, ("call_id",)),
    "mcp_approval_response": ("approve", FLAG, ("approval_request_id",)),
    "multi_agent_call_output": ("output", JSON, ("call_id",)),
}
"""The replies by the types of their items: the member with the content, how it is read, the members for the call id.

The reply of a local shell has the id of its call in `id` in the types of the API's clients, in `call_id` in its guides.
"""
_MAY_FAIL: Final = frozenset({"apply_patch_call_output"})
"""The types of replies whose status shows whether the tool failed."""
_FAILED: Final = "failed"
"""The status of such a reply; also the layout of a reply that was read from an error that is an object."""


def is_of_client(call: Message) -> bool:
    """Return whether a call of one of the API's own tools is for the client to run, as that of a local shell."""
    extras = NOTES.of(call.extras)
    spec = CALLS.get(str(extras.get("type")))
    return spec is not None and spec.is_of_client(extras)


# --- calls ------------------------------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """What was read of a call, or of the reply in the same item.

    Attributes:
        key: the member that was read; None if there is none.
        content: its content.
        body: how it was read.
        layout: what the layout of the message stores of it.
    """

    key: str | None
    content: Content
    body: Body
    layout: Object


def read_hosted(item: Object, kind: str) -> list[Message] | None:
    """Return the call in an item, and its reply if the item has one; None if it is not understood."""
    spec = CALLS[kind]
    tool, sent, reply = _tool_of(spec, item), _input_in(spec, item), _reply_in(spec, item)
    if tool is None or sent is None:
        return None
    call_id = nonempty_text(item.get(spec.id))
    known = {spec.id: call_id, sent.key: sent.content, **({} if reply is None else {reply.key: True})}
    notes = _notes_of(item, kind, call_id, [key for key, value in known.items() if key is not None and value])
    notes.layout |= sent.layout
    constraint = "json" if sent.body.is_json else None
    end = "call" if notes.end else None
    call = Message("assistant", sent.content, None, "commentary", tool, call_id, constraint=constraint, end=end)
    notes.add_to(call)
    if reply is None:
        return [call]
    answer = Message("tool", reply.content, tool, "commentary", "assistant", call_id)
    answer.failed = True if reply.key == spec.failure else None
    answer.layout = NOTES.by_format({MERGED: True, **reply.layout})
    return [call, answer]


def _input_in(spec: Hosted, item: Object) -> _Read | None:
    """Return the input of a call; None if it is no text, or if the writer could not know its member."""
    is_several = spec.several is not None and not is_empty(item.get(spec.several))
    key = spec.several if is_several else spec.key
    value: Json = None if key is None else item.get(key)
    if key is not None and value is None and nonempty_text(item.get(_ARGUMENTS)) is not None:
        return _Read(_ARGUMENTS, item[_ARGUMENTS], ARGUMENTS, {_ARGUMENTS: True})
    # An object without members is the arguments of a call that needs none.
    text = "" if is_empty(value) and value != {} else spec.body.read(value)
    if not isinstance(text, str) or (text and spec.several and isinstance(value, list) != is_several):
        return None
    return _Read(key, text, spec.body, {})


def _reply_in(spec: Hosted, item: Object) -> _Read | None:
    """Return the reply in the item of a call: its result, or the error in place of one; None if it has neither."""
    result: Json = None if spec.result is None else item.get(spec.result)
    content = None if is_empty(result) else spec.output.read(result)
    if content is not None:
        return _Read(spec.result, content, spec.output, {})
    error, layout = (None, {}) if spec.failure is None else _read_error(item.get(spec.failure))
    return None if error is None else _Read(spec.failure, error, spec.output, layout)


def _notes_of(item: Object, kind: str, call_id: str | None, known: Sequence[str]) -> ItemNotes:
    """Return the notes of an item of the API's own tools, whose keys are always stored in their order.

    Args:
        item: the item.
        kind: its type.
        call_id: the call id; None if it has none.
        known: the keys whose values the messages have.
    """
    notes = ItemNotes(item, HOSTED_ORDER, frozenset(), known)
    notes.extras = {"type": kind, **notes.extras}
    notes.layout["form"] = notes.layout.get("form", list(item))
    if call_id is None:
        notes.layout["call_id"] = "absent"
    return notes


def _read_error(error: Json) -> tuple[Content | None, Object]:
    """Return an error as the content of a reply, and its layout; the content is None if there is no error."""
    if isinstance(error, str):
        return error or None, {}
    content = None if is_empty(error) else JSON.read(error)
    return content, {} if content is None else {_FAILED: "object"}


def _tool_of(spec: Hosted, members: Object) -> str | None:
    """Return the recipient of a call; None if its item does not name it."""
    names = [nonempty_text(members.get(key)) for key in spec.named]
    return None if None in names else ".".join((spec.tool, *filter(None, names)))


def write_hosted(group: Sequence[Message]) -> Object | None:
    """Return the item of a call, with its reply if there is one; None if no type of item fits."""
    call, *replies = group
    extras = NOTES.of(call.extras)
    kind = extras.get("type")
    spec = CALLS.get(kind) if isinstance(kind, str) else None
    if spec is None or len(replies) > 1 or _tool_of(spec, extras) != call.recipient:
        return None
    out: Object = {"type": kind}
    if call.call_id is not None:
        out[spec.id] = call.call_id
    if call.content:
        is_text = NOTES.of(call.layout).get(_ARGUMENTS) is True
        key, body = (_ARGUMENTS, ARGUMENTS) if is_text else (spec.key, spec.body)
        value = None if key is None else body.write(call.content)
        if value is None:
            return None
        out[cast("str", spec.several if spec.several is not None and isinstance(value, list) else key)] = value
    for reply in replies:
        key = spec.failure if reply.failed and spec.failure is not None else spec.result
        is_object = key == spec.failure and NOTES.of(reply.layout).get(_FAILED) == "object"
        value = JSON.write(reply.content) if is_object else None
        value = spec.output.write(reply.content) if value is None and key is not None else value
        if value is None:
            return None
        out[cast("str", key)] = value
    return finish_item(out, [call], HOSTED_ORDER)


# --- replies ----------------------------------------------------------------------------------------------------------


def read_hosted_reply(item: Object, kind: str) -> Message | None:
    """Return the reply to a call of a tool that the server runs; None if it is not understood."""
    key, body, id_keys = REPLIES[kind]
    id_key = next((name for name in id_keys if nonempty_text(item.get(name)) is not None), id_keys[-1])
    value: Json = item.get(key)
    plain = body.plain(value)
    content = "" if is_empty(value) else body.read(plain)
    if content is None:
        return None
    call_id = nonempty_text(item.get(id_key))
    known = [name for name, value in ((key, content), (id_key, call_id)) if value]
    failed = kind in _MAY_FAIL and item.get("status") == _FAILED
    known += ["status"] if failed else []
    notes = _notes_of(item, kind, call_id, known)
    if list(members_of(plain).items()) != list(members_of(value).items()):
        notes.layout[_OUTPUT] = {name: each if name == "type" else None for name, each in members_of(value).items()}
    message = Message("tool", content, None, "commentary", "assistant", call_id, end="end" if notes.end else None)
    message.failed = True if failed else None
    notes.add_to(message)
    return message


def write_hosted_reply(reply: Message) -> Object | None:
    """Return the item of a reply to such a call; None if the reply was not read from one."""
    kind = NOTES.of(reply.extras).get("type")
    spec = REPLIES.get(kind) if isinstance(kind, str) else None
    if spec is None:
        return None
    key, body, id_keys = spec
    form: Json = NOTES.of(reply.layout).get("form")
    members = items_of(form)
    out: Object = {"type": kind}
    if reply.call_id is not None:
        out[next((name for name in id_keys if name in members), id_keys[-1])] = reply.call_id
    if reply.content:
        value = body.write(reply.content)
        if value is None:
            return None
        out[key] = body.respelled(value, NOTES.of(reply.layout).get(_OUTPUT))
    if reply.failed and reply.end is not None and kind in _MAY_FAIL:
        out["status"] = _FAILED
    return finish_item(out, [reply], HOSTED_ORDER)
