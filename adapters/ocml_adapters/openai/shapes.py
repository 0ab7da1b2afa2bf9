"""What stands around the messages, both ways: nothing (a list), a request, a response, or a line of preferences.

| shape | is | messages | everything else |
| --- | --- | --- | --- |
| `request` | an object with `messages`; also a fine-tuning line | `messages` | settings; extras, by key |
| `list` | the bare list | the list | there is nothing else |
| `response` | an object with `choices` | the first choice's | settings; alternatives; extras |
| `preference` | an object with `preferred_output` | its and those of `input` | settings; an alternative; extras |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.boundary import ListsOfDocuments
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.form import ARRAY, OBJECT, Object, add, form_of, in_order, rest, shape
from ocml_bridge.freeform import note_kinds
from ocml_bridge.jsontext import Lines
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Alternative, Json, Message, Settings, Tool, Transcript, replace
from ocml_bridge.parameters import SETTINGS, members_of

from .reader import read_message
from .settings import PARAMETERS, with_kinds
from .syntax import (
    BATCH_HINT,
    EXPECTED,
    HOME,
    NOT_PREFERRED,
    NOTES,
    PREFERENCE_KEYS,
    PREFERENCE_ORDER,
    PREFERRED,
    REQUEST_KEYS,
    REQUEST_ORDER,
    REQUESTED_ELSEWHERE,
    RESPONSE_KEYS,
    RESPONSE_ORDER,
    TOOL_CHOICE,
)
from .tools import is_custom_tool, read_tools, write_tools

Order = tuple[str, ...]


def _in_list(at: int) -> str:
    return f"/{at}"


@dataclass(slots=True)
class Branch:
    """Another answer than the one that is read.

    Attributes:
        label: what it is, as an alternative.
        wires: its messages as they stand in the document.
        start: index of the wire message of the document from which on they stand instead of the others.
        place: JSON pointer to where it stands.
        extras: what else is said of it.
        cut_off: whether the document says that its last message was cut off.
    """

    label: str
    wires: list[Json]
    start: int
    place: str
    extras: Object
    cut_off: bool = False


@dataclass(slots=True)
class Shell:
    """A document without its messages.

    Attributes:
        branches: the other answers.
        wires: the messages as they stand in it.
        place: index of a message → JSON pointer to it.
        cut_off: whether the document says that the last message was cut off.
    """

    wires: list[Json]
    tools: tuple[Tool, ...] | None
    extras: Object
    layout: Object
    settings: Settings | None = None
    place: Callable[[int], str] = _in_list
    cut_off: bool = False
    branches: list[Branch] = field(default_factory=list[Branch])

    def around(self, alternatives: tuple[Alternative, ...] | None = None) -> Transcript:
        """The transcript without its messages."""
        extras, layout = NOTES.by_format(self.extras), NOTES.by_format(self.layout)
        return Transcript(
            (), self.tools, settings=self.settings, alternatives=alternatives, extras=extras, layout=layout
        )


def sealed(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, the last one without an ending: it was cut off."""
    return (*messages[:-1], replace(messages[-1], end=None)) if messages else ()


def read_shell(source: Source, log: Log) -> Shell:
    """Take a document apart.

    Raises:
        BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
    """
    if isinstance(source, list):
        return _read_list(cast("list[Json]", source))
    if not isinstance(source, OBJECT):
        raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")
    document: Any = source
    for key, reader in _READERS.items():
        if key in document:
            return reader(document, log)
    raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")


def _read_list(source: list[Json]) -> Shell:
    _DOCUMENTS.refuse(source)
    if any(isinstance(item, dict) and "messages" in item and "role" not in item for item in source):
        raise BridgeError(ErrorCode.SHAPE, f"this is a list of transcripts, not of messages; {BATCH_HINT}", path="")
    if isinstance(source, Lines) and not all(map(_is_message, source)):
        raise BridgeError(ErrorCode.SHAPE, f"these JSON lines are not one message each; {BATCH_HINT}", path="")
    return Shell(list(source), None, {}, {"shape": "list"})


def _is_document(document: Object) -> bool:
    """Whether an object is a document: a request, a response or a preference line."""
    return "role" not in document and any(key in document for key in _READERS)


def _is_message(item: Json) -> bool:
    return isinstance(item, OBJECT) and "role" in item


_DOCUMENTS: Final = ListsOfDocuments(_is_document, _is_message)
split: Final = _DOCUMENTS.split
"""The conversations of a list of documents, each with its index; else the one document that a source is."""


