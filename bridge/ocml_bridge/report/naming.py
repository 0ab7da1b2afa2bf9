"""Turn a difference between a document and its image into a loss: its code, its severity and its sentence."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, cast

from ..loss import Loss, LossCode, Severity
from ..model import OUTSIDE, ByFormat, Settings, ToolChoice
from ..model.diff import ABSENT, Difference
from .wording import emptied_in, names_of, shown

_FIELD_CODES: Final[dict[str, LossCode]] = {
    "role": LossCode.ROLE,
    "name": LossCode.NAME,
    "channel": LossCode.CHANNEL,
    "recipient": LossCode.RECIPIENT,
    "call_id": LossCode.CALL_ID,
    "intent": LossCode.INTENT,
    "content_type": LossCode.CONTENT_TYPE,
    "constraint": LossCode.CONSTRAINT,
    "end": LossCode.ENDING,
    "continues": LossCode.GROUPING,
    "failed": LossCode.FAILED,
    "weight": LossCode.WEIGHT,
    "signature": LossCode.SIGNATURE,
    "cache": LossCode.CACHE,
    "citations": LossCode.CITATIONS,
    "content": LossCode.CONTENT,
    "extras": LossCode.EXTRAS,
    "layout": LossCode.LAYOUT,
    "tools": LossCode.TOOLS,
    "header": LossCode.HEADER,
    "settings": LossCode.SETTINGS,
    "open_turn": LossCode.OPEN_TURN,
    "alternatives": LossCode.ALTERNATIVES,
}
_LABELS: Final = {
    "cache": "cache mark",
    "call_id": "call id",
    "citable": "citation flag",
    "content_type": "content type",
    "end": "ending",
    "file_id": "file id",
    "filename": "file name",
    "failed": "failure flag",
    "freeform": "freeform input",
    "open_turn": "open turn",
    "strict": "strict flag",
    "weight": "training weight",
}
"""What sentences call a field whose name is not a word."""

# Global names for members of enumerations, whose lookup takes as long as the rest of `name_difference`.
_ENDING, _EXTRAS, _GROUPING, _LAYOUT = LossCode.ENDING, LossCode.EXTRAS, LossCode.GROUPING, LossCode.LAYOUT
_LOST, _CHANGED, _SPELLED = Severity.LOST, Severity.CHANGED, Severity.LAYOUT
_NO_SETTINGS: Final = Settings()
_DEFAULTS: Final = {"/settings/tool_choice": ToolChoice("auto"), "/settings/parallel_tool_calls": True}
"""The settings that every API has by default, by their paths."""
_OWN_WAY: Final = {
    _LAYOUT: "does not keep the layout of the source, such as spacing and the order of keys",
    _GROUPING: "does not keep whether this message and the one before it were one",
    _ENDING: "does not keep how the source marked the end of this message",
}
"""The sentences of losses that have severity `layout` whatever the values are, by code."""


def name_difference(difference: Difference, target: str) -> Loss:
    """Return the loss for a difference: its code by the field, its severity by what became of the value.

    Args:
        difference: a difference between a document and its image.
        target: the format id, for the sentence.
    """
    path, old, new = difference
    code, label = _place(path)
    if code is _LAYOUT or code is _GROUPING or code is _ENDING:
        if old is None and code is _ENDING:
            return Loss(code, _CHANGED, path, f"the message is cut off here; in {target} it reads as complete")
        return Loss(code, _SPELLED, path, f"{target} {_OWN_WAY[code]}")
    if old is None and new is ABSENT:
        return Loss(code, _SPELLED, path, f"{target} leaves out {label}, which is null")
    if old is None or old is ABSENT:
        return Loss(code, _SPELLED, path, f"{target} adds {_member(label, new)}; the source has none")
    if new is None or new is ABSENT:
        if old == "" or old == _NO_SETTINGS:
            return Loss(code, _SPELLED, path, f"{target} leaves out {label}, which is empty")
        if old == ():
            return Loss(code, _SPELLED, path, f"{target} leaves out {label}, an empty list")
        if (code is LossCode.FAILED and old is False) or _DEFAULTS.get(path, ABSENT) == old:
            return Loss(code, _SPELLED, path, f"{target} leaves out {_member(label, old)}, which is the default")
        if code is _EXTRAS and _is_text_outside(difference):
            return Loss(LossCode.OUTSIDE, _LOST, path, f"{target} has no place for text outside messages: {shown(old)}")
        by_format = label == "the extras" and code is not LossCode.HEADER and _is_by_format(old)
        what = _of_one_format(cast("ByFormat", old)) if by_format else _member(label, old)
        return Loss(code, _LOST, path, f"{target} has no place for {what}")
    return Loss(code, _CHANGED, path, f"{_member(label, old)} becomes {shown(new)} in {target}")


def name_emptied(path: str, target: str) -> Loss:
    """Return the loss of a text that the reader did not understand and for which the output has nothing."""
    return Loss(LossCode.EMPTIED, _LOST, path, emptied_in(target))


def code_of(difference: Difference) -> LossCode:
    """Return the code of the loss for a difference, without making its sentence."""
    code = _place(difference.path)[0]
    return LossCode.OUTSIDE if code is _EXTRAS and _is_text_outside(difference) else code


def _is_text_outside(difference: Difference) -> bool:
    """Return whether a difference in extras is the loss of text outside of messages."""
    path, old, new = difference
    gone = new is None or new is ABSENT
    return gone and isinstance(old, str) and old != "" and path.rpartition("/")[2] in OUTSIDE


def _place(path: str) -> tuple[LossCode, str]:
    """Return the code of a loss at a path, and the label of the field for its sentence."""
    # Most paths occur in many documents. Long ones have a key of the user in them, and would fill the cache.
    return _cached_place(path) if len(path) <= 100 else _place_of(path)


def _place_of(path: str) -> tuple[LossCode, str]:
    steps = path.split("/")
    return _code(steps[1:]), _label(steps)


_cached_place: Final = lru_cache(maxsize=2048)(_place_of)


_FOREIGN_FIELDS: Final = frozenset({"extras", "parameters", "settings"})
"""Fields of the canonical form whose members have the names of the user's JSON."""


