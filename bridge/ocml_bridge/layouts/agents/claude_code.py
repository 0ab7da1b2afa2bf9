"""Read sessions of Claude Code: rows that name the row before them, some of which hold a message, or a block of one.

A message of the assistant has a row for each of its blocks. The rows make a tree: after an edit, another branch goes
on from an earlier row; results of calls that ran at the same time are branches, too, and belong to one conversation.
What a sidechain holds, an agent with a task of its own, is a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple

from ...json_values import jsontext
from ...loss import Finding
from ...model import Json
from ..columns import SESSION
from ..fitting import as_object, items_of, members_of, objects_of, without_members
from ..layout import Document, Object, Wording, misshapen, noticed
from ..trees import check_limits

_SPEAKERS: Final = ("user", "assistant")
_NAMES: Final = ("sessionId", "session_id", "parentUuid")
"""Members of which a row with a message has one in most sessions, and in each session one row at least."""
_LINKS: Final = frozenset({"parentUuid", "logicalParentUuid"})
"""Members that name the row before, the second one across a compaction; a row without them follows the last one."""
_SYNTHETIC: Final = "<synthetic>"
"""The model of messages that the program wrote, such as about an error."""
_MOST_REPEATED: Final = 16
"""The maximal number of messages in all branches, for each row; more are too many forks of one session."""


def is_claude_code(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold rows of a session."""
    rows = objects_of(fields.get(SESSION))
    return any(_message_in(row) is not None and any(name in row for name in _NAMES) for row in rows)