def _read_request(document: Object, log: Log, base: str = "") -> Shell:
    wires = document["messages"]
    if not isinstance(wires, ARRAY):
        raise BridgeError(ErrorCode.SHAPE, "'messages' is not a list", path=f"{base}/messages")
    shell = Shell(wires, None, {}, {}, place=lambda at: f"{base}/messages/{at}")
    known = ["messages"]
    others: list[Object] = []
    raws: Any = document.get("tools")
    if isinstance(raws, ARRAY):
        known.append("tools")
        shell.tools, others = read_tools(raws)
        if others and not shell.tools:
            shell.tools = None
    elif document.get("functions") and isinstance(raws := document["functions"], ARRAY):
        tools, opaque = read_tools(raws, legacy=True)
        if not opaque:
            known.append("functions")
            shell.tools, shell.layout["functions"] = tools, True
    if list(document) != known:
        _enclose(shell, document, known, REQUEST_ORDER, REQUEST_KEYS)
    if others:
        shell.extras["tools"] = others
    for key in REQUESTED_ELSEWHERE:
        if key in shell.extras:
            log.find(
                FindingCode.SHAPE,
                f"/extras/{HOME}/{key}",
                f"Chat Completions has no key {key!r} in a request; the key is kept as it is",
            )
    for key in ("tools", "functions"):
        if key in shell.extras:
            log.find(
                FindingCode.SHAPE,
                f"/extras/{HOME}/{key}",
                f"{key!r} has something that is neither a function nor a custom tool; it is kept as it is",
            )
    return shell


def _enclose(shell: Shell, document: Object, known: list[str], order: Order, required: frozenset[str]) -> None:
    """Take settings, extras and form from what stands around the messages.

    Args:
        shell: what they are added to.
        document: where they stand.
        known: the keys that are taken from it otherwise.
        order: that in which we write keys.
        required: the keys that we always write.
    """
    found = PARAMETERS.read(document)
    shell.settings = found.settings
    known += found.keys
    form = form_of(document, order, required, known)
    if form is not None:
        shell.layout["form"] = form
    if TOOL_CHOICE in found.keys:
        note_kinds(found, document[TOOL_CHOICE], shell.tools or (), PARAMETERS, with_kinds)
    if found.spelled:
        shell.layout[SETTINGS] = found.spelled
    shell.extras = {**rest(document, known), **found.others}


def _read_response(document: Object, log: Log) -> Shell:
    choices = document["choices"]
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or "message" not in first:
        raise BridgeError(ErrorCode.SHAPE, "a response must have a choice with a 'message'", path="/choices/0")
    choice = cast("Object", first)
    shell = Shell([choice["message"]], None, {}, {"shape": "response"}, place=lambda _: "/choices/0/message")
    shell.cut_off = choice.get("finish_reason", "") in _CUT_OFF
    _enclose(shell, document, ["choices"], RESPONSE_ORDER, RESPONSE_KEYS)
    others = cast("list[Json]", choices)[1:]
    if all(isinstance(other, dict) and _are_messages([cast("Object", other).get("message")]) for other in others):
        shell.branches = [_other_choice(other, index) for index, other in enumerate(cast("list[Object]", others), 1)]
        others = []
    shell.extras["choices"] = [{**choice, "message": None}, *others]
    return shell


def _other_choice(choice: Object, index: int) -> Branch:
    cut_off = choice.get("finish_reason", "") in _CUT_OFF
    place = f"/choices/{index}/message"
    return Branch(CHOICE, [choice["message"]], 0, place, {**choice, "message": None}, cut_off)


def _are_messages(wires: list[Json]) -> bool:
    return all(isinstance(wire, dict) and isinstance(cast("Object", wire).get("role"), str) for wire in wires)


_CUT_OFF: Final = ("length", None)
"""The reasons of an answer that is not whole: too long, or none because it never came to an end."""
CHOICE: Final = "choice"
REJECTED: Final = "rejected"
"""The labels of the alternatives that the shapes have: several answers, and the one that is not preferred."""


def _read_preference(document: Object, log: Log) -> Shell:
    given, preferred = document.get("input"), document[PREFERRED]
    if not isinstance(given, dict) or "messages" not in given or not isinstance(preferred, list):
        raise BridgeError(ErrorCode.SHAPE, EXPECTED, path="")
    shell = _read_request(cast("Object", given), log, "/input")
    chosen, start = cast("list[Json]", preferred), len(shell.wires)
    shell.wires = [*shell.wires, *chosen]
    shell.place = lambda at: f"/input/messages/{at}" if at < start else f"/{PREFERRED}/{at - start}"
    shell.layout["shape"] = "preference"
    if len(chosen) != 1:
        shell.layout["preferred"] = len(chosen)
    known, rejected = ["input", PREFERRED], document.get(NOT_PREFERRED)
    if isinstance(rejected, list) and rejected and _are_messages(wires := cast("list[Json]", rejected)):
        known.append(NOT_PREFERRED)
        shell.branches = [Branch(REJECTED, wires, start, f"/{NOT_PREFERRED}", {})]
    if (form := form_of(document, PREFERENCE_ORDER, PREFERENCE_KEYS, known)) is not None:
        shell.layout["line"] = form
    inside, around = shell.extras, rest(document, known)
    shell.extras = {**around, **({"input": inside} if inside else {})}
    return shell


