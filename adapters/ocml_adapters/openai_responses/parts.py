"""Read and write content parts: texts, refusals, images, files, sounds; and the annotations of a text.

A part that would not be written back exactly is read as a foreign part.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.citations import CitationTable, Kind, Place
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import data_url, field_of, media_type, name_of_file, open_data_url
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, in_order, is_empty, rest, shape, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import CacheMark, Content, Foreign, Json, Media, Part, Refusal, Text

from .syntax import ANNOTATIONS, BREAKPOINT, EXPLICIT, HOME, NOTES, OUTPUT_TEXT, TEXT_ORDER, TEXTS, THOUGHTS, VENDOR


class _Kind(NamedTuple):
    """A type of media part.

    Attributes:
        media: the kind of `Media`.
        members: the fields of `Media` by the members of the part, in the order in which these are written.
        inline: the member that may be a data URL, or None.
        inner: the member that contains the others, or None if the part contains them itself.
    """

    media: Any
    members: dict[str, str]
    inline: str | None
    inner: str | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """The keys of the part in the order in which they are written."""
        return ("type", *(self.members if self.inner is None else (self.inner,)), BREAKPOINT)


_KINDS: Final[dict[str, _Kind]] = {
    "input_image": _Kind("image", {"file_id": "file_id", "image_url": "url", "detail": "detail"}, "image_url"),
    "input_file": _Kind(
        "file",
        {"file_id": "file_id", "filename": "filename", "file_url": "url", "file_data": "data", "detail": "detail"},
        "file_data",
    ),
    "input_audio": _Kind("audio", {"data": "data", "format": "format"}, None, "input_audio"),
    "computer_screenshot": _Kind("image", {"file_id": "file_id", "image_url": "url"}, "image_url"),
}
_TYPES: Final = {"image": "input_image", "file": "input_file", "audio": "input_audio"}
"""The type of part that media are written as, by their kind."""
_PLAIN: Final = ("type", "text")
_REFUSAL: Final = ("type", "refusal")


# --- reading ----------------------------------------------------------------------------------------------------------


def read_parts(raws: list[Json], text_type: str) -> tuple[tuple[Part, ...], Object]:
    """Return the parts and their spelling: by index, types of texts other than that of the message, and forms.

    Args:
        raws: a list of parts.
        text_type: the type of the texts of the message.
    """
    parts: list[Part] = []
    types: Object = {}
    forms: Object = {}
    for index, raw in enumerate(raws):
        if _is_plain(raw, text_type):
            parts.append(Text(raw["text"]))
            continue
        part = _read_part(raw, text_type)
        kind = cast("Object", raw)["type"] if part is not None else ""
        form = None if part is None else _form(raw, kind, part)
        if part is None or not can_hold(part) or not _is_same(_write_part(part, kind, form), raw):
            parts.append(Foreign(HOME, raw))
            continue
        parts.append(part)
        if kind != _type_of(part, text_type):
            types[str(index)] = kind
        if form is not None:
            forms[str(index)] = form
    spelling: Object = {}
    if types:
        spelling["types"] = types
    if forms:
        spelling["parts"] = forms
    return tuple(parts), spelling


def _is_plain(raw: Json, text_type: str) -> bool:
    """Return whether a part is a text without other members, as the writer writes it; the fast path."""
    plain = raw.__class__ is dict and tuple(raw) == _PLAIN and raw["type"] == text_type
    return plain and text_type != OUTPUT_TEXT and raw["text"].__class__ is str


def _read_part(raw: Json, text_type: str) -> Part | None:
    """Return a part, or None; only an answer's text has sources, and in others `annotations` are extras."""
    if not isinstance(raw, OBJECT):
        return None
    part: Object = raw
    kind = part.get("type")
    if not isinstance(kind, str):
        return None
    if kind in TEXTS or _is_thought(kind, text_type):
        text = part.get("text")
        if not isinstance(text, str):
            return None
        mark = _read_mark(part)
        is_answer = text_type == OUTPUT_TEXT
        citations = TABLE.read_all(part.get(ANNOTATIONS), Place(0, len(text))) if is_answer else None
        known = [key for key, value in ((BREAKPOINT, mark), (ANNOTATIONS, citations)) if value is not None]
        return Text(text, NOTES.by_format(rest(part, (*_PLAIN, *known))), cache=mark, citations=citations)
    if kind == "refusal":
        text = part.get("refusal")
        return Refusal(text) if isinstance(text, str) and not rest(part, _REFUSAL) else None
    return _read_media(part, _KINDS[kind]) if kind in _KINDS else None


