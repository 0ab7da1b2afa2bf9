"""Texts without messages ↔ completions: fill-in-the-middle and file sequences (§6, §7)."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.fit import narrow
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Completion, Content, Document, FileBreak, Infill, Json, Part, Transcript
from ocml_bridge.text.edges import by_format, kept_by
from ocml_bridge.turns import content_of, parts_of

from .edges import Edges, around, around_body, asked, default_around, default_for, kept, recalled, settled
from .scanner import scan
from .segments import Block, Call, Output, tidy
from .spelling import Guard, spell
from .syntax import HOME, START, TOKENS


def read(source: Source, options: Options, log: Log) -> Completion:
    """Read a text in which no message begins, as a completion."""
    edges, body = around(cast("str", source), options)
    content, notes = _content(body)
    for code, detail in notes:
        log.find(code, "/content", detail)
    if not any(isinstance(part, (Infill, FileBreak)) for part in parts_of(content)):
        log.find(FindingCode.SHAPE, "", f"no {START} and nothing to fill in: it is taken for one text to be completed")
    return _with_layout(content, body, edges, options)


def _content(body: str) -> tuple[Content, list[tuple[FindingCode, str]]]:
    segments, notes = scan(body, "")
    parts: list[Part] = [part for part in segments if not isinstance(part, (Block, Call, Output))]
    return content_of(parts), notes


def _with_layout(content: Content, body: str, edges: Edges, options: Options) -> Completion:
    layout, extras = kept(edges, default_around(body, options))
    if body != _default(content, TOKENS.neutralise):
        layout["body"] = body
    return Completion(content, by_format(HOME, layout), by_format(HOME, extras))


def _default(content: Content, guard: Guard) -> str:
    return spell(parts_of(content), guard)


def fit(completion: Document, options: Options, log: Log) -> Document:
    """The image of a completion; one without any text cannot be told from an empty conversation."""
    assert isinstance(completion, Completion)
    notes = Log()
    narrowed = narrow(completion.content, (Infill, FileBreak), "/content", notes, target=HOME)
    content = content_of(tidy(parts_of(narrowed)))
    body = _body(content, kept_of(completion), TOKENS.neutralise)
    if not body.strip():
        layout, extras = kept(settled({}, options, frames=False, cut=False), default_for(cut=False))
        return Transcript(layout=by_format(HOME, layout), extras=by_format(HOME, extras))
    log.losses += notes.losses
    if body == _default(content, TOKENS.neutralise):
        for part in parts_of(content):
            spell((part,), lambda text: TOKENS.guard(text, options.control_tokens, "/content", log))
    return _with_layout(content, body, _edges(completion, body, options), options)


def kept_of(document: Document) -> dict[str, Json]:
    """What a document remembers of its spelling."""
    return kept_by(HOME, document.layout, document.extras)


def _body(content: Content, kept: dict[str, Json], guard: Guard) -> str:
    """The text between the edges: as it is remembered where that still says the same, else as by default."""
    raw = kept.get("body")
    if isinstance(raw, str) and START not in raw and _content(raw)[0] == content:
        return raw
    return _default(content, guard)


def _edges(completion: Completion, body: str, options: Options) -> Edges:
    wanted = recalled(kept_of(completion), default_around(body, options))
    return around_body(asked(wanted, options), body, options)


def write(image: Document, options: Options, log: Log) -> str:
    """The image of a completion as text; control tokens in it are broken unless the policy is to leave them."""
    if isinstance(image, Completion):
        body = _body(image.content, kept_of(image), str if options.control_tokens == "raw" else TOKENS.neutralise)
        edges = _edges(image, body, options)
    else:
        body, edges = "", settled(kept_of(image), options, frames=False, cut=False)
    return edges.opening + body + edges.closing
