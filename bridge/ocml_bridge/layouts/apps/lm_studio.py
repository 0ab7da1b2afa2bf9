"""Read LM Studio's conversation files: messages in versions, and the model's output in steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import as_list, as_object, items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..media import part_of
from ..messages import message, request
from ..pieces import Pieces
from ..trees import NODES, check_limits, rest, rest_with, role_of

MESSAGES: Final = "messages"
SYSTEM: Final = "system"
SETTINGS: Final = "settings"
_PROMPT: Final = "llm.prediction.systemPrompt"
"""The key of the setting that holds the system prompt."""


def is_lm_studio(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages in versions."""
    items = items_of(fields.get(MESSAGES))
    return bool(items) and all(as_list(members_of(each).get("versions")) for each in items)


def read_lm_studio(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the selected versions, and one that ends with each of the other versions.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message; OCB-LIMIT if there are too many versions.
    """
    system = _system(fields)
    before = [message("system", system)] if system else []
    selected: list[_Version] = []
    others: list[tuple[int, _Version]] = []
    for at, item in enumerate(items_of(fields[MESSAGES])):
        versions = _versions(item, f"/{MESSAGES}/{at}")
        number = members_of(item).get("currentlySelected")
        chosen = number if isinstance(number, int) and 0 <= number < len(versions) else 0
        others += [(at, version) for number, version in enumerate(versions) if number != chosen]
        selected.append(versions[chosen])
    pieces_of_items = [_pieces_of(version, place, wording) for place, version in selected]
    own = [rest(each, ("versions", "currentlySelected")) for each in objects_of(fields[MESSAGES])]
    metadata = [
        {**({"message": others} if others else {}), **_metadata(version)}
        for others, (_, version) in zip(own, selected, strict=True)
    ]
    check_limits(1 + len(others), len(selected))
    ends = [(len(selected), None), *others]
    return [
        _document(before, pieces_of_items[:at], metadata[:at], last, wording, alone=not others) for at, last in ends
    ]


_Version = tuple[str, Object]
"""The JSON pointer to a version, and its value."""


def _document(
    before: Sequence[Object],
    pieces_of_items: Sequence[Pieces],
    metadata: Sequence[Object],
    last: _Version | None,
    wording: Wording,
    *,
    alone: bool,
) -> Document:
    """Return the conversation of some messages, and of a last version if there is one."""
    place = None if alone else f"/{MESSAGES}"
    pieces, nodes = list(pieces_of_items), list(metadata)
    if last is not None:
        place, version = last
        pieces.append(_pieces_of(version, place, wording))
        nodes.append(_metadata(version))
    messages = [*before, *(message for each in pieces for message in each.messages())]
    findings = tuple(finding for each in pieces for finding in each.findings)
    nodes_with_metadata = [each for each in nodes if each]
    more: Object = {NODES: nodes_with_metadata} if nodes_with_metadata else {}
    return Document(request(messages, None), findings, place, more)


def _system(fields: Object) -> str | None:
    settings = items_of(members_of(fields.get(SETTINGS)).get("fields"))
    values = {setting.get("key"): setting.get("value") for setting in (members_of(each) for each in settings)}
    found = values.get(_PROMPT) or fields.get(SYSTEM)
    return found if isinstance(found, str) else None


def _versions(item: Json, place: str) -> list[_Version]:
    """Return the versions of a message, each with its JSON pointer."""
    versions = items_of(members_of(item).get("versions"))
    found = [(f"{place}/versions/{at}", as_object(each)) for at, each in enumerate(versions)]
    odd = next((path for path, each in found if each is None), None)
    if odd is not None:
        raise misshapen(odd, "a version of a message")
    return [(path, each) for path, each in found if each is not None]


def _pieces_of(version: Object, place: str, wording: Wording) -> Pieces:
    """Return the pieces of a version: of its contents, or of its steps."""
    pieces = Pieces(role_of(version.get("role"), wording, f"{place}/role"))
    for number, step in enumerate(_steps(version)):
        thinks = members_of(step.get("style")).get("type") == "thinking"
        inside = f"{place}/steps/{number}" if "steps" in version else place
        for at, item in enumerate(_items(step)):
            _read_item(item, pieces, f"{inside}/content/{at}/content", thinks=thinks)
    return pieces


def _steps(version: Object) -> list[Object]:
    """Return the steps of a version; the version itself if it has no steps."""
    steps = as_list(version.get("steps"))
    return [version] if steps is None else objects_of(steps)


def _items(step: Object) -> list[Object]:
    content = step.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)


def _read_item(item: Object, pieces: Pieces, place: str, *, thinks: bool) -> None:
    kind = item.get("type")
    if kind == "text":
        (pieces.think if thinks else pieces.say)(str(item.get("text") or ""))
    elif kind == "toolCallRequest":
        pieces.call(str(item.get("name")), item.get("parameters", item.get("arguments")), _call_id(item))
    elif kind == "toolCallResult":
        pieces.result(item.get("content"), _call_id(item), place=place)
    elif kind == "file" and isinstance(item.get("fileIdentifier"), str):
        name = item["fileIdentifier"]
        image = item.get("fileType") == "image"
        pieces.show(part_of("image", name) if image else {"type": "file", "file": {"file_id": name}})


def _call_id(item: Object) -> Json:
    """Return the id of a call; a number of the app's own if there is no other."""
    return item.get("toolCallRequestId") or item.get("callId")


_READ_MEMBERS: Final = {
    "text": ("type", "text"),
    "toolCallRequest": ("type", "name", "parameters", "arguments", "toolCallRequestId"),
    "toolCallResult": ("type", "content", "toolCallRequestId"),
    "file": ("type", "fileIdentifier", "fileType"),
}
"""The members of contents that their messages hold."""


def _metadata(version: Object) -> Object:
    """Return the members of a version, of its steps, and of their contents that are not read."""
    if "steps" not in version:
        return _step_metadata(version, ("type", "role"))
    steps = [_step_metadata(step, ()) for step in _steps(version)]
    return {**rest(version, ("type", "role", "steps")), "steps": steps}


def _step_metadata(step: Object, known: Sequence[str]) -> Object:
    items = [rest(item, _READ_MEMBERS.get(str(item.get("type")), ())) for item in _items(step)]
    return rest_with(step, (*known, "content"), {"content": items})
