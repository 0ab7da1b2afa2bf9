"""Define the parts of a message's content, and declared tools.

All are pure values: objects with equal fields are equal, no field is generated, and nothing is mutated. `extras` has,
by format id, what only one format can express; `layout` has, by format id, how a format spelled the object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

Json = Any
"""Any JSON value: None, bool, int, float, str, list, dict."""
ByFormat = dict[str, dict[str, Json]]
"""Extras or layout: an object for each format, by format id."""

OUTSIDE: Final = frozenset({"front", "before", "gap", "after", "tail"})
"""Keys of extras with text outside of messages, in text formats: before a message, or around all of them."""

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(slots=True)
class CacheMark:
    """A cache mark: the engine should cache the prompt up to here, for requests with the same beginning.

    Attributes:
        ttl: the lifetime of the cache entry, as the source writes it (`5m`, `1h`); None if the source does not say.
    """

    ttl: str | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Citation:
    """A source that a text cites.

    Attributes:
        url: the URL of the source.
        title: the title of the source.
        cited_text: the cited passage of the source.
        file_id: the id of an uploaded file.
        filename: the name of that file.
        start: the index of the first character of the text that the citation supports; None for the whole text.
        end: the index after the last of these characters.
        vendor: the vendor to whom the file of `file_id` was uploaded; None if the source does not say.
    """

    url: str | None = None
    title: str | None = None
    cited_text: str | None = None
    file_id: str | None = None
    filename: str | None = None
    start: int | None = None
    end: int | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    vendor: str | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Text:
    """A text among other parts. Content that is a single bare text is a `str` instead.

    Attributes:
        cache: a cache mark after it.
        citations: the sources that it cites; None if it cites none.
    """

    text: str
    extras: ByFormat | None = None
    type: Literal["text"] = "text"
    cache: CacheMark | None = None
    citations: tuple[Citation, ...] | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    @property
    def is_bare(self) -> bool:
        """Whether the part has no field but its text."""
        return self.extras is None and self.cache is None and self.citations is None


@dataclass(slots=True)
class Thought:
    """A thought marker: the rest of this message is a thought of this kind (OCM 0.1 §4, 2.2 §7)."""

    kind: Literal["reflect", "introspect", "reason"]
    type: Literal["thought"] = "thought"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Flags:
    """Thought flags: the kinds of thoughts that the model should write (OCM 0.1 §4)."""

    flags: tuple[Literal["reflect", "introspect", "reason"], ...]
    type: Literal["flags"] = "flags"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Freeform:
    """The input of a tool that takes a text in place of arguments.

    Attributes:
        syntax: the syntax of the text's grammar: `lark`, `regex`; None for any text.
        grammar: the grammar, in that syntax.
    """

    syntax: str | None = None
    grammar: str | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Tool:
    """One declared tool.

    Attributes:
        name: the name without the namespace.
        description: the description; None if the source has none.
        parameters: the JSON Schema of the arguments; None if the source has none.
        namespace: the namespace; None for the default one, `functions`.
        strict: whether arguments must match the schema exactly; None if the source does not say.
        freeform: the input of a tool that takes a text in place of arguments; None for a function.
        cache: a cache mark after it.
    """

    name: str
    description: str | None = None
    parameters: Json = None
    namespace: str | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    strict: bool | None = None
    freeform: Freeform | None = None
    cache: CacheMark | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Tools:
    """Tools that are declared in a message, at this place of its content."""

    tools: tuple[Tool, ...]
    layout: ByFormat | None = None
    type: Literal["tools"] = "tools"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Media:
    """An image, a video, a sound or a file: by `url`, by `file_id`, or as base64 `data` of (media) type `format`.

    Attributes:
        cache: a cache mark after it.
        vendor: the vendor to whom the file was uploaded that `file_id` names, or `url` if there is no id: `anthropic`,
            `google`, `openai`; None if the source does not say, or if the URL is public.
        context: text about a file that accompanies it and is not cited.
        citable: whether the model is asked to cite a file; None if the source does not say.
    """

    media: Literal["image", "video", "audio", "file"]
    url: str | None = None
    data: str | None = None
    format: str | None = None
    file_id: str | None = None
    filename: str | None = None
    detail: str | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    type: Literal["media"] = "media"
    cache: CacheMark | None = None
    vendor: str | None = None
    context: str | None = None
    citable: bool | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Passages:
    """Texts that the model can cite: a search result, or a document in passages.

    Attributes:
        texts: the passages in order; a citation refers to one or more of them.
        title: the title of the document or search result.
        source: the source of a search result; None for a document.
        context: more about a document that is not to be cited.
        citable: whether the model should cite them; None if the source does not say.
        cache: a cache mark after them.
    """

    texts: tuple[str, ...]
    title: str | None = None
    source: str | None = None
    context: str | None = None
    citable: bool | None = None
    extras: ByFormat | None = None
    type: Literal["passages"] = "passages"
    cache: CacheMark | None = None
    layout: ByFormat | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Refusal:
    """The model's refusal, which OpenAI's messages separate from content."""

    text: str
    type: Literal["refusal"] = "refusal"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Infill:
    """Fill-in-the-middle (OCM 0.1 §6): `middle` is None in a prompt, text in a completed one."""

    prefix: str
    middle: str | None
    suffix: str
    layout: ByFormat | None = None
    type: Literal["infill"] = "infill"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class FileBreak:
    """The boundary between two files of one sequence (OCM 0.1 §7)."""

    type: Literal["file-break"] = "file-break"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Foreign:
    """A content part that the canonical form does not know, as the JSON value of its format."""

    format: str
    value: Json
    type: Literal["foreign"] = "foreign"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


Part = Text | Thought | Flags | Tools | Media | Passages | Refusal | Infill | FileBreak | Foreign
Content = str | tuple[Part, ...]
"""A `str` if the content is one text without other fields, else a tuple of parts."""
