"""Read and write lists of private reasoning: items with a text and its signature, or with an encrypted thought.

| key | type | text | signature | sealed |
| --- | --- | --- | --- | --- |
| `reasoning_details` (OpenRouter) | `reasoning.text` | `text` | `signature` | |
| | `reasoning.summary` | `summary` | | |
| | `reasoning.encrypted` | | `data` | yes |
| `thinking_blocks` (LiteLLM) | `thinking` | `thinking` | `signature` | |
| | `redacted_thinking` | | `data` | yes |

The `format` of an item of `reasoning_details` names its vendor; all `thinking_blocks` are of Anthropic's models. OpenAI
sends a summary and then the encrypted thought: two items with the same format, which are read as one thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, add, form_of, rest, shape, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Signature, replace

from .syntax import BLOCKS, DETAILS, NOTES

SUMMARY: Final = "summary"
"""The content type of a thought that is a summary of the model's reasoning."""
ITEM: Final = "item of reasoning"
SEALED: Final = "item that seals it"
"""The keys of a thought's extras and layout for its item, and for the item with the encrypted thought.

No format has members of these names.
"""
_FORM, _INDEX = "form", "index"
_BESIDE: Final = "beside"
"""The key of the layout that marks an item without the text, which another key of the message has."""


class _Kind(NamedTuple):
    """The members of an item of one type.

    Attributes:
        text: the key of its text; None if it has none.
        signature: the key of its signature; None if it has none.
        sealed: whether the signature is the encrypted thought.
        content_type: the content type of the thought.
    """

    text: str | None
    signature: str | None
    sealed: bool = False
    content_type: str | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """Its keys, in the order in which they are written."""
        return tuple(key for key in ("type", self.text, self.signature, "id", "format", "index") if key is not None)


_KINDS: Final[dict[str, dict[str, _Kind]]] = {
    DETAILS: {
        "reasoning.text": _Kind("text", "signature"),
        "reasoning.summary": _Kind("summary", None, content_type=SUMMARY),
        "reasoning.encrypted": _Kind(None, "data", sealed=True),
    },
    BLOCKS: {
        "thinking": _Kind("thinking", "signature"),
        "redacted_thinking": _Kind(None, "data", sealed=True),
    },
}
_TYPES: Final = {
    DETAILS: ("reasoning.text", "reasoning.summary", "reasoning.encrypted"),
    BLOCKS: ("thinking", "thinking", "redacted_thinking"),
}
"""The types of items that are written for a thought, for a summary, and for an encrypted thought."""
LISTS: Final = tuple(_KINDS)
"""The keys of a message with such lists."""
_FORMATS: Final = {
    "anthropic": "anthropic-claude-v1",
    "google": "google-gemini-v1",
    "openai": "openai-responses-v1",
    "xai": "xai-responses-v1",
}
"""The `format` of an item by the vendor of its signature."""
_VENDORS: Final = {name: vendor for vendor, name in _FORMATS.items()}
_OF_BLOCKS: Final = "anthropic"
_SUMMED_UP: Final = frozenset({"openai", "xai"})
"""The vendors whose encrypted thoughts come with a summary."""
_UNSEALED: Final = frozenset({"google"})
"""The vendors whose signatures do not contain the thought."""


# --- reading ----------------------------------------------------------------------------------------------------------


def read_list(key: str, value: Json) -> list[Message] | None:
    """Return the thoughts of a list; None if it is empty, or if an item is not understood.

    Args:
        key: the key of the list, one of `LISTS`.
        value: its value.
    """
    if not isinstance(value, list) or not value:
        return None
    thoughts: list[Message] = []
    before: Json = None
    for raw in cast("list[Any]", value):
        item = members_of(raw)
        thought, given = _read_item(key, item), item.get("format")
        if thought is None:
            return None
        if thoughts and _is_seal_of(thoughts[-1], before, thought, given):
            _seal(thoughts[-1], thought)
        else:
            thoughts.append(thought)
        before = given
    return thoughts