_READERS: Final[dict[str, Callable[[Object, Log], Shell]]] = {
    "messages": _read_request,
    "choices": _read_response,
    PREFERRED: _read_preference,
}
"""The key that tells a shape, in the order in which they are looked for → its reader."""


# --- writing ----------------------------------------------------------------------------------------------------------

Branches = Sequence[list[Json]]
"""For each alternative of a transcript, its wire messages."""


def write_shell(transcript: Transcript, wires: list[Json], branches: Branches = ()) -> Source:
    """Put wire messages into the shape that the transcript was read from, or into a request where they do not fit it.

    Args:
        transcript: what stands around them.
        wires: the wire messages.
        branches: those of its alternatives.
    """
    layout, extras = NOTES.of(transcript.layout), NOTES.of(transcript.extras)
    name = layout.get("shape")
    if name is None and [one.label for one in transcript.alternatives or ()] == [REJECTED]:
        name = "preference"
    writer = _WRITERS.get(name) if isinstance(name, str) else None
    written = writer(transcript, wires, branches, extras, layout) if writer is not None else None
    return _write_request(transcript, wires, extras, layout) if written is None else written


def _write_request(transcript: Transcript, wires: list[Json], extras: Object, layout: Object) -> Object:
    out: Object = {"messages": wires}
    others = extras.get("tools") if isinstance(extras.get("tools"), list) else None
    legacy = layout.get("functions") is True and others is None and not any(map(is_custom_tool, transcript.tools or ()))
    if transcript.tools is not None or others is not None:
        out["functions" if legacy else "tools"] = write_tools(transcript.tools or (), others, legacy=legacy)
    return _enclosing(out, transcript.settings, extras, layout, REQUEST_ORDER, transcript.tools or ())


def _enclosing(
    out: Object,
    settings: Settings | None,
    extras: Object,
    layout: Object,
    order: Order,
    tools: Sequence[Tool] = (),
) -> Object:
    """An object with the messages and what stands around them, in the spelling that the layout remembers."""
    fixed = {**out, **PARAMETERS.write(settings, layout.get(SETTINGS), extras)}
    if TOOL_CHOICE in fixed and fixed[TOOL_CHOICE] != members_of(layout.get(SETTINGS)).get(TOOL_CHOICE):
        fixed[TOOL_CHOICE] = with_kinds(fixed[TOOL_CHOICE], tools)
    ordered = in_order(fixed, order) if len(fixed) > len(out) else fixed
    return shape(add(ordered, extras, order), layout.get("form"), fixed=fixed)


def _write_list(
    transcript: Transcript, wires: list[Json], _: Branches, extras: Object, layout: Object
) -> Source | None:
    return wires if not extras and transcript.tools is transcript.settings is None else None


def _write_response(
    transcript: Transcript, wires: list[Json], branches: Branches, extras: Object, layout: Object
) -> Source | None:
    choices = extras.get("choices")
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    if len(wires) != 1 or transcript.tools is not None or not isinstance(first, dict) or "message" not in first:
        return None
    written: list[Json] = [{**cast("Object", first), "message": wires[0]}, *cast("list[Json]", choices)[1:]]
    for alternative, others in zip(transcript.alternatives or (), branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(others) == 1:
            around = NOTES.of(alternative.extras)
            around = around if "message" in around else {"index": len(written), **around}
            written.append({**around, "message": others[0]})
    return _enclosing({"choices": written}, transcript.settings, extras, layout, RESPONSE_ORDER)


def _write_preference(
    transcript: Transcript, wires: list[Json], branches: Branches, extras: Object, layout: Object
) -> Source | None:
    rejected = next((one for one in transcript.alternatives or () if one.label == REJECTED), None)
    starts = _starts(wires) if rejected is not None else []
    count = layout.get("preferred", 1)
    if rejected is not None and "shape" not in layout:
        count = len(wires) - starts.index(rejected.at) if rejected.at in starts[:-1] else None
    if type(count) is not int or not 0 <= count <= len(wires):
        return None
    start = len(wires) - count
    inside = cast("Object", given) if isinstance(given := extras.get("input"), dict) else {}
    line: Object = {
        "input": _write_request(transcript, wires[:start], inside, layout),
        PREFERRED: wires[start:],
    }
    if rejected is not None and rejected.at == starts[start]:
        others = branches[cast("tuple[Alternative, ...]", transcript.alternatives).index(rejected)]
        line |= {NOT_PREFERRED: others} if others else {}
    around = {key: value for key, value in extras.items() if key != "input"}
    return shape(add(line, around, PREFERENCE_ORDER), layout.get("line"), fixed=line)


def _starts(wires: Sequence[Json]) -> list[int]:
    """For each wire message the index of its first message, and how many messages there are in all."""
    return [0, *accumulate(len(read_message(cast("Object", wire))) for wire in wires)]


_WRITERS: Final[dict[str, Callable[[Transcript, list[Json], Branches, Object, Object], Source | None]]] = {
    "list": _write_list,
    "response": _write_response,
    "preference": _write_preference,
}
