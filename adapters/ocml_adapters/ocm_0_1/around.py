"""Read and write the beginning and the end of a text: `[BOS]`, `[EOS]`, and the white space around them (§2, §5).

The specification leaves both tokens to the base model, so each one in use is read at the beginning and the end of a
text. Between messages it begins another conversation (`grammar`); inside messages it is text (decision 15). White space
around it is ignored (decision 16). A text without messages is a completion (§6, §7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Final

from ocml_bridge.chat.turns import content_of, parts_of
from ocml_bridge.common.unicode import BOM
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options
from ocml_bridge.formats.boundary import BEGINS, ENDS, Boundary
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import ByFormat, Completion, Content, FileBreak, Infill, Json, Part, Transcript
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import Grammar
from ocml_bridge.units.writer import Completed

from .scanner import Scanner
from .segments import Block, Call, Guard, Output, spell, tidy
from .syntax import BOS_TOKEN, DIALECTS, END, EOS_TOKEN, GRAMMAR, HOME, NOTES, START, TOKENS

BOS: Final = ("[BOS]", "<s>", "<|BOS|>", "<|begin_of_text|>", "<|startoftext|>")
EOS: Final = ("[EOS]", "</s>", "<|EOS|>", "<|end_of_text|>", "<|endoftext|>")


def grammar(options: Options) -> Grammar:
    """Return the grammar of frames; the tokens of the options also begin another conversation."""
    return _grammar(BOS_TOKEN.of(options) or "", EOS_TOKEN.of(options) or "")


@lru_cache(maxsize=16)
def _grammar(bos: str, eos: str) -> Grammar:
    named = [[token] if token and START not in token else [] for token in (bos, eos)]
    if named == [[], []]:
        return GRAMMAR
    return Grammar((START,), (END,), Boundary((*BEGINS, *named[0]), (*ENDS, *named[1])))


@dataclass(frozen=True, slots=True)
class Edges:
    """The text around the frames, or around the content of a completion, in order.

    Attributes:
        before: white space before the first token.
        bos: the token that begins the text; "" for none.
        head: the text between that token and the first frame.
        tail: the text after the last frame.
        eos: the token that ends the text; "" for none.
        after: white space after that token.
    """

    before: str = ""
    bos: str = BOS[0]
    head: str = ""
    tail: str = ""
    eos: str = EOS[0]
    after: str = ""

    @property
    def opening(self) -> str:
        """The whole text before the first frame."""
        return self.before + self.bos + self.head

    @property
    def closing(self) -> str:
        """The whole text after the last frame."""
        return self.tail + self.eos + self.after


NONE: Final = Edges(bos="", eos="")
_SPELLED: Final = dict(zip(DIALECTS, (Edges(), Edges(bos="<s>", head="\n", tail="\n", eos="</s>"), NONE), strict=True))
_NAMES: Final = tuple(field.name for field in fields(Edges))


def opening(text: str, options: Options) -> Edges:
    """Return the edges at the beginning of a text; the text after the token is `head`."""
    rest = text.lstrip()
    for token in (*BOS, BOS_TOKEN.of(options)):
        if token and rest.startswith(token):
            return Edges(text[: len(text) - len(rest)], token, rest[len(token) :], eos="")
    return Edges(bos="", head=text, eos="")


def closing(text: str, options: Options) -> Edges:
    """Return the edges at the end of a text; the text before the token is `tail`."""
    rest = text.rstrip()
    for token in (*EOS, EOS_TOKEN.of(options)):
        if token and rest.endswith(token):
            return Edges(bos="", tail=rest[: len(rest) - len(token)], eos=token, after=text[len(rest) :])
    return Edges(bos="", tail=text, eos="")


def joined(first: Edges, last: Edges) -> Edges:
    """Return the beginning of the first edges with the end of the last ones."""
    return Edges(first.before, first.bos, first.head, last.tail, last.eos, last.after)


def around(text: str, options: Options) -> tuple[Edges, str]:
    """Return the edges of a text without frames, and the text between them."""
    first = opening(text, options)
    last = closing(first.head, options)
    return replace(joined(first, last), head="", tail=""), last.tail


# --- defaults and choices ---------------------------------------------------------------------------------------------


def default_for(*, cut: bool) -> Edges:
    """Return the default edges of a conversation; one whose last frame is open has no end.

    Args:
        cut: whether the last frame is open.
    """
    return replace(Edges(), eos="") if cut else Edges()


def default_around(body: str, options: Options) -> Edges:
    """Return the default edges of a completion: none, as in §6, §7 and §9.

    If the content itself begins or ends with such a token, or begins with a byte order mark, a token is added before or
    after it, so that it is still read as content.
    """
    edges, _ = around(body, options)
    return replace(NONE, bos=BOS[0] if edges.bos or body.startswith(BOM) else "", eos=EOS[0] if edges.eos else "")


def with_tokens(edges: Edges, options: Options) -> Edges:
    """Return edges with the tokens of the options.

    Raises:
        BridgeError: OCB-OPTION for a token that would not be read back as one.
    """
    bos, eos = BOS_TOKEN.of(options), EOS_TOKEN.of(options)
    for option, token in ((BOS_TOKEN, bos), (EOS_TOKEN, eos)):
        if token is not None and (token != token.strip() or START in token):
            raise BridgeError(
                ErrorCode.OPTION,
                f"{option.name} cannot be {token!r}: give a token that is not a frame token and has no space around it",
            )
    if bos is not None:
        edges = replace(edges, bos=bos, **({} if bos else {"before": "", "head": ""}))
    if eos is not None:
        edges = replace(edges, eos=eos, **({} if eos else {"tail": "", "after": ""}))
    return edges


def chosen(remembered: Mapping[str, Json], options: Options, *, frames: bool, cut: bool) -> Edges:
    """Return the edges of a conversation: of the dialect or the options, else of the source, else the default.

    Args:
        remembered: the layout and extras of the document.
        options: the options with the dialect and the tokens.
        frames: whether the conversation has frames.
        cut: whether the last frame is open.

    Raises:
        BridgeError: OCB-OPTION for a token that would not be read back as one.
    """
    wanted = recall(remembered, default_for(cut=cut)) if options.dialect is None else _SPELLED[options.dialect]
    wanted = with_tokens(wanted, options)
    if not frames:
        return around_nothing(wanted, options)
    return around_frames(replace(wanted, tail="", eos="", after="") if cut else wanted, options, cut=cut)


def around_frames(edges: Edges, options: Options, *, cut: bool) -> Edges:
    """Return edges for a conversation with frames: each end is used if it is read back unchanged, else the default."""
    default = default_for(cut=cut)
    first, last = opening(edges.opening, options), closing(edges.closing, options)
    if START in edges.opening or edges.opening.startswith(BOM) or joined(first, edges) != edges:
        first = default
    if cut or START in edges.closing or joined(edges, last) != edges:
        last = default
    return joined(first, last)


def around_nothing(edges: Edges, options: Options) -> Edges:
    """Return edges for a conversation without frames, with all white space in `head`; the default if not read back."""
    edges = replace(edges, head=edges.head + edges.tail, tail="")
    edges_read, inner = around(edges.opening + edges.closing, options)
    return edges if not inner.strip() and replace(edges_read, head=inner) == edges else default_for(cut=False)


def around_body(edges: Edges, body: str, options: Options) -> Edges:
    """Return edges for a completion: these if they are read back unchanged, else the default."""
    edges = replace(edges, head="", tail="")
    wanted = edges.opening + body + edges.closing
    usable = not wanted.startswith(BOM) and around(wanted, options) == (edges, body)
    return edges if usable else default_around(body, options)


# --- layout and extras ------------------------------------------------------------------------------------------------


def remember(edges: Edges, default: Edges, **layout: Json) -> tuple[ByFormat | None, ByFormat | None]:
    """Return the layout and the extras for edges: the fields that differ from the default; text goes to the extras.

    Args:
        edges: the edges of the text.
        default: the edges that would be written.
        layout: other members of the layout.
    """
    extras: dict[str, Json] = {}
    for name in _NAMES:
        value = getattr(edges, name)
        if value != getattr(default, name):
            (layout if name in _TOKENS or is_trivia(value) else extras)[name] = value
    return NOTES.by_format(layout), NOTES.by_format(extras)


_TOKENS: Final = frozenset({"bos", "eos"})


def recall(remembered: Mapping[str, Json], default: Edges) -> Edges:
    """Return the default edges with the fields that a document stores; values that are no text are ignored."""
    stored = {name: remembered[name] for name in _NAMES if isinstance(remembered.get(name), str)}
    return replace(default, **stored)


# --- texts without messages -------------------------------------------------------------------------------------------


def read(edges: Edges, body: str, options: Options, log: Log) -> Completion:
    """Read a completion: the text between the edges of a text without frames."""
    content, notes = _content(body)
    for code, detail in notes:
        log.find(code, "/content", detail)
    if not any(isinstance(part, (Infill, FileBreak)) for part in parts_of(content)):
        log.find(
            FindingCode.SHAPE,
            "",
            f"the input has no {START} and nothing to fill in; it is read as one text to complete",
        )
    return _with_layout(content, body, edges, options)


def write(completion: Completion, options: Options, log: Log) -> Completed:
    """Write a completion; one without text is read back as an empty conversation.

    Args:
        completion: the completion.
        options: how to write.
        log: receives the losses.

    Raises:
        BridgeError: OCB-CONTROL-TOKEN if the options refuse tokens in content, and there is one.
    """
    notes = Log()
    narrowed = narrow(completion.content, (Infill, FileBreak), "/content", notes, target=HOME)
    content = content_of(tidy(parts_of(narrowed)))
    remembered = NOTES.together(completion.layout, completion.extras)
    body = _body(content, remembered, TOKENS.neutralise)
    if not body.strip():
        edges = chosen({}, options, frames=False, cut=False)
        layout, extras = remember(edges, default_for(cut=False))
        return Completed(edges.opening + edges.closing, Transcript(layout=layout, extras=extras))
    log.losses += notes.losses
    if body == _default(content, TOKENS.neutralise):
        for part in parts_of(content):
            spell((part,), lambda text: TOKENS.guard(text, options.control_tokens, "/content", log))
    edges = _edges(remembered, body, options)
    image = _with_layout(content, body, edges, options)
    if options.control_tokens == "raw":
        body = _body(content, remembered, str)
        edges = _edges(remembered, body, options)
    return Completed(edges.opening + body + edges.closing, image)


def _content(body: str) -> tuple[Content, list[tuple[FindingCode, str]]]:
    scanner = Scanner("")
    scanner.finish(body, closed=False)
    parts: list[Part] = [part for part in scanner.segments if not isinstance(part, (Block, Call, Output))]
    return content_of(parts), [note for _, note in scanner.notes]


def _with_layout(content: Content, body: str, edges: Edges, options: Options) -> Completion:
    raw = {} if body == _default(content, TOKENS.neutralise) else {"body": body}
    return Completion(content, *remember(edges, default_around(body, options), **raw))


def _default(content: Content, guard: Guard) -> str:
    return spell(parts_of(content), guard)


def _body(content: Content, remembered: Mapping[str, Json], guard: Guard) -> str:
    """Return the text between the edges: the stored one if it still means the same, else the default."""
    raw = remembered.get("body")
    if isinstance(raw, str) and START not in raw and _content(raw)[0] == content:
        return raw
    return _default(content, guard)


def _edges(remembered: Mapping[str, Json], body: str, options: Options) -> Edges:
    wanted = recall(remembered, default_around(body, options))
    return around_body(with_tokens(wanted, options), body, options)