def _read_item(key: str, item: Object) -> Message | None:
    name = item.get("type")
    kind = _KINDS[key].get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    found = [None if each is None else item.get(each) for each in (kind.text, kind.signature)]
    if not all(value is None or isinstance(value, str) for value in found) or not any(found):
        return None
    text, signed = cast("list[str | None]", found)
    known = ["type", *(each for each, value in ((kind.text, text), (kind.signature, signed)) if each and value)]
    thought = Message("assistant", text or "", channel="analysis", content_type=kind.content_type)
    if signed:
        given = item.get("format")
        vendor = _OF_BLOCKS if key == BLOCKS else _VENDORS.get(given) if isinstance(given, str) else None
        thought.signature = Signature(signed, vendor, kind.sealed and vendor not in _UNSEALED)
        if key == DETAILS and vendor is not None:
            known.append("format")
    layout: Object = {}
    if type(index := item.get(_INDEX)) is int:
        known.append(_INDEX)
        layout[_INDEX] = index
    form = form_of(item, kind.order, frozenset({"type"}), known)
    if form is not None:
        layout[_FORM] = form
    if name != _default_type(key, thought):
        layout["type"] = name
    more = rest(item, known)
    thought.extras = NOTES.by_format({ITEM: more} if more else {})
    thought.layout = NOTES.by_format({ITEM: layout} if layout else {})
    return thought


class Words(NamedTuple):
    """The contents of an item, or of a piece of one: a text, its signature, and an encrypted thought; "" if missing."""

    text: str
    signature: str
    seal: str


def says(key: str, piece: Object) -> Words:
    """Return the contents of a piece of an item."""
    name = piece.get("type")
    kind = _KINDS[key].get(name) if isinstance(name, str) else None
    if kind is None:
        return Words("", "", "")
    text, signature = (_text(piece.get(each)) if each else "" for each in (kind.text, kind.signature))
    return Words(text, "", signature) if kind.sealed else Words(text, signature, "")


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _is_seal_of(thought: Message, its: Json, sealed: Message, given: Json) -> bool:
    """Return whether an item is the encrypted form of the thought before it."""
    signature = sealed.signature
    fits = signature is not None and signature.sealed and signature.vendor in _SUMMED_UP
    return fits and its == given and thought.signature is None and bool(thought.content)


def _seal(thought: Message, sealed: Message) -> None:
    """Give a thought the signature of the item after it, and the other members of that item."""
    thought.signature = sealed.signature
    own, more = NOTES.of(thought.extras), NOTES.of(sealed.extras).get(ITEM)
    rest_of_own = without(cast("Object", own[ITEM]), "format")
    extras: Object = {**({ITEM: rest_of_own} if rest_of_own else {}), **({} if more is None else {SEALED: more})}
    form = NOTES.of(sealed.layout).get(ITEM)
    layout = {**NOTES.of(thought.layout), **({} if form is None else {SEALED: form})}
    thought.extras, thought.layout = NOTES.by_format(extras), NOTES.by_format(layout)


def signed(text: Message, listed: Sequence[Message]) -> list[Message] | None:
    """Return the thoughts of a list without texts, with a text in place of the thought that signs it, as in a stream.

    Args:
        text: the thought with the text, which another key has.
        listed: the thoughts of the list.

    Returns:
        None if it is not certain which of them signs the text.
    """
    unsealed = [at for at, thought in enumerate(listed) if thought.signature and not thought.signature.sealed]
    at = unsealed[0] if len(unsealed) == 1 else 0
    if len(unsealed) != 1 and (unsealed or len(listed) != 1):
        return None
    signing = listed[at]
    layout = {**_notes(signing.layout, ITEM), _BESIDE: True}
    signed_text = replace(
        text, signature=signing.signature, extras=signing.extras, layout=NOTES.by_format({ITEM: layout})
    )
    return [*listed[:at], signed_text, *listed[at + 1 :]] if is_signed(signed_text) else None