def _is_thought(kind: str, text_type: str) -> bool:
    """Return whether a part is a text of reasoning, among those of reasoning."""
    return kind in THOUGHTS and text_type in THOUGHTS


def _read_mark(part: Object) -> CacheMark | None:
    return CacheMark() if part.get(BREAKPOINT) == EXPLICIT else None


def _read_media(part: Object, kind: _Kind) -> Media | None:
    inner: Any = part if kind.inner is None else part.get(kind.inner)
    if not isinstance(inner, OBJECT):
        return None
    members: Object = inner
    texts = [name for name in kind.members if isinstance(members.get(name), str) and members[name]]
    fields: Object = {kind.members[name]: members[name] for name in texts}
    if kind.inline is not None:
        open_data_url(fields, kind.members[kind.inline])
    if "file_id" in fields:
        fields["vendor"] = VENDOR
    extras = rest(members, (*texts, "type") if kind.inner is None else texts)
    if kind.inner is not None:
        extras = {**rest(part, ("type", kind.inner)), **({kind.inner: extras} if extras else {})}
    if (mark := _read_mark(part)) is not None:
        extras.pop(BREAKPOINT)
    return Media(kind.media, **fields, extras=NOTES.by_format(extras), cache=mark)


def _form(raw: Object, kind: str, part: Part) -> Json:
    """Return the form of a part; None if it is spelled as the writer would spell it."""
    written = _write_part(part, kind, None)
    spec = _KINDS.get(kind)
    if spec is None:
        order = TEXT_ORDER if isinstance(part, Text) else _REFUSAL
        return form_of(raw, order, frozenset(written), ("type", "text", "refusal"))
    form = form_of(raw, spec.order, frozenset(written), ("type",))
    if spec.inner is None:
        return form
    inner_form = form_of(raw[spec.inner], tuple(spec.members), frozenset(written[spec.inner]), ())
    return form if inner_form is None else {"form": form, "inner": inner_form}


def _is_same(written: Object, raw: Object) -> bool:
    """Return whether two objects are equal, with their keys and those of the objects in them in the same order."""
    return written == raw and list(written) == list(raw) and all(map(_has_same_order, written.values(), raw.values()))


def _has_same_order(written: Json, raw: Json) -> bool:
    return not isinstance(written, dict) or list(cast("Object", written)) == list(raw)


# --- writing ----------------------------------------------------------------------------------------------------------


def write_parts(content: Content, text_type: str, spelling: Object) -> list[Json]:
    """Return the parts as a list.

    Args:
        content: the parts, each of a kind that the Responses API has.
        text_type: the type of the texts of the message.
        spelling: as `read_parts` returns it; what does not fit the parts is ignored.
    """
    types, forms = (members_of(spelling.get(key)) for key in ("types", "parts"))
    out: list[Json] = []
    for index, part in enumerate(parts_of(content)):
        if isinstance(part, Foreign):
            out.append(part.value)
            continue
        default, kind = _type_of(part, text_type), types.get(str(index))
        fits = isinstance(kind, str) and (
            kind in TEXTS or _is_thought(kind, text_type)
            if isinstance(part, Text)
            else isinstance(part, Media) and kind in _KINDS and _KINDS[kind].media == part.media
        )
        out.append(_write_part(part, cast("str", kind) if fits else default, forms.get(str(index))))
    return out


def _type_of(part: Part, text_type: str) -> str:
    if isinstance(part, Media):
        return _TYPES.get(part.media, "")
    return "refusal" if isinstance(part, Refusal) else text_type


def _write_part(part: Part, kind: str, form: Json) -> Object:
    if isinstance(part, Media):
        return _write_media(part, kind, form)
    if isinstance(part, Refusal):
        return shape({"type": "refusal", "refusal": part.text}, form, fixed=_REFUSAL)
    assert isinstance(part, Text), "other parts have no place"
    out: Object = {"type": kind, "text": part.text}
    if part.citations and (annotations := TABLE.write_all(part.citations, Place(0, len(part.text)))):
        out[ANNOTATIONS] = annotations
    elif kind == OUTPUT_TEXT:
        out[ANNOTATIONS] = []
    if part.cache is not None:
        out[BREAKPOINT] = dict(EXPLICIT)
    extras = without(NOTES.of(part.extras), *_PLAIN)
    return shape(in_order({**out, **extras}, TEXT_ORDER), form, fixed=_PLAIN)