def _label(steps: list[str]) -> str:
    """Return the label of the field at a path: in words for a canonical field, quoted for a key of the user's JSON.

    Args:
        steps: the JSON pointer, split at its slashes.
    """
    last = steps[-1]
    if len(steps) < 2:
        return "the document"
    if last.isdecimal() and len(steps) == 3:
        return f"the {steps[1].removesuffix('s')}"
    if steps[-2] == "extras" and _FOREIGN_FIELDS.isdisjoint(steps[1:-2]):
        return f"the {last} keys"
    quoted = not _FOREIGN_FIELDS.isdisjoint(steps[1:-1])
    if last.isdecimal():
        return f"item {last} of {shown(steps[-2]) if quoted else steps[-2]}"
    return shown(last) if quoted else f"the {_LABELS.get(last, last)}"


def _member(label: str, value: object) -> str:
    """Return a label with its value: `the name "bob"`, `"strict": true`."""
    return f"{label}: {shown(value)}" if label.endswith('"') else f"{label} {shown(value)}"


def _is_by_format(value: Any) -> bool:
    """Return whether a value is extras of several formats: an object of objects."""
    return isinstance(value, dict) and all(isinstance(item, dict) for item in cast("dict[str, Any]", value).values())


def _of_one_format(extras: ByFormat) -> str:
    """Return extras in words, by their keys alone: values are long, and would have to be cut."""
    return " and ".join(f"the {home} keys {{{names_of(members)}}}" for home, members in extras.items())


def _code(steps: list[str]) -> LossCode:
    """Return the code of a loss by the canonical fields on its path.

    Only the fields of the canonical form decide: below them may be the user's JSON, with any keys.

    Args:
        steps: the JSON pointer, split at its slashes, without the empty first step.
    """
    match steps:
        case []:
            return LossCode.COMPLETION
        case ["messages", _]:
            return LossCode.MESSAGE
        case ["messages", _, "content", _, *of_part] | ["content", _, *of_part]:
            return _code_in_part(of_part)
        case ["messages", _, field, *_]:
            return _FIELD_CODES[field]
        case ["tools", _, *of_tool]:
            return _code_in_tool(of_tool)
        # The fields of a message in an alternative have the codes of any message.
        case ["alternatives", _, "messages", _, _, *_]:
            return _code(steps[2:])
        case ["alternatives", _, field, *_]:
            return _FIELD_CODES.get(field, LossCode.ALTERNATIVES)
        case ["header" | "open_turn", "layout", *_]:
            return _LAYOUT
        case _:
            return _FIELD_CODES.get(steps[0], LossCode.CONTENT)


def _code_in_part(steps: list[str]) -> LossCode:
    match steps:
        case ["tools", _, *of_tool]:
            return _code_in_tool(of_tool)
        case ["citations", _, "extras" | "layout" as field, *_]:
            return _FIELD_CODES[field]
        case ["extras" | "layout" | "cache" | "citations" as field, *_]:
            return _FIELD_CODES[field]
        case _:
            return LossCode.CONTENT


def _code_in_tool(steps: list[str]) -> LossCode:
    match steps:
        case ["parameters", *_]:
            return LossCode.TOOL_SCHEMA
        case ["layout" | "cache" as field, *_]:
            return _FIELD_CODES[field]
        case _:
            return LossCode.TOOLS
