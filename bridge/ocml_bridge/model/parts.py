"""What a message's content is made of when it is more than one text, and what tools are.

All are pure values: equal content is an equal object, nothing is generated, nothing is mutated.
`extras` and `layout` hold, by format id, what only that format can say and how it spelled it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

Json = Any
"""Any JSON value: None, bool, int, float, str, list, dict."""
ByFormat = dict[str, dict[str, Json]]
"""Extras or layout: format id → what that format keeps."""

OUTSIDE: Final = frozenset({"front", "before", "gap", "after", "tail"})
"""Keys of extras under which text formats keep text that stands outside of any message: before one, or around all."""

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(slots=True)
class CacheMark:
    """A place up to which an engine is asked to keep what it has read, for requests that begin alike.

    Attributes:
        ttl: how long, in the source's own word (`5m`, `1h`); None where it does not say.
    """

    ttl: str | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Citation:
    """A source that a text rests on.

    Attributes:
        url: where it is.
        title: of the source.
        cited_text: what the source says.
        file_id: of a file that was uploaded.
        filename: of that file.
        start: the index of the first character of the text that rests on it; None where all of the text does.
        end: the index behind the last of them.
        vendor: to whom the file of `file_id` was uploaded; None where the source does not say.
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
    """Plain text beside other parts; one text part alone that says nothing else is always written as `str`.

    Attributes:
        cache: a mark behind it.
        citations: the sources that it names; None where it names none.
    """

    text: str
    extras: ByFormat | None = None
    type: Literal["text"] = "text"
    cache: CacheMark | None = None
    citations: tuple[Citation, ...] | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT

    @property
    def is_bare(self) -> bool:
        """Whether it says nothing but its text."""
        return self.extras is None and self.cache is None and self.citations is None


@dataclass(slots=True)
class Thought:
    """A thought marker: what follows in this message is of that kind (OCM 0.1 §4, 2.2 §7)."""

    kind: Literal["reflect", "introspect", "reason"]
    type: Literal["thought"] = "thought"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Flags:
    """Thought flags: which thought blocks the model is asked to write (OCM 0.1 §4)."""

    flags: tuple[Literal["reflect", "introspect", "reason"], ...]
    type: Literal["flags"] = "flags"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Freeform:
    """What a tool takes that has no arguments: a text.

    Attributes:
        syntax: of the grammar that the text follows: `lark`, `regex`; None for any text.
        grammar: in that syntax.
    """

    syntax: str | None = None
    grammar: str | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Tool:
    """One declared tool.

    Attributes:
        name: without its namespace.
        description: None where the source has none.
        parameters: JSON Schema; None where the source has none.
        namespace: None for the default one, `functions`.
        strict: whether arguments must follow the schema to the letter; None where the source does not say.
        freeform: of a tool that takes a text in place of arguments, which; None for a function.
        cache: a mark behind it.
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
    """Tools declared inside a message, at this place of its text."""

    tools: tuple[Tool, ...]
    layout: ByFormat | None = None
    type: Literal["tools"] = "tools"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Media:
    """An image, a video, a sound or a file: by `url`, by `file_id`, or as base64 `data` of (media) type `format`.

    Attributes:
        cache: a mark behind it.
        vendor: to whom the file of `file_id` was uploaded, or that at `url` where there is no such id: `anthropic`,
            `google`, `openai`; None where the source does not say, or anybody may look there.
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
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Passages:
    """Texts that are given to be cited: what a search found, or a document in pieces.

    Attributes:
        texts: in order; a citation is of one or more of them.
        title: what they are called.
        source: of what a search found, where it was found; None for a document.
        context: what is said of a document beside its texts, which is not cited.
        citable: whether the model is asked to cite them; None where the source does not say.
        cache: a mark behind them.
    """

    texts: tuple[str, ...]
    title: str | None = None
    source: str | None = None
    context: str | None = None
    citable: bool | None = None
    extras: ByFormat | None = None
    type: Literal["passages"] = "passages"
    cache: CacheMark | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Refusal:
    """The model's refusal, as OpenAI's messages set it apart from content."""

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
    """A content part of a kind that the canonical form does not know, kept as its format has it."""

    format: str
    value: Json
    type: Literal["foreign"] = "foreign"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


Part = Text | Thought | Flags | Tools | Media | Passages | Refusal | Infill | FileBreak | Foreign
Content = str | tuple[Part, ...]
"""A plain `str` where the content is one text, a tuple of parts otherwise."""