def _write_media(media: Media, kind: str, form: Json) -> Object:
    spec, media = _KINDS[kind], media_for(media, VENDOR)
    extras = NOTES.of(media.extras)
    values: Object = {}
    for name, field in spec.members.items():
        value = _inline(media, field) if name == spec.inline else field_of(media, field)
        if value is not None:
            values[name] = value
    fixed = [name for name, value in values.items() if not is_empty(value)]
    implied: tuple[str, ...] = ()
    if kind == "input_image" and "detail" not in values:
        values["detail"] = "auto"
        implied = ("detail",)  # many clients leave it out
    if kind == "input_file" and "file_data" in values and values.keys().isdisjoint(("filename", "file_id")):
        values = {"filename": name_of_file(media), **values}  # the API requires it
        implied = ("filename",)
    marked: Object = {} if media.cache is None else {BREAKPOINT: dict(EXPLICIT)}
    if spec.inner is None:
        return shape(
            add({"type": kind, **values, **marked}, extras, spec.order), form, fixed=("type", *fixed), implied=implied
        )
    forms = cast("Object", form) if isinstance(form, dict) else {"form": form}
    inner = shape(add(values, extras.get(spec.inner), tuple(spec.members)), forms.get("inner"), fixed=fixed)
    written = add({"type": kind, spec.inner: inner, **marked}, extras)
    return shape(written, forms.get("form"), fixed=("type", spec.inner))


def _inline(media: Media, field: str) -> str | None:
    """Return the value of a member that may be a data URL: an address, or the data."""
    if field == "url" and media.url is not None:
        return media.url
    if media.data is None or (field == "data" and media.format is None):
        return media.data
    return data_url(media.data, media_type(media))


def can_hold(part: Part) -> bool:
    """Return whether the Responses API has a place for a part."""
    if isinstance(part, Foreign):
        return part.format == HOME
    if isinstance(part, Media):
        fields = {"image": ("url", "data", "file_id"), "file": ("url", "data", "file_id"), "audio": ("data",)}
        media = media_for(part, VENDOR)
        return any(getattr(media, field) for field in fields.get(media.media, ()))
    return isinstance(part, (Text, Refusal))


# --- content ----------------------------------------------------------------------------------------------------------


def read_content(value: Json, text_type: str) -> tuple[Content, Object] | None:
    """Return the content of an item and its spelling; None for a value that is neither a text nor a list of parts."""
    if value is None or isinstance(value, str):
        return value or "", {}
    if not isinstance(value, ARRAY):
        return None
    raws = cast("list[Json]", value)
    if not raws:
        return "", {}
    if not all(isinstance(raw, dict) and isinstance(cast("Object", raw).get("type"), str) for raw in raws):
        return None
    parts, spelling = read_parts(raws, text_type)
    first, spelling = parts[0], {"content": "list", **spelling}
    if len(parts) == 1 and isinstance(first, Text) and first.is_bare:
        return first.text, spelling
    return parts, spelling


def says_content(value: Json) -> bool:
    """Return whether a value is content whose spelling needs no layout: an empty text is, an empty list is not."""
    return isinstance(value, str) or not is_empty(value)


def write_content(content: Content, text_type: str, layout: Object) -> Json:
    """Return content as a text or as a list of parts."""
    if isinstance(content, str) and layout.get("content") != "list":
        return content
    return write_parts(content, text_type, layout)


# --- annotations ------------------------------------------------------------------------------------------------------

_RANGE: Final = {"start_index": "start", "end_index": "end"}
_FILE: Final = {"file_id": "file_id", "filename": "filename"}
TABLE: Final = CitationTable(
    HOME,
    (
        Kind(
            "url_citation",
            {**_RANGE, "url": "url", "title": "title"},
            "url",
            {"start_index": 0, "end_index": 0, "title": ""},
        ),
        Kind("file_citation", _FILE, "file_id", {"filename": "", "index": 0}),
        Kind("container_file_citation", {**_RANGE, **_FILE}, None, {}),
        Kind("file_path", {"file_id": "file_id"}, None, {"index": 0}),
    ),
    VENDOR,
)
"""Indices count the characters of the text; what `index` counts is not documented."""
