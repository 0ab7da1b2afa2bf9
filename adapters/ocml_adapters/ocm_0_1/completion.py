"""Texts without messages ↔ completions: fill-in-the-middle and file sequences (§6, §7)."""

from __future__ import annotations

from collections.abc import Mapping

from ocml_bridge.adapter import Options
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Completion, Content, FileBreak, Infill, Json, Part, Transcript
from ocml_bridge.narrowing import narrow
from ocml_bridge.turns import content_of, parts_of
from ocml_bridge.units.writer import Completed

from .edges import Edges, around_body, chosen, default_around, default_for, recall, remember, with_tokens
from .scanner import Scanner
from .segments import Block, Call, Guard, Output, spell, tidy
from .syntax import HOME, NOTES, START, TOKENS


def read(edges: Edges, body: str, options: Options, log: Log) -> Completion:
    """Read what stands between the edges of a text in which no message begins."""
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
    """Write a completion; one without any text is an empty conversation to whoever reads it.

    Args:
        completion: any.
        options: how to write.
        log: takes what is lost.

    Raises:
        BridgeError: OCB-CONTROL-TOKEN where the options refuse a token.
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
    return content_of(parts), scanner.notes


def _with_layout(content: Content, body: str, edges: Edges, options: Options) -> Completion:
    raw = {} if body == _default(content, TOKENS.neutralise) else {"body": body}
    return Completion(content, *remember(edges, default_around(body, options), **raw))


def _default(content: Content, guard: Guard) -> str:
    return spell(parts_of(content), guard)


def _body(content: Content, remembered: Mapping[str, Json], guard: Guard) -> str:
    """The text between the edges: as it is remembered where that still says the same, else as by default."""
    raw = remembered.get("body")
    if isinstance(raw, str) and START not in raw and _content(raw)[0] == content:
        return raw
    return _default(content, guard)


def _edges(remembered: Mapping[str, Json], body: str, options: Options) -> Edges:
    wanted = recall(remembered, default_around(body, options))
    return around_body(with_tokens(wanted, options), body, options)