def read_claude_code(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that the last row continues, then other branches, then sidechains.

    Raises:
        BridgeError: OCB-SHAPE if no row holds a message; OCB-LIMIT if there are too many branches.
    """
    session = _session_of(items_of(fields[SESSION]))
    branches = [(rows, branch) for rows in session.agents.values() for branch in _branches(rows)]
    if not branches:
        raise misshapen(f"/{SESSION}", "rows of a session, one with a message at least")
    unread = session.rows.keys() - {at for _, branch in branches for at in branch}
    documents: list[Document] = []
    given, others = set[int](), unread
    for rows, branch in branches:
        own = sorted({*branch, *others} - given)
        given.update(own)
        others = set[int]()
        findings = [finding for at in own for finding in session.findings.get(at, ())]
        beside = [_rest(session.rows[at]) if at not in unread else session.rows[at] for at in own]
        columns: Object = {SESSION: column} if (column := [each for each in beside if each]) else {}
        path = None if len(branches) == 1 else f"/{SESSION}/{branch[-1]}"
        documents.append(Document({"messages": _messages(branch, rows)}, tuple(findings), path, columns))
    return documents


def _rest(value: Json) -> Json:
    """Return what a row of a conversation holds besides its message."""
    row = members_of(value)
    if _message_in(row) is None:
        return row
    parts = {
        "message": without_members(members_of(row.get("message")), "role", "content"),
        "attachment": without_members(members_of(row.get("attachment")), "prompt"),
    }
    return {**without_members(row, *parts), **{name: part for name, part in parts.items() if part}}


class _Row(NamedTuple):
    """A row of the tree.

    Attributes:
        message: its message; None if it has none.
        before: the index of the row before it; None for a root.
    """

    message: Object | None
    before: int | None


_Rows = Mapping[int, _Row]


class _Session(NamedTuple):
    """The rows of a session.

    Attributes:
        rows: all lines, by their index; {} for a row that is there already.
        agents: the rows of the tree by whose they are: None for the session's own, or the agent of a sidechain.
        findings: what was assumed, by the index of the row.
    """

    rows: Mapping[int, Json]
    agents: Mapping[str | None, _Rows]
    findings: Mapping[int, Sequence[Finding]]


def _session_of(values: Sequence[Json]) -> _Session:
    rows: dict[int, Json] = dict(enumerate(values))
    findings: dict[int, list[Finding]] = {}
    agents: dict[str | None, dict[int, _Row]] = {None: {}}
    by_name: dict[str, int] = {}
    calls: dict[str, Object] = {}
    linked = any(isinstance(row.get("parentUuid"), str) for row in objects_of(values))

    def notice(at: int, detail: str) -> None:
        findings.setdefault(at, []).append(noticed(f"/{SESSION}/{at}", detail))

    for at, value in enumerate(values):
        row = as_object(value)
        if row is None:
            notice(at, "the line is not a row of a session; it is kept beside the conversation")
            continue
        name, message = row.get("uuid"), _message_in(row)
        if isinstance(name, str) and name in by_name:
            notice(at, "the row repeats an earlier one, and is read once")
            if row == values[by_name[name]]:
                rows[at] = {}
            continue
        if not isinstance(name, str) and message is None:
            continue
        if _is_synthetic(row):
            notice(at, "the program wrote the message instead of the model; it is kept beside the conversation")
        of_agent = agents.setdefault(_agent_of(row), {})
        for call, block in _calls_in(message):
            if calls.setdefault(call, block) != block:
                notice(at, "an earlier row has the call in another version; the last one is read")
        before, assumed = _before(row, of_agent, by_name, linked=linked)
        if assumed is not None:
            notice(at, assumed)
        of_agent[at] = _Row(message, before)
        if isinstance(name, str):
            by_name[name] = at
    return _Session(rows, agents, findings)


def _agent_of(row: Object) -> str | None:
    """Return which agent's sidechain a row is of; None if it is of none."""
    call = row.get("parent_tool_use_id")
    if isinstance(call, str):
        return call
    return str(row.get("agentId") or "") if row.get("isSidechain") is True else None


def _before(
    row: Object, rows: dict[int, _Row], by_name: Mapping[str, int], *, linked: bool
) -> tuple[int | None, str | None]:
    """Return the row before a row of the same agent, and what was assumed for that."""
    last = next(reversed(rows), None)
    if not linked or not _LINKS & row.keys():
        return last, None
    summarized = row.get("parentUuid") is None
    name = row.get("logicalParentUuid" if summarized else "parentUuid")
    if not isinstance(name, str):
        return None, None
    detail = "the model was given a summary instead of what comes before" if summarized else None
    known = by_name.get(name)
    if known is not None:
        return (known, detail) if known in rows else (None, None)
    return last, None if last is None else detail or "the row before it is not there; it follows the one above"


def _message_in(row: Object) -> Object | None:
    """Return the message of a row, or what the user asked while the assistant was at work; None for other rows."""
    message = members_of(row.get("message"))
    kind = row.get("type")
    if kind in _SPEAKERS and message.get("role", kind) == kind:
        is_readable = isinstance(message.get("content"), str | list) and not _is_synthetic(row)
        return {**message, "role": kind} if is_readable else None
    attached = members_of(row.get("attachment"))
    if kind == "attachment" and attached.get("type") == "queued_command":
        prompt = attached.get("prompt")
        return {"role": "user", "content": prompt} if isinstance(prompt, str | list) else None
    return None


def _is_synthetic(row: Object) -> bool:
    return members_of(row.get("message")).get("model") == _SYNTHETIC


# --- branches ---------------------------------------------------------------------------------------------------------


def _branches(rows: _Rows) -> list[list[int]]:
    """Return the rows of each conversation, in order; the one that the last message is in comes first.

    Raises:
        BridgeError: OCB-LIMIT if there are too many.
    """
    last = next((at for at in reversed(list(rows)) if rows[at].message is not None), None)
    if last is None:
        return []
    inner = {row.before for row in rows.values()}
    parallel = _Parallel(rows)
    visited: set[int] = set()
    found: list[list[int]] = []
    size = 0
    for leaf in (last, *(at for at in rows if at not in inner)):
        path = _path(leaf, rows, visited)
        visited.update(path)
        if not any(rows[at].message is not None for at in path):
            continue
        found.append(parallel.added_to(_path(leaf, rows)))
        visited.update(found[-1])
        size += len(found[-1])
        check_limits(len(found), size - _MOST_REPEATED * len(rows))
    return found


def _path(at: int | None, rows: _Rows, until: Container[int] = ()) -> list[int]:
    """Return the rows from the beginning to a row, or those behind the last row of `until` among them."""
    path: list[int] = []
    while at is not None and at not in until:
        path.append(at)
        at = rows[at].before
    return path[::-1]


class _Parallel:
    """Rows that belong to a message on another path: its other blocks, and results of calls that ran together."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows
        self._blocks: dict[str, list[int]] = {}
        self._results: dict[str, list[int]] = {}
        for at, row in rows.items():
            name = _id_of(row)
            if name is not None:
                self._blocks.setdefault(name, []).append(at)
            for call in _results_in(row):
                self._results.setdefault(call, []).append(at)

    def added_to(self, path: Sequence[int]) -> list[int]:
        """Return the rows of a path with those that belong to its messages, each behind its message."""
        found: list[int] = []
        on_path, placed = set(path), set[int]()
        for at in path:
            if at in placed:
                continue
            name = _id_of(self._rows[at])
            message = [at] if name is None else self._blocks[name]
            calls = {call for each in message for call, _ in _calls_in(self._rows[each].message)}
            results = [self._first(call, on_path) for call in calls] if len(calls) > 1 else []
            others = {each for each in results if each is not None}
            rows = [each for each in (*message, *sorted(others)) if each not in placed]
            found += rows
            placed.update(rows)
        return found

    def _first(self, call: str, on_path: Container[int]) -> int | None:
        """Return the first row with the result of a call, if none is on the path already."""
        results = self._results.get(call, [])
        return None if any(at in on_path for at in results) else next(iter(results), None)


def _id_of(row: _Row) -> str | None:
    """Return the id of the assistant's message in a row."""
    message = row.message or {}
    name = message.get("id")
    return name if message.get("role") == "assistant" and isinstance(name, str) else None


def _blocks_in(message: Object | None) -> list[Object]:
    return objects_of((message or {}).get("content"))


def _calls_in(message: Object | None) -> list[tuple[str, Object]]:
    """Return the ids of the calls in a message, each with its block."""
    calls = [block for block in _blocks_in(message) if block.get("type") == "tool_use"]
    return [(block["id"], block) for block in calls if isinstance(block.get("id"), str)]


def _results_in(row: _Row) -> list[str]:
    """Return the ids of the calls that a row has the results of; [] if it has anything else."""
    calls = [
        block.get("tool_use_id") if block.get("type") == "tool_result" else None for block in _blocks_in(row.message)
    ]
    return [call for call in calls if isinstance(call, str)] if all(isinstance(call, str) for call in calls) else []


# --- messages ---------------------------------------------------------------------------------------------------------


def _messages(branch: Sequence[int], rows: _Rows) -> list[Object]:
    """Return the messages of a branch in the form of Anthropic's API: blocks of one id, and results, are together."""
    found: list[Object] = []
    contents: list[list[Json]] = []
    places: dict[str, int] = {}
    results = False
    for at in branch:
        message = rows[at].message
        if message is None:
            continue
        name, of_results = _id_of(rows[at]), bool(_results_in(rows[at]))
        if name in places:
            contents[places[name]].append(message["content"])
        elif of_results and results:
            contents[-1].append(message["content"])
        else:
            if name is not None:
                places[name] = len(found)
            found.append({"role": message["role"]})
            contents.append([message["content"]])
        results = of_results
    for message, parts in zip(found, contents, strict=True):
        message["content"] = parts[0] if len(parts) == 1 else _joined(parts)
    return found


def _joined(contents: Sequence[Json]) -> list[Json]:
    """Return the blocks of some contents; a block that several have once, and a call by its last version."""
    blocks: dict[Json, Json] = {}
    for content in contents:
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else items_of(content):
            name = members_of(block).get("id")
            blocks[name if isinstance(name, str) else jsontext.dumps(block)] = block
    return list(blocks.values())