def sign(thought: Message) -> Object | None:
    """Return an item with the signature of a thought whose text is elsewhere; None if the thought is not signed."""
    if not is_signed(thought):
        return None
    beside = NOTES.by_format({ITEM: {_BESIDE: True}}) if thought.content else None
    bare = Message("assistant", thought.content, channel="analysis", layout=beside, signature=thought.signature)
    return _write_items(DETAILS, bare)[0]


# --- writing ----------------------------------------------------------------------------------------------------------


def is_signed(thought: Message) -> bool:
    """Return whether a thought has a signature that an item can hold."""
    signature = thought.signature
    if signature is None or not signature.value:
        return False
    return not (signature.sealed and thought.content) or signature.vendor in _SUMMED_UP


def is_closed(thought: Message) -> bool:
    """Return whether a thought is complete because it is signed, or encrypted as a whole."""
    signature = thought.signature
    return is_signed(thought) and signature is not None and not (signature.sealed and thought.content)


def needs_list(thought: Message) -> bool:
    """Return whether a thought has more than a text, so that it needs an item of a list."""
    own = (*NOTES.of(thought.extras).items(), *NOTES.of(thought.layout).items())
    return (
        is_signed(thought)
        or thought.content_type == SUMMARY
        or any(key in (ITEM, SEALED) and isinstance(value, dict) for key, value in own)
    )


def fits(key: str, thought: Message) -> bool:
    """Return whether a list can hold a thought."""
    if key == DETAILS:
        return True
    signature = thought.signature
    return thought.content_type != SUMMARY and (signature is None or signature.vendor == _OF_BLOCKS)


def write_list(key: str, thoughts: Sequence[Message]) -> list[Json]:
    """Return thoughts as a list of items."""
    return [item for thought in thoughts for item in _write_items(key, thought)]


def _write_items(key: str, thought: Message) -> list[Json]:
    text, signature = cast("str", thought.content), thought.signature if is_signed(thought) else None
    apart = signature is not None and signature.sealed and bool(text)
    name = _default_type(key, thought)
    given = _notes(thought.layout, ITEM).get("type")
    if isinstance(given, str) and _holds(key, given, thought):
        name = given
    if _notes(thought.layout, ITEM).get(_BESIDE) is True and signature is not None:
        seal = _TYPES[key][2] if signature.sealed else name
        return [_write_item(key, seal, "", signature, thought, ITEM)]
    item = _write_item(key, name, text, signature, thought, ITEM)
    return [item, _write_item(key, _TYPES[key][2], "", signature, thought, SEALED)] if apart else [item]


def _write_item(key: str, name: str, text: str, signature: Signature | None, thought: Message, place: str) -> Object:
    kind = _KINDS[key][name]
    out: Object = {"type": name}
    if kind.text is not None and (text or kind.signature is None):
        out[kind.text] = text
    if signature is not None:
        if kind.signature is not None and not (signature.sealed and text):
            out[kind.signature] = signature.value
        if key == DETAILS and signature.vendor in _FORMATS:
            out["format"] = _FORMATS[signature.vendor]
    layout = _notes(thought.layout, place)
    if type(index := layout.get(_INDEX)) is int:
        out[_INDEX] = index
    out = add(out, _notes(thought.extras, place), kind.order)
    return shape(out, layout.get(_FORM), fixed=out) if _FORM in layout else out


def _default_type(key: str, thought: Message) -> str:
    """Return the type of item that a thought is written as."""
    text, summary, sealed = _TYPES[key]
    if thought.content:
        return summary if thought.content_type == SUMMARY else text
    return sealed if thought.signature is not None and thought.signature.sealed else text


def _holds(key: str, name: str, thought: Message) -> bool:
    """Return whether an item of a type can hold a thought."""
    kind = _KINDS[key].get(name)
    if kind is None or (thought.content and kind.text is None):
        return False
    return kind.content_type == thought.content_type and (thought.signature is None or kind.signature is not None)


def _notes(homes: Any, place: str) -> Object:
    return members_of(NOTES.of(homes).get(place))
